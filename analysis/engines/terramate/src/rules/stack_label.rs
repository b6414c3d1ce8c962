//! `terramate/stack-label`: label on a `stack` block.

use crate::problems::{Fault, Problem};
use crate::scope::{Directory, InFile};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/stack-label",
    severity: Severity::Warning,
    summary: "Label on a `stack` block",
    docs: include_str!("../../../../../docs/rules/terramate/stack-label.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell_of_files(found, worded);
}

pub(super) fn worded(problem: &Problem, file: InFile) -> Option<Diagnostic> {
    if problem.fault != Fault::StackLabel {
        return None;
    }
    let place = file.place(problem.at);
    let remove = vec![FixStep::Replace(place, String::new())];
    let d = Diagnostic::new(&RULE, place, "label of `stack` is ignored");
    Some(d.fix("remove the label", Safety::Safe, remove))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn the_label_can_go() {
        let checked = check(&RULE, "//- /w/a/s.tm\nstack \"vpc\" {\n}\n");
        assert_eq!(
            checked.found(),
            ["/a/s.tm:1 \"vpc\": label of `stack` is ignored"]
        );
        assert_eq!(checked.fixed(0).trim_end(), "//- /w/a/s.tm\nstack  {\n}");
        assert_eq!(check(&RULE, "//- /w/a/s.tm\nstack {\n}\n").found(), [""; 0]);
    }
}
