//! `kapp/several-matchers`: a matcher with several fields.

use super::scope::Source;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/several-matchers",
    severity: Severity::Warning,
    summary: "Matcher with several fields",
    docs: include_str!("../../../../../docs/rules/kapp/several-matchers.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, config) in source.configs() {
        for (place, ignored, winner) in &config.several {
            let d = Diagnostic::new(
                &RULE,
                source.at(item, *place),
                format!("`{ignored}` is ignored: `{winner}` takes precedence"),
            )
            .note("two entries match either, `andMatcher` matches both");
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
changeRuleBindings:
- rules: [upsert after upserting g]
  resourceMatchers: [{allMatcher: {}, hasNamespaceMatcher: {}}]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations: {}
",
            &["hasNamespaceMatcher"],
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
