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
