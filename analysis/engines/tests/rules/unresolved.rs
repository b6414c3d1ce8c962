//! Tests of `unresolved`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::unresolved::RULE;

#[test]
fn a_template_that_prints_what_is_not_known() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            r#"//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
      description: {{ printf "%p" .Environment }}
"#,
        ),
        "info tazuna.yaml:6 «printf \"%p\" .Environment»: unsupported template: this verb of printf is not supported for its value
"
    );
}
