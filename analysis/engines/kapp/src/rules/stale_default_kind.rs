//! `kapp/stale-default-kind`: a kind that is not in the default group one would expect.

use crate::facts::Key;
use crate::resolve::View;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/stale-default-kind",
    severity: Severity::Info,
    summary: "A kind that is not in the default group one would expect",
    docs: include_str!("../../../../../docs/rules/kapp/stale-default-kind.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// Kinds that the default groups name in older versions only, with the group.
const STALE: [(&str, &str, &str); 3] = [
    ("policy/v1", "PodDisruptionBudget", "pod-related"),
    ("node.k8s.io/v1", "RuntimeClass", "pod-related"),
    ("storage.k8s.io/v1", "StorageClass", "storage-class"),
];

/// One finding per resource that is not in the default group one would expect.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    view.preparation
        .notable
        .iter()
        .filter_map(|item| {
            let r = view.loaded.resource(*item)?;
            let (version, kind, group) = STALE
                .iter()
                .find(|(v, k, _)| *v == &*r.api_version.value && *k == &*r.kind.value)?;
            if r.has(Key::Group) {
                return None;
            }
            let text = format!(
                "kapp's default group `change-groups.kapp.k14s.io/{group}` does not hold {kind} of {version}"
            );
            Some(Diagnostic::new(&RULE, view.at(*item, r.kind.place?), text))
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
            Severity::Info,
            "\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: m
",
            &["PodDisruptionBudget"],
            "\
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata:
  name: m
",
        );
    }
}
