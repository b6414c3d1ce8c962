//! `kapp/items-swallowed`: an object disappears because it has `items`.

use super::scope::Source;
use crate::read::ProblemKind;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/items-swallowed",
    severity: Severity::Warning,
    summary: "Object read as a list because of `items`",
    docs: include_str!("../../../../../docs/rules/kapp/items-swallowed.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let problems = source.problems();
    for (place, problem) in problems.filter(|(_, p)| p.kind == ProblemKind::ItemsSwallowed) {
        let kind = &problem.text.value;
        let text = format!("kapp reads this {kind} as a list: only its `items` are applied");
        let d = Diagnostic::new(&RULE, place, text);
        found.push(Finding::new(d));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;
    use applyorder_core::diagnostic::Severity;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        speaks(
            &RULE,
            Severity::Warning,
            "\
apiVersion: e.com/v1
kind: Menu
metadata: {name: m}
items: []
",
            &["items"],
            "\
apiVersion: e.com/v1
kind: Menu
metadata: {name: m}
items: {}
",
        );
    }
}
