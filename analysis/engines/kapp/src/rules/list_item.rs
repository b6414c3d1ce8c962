//! `kapp/list-item`: an entry of a list that kapp cannot take.

use crate::facts::ProblemKind;
use crate::resolve::View;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/list-item",
    severity: Severity::Error,
    summary: "An entry of a list that kapp cannot take",
    docs: include_str!("../../../../../docs/rules/kapp/list-item.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["missing-field"],
};

/// One finding per entry of a list that kapp cannot take.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (place, problem) in view.problems() {
        let (text, stage) = match problem.kind {
            ProblemKind::NestedList => ("a list in a list is not taken apart", "prepare"),
            ProblemKind::ItemNotAnObject => ("an entry of `items` is no object", "load"),
            _ => continue,
        };
        found.push(view.enforced(Diagnostic::new(&RULE, place, text), stage, None, None));
    }
    for item in view.notable() {
        let Some(r) = view.loaded.resource(item) else {
            continue;
        };
        if r.item.is_some() && r.kind.value.is_empty() && r.kind.place.is_none() && r.config.is_none() {
            let text = "an entry of a list inherits no `kind` and `apiVersion`";
            let d = Diagnostic::new(&RULE, view.at(item, r.header), text);
            found.push(view.enforced(d, "prepare", Some(item), None));
        }
    }
    found
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
            Severity::Error,
            "\
apiVersion: v1
kind: ConfigMapList
items:
- metadata: {name: a}
",
            &["metadata"],
            "\
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
",
        );
        speaks(
            &RULE,
            Severity::Error,
            "\
apiVersion: v1
kind: List
items: [x]
",
            &["x"],
            "\
apiVersion: v1
kind: List
items: []
",
        );
    }
}
