//! `duplicate-name`: two units of one name.

use super::{Rule, Status};
use crate::diagnostic::{Diagnostic, Severity};
use crate::engine::Unit;

/// The rule.
pub static RULE: Rule = Rule {
    id: "duplicate-name",
    severity: Severity::Error,
    summary: "Two units have the same name",
    docs: "\
## What it does\n\
Reports every unit whose name, id or identity an earlier unit of the project has already.\n\
\n\
## Why is this bad?\n\
A dependency on the name could mean either. The engine rejects it, or takes the last one.\n\
\n\
## Example\n\
```yaml\n\
- name: app\n\
  path: ./app\n\
- name: app\n\
  path: ./worker\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
- name: app\n\
  path: ./app\n\
- name: worker\n\
  path: ./worker\n\
```\n\
\n\
## What the engines say\n\
They reject it, some of them only in some of their commands; the finding says in which. Ankaios notices it\n\
inside one file only, and lets the later file win.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The finding at `later`, whose name `first` has already.
#[must_use]
pub fn diagnostic(unit_word: &str, later: &Unit, first: &Unit) -> Diagnostic {
    Diagnostic::new(
        &RULE,
        later.name_place.unwrap_or(later.header),
        format!("{unit_word} name `{}` is taken already", later.name),
    )
    .related(
        first.name_place.unwrap_or(first.header),
        format!("the first `{}`", first.name),
    )
    .unit(later.name.clone())
}
