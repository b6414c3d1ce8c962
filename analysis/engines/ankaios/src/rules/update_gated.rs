//! `ankaios/update-gated`: a workload whose update is blocked by others.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::Slot;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/update-gated",
    severity: Severity::Hint,
    summary: "A workload whose update others block",
    docs: include_str!("../../../../../docs/rules/ankaios/update-gated.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(slot: &Slot<'_>, found: &mut Vec<Finding>) {
    if !slot.concludes() || !slot.is_wanted(&RULE) {
        return;
    }
    for (unit, own) in slot.units() {
        let gates: Vec<_> = slot.gates(unit).filter(|(by, _)| *by != unit).collect();
        let [(first, _), rest @ ..] = gates.as_slice() else {
            continue;
        };
        let stop = match rest.len() {
            0 => " stops".to_owned(),
            n => format!(" and {n} more stop"),
        };
        let text = format!(
            "an update of `{}` waits until `{}`{stop}",
            own.name,
            slot.name(*first)
        );
        let mut d = Diagnostic::new(&RULE, own.place(), text).unit(own.name.clone());
        for (by, place) in gates.iter().take(MOST) {
            d = d.related(*place, format!("`{}` needs it running", slot.name(*by)));
        }
        found.push(Finding::new(d));
    }
}

/// The maximum number of places that are shown.
const MOST: usize = 10;

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |c: &str| {
            format!(
                "apiVersion: v1\nworkloads:\n  a: {{agent: b, runtime: docker, runtimeConfig: x}}\n  b: {{agent: c, runtime: docker, runtimeConfig: x, dependencies: {{a: ADD_COND_{c}}}}}\n"
            )
        };
        speaks(&RULE, &with("RUNNING"), &["a"]);
        speaks(&RULE, &with("FAILED"), &[]);
    }
}
