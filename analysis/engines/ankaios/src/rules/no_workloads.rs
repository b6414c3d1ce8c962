//! `ankaios/no-workloads`: a manifest without workloads and configs.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InSource;
use crate::read::FaultKind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/no-workloads",
    severity: Severity::Warning,
    summary: "A manifest without workloads and configs",
    docs: include_str!("../../../../../docs/rules/ankaios/no-workloads.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    for (at, fault) in source.faults() {
        let place = source.place(fault.place);
        if fault.kind == FaultKind::NoWorkloads {
            let text = "missing field `workloads` or `configs`: the manifest starts nothing";
            found.push(source.finding((at, fault), Diagnostic::new(&RULE, place, text)));
        }
    }
}
