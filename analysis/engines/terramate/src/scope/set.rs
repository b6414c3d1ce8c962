//! Stacks that wait for each other.

use std::sync::Arc;

use super::Scope;
use crate::META;
use crate::model::stacks::StackIx;
use crate::read::Attribute;
use crate::relate::cause::Cause;
use crate::relate::entries::Entry;
use crate::relate::is_sound;
use crate::relate::order::{Ordering, REASONS};
use applyorder_core::diagnostic::{FixStep, Place};
use applyorder_core::engine::{Dependency, OrderOf, Unit, UnitIx, Variant};
use applyorder_core::graph::{GraphBuilder, NodeId, OrderGraph};
use applyorder_core::layer::Scopes;
use applyorder_core::rules::cycle;

/// What the checks of each set of stacks that wait for each other read.
pub(crate) enum Sets {}

impl Scopes for Sets {
    type Source<'a> = Set<'a>;
    type Project<'a> = ();
}

/// Some stacks that wait for each other. Entries that mean their own stack are reported at their place; what
/// else they cause has the same cause.
pub(crate) struct Set<'a> {
    pub(crate) scope: Scope<'a>,
    /// Ascending.
    pub(crate) members: &'a [StackIx],
    /// Their entries for each other, with the members' places as nodes.
    pub(crate) graph: OrderGraph,
    /// Their cycles.
    pub(crate) cycles: Vec<cycle::Finding>,
    /// Whether Terramate's cycle is one of them.
    pub(crate) is_reported: bool,
}

impl<'a> Set<'a> {
    pub(crate) fn new(scope: Scope<'a>, set: usize, members: &'a [StackIx]) -> Self {
        let (variant, graph) = scope.alone(members, |_, _| true);
        let remove = |d: &Dependency| Some(FixStep::RemoveEntry(d.place));
        let mut cycles = cycle::check(&META, &variant, &graph, remove);
        let own = scope.own_places(members);
        if cycles.iter().any(|cycle| own.contains(&cycle.diagnostic.place)) {
            // There another finding reports the entry; the members wait for each other even without it.
            let (variant, graph) = scope.alone(members, is_sound);
            cycles = cycle::check(&META, &variant, &graph, remove);
        }
        Self {
            cycles,
            is_reported: scope.related.cause == Some(Cause::Set(set)),
            scope,
            members,
            graph,
        }
    }
}

impl Scope<'_> {
    /// The places of the entries of some stacks that mean their own stack.
    fn own_places(&self, members: &[StackIx]) -> Vec<Place> {
        let own = members.iter().filter_map(|stack| {
            let node = self.stacks.get(*stack)?;
            let entries = self.entries.of(*stack).filter(|e| e.attribute.orders());
            let own = entries.filter(|e| !is_sound(*stack, e));
            Some(own.map(|e| self.place(node, e)).collect::<Vec<_>>())
        });
        own.flatten().collect()
    }

    /// Some stacks with their entries for each other among these entries, as if there were no others. They are
    /// numbered in their order.
    fn alone(
        &self,
        members: &[StackIx],
        counts: impl Fn(StackIx, &Entry<'_>) -> bool,
    ) -> (Variant, OrderGraph) {
        let number = |stack: StackIx| u32::try_from(members.binary_search(&stack).ok()?).ok();
        let whole = vec![true; self.stacks.len()];
        let ordering = Ordering {
            stacks: self.stacks,
            entries: self.entries,
            selected: &whole,
        };
        let mut builder = GraphBuilder::with_capacity(members.len(), members.len() * 2);
        let mut units = Vec::with_capacity(members.len());
        let mut dependencies: Vec<Dependency> = Vec::new();
        for (own, stack) in (0u32..).zip(members) {
            builder.unit(own);
            let Some(node) = self.stacks.get(*stack) else {
                continue;
            };
            units.push(Unit {
                name: node.path.clone(),
                header: self.header(*stack).unwrap_or(Place::file(node.file)),
                name_place: None,
                tags: node.tags.clone(),
            });
        }
        for (own, stack) in (0u32..).zip(members) {
            let Some(node) = self.stacks.get(*stack) else {
                continue;
            };
            let written = self.entries.of(*stack).filter(|e| e.attribute.orders());
            for entry in written.filter(|e| counts(*stack, e)) {
                // Of an entry that means its own stack, also the other stacks that it means.
                let targets = common(members, entry.targets).filter(|target| *target != own);
                let targets: Vec<u32> = targets.collect();
                if targets.is_empty() {
                    continue;
                }
                let dependency = u32::try_from(dependencies.len()).unwrap_or(u32::MAX);
                for target in &targets {
                    match entry.attribute {
                        Attribute::Before => builder.explicit(NodeId(*target), NodeId(own), dependency),
                        _ => builder.explicit(NodeId(own), NodeId(*target), dependency),
                    };
                }
                dependencies.push(Dependency {
                    unit: UnitIx(own),
                    place: self.place(node, entry),
                    attribute: entry.attribute.name(),
                    text: entry.text.clone(),
                    targets: targets.into_iter().map(UnitIx).collect(),
                    unknown: false,
                });
            }
            if let Some(above) = ordering.implied(*stack).and_then(number) {
                builder.implicit(NodeId(own), NodeId(above), 0);
            }
        }
        let graph = builder.build();
        let order = || OrderOf {
            graph: Arc::default(),
            layers: None,
            sequence: None,
            guaranteed: false,
            because: None,
            open: Vec::new(),
        };
        let variant = Variant {
            environments: vec![None],
            units,
            dependencies,
            reasons: REASONS.map(str::to_owned).to_vec(),
            conditions: Vec::new(),
            apply: order(),
            delete: order(),
            selected: None,
            properties: Vec::new(),
            actions: Vec::new(),
        };
        (variant, graph)
    }
}

/// The places in one list of the stacks that are in both; both ascend.
fn common(members: &[StackIx], targets: &[UnitIx]) -> impl Iterator<Item = u32> {
    let (mut at, mut of) = (0usize, 0usize);
    std::iter::from_fn(move || {
        loop {
            let (member, target) = (members.get(at)?, targets.get(of)?.0);
            match member.cmp(&target) {
                std::cmp::Ordering::Less => at += 1,
                std::cmp::Ordering::Greater => of += 1,
                std::cmp::Ordering::Equal => {
                    at += 1;
                    of += 1;
                    return u32::try_from(at - 1).ok();
                }
            }
        }
    })
}
