//! `tazuna/include-path-empty`: an include without a path.

use crate::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use crate::rules::{Rule, Status};

/// The rule.
pub(in crate::engines::tazuna) static RULE: Rule = Rule {
    id: "tazuna/include-path-empty",
    severity: Severity::Error,
    summary: "An include without a path",
    docs: "\
## What it does\n\
Reports an entry of `includes` whose `path` is absent or empty.\n\
\n\
## Why is this bad?\n\
Tazuna rejects the file.\n\
\n\
## Example\n\
```yaml\n\
- includes:\n\
\x20   - path:\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
- includes:\n\
\x20   - path: infra.yaml\n\
```\n\
\n\
## What Tazuna says\n\
`include[0].path is required`, from both `check` and `apply`.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["missing-field"],
};

/// The finding at the include.
pub(in crate::engines::tazuna) fn diagnostic(place: Place) -> Diagnostic {
    Diagnostic::new(&RULE, place, "this include has no `path`").fix(
        "remove the entry",
        Safety::Unsafe,
        vec![FixStep::RemoveEntry(place)],
    )
}
