//! Tests of `duplicate-name`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::duplicate_name::RULE;

#[test]
fn nothing_refers_to_it() {
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
    - name: a
      type: kustomize
      path: .
",
        ),
        "error tazuna.yaml:6 «a»: duplicate manifest `a`
  check names first: manifest name \"a\" is duplicated (2 times)
  tazuna.yaml:3 «a»: first defined here
  note: `apply` only warns unless a manifest has `dependsOn` or `--sync` is given
  unsafe fix: rename it to `a-2`
    tazuna.yaml:6 -    - name: a
    tazuna.yaml:6 +    - name: a-2
"
    );
}

#[test]
fn something_does() {
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
    - name: a
      type: kustomize
      path: .
    - name: b
      type: kustomize
      path: .
      dependsOn: [a]
",
        ),
        r#"error tazuna.yaml:6 «a»: duplicate manifest `a`
  check names first, apply names first: manifest name "a" is duplicated (2 times)
  tazuna.yaml:3 «a»: first defined here
"#
    );
}

#[test]
fn a_file_included_twice() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: a.yaml
        - path: ./a.yaml
//- /w/a.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
",
        ),
        "error a.yaml:3 «a»: duplicate manifest name `a`: the file is included twice
  check names first: manifest name \"a\" is duplicated (2 times)
  tazuna.yaml:4 «a.yaml»: first included here
  tazuna.yaml:5 «./a.yaml»: included again here
  note: `apply` only warns unless a manifest has `dependsOn` or `--sync` is given
  unsafe fix: remove the second include
    tazuna.yaml:5 -        - path: ./a.yaml
"
    );
}
