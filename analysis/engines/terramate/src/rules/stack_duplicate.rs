//! `terramate/stack-duplicate`: duplicate `stack` block in one directory.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/stack-duplicate",
    severity: Severity::Error,
    summary: "Duplicate `stack` block in one directory",
    docs: include_str!("../../../../../docs/rules/terramate/stack-duplicate.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// A second `stack` block of a directory, with the first one.
pub(crate) fn found(place: Place, block: Place, first: Place) -> Diagnostic {
    Diagnostic::new(&RULE, place, "duplicate `stack` block in this directory")
        .related(first, "first defined here")
        .engine_message(WORDS)
        .fix(
            "remove this block",
            Safety::Unsafe,
            vec![FixStep::RemoveBlock(block)],
        )
}

/// What Terramate says of it.
pub(crate) const WORDS: &str = "duplicated stack blocks across configs";

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn the_second_block_can_go() {
        let checked = check(
            &RULE,
            "//- /w/a/a.tm\nstack {\n}\n//- /w/a/b.tm\nstack {\n  name = \"b\"\n}\n# end\n",
        );
        assert_eq!(
            checked.found(),
            ["/a/b.tm:1 stack: duplicate `stack` block in this directory"]
        );
        assert_eq!(checked.related(), ["/a/a.tm:1 stack"]);
        assert_eq!(checked.fixed(0), "//- /w/a/b.tm\n# end\n");
    }

    #[test]
    fn two_blocks_become_one() {
        let files = "//- /w/a/a.tm\nstack {\n  tags = [\"x\"]\n}\n//- /w/a/b.tm\nstack {\n  id = \"b\"\n  tags = [\"x\", \"y\"]\n  after = [\"/b\"]\n}\n//- /w/b/s.tm\nstack {\n}\n";
        assert_eq!(
            check(&RULE, files).fixed(1),
            "//- /w/a/a.tm\nstack {\n  tags = [\"x\", \"y\"]\n  id = \"b\"\n  after = [\"/b\"]\n}\n//- /w/a/b.tm\n"
        );
        let contrary = files.replace("  tags = [\"x\"]", "  id = \"a\"");
        assert_eq!(check(&RULE, &contrary).fixes(), 1, "which id is the right one?");
        let more = files.replace("id = \"b\"", "description = \"b\"");
        assert_eq!(check(&RULE, &more).fixes(), 1, "nothing gets lost");
    }

    #[test]
    fn what_is_wrong_in_the_second_terramate_does_not_see() {
        let files = "//- /w/a/a.tm\nstack {\n}\n//- /w/a/b.tm\nstack {\n  foo {\n  }\n}\n";
        assert_eq!(
            check(&RULE, files).said(),
            ["duplicated stack blocks across configs"]
        );
    }
}
