//! `kapp/no-matchers`: a binding that applies to nothing.

use super::scope::Source;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/no-matchers",
    severity: Severity::Warning,
    summary: "Binding without matchers",
    docs: include_str!("../../../../../docs/rules/kapp/no-matchers.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, config) in source.configs() {
        let groups = config.groups.iter().map(|g| (g.place, g.matchers.is_empty()));
        let rules = config.rules.iter().map(|r| (r.place, r.matchers.is_empty()));
        for (place, _) in groups.chain(rules).filter(|(_, empty)| *empty) {
            let text = "binding without `resourceMatchers` never applies";
            let d = Diagnostic::new(&RULE, source.at(item, place), text)
                .note("`resourceMatchers: [{allMatcher: {}}]` applies to everything");
            found.push(Finding::new(d));
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
