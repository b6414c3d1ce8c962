//! `kapp/unused-group`: a change group that no rule refers to.

use super::scope::Source;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/unused-group",
    severity: Severity::Hint,
    summary: "Unused change group",
    docs: include_str!("../../../../../docs/rules/kapp/unused-group.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for unit in source.units() {
        for group in unit.own.groups.iter().filter(|g| !source.is_used(g.group)) {
            let Some((annotation, text)) = source.own_text(&unit, group.source) else {
                continue;
            };
            let d = Diagnostic::new(
                &RULE,
                source.of_change(&unit, text.place),
                format!("unused change group `{}`", source.group_name(group.group)),
            );
            let key = source.of_change(&unit, annotation.name.place);
            // kapp rejects copies of a resource that differ.
            let safety = if source.is_repeated(unit.change.item) {
                Safety::Unsafe
            } else {
                Safety::Safe
            };
            found.push(Finding::new(d.fix(
                "remove the group",
                safety,
                vec![FixStep::RemoveKey(key)],
            )));
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
