//! `terramate/root-stack-order`: stack at the project root without an implicit order.

use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/root-stack-order",
    severity: Severity::Info,
    summary: "Stack at the project root without an implicit order",
    docs: include_str!("../../../../../docs/rules/terramate/root-stack-order.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The header of the stack at the root.
pub(crate) fn found(header: Place) -> Diagnostic {
    Diagnostic::new(
        &RULE,
        header,
        "the root stack has no implicit order: it runs in parallel with nested stacks",
    )
}

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
                "/stack.tm:1 stack: the root stack has no implicit order: it runs in parallel with nested stacks"
            ]
        );
        assert_eq!(check(&RULE, "//- /w/stack.tm\nstack {\n}\n").found(), [""; 0]);
    }
}
