//! Tests of `syntax-error`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::syntax_error::RULE;

#[test]
fn an_unclosed_list() {
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
      dependsOn: [b
",
            ),
            "error tazuna.yaml:6 «[»: did not find expected ',' or ']'
  check decode first, apply decode first, destroy decode first: error converting YAML to JSON: yaml: line 6: did not find expected ',' or ']'
"
        );
}

#[test]
fn a_template() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
# {{ .Values.image }}
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
",
        ),
        "error tazuna.yaml:1 «.Values.image»: the Go template does not render: can't evaluate field Values in type tmpl.Data
  check template first, apply template first, destroy template first: failed to render tazuna.yaml as a Go template: can't evaluate field Values in type tmpl.Data
  note: Tazuna renders the whole file, comments included, as a Go template before it parses YAML
  unsafe fix: escape the braces
    tazuna.yaml:1 -# {{ .Values.image }}
    tazuna.yaml:1 +# {{ \"{{\" }} .Values.image }}
"
    );
}

#[test]
fn an_unknown_anchor() {
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
      dependsOn: [*b]
",
        ),
        "error tazuna.yaml:6 «*b»: unknown anchor 'b' referenced
  check decode first, apply decode first, destroy decode first: error converting YAML to JSON: yaml: unknown anchor 'b' referenced
"
    );
}

#[test]
fn a_directive() {
    assert_eq!(
            told(
                applyorder_engines::all(),
                &RULE,
                "//- /w/tazuna.yaml
%YAML 1.2
---
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
",
            ),
            "error tazuna.yaml:1 «%YAML 1.2»: found incompatible YAML document
  check decode first, apply decode first, destroy decode first: error converting YAML to JSON: yaml: found incompatible YAML document
  unsafe fix: remove the directive
    tazuna.yaml:1 -%YAML 1.2
    tazuna.yaml:1 +
"
        );
}
