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
        "warning tazuna.yaml:6 «tags»: `tags` stands there twice, and this one has no effect
  tazuna.yaml:7 «tags»: this one counts
  note: Tazuna takes the last one and says nothing
  safe fix: remove it
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
        "warning tazuna.yaml:7 «Tags»: another spelling of `tags` stands there too, and counts instead
  tazuna.yaml:6 «tags»: this one counts
  note: of several spellings of a field Tazuna takes the last in the order of their bytes; it says nothing
  unsafe fix: remove it
    tazuna.yaml:7 -      Tags: [v]
"
    );
}
