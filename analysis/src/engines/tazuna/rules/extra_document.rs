//! `tazuna/extra-document`: only the first document of the file is read.

use crate::diagnostic::{Diagnostic, Place, Severity};
use crate::engines::tazuna::facts::Draft;
use crate::rules::{Rule, Status};

/// The rule.
pub(in crate::engines::tazuna) static RULE: Rule = Rule {
    id: "tazuna/extra-document",
    severity: Severity::Warning,
    summary: "Only the first document of the file is read",
    docs: "\
## What it does\n\
Reports content behind a second `---`.\n\
\n\
## Why is this bad?\n\
Tazuna reads the first document and does not even parse the rest. If the first one is empty, so is the configuration.\n\
\n\
## Example\n\
```yaml\n\
spec:\n\
\x20 manifests: []\n\
---\n\
spec:\n\
\x20 manifests:\n\
\x20   - name: app\n\
```\n\
\n\
## Use instead\n\
One document, or another file that is included.\n\
\n\
## What Tazuna says\n\
Nothing.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The finding at the second `---`.
pub(in crate::engines::tazuna) fn draft(place: Place, first_is_empty: bool) -> Draft {
    let text = if first_is_empty {
        "Tazuna reads the first document only, which is empty: everything from here on has no effect"
    } else {
        "Tazuna reads the first document only: everything from here on has no effect"
    };
    Draft::lint(Diagnostic::new(&RULE, place, text).note("Tazuna does not parse it and says nothing"))
}
