//! The units of a file's project, with their layers: what the parts of a lens open.

use super::layers::LayerTable;
use super::{FileSpan, declared_at};
use crate::workspace::{Analysis, Project};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{UnitIx, Variant};

/// A unit of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Its layer, from 1.
    pub layer: Option<u32>,
    /// Whether it may run later: not all of its dependencies can be known.
    pub may_be_later: bool,
    /// Where it is declared.
    pub at: FileSpan,
}

/// The project and environment that a file is shown for: the nearest project that declares a unit in it, and
/// its first environment that does.
pub(super) fn seen_in(analysis: &Analysis, file: FileId) -> Option<(&Project, &Variant)> {
    analysis.projects_of(file).into_iter().find_map(|(_, project)| {
        let declares = |variant: &&Variant| {
            let mut units = variant.units.iter();
            units.any(|unit| declared_at(analysis, unit).file == file)
        };
        let variant = project.resolution.variants.iter().find(declares)?;
        Some((&**project, variant))
    })
}

/// The units by layer, those without one last; `here`: only those that are declared in the file.
#[must_use]
pub fn listing(analysis: &Analysis, file: FileId, here: bool) -> Vec<Listed> {
    let Some((_, variant)) = seen_in(analysis, file) else {
        return Vec::new();
    };
    let layers = LayerTable::new(variant);
    let mut found: Vec<Listed> = (0..)
        .map(UnitIx)
        .zip(&variant.units)
        .map(|(ix, unit)| Listed {
            name: unit.name.to_string(),
            layer: layers.number(ix),
            may_be_later: layers.may_be_later(ix),
            at: declared_at(analysis, unit),
        })
        .filter(|listed| !here || listed.at.file == file)
        .collect();
    found.sort_by_key(|listed| listed.layer.unwrap_or(u32::MAX));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn units_come_in_their_layers() {
        let fixture = Fixture::new(
            applyorder_engines::all(),
            "//- /w/part.yaml\nspec:\n  manifests:\n    - {name: b, type: kustomize, path: ./x, dependsOn: [a]}\n//- \
             /w/tazuna.yaml\nspec:\n  manifests:\n    - {includes: [{path: part.yaml}]}\n    - {name: a, type: kustomize, \
             path: ./x$0}\n",
        );
        let shown = |path: &str, here| -> Vec<String> {
            let found = listing(&fixture.analysis, fixture.path(path), here);
            found
                .iter()
                .map(|l| format!("{} {:?}", l.name, l.layer))
                .collect()
        };
        assert_eq!(shown("/w/part.yaml", false), ["a Some(1)", "b Some(2)"]);
        assert_eq!(shown("/w/part.yaml", true), ["b Some(2)"]);
    }
}
