//! `kapp/several-matchers`: a matcher with several fields.

use crate::resolve::View;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/several-matchers",
    severity: Severity::Warning,
    summary: "A matcher with several fields",
    docs: include_str!("../../../../../docs/rules/kapp/several-matchers.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// One finding per matcher that is ignored.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (item, config) in view.configs() {
        for (place, ignored, winner) in &config.several {
            found.push(
                Diagnostic::new(
                    &RULE,
                    view.at(item, *place),
                    format!("`{ignored}` is ignored: `{winner}` in the same entry wins"),
                )
                .note("two entries mean either, `andMatcher` means both"),
            );
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
