//! `ankaios/config-leaf`: a config that is not a string.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InSource;
use crate::read::FaultKind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/config-leaf",
    severity: Severity::Error,
    summary: "A config that is not a string",
    docs: include_str!("../../../../../docs/rules/ankaios/config-leaf.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    for (at, fault) in source.faults() {
        let place = source.place(fault.place);
        if let FaultKind::ConfigLeaf(kind) = &fault.kind {
            let text = format!("expected a string, a list or a mapping in a config, found {kind}");
            found.push(source.finding(
                (at, fault),
                Diagnostic::new(&RULE, place, text).label("quote the value"),
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        speaks(&RULE, "apiVersion: v1\nconfigs:\n  port: 8081\n", &["8081"]);
        speaks(&RULE, "apiVersion: v1\nconfigs:\n  port: \"8081\"\n", &[]);
    }
}
