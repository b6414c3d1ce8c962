//! `kapp/cr-version`: a custom resource's version is not in its definition.

use super::scope::Project;
use crate::model::inputs::Item;
use crate::scope::Known;
use rustc_hash::FxHashMap;

use applyorder_core::diagnostic::{Diagnostic, FixStep, Reaction, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/cr-version",
    severity: Severity::Warning,
    summary: "Custom resource version missing from its CRD",
    docs: include_str!("../../../../../docs/rules/kapp/cr-version.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(project: &Project<'_>, found: &mut Vec<Finding>) {
    let app = &project.model.app;
    let mut definitions: FxHashMap<(&str, &str), Item> = FxHashMap::default();
    for item in app.definitions() {
        if let Some(crd) = app.inputs.resource(item).and_then(|r| r.crd.as_ref()) {
            definitions.insert((&crd.group, &crd.kind), item);
        }
    }
    if definitions.is_empty() {
        return;
    }
    for (item, bound, r) in app.resources() {
        if matches!(bound.known, Known::Definition | Known::BuiltIn) {
            continue;
        }
        let Some(definition) = definitions.get(&(r.group(), &*r.kind.value)) else {
            continue;
        };
        let crd = app.inputs.resource(*definition).and_then(|r| r.crd.as_ref());
        let (Some(crd), Some(place)) = (crd, r.api_version.place) else {
            continue;
        };
        let place = project.at(item, place);
        let text = format!(
            "unknown version `{1}` of {0}",
            r.kind.value,
            r.api_version.value.rsplit('/').next().unwrap_or("")
        );
        let mut d = Diagnostic::new(&RULE, place, text)
            .related(project.at(*definition, crd.place), "CRD defined here")
            .note("kapp rejects this unless the cluster already has the version")
            .reaction(Reaction::FailsLater);
        if let Some(version) = crd.versions.last() {
            let version = format!("{}/{version}", crd.group);
            d = d.replace_with(&version, FixStep::SetValue(place, version.clone()));
        }
        found.push(Finding::new(d));
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
apiVersion: e.com/v2
kind: Foo
metadata:
  name: m
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.e.com
spec: {group: e.com, scope: Namespaced, names: {kind: Foo}, versions: [{name: v1}]}
",
            &["e.com/v2"],
            "\
apiVersion: e.com/v1
kind: Foo
metadata:
  name: m
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.e.com
spec: {group: e.com, scope: Namespaced, names: {kind: Foo}, versions: [{name: v1}]}
",
        );
    }
}
