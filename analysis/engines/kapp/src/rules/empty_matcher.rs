//! `kapp/empty-matcher`: a matcher without a known field.

use super::rejected;
use super::scope::Source;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/empty-matcher",
    severity: Severity::Error,
    summary: "A matcher without a known field",
    docs: include_str!("../../../../../docs/rules/kapp/empty-matcher.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["unknown-field"],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, config) in source.configs() {
        for place in &config.empty_matchers {
            let d = Diagnostic::new(
                &RULE,
                source.at(item, *place),
                "no known matcher is set here: kapp crashes",
            )
            .note("a matcher without fields is written with braces: `allMatcher: {}`");
            found.push(rejected(d, "crash", ""));
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
            Severity::Error,
            "\
apiVersion: kapp.k14s.io/v1alpha1
kind: Config
changeRuleBindings:
- rules: [upsert after upserting g]
  resourceMatchers: [{allMatcher: }]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations: {}
",
            &["{allMatcher: }"],
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
