//! `kapp/weak-wait`: an awaited resource counts as done immediately.

use super::scope::Source;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/weak-wait",
    severity: Severity::Info,
    summary: "Dependency that does not wait until ready",
    docs: include_str!("../../../../../docs/rules/kapp/weak-wait.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for written in source.written_rules() {
        let weak = source.weak(&written);
        if weak.is_empty() {
            continue;
        }
        let mut d = Diagnostic::new(
            &RULE,
            source.group_place(&written),
            "dependents do not wait until this is ready",
        );
        for unit in weak {
            d = d.related(unit.place, format!("`{}` {}", unit.name, unit.why));
        }
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
  name: owner
  annotations: {kapp.k14s.io/change-rule: upsert after upserting g}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations: {kapp.k14s.io/change-group: g, kapp.k14s.io/disable-wait: ''}
",
            &["g"],
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
        );
        speaks(
            &RULE,
            Severity::Info,
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: owner
  annotations: {kapp.k14s.io/change-rule: upsert after upserting g}
---
apiVersion: batch/v1
kind: CronJob
metadata:
  name: c
  annotations: {kapp.k14s.io/change-group: g}
",
            &["g"],
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: owner
  annotations: {kapp.k14s.io/change-rule: upsert after upserting g}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: c
  annotations: {kapp.k14s.io/change-group: g}
",
        );
    }
}
