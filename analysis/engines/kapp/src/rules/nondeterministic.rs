//! `kapp/nondeterministic`: kapp's report varies between runs.

use super::scope::Project;
use crate::model::uses::Source;
use crate::relate::Operation;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/nondeterministic",
    severity: Severity::Info,
    summary: "Error that varies between runs",
    docs: include_str!("../../../../../docs/rules/kapp/nondeterministic.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(project: &Project<'_>, found: &mut Vec<Finding>) {
    let of_deploy = of(project, &project.related.deploy);
    if of_deploy.is_empty() {
        found.extend(of(project, &project.related.delete));
    }
    found.extend(of_deploy);
}

fn of(project: &Project<'_>, operation: &Operation) -> Vec<Finding> {
    let mut path = operation.built.cycle.clone().unwrap_or_default();
    path.sort_unstable();
    path.dedup();
    let findings = path.iter().filter_map(|unit| {
        let change = operation.changes.get(*unit as usize)?;
        let own = operation.uses.changes.get(*unit as usize)?;
        let rules = own
            .own_rules
            .iter()
            .filter(|r| r.action == change.op && matches!(r.source, Source::Annotation(_)));
        if rules.clone().count() < 2 {
            return None;
        }
        let (annotation, _) = project.own_text(change, rules.clone().next()?.source)?;
        Some(Finding::new(Diagnostic::new(
            &RULE,
            project.of_change(change, annotation.name.place),
            "the cycle that kapp reports varies between runs: the resource has several rules",
        )))
    });
    findings.collect()
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
  name: a
  annotations: {kapp.k14s.io/change-group: ga, kapp.k14s.io/change-rule: upsert after upserting gb, kapp.k14s.io/change-rule.2: upsert before upserting gb}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: b
  annotations: {kapp.k14s.io/change-group: gb}
",
            &["kapp.k14s.io/change-rule"],
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  annotations: {kapp.k14s.io/change-group: ga, kapp.k14s.io/change-rule: upsert after upserting gb}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: b
  annotations: {kapp.k14s.io/change-group: gb, kapp.k14s.io/change-rule: upsert after upserting ga}
",
        );
    }
}
