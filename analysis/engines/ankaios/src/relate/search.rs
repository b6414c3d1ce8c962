//! The server's search for cycles, over the files alone.

use std::sync::Arc;

use applyorder_core::engine::UnitIx;

use super::{Wait, walk};
use crate::model::Model;

/// See the module.
pub(super) struct Search {
    /// The units in byte order of their names.
    by_name: Vec<u32>,
    /// By position in that order: what each waits for, ascending.
    needs: Vec<u32>,
    starts: Vec<u32>,
    /// The positions of those whose dependencies `ank apply` loses, ascending.
    pub(super) loses: Vec<u32>,
}

impl Search {
    pub(super) fn new(model: &Model, waits: &[Wait], starts: &[u32]) -> Self {
        let units = model.stated_units();
        let mut named: Vec<(&str, u32)> = units.map(|(n, stated)| (&*stated.unit.name, n.0)).collect();
        named.sort_unstable();
        let by_name: Vec<u32> = named.into_iter().map(|(_, unit)| unit).collect();
        let mut rank = vec![0u32; by_name.len()];
        let mut loses = Vec::new();
        for (at, unit) in (0u32..).zip(&by_name) {
            if let Some(slot) = rank.get_mut(*unit as usize) {
                *slot = at;
            }
            let workload = model.workload(UnitIx(*unit));
            loses.extend(workload.filter(|(_, w)| w.loses("dependencies")).map(|_| at));
        }
        let start = |at: usize| starts.get(at).copied().unwrap_or(0) as usize;
        let mut needs = Vec::with_capacity(waits.len());
        let mut own: Vec<u32> = Vec::new();
        let mut ends = vec![0];
        for unit in &by_name {
            let at = *unit as usize;
            let written = waits.get(start(at)..start(at + 1)).unwrap_or_default();
            let targets = written.iter().filter_map(|wait| wait.target);
            own.extend(targets.filter_map(|t| rank.get(t.0 as usize).copied()));
            own.sort_unstable();
            own.dedup();
            needs.append(&mut own);
            ends.push(u32::try_from(needs.len()).unwrap_or(u32::MAX));
        }
        Self {
            by_name,
            needs,
            starts: ends,
            loses,
        }
    }

    /// The workload that the search names, if any. `applied`: over the state after `ank apply`.
    pub(super) fn met(&self, model: &Model, applied: bool) -> Option<Arc<str>> {
        let start = |at: usize| self.starts.get(at).copied().unwrap_or(0) as usize;
        let needs = |node: u32| {
            if applied && self.loses.binary_search(&node).is_ok() {
                return &[][..];
            }
            let at = node as usize;
            self.needs.get(start(at)..start(at + 1)).unwrap_or_default()
        };
        let nodes = (0u32..).take(self.by_name.len());
        let met = walk::reported(self.by_name.len(), needs, nodes.filter(|n| !needs(*n).is_empty()))?;
        let unit = self.by_name.get(met as usize)?;
        model.name(UnitIx(*unit)).cloned()
    }
}
