//! `unknown-field`: a key that the engine does not know.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "unknown-field",
    severity: Severity::Warning,
    summary: "A key that the engine does not know",
    docs: "\
## What it does\n\
Reports a key that matches no field of the engine's schema, with the nearest field that does.\n\
\n\
## Why is this bad?\n\
Most engines skip unknown keys without a word: `depends_on` instead of `dependsOn` leaves two things\n\
unordered that somebody meant to order.\n\
\n\
## Example\n\
```yaml\n\
- name: app\n\
\x20 depends_on: [cni]\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
- name: app\n\
\x20 dependsOn: [cni]\n\
```\n\
\n\
## What the engines say\n\
Tazuna and kapp ignore the key, Ankaios and Terramate reject it.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
