//! A project's run in one of two states, and the mapping of units between them.

use std::collections::HashMap;
use std::sync::Arc;

use applyorder_analysis::diagnostic::Place;
use applyorder_analysis::engine::{Operation, UnitIx, Variant};
use applyorder_analysis::graph::{NodeId, NodeKind, OrderGraph};
use applyorder_analysis::workspace::{Project, ProjectIx};

use super::renames;
use crate::formats::json::diff::{Extent, Placed};
use crate::formats::json::{self, model};
use crate::session::Session;

/// A project in one of the two states.
#[derive(Clone, Copy)]
pub(super) struct State<'a> {
    pub(super) session: &'a Session,
    pub(super) ix: ProjectIx,
    pub(super) project: &'a Project,
}

/// The result of a run in one state; empty if there is none.
pub(super) struct Side<'a> {
    /// `None` if there is no project.
    pub(super) of: Option<(&'a Session, &'a Project, &'a Variant)>,
    /// Without the units that the run excludes.
    pub(super) graph: Arc<OrderGraph>,
    pub(super) is_selected: Vec<bool>,
    /// For each unit, from 1.
    pub(super) layer: Vec<Option<u32>>,
    pub(super) extent: Option<Extent>,
    pub(super) sequence: Option<Vec<UnitIx>>,
    pub(super) is_unknown: bool,
    pub(super) barrier: bool,
}

impl<'a> Side<'a> {
    pub(super) fn new(of: Option<(&'a Session, &'a Project, &'a Variant)>, operation: Operation) -> Self {
        let Some((_, project, variant)) = of else {
            return Self {
                of: None,
                graph: Arc::default(),
                is_selected: Vec::new(),
                layer: Vec::new(),
                extent: None,
                sequence: None,
                is_unknown: false,
                barrier: false,
            };
        };
        let order = variant.order_of(operation);
        let mut is_selected = vec![variant.selected.is_none(); variant.units.len()];
        for unit in variant.selected.iter().flatten() {
            if let Some(is_selected) = is_selected.get_mut(unit.0 as usize) {
                *is_selected = true;
            }
        }
        let mut layer = vec![None; variant.units.len()];
        for (units, number) in order.layers.iter().flat_map(|l| l.iter()).zip(1..) {
            for unit in units {
                if let Some(layer) = layer.get_mut(unit.0 as usize) {
                    *layer = Some(number);
                }
            }
        }
        let graph = if variant.selected.is_none() {
            order.graph.clone()
        } else {
            let left_out = |n: NodeId| is_selected.get(n.index()).is_some_and(|selected| !selected);
            Arc::new(order.graph.without(left_out))
        };
        Self {
            of,
            graph,
            layer,
            extent: Some(Extent {
                units: is_selected.iter().filter(|s| **s).count(),
                layers: order.layers.as_ref().map(|layers| layers.len()),
                widest: order
                    .layers
                    .as_ref()
                    .and_then(|layers| layers.iter().map(Vec::len).max()),
            }),
            is_selected,
            sequence: order.sequence.clone(),
            is_unknown: project.unresolved().next().is_some(),
            barrier: project.engine().layer_meaning(variant, operation).barrier,
        }
    }

    /// The units that the run includes.
    pub(super) fn units(&self) -> impl Iterator<Item = usize> + '_ {
        let selected = self.is_selected.iter().enumerate();
        selected.filter(|(_, selected)| **selected).map(|(ix, _)| ix)
    }

    pub(super) fn variant(&self) -> Option<&'a Variant> {
        self.of.map(|(_, _, variant)| variant)
    }

    pub(super) fn name(&self, unit: usize) -> &'a str {
        self.variant()
            .and_then(|v| v.units.get(unit))
            .map_or("", |u| &*u.name)
    }

    pub(super) fn layer(&self, unit: NodeId) -> Option<u32> {
        self.layer.get(unit.index()).copied().flatten()
    }

    pub(super) fn place(&self, place: Option<Place>) -> Option<model::Place> {
        let (session, _, _) = self.of?;
        Some(json::place(session, place?))
    }

    pub(super) fn placed(&self, unit: usize) -> Option<Placed> {
        let header = self.variant()?.units.get(unit)?.header;
        Some(Placed {
            unit: self.name(unit).to_owned(),
            layer: self.layer.get(unit).copied().flatten(),
            place: self.place(Some(header))?,
        })
    }

    /// The names of the units of a longest chain; the first one runs first.
    pub(super) fn chain(&self) -> Option<Vec<String>> {
        let path = self.graph.critical_path()?;
        let units = path.nodes().iter().rev();
        let units = units.filter(|n| matches!(self.graph.kind(**n), Some(NodeKind::Unit(_))));
        Some(units.map(|n| self.name(n.index()).to_owned()).collect())
    }
}

/// The mapping between the units of two states.
pub(super) struct Same {
    /// Indexed by unit before.
    pub(super) there: Vec<Option<NodeId>>,
    /// Indexed by unit after.
    back: Vec<Option<NodeId>>,
}

impl Same {
    pub(super) fn of(before: &Side<'_>, after: &Side<'_>) -> (Self, Vec<(usize, usize)>) {
        let mut same = Self {
            there: vec![None; before.is_selected.len()],
            back: vec![None; after.is_selected.len()],
        };
        // Units with the same name are matched in order.
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for unit in after.units() {
            by_name.entry(after.name(unit)).or_default().push(unit);
        }
        by_name.values_mut().for_each(|units| units.reverse());
        for unit in before.units() {
            if let Some(other) = by_name.get_mut(before.name(unit)).and_then(Vec::pop) {
                same.set(unit, other);
            }
        }
        let gone: Vec<usize> = before.units().filter(|u| same.there(*u).is_none()).collect();
        let new: Vec<usize> = after.units().filter(|u| same.back(*u).is_none()).collect();
        let renamed = renames::find(before, &gone, after, &new);
        for (one, other) in &renamed {
            same.set(*one, *other);
        }
        (same, renamed)
    }

    fn set(&mut self, before: usize, after: usize) {
        if let (Some(there), Some(back)) = (self.there.get_mut(before), self.back.get_mut(after)) {
            *there = node(after);
            *back = node(before);
        }
    }

    pub(super) fn there(&self, unit: usize) -> Option<NodeId> {
        self.there.get(unit).copied().flatten()
    }

    pub(super) fn back(&self, unit: usize) -> Option<NodeId> {
        self.back.get(unit).copied().flatten()
    }
}

fn node(unit: usize) -> Option<NodeId> {
    u32::try_from(unit).ok().map(NodeId)
}
