//! `ankaios/filter-mask-alias`: the field name `filterMask`.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Rule, Safety, Severity, Status};
use applyorder_core::layer::Finding;

use super::InSource;
use crate::read::FaultKind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/filter-mask-alias",
    severity: Severity::Error,
    summary: "The field name `filterMask`",
    docs: include_str!("../../../../../docs/rules/ankaios/filter-mask-alias.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    for (at, fault) in source.faults() {
        let place = source.place(fault.place);
        if fault.kind == FaultKind::FilterMaskAlias {
            let d = Diagnostic::new(
                &RULE,
                place,
                "unknown field `filterMask`: version `v1` calls it `filterMasks`",
            );
            let step = FixStep::Replace(place, "filterMasks".to_owned());
            found.push(source.finding(
                (at, fault),
                d.fix("rename to `filterMasks`", Safety::Safe, vec![step]),
            ));
        }
    }
}
