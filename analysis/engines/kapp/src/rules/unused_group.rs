//! `kapp/unused-group`: a change group that no rule refers to.

use rustc_hash::FxHashSet;

use super::own_text;
use crate::resolve::View;
use crate::resolve::uses::Source;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/unused-group",
    severity: Severity::Hint,
    summary: "A change group that no rule refers to",
    docs: include_str!("../../../../../docs/rules/kapp/unused-group.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// One hint per group of an annotation that no rule names.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    if view.open {
        return Vec::new();
    }
    let uses = &view.deploy.uses;
    let used: FxHashSet<u32> = uses
        .changes
        .iter()
        .flat_map(|own| own.rules.iter().map(|rule| rule.group))
        .collect();
    let mut found = Vec::new();
    for (change, own) in view.deploy.changes.iter().zip(&uses.changes) {
        for group in own.groups.iter().filter(|g| !used.contains(&g.group)) {
            let Source::Annotation(_) = group.source else {
                continue;
            };
            let Some((annotation, text)) = own_text(view, change, group.source) else {
                continue;
            };
            found.push(
                Diagnostic::new(
                    &RULE,
                    view.of_change(change, text.place),
                    format!("no rule refers to the change group `{}`", uses.name(group.group)),
                )
                .fix(
                    "remove the group",
                    Safety::Safe,
                    vec![FixStep::RemoveKey(view.of_change(change, annotation.name.place))],
                ),
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
            Severity::Hint,
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: member
  annotations: {kapp.k14s.io/change-group: g}
",
            &["g"],
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: member
  annotations: {kapp.k14s.io/change-group: g}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: owner
  annotations: {kapp.k14s.io/change-rule: upsert after upserting g}
",
        );
    }
}
