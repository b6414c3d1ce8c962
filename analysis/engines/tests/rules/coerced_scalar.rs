//! Tests of `coerced-scalar`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::coerced_scalar::RULE;

#[test]
fn a_number_as_a_name() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - name: 0x1f
      type: kustomize
      path: .
    - name: b
      type: kustomize
      path: .
      dependsOn: [31]
",
        ),
        "warning tazuna.yaml:3 «0x1f»: `name: 0x1f` is read as `31`
  note: Tazuna reads plain scalars as YAML 1.1 and converts them to strings
  safe fix: replace with `\"31\"`
    tazuna.yaml:3 -    - name: 0x1f
    tazuna.yaml:3 +    - name: \"31\"
  unsafe fix: quote `0x1f` here and in all references
    tazuna.yaml:3 -    - name: 0x1f
    tazuna.yaml:4 -      type: kustomize
    tazuna.yaml:5 -      path: .
    tazuna.yaml:6 -    - name: b
    tazuna.yaml:7 -      type: kustomize
    tazuna.yaml:8 -      path: .
    tazuna.yaml:9 -      dependsOn: [31]
    tazuna.yaml:3 +    - name: \"0x1f\"
    tazuna.yaml:4 +      type: kustomize
    tazuna.yaml:5 +      path: .
    tazuna.yaml:6 +    - name: b
    tazuna.yaml:7 +      type: kustomize
    tazuna.yaml:8 +      path: .
    tazuna.yaml:9 +      dependsOn: [\"0x1f\"]
"
    );
}

#[test]
fn a_quoted_one() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - name: '0x1F'
      type: kustomize
      path: .
",
        ),
        ""
    );
}
