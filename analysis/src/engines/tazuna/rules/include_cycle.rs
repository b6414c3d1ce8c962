//! `tazuna/include-cycle`: files that include each other.

use crate::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use crate::rules::{Rule, Status};

/// The rule.
pub(in crate::engines::tazuna) static RULE: Rule = Rule {
    id: "tazuna/include-cycle",
    severity: Severity::Error,
    summary: "Files that include each other",
    docs: "\
## What it does\n\
Reports an include that leads back to a file which is being included: a file that includes itself, or two that include each other.\n\
\n\
## Why is this bad?\n\
Tazuna follows one level of includes only and rejects the first file that has includes of its own, which is every file of such a circle.\n\
\n\
## Example\n\
```yaml\n\
# tazuna.yaml\n\
- includes:\n\
\x20   - path: tazuna.yaml\n\
```\n\
\n\
## Use instead\n\
Remove the include that leads back.\n\
\n\
## What Tazuna says\n\
`nested includes are not allowed in include file: tazuna.yaml`: it does not say that there is a circle.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["tazuna/nested-include"],
};

/// The finding at the include of the root; `hops` are the includes that lead back, in order.
pub(in crate::engines::tazuna) fn diagnostic(
    place: Place,
    file: &str,
    hops: &[(Place, String)],
) -> Diagnostic {
    let mut d = Diagnostic::new(
        &RULE,
        place,
        format!("the include of `{file}` leads back to a file on its way"),
    );
    for (place, text) in hops {
        d = d.related(*place, text.clone());
    }
    d.fix(
        "remove the include",
        Safety::Unsafe,
        vec![FixStep::RemoveEntry(place)],
    )
}
