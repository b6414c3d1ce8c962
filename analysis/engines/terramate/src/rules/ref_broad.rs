//! `terramate/ref-broad`: an entry that means more stacks than it names.

use applyorder_core::diagnostic::Severity;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/ref-broad",
    severity: Severity::Info,
    summary: "An entry that means more stacks than it names",
    docs: include_str!("../../../../../docs/rules/terramate/ref-broad.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn stacks_below_a_match_are_named() {
        let checked = check(
            &RULE,
            "//- /w/n/stack.tm\nstack {\n  tags = [\"net\"]\n}\n//- /w/n/c/stack.tm\nstack {\n}\n\
             //- /w/a/stack.tm\nstack {\n  after = [\"tag:net\"]\n}\n",
        );
        assert_eq!(checked.found().len(), 1);
        assert_eq!(checked.related(), ["/n/c/stack.tm:1 stack"]);
    }
}
