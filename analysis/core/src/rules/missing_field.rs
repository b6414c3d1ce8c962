//! `missing-field`: a field that the engine demands is absent.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "missing-field",
    severity: Severity::Error,
    summary: "A field that the engine demands is absent",
    docs: "\
## What it does\n\
Reports a unit without a field that the engine demands: a name, a path, a type, a kind.\n\
\n\
## Why is this bad?\n\
The engine rejects the project.\n\
\n\
## Example\n\
```yaml\n\
- name: app\n\
\x20 path: ./app\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
- name: app\n\
\x20 path: ./app\n\
\x20 type: kustomize\n\
```\n\
\n\
## What the engines say\n\
They reject it; where only some of the engine's commands do, the finding says which.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
