//! `kapp/no-delete-counterpart`: two groups are ordered when created and not when deleted.

use super::scope::Source;
use crate::grammar::Op;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/no-delete-counterpart",
    severity: Severity::Hint,
    summary: "Order for creation without one for deletion",
    docs: include_str!("../../../../../docs/rules/kapp/no-delete-counterpart.md"),
    since: "0.1.0",
    status: Status::Preview,
    replaces: &[],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    if !source.wants_counterparts() {
        return;
    }
    for written in source.written_rules() {
        let rule = written.rule;
        if rule.action != Op::Upsert || rule.target != Op::Upsert || source.orders_deletion(&written) {
            continue;
        }
        found.push(Finding::new(Diagnostic::new(
            &RULE,
            source.of_change(&written.unit, written.text.place),
            format!(
                "creation is ordered against change group `{}`, deletion is not",
                source.group_name(rule.group)
            ),
        )));
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
  name: owner
  annotations: {kapp.k14s.io/change-rule: upsert after upserting g}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: member
  annotations: {kapp.k14s.io/change-group: g}
",
            &["upsert after upserting g"],
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  annotations: {kapp.k14s.io/change-rule: upsert after upserting g, kapp.k14s.io/change-rule.2: delete before deleting g}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: member
  annotations: {kapp.k14s.io/change-group: g}
",
        );
    }
}
