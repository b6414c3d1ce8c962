//! `ankaios/unscheduled-dependency`: a dependency on a workload without an agent.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InProject;
use crate::model::Block;
use applyorder_core::engine::UnitIx;

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

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    if !project.concludes() {
        return;
    }
    let related = project.related;
    for (unit, own) in project.units() {
        for (_, written) in related.dependencies(unit) {
            let Some(target) = written.targets.first() else {
                continue;
            };
            let block = |u: UnitIx| related.blocked.get(u.0 as usize).copied().flatten();
            // The cause is told once, where it is one step away.
            if block(*target) != Some(Block::Unscheduled) || unit == *target {
                continue;
            }
            let text = format!(
                "`{}` waits forever: `{}` has no agent",
                own.name,
                project.name(*target)
            );
            let mut d = Diagnostic::new(&RULE, written.place, text)
                .unit(own.name.clone())
                .unit(written.text.clone());
            if let Some((_, workload)) = project.model.workload(*target) {
                let place = workload
                    .agent
                    .as_ref()
                    .map_or(workload.name.place, |a| a.text.place);
                d = d.related(project.place_of(*target, place), "its agent is empty");
            }
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
