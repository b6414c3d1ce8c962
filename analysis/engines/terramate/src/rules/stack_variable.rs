//! `terramate/stack-variable`: variable in an attribute of a stack.

use applyorder_core::diagnostic::Severity;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/stack-variable",
    severity: Severity::Error,
    summary: "Variable in an attribute of a stack",
    docs: include_str!("../../../../../docs/rules/terramate/stack-variable.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn metadata_of_the_stack_can_be_written_out() {
        let checked = check(
            &RULE,
            "//- /w/a/b/stack.tm\nstack {\n  name = terramate.stack.path.basename\n}\n",
        );
        assert_eq!(checked.found().len(), 1);
        assert_eq!(
            checked.fixed(0),
            "//- /w/a/b/stack.tm\nstack {\n  name = \"b\"\n}\n"
        );
        let global = check(&RULE, "//- /w/a/stack.tm\nstack {\n  after = [global.first]\n}\n");
        assert_eq!(
            global.found(),
            ["/a/stack.tm:2 global.first: There is no variable named \"global\"."]
        );
    }
}
