//! Tests of `invalid-name`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::invalid_name::RULE;

#[test]
fn with_all_that_refers_to_it() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - name: My_App
      type: kustomize
      path: .
    - name: b
      type: kustomize
      path: .
      dependsOn: [My_App]
",
        ),
        "error tazuna.yaml:3 «My_App»: invalid manifest name `My_App`: use lowercase letters, digits and inner `-`
  check names first, apply names first: manifest[0]: name \"My_App\" contains invalid characters (allowed: lowercase a-z0-9 and '-', must start and end with an alphanumeric)
  tazuna.yaml:9 «My_App»: referenced here
  unsafe fix: rename it to `my-app`
    tazuna.yaml:3 -    - name: My_App
    tazuna.yaml:4 -      type: kustomize
    tazuna.yaml:5 -      path: .
    tazuna.yaml:6 -    - name: b
    tazuna.yaml:7 -      type: kustomize
    tazuna.yaml:8 -      path: .
    tazuna.yaml:9 -      dependsOn: [My_App]
    tazuna.yaml:3 +    - name: my-app
    tazuna.yaml:4 +      type: kustomize
    tazuna.yaml:5 +      path: .
    tazuna.yaml:6 +    - name: b
    tazuna.yaml:7 +      type: kustomize
    tazuna.yaml:8 +      path: .
    tazuna.yaml:9 +      dependsOn: [my-app]
"
    );
}

#[test]
fn reserved() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - name: _metadata
      type: kustomize
      path: .
",
        ),
        "error tazuna.yaml:3 «_metadata»: invalid manifest name `_metadata`: it is reserved
  check names first: manifest[0]: name \"_metadata\" is reserved
  note: `apply` only warns unless a manifest has `dependsOn` or `--sync` is given
  unsafe fix: rename it to `metadata`
    tazuna.yaml:3 -    - name: _metadata
    tazuna.yaml:3 +    - name: metadata
"
    );
}
