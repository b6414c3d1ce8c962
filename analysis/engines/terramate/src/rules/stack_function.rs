//! `terramate/stack-function`: unknown function, or call that fails.

use super::evaluation;
use crate::problems::{Fault, Problem};
use crate::scope::{Directory, InFile};
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};
use applyorder_syntax::hcl::eval::EvalErrorKind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/stack-function",
    severity: Severity::Error,
    summary: "Unknown function, or call that fails",
    docs: include_str!("../../../../../docs/rules/terramate/stack-function.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell_of_files(found, worded);
}

pub(super) fn worded(problem: &Problem, file: InFile) -> Option<Diagnostic> {
    match problem.fault {
        Fault::Evaluation {
            kind: EvalErrorKind::Function | EvalErrorKind::Call,
            ..
        } => evaluation(&RULE, problem, file),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn the_prefix_is_offered() {
        let files = "//- /w/a/s.tm\nstack {\n  after = concat([], [])\n}\n";
        let checked = check(&RULE, files);
        let found = checked.found();
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("/a/s.tm:2 concat: "), "{found:?}");
        assert_eq!(
            checked.fixed(0),
            "//- /w/a/s.tm\nstack {\n  after = tm_concat([], [])\n}\n"
        );
    }

    #[test]
    fn a_call_that_fails_is_one_too() {
        let found = check(
            &RULE,
            "//- /w/a/s.tm\nstack {\n  name = tm_jsondecode(\"[\")\n}\n",
        )
        .found();
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("/a/s.tm:2 "), "{found:?}");
    }

    #[test]
    fn functions_of_terramate_alone_are_known() {
        let files = "//- /w/a/s.tm\nstack {\n  tags = tm_ternary(true, [tm_slug(\"A b\")], tm_nope())\n}\n";
        assert_eq!(check(&RULE, files).found(), [""; 0]);
    }
}
