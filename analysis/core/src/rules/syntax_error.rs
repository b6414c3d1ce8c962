//! `syntax-error`: the file cannot be read as what it is.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "syntax-error",
    severity: Severity::Error,
    summary: "The file cannot be read as what it is",
    docs: "\
## What it does\n\
Reports text that the engine's own parser rejects: YAML or HCL syntax, a template that does not parse or\n\
render, a byte that must not stand there.\n\
\n\
## Why is this bad?\n\
The engine stops before it looks at anything else. applyorder reads on: everything outside the broken\n\
place is still analysed, and what may have stood in the broken lines counts as unknown.\n\
\n\
## Example\n\
```yaml\n\
spec:\n\
\x20 manifests:\n\
\x20   - name: app\n\
\x20     dependsOn: [cni\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
spec:\n\
\x20 manifests:\n\
\x20   - name: app\n\
\x20     dependsOn: [cni]\n\
```\n\
\n\
## What the engines say\n\
All of them reject it, at their first stage.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
