//! `kapp/input-order-decides`: the order of the files decides which of two optional edges is kept.

use super::scope::Project;
use crate::model::uses::Source;
use rustc_hash::FxHashSet;

use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::graph::{Direction, NodeId};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/input-order-decides",
    severity: Severity::Warning,
    summary: "Order that depends only on the order of the files",
    docs: include_str!("../../../../../docs/rules/kapp/input-order-decides.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(project: &Project<'_>, found: &mut Vec<Finding>) {
    let mut seen = FxHashSet::default();
    let related = project.related;
    for operation in std::iter::once(&related.deploy).chain(&related.removal) {
        for left in &operation.built.dropped {
            let Source::Config(..) = left.rule else { continue };
            let graph = operation.graph();
            let weight = |unit: u32| {
                let uses = operation.uses.changes.get(unit as usize)?;
                uses.rules().find(|r| r.source == left.rule).map(|r| r.weight)
            };
            // The opposite edge exists, and has the same weight.
            let opposite = graph.links(NodeId(left.to), Direction::Dependencies).any(|link| {
                link.node == NodeId(left.from)
                    && graph.edge(link.edge).map(|e| e.weight) == weight(left.owner)
            });
            if !opposite || !seen.insert(left.rule) {
                continue;
            }
            let Some((item, text)) = project.config_rule(left.rule) else {
                continue;
            };
            let d = Diagnostic::new(
                &RULE,
                project.at(item, text.place),
                format!(
                    "`{}` waits for `{}` only because of input order",
                    project.name(left.to),
                    project.name(left.from)
                ),
            )
            .note(
                "this optional rule orders members of a group against each other; kapp keeps the edge that it sees first",
            );
            found.push(Finding::new(d));
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
            Severity::Warning,
            "\
apiVersion: kapp.k14s.io/v1alpha1
kind: Config
changeGroupBindings: [{name: g, resourceMatchers: [{allMatcher: {}}]}]
changeRuleBindings: [{rules: [upsert after upserting g], ignoreIfCyclical: true, resourceMatchers: [{allMatcher: {}}]}]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  annotations: {}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: b
  annotations: {}
",
            &["upsert after upserting g"],
            "\
apiVersion: kapp.k14s.io/v1alpha1
kind: Config
changeGroupBindings: [{name: g, resourceMatchers: [{allMatcher: {}}]}]
changeRuleBindings: [{rules: [upsert after upserting g], ignoreIfCyclical: true, resourceMatchers: [{allMatcher: {}}]}]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  annotations: {}
",
        );
    }
}
