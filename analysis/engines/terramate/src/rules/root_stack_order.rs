//! `terramate/root-stack-order`: stack at the project root without an implicit order.

use crate::scope::Directory;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
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

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    let Some(header) = dir.header().filter(|_| &*dir.dir.path == "/") else {
        return;
    };
    if dir.scope.stacks.len() > 1 {
        let message = "the root stack has no implicit order: it runs in parallel with nested stacks";
        found.push(Finding::new(Diagnostic::new(&RULE, header, message)));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn the_root_stack_runs_in_parallel_with_the_others() {
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
