//! `terramate/root-stack-order`: a stack at the root of the project runs in no special place.

use applyorder_core::diagnostic::Severity;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/root-stack-order",
    severity: Severity::Info,
    summary: "A stack at the root of the project runs in no special place",
    docs: "\
## What it does\n\
Says of a stack at the root that it has no implicit order against the others.\n\
\n\
## Why is this bad?\n\
Everywhere else a stack runs before the stacks below it; the root stack does not.\n\
\n\
## Example\n\
```hcl\n\
# in /\n\
stack {}\n\
```\n\
\n\
## Use instead\n\
An explicit order:\n\
```hcl\n\
stack {\n\
\x20 before = [\"/stacks\"]\n\
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
    fn the_root_stack_runs_beside_the_others() {
        let checked = check(
            &RULE,
            "//- /w/stack.tm\nstack {\n}\n//- /w/a/stack.tm\nstack {\n}\n",
        );
        assert_eq!(
            checked.found(),
            [
                "/stack.tm:1 stack: the stack at the root has no implicit order: it runs beside the stacks below it"
            ]
        );
        assert_eq!(check(&RULE, "//- /w/stack.tm\nstack {\n}\n").found(), [""; 0]);
    }
}
