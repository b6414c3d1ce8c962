//! Tests of `field-case`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::field_case::RULE;

#[test]
fn another_case() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      Type: kustomize
      path: .
",
        ),
        "warning tazuna.yaml:4 «Type»: `Type` is read as `type`
  note: Tazuna compares field names case-insensitively
  safe fix: replace with `type`
    tazuna.yaml:4 -      Type: kustomize
    tazuna.yaml:4 +      type: kustomize
"
    );
}
