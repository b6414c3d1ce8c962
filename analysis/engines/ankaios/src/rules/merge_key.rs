//! `ankaios/merge-key`: a merge key.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InSource;
use crate::read::FaultKind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/merge-key",
    severity: Severity::Error,
    summary: "A merge key",
    docs: include_str!("../../../../../docs/rules/ankaios/merge-key.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    for (at, fault) in source.faults() {
        let place = source.place(fault.place);
        if fault.kind == FaultKind::MergeKey {
            let d = Diagnostic::new(
                &RULE,
                place,
                "merge key `<<` is not supported: Ankaios reads it as a plain key",
            );
            let d = d.note("write the fields out");
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
        let bad = "apiVersion: v1\nx: &x {}\nworkloads:\n  a:\n    runtime: podman\n    agent: agent_A\n    \
                   runtimeConfig: \"image: x\"\n    <<: *x\n";
        speaks(&RULE, bad, &["<<"]);
    }
}
