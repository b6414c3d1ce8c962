//! `invalid-value`: a value outside of what the field allows.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "invalid-value",
    severity: Severity::Error,
    summary: "A value outside of what the field allows",
    docs: "\
## What it does\n\
Reports a value of the right type that the engine does not accept: a word out of a fixed set misspelt, a\n\
pattern that does not compile, a reference in the wrong form.\n\
\n\
## Why is this bad?\n\
The engine rejects it.\n\
\n\
## Example\n\
```yaml\n\
type: Kustomize\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
type: kustomize\n\
```\n\
\n\
## What the engines say\n\
They reject it. The finding names the stage.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
