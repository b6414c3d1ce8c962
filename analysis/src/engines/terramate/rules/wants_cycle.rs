//! `terramate/wants-cycle`: stacks that select each other in a circle.

use crate::diagnostic::Severity;
use crate::rules::{Rule, Status};

/// The rule.
pub(in crate::engines::terramate) static RULE: Rule = Rule {
    id: "terramate/wants-cycle",
    severity: Severity::Warning,
    summary: "Stacks that select each other in a circle",
    docs: "\
## What it does\n\
Finds circles of `wants` and `wanted_by`, a stack that wants itself included.\n\
\n\
## Why is this bad?\n\
Selecting one selects all. Terramate warns on every run.\n\
\n\
## Example\n\
```hcl\n\
# in /a\n\
stack {\n\
\x20 wants = [\"/a\"]\n\
}\n\
```\n\
\n\
## Use instead\n\
Without the entry.\n\
\n\
## What Terramate says\n\
`Stack selection clauses (wants/wanted_by) have cycles`, as a warning.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
