//! `kapp/binding-unmatched`: a binding that matches no resource of the app.

use crate::resolve::View;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/binding-unmatched",
    severity: Severity::Hint,
    summary: "A binding that matches no resource of the app",
    docs: include_str!("../../../../../docs/rules/kapp/binding-unmatched.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// One hint per binding that matches nothing.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    if view.open {
        return Vec::new();
    }
    let uses = &view.deploy.uses;
    let mut found = Vec::new();
    for (c, (item, config)) in view.preparation.configs.iter().enumerate() {
        let (groups, rules) = (uses.matched_groups.get(c), uses.matched_rules.get(c));
        let matched =
            |table: Option<&Vec<bool>>, i: usize| table.and_then(|t| t.get(i)).copied().unwrap_or(true);
        let groups = config
            .groups
            .iter()
            .enumerate()
            .map(|(i, g)| (g.place, g.matchers.len(), matched(groups, i)));
        let rules = config
            .rules
            .iter()
            .enumerate()
            .map(|(i, r)| (r.place, r.matchers.len(), matched(rules, i)));
        for (place, matchers, matched) in groups.chain(rules) {
            if !matched && matchers > 0 && config.empty_matchers.is_empty() {
                let text = "this binding matches no resource of the app";
                found.push(Diagnostic::new(&RULE, view.at(*item, place), text));
            }
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
