//! `terramate/wants-cycle`: cycle of `wants`.

use std::sync::Arc;

use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Reaction, Safety, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/wants-cycle",
    severity: Severity::Warning,
    summary: "Cycle of `wants`",
    docs: include_str!("../../../../../docs/rules/terramate/wants-cycle.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// Stacks that want each other: their paths in order, and the entries by which they do.
pub(crate) fn found(paths: &[Arc<str>], steps: &[(Place, String)]) -> Option<Diagnostic> {
    let (place, _) = *steps.first().as_ref()?;
    let names: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
    let message = format!("cycle of `wants`: {}", names.join(" → "));
    let d = Diagnostic::new(&RULE, *place, message)
        .note("selecting one of them selects all")
        .reaction(Reaction::Warns)
        .fix(
            "remove the entry",
            Safety::Unsafe,
            vec![FixStep::RemoveEntry(*place)],
        );
    let related = |d: Diagnostic, (place, text): &(Place, String)| d.related(*place, text.clone());
    Some(steps.iter().fold(d, related))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn each_wish_has_its_place() {
        let checked = check(
            &RULE,
            "//- /w/a/stack.tm\nstack {\n  wants = [\"/b\"]\n}\n//- /w/b/stack.tm\nstack {\n  wanted_by = [\"/c\"]\n}\n\
             //- /w/c/stack.tm\nstack {\n  wanted_by = [\"/b\"]\n}\n",
        );
        assert_eq!(checked.found().len(), 1);
        assert_eq!(
            checked.related(),
            [
                "/a/stack.tm:2 \"/b\"",
                "/c/stack.tm:2 \"/b\"",
                "/b/stack.tm:2 \"/c\""
            ]
        );
    }
}
