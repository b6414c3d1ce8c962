//! `terramate/ref-tag-prefix`: looks like a tag, but is a path.

use crate::diagnostic::Severity;
use crate::rules::{Rule, Status};

/// The rule.
pub(in crate::engines::terramate) static RULE: Rule = Rule {
    id: "terramate/ref-tag-prefix",
    severity: Severity::Warning,
    summary: "Looks like a tag, but is a path",
    docs: "\
## What it does\n\
Reports entries that were meant as a tag filter and are read as a path: `Tag:x`, ` tag:x`, `:tag:x`, or the bare name of a tag.\n\
\n\
## Why is this bad?\n\
Terramate looks for a directory of that name.\n\
\n\
## Example\n\
```hcl\n\
stack {\n\
\x20 after = [\"Tag:network\"]\n\
}\n\
```\n\
\n\
## Use instead\n\
```hcl\n\
stack {\n\
\x20 after = [\"tag:network\"]\n\
}\n\
```\n\
\n\
## What Terramate says\n\
A warning about an invalid path, if at all.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["unknown-dependency"],
};
