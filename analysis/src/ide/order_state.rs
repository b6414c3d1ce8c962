//! The permanently shown state of a file's project: whether it has an order, and what runs in parallel at the
//! cursor.

use super::calls::{self, Item};
use super::layers::LayerTable;
use super::word;
use crate::workspace::{Analysis, Project};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Operation, Variant};
use camino::Utf8Path;

/// The state of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderStatus {
    /// There are layers.
    Layers {
        /// How many are known.
        known: usize,
        /// Whether there may be further ones, because what units wait for cannot all be known.
        may_be_more: bool,
    },
    /// No order: units wait for each other in a cycle.
    Cycle,
    /// It cannot be known.
    Unknown,
}

/// The state of the order of a file's project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderState<'a> {
    /// The engine's ID.
    pub engine: &'static str,
    /// The root of the project.
    pub root: &'a Utf8Path,
    /// Its name, if the configuration gives one.
    pub name: Option<&'a str>,
    /// The number of units.
    pub units: usize,
    /// The engine's term for that many units.
    pub word: &'static str,
    /// The environment; `None` if none is given.
    pub environment: Option<&'a str>,
    /// Whether there is an order.
    pub status: OrderStatus,
    /// Why the order cannot be known.
    pub because: Option<&'a str>,
}

/// The state of the nearest project of a file, in its first environment. `None` if the file belongs to none.
#[must_use]
pub fn state(analysis: &Analysis, file: FileId) -> Option<OrderState<'_>> {
    let (_, project) = analysis.projects_of(file).into_iter().next()?;
    let variant = project.resolution.variants.first()?;
    Some(state_of(project, variant))
}

fn state_of<'a>(project: &'a Project, variant: &'a Variant) -> OrderState<'a> {
    let status = match &variant.apply.layers {
        Some(layers) => OrderStatus::Layers {
            known: layers.len(),
            may_be_more: variant.may_run_later(Operation::Apply).contains(&true),
        },
        None if !variant.apply.graph.components().cyclic().is_empty() => OrderStatus::Cycle,
        None => OrderStatus::Unknown,
    };
    let is_known = variant.apply.layers.is_some();
    OrderState {
        engine: project.engine().meta().id,
        root: &project.seed.root,
        name: project.seed.name.as_deref(),
        units: variant.units.len(),
        word: word(project, variant.units.len() != 1),
        environment: variant.environments.first().and_then(Option::as_deref),
        status,
        because: variant.apply.because.as_deref().filter(|_| !is_known),
    }
}

/// The units in the layers of those at an offset, in all projects and environments.
#[must_use]
pub fn beside(analysis: &Analysis, file: FileId, offset: u32) -> Vec<Item> {
    let mut found: Vec<Item> = Vec::new();
    for (project, variant, ix) in calls::at(analysis, file, offset) {
        let layers = LayerTable::new(variant);
        let items = layers
            .beside(ix)
            .filter_map(|other| calls::item(analysis, project, variant, &layers, other));
        found.extend(items);
    }
    found.sort_by(|a, b| {
        let path = |item: &Item| analysis.path(item.at.file);
        (path(a), a.at.span).cmp(&(path(b), b.at.span))
    });
    found.dedup_by(|a, b| a.at == b.at);
    found
}
