//! `tazuna/nested-include`: an included file includes files itself.

use crate::diagnostic::{Diagnostic, Place, Severity};
use crate::rules::{Rule, Status};

/// The rule.
pub(in crate::engines::tazuna) static RULE: Rule = Rule {
    id: "tazuna/nested-include",
    severity: Severity::Error,
    summary: "An included file includes files itself",
    docs: "\
## What it does\n\
Reports an include whose file has a group of includes of its own.\n\
\n\
## Why is this bad?\n\
Tazuna expands one level only and rejects a second one.\n\
\n\
## Example\n\
`tazuna.yaml`:\n\
```yaml\n\
- includes:\n\
\x20   - path: platform.yaml\n\
```\n\
and in `platform.yaml`:\n\
```yaml\n\
- includes:\n\
\x20   - path: network.yaml\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
- includes:\n\
\x20   - path: platform.yaml\n\
\x20   - path: network.yaml\n\
```\n\
in `tazuna.yaml`.\n\
\n\
## What Tazuna says\n\
`nested includes are not allowed in include file: platform.yaml`. The documentation says that nested includes are merely not expanded, which is not so.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The finding at the include of the root; `inner` are the includes of the included file.
pub(in crate::engines::tazuna) fn diagnostic(
    place: Place,
    file: &str,
    inner: &[(Place, &str)],
) -> Diagnostic {
    let mut d = Diagnostic::new(
        &RULE,
        place,
        format!("`{file}` has includes of its own, and Tazuna follows only one level"),
    );
    for (place, path) in inner {
        d = d.related(*place, format!("it includes `{path}`"));
    }
    d
}
