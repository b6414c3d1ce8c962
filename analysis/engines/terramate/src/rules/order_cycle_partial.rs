//! `terramate/order-cycle-partial`: cycle that only some selections contain.

use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/order-cycle-partial",
    severity: Severity::Info,
    summary: "Cycle that only some selections contain",
    docs: include_str!("../../../../../docs/rules/terramate/order-cycle-partial.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// A cycle at a place that the run which the flags select does not contain.
pub(crate) fn not_selected(place: Place) -> Diagnostic {
    let message = "the selected run does not contain this cycle";
    Diagnostic::new(&RULE, place, message)
}

/// A cycle at a place that needs both a stack and one above it, each with its header.
pub(crate) fn of_nesting(
    place: Place,
    child: (&str, Option<Place>),
    parent: (&str, Option<Place>),
) -> Diagnostic {
    let message = format!(
        "occurs only if both `{}` and its parent `{}` are selected",
        child.0, parent.0
    );
    let mut d = Diagnostic::new(&RULE, place, message);
    for (header, text) in [(parent.1, "parent stack"), (child.1, "nested stack")] {
        if let Some(header) = header {
            d = d.related(header, text);
        }
    }
    d
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::{check, check_with};
    use applyorder_core::engine::RunOptions;

    #[test]
    fn a_cycle_that_needs_nesting() {
        let checked = check(
            &RULE,
            "//- /w/p/stack.tm\nstack {\n  after = [\"/p/c\"]\n}\n//- /w/p/c/stack.tm\nstack {\n}\n",
        );
        assert_eq!(
            checked.found(),
            ["/p/stack.tm:2 \"/p/c\": occurs only if both `/p/c` and its parent `/p` are selected"]
        );
        assert_eq!(
            checked.related(),
            ["/p/stack.tm:1 stack", "/p/c/stack.tm:1 stack"]
        );
    }

    const MUTUAL: &str = "//- /w/a/stack.tm\nstack {\n  after = [\"/b\"]\n}\n//- /w/b/stack.tm\nstack {\n  after = [\"/a\"]\n}\n\
         //- /w/z/stack.tm\nstack {\n}\n";

    #[test]
    fn a_cycle_of_written_edges_is_met_from_each_of_its_stacks() {
        assert_eq!(check(&RULE, MUTUAL).found(), [""; 0]);
    }

    #[test]
    fn a_cycle_that_the_selection_does_not_meet() {
        let options = RunOptions {
            cwd: Some("/w/z".into()),
            ..RunOptions::default()
        };
        assert_eq!(
            check_with(&RULE, MUTUAL, options).found(),
            ["/a/stack.tm:2 \"/b\": the selected run does not contain this cycle"]
        );
    }
}
