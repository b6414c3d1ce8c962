//! `coerced-scalar`: an unquoted word that YAML reads as something else.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "coerced-scalar",
    severity: Severity::Warning,
    summary: "An unquoted word that YAML reads as something else",
    docs: "\
## What it does\n\
Reports an unquoted scalar in a field of text which YAML reads as a boolean, a number or null, so that\n\
the engine sees another text than the file shows.\n\
\n\
## Why is this bad?\n\
A manifest called `on` is called `true` for the engine, and one called `010` is called `8`. A quoted\n\
reference to it finds nothing.\n\
\n\
## Example\n\
```yaml\n\
- name: on\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
- name: \"on\"\n\
```\n\
\n\
## What the engines say\n\
Nothing: they see only the value.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
