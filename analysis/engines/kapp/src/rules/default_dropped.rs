//! `kapp/default-dropped`: a rule makes kapp drop default edges.

use std::collections::BTreeMap;

use super::scope::Project;
use crate::model::uses::Source;
use crate::relate::Operation;
use crate::relate::graph::Displaced;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/default-dropped",
    severity: Severity::Info,
    summary: "Rule that makes kapp drop default edges",
    docs: include_str!("../../../../../docs/rules/kapp/default-dropped.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(project: &Project<'_>, found: &mut Vec<Finding>) {
    of(project, &project.related.deploy, "on deploy", found);
    of(project, &project.related.delete, "on delete", found);
}

fn of(project: &Project<'_>, operation: &Operation, when: &str, found: &mut Vec<Finding>) {
    let mut by_rule: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for Displaced { left, written } in operation.built.displaced() {
        let Source::Default(binding, number) = left.rule else {
            continue;
        };
        let binding = project.model.bindings.defaults.rules.get(binding as usize);
        let rule = binding
            .and_then(|b| b.rules.get(number as usize))
            .copied()
            .unwrap_or("");
        by_rule.entry(*written).or_default().push(format!(
            "`{}` does not wait for `{}` (`{rule}`)",
            project.name(left.from),
            project.name(left.to)
        ));
    }
    for (written, edges) in by_rule {
        let variant = project.related.variant();
        let Some(dependency) = variant.dependencies.get(written as usize) else {
            continue;
        };
        let edges_in_words = match edges.len() {
            1 => "1 default edge".to_owned(),
            n => format!("{n} default edges"),
        };
        let mut d = Diagnostic::new(
            &RULE,
            dependency.place,
            format!("this rule makes kapp drop {edges_in_words} {when}"),
        );
        d.notes.extend(edges.into_iter().take(5));
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
            Severity::Info,
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations: {kapp.k14s.io/change-rule: upsert after upserting g}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: d
  annotations: {kapp.k14s.io/change-group: g}
",
            &["g"],
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations: {kapp.k14s.io/change-group: g}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: d
  annotations: {kapp.k14s.io/change-rule: upsert after upserting g}
",
        );
    }
}
