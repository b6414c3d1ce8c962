//! `inert-dependency`: a dependency that can never have an effect.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "inert-dependency",
    severity: Severity::Info,
    summary: "A dependency that can never have an effect",
    docs: "\
## What it does\n\
Reports a dependency that is well written and resolves, and that no run of the engine can ever act on.\n\
\n\
## Why is this bad?\n\
Somebody meant to order two things, and they are not ordered.\n\
\n\
## Example\n\
```yaml\n\
kapp.k14s.io/change-rule: \"upsert after deleting example.com/db\"\n\
```\n\
on a resource whose group members are never deleted in the same deploy.\n\
\n\
## Use instead\n\
The rule for the operation that was meant, or none.\n\
\n\
## What the engines say\n\
Nothing.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
