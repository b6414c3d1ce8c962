//! `kapp/binding-unmatched`: a binding that matches no resource of the app.

use super::scope::Project;
use crate::matcher::unknown;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/binding-unmatched",
    severity: Severity::Hint,
    summary: "Binding that matches no resource",
    docs: include_str!("../../../../../docs/rules/kapp/binding-unmatched.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(project: &Project<'_>, found: &mut Vec<Finding>) {
    if project.model.is_open() {
        return;
    }
    let uses = &project.related.deploy.uses;
    for (c, in_force) in project.model.bindings.configs.iter().enumerate() {
        let config = &in_force.config;
        let rules = uses.matched_rules.get(c);
        let matched =
            |table: Option<&Vec<bool>>, i: usize| table.and_then(|t| t.get(i)).copied().unwrap_or(true);
        let groups = config.groups.iter().enumerate();
        let groups = groups.map(|(i, g)| (g.place, &g.matchers, matched(uses.matched_groups.get(c), i)));
        let rules_of = config.rules.iter().enumerate();
        let rules_of = rules_of.map(|(i, r)| (r.place, &r.matchers, matched(rules, i)));
        for (place, matchers, matched) in groups.chain(rules_of) {
            if !matched && !matchers.is_empty() && unknown(matchers).is_empty() {
                let text = "this binding matches no resource";
                found.push(Finding::new(Diagnostic::new(
                    &RULE,
                    project.at(in_force.item, place),
                    text,
                )));
            }
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
apiVersion: kapp.k14s.io/v1alpha1
kind: Config
changeRuleBindings:
- rules: [upsert after upserting g]
  resourceMatchers: [{apiVersionKindMatcher: {apiVersion: v1, kind: Secret}}]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations: {}
",
            &["rules: [upsert after upserting g]"],
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
