//! `invalid-name`: a name that the engine does not accept.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "invalid-name",
    severity: Severity::Error,
    summary: "A name that the engine does not accept",
    docs: "\
## What it does\n\
Checks names of units, groups, tags and ids against the engine's own rule for them.\n\
\n\
## Why is this bad?\n\
The engine rejects the whole project because of one name.\n\
\n\
## Example\n\
```yaml\n\
- name: Cert_Manager\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
- name: cert-manager\n\
```\n\
\n\
## What the engines say\n\
They reject it. Some accept it in some commands; the finding then says in which.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::told;

    #[test]
    fn with_all_that_refers_to_it() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: My_App
      type: kustomize
      path: .
    - name: b
      type: kustomize
      path: .
      dependsOn: [My_App]
",
            ),
            r#"error tazuna.yaml:3 «My_App»: `My_App` is no name for a manifest: lower-case letters, digits and `-` inside
  check names first, apply names first: manifest[0]: name "My_App" contains invalid characters (allowed: lowercase a-z0-9 and '-', must start and end with an alphanumeric)
  tazuna.yaml:9 «My_App»: it is referred to here
  unsafe fix: rename it to `my-app`
    tazuna.yaml:3 -    - name: My_App
    tazuna.yaml:4 -      type: kustomize
    tazuna.yaml:5 -      path: .
    tazuna.yaml:6 -    - name: b
    tazuna.yaml:7 -      type: kustomize
    tazuna.yaml:8 -      path: .
    tazuna.yaml:9 -      dependsOn: [My_App]
    tazuna.yaml:3 +    - name: my-app
    tazuna.yaml:4 +      type: kustomize
    tazuna.yaml:5 +      path: .
    tazuna.yaml:6 +    - name: b
    tazuna.yaml:7 +      type: kustomize
    tazuna.yaml:8 +      path: .
    tazuna.yaml:9 +      dependsOn: [my-app]
"#
        );
    }

    #[test]
    fn reserved() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: _metadata
      type: kustomize
      path: .
",
            ),
            r#"error tazuna.yaml:3 «_metadata»: `_metadata` is reserved
  check names first: manifest[0]: name "_metadata" is reserved
  note: `apply` only warns, as long as no manifest has `dependsOn` and `--sync` is not given
  unsafe fix: rename it to `metadata`
    tazuna.yaml:3 -    - name: _metadata
    tazuna.yaml:3 +    - name: metadata
"#
        );
    }
}
