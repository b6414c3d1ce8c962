//! `inert-dependency` in manifests: conditions that hold only for a moment.

use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::inert_dependency::RULE;

use super::Slot;
use crate::read::{Condition, Restart};

pub(crate) fn check(slot: &Slot<'_>, found: &mut Vec<Finding>) {
    if !slot.concludes() {
        return;
    }
    for (unit, own) in slot.units() {
        let mut transient = Vec::new();
        for (number, wait) in slot.waits(unit) {
            let Some(target) = wait.target.filter(|target| *target != unit) else {
                continue;
            };
            let Some(public) = slot.public(target) else {
                continue;
            };
            let passes = match wait.condition {
                Some(Condition::Succeeded) => public.restart == Restart::Always,
                Some(Condition::Failed) => public.restart != Restart::Never,
                _ => false,
            };
            if passes {
                transient.push((number, wait.place, target, public));
            }
        }
        let is_several = transient.len() > 1;
        for (number, place, target, public) in transient {
            let name = slot.text(number);
            let text = format!(
                "`{name}` restarts at once: `{}` starts only if the condition is evaluated before",
                own.name
            );
            let mut d = Diagnostic::new(&RULE, place, text).severity(Severity::Hint);
            if is_several {
                d = d
                    .severity(Severity::Warning)
                    .note("several such conditions must hold at the same moment");
            }
            if let Some(place) = public.restart_place {
                d = d.related(slot.place_of(target, place), "restart policy");
            }
            found.push(Finding::new(d.unit(own.name.clone()).unit(name.clone())));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::speaks;
    use applyorder_core::rules::inert_dependency::RULE;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |restart: &str| {
            format!(
                "apiVersion: v1\nworkloads:\n  w: {{agent: b, runtime: docker, runtimeConfig: x, restartPolicy: {restart}}}\n  n: {{agent: c, runtime: docker, runtimeConfig: x, dependencies: {{w: ADD_COND_SUCCEEDED}}}}\n"
            )
        };
        speaks(&RULE, &with("ALWAYS"), &["w"]);
        speaks(&RULE, &with("NEVER"), &[]);
    }
}
