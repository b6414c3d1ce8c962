//! `terramate/order-cycle-partial`: a cycle that only some selections meet.

use crate::diagnostic::Severity;
use crate::rules::{Rule, Status};

/// The rule.
pub(in crate::engines::terramate) static RULE: Rule = Rule {
    id: "terramate/order-cycle-partial",
    severity: Severity::Info,
    summary: "A cycle that only some selections meet",
    docs: "\
## What it does\n\
Says of a cycle that it needs an implicit edge or stacks of several directories, so that a run in a part of the project still succeeds.\n\
\n\
## Why is this bad?\n\
A run from a subdirectory works, and the pipeline over the whole project fails.\n\
\n\
## Example\n\
```hcl\n\
# in /stacks/child\n\
stack {\n\
\x20 before = [\"/stacks\"]\n\
}\n\
```\n\
\n\
## Use instead\n\
An order that holds for the whole project.\n\
\n\
## What Terramate says\n\
A cycle is fatal only when all of its ends are selected.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
