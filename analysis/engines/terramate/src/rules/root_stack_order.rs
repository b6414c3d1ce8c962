//! `terramate/root-stack-order`: a stack at the root of the project runs in no special place.

use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/root-stack-order",
    severity: Severity::Info,
    summary: "A stack at the root of the project runs in no special place",
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
        "the stack at the root has no implicit order: it runs beside the stacks below it",
    )
    .note("Terramate says nothing")
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
                "/stack.tm:1 stack: the stack at the root has no implicit order: it runs beside the stacks below it"
            ]
        );
        assert_eq!(check(&RULE, "//- /w/stack.tm\nstack {\n}\n").found(), [""; 0]);
    }
}
