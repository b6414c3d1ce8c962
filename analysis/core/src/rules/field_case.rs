//! `field-case`: a key that differs from the field only in upper and lower case.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "field-case",
    severity: Severity::Warning,
    summary: "A key that differs from the field only in upper and lower case",
    docs: "\
## What it does\n\
Reports a key that the engine takes for a field although it is spelt in other upper and lower case.\n\
\n\
## Why is this bad?\n\
It works by accident: other tools, other versions and searches in the repository do not find it.\n\
\n\
## Example\n\
```yaml\n\
- name: app\n\
\x20 DependsOn: [cni]\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
- name: app\n\
\x20 dependsOn: [cni]\n\
```\n\
\n\
## What the engines say\n\
Nothing: Tazuna, and kapp in its Config, match keys without regard to case.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
