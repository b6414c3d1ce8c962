//! The units that the expectations of a configuration name.

use std::collections::BTreeMap;

use super::{ConfigFile, NodeIx};
use crate::workspace::{Analysis, Project};
use applyorder_core::config::expect::is_meant;
use applyorder_core::engine::Unit;

/// A unit that an expectation can name.
#[derive(Clone, Copy)]
pub struct Named<'a> {
    /// The project that has it.
    pub project: &'a Project,
    /// The unit, in the first environment that has it.
    pub unit: &'a Unit,
}

impl ConfigFile<'_> {
    /// Whether a value names units.
    #[must_use]
    pub fn names_units(&self, value: NodeIx) -> bool {
        self.schema.at(self.outline.path(value)).is_unit()
    }
}

/// The units of the projects beside a configuration and below it, by name; of several with one name the first one.
#[must_use]
pub fn units<'a>(analysis: &'a Analysis, config: &ConfigFile<'_>) -> BTreeMap<&'a str, Named<'a>> {
    let mut found: BTreeMap<&str, Named<'_>> = BTreeMap::new();
    let dir = config.path.parent();
    for (_, project) in analysis.projects() {
        if !dir.is_some_and(|dir| project.seed.root.starts_with(dir)) {
            continue;
        }
        for unit in project.resolution.variants.iter().flat_map(|v| &v.units) {
            found.entry(&unit.name).or_insert(Named { project, unit });
        }
    }
    found
}

/// Those of [`units`] that a pattern means, in which `*` stands for any characters.
#[must_use]
pub fn meant<'a>(analysis: &'a Analysis, config: &ConfigFile<'_>, pattern: &str) -> Vec<Named<'a>> {
    let units = units(analysis, config).into_iter();
    units
        .filter(|(name, _)| is_meant(pattern, name))
        .map(|(_, named)| named)
        .collect()
}
