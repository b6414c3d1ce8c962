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
    docs: "\
## What it does\n\
Reports a resource with the label `kapp.k14s.io/config` that is no v1 ConfigMap, or that has no Config under\n\
`data.\"config.yml\"`.\n\
\n\
## Why is this bad?\n\
kapp rejects it, or crashes on an empty document.\n\
\n\
## Example\n\
```yaml\n\
kind: ConfigMap\n\
metadata:\n\
\x20 labels: {kapp.k14s.io/config: \"\"}\n\
data:\n\
\x20 config.yaml: |\n\
\x20   apiVersion: kapp.k14s.io/v1alpha1\n\
\x20   kind: Config\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
kind: ConfigMap\n\
metadata:\n\
\x20 labels: {kapp.k14s.io/config: \"\"}\n\
data:\n\
\x20 config.yml: |\n\
\x20   apiVersion: kapp.k14s.io/v1alpha1\n\
\x20   kind: Config\n\
```\n\
\n\
## What kapp says\n\
What is missing.\n",
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
