//! `wrong-type`: a value of another type than the field has.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "wrong-type",
    severity: Severity::Error,
    summary: "A value of another type than the field has",
    docs: "\
## What it does\n\
Reports a value that cannot be read as the field's type: a word where a list is wanted, a list where a\n\
word is, `\"true\"` where a boolean is.\n\
\n\
## Why is this bad?\n\
The engine cannot read the file.\n\
\n\
## Example\n\
```yaml\n\
dependsOn: cni\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
dependsOn: [cni]\n\
```\n\
\n\
## What the engines say\n\
They reject the file while decoding it, and most report only one such error at a time. kapp is silent\n\
about an annotation that is no string, and then sees none of the resource's annotations.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
