//! `unreadable-file`: a file that is named cannot be read.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "unreadable-file",
    severity: Severity::Error,
    summary: "A file that is named cannot be read",
    docs: "\
## What it does\n\
Reports a file that exists and cannot be read as what it is: a directory, a file without permission, one\n\
larger than the limit, or text that is not UTF-8.\n\
\n\
## Why is this bad?\n\
The engine stops there, and what the file declares is not known.\n\
\n\
## Example\n\
```yaml\n\
- includes:\n\
\x20   - path: ./infra\n\
```\n\
where `infra` is a directory.\n\
\n\
## Use instead\n\
```yaml\n\
- includes:\n\
\x20   - path: ./infra/tazuna.yaml\n\
```\n\
\n\
## What the engines say\n\
They reject it. The limit of size is applyorder's own; beyond it no verdict is given.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
