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
