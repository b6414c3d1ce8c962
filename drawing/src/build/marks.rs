//! What is highlighted in a picture: cycles, the longest chain, units with findings.

use applyorder_analysis::diagnostic::Severity;
use applyorder_analysis::graph::{Cycle, EdgeId, Step};
use rustc_hash::FxHashMap;

use super::Builder;
use crate::model::{Edge, Ring};

impl Builder<'_> {
    pub(super) fn add_rings(&mut self) {
        for cycle in std::mem::take(&mut self.cycles) {
            let steps = ring_in_time(&cycle);
            let cut = cycle.cut.map(|cut| cut.edge);
            for (step, number) in steps.iter().zip(1..) {
                let (Some(after), Some(before)) = (self.at(step.from), self.at(step.to)) else {
                    continue;
                };
                let edge = self.edge(before, after, step.edges);
                let at = self.add(edge.clone());
                if let Some(there) = self.edges.get_mut(at) {
                    let cut = cut.is_some_and(|cut| step.edges.contains(&cut));
                    *there = Edge {
                        cycle: true,
                        ring: Some(Ring { number, cut }),
                        ..edge
                    };
                }
            }
        }
    }

    pub(super) fn mark_chain(&mut self) {
        if self.order.layers.is_none() {
            return;
        }
        let Some(path) = self.graph.critical_path() else {
            return;
        };
        for node in path.nodes() {
            if let Some(node) = self.at(*node).and_then(|at| self.nodes.get_mut(at)) {
                node.chain = true;
            }
        }
        for step in path.steps() {
            // A join that is drawn is an intermediate stop.
            let Some(mut after) = self.at(step.from) else {
                continue;
            };
            let mut passed: Vec<EdgeId> = Vec::new();
            for id in step.edges {
                passed.push(*id);
                let to = self.graph.edge(*id).and_then(|edge| self.at(edge.to));
                let Some(before) = to else { continue };
                let edge = self.edge(before, after, &passed);
                let at = self.add(edge);
                if let Some(edge) = self.edges.get_mut(at) {
                    edge.chain = true;
                }
                after = before;
                passed.clear();
            }
        }
    }

    pub(super) fn mark_findings(&mut self) {
        let mut worst: FxHashMap<&str, Severity> = FxHashMap::default();
        for finding in self.source.project.findings().iter() {
            if finding.severity < Severity::Warning {
                continue;
            }
            for unit in &finding.units {
                let of = worst.entry(unit).or_insert(finding.severity);
                *of = (*of).max(finding.severity);
            }
        }
        for (unit, at) in self.source.variant.units.iter().zip(&self.drawn) {
            if let Some(node) = self.nodes.get_mut(*at) {
                node.finding = worst.get(&*unit.name).copied();
            }
        }
    }
}

/// The steps of a cycle in time order; the one to cut is last.
pub(super) fn ring_in_time(cycle: &Cycle) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = cycle.path.steps().collect();
    steps.reverse();
    let cut = cycle.cut.map(|cut| cut.edge);
    if let Some(at) = steps
        .iter()
        .position(|step| cut.is_some_and(|cut| step.edges.contains(&cut)))
    {
        steps.rotate_left(at + 1);
    }
    steps
}
