//! `ankaios/nested-api-version`: a key `apiVersion` below the top level.

use applyorder_core::diagnostic::{Diagnostic, Reaction, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InSource;
use crate::read::FaultKind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/nested-api-version",
    severity: Severity::Error,
    summary: "A key `apiVersion` below the top level",
    docs: include_str!("../../../../../docs/rules/ankaios/nested-api-version.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    // The server reads the version at the top level only.
    if !source.role.applies() {
        return;
    }
    for (at, fault) in source.faults() {
        let place = source.place(fault.place);
        if let FaultKind::NestedVersion(value) = &fault.kind {
            let text =
                format!("`ank apply` may read the version `{value}` from this key: its verdict is random");
            let mut d =
                Diagnostic::new(&RULE, place, text).note("rename the key, or keep the block as one string");
            d.reaction = Reaction::Open;
            if let Some(top) = fault.related {
                d = d.related(source.place(top), "the version of the manifest");
            }
            found.push(source.finding((at, fault), d));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let bad = "apiVersion: v1\nconfigs:\n  pod:\n    apiVersion: apps/v1\n";
        speaks(&RULE, bad, &["apiVersion"]);
        speaks(
            &RULE,
            "apiVersion: v1\nconfigs:\n  pod:\n    apiVersion: v1\n",
            &[],
        );
    }
}
