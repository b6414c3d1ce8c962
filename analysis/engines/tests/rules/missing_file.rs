//! Tests of `missing-file`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::missing_file::RULE;

#[test]
fn one_of_two_includes() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: a.yaml
        - path: b.yaml
//- /w/a.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
",
        ),
        "error tazuna.yaml:5 «b.yaml»: included file `b.yaml` does not exist
  check spec first, apply spec first, destroy spec first: validation failed for manifest[0]: include file not found: b.yaml
  unsafe fix: remove the include
    tazuna.yaml:5 -        - path: b.yaml
"
    );
}

#[test]
fn an_include() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: infra.yml
//- /w/infra.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
",
        ),
        "error tazuna.yaml:4 «infra.yml»: included file `infra.yml` does not exist
  label: did you mean `infra.yaml`?
  check spec first, apply spec first, destroy spec first: validation failed for manifest[0]: include file not found: infra.yml
  unsafe fix: replace with `infra.yaml`
    tazuna.yaml:4 -        - path: infra.yml
    tazuna.yaml:4 +        - path: infra.yaml
  unsafe fix: remove the include
    tazuna.yaml:2 -  manifests:
    tazuna.yaml:3 -    - includes:
    tazuna.yaml:4 -        - path: infra.yml
    tazuna.yaml:2 +  manifests: []
"
    );
}

#[test]
fn a_path() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: ./gone
",
        ),
        "warning tazuna.yaml:5 «./gone»: path `./gone` does not exist
  note: `check` does not verify; `apply` fails when it reaches the manifest
"
    );
}
