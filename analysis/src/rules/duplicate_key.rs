//! `duplicate-key`: the same key stands twice in one mapping.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "duplicate-key",
    severity: Severity::Warning,
    summary: "The same key stands twice in one mapping",
    docs: "\
## What it does\n\
Reports a key that stands twice in one mapping, or in two spellings that the engine reads as one.\n\
\n\
## Why is this bad?\n\
Only one of the two counts, and the file does not show which.\n\
\n\
## Example\n\
```yaml\n\
- name: app\n\
\x20 dependsOn: [cni]\n\
\x20 dependsOn: [db]\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
- name: app\n\
\x20 dependsOn: [cni, db]\n\
```\n\
\n\
## What the engines say\n\
Tazuna and kapp silently take the last one. Ankaios rejects the file. In HCL, setting an attribute twice\n\
is a syntax error.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::told;

    #[test]
    fn one_spelling() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
      tags: [u]
      tags: [v]
",
            ),
            "warning tazuna.yaml:6 «tags»: `tags` stands there twice, and this one has no effect
  tazuna.yaml:7 «tags»: this one counts
  note: Tazuna takes the last one and says nothing
  safe fix: remove it
    tazuna.yaml:6 -      tags: [u]
"
        );
    }

    #[test]
    fn two_spellings() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
      tags: [u]
      Tags: [v]
",
            ),
            "warning tazuna.yaml:7 «Tags»: another spelling of `tags` stands there too, and counts instead
  tazuna.yaml:6 «tags»: this one counts
  note: of several spellings of a field Tazuna takes the last in the order of their bytes; it says nothing
  unsafe fix: remove it
    tazuna.yaml:7 -      Tags: [v]
"
        );
    }
}
