//! Where a unit or a symbol is referred to.

use super::{FileSpan, place_of, subject, unit};
use crate::diagnostic::{FileId, Place};
use crate::engines::Variant;
use crate::workspace::{Analysis, Project};

/// One place where the thing is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reference {
    /// Where.
    pub at: FileSpan,
    /// Whether it is declared there.
    pub declaration: bool,
}

/// Every place that names what stands at an offset, in all projects that know it: in the order of files
/// and places, each once. `declarations`: with the places that declare it.
#[must_use]
pub fn references(analysis: &Analysis, file: FileId, offset: u32, declarations: bool) -> Vec<Reference> {
    let subjects = subject::at(analysis, file, offset);
    let mut found = Vec::new();
    let mut units: Vec<Place> = Vec::new();
    for subject in &subjects {
        let mut is_symbol = false;
        for symbol in subject.symbols() {
            is_symbol = true;
            for (places, declaration) in [(&symbol.definitions, true), (&symbol.references, false)] {
                found.extend(places.iter().map(|place| Reference {
                    at: FileSpan::of(analysis, *place),
                    declaration,
                }));
            }
        }
        if !is_symbol {
            units.extend(subject.unit_places());
        }
    }
    units.sort_unstable();
    units.dedup();
    of_units(analysis, &units, &mut found);
    found.retain(|r| declarations || !r.declaration);
    found.sort_by(|a, b| {
        (analysis.path(a.at.file), a.at.span, !a.declaration).cmp(&(
            analysis.path(b.at.file),
            b.at.span,
            !b.declaration,
        ))
    });
    found.dedup_by_key(|r| r.at);
    found
}

/// The references to the units that are declared at some places.
fn of_units(analysis: &Analysis, places: &[Place], found: &mut Vec<Reference>) {
    found.extend(places.iter().map(|place| Reference {
        at: FileSpan::of(analysis, *place),
        declaration: true,
    }));
    for (_, project) in analysis.projects() {
        if !places.iter().any(|place| project.has_file(place.file)) {
            continue;
        }
        for variant in &project.resolution.variants {
            for dependency in &variant.dependencies {
                if dependency.targets.iter().any(|t| is_one_of(variant, *t, places)) {
                    found.push(Reference {
                        at: FileSpan::of(analysis, dependency.place),
                        declaration: false,
                    });
                }
            }
        }
    }
}

fn is_one_of(variant: &Variant, target: crate::engines::UnitIx, places: &[Place]) -> bool {
    unit(variant, target).is_some_and(|u| places.binary_search(&place_of(u)).is_ok())
}

/// The projects in which a place is known to declare a unit.
pub(super) fn projects_declaring(analysis: &Analysis, place: Place) -> impl Iterator<Item = &Project> {
    analysis
        .projects()
        .map(|(_, project)| project.as_ref())
        .filter(move |project| {
            project.has_file(place.file)
                && project
                    .resolution
                    .variants
                    .iter()
                    .any(|v| v.units.iter().any(|u| place_of(u) == place))
        })
}
