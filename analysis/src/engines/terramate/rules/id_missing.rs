//! `terramate/id-missing`: a stack without an id.

use crate::diagnostic::Severity;
use crate::rules::{Rule, Status};

/// The rule.
pub(in crate::engines::terramate) static RULE: Rule = Rule {
    id: "terramate/id-missing",
    severity: Severity::Hint,
    summary: "A stack without an id",
    docs: "\
## What it does\n\
Says of a stack that it has no `id`.\n\
\n\
## Why is this bad?\n\
Terramate Cloud and `input.from_stack_id` need one.\n\
\n\
## Example\n\
```hcl\n\
stack {\n\
}\n\
```\n\
\n\
## Use instead\n\
```hcl\n\
stack {\n\
\x20 id = \"7dd7e5c5-5c5b-4a4e-8e3e-2c1f0a2c9b11\"\n\
}\n\
```\n\
\n\
## What Terramate says\n\
Nothing.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
