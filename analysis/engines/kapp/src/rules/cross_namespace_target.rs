//! `kapp/cross-namespace-target`: a rule matches members of other namespaces only.

use super::scope::Source;
use crate::defaults::PREFIX;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/cross-namespace-target",
    severity: Severity::Hint,
    summary: "Rule that matches only members in other namespaces",
    docs: include_str!("../../../../../docs/rules/kapp/cross-namespace-target.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for written in source.written_rules() {
        let name = source.group_name(written.rule.group);
        if !written.text.placeholders.is_empty() || name.starts_with(PREFIX) {
            continue;
        }
        let elsewhere = source.elsewhere(&written);
        if elsewhere.is_empty() {
            continue;
        }
        let mut d = Diagnostic::new(
            &RULE,
            source.group_place(&written),
            format!(
                "change group `{name}` has no members in namespace `{}`",
                written.unit.change.namespace
            ),
        )
        .note("`{namespace}` in the name of the group, on both sides, separates namespaces");
        for unit in elsewhere {
            d = d.related(unit.place, format!("`{}`", unit.name));
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
  name: m
  namespace: one
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
apiVersion: v1
kind: ConfigMap
metadata:
  name: member
  annotations: {kapp.k14s.io/change-group: g}
",
        );
    }
}
