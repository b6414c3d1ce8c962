//! `kapp/no-matchers`: a binding that applies to nothing.

use crate::resolve::View;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/no-matchers",
    severity: Severity::Warning,
    summary: "A binding that applies to nothing",
    docs: include_str!("../../../../../docs/rules/kapp/no-matchers.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// One finding per binding without matchers.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (item, config) in view.configs() {
        let groups = config.groups.iter().map(|g| (g.place, g.matchers.is_empty()));
        let rules = config.rules.iter().map(|r| (r.place, r.matchers.is_empty()));
        for (place, empty) in groups.chain(rules) {
            if empty {
                let text = "this binding has no `resourceMatchers` and never applies";
                found.push(
                    Diagnostic::new(&RULE, view.at(item, place), text)
                        .note("`resourceMatchers: [{allMatcher: {}}]` applies to everything"),
                );
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
            Severity::Warning,
            "\
apiVersion: kapp.k14s.io/v1alpha1
kind: Config
changeGroupBindings: [{name: g}]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations: {}
",
            &["{name: g}"],
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
