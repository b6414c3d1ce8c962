//! `kapp/list-item`: an entry of a list that kapp rejects.

use super::scope::Source;
use crate::model::error::What;
use crate::read::ProblemKind;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/list-item",
    severity: Severity::Error,
    summary: "Invalid entry of a list of resources",
    docs: include_str!("../../../../../docs/rules/kapp/list-item.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["missing-field"],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (place, problem) in source.problems() {
        let (text, stage, what) = match problem.kind {
            ProblemKind::NestedList => ("nested lists are not expanded", "prepare", What::MissingFields),
            ProblemKind::ItemNotAnObject => (
                "invalid entry of `items`: expected an object",
                "load",
                What::Syntax,
            ),
            _ => continue,
        };
        found.push(source.rejected(Diagnostic::new(&RULE, place, text), stage, what, None));
    }
    for (item, r) in source.notable() {
        if r.item.is_some() && r.kind.value.is_empty() && r.kind.place.is_none() && r.config.is_none() {
            let text = "missing field `kind`: it is not inherited from the list";
            let d = Diagnostic::new(&RULE, source.at(item, r.header), text);
            found.push(source.rejected(d, "prepare", What::MissingFields, Some(item)));
        }
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
