//! Tests of `unknown-field`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::unknown_field::RULE;

#[test]
fn snake_case_and_another_place() {
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
      depends_on: [b]
dependsOn: [a]
",
        ),
        "warning tazuna.yaml:6 «depends_on»: unknown field `depends_on` in a manifest
  label: did you mean `dependsOn`?
  note: Tazuna ignores it
  unsafe fix: replace with `dependsOn`
    tazuna.yaml:6 -      depends_on: [b]
    tazuna.yaml:6 +      dependsOn: [b]
  unsafe fix: remove `depends_on`
    tazuna.yaml:6 -      depends_on: [b]
warning tazuna.yaml:7 «dependsOn»: unknown field `dependsOn` in the file
  label: `dependsOn` is a field of a manifest
  note: Tazuna ignores it
  unsafe fix: remove `dependsOn`
    tazuna.yaml:7 -dependsOn: [a]
"
    );
}
