//! `coerced-scalar`: an unquoted word that YAML reads as something else.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "coerced-scalar",
    severity: Severity::Warning,
    summary: "An unquoted word that YAML reads as something else",
    docs: "\
## What it does\n\
Reports an unquoted scalar in a field of text which YAML reads as a boolean, a number or null, so that\n\
the engine sees another text than the file shows.\n\
\n\
## Why is this bad?\n\
A manifest called `on` is called `true` for the engine, and one called `010` is called `8`. A quoted\n\
reference to it finds nothing.\n\
\n\
## Example\n\
```yaml\n\
- name: on\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
- name: \"on\"\n\
```\n\
\n\
## What the engines say\n\
Nothing: they see only the value.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::told;

    #[test]
    fn a_number_as_a_name() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: 0x1F
      type: kustomize
      path: .
    - name: b
      type: kustomize
      path: .
      dependsOn: [31]
",
            ),
            r#"warning tazuna.yaml:3 «0x1F»: `name: 0x1F` is read as `31`
  note: Tazuna reads plain scalars as YAML 1.1 and turns them into text; it says nothing
  safe fix: write `31` as text
    tazuna.yaml:3 -    - name: 0x1F
    tazuna.yaml:3 +    - name: "31"
  unsafe fix: quote `0x1F` as it stands, and wherever it is referred to
    tazuna.yaml:3 -    - name: 0x1F
    tazuna.yaml:4 -      type: kustomize
    tazuna.yaml:5 -      path: .
    tazuna.yaml:6 -    - name: b
    tazuna.yaml:7 -      type: kustomize
    tazuna.yaml:8 -      path: .
    tazuna.yaml:9 -      dependsOn: [31]
    tazuna.yaml:3 +    - name: "0x1F"
    tazuna.yaml:4 +      type: kustomize
    tazuna.yaml:5 +      path: .
    tazuna.yaml:6 +    - name: b
    tazuna.yaml:7 +      type: kustomize
    tazuna.yaml:8 +      path: .
    tazuna.yaml:9 +      dependsOn: ["0x1F"]
"#
        );
    }

    #[test]
    fn a_quoted_one() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: '0x1F'
      type: kustomize
      path: .
",
            ),
            ""
        );
    }
}
