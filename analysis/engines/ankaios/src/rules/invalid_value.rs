//! `invalid-value` in manifests: conditions, restart policies and access rules.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::nearest::nearest;
use applyorder_core::rules::invalid_value::RULE;

use super::InSource;
use crate::read::{AccessFault, Condition, FaultKind, Restart, fields};

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    for (at, fault) in source.faults() {
        let place = source.place(fault.place);
        let (text, expected, fix) = match &fault.kind {
            FaultKind::UnknownCondition(word) => {
                let words = Condition::ALL.map(|(_, word, _)| word);
                (
                    format!("unknown condition `{word}`"),
                    Some(super::choice(&words)),
                    meant(word).or_else(|| nearest(word, words)),
                )
            }
            FaultKind::RestartPolicy(word) => {
                let words = Restart::ALL.map(|(_, word)| word);
                let shown = word.replace('-', "_").to_uppercase();
                (
                    format!("unknown restart policy `{word}`"),
                    Some(super::choice(&words)),
                    nearest(&shown, words),
                )
            }
            FaultKind::AccessRule(fault) => (access(fault), None, None),
            _ => continue,
        };
        let mut d = Diagnostic::new(&RULE, place, text);
        d.label = expected.map(|words| format!("expected {words}"));
        if let Some(near) = fix {
            let step = FixStep::SetValue(place, near.to_owned());
            d = d.fix(format!("replace with `{near}`"), Safety::Unsafe, vec![step]);
        }
        found.push(source.finding((at, fault), d));
    }
}

/// The condition that a word of other versions and systems corresponds to.
fn meant(word: &str) -> Option<&'static str> {
    let short = word.to_ascii_uppercase();
    let short = short.rsplit("COND_").next().unwrap_or("");
    let condition = match short {
        "RUNNING" | "RUN" | "STARTED" | "SERVICE_STARTED" | "HEALTHY" | "RUNNING_ONLY" => Condition::Running,
        "SUCCEEDED" | "SUCCESS" | "SUCCESSFUL" | "COMPLETED" | "DONE" => Condition::Succeeded,
        "FAILED" | "FAIL" | "FAILURE" | "ERROR" => Condition::Failed,
        _ => return None,
    };
    Some(condition.spelling())
}

fn access(fault: &AccessFault) -> String {
    match fault {
        AccessFault::Type(word) => format!("unknown access rule `{word}`: expected `StateRule` or `LogRule`"),
        AccessFault::Operation(word) => {
            format!(
                "unknown operation `{word}`: expected {}",
                super::choice(fields::OPERATIONS)
            )
        }
        AccessFault::EmptyMask => "a filter mask must not be empty".to_owned(),
        AccessFault::Mask(mask) => {
            format!("invalid filter mask `{mask}`: use names or `*`, separated by dots")
        }
        AccessFault::Stars(name) => format!("invalid name filter `{name}`: more than one `*`"),
        AccessFault::WorkloadName(name) => format!("invalid workload name `{name}` in a log rule"),
        AccessFault::BothMasks => "`filterMask` conflicts with `filterMasks`".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::speaks;
    use applyorder_core::rules::invalid_value::RULE;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |c: &str| {
            format!(
                "apiVersion: v1\nworkloads:\n  a: {{agent: b, runtime: podman, runtimeConfig: x, dependencies: {{b: {c}}}}}\n"
            )
        };
        speaks(&RULE, &with("running"), &["running"]);
        speaks(&RULE, &with("ADD_COND_RUNNING"), &[]);
    }
}
