//! `missing-file`: a file that is named does not exist.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "missing-file",
    severity: Severity::Error,
    summary: "A file that is named does not exist",
    docs: "\
## What it does\n\
Reports a path that leads to nothing: an include, a unit's own directory.\n\
\n\
## Why is this bad?\n\
The engine stops there, some only when the unit's turn has come.\n\
\n\
## Example\n\
```yaml\n\
- includes:\n\
\x20   - path: infra.yml\n\
```\n\
beside a file `infra.yaml`.\n\
\n\
## Use instead\n\
```yaml\n\
- includes:\n\
\x20   - path: infra.yaml\n\
```\n\
\n\
## What the engines say\n\
A missing include is rejected before anything runs; a unit's missing directory is often noticed only\n\
while it is applied. The finding says which.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
