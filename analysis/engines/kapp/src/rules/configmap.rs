//! `kapp/configmap`: a resource labelled as Config that holds none.

use super::rejected;
use super::scope::Source;
use crate::model::prepare::labelled_fault;
use crate::read::{CONFIG_VERSION, LabelledConfig, Resource};
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/configmap",
    severity: Severity::Error,
    summary: "A resource labelled as Config that holds none",
    docs: include_str!("../../../../../docs/rules/kapp/configmap.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable() {
        if let Some((place, text, stage)) = fault(r, &source.settings().version) {
            let text = text.split("%!").next().unwrap_or("").to_owned();
            let d = Diagnostic::new(&RULE, source.at(item, place), text);
            found.push(rejected(d, stage, super::subject(r)));
        }
    }
}

fn fault(r: &Resource, version: &str) -> Option<(u32, String, &'static str)> {
    let (label, labelled) = r.labelled.as_ref()?;
    let is_map = &*r.kind.value == "ConfigMap" && &*r.api_version.value == "v1";
    let mut place = *label;
    if let LabelledConfig::Config(config) = labelled
        && is_map
    {
        // Everything else about a Config other rules say.
        if &*config.api_version.value == CONFIG_VERSION {
            return None;
        }
        place = config.api_version.place;
    }
    match labelled_fault(r, labelled, version) {
        Ok(fault) => Some((place, fault?, "config")),
        Err(_) => Some((place, "`config.yml` is empty: kapp crashes".to_owned(), "crash")),
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
