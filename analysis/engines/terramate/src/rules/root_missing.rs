//! `terramate/root-missing`: no root of a Terramate project.

use applyorder_core::diagnostic::Severity;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/root-missing",
    severity: Severity::Error,
    summary: "No root of a Terramate project",
    docs: include_str!("../../../../../docs/rules/terramate/root-missing.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::{check, check_bare};

    #[test]
    fn a_root_is_declared() {
        let checked = check_bare(&RULE, "//- /w/a/stack.tm\nstack {\n}\n");
        assert_eq!(checked.found().len(), 1);
        assert_eq!(
            checked.fixed(0),
            "//- /w/a/stack.tm\nterramate {\n  required_version = \">= 0.17.2\"\n}\n\nstack {\n}\n"
        );
        assert_eq!(check(&RULE, "//- /w/a/stack.tm\nstack {\n}\n").found(), [""; 0]);
    }
}
