//! `terramate/ref-glob`: glob pattern where only paths are read.

use super::unknown_dependency::missing;
use crate::scope::{Directory, Missing, replace};
use applyorder_core::diagnostic::Severity;
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/ref-glob",
    severity: Severity::Warning,
    summary: "Glob pattern where only paths are read",
    docs: include_str!("../../../../../docs/rules/terramate/ref-glob.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["unknown-dependency"],
};

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    for (node, entry, kind) in dir.missing() {
        let Missing::Glob = kind else { continue };
        let text = &*entry.text;
        let mut d = missing(&dir.scope, node, entry);
        d.rule = &RULE;
        d.message = format!("glob patterns are not supported: `{text}` is read as a literal path");
        let dir = text
            .split_once(['*', '?', '['])
            .and_then(|(dir, _)| dir.rsplit_once('/'));
        if let Some((dir, _)) = dir.filter(|(dir, _)| !dir.is_empty()) {
            d.fixes.insert(0, replace(d.place, dir));
        }
        found.push(Finding::new(d));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn the_directory_before_the_pattern_is_offered() {
        let files = "//- /w/s/a/s.tm\nstack {\n}\n//- /w/b/s.tm\nstack {\n  after = [\"/s/*\"]\n}\n";
        let checked = check(&RULE, files);
        assert_eq!(
            checked.found(),
            ["/b/s.tm:2 \"/s/*\": glob patterns are not supported: `/s/*` is read as a literal path"]
        );
        assert_eq!(
            checked.fixed(0),
            "//- /w/b/s.tm\nstack {\n  after = [\"/s\"]\n}\n"
        );
    }

    #[test]
    fn a_directory_of_that_name_is_a_path() {
        let files = "//- /w/s[1]/s.tm\nstack {\n}\n//- /w/b/s.tm\nstack {\n  after = [\"/s[1]\"]\n}\n";
        assert_eq!(check(&RULE, files).found(), [""; 0]);
    }
}
