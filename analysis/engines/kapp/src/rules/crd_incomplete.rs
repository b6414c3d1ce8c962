//! `kapp/crd-incomplete`: a definition without group or kind.

use crate::resolve::View;
use applyorder_core::diagnostic::{Diagnostic, Severity};
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

/// One finding per definition without group or kind.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    view.preparation
        .notable
        .iter()
        .filter_map(|item| {
            let crd = view.loaded.resource(*item)?.crd.as_ref()?;
            let missing = match (crd.group.is_empty(), crd.kind.is_empty()) {
                _ if crd.type_fault.is_some() => return None,
                (true, true) => "`spec.group` and `spec.names.kind`",
                (true, false) => "`spec.group`",
                (false, true) => "`spec.names.kind`",
                (false, false) => return None,
            };
            let d = Diagnostic::new(
                &RULE,
                view.at(*item, crd.place),
                format!("the definition has no {missing}"),
            );
            Some(view.enforced(d, "graph", Some(*item), None))
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
