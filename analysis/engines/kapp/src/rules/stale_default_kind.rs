//! `kapp/stale-default-kind`: a kind that is not in the default group one would expect.

use super::scope::Source;
use crate::read::Key;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/stale-default-kind",
    severity: Severity::Info,
    summary: "Kind missing from its default group",
    docs: include_str!("../../../../../docs/rules/kapp/stale-default-kind.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// API version, kind, and the group of older versions.
const STALE: [(&str, &str, &str); 3] = [
    ("policy/v1", "PodDisruptionBudget", "pod-related"),
    ("node.k8s.io/v1", "RuntimeClass", "pod-related"),
    ("storage.k8s.io/v1", "StorageClass", "storage-class"),
];

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable_ordered() {
        let stale = STALE
            .iter()
            .find(|(v, k, _)| *v == &*r.api_version.value && *k == &*r.kind.value);
        let (Some((version, kind, group)), Some(place)) = (stale, r.kind.place) else {
            continue;
        };
        if !r.has(Key::Group) {
            let text = format!("{kind} ({version}) is not in kapp's default group `{group}`");
            found.push(Finding::new(Diagnostic::new(&RULE, source.at(item, place), text)));
        }
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
