//! `terramate/import-invalid`: invalid import.

use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/import-invalid",
    severity: Severity::Error,
    summary: "Invalid import",
    docs: include_str!("../../../../../docs/rules/terramate/import-invalid.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// An import that is rejected: why, for people and in Terramate's words.
pub(crate) fn found(place: Place, why: impl Into<String>, words: impl Into<String>) -> Diagnostic {
    Diagnostic::new(&RULE, place, why).engine_message(words)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    fn found(source: &str) -> Vec<String> {
        let files = "//- /w/x/globals.tm\nglobals {\n}\n//- /w/a/globals.tm\nglobals {\n}\n//- /w/b/s.tm\nstack {\n}\n";
        check(
            &RULE,
            &format!("//- /w/x/y/s.tm\nimport {{\n  source = {source}\n}}\n{files}"),
        )
        .found()
    }

    #[test]
    fn a_file_elsewhere_is_accepted() {
        assert_eq!(found("\"/a/globals.tm\""), [""; 0]);
        assert_eq!(found("\"../../a/*.tm\""), [""; 0]);
    }

    #[test]
    fn the_own_directory_and_those_above_are_not() {
        assert_eq!(
            found("\"s.tm\""),
            ["/x/y/s.tm:2 \"s.tm\": files in the same directory cannot be imported"]
        );
        assert_eq!(
            found("\"../globals.tm\""),
            ["/x/y/s.tm:2 \"../globals.tm\": files in a parent directory cannot be imported"]
        );
    }

    #[test]
    fn directories_are_compared_as_text() {
        let files =
            "//- /w/a-x/s.tm\nimport {\n  source = \"/a/globals.tm\"\n}\n//- /w/a/globals.tm\nglobals {\n}\n";
        assert_eq!(
            check(&RULE, files).found(),
            [
                "/a-x/s.tm:2 \"/a/globals.tm\": nothing in `/a` can be imported here: Terramate compares paths as text, and `/a-x` starts with `/a`"
            ]
        );
    }

    #[test]
    fn a_source_is_a_literal_that_leads_somewhere() {
        assert_eq!(
            found("\"/nope/*.tm\""),
            ["/x/y/s.tm:2 \"/nope/*.tm\": `/nope/*.tm` matches no file"]
        );
        assert_eq!(
            found("global.x"),
            ["/x/y/s.tm:2 global.x: expected a literal path, found an expression"]
        );
    }
}
