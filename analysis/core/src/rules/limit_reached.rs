//! `limit-reached`: a limit of applyorder itself was reached.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "limit-reached",
    severity: Severity::Error,
    summary: "A limit of applyorder itself was reached",
    docs: "\
## What it does\n\
Says that a file is larger, deeper or costlier to read than applyorder's own limits allow: 64 MiB a file,\n\
200 levels, the expansion of aliases, the steps of an evaluation; or that it is in UTF-16, which it does not\n\
read.\n\
\n\
## Why is this bad?\n\
What lies beyond the limit was not analysed. The verdict is undecidable, never the engine's error.\n\
\n\
## Example\n\
A YAML file with ten thousand levels of nesting.\n\
\n\
## Use instead\n\
A smaller file.\n\
\n\
## What the engines say\n\
They have limits of their own, which are others.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
