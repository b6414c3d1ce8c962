//! `terramate/stack-unreachable`: stack that is never loaded.

use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/stack-unreachable",
    severity: Severity::Warning,
    summary: "Stack that is never loaded",
    docs: include_str!("../../../../../docs/rules/terramate/stack-unreachable.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// A stack in a file that is not loaded; why, and the `.tmskip` because of which.
pub(crate) fn found(place: Place, why: &str, skip: Option<Place>) -> Diagnostic {
    let d = Diagnostic::new(&RULE, place, format!("stack is never loaded: {why}"));
    match skip {
        Some(skip) => d.related(skip, "skips this directory"),
        None => d,
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn where_terramate_does_not_look() {
        let checked = check(
            &RULE,
            "//- /w/.old/deep/stack.tm\nstack {\n}\n//- /w/.old/other.tm\nglobals {\n}\n\
             //- /w/off/.tmskip\n\n//- /w/off/stack.tm.hcl\nstack {\n}\n//- /w/off/x/s.tm\nstack {\n}\n\
             //- /w/a/stack.tm.json\n{\"stack\": {}}\n//- /w/a/globals.tm.json\n{\"globals\": {}}\n\
             //- /w/a/stack.tm\nstack {\n}\n//- /w/a/.terraform/stack.tm\nstack {\n}\n",
        );
        let never = "stack is never loaded:";
        assert_eq!(
            checked.found(),
            [
                format!("/.old/deep/stack.tm:1 stack: {never} `/.old` is skipped: hidden"),
                format!("/a/stack.tm.json:1 {{\"stack\": {{}}}}: {never} Terramate does not read JSON"),
                format!("/off/stack.tm.hcl:1 stack: {never} `/off` contains `.tmskip`"),
                format!("/off/x/s.tm:1 stack: {never} `/off` contains `.tmskip`"),
            ]
        );
    }
}
