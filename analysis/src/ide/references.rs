//! Where a unit or a symbol is referred to.

use rustc_hash::FxHashSet;

use super::{FileSpan, declared_at, subject, unit};
use crate::config_file;
use crate::workspace::{Analysis, Project};
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Symbol, UnitIx, Variant};

/// The maximum number of units of a pattern that are searched for.
const MOST_OF_PATTERN: usize = 100;

/// One place where the subject is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reference {
    /// Its location.
    pub at: FileSpan,
    /// Whether it is declared there.
    pub declaration: bool,
}

/// Every place that names the subject at an offset, in all projects that know it and in their configurations:
/// in the order of files and places, each once. `declarations`: including the places that declare it.
#[must_use]
pub fn references(analysis: &Analysis, file: FileId, offset: u32, declarations: bool) -> Vec<Reference> {
    let (mut found, mut units) = (Vec::new(), Vec::new());
    for (file, offset) in named_from(analysis, file, offset) {
        let (references, declared) = of_subjects(analysis, file, offset);
        found.extend(references);
        units.extend(declared);
    }
    units.sort_unstable();
    units.dedup();
    let named = named_units(analysis, &units);
    let mentions = config_file::mentions(analysis, &named);
    found.extend(mentions.map(|(file, span)| Reference {
        at: FileSpan { file, span },
        declaration: false,
    }));
    in_order(analysis, found, declarations)
}

/// The same for the places in the file itself, without configurations.
pub(super) fn references_in(analysis: &Analysis, file: FileId, offset: u32) -> Vec<Reference> {
    let (mut found, _) = of_subjects(analysis, file, offset);
    found.retain(|r| r.at.file == file);
    in_order(analysis, found, true)
}

/// The places to search from: where the units are declared that a configuration names here, else the place
/// itself.
fn named_from(analysis: &Analysis, file: FileId, offset: u32) -> Vec<(FileId, u32)> {
    let Some(mention) = config_file::mention_at(analysis, file, offset) else {
        return vec![(file, offset)];
    };
    let units = mention.units.iter().take(MOST_OF_PATTERN);
    let declared = units.map(|named| declared_at(analysis, named.unit));
    declared.map(|at| (at.file, at.span.start)).collect()
}

/// The places that name the subject at an offset, and where its units are declared.
fn of_subjects(analysis: &Analysis, file: FileId, offset: u32) -> (Vec<Reference>, Vec<FileSpan>) {
    let subjects = subject::at(analysis, file, offset);
    let mut found = Vec::new();
    let mut units: Vec<FileSpan> = Vec::new();
    for subject in &subjects {
        let mut is_symbol = false;
        for symbol in subject.symbols() {
            is_symbol = true;
            of_symbol(analysis, symbol, &mut found);
            // The name of a unit can be a symbol: what depends on the unit refers to it by any of its names.
            let named: FxHashSet<FileSpan> = spans(analysis, &symbol.definitions).collect();
            let all = subject.variants().iter().flat_map(|variant| &variant.units);
            units.extend(
                all.map(|u| declared_at(analysis, u))
                    .filter(|at| named.contains(at)),
            );
        }
        if !is_symbol {
            let own = subject.unit_places(analysis);
            for symbol in subject.of.resolution.symbols.iter() {
                if spans(analysis, &symbol.definitions).any(|at| own.binary_search(&at).is_ok()) {
                    of_symbol(analysis, symbol, &mut found);
                }
            }
            units.extend(own);
        }
    }
    units.sort_unstable();
    units.dedup();
    of_units(analysis, &units, &mut found);
    (found, units)
}

/// Each once, in the order of files and places.
fn in_order(analysis: &Analysis, mut found: Vec<Reference>, declarations: bool) -> Vec<Reference> {
    found.retain(|r| declarations || !r.declaration);
    found.sort_by(|a, b| {
        (analysis.path(a.at.file), a.at.span, !a.declaration).cmp(&(
            analysis.path(b.at.file),
            b.at.span,
            !b.declaration,
        ))
    });
    found.dedup_by_key(|r| r.at);
    // A name inside a dependency is sufficient by itself.
    let around = |outer: &Reference, inner: Option<&Reference>| {
        inner.is_some_and(|inner| outer.at.file == inner.at.file && outer.at.span.contains(inner.at.span))
    };
    let is_outer: Vec<bool> = (0..found.len())
        .zip(&found)
        .map(|(n, r)| around(r, found.get(n + 1)) || n > 0 && around(r, found.get(n - 1)))
        .collect();
    let mut is_outer = is_outer.into_iter();
    found.retain(|_| is_outer.next() != Some(true));
    found
}

fn spans<'a>(analysis: &'a Analysis, places: &'a [Place]) -> impl Iterator<Item = FileSpan> + 'a {
    places.iter().map(|place| FileSpan::of(analysis, *place))
}

fn of_symbol(analysis: &Analysis, symbol: &Symbol, found: &mut Vec<Reference>) {
    for (places, declaration) in [(&symbol.definitions, true), (&symbol.references, false)] {
        found.extend(spans(analysis, places).map(|at| Reference { at, declaration }));
    }
}

/// The units that are declared at some places, by name.
fn named_units<'a>(analysis: &'a Analysis, places: &[FileSpan]) -> Vec<(&'a Project, &'a str)> {
    let mut found = Vec::new();
    for (_, project) in analysis.projects() {
        if !places.iter().any(|place| project.has_file(place.file)) {
            continue;
        }
        let units = project.resolution.variants.iter().flat_map(|v| &v.units);
        let named = units.filter(|unit| places.binary_search(&declared_at(analysis, unit)).is_ok());
        found.extend(named.map(|unit| (project.as_ref(), &*unit.name)));
    }
    found
}

/// The references to the units that are declared at some places.
fn of_units(analysis: &Analysis, places: &[FileSpan], found: &mut Vec<Reference>) {
    found.extend(places.iter().map(|place| Reference {
        at: *place,
        declaration: true,
    }));
    for (_, project) in analysis.projects() {
        if !places.iter().any(|place| project.has_file(place.file)) {
            continue;
        }
        for variant in &project.resolution.variants {
            for dependency in &variant.dependencies {
                if dependency
                    .targets
                    .iter()
                    .any(|t| is_one_of(analysis, variant, *t, places))
                {
                    found.push(Reference {
                        at: FileSpan::of(analysis, dependency.place),
                        declaration: false,
                    });
                }
            }
        }
    }
}

fn is_one_of(analysis: &Analysis, variant: &Variant, target: UnitIx, places: &[FileSpan]) -> bool {
    unit(variant, target).is_some_and(|u| places.binary_search(&declared_at(analysis, u)).is_ok())
}

/// The projects in which a place is known to declare a unit.
pub(super) fn projects_declaring(analysis: &Analysis, at: FileSpan) -> impl Iterator<Item = &Project> {
    analysis
        .projects()
        .map(|(_, project)| project.as_ref())
        .filter(move |project| {
            project.has_file(at.file)
                && project
                    .resolution
                    .variants
                    .iter()
                    .any(|v| v.units.iter().any(|u| declared_at(analysis, u) == at))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    fn check(text: &str, declarations: bool, expected: &[&str]) {
        let fixture = Fixture::new(applyorder_engines::all(), text);
        let found = references(&fixture.analysis, fixture.file, fixture.offset, declarations);
        let shown: Vec<String> = found.iter().map(|r| fixture.show(r.at)).collect();
        assert_eq!(shown, expected);
    }

    /// A file of two roots: its manifest is referred to in both.
    const SHARED: &str = "\
//- /w/one/tazuna.yaml
spec:
  manifests:
    - {includes: [{path: ../shared.yaml}]}
    - {name: first, type: kustomize, path: ./x, dependsOn: [common]}
//- /w/shared.yaml
spec:
  manifests:
    - {name: common, type: kustomize, path: ./x}
    - {name: more, type: kustomize, path: ./x, dependsOn: [common]}
//- /w/two/tazuna.yaml
spec:
  manifests:
    - {includes: [{path: ../shared.yaml}]}
    - {name: common-2, type: kustomize, path: ./x, dependsOn: [common]}
";

    #[test]
    fn references_come_from_all_projects_that_have_the_file() {
        let all = [
            "tazuna.yaml:4 common",
            "shared.yaml:3 common",
            "shared.yaml:4 common",
            "tazuna.yaml:4 common",
        ];
        check(&SHARED.replace("{name: common,", "{name: com$0mon,"), true, &all);
        check(
            &SHARED.replace("{name: common,", "{name: com$0mon,"),
            false,
            &[all[0], all[2], all[3]],
        );
    }

    #[test]
    fn a_reference_finds_the_others_of_its_project() {
        let text = SHARED.replacen("dependsOn: [common]", "dependsOn: [$0common]", 1);
        check(
            &text,
            false,
            &[
                "tazuna.yaml:4 common",
                "shared.yaml:4 common",
                "tazuna.yaml:4 common",
            ],
        );
    }
}
