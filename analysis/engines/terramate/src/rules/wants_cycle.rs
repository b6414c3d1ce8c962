//! `terramate/wants-cycle`: cycle of `wants`.

use std::sync::Arc;

use crate::judge::{RUN, WANTS};
use crate::model::stacks::StackIx;
use crate::read::Attribute;
use crate::scope::{Scope, Whole, cycle_text};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Reaction, Safety, Severity};
use applyorder_core::engine::UnitIx;
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status, cycle};

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

pub(super) fn check(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    let scope = &whole.scope;
    let Some(path) = &scope.related.wants_cycle else {
        return;
    };
    let step = |pair: &[StackIx]| {
        let (from, to) = (*pair.first()?, *pair.last()?);
        let place = want(scope, from, to)?;
        let text = format!("`{}` wants `{}`", scope.stacks.path(from), scope.stacks.path(to));
        Some((place, text))
    };
    let steps: Vec<(Place, String)> = path.windows(2).filter_map(step).collect();
    let paths: Vec<Arc<str>> = path.iter().map(|s| scope.stacks.path(*s)).collect();
    let Some(d) = of_wants(&paths, &steps) else { return };
    let finding = scope.cycle_finding(path, d);
    let words = format!(
        "Stack selection clauses (wants/wanted_by) have cycles: {}",
        cycle_text(scope.stacks, path)
    );
    found.push(if scope.rejects_entries(false) {
        finding
    } else {
        finding.warned(RUN, WANTS).message_of(RUN, words)
    });
}

/// The entry by which one stack wants another.
fn want(scope: &Scope<'_>, from: StackIx, to: StackIx) -> Option<Place> {
    let entry = |stack: StackIx, attribute: Attribute, target: StackIx| {
        let node = scope.stacks.get(stack)?;
        let mut entries = scope.entries.of(stack).filter(|e| e.attribute == attribute);
        let entry = entries.find(|e| e.targets.contains(&UnitIx(target)))?;
        Some(scope.place(node, entry))
    };
    entry(from, Attribute::Wants, to).or_else(|| entry(to, Attribute::WantedBy, from))
}

/// Stacks that want each other: their paths in order, and the entries by which they do.
fn of_wants(paths: &[Arc<str>], steps: &[(Place, String)]) -> Option<Diagnostic> {
    let (place, _) = *steps.first().as_ref()?;
    // The last is the first again.
    let (_, ring) = paths.split_last()?;
    let message = cycle::title(ring, "wants itself");
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
        let [found] = &checked.found()[..] else {
            panic!("{:?}", checked.found())
        };
        assert!(
            found.ends_with(": `/a` wants itself, through `/b` and `/c`"),
            "{found}"
        );
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
