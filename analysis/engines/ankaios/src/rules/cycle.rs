//! `cycle` in manifests: workloads that wait for each other, whether or not Ankaios detects it.

use std::sync::Arc;

use applyorder_core::diagnostic::{Diagnostic, Place};
use applyorder_core::engine::{Dependency, UnitIx};
use applyorder_core::graph::{GraphBuilder, OrderGraph};
use applyorder_core::layer::Finding;
use applyorder_core::rules::cycle as shared;

use super::{InProject, both, said};
use crate::judge::{self, stage};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    if project.model.is_broken {
        return;
    }
    let related = project.related;
    if !related.components.cyclic().is_empty() {
        let remove = |written: &Dependency| project.remove(written);
        // Self-dependencies are reported separately, and hide no cycle that they are on.
        let apart;
        let graph = if related.graph.edges().iter().any(|edge| edge.from == edge.to) {
            apart = without_own_edges(&related.graph);
            &apart
        } else {
            &*related.graph
        };
        let memo = project.pass.cx.memo();
        for cycle in shared::check_again(memo, &crate::META, related.variant(), graph, remove) {
            found.push(verdict(project, cycle.diagnostic, &cycle.members));
        }
    }
    let cluster = related.cluster.iter().filter(|_| project.role().applies());
    for (names, unit) in cluster.flat_map(|cluster| &cluster.cycles) {
        found.extend(through_cluster(project, names, *unit));
    }
}

fn without_own_edges(graph: &OrderGraph) -> OrderGraph {
    let mut builder = GraphBuilder::with_capacity(graph.node_count(), graph.edges().len());
    for kind in graph.kinds() {
        builder.node(*kind);
    }
    for edge in graph.edges().iter().filter(|edge| edge.from != edge.to) {
        builder.edge(*edge);
    }
    builder.build()
}

/// A cycle that workloads of the cluster close.
fn through_cluster(project: &InProject<'_>, names: &[Arc<str>], unit: Option<UnitIx>) -> Option<Finding> {
    let related = project.related;
    let met = related.apply_cycle.as_ref().filter(|met| names.contains(met));
    let first = project.model.sources.first()?;
    let mut d = match unit {
        Some(unit) => {
            let own = &project.model.stated(unit)?.unit;
            let mut waits = related.waits_of(unit);
            let into = waits.find(|(number, _)| names.contains(related.text(*number)));
            Diagnostic::new(
                &shared::RULE,
                into.map_or(own.header, |(_, wait)| wait.place),
                String::new(),
            )
            .unit(own.name.clone())
        }
        // An old one is not reported for these files, unless they make Ankaios reach it.
        None if met.is_none() => return None,
        None => Diagnostic::new(&shared::RULE, Place::file(first.file), String::new()),
    };
    let listed: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    d.message = format!(
        "dependency cycle with workloads of the cluster: {}",
        listed.join(", ")
    );
    if met.is_none() {
        d = d.note(UNNOTICED);
    }
    let said_of = met.map(|name| both(stage::CYCLE, judge::cycle(name)));
    Some(said(project.role(), None, said_of.as_ref(), d))
}

/// The effect of a cycle that Ankaios misses.
const UNNOTICED: &str = "Ankaios accepts the manifest, and these workloads wait forever";

/// A cycle with Ankaios' reaction: it names one workload of one cycle, or none.
pub(super) fn verdict(project: &InProject<'_>, mut diagnostic: Diagnostic, members: &[UnitIx]) -> Finding {
    let related = project.related;
    let named = |met: &Option<Arc<str>>| {
        let name = met.as_deref()?;
        let is_member = members.iter().any(|u| project.name(*u) == name);
        is_member.then(|| both(stage::CYCLE, judge::cycle(name)))
    };
    let startup = named(&related.startup_cycle);
    let apply = named(&related.apply_cycle).filter(|_| !project.model.updates_nothing());
    let role = project.role();
    let is_noticed = startup.is_some() && role.starts_up() || apply.is_some() && role.applies();
    if !is_noticed {
        let noticed = |met: &Option<Arc<str>>, counts: bool| met.is_some() && counts;
        let other = noticed(&related.startup_cycle, role.starts_up())
            || noticed(&related.apply_cycle, role.applies());
        diagnostic = diagnostic.note(if other {
            "Ankaios reports another cycle first, and may never notice this one"
        } else {
            UNNOTICED
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
        let text = format!(
            "apiVersion: v1\nworkloads:\n{}{}",
            w("a", &format!("c: {r}")),
            w("c", &format!("a: {r}, c: {r}"))
        );
        speaks(&RULE, &text, &["c"]);
    }
}
