//! `terramate/exponential-run`: a subset of the stacks takes exponentially long to order.

use crate::diagnostic::Severity;
use crate::rules::{Rule, Status};

/// The rule.
pub(in crate::engines::terramate) static RULE: Rule = Rule {
    id: "terramate/exponential-run",
    severity: Severity::Warning,
    summary: "A subset of the stacks takes exponentially long to order",
    docs: "\
## What it does\n\
Counts the paths through `before` and `after`. Terramate walks every path when it reduces the graph to the selected stacks.\n\
\n\
## Why is this bad?\n\
A run with `--tags`, `--changed` or in a directory hangs, although the order of the whole project is quick.\n\
\n\
## Example\n\
```hcl\n\
# ten layers of ten stacks, each after all of the layer before\n\
```\n\
\n\
## Use instead\n\
Tag or directory entries towards one stack per layer (\"barrier\" stacks).\n\
\n\
## What Terramate says\n\
Nothing; it takes minutes or hours.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
