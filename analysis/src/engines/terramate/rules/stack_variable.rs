//! `terramate/stack-variable`: a variable in an attribute of a stack.

use crate::diagnostic::Severity;
use crate::rules::{Rule, Status};

/// The rule.
pub(in crate::engines::terramate) static RULE: Rule = Rule {
    id: "terramate/stack-variable",
    severity: Severity::Error,
    summary: "A variable in an attribute of a stack",
    docs: "\
## What it does\n\
Reports variables in the attributes of a `stack` block: `global.*`, `let.*`, `terramate.*` and `env.*` do not exist there.\n\
\n\
## Why is this bad?\n\
Terramate does not load the project.\n\
\n\
## Example\n\
```hcl\n\
stack {\n\
\x20 after = [global.base]\n\
}\n\
```\n\
\n\
## Use instead\n\
```hcl\n\
stack {\n\
\x20 after = [\"/base\"]\n\
}\n\
```\n\
\n\
## What Terramate says\n\
`There is no variable named \"global\".`, while loading.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
