//! `kapp/not-used-by-delete`: a rule that `kapp delete` ignores.

use super::scope::{Project, Source};
use crate::grammar::Op;
use crate::model::uses::RuleUse;
use rustc_hash::FxHashSet;

use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/not-used-by-delete",
    severity: Severity::Info,
    summary: "Rule that `kapp delete` ignores",
    docs: include_str!("../../../../../docs/rules/kapp/not-used-by-delete.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

const NOTE: &str = "it applies when a deploy removes the resources, not when the app is deleted";

fn is_for_deletion(rule: &RuleUse) -> bool {
    rule.action == Op::Delete && rule.target == Op::Delete
}

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let mut seen = FxHashSet::default();
    for written in source.written_rules() {
        if !is_for_deletion(written.rule) || !source.is_of_configs(&written) {
            continue;
        }
        let place = source.group_place(&written);
        if seen.insert(place) {
            let text = "`kapp delete` ignores this group: only a Config adds members";
            found.push(Finding::new(Diagnostic::new(&RULE, place, text).note(NOTE)));
        }
    }
}

/// The rules of Configs.
pub(super) fn check_configs(project: &Project<'_>, found: &mut Vec<Finding>) {
    if project.model.bindings.configs.is_empty() {
        return;
    }
    let mut seen = FxHashSet::default();
    for unit in project.units() {
        for rule in unit.own.config_rules().filter(|rule| is_for_deletion(rule)) {
            if !seen.insert(rule.source) {
                continue;
            }
            let Some(place) = project.group_place(unit.change, rule.source) else {
                continue;
            };
            let text = "`kapp delete` ignores Config rules";
            found.push(Finding::new(Diagnostic::new(&RULE, place, text).note(NOTE)));
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
            Severity::Info,
            "\
apiVersion: kapp.k14s.io/v1alpha1
kind: Config
changeRuleBindings:
- rules: [delete after deleting g]
  resourceMatchers: [{allMatcher: {}}]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations: {}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: n
  annotations: {kapp.k14s.io/change-group: g}
",
            &["g"],
            "\
apiVersion: kapp.k14s.io/v1alpha1
kind: Config
changeRuleBindings:
- rules: [upsert after upserting g]
  resourceMatchers: [{allMatcher: {}}]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations: {}
",
        );
    }
}
