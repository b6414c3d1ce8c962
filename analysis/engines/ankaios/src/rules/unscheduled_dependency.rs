//! `ankaios/unscheduled-dependency`: a dependency on a workload without an agent.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::Slot;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/unscheduled-dependency",
    severity: Severity::Warning,
    summary: "A dependency on a workload without an agent",
    docs: include_str!("../../../../../docs/rules/ankaios/unscheduled-dependency.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(slot: &Slot<'_>, found: &mut Vec<Finding>) {
    if !slot.concludes() {
        return;
    }
    for (unit, own) in slot.units() {
        for (number, wait) in slot.waits(unit) {
            let Some(target) = wait.target else {
                continue;
            };
            let Some(public) = slot.public(target) else {
                continue;
            };
            // The cause is reported once, where it is one step away.
            if !slot.is_unscheduled(target) || unit == target {
                continue;
            }
            let text = format!(
                "`{}` waits forever: `{}` has no agent",
                own.name,
                slot.name(target)
            );
            let mut d = Diagnostic::new(&RULE, wait.place, text)
                .unit(own.name.clone())
                .unit(slot.text(number).clone());
            d = d.related(slot.place_of(target, public.agent_place), "its agent is empty");
            found.push(Finding::new(d.note("`--agent` or an update can schedule it")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |agent: &str| {
            format!(
                "apiVersion: v1\nworkloads:\n  a: {{agent: {agent}, runtime: docker, runtimeConfig: x}}\n  b: {{agent: c, runtime: docker, runtimeConfig: x, dependencies: {{a: ADD_COND_RUNNING}}}}\n"
            )
        };
        speaks(&RULE, &with("\"\""), &["a"]);
        speaks(&RULE, &with("c"), &[]);
    }
}
