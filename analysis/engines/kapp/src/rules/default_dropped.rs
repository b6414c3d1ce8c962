//! `kapp/default-dropped`: a rule made kapp leave out default edges.

use std::collections::BTreeMap;

use crate::resolve::uses::Source;
use crate::resolve::{Operation, View};
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::graph::NodeId;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/default-dropped",
    severity: Severity::Info,
    summary: "A rule made kapp leave out default edges",
    docs: include_str!("../../../../../docs/rules/kapp/default-dropped.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// How many edges are explained.
const MOST: usize = 50;

/// One finding per written rule that made kapp leave out edges of its default rules.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    let mut found = of(view, view.deploy, "on deploy");
    found.extend(of(view, view.delete, "on delete"));
    found
}

fn of(view: &View<'_>, operation: &Operation, when: &str) -> Vec<Diagnostic> {
    let name = |unit: u32| view.variant.units.get(unit as usize).map_or("", |u| &u.name);
    let mut by_rule: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for left in operation.built.left_out.iter().take(MOST) {
        let Source::Default(binding, number) = left.rule else {
            continue;
        };
        let Some(path) = operation
            .built
            .graph
            .shortest_path(NodeId(left.to), NodeId(left.from))
        else {
            continue;
        };
        let written = path
            .edges()
            .iter()
            .filter_map(|e| operation.built.graph.edge(*e)?.kind.dependency())
            .next();
        let Some(written) = written else { continue };
        let binding = view.defaults.rules.get(binding as usize);
        let rule = binding
            .and_then(|b| b.rules.get(number as usize))
            .copied()
            .unwrap_or("");
        by_rule.entry(written).or_default().push(format!(
            "`{}` does not wait for `{}` (`{rule}`)",
            name(left.from),
            name(left.to)
        ));
    }
    by_rule
        .into_iter()
        .filter_map(|(written, edges)| {
            let dependency = view.variant.dependencies.get(written as usize)?;
            let mut d = Diagnostic::new(
                &RULE,
                dependency.place,
                format!(
                    "because of this rule {when} kapp leaves out {} of its default edges",
                    edges.len()
                ),
            );
            d.notes.extend(edges.into_iter().take(5));
            Some(d)
        })
        .collect()
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
