//! `terramate/root-nested-config`: configuration of the root outside of the root.

use crate::diagnostic::Severity;
use crate::rules::{Rule, Status};

/// The rule.
pub(in crate::engines::terramate) static RULE: Rule = Rule {
    id: "terramate/root-nested-config",
    severity: Severity::Warning,
    summary: "Configuration of the root outside of the root",
    docs: "\
## What it does\n\
Reports `required_version` and other attributes of the root's `terramate` block in other directories.\n\
\n\
## Why is this bad?\n\
They have no effect there, and without version control the directory becomes a project of its own.\n\
\n\
## Example\n\
```hcl\n\
# in /stacks/terramate.tm.hcl\n\
terramate {\n\
\x20 required_version = \"> 0.14\"\n\
}\n\
```\n\
\n\
## Use instead\n\
The same in the root directory.\n\
\n\
## What Terramate says\n\
A warning on the terminal or in the log.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
