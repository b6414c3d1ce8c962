//! `kapp/misplaced`: a group or rule where kapp does not look for it.

use super::scope::Source;
use crate::model::inputs::Item;
use crate::read::{ProblemKind, Text};
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/misplaced",
    severity: Severity::Warning,
    summary: "Change group or rule in the wrong place",
    docs: include_str!("../../../../../docs/rules/kapp/misplaced.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// What kapp does not read.
const NOTE: &str = "kapp reads only `metadata.annotations` of the resource itself";

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (place, problem) in source
        .problems()
        .filter(|(_, p)| p.kind == ProblemKind::InWrapper)
    {
        let text = format!(
            "`{}` is ignored: a list is replaced with its items",
            problem.text.value
        );
        found.push(Finding::new(Diagnostic::new(&RULE, place, text).note(NOTE)));
    }
    for (item, r) in source.notable() {
        for (key, where_) in &r.misplaced {
            found.push(finding(source, item, key, where_));
        }
        if r.config.is_some() {
            for annotation in r.all_annotations().iter().filter(|a| a.key.orders()) {
                let where_ = "a Config is not ordered";
                found.push(finding(source, item, &annotation.name, where_));
            }
        }
    }
}

fn finding(source: &Source<'_>, item: Item, key: &Text, where_: &str) -> Finding {
    let text = format!("`{}` is ignored: {where_}", key.value);
    Finding::new(Diagnostic::new(&RULE, source.at(item, key.place), text).note(NOTE))
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
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  labels: {kapp.k14s.io/change-group: g}
",
            &["kapp.k14s.io/change-group"],
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations: {kapp.k14s.io/change-group: g}
",
        );
    }
}
