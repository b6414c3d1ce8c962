//! `kapp/config-kind`: a resource of kapp's own API that is not a Config.

use super::scope::Source;
use crate::model::error::What;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/config-kind",
    severity: Severity::Error,
    summary: "Resource of kapp's own API that is not a Config",
    docs: include_str!("../../../../../docs/rules/kapp/config-kind.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable() {
        let Some(config) = r.config() else {
            continue;
        };
        if &*config.kind.value == "Config" || &*config.api_version.value != "kapp.k14s.io/v1alpha1" {
            continue;
        }
        let place = source.at(item, config.kind.place);
        let text = format!("expected kind `Config`, found `{}`", config.kind.value);
        let d = Diagnostic::new(&RULE, place, text)
            .replace_with("Config", FixStep::SetValue(place, "Config".to_owned()));
        found.push(source.rejected(d, "config", What::Config, Some(item)));
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
kind: Configs
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations: {}
",
            &["Configs"],
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
