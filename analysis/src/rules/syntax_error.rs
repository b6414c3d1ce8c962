//! `syntax-error`: the file cannot be read as what it is.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "syntax-error",
    severity: Severity::Error,
    summary: "The file cannot be read as what it is",
    docs: "\
## What it does\n\
Reports text that the engine's own parser rejects: YAML or HCL syntax, a template that does not parse or\n\
render, a byte that must not stand there.\n\
\n\
## Why is this bad?\n\
The engine stops before it looks at anything else. applyorder reads on: everything outside the broken\n\
place is still analysed, and what may have stood in the broken lines counts as unknown.\n\
\n\
## Example\n\
```yaml\n\
spec:\n\
\x20 manifests:\n\
\x20   - name: app\n\
\x20     dependsOn: [cni\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
spec:\n\
\x20 manifests:\n\
\x20   - name: app\n\
\x20     dependsOn: [cni]\n\
```\n\
\n\
## What the engines say\n\
All of them reject it, at their first stage.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::told;

    #[test]
    fn an_unclosed_list() {
        assert_eq!(
            told(
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
  check decode first, apply decode first: error converting YAML to JSON: yaml: line 6: did not find expected ',' or ']'
"
        );
    }

    #[test]
    fn a_template() {
        assert_eq!(
            told(
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
            r#"error tazuna.yaml:1 «.Values.image»: the Go template does not render: can't evaluate field Values in type tmpl.Data
  check template first, apply template first: failed to render tazuna.yaml as a Go template: can't evaluate field Values in type tmpl.Data
  note: Tazuna renders the whole text as a Go template before it reads it as YAML, comments included
  unsafe fix: let the template write the braces
    tazuna.yaml:1 -# {{ .Values.image }}
    tazuna.yaml:1 +# {{ "{{" }} .Values.image }}
"#
        );
    }

    #[test]
    fn an_unknown_anchor() {
        assert_eq!(
            told(
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
  check decode first, apply decode first: error converting YAML to JSON: yaml: unknown anchor 'b' referenced
"
        );
    }

    #[test]
    fn a_directive() {
        assert_eq!(
            told(
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
  check decode first, apply decode first: error converting YAML to JSON: yaml: found incompatible YAML document
  unsafe fix: remove the directive
    tazuna.yaml:1 -%YAML 1.2
    tazuna.yaml:1 +
"
        );
    }
}
