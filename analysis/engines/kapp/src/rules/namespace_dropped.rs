//! `kapp/namespace-dropped`: a namespace on a cluster-scoped resource.

use super::scope::Source;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/namespace-dropped",
    severity: Severity::Hint,
    summary: "Namespace on a cluster-scoped resource",
    docs: include_str!("../../../../../docs/rules/kapp/namespace-dropped.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, _, r) in source
        .ordered()
        .filter(|(_, bound, _)| bound.namespace.is_empty())
    {
        let place = r.namespace.place.filter(|_| !r.namespace.value.is_empty());
        let (Some(place), Some(key)) = (place, r.namespace_key) else {
            continue;
        };
        let text = format!("namespace of a cluster-scoped {} is ignored", r.kind.value);
        let d = Diagnostic::new(&RULE, source.at(item, place), text).fix(
            "remove the namespace",
            Safety::Safe,
            vec![FixStep::RemoveKey(source.at(item, key))],
        );
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
