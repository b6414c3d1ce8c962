//! Tests of `missing-field`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::missing_field::RULE;

#[test]
fn a_name() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - type: kustomize
      path: ./apps/My_App
",
        ),
        "error tazuna.yaml:3 «type»: missing field `name` in a manifest
  check names first: manifest[0]: name is required
  note: `apply` only warns unless a manifest has `dependsOn` or `--sync` is given
  unsafe fix: add `name: kustomize-my-app`, as `tazuna check --fix` does
    tazuna.yaml:3 -    - type: kustomize
    tazuna.yaml:3 +    - name: kustomize-my-app
    tazuna.yaml:4 +      type: kustomize
"
    );
}

#[test]
fn path_and_type() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
",
        ),
        "error tazuna.yaml:3 «name»: missing field `path` in manifest `a`
  check spec first, apply spec first, destroy spec first: validation failed for manifest[0]: manifest path is required
error tazuna.yaml:3 «name»: missing field `type` in manifest `a`
  check spec, apply spec, destroy spec: validation failed for manifest[0]: manifest type is required
"
    );
}
