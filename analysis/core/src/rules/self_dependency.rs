//! `self-dependency`: a unit that waits for itself.

use super::{Rule, Status};
use crate::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use crate::engine::{Dependency, Unit};

/// The rule.
pub static RULE: Rule = Rule {
    id: "self-dependency",
    severity: Severity::Error,
    summary: "A unit that waits for itself",
    docs: "\
## What it does\n\
Reports a dependency that means the unit it is written in, by its name, by a path, or because a tag, a group\n\
or a directory stands for it too.\n\
\n\
## Why is this bad?\n\
The unit can never start.\n\
\n\
## Example\n\
```yaml\n\
- name: app\n\
  dependsOn: [app]\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
- name: app\n\
```\n\
\n\
## What the engines say\n\
Tazuna names the manifest; Terramate and kapp report a cycle of one.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["cycle", "duplicate-dependency", "redundant-dependency"],
};

/// The finding for a dependency of `unit` that means itself.
#[must_use]
pub fn diagnostic(unit_word: &str, unit: &Unit, written: &Dependency) -> Diagnostic {
    Diagnostic::new(
        &RULE,
        written.place,
        format!("{unit_word} `{}` depends on itself", unit.name),
    )
    .related(
        unit.name_place.unwrap_or(unit.header),
        format!("`{}` is declared here", unit.name),
    )
    .unit(unit.name.clone())
    .fix(
        "remove the entry",
        Safety::Unsafe,
        vec![FixStep::RemoveEntry(written.place)],
    )
}
