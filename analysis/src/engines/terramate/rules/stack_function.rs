//! `terramate/stack-function`: a function that does not exist, or a call that fails.

use crate::diagnostic::Severity;
use crate::rules::{Rule, Status};

/// The rule.
pub(in crate::engines::terramate) static RULE: Rule = Rule {
    id: "terramate/stack-function",
    severity: Severity::Error,
    summary: "A function that does not exist, or a call that fails",
    docs: "\
## What it does\n\
Reports calls of unknown functions in the attributes of a `stack` block (Terramate's functions begin with `tm_`), and calls that are known to fail.\n\
\n\
## Why is this bad?\n\
Terramate does not load the project.\n\
\n\
## Example\n\
```hcl\n\
stack {\n\
\x20 after = concat([\"/a\"], [\"/b\"])\n\
}\n\
```\n\
\n\
## Use instead\n\
```hcl\n\
stack {\n\
\x20 after = tm_concat([\"/a\"], [\"/b\"])\n\
}\n\
```\n\
\n\
## What Terramate says\n\
It rejects the call while loading.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
