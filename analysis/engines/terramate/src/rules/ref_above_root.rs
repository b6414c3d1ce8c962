//! `terramate/ref-above-root`: a relative path that climbs above the project.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/ref-above-root",
    severity: Severity::Warning,
    summary: "A relative path that climbs above the project",
    docs: include_str!("../../../../../docs/rules/terramate/ref-above-root.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// An entry that is read as a project path, with headers of stacks that it means.
pub(crate) fn found(
    place: Place,
    entry: &str,
    path: &str,
    headers: impl Iterator<Item = Place>,
) -> Diagnostic {
    let message = format!("`{entry}` climbs above the root of the project, and is read as `{path}`");
    let d = Diagnostic::new(&RULE, place, message)
        .note("Terramate says nothing")
        .fix(
            format!("write `{path}`"),
            Safety::Unsafe,
            vec![FixStep::SetValue(place, path.to_owned())],
        );
    headers.fold(d, |d, header| d.related(header, "a stack that it means"))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn it_is_read_from_the_root() {
        let checked = check(
            &RULE,
            "//- /lib/x\n\n//- /w/lib/stack.tm\nstack {\n}\n//- /w/a/stack.tm\nstack {\n  after = [\"../../lib\"]$0\n}\n",
        );
        assert_eq!(
            checked.found(),
            [
                "/a/stack.tm:2 \"../../lib\": `../../lib` climbs above the root of the project, and is read as `/lib`"
            ]
        );
        assert_eq!(checked.related(), ["/lib/stack.tm:1 stack"]);
        assert_eq!(
            checked.fixed(0),
            "//- /w/a/stack.tm\nstack {\n  after = [\"/lib\"]\n}\n"
        );
    }
}
