//! `unresolved`: something here cannot be known without running the engine.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "unresolved",
    severity: Severity::Info,
    summary: "Something here cannot be known without running the engine",
    docs: "\
## What it does\n\
Says where applyorder does not know a value: a template it cannot analyse, an expression with unknown\n\
inputs, a kind nothing here defines, a source that has to be rendered first.\n\
\n\
## Why is this bad?\n\
It is not. But no finding and no verdict depends on such a value, so there may be mistakes that are not\n\
shown.\n\
\n\
## Example\n\
```hcl\n\
stack {\n\
\x20 after = tm_jsondecode(tm_file(\"order.json\"))\n\
}\n\
```\n\
\n\
## Use instead\n\
A literal list, where you want it checked.\n\
\n\
## What the engines say\n\
They know the value when they run.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
