//! `kapp/namespace-dropped`: a namespace on a resource that has none.

use crate::resolve::View;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/namespace-dropped",
    severity: Severity::Hint,
    summary: "A namespace on a resource that has none",
    docs: include_str!("../../../../../docs/rules/kapp/namespace-dropped.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// One hint per namespace that kapp removes.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    view.preparation
        .prepared
        .iter()
        .filter(|p| p.namespace.is_empty())
        .filter_map(|p| {
            let r = view.loaded.resource(p.item)?;
            let place = r.namespace.place.filter(|_| !r.namespace.value.is_empty())?;
            let key = r.namespace_key?;
            let text = format!("a {} has no namespace: kapp removes it", r.kind.value);
            Some(Diagnostic::new(&RULE, view.at(p.item, place), text).fix(
                "remove the namespace",
                Safety::Safe,
                vec![FixStep::RemoveKey(view.at(p.item, key))],
            ))
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
            Severity::Hint,
            "\
apiVersion: v1
kind: Namespace
metadata:
  name: m
  namespace: x
",
            &["x"],
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  namespace: x
",
        );
    }
}
