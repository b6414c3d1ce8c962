//! `kapp/crd-incomplete`: a definition without group or kind.

use super::Told;
use super::scope::Source;
use crate::model::uses::Source as Origin;
use crate::read::Resource;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/crd-incomplete",
    severity: Severity::Error,
    summary: "CRD without group or kind",
    docs: include_str!("../../../../../docs/rules/kapp/crd-incomplete.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["invalid-value"],
};

/// The missing fields of a definition, as text.
pub(super) fn missing(r: &Resource) -> Option<&'static str> {
    let crd = r.crd.as_ref().filter(|crd| crd.type_fault.is_none())?;
    match (crd.group.is_empty(), crd.kind.is_empty()) {
        (true, true) => Some("`spec.group`, and `spec.names.kind`"),
        (true, false) => Some("`spec.group`"),
        (false, true) => Some("`spec.names.kind`"),
        (false, false) => None,
    }
}

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let mut told = Told::default();
    for unit in source.units() {
        let own = unit.own.errors.iter();
        for error in own.filter(|e| matches!(e.source, Origin::Default(..))) {
            let Some(r) = source.resource_of(&unit) else {
                continue;
            };
            let (Some(crd), Some(missing)) = (&r.crd, missing(r)) else {
                continue;
            };
            let place = source.of_change(&unit, crd.place);
            told.add(place, source.rejecting(&unit, error), || {
                Diagnostic::new(&RULE, place, format!("missing field {missing}"))
            });
        }
    }
    found.extend(told.findings());
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
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.e.com
spec: {group: e.com, names: {}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: waits-for-its-namespace}
",
            &["spec"],
            "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.e.com
spec: {group: e.com, scope: Namespaced, names: {kind: Foo}, versions: [{name: v1}]}
",
        );
    }
}
