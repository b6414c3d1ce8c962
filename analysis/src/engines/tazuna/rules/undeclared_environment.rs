//! `tazuna/undeclared-environment`: an environment that the file does not declare.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Place, Severity};
use crate::rules::{Rule, Status, nearest};
use crate::syntax::template::quote;

/// The rule.
pub(in crate::engines::tazuna) static RULE: Rule = Rule {
    id: "tazuna/undeclared-environment",
    severity: Severity::Error,
    summary: "An environment that the file does not declare",
    docs: "\
## What it does\n\
Reports that the environment asked for (`--env`, or the setting of the editor) is no key of `spec.environments`.\n\
\n\
## Why is this bad?\n\
With `-e` and that name every command of Tazuna stops.\n\
\n\
## Example\n\
```yaml\n\
spec:\n\
\x20 environments:\n\
\x20   prod: {}\n\
```\n\
with `-e stage`.\n\
\n\
## Use instead\n\
```yaml\n\
spec:\n\
\x20 environments:\n\
\x20   prod: {}\n\
\x20   stage: {}\n\
```\n\
\n\
## What Tazuna says\n\
`environment \"stage\" is not declared under spec.environments`.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The finding at the key `environments`, or at the file.
pub(in crate::engines::tazuna) fn diagnostic(place: Place, name: &str, declared: &[Arc<str>]) -> Diagnostic {
    let mut d = Diagnostic::new(
        &RULE,
        place,
        format!("environment `{name}` is not declared under `spec.environments`"),
    )
    .engine_message(format!(
        "environment {} is not declared under spec.environments",
        quote(name)
    ));
    if let Some(near) = nearest(name, declared.iter().map(|d| &**d)) {
        d = d.note(format!("did you mean `{near}`?"));
    }
    d
}
