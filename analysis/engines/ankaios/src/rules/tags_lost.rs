//! `ankaios/tags-lost`: tags that `ank apply` drops.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InSource;
use crate::read::{FaultKind, Workload};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/tags-lost",
    severity: Severity::Warning,
    summary: "Tags that `ank apply` drops",
    docs: include_str!("../../../../../docs/rules/ankaios/tags-lost.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    for (at, fault) in source.faults() {
        let place = source.place(fault.place);
        let is_lost = matches!(fault.kind, FaultKind::TagsForm { .. }) && fault.loses.is_some();
        if is_lost && source.role.applies() {
            let mut d = Diagnostic::new(&RULE, place, "`ank apply` drops tags of version `v0.1`");
            if let Some(version) = fault.related {
                d = d.related(
                    source.place(version),
                    "in version `v1` they are kept, as a mapping",
                );
            }
            found.push(source.finding((at, fault), d));
        }
    }
}

/// The tags of a fault's workload in the form of `v1`.
pub(super) fn as_mapping(source: &InSource<'_>, fault: &crate::read::Fault) -> Option<String> {
    mapping_of(source.workload(fault)?)
}

/// The tags of a workload in the form of `v1`, if they can be read.
pub(super) fn mapping_of(workload: &Workload) -> Option<String> {
    let tags: Vec<String> = workload
        .tags
        .iter()
        .filter_map(|tag| tag.split_once('='))
        .map(|(key, value)| format!("{key}: {}", serde_json::Value::from(value)))
        .collect();
    (!tags.is_empty()).then(|| format!("{{{}}}", tags.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let body = "agent: b, runtime: podman, runtimeConfig: x, tags: [{key: k, value: v}]";
        speaks(
            &RULE,
            &format!("apiVersion: v0.1\nworkloads:\n  a: {{{body}}}\n"),
            &["tags"],
        );
    }
}
