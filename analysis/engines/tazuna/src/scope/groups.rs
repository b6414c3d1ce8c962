//! The groups of includes of a root.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::model::Expansion;
use crate::read::rebased;
use applyorder_core::diagnostic::Place;

/// The maximum number of manifests of a group that one entry is replaced with.
pub(crate) const MOST_MEMBERS: usize = 100;

/// A group of includes: the place of its name, and its manifests up to a maximum.
pub(crate) struct Group {
    pub(crate) name: Place,
    pub(crate) members: Vec<(Arc<str>, Place)>,
}

/// The root's groups by name; of equal names the first.
pub(super) fn groups(expansion: &Expansion) -> FxHashMap<Arc<str>, Group> {
    let mut groups: FxHashMap<Arc<str>, Group> = FxHashMap::default();
    let Some(root) = expansion.root() else {
        return groups;
    };
    for item in &root.piece.groups {
        let index = *item as usize;
        let written = root.piece.view.item(index).and_then(|i| i.manifest.name.as_ref());
        let Some(name) = written.filter(|name| !name.text.is_empty()) else {
            continue;
        };
        groups.entry(name.text.clone()).or_insert_with(|| {
            let parts = expansion.parts_of_group(*item);
            let parts = parts.filter_map(|part| expansion.parts.get(part as usize));
            let units = parts.flat_map(|p| p.piece.units.iter().map(|u| &u.unit));
            let members = units
                .filter(|unit| !unit.name.is_empty())
                .map(|unit| (unit.name.clone(), unit.place()));
            Group {
                name: rebased(name.place, root.piece.view.base(index)),
                members: members.take(MOST_MEMBERS + 1).collect(),
            }
        });
    }
    groups
}
