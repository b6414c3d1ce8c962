//! `terramate/tag-empty`: an empty tag.

use applyorder_core::diagnostic::Severity;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/tag-empty",
    severity: Severity::Warning,
    summary: "An empty tag",
    docs: "\
## What it does\n\
Reports `\"\"` among the tags of a stack.\n\
\n\
## Why is this bad?\n\
It is accepted, and no filter can ever name it.\n\
\n\
## Example\n\
```hcl\n\
stack {\n\
\x20 tags = [\"\"]\n\
}\n\
```\n\
\n\
## Use instead\n\
```hcl\n\
stack {\n\
\x20 tags = []\n\
}\n\
```\n\
\n\
## What Terramate says\n\
Nothing.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn the_entry_can_go() {
        let checked = check(&RULE, "//- /w/a/s.tm\nstack {\n  tags = [\"x\", \"\"]\n}\n");
        assert_eq!(
            checked.found(),
            ["/a/s.tm:2 \"\": no filter can ever name an empty tag"]
        );
        assert_eq!(checked.fixed(0), "//- /w/a/s.tm\nstack {\n  tags = [\"x\"]\n}\n");
    }
}
