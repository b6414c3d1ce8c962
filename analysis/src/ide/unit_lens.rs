//! A line above each unit of a file: its layer, and how many run after, in parallel with and before it. Each
//! part opens its list.

use rustc_hash::FxHashSet;

use super::layers::LayerTable;
use super::listing::{Listed, seen_in};
use super::{FileSpan, declared_at, neighbours};
use crate::workspace::Analysis;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Open, UnitIx, Variant};
use applyorder_core::graph::Direction;

/// A part of the line on a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitPart {
    /// Its layer.
    Layer,
    /// What it runs after, over any number of steps.
    After,
    /// What is in its layer.
    Beside,
    /// What it runs before, over any number of steps.
    Before,
}

impl UnitPart {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::Layer, Self::After, Self::Beside, Self::Before];

    /// Its word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Layer => "layer",
            Self::After => "after",
            Self::Beside => "beside",
            Self::Before => "before",
        }
    }
}

/// The parts of the line above each unit of a file: if no layers are known, nothing is in parallel with a unit.
#[must_use]
pub fn parts(analysis: &Analysis, file: FileId) -> Vec<UnitPart> {
    let has_layers = seen_in(analysis, file).is_none_or(|(_, variant)| variant.apply.layers.is_some());
    let parts = UnitPart::ALL.into_iter();
    parts
        .filter(|part| has_layers || *part != UnitPart::Beside)
        .collect()
}

/// The units that are declared in a file, for the project of [`super::lens`], each once.
#[must_use]
pub fn units_in(analysis: &Analysis, file: FileId) -> Vec<(String, FileSpan)> {
    let Some((_, variant)) = seen_in(analysis, file) else {
        return Vec::new();
    };
    let mut seen: FxHashSet<FileSpan> = FxHashSet::default();
    let units = variant.units.iter();
    let here = units.map(|unit| (unit.name.to_string(), declared_at(analysis, unit)));
    let mut found: Vec<_> = here
        .filter(|(_, at)| at.file == file && seen.insert(*at))
        .collect();
    found.sort_by_key(|(_, at)| at.span);
    found
}

/// The text of a part of the line above a unit, by the unit's name. `None` if the unit does not exist.
#[must_use]
pub fn title(analysis: &Analysis, file: FileId, name: &str, part: UnitPart) -> Option<String> {
    let (_, variant, ix) = named(analysis, file, name)?;
    let layers = LayerTable::new(variant);
    let place = layers.of(ix);
    Some(match part {
        UnitPart::Layer => place.unwrap_or_else(|| {
            let word = if variant.apply.layers.is_some() {
                "not in this run"
            } else {
                "no layer"
            };
            word.to_owned()
        }),
        _ => {
            let more = if is_open(variant, &layers, ix, part) {
                " or more"
            } else {
                ""
            };
            format!("{} {}{more}", part.word(), units_of(variant, ix, part).len())
        }
    })
}

/// Whether further units may belong to a part.
fn is_open(variant: &Variant, layers: &LayerTable<'_>, ix: UnitIx, part: UnitPart) -> bool {
    match part {
        UnitPart::Layer | UnitPart::Beside => layers.is_beside_open(ix),
        UnitPart::After => layers.may_be_later(ix),
        UnitPart::Before => {
            let later = units_of(variant, ix, part);
            let waits_for_one =
                |open: &Open| open.from.is_none() && open.to.is_some_and(|to| later.contains(&to));
            neighbours::are_open(&variant.apply, ix, Direction::Dependents)
                || variant.apply.open.iter().any(waits_for_one)
        }
    }
}

/// The units that a part of the line on a unit counts; for its layer, all that are in it.
#[must_use]
pub fn listing(analysis: &Analysis, file: FileId, name: &str, part: UnitPart) -> Vec<Listed> {
    let Some((_, variant, ix)) = named(analysis, file, name) else {
        return Vec::new();
    };
    let layers = LayerTable::new(variant);
    let mut found: Vec<Listed> = units_of(variant, ix, part)
        .into_iter()
        .filter_map(|ix| {
            let unit = super::unit(variant, ix)?;
            Some(Listed {
                name: unit.name.to_string(),
                layer: layers.number(ix),
                may_be_later: layers.may_be_later(ix),
                at: declared_at(analysis, unit),
            })
        })
        .collect();
    found.sort_by_key(|listed| listed.layer.unwrap_or(u32::MAX));
    found
}

fn named<'a>(
    analysis: &'a Analysis,
    file: FileId,
    name: &str,
) -> Option<(&'a crate::workspace::Project, &'a Variant, UnitIx)> {
    let (project, variant) = seen_in(analysis, file)?;
    let is_it = |unit: &applyorder_core::engine::Unit| {
        *unit.name == *name && declared_at(analysis, unit).file == file
    };
    let mut units = (0u32..).zip(&variant.units);
    let (ix, _) = units.find(|(_, unit)| is_it(unit))?;
    Some((project, variant, UnitIx(ix)))
}

fn units_of(variant: &Variant, ix: UnitIx, part: UnitPart) -> Vec<UnitIx> {
    let layers = LayerTable::new(variant);
    match part {
        UnitPart::Layer => std::iter::once(ix).chain(layers.beside(ix)).collect(),
        UnitPart::Beside => layers.beside(ix).collect(),
        UnitPart::After => neighbours::all(&variant.apply, ix, Direction::Dependencies),
        UnitPart::Before => neighbours::all(&variant.apply, ix, Direction::Dependents),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn each_unit_says_what_runs_around_it() {
        let fixture = Fixture::new(
            applyorder_engines::all(),
            "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: ./x$0}\n    - {name: b, type: \
             kustomize, path: ./x, dependsOn: [a]}\n    - {name: c, type: kustomize, path: ./x, dependsOn: [a]}\n    - {name: \
             d, type: kustomize, path: ./x, dependsOn: [c]}\n",
        );
        let (analysis, file) = (&fixture.analysis, fixture.file);
        let line = |name: &str| -> Vec<String> {
            let titles = UnitPart::ALL.map(|part| title(analysis, file, name, part).unwrap());
            titles.to_vec()
        };
        assert_eq!(line("a"), ["layer 1 of 3", "after 0", "beside 0", "before 3"]);
        assert_eq!(line("c"), ["layer 2 of 3", "after 1", "beside 1", "before 1"]);
        let names: Vec<String> = units_in(analysis, file)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["a", "b", "c", "d"]);
        let listed = |part| -> Vec<String> {
            let found = listing(analysis, file, "c", part);
            found.into_iter().map(|listed| listed.name).collect()
        };
        assert_eq!(listed(UnitPart::After), ["a"]);
        assert_eq!(listed(UnitPart::Beside), ["b"]);
        assert_eq!(listed(UnitPart::Before), ["d"]);
        assert_eq!(title(analysis, file, "gone", UnitPart::Layer), None);
        assert_eq!(parts(analysis, file), UnitPart::ALL);
    }

    #[test]
    fn without_layers_no_unit_is_in_parallel_with_another() {
        let fixture = Fixture::new(
            applyorder_engines::all(),
            "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: ./x$0, dependsOn: [b]}\n    - \
             {name: b, type: kustomize, path: ./x, dependsOn: [a]}\n",
        );
        let parts = parts(&fixture.analysis, fixture.file);
        assert_eq!(parts, [UnitPart::Layer, UnitPart::After, UnitPart::Before]);
    }
}
