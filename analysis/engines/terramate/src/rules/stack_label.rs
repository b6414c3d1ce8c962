//! `terramate/stack-label`: a label on a stack block.

use applyorder_core::diagnostic::Severity;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/stack-label",
    severity: Severity::Warning,
    summary: "A label on a stack block",
    docs: "\
## What it does\n\
Reports labels on a `stack` block.\n\
\n\
## Why is this bad?\n\
The label does nothing; a stack's name is its attribute `name`, and its identity its directory.\n\
\n\
## Example\n\
```hcl\n\
stack \"vpc\" {\n\
}\n\
```\n\
\n\
## Use instead\n\
```hcl\n\
stack {\n\
\x20 name = \"vpc\"\n\
}\n\
```\n\
\n\
## What Terramate says\n\
Nothing: the label is accepted and ignored.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn the_label_can_go() {
        let checked = check(&RULE, "//- /w/a/s.tm\nstack \"vpc\" {\n}\n");
        assert_eq!(
            checked.found(),
            ["/a/s.tm:1 \"vpc\": the label of a stack block has no effect"]
        );
        assert_eq!(checked.fixed(0).trim_end(), "//- /w/a/s.tm\nstack  {\n}");
        assert_eq!(check(&RULE, "//- /w/a/s.tm\nstack {\n}\n").found(), [""; 0]);
    }
}
