//! `terramate/tag-empty`: empty tag.

use crate::scope::Directory;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/tag-empty",
    severity: Severity::Warning,
    summary: "Empty tag",
    docs: include_str!("../../../../../docs/rules/terramate/tag-empty.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    for (_, place, _) in dir.tags().filter(|(.., tag)| tag.is_empty()) {
        let d = Diagnostic::new(&RULE, place, "empty tag: no filter can match it").fix(
            "remove the entry",
            Safety::Safe,
            vec![FixStep::RemoveEntry(place)],
        );
        found.push(Finding::new(d.unit(dir.dir.path.clone())));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn the_entry_can_go() {
        let checked = check(&RULE, "//- /w/a/s.tm\nstack {\n  tags = [\"x\", \"\"]\n}\n");
        assert_eq!(
            checked.found(),
            ["/a/s.tm:2 \"\": empty tag: no filter can match it"]
        );
        assert_eq!(checked.fixed(0), "//- /w/a/s.tm\nstack {\n  tags = [\"x\"]\n}\n");
    }
}
