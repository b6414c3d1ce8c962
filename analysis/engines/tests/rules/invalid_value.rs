//! Tests of `invalid-value`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::invalid_value::RULE;

#[test]
fn a_type_in_other_case() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: Helmfile
      path: .
",
        ),
        "error tazuna.yaml:4 «Helmfile»: there is no manifest type `Helmfile`
  label: did you mean `helmfile`?
  check spec first, apply spec first: validation failed for manifest[0]: unsupported manifest type: Helmfile
  note: the types are `kustomize`, `helmfile`, `genesissecret` and `oras`
  unsafe fix: replace by `helmfile`
    tazuna.yaml:4 -      type: Helmfile
    tazuna.yaml:4 +      type: helmfile
  unsafe fix: replace by `kustomize`
    tazuna.yaml:4 -      type: Helmfile
    tazuna.yaml:4 +      type: kustomize
  unsafe fix: replace by `genesissecret`
    tazuna.yaml:4 -      type: Helmfile
    tazuna.yaml:4 +      type: genesissecret
  unsafe fix: replace by `oras`
    tazuna.yaml:4 -      type: Helmfile
    tazuna.yaml:4 +      type: oras
"
    );
}

#[test]
fn kind_and_mode() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
kind: tazuna
spec:
  context_match_mode: OR
  manifests:
    - name: a
      type: kustomize
      path: .
",
        ),
        "error tazuna.yaml:1 «tazuna»: `kind` must be `Tazuna`, or be left out
  check header first, apply header first: kind must be \"Tazuna\", got \"tazuna\"
  unsafe fix: replace by `Tazuna`
    tazuna.yaml:1 -kind: tazuna
    tazuna.yaml:1 +kind: Tazuna
error tazuna.yaml:3 «OR»: `context_match_mode` must be `or` or `and`, not `OR`
  check spec, apply spec: context_match_mode must be 'or' or 'and', got: OR
  unsafe fix: replace by `or`
    tazuna.yaml:3 -  context_match_mode: OR
    tazuna.yaml:3 +  context_match_mode: or
"
    );
}

#[test]
fn in_an_included_file() {
    assert_eq!(
            told(
                applyorder_engines::all(),
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: a.yaml
//- /w/a.yaml
spec:
  manifests:
    - name: a
      type: helm
      path: .
",
            ),
            "error a.yaml:4 «helm»: there is no manifest type `helm`
  apply expanded spec first: validation failed after include expansion: validation failed for manifest[0]: unsupported manifest type: helm
  tazuna.yaml:4 «a.yaml»: the file is included here
  note: the types are `kustomize`, `helmfile`, `genesissecret` and `oras`
  note: `check` does not look at the values of included manifests; `apply` does
  unsafe fix: replace by `kustomize`
    a.yaml:4 -      type: helm
    a.yaml:4 +      type: kustomize
  unsafe fix: replace by `helmfile`
    a.yaml:4 -      type: helm
    a.yaml:4 +      type: helmfile
  unsafe fix: replace by `genesissecret`
    a.yaml:4 -      type: helm
    a.yaml:4 +      type: genesissecret
  unsafe fix: replace by `oras`
    a.yaml:4 -      type: helm
    a.yaml:4 +      type: oras
"
        );
}
