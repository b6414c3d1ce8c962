//! `terramate/output-without-order`: the output of another stack is used without an order.

use crate::diagnostic::Severity;
use crate::rules::{Rule, Status};

/// The rule.
pub(in crate::engines::terramate) static RULE: Rule = Rule {
    id: "terramate/output-without-order",
    severity: Severity::Warning,
    summary: "The output of another stack is used without an order",
    docs: "\
## What it does\n\
Reports `input` blocks whose `from_stack_id` names a stack that does not run before this one.\n\
\n\
## Why is this bad?\n\
Sharing outputs adds no order. In a fresh run the value is not there yet.\n\
\n\
## Example\n\
```hcl\n\
input \"vpc_id\" {\n\
\x20 backend       = \"default\"\n\
\x20 from_stack_id = \"vpc\"\n\
\x20 value         = outputs.vpc_id.value\n\
}\n\
stack {\n\
}\n\
```\n\
\n\
## Use instead\n\
```hcl\n\
stack {\n\
\x20 after = [\"/vpc\"]\n\
}\n\
```\n\
\n\
## What Terramate says\n\
Nothing.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
