//! Tests of `duplicate-key`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::duplicate_key::RULE;

#[test]
fn one_spelling() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
      tags: [u]
      tags: [v]
",
        ),
        "warning tazuna.yaml:6 «tags»: duplicate key `tags`: this one is ignored
  tazuna.yaml:7 «tags»: value used here
  note: Tazuna uses the last one
  safe fix: remove `tags`
    tazuna.yaml:6 -      tags: [u]
"
    );
}

#[test]
fn two_spellings() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
      tags: [u]
      Tags: [v]
",
        ),
        "warning tazuna.yaml:7 «Tags»: `tags` is ignored: another spelling takes precedence
  tazuna.yaml:6 «tags»: value used here
  note: Tazuna uses the spelling that sorts last
  unsafe fix: remove this spelling
    tazuna.yaml:7 -      Tags: [v]
"
    );
}
