//! `terramate/ref-tag-prefix`: path that looks like a tag filter.

use super::unknown_dependency::missing;
use crate::scope::{Directory, Missing, replace};
use applyorder_core::diagnostic::Severity;
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/ref-tag-prefix",
    severity: Severity::Warning,
    summary: "Path that looks like a tag filter",
    docs: include_str!("../../../../../docs/rules/terramate/ref-tag-prefix.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["unknown-dependency"],
};

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    for (node, entry, kind) in dir.missing() {
        let Missing::Tag(tag) = kind else { continue };
        let text = &*entry.text;
        let mut d = missing(&dir.scope, node, entry);
        d.rule = &RULE;
        d.message = format!("`{text}` is read as a path: tag filters start with `tag:`");
        d.fixes.insert(0, replace(d.place, &format!("tag:{tag}")));
        found.push(Finding::new(d));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    fn found(entry: &str) -> Vec<String> {
        let files = format!(
            "//- /w/a/s.tm\nstack {{\n  tags = [\"x\"]\n}}\n//- /w/b/s.tm\nstack {{\n  after = [\"{entry}\"]\n}}\n"
        );
        let checked = check(&RULE, &files);
        let found = checked.found();
        if !found.is_empty() {
            assert_eq!(
                checked.fixed(0),
                "//- /w/b/s.tm\nstack {\n  after = [\"tag:x\"]\n}\n"
            );
        }
        found
    }

    #[test]
    fn what_looks_like_a_filter_and_is_a_path() {
        for entry in ["Tag:x", " tag:x", ":tag:x", "x"] {
            assert_eq!(
                found(entry),
                [format!(
                    "/b/s.tm:2 \"{entry}\": `{entry}` is read as a path: tag filters start with `tag:`"
                )]
            );
        }
    }

    #[test]
    fn a_filter_and_a_path_that_is_not_a_tag_are_left_alone() {
        assert_eq!(found("tag:x"), [""; 0]);
        assert_eq!(found("y"), [""; 0]);
    }
}
