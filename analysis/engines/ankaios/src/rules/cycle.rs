//! `cycle` in manifests: workloads that wait for each other, whether or not Ankaios notices.

use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::engine::UnitIx;
use applyorder_core::layer::Finding;

use super::{InProject, both, said};
use crate::judge::{self, stage};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    let related = project.related;
    if related.components.cyclic().is_empty() || project.model.is_broken {
        return;
    }
    let remove = |written: &applyorder_core::engine::Dependency| project.remove(written);
    let cycles = applyorder_core::rules::cycle::check(&crate::META, &related.variant, &related.graph, remove);
    for cycle in cycles {
        found.push(verdict(project, cycle.diagnostic, &cycle.members));
    }
}

/// A cycle with what Ankaios says of it: it names one workload of one cycle, or none.
pub(super) fn verdict(project: &InProject<'_>, mut diagnostic: Diagnostic, members: &[UnitIx]) -> Finding {
    let related = project.related;
    let named = |met: &Option<std::sync::Arc<str>>| {
        let name = met.as_deref()?;
        let is_member = members.iter().any(|u| project.name(*u) == name);
        is_member.then(|| both(stage::CYCLE, judge::cycle(name)))
    };
    let startup = named(&related.startup_cycle);
    let apply = named(&related.apply_cycle).filter(|_| !project.model.updates_nothing());
    let role = project.role();
    let is_noticed = startup.is_some() && role.starts_up() || apply.is_some() && role.applies();
    if !is_noticed {
        let noticed = |met: &Option<std::sync::Arc<str>>, counts: bool| met.is_some() && counts;
        let other = noticed(&related.startup_cycle, role.starts_up())
            || noticed(&related.apply_cycle, role.applies());
        diagnostic = diagnostic.note(if other {
            "Ankaios reports another cycle first, and may never notice this one"
        } else {
            "Ankaios does not notice this cycle: it accepts the manifest, and these workloads wait forever"
        });
    }
    said(role, startup.as_ref(), apply.as_ref(), diagnostic)
}

#[cfg(test)]
mod tests {
    use crate::tests::speaks;
    use applyorder_core::rules::cycle::RULE;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let w = |name: &str, deps: &str| {
            format!(
                "  {name}: {{agent: b, runtime: podman, runtimeConfig: 'image: x', dependencies: {{{deps}}}}}\n"
            )
        };
        let r = "ADD_COND_RUNNING";
        let text = format!(
            "apiVersion: v1\nworkloads:\n{}{}",
            w("a", &format!("b: {r}")),
            w("b", &format!("a: {r}"))
        );
        speaks(&RULE, &text, &["b"]);
        let text = format!(
            "apiVersion: v1\nworkloads:\n{}{}",
            w("a", &format!("b: {r}")),
            w("b", "")
        );
        speaks(&RULE, &text, &[]);
    }
}
