//! `kapp/input-order-decides`: which of two optional edges holds is decided by the order of the files.

use rustc_hash::FxHashSet;

use super::config_rule;
use crate::resolve::View;
use crate::resolve::uses::Source;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::graph::{Direction, NodeId};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/input-order-decides",
    severity: Severity::Warning,
    summary: "Which of two optional edges holds is decided by the order of the files",
    docs: include_str!("../../../../../docs/rules/kapp/input-order-decides.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// One finding per rule of a Config whose own edges exclude each other.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    let operations = std::iter::once(view.deploy).chain(view.removal);
    for operation in operations {
        let graph = &operation.built.graph;
        for left in &operation.built.left_out {
            let Source::Config(..) = left.rule else { continue };
            let weight = |unit: u32| {
                let uses = operation.uses.changes.get(unit as usize)?;
                uses.rules
                    .iter()
                    .find(|r| r.source == left.rule)
                    .map(|r| r.weight)
            };
            // The opposite edge is there, and weighs as much.
            let opposite = graph.links(NodeId(left.to), Direction::Dependencies).any(|link| {
                link.node == NodeId(left.from)
                    && graph.edge(link.edge).map(|e| e.weight) == weight(left.owner)
            });
            if !opposite || !seen.insert(left.rule) {
                continue;
            }
            let Some((item, text)) = config_rule(view, left.rule) else {
                continue;
            };
            let name = |unit: u32| view.variant.units.get(unit as usize).map_or("", |u| &u.name);
            found.push(
                Diagnostic::new(
                    &RULE,
                    view.at(item, text.place),
                    format!(
                        "the order of the input decides: `{}` waits for `{}` and not the other way round",
                        name(left.to),
                        name(left.from)
                    ),
                )
                .note("this optional rule relates members of a group to each other; kapp keeps what it meets first"),
            );
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
