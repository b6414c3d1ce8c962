//! `terramate/stack-unreachable`: a stack that Terramate never loads.

use crate::diagnostic::Severity;
use crate::rules::{Rule, Status};

/// The rule.
pub(in crate::engines::terramate) static RULE: Rule = Rule {
    id: "terramate/stack-unreachable",
    severity: Severity::Warning,
    summary: "A stack that Terramate never loads",
    docs: "\
## What it does\n\
Reports `stack` blocks in directories that are hidden, below a `.tmskip`, or in files of a name that is not read.\n\
\n\
## Why is this bad?\n\
The stack does not exist for Terramate.\n\
\n\
## Example\n\
```hcl\n\
# in /.archive/vpc/stack.tm.hcl\n\
stack {}\n\
```\n\
\n\
## Use instead\n\
A directory that is loaded.\n\
\n\
## What Terramate says\n\
Nothing.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
