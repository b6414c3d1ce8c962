//! Entries of `dependsOn` that others imply.

use rayon::prelude::*;

use super::Related;
use crate::model::DependsOnEntry;
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::engine::Unit;
use applyorder_core::graph::EdgeId;
use applyorder_core::rules::redundant_dependency::{self, BUDGET, Step};

/// An entry of `dependsOn`: the position of its unit, and its number there.
type Entry = (u32, u32);

/// An entry that others imply.
struct Implied {
    entry: Entry,
    /// The entries on a shortest path to the same unit.
    way: Vec<Entry>,
}

impl Related {
    /// Whether there is an order in which entries can imply others.
    pub(crate) fn can_imply(&self) -> bool {
        self.dag && !self.is_cyclic
    }

    /// Every entry that others imply, in the order of the list, and whether the search was completed.
    pub(crate) fn redundant(&self) -> (Vec<Diagnostic>, bool) {
        let graph = self.graph();
        let all = |_: EdgeId| true;
        let redundancy = graph.redundant(&graph.components(), BUDGET, all, all);
        let entry = |edge: EdgeId| -> Option<Entry> {
            let edge = graph.edge(edge)?;
            let number = edge.kind.dependency()?;
            Some((edge.from.0, number.checked_sub(self.first_entry(edge.from.0)?)?))
        };
        let implied = redundancy.edges.iter().filter_map(|redundant| {
            let way = redundant.path.edges().iter();
            Some(Implied {
                entry: entry(redundant.edge)?,
                way: way.filter_map(|edge| entry(*edge)).collect(),
            })
        });
        let implied: Vec<Implied> = implied.collect();
        let told = implied.par_iter().with_min_len(128);
        let told: Vec<Option<Diagnostic>> = told.map(|i| self.implied(i)).collect();
        (told.into_iter().flatten().collect(), redundancy.searched)
    }

    fn entry(&self, (position, need): Entry) -> Option<(&Unit, &DependsOnEntry)> {
        let (unit, part) = self.expansion.at(position as usize)?;
        Some((&unit.unit, part.piece.needs_of(unit).get(need as usize)?))
    }

    fn implied(&self, implied: &Implied) -> Option<Diagnostic> {
        let (unit, need) = self.entry(implied.entry)?;
        let steps = implied.way.iter().filter_map(|entry| {
            let (from, need) = self.entry(*entry)?;
            Some(Step {
                from: &from.name,
                to: &need.text,
                place: need.place,
            })
        });
        let written = (&need.text, need.place);
        Some(redundant_dependency::diagnostic(
            unit,
            written,
            "dependsOn",
            steps,
        ))
    }
}
