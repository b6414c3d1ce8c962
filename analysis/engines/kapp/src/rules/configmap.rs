//! `kapp/configmap`: a resource labeled as Config that does not contain one.

use super::scope::Source;
use crate::model::error::What;
use crate::model::prepare::labeled_error;
use crate::read::{CONFIG_VERSION, LabeledConfig};
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/configmap",
    severity: Severity::Error,
    summary: "Resource labeled as Config that contains none",
    docs: include_str!("../../../../../docs/rules/kapp/configmap.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable() {
        let Some((label, labeled)) = &r.labeled else {
            continue;
        };
        let is_map = &*r.kind.value == "ConfigMap" && &*r.api_version.value == "v1";
        if let LabeledConfig::Config(config) = labeled
            && is_map
            && &*config.api_version.value == CONFIG_VERSION
        {
            // Everything else about a Config is reported by other rules.
            continue;
        }
        let Some(fault) = labeled_error(r, *label, labeled, &source.settings().version) else {
            continue;
        };
        let (text, stage) = if fault.panics {
            ("empty `config.yml`", "crash")
        } else {
            (fault.text.split("%!").next().unwrap_or(""), "config")
        };
        let d = Diagnostic::new(&RULE, source.at(item, fault.place), text);
        found.push(source.rejected(d, stage, What::Config, Some(item)));
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
apiVersion: v1
kind: ConfigMap
metadata:
  name: c
  labels: {kapp.k14s.io/config: ''}
data: {config.yaml: ''}
",
            &["kapp.k14s.io/config"],
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: c
  labels: {kapp.k14s.io/config: ''}
data:
  config.yml: |
    apiVersion: kapp.k14s.io/v1alpha1
    kind: Config
",
        );
        speaks(
            &RULE,
            Severity::Error,
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: c
  labels: {kapp.k14s.io/config: ''}
data: {config.yml: ''}
",
            &["kapp.k14s.io/config"],
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
