//! `kapp/configmap`: a resource labelled as Config that holds none.

use crate::facts::{CONFIG_VERSION, LabelledConfig};
use crate::resolve::View;
use crate::resolve::prepare::labelled_fault;
use applyorder_core::diagnostic::{Diagnostic, Severity};
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

/// One finding per resource that is labelled as Config and holds none.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    view.notable()
        .filter_map(|item| {
            let r = view.loaded.resource(item)?;
            let (label, labelled) = r.labelled.as_ref()?;
            let (mut place, is_map) = (
                *label,
                &*r.kind.value == "ConfigMap" && &*r.api_version.value == "v1",
            );
            if let LabelledConfig::Config(config) = labelled
                && is_map
            {
                // Everything else about a Config other rules say.
                if &*config.api_version.value == CONFIG_VERSION {
                    return None;
                }
                place = config.api_version.place;
            }
            let (text, stage) = match labelled_fault(r, labelled, &view.settings.version) {
                Ok(fault) => (fault?, "config"),
                Err(_) => ("`config.yml` is empty: kapp crashes".to_owned(), "crash"),
            };
            let text = text.split("%!").next().unwrap_or("").to_owned();
            let d = Diagnostic::new(&RULE, view.at(item, place), text);
            Some(view.enforced(d, stage, Some(item), None))
        })
        .collect()
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
