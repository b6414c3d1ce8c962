//! `unsupported-version`: the file wants another version of the engine.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "unsupported-version",
    severity: Severity::Warning,
    summary: "The file wants another version of the engine",
    docs: "\
## What it does\n\
Compares what a file demands of the engine's version with the version that is configured, and checks the\n\
form of the demand.\n\
\n\
## Why is this bad?\n\
The engine refuses to run.\n\
\n\
## Example\n\
```yaml\n\
spec:\n\
\x20 minimumSupportedTazunaVersion: \"9.0.0\"\n\
```\n\
\n\
## Use instead\n\
A version that is in use, or a newer engine.\n\
\n\
## What the engines say\n\
They reject it before anything else.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
