//! `kapp/crd-incomplete`: a definition without group or kind.

use super::rejected;
use super::scope::Source;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/crd-incomplete",
    severity: Severity::Error,
    summary: "A definition without group or kind",
    docs: include_str!("../../../../../docs/rules/kapp/crd-incomplete.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["invalid-value"],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable_ordered() {
        let Some(crd) = r.crd.as_ref().filter(|crd| crd.type_fault.is_none()) else {
            continue;
        };
        let missing = match (crd.group.is_empty(), crd.kind.is_empty()) {
            (true, true) => "`spec.group` and `spec.names.kind`",
            (true, false) => "`spec.group`",
            (false, true) => "`spec.names.kind`",
            (false, false) => continue,
        };
        let d = Diagnostic::new(
            &RULE,
            source.at(item, crd.place),
            format!("the definition has no {missing}"),
        );
        found.push(rejected(d, "graph", super::subject(r)));
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
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.e.com
spec: {group: e.com, names: {}}
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
