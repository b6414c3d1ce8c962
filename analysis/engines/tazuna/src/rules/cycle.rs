//! `cycle`: manifests that wait for each other.

use crate::judge::{Stage, rejected};
use crate::relate::Related;
use crate::scope::Whole;
use applyorder_core::diagnostic::FixStep;
use applyorder_core::engine::Dependency;
use applyorder_core::graph::OrderGraph;
use applyorder_core::layer::{Finding, Fingerprint, Mix};
use applyorder_core::rules::cycle;

/// Cycles by everything that their findings contain.
#[derive(PartialEq, Eq, Hash)]
struct CyclesKey(Fingerprint);

/// The findings of cycles. Recomputed only when a unit on a cycle or its dependencies change.
pub(crate) fn check(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    let related = whole.context.related;
    if !related.dag || !related.is_cyclic {
        return;
    }
    let graph = related.graph();
    let components = graph.components();
    let mut mix = Mix::default();
    for component in components.cyclic() {
        let members = components.members(*component);
        mix.add(&members.len());
        for position in members.iter().map(|node| node.0) {
            let Some((unit, part)) = related.expansion.at(position as usize) else {
                continue;
            };
            mix.add(&unit.public);
            for (need, target) in related.needs(position, unit, part) {
                let to = target.and_then(|t| related.expansion.summaries.get(t as usize));
                mix.add(&(need.place, need.name, to.map(|to| to.public)));
            }
        }
    }
    let memo = whole.pass.cx.memo();
    let told = memo.get(CyclesKey(mix.finish()), || tell(related, &graph));
    found.extend(told.iter().cloned());
}

fn tell(related: &Related, graph: &OrderGraph) -> Vec<Finding> {
    let variant = related.variant(&[None]);
    let remove = |d: &Dependency| Some(FixStep::RemoveEntry(d.place));
    let found = cycle::check(crate::meta(), &variant, graph, remove);
    let found = found.into_iter().map(|finding| {
        let units = finding.members.iter();
        let units = units.filter_map(|m| variant.units.get(m.0 as usize));
        let members: Vec<String> = units.map(|u| u.name.to_string()).collect();
        let d = finding
            .diagnostic
            .engine_message("circular dependency detected in manifest dependsOn graph");
        let subject = members.first().cloned().unwrap_or_default();
        let apply = "failed to resolve manifest dependency order: circular dependency detected";
        rejected(Stage::Cycle, d, &subject)
            .message_of("apply", apply)
            .detail("members", members)
    });
    found.collect()
}
