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
        "error tazuna.yaml:3 «type»: this manifest has no `name`
  check names first: manifest[0]: name is required
  note: `apply` only warns, as long as no manifest has `dependsOn` and `--sync` is not given
  unsafe fix: name it `kustomize-my-app`, as `tazuna check --fix` does
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
        "error tazuna.yaml:3 «name»: manifest `a` has no `path`
  check spec first, apply spec first: validation failed for manifest[0]: manifest path is required
error tazuna.yaml:3 «name»: manifest `a` has no `type`
  check spec, apply spec: validation failed for manifest[0]: manifest type is required
"
    );
}
