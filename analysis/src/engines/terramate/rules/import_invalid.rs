//! `terramate/import-invalid`: an import that Terramate does not accept.

use crate::diagnostic::Severity;
use crate::rules::{Rule, Status};

/// The rule.
pub(in crate::engines::terramate) static RULE: Rule = Rule {
    id: "terramate/import-invalid",
    severity: Severity::Error,
    summary: "An import that Terramate does not accept",
    docs: "\
## What it does\n\
Checks imports: the source must be a literal path that leads to files in the project, not in the own directory nor in one that the importing directory lies in, and no file may be imported twice in one chain. Terramate compares directories as text, so that `/stacks-dev/x` may not import `/stacks/y.tm` either.\n\
\n\
## Why is this bad?\n\
Terramate does not load the project.\n\
\n\
## Example\n\
```hcl\n\
import {\n\
\x20 source = \"./globals.tm\"\n\
}\n\
```\n\
\n\
## Use instead\n\
```hcl\n\
import {\n\
\x20 source = \"/modules/globals.tm\"\n\
}\n\
```\n\
\n\
## What Terramate says\n\
It rejects the import while loading.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
