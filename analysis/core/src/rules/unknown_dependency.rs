//! `unknown-dependency`: a reference that leads to nothing.

use super::{Rule, Status};
use crate::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use crate::engine::{Dependency, Unit};

/// The rule.
pub static RULE: Rule = Rule {
    id: "unknown-dependency",
    severity: Severity::Error,
    summary: "A dependency on something that does not exist",
    docs: "\
## What it does\n\
Reports a dependency that leads to nothing: a name that no unit has, a path without a unit, a group or tag\n\
without members. The nearest name that exists is offered.\n\
\n\
## Why is this bad?\n\
Where the engine rejects it, nothing runs. Where it does not, two things that were meant to be ordered are\n\
not.\n\
\n\
## Example\n\
```yaml\n\
- name: cert-manager\n\
- name: app\n\
  dependsOn: [certmanager]\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
- name: cert-manager\n\
- name: app\n\
  dependsOn: [cert-manager]\n\
```\n\
\n\
## What the engines say\n\
Tazuna rejects it. Terramate warns and goes on without it. kapp and Ankaios say nothing, and Ankaios then\n\
waits for ever.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["duplicate-dependency"],
};

/// The finding for a dependency of `unit` that leads to nothing. `known` are the names it could have meant.
#[must_use]
pub fn diagnostic(unit_word: &str, unit: &Unit, written: &Dependency, near: Option<&str>) -> Diagnostic {
    let message = if written.text.is_empty() {
        format!(
            "{unit_word} `{}` depends on a {unit_word} without a name",
            unit.name
        )
    } else {
        format!(
            "{unit_word} `{}` depends on `{}`, which does not exist",
            unit.name, written.text
        )
    };
    let mut d = Diagnostic::new(&RULE, written.place, message)
        .unit(unit.name.clone())
        .unit(written.text.clone());
    if let Some(near) = near {
        d = d.label(format!("did you mean `{near}`?")).fix(
            format!("replace by `{near}`"),
            Safety::Unsafe,
            vec![FixStep::SetValue(written.place, near.to_owned())],
        );
    }
    d.fix(
        "remove the entry",
        Safety::Unsafe,
        vec![FixStep::RemoveEntry(written.place)],
    )
}
