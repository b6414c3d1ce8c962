//! `kapp/cr-version`: a custom resource's version is not in its definition.

use rustc_hash::FxHashMap;

use crate::resolve::View;
use crate::resolve::load::Item;
use crate::scope::Known;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/cr-version",
    severity: Severity::Warning,
    summary: "A custom resource's version is not in its definition",
    docs: include_str!("../../../../../docs/rules/kapp/cr-version.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// One finding per custom resource whose definition lacks its version.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    let mut definitions: FxHashMap<(&str, &str), Item> = FxHashMap::default();
    for item in &view.preparation.notable {
        if let Some(crd) = view.loaded.resource(*item).and_then(|r| r.crd.as_ref()) {
            definitions.insert((&crd.group, &crd.kind), *item);
        }
    }
    if definitions.is_empty() {
        return Vec::new();
    }
    view.preparation
        .prepared
        .iter()
        .filter(|p| p.known != Known::Definition && p.known != Known::BuiltIn)
        .filter_map(|p| {
            let r = view.loaded.resource(p.item)?;
            let definition = *definitions.get(&(r.group(), &*r.kind.value))?;
            let crd = view.loaded.resource(definition)?.crd.as_ref()?;
            let place = view.at(p.item, r.api_version.place?);
            let text = format!(
                "the definition of {} has no version `{}`",
                r.kind.value,
                r.api_version.value.rsplit('/').next().unwrap_or("")
            );
            let mut d = Diagnostic::new(&RULE, place, text)
                .related(view.at(definition, crd.place), "the definition")
                .note("kapp rejects it unless the cluster knows the version already");
            if let Some(version) = crd.versions.last() {
                let version = format!("{}/{version}", crd.group);
                d = d.fix(
                    format!("replace by `{version}`"),
                    Safety::Unsafe,
                    vec![FixStep::SetValue(place, version)],
                );
            }
            Some(d)
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
