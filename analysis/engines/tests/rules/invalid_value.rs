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
        "error tazuna.yaml:4 «Helmfile»: unknown manifest type `Helmfile`
  label: did you mean `helmfile`?
  check spec first, apply spec first, destroy spec first: validation failed for manifest[0]: unsupported manifest type: Helmfile
  note: expected `kustomize`, `helmfile`, `genesissecret` or `oras`
  unsafe fix: replace with `helmfile`
    tazuna.yaml:4 -      type: Helmfile
    tazuna.yaml:4 +      type: helmfile
  unsafe fix: replace with `kustomize`
    tazuna.yaml:4 -      type: Helmfile
    tazuna.yaml:4 +      type: kustomize
  unsafe fix: replace with `genesissecret`
    tazuna.yaml:4 -      type: Helmfile
    tazuna.yaml:4 +      type: genesissecret
  unsafe fix: replace with `oras`
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
        "error tazuna.yaml:1 «tazuna»: invalid `kind` `tazuna`: expected `Tazuna` or nothing
  check header first, apply header first, destroy header first: kind must be \"Tazuna\", got \"tazuna\"
  unsafe fix: replace with `Tazuna`
    tazuna.yaml:1 -kind: tazuna
    tazuna.yaml:1 +kind: Tazuna
error tazuna.yaml:3 «OR»: invalid `context_match_mode` `OR`: expected `or` or `and`
  check spec, apply spec, destroy spec: context_match_mode must be 'or' or 'and', got: OR
  unsafe fix: replace with `or`
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
            "error a.yaml:4 «helm»: unknown manifest type `helm`
  apply expanded spec first, destroy expanded spec first: validation failed after include expansion: validation failed for manifest[0]: unsupported manifest type: helm
  tazuna.yaml:4 «a.yaml»: included here
  note: expected `kustomize`, `helmfile`, `genesissecret` or `oras`
  note: `check` does not verify the values of included manifests
  unsafe fix: replace with `kustomize`
    a.yaml:4 -      type: helm
    a.yaml:4 +      type: kustomize
  unsafe fix: replace with `helmfile`
    a.yaml:4 -      type: helm
    a.yaml:4 +      type: helmfile
  unsafe fix: replace with `genesissecret`
    a.yaml:4 -      type: helm
    a.yaml:4 +      type: genesissecret
  unsafe fix: replace with `oras`
    a.yaml:4 -      type: helm
    a.yaml:4 +      type: oras
"
        );
}
