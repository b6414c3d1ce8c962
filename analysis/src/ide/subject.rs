//! The subject at an offset of a file: a unit, a written dependency, a link to a file, a symbol.

use std::sync::Arc;

use super::{FileSpan, declared_at, unit};
use crate::workspace::{Analysis, Project, ProjectIx};
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Dependency, DependencyIx, Link, Symbol, Unit, UnitIx, Variant};
use applyorder_syntax::text::Span;

/// The meaning of the text at an offset in one project.
#[derive(Clone)]
pub struct Subject<'a> {
    /// The index of the project.
    pub project: ProjectIx,
    /// The project.
    pub of: &'a Arc<Project>,
    /// The text that it is about.
    pub span: Span,
    /// Everything that the text refers to, by kind.
    pub things: Vec<SubjectKind>,
    /// The written dependencies that contain the name of a symbol: a filter that names tags.
    pub around: Vec<SubjectKind>,
}

/// One thing that a text refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubjectKind {
    /// A unit at its name or header: which variant, which unit.
    Unit(usize, UnitIx),
    /// A written dependency: which variant, which dependency.
    Dependency(usize, DependencyIx),
    /// A place that names a file: index in the project's links.
    Link(usize),
    /// A symbol, where it is declared or referred to: index in the project's symbols.
    Symbol(usize),
}

impl<'a> Subject<'a> {
    /// The variants of the project.
    #[must_use]
    pub fn variants(&self) -> &'a [Variant] {
        &self.of.resolution.variants
    }

    /// The units here, with the variant.
    pub fn units(&self) -> impl Iterator<Item = (usize, &'a Variant, UnitIx, &'a Unit)> + '_ {
        self.things.iter().filter_map(|thing| match thing {
            SubjectKind::Unit(v, ix) => {
                let variant = self.variants().get(*v)?;
                Some((*v, variant, *ix, unit(variant, *ix)?))
            }
            _ => None,
        })
    }

    /// The dependencies here or around: variant, number, dependency.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, DependencyIx, &'a Dependency)> + '_ {
        self.things
            .iter()
            .chain(&self.around)
            .filter_map(|thing| match thing {
                SubjectKind::Dependency(v, ix) => {
                    let variant = self.variants().get(*v)?;
                    Some((*v, *ix, variant.dependencies.get(ix.0 as usize)?))
                }
                _ => None,
            })
    }

    /// The dependencies here or around, with the variant.
    pub fn dependencies(&self) -> impl Iterator<Item = (usize, &'a Variant, &'a Dependency)> + '_ {
        self.things
            .iter()
            .chain(&self.around)
            .filter_map(|thing| match thing {
                SubjectKind::Dependency(v, ix) => {
                    let variant = self.variants().get(*v)?;
                    Some((*v, variant, variant.dependencies.get(ix.0 as usize)?))
                }
                _ => None,
            })
    }

    /// The links here.
    pub fn links(&self) -> impl Iterator<Item = &'a Link> + '_ {
        self.things.iter().filter_map(|thing| match thing {
            SubjectKind::Link(i) => self.of.resolution.links.get(*i),
            _ => None,
        })
    }

    /// The symbols here.
    pub fn symbols(&self) -> impl Iterator<Item = &'a Symbol> + '_ {
        self.things.iter().filter_map(|thing| match thing {
            SubjectKind::Symbol(i) => self.of.resolution.symbols.get(*i),
            _ => None,
        })
    }

    /// Where all referenced units are declared: those here, and those that a dependency here refers to. Each
    /// place once.
    #[must_use]
    pub fn unit_places(&self, analysis: &Analysis) -> Vec<FileSpan> {
        let own = self.units().map(|(_, _, _, unit)| declared_at(analysis, unit));
        let mut places: Vec<FileSpan> = own.collect();
        for (_, variant, dependency) in self.dependencies() {
            places.extend(
                dependency
                    .targets
                    .iter()
                    .filter_map(|t| unit(variant, *t))
                    .map(|unit| declared_at(analysis, unit)),
            );
        }
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// The subject at an offset, per project that has the file, the nearest root first. Of several nested texts
/// that contain the offset, the smallest is used.
#[must_use]
pub fn at(analysis: &Analysis, file: FileId, offset: u32) -> Vec<Subject<'_>> {
    analysis
        .projects_of(file)
        .into_iter()
        .filter_map(|(ix, project)| {
            let mut search = Search {
                analysis,
                file,
                offset,
                best: None,
                things: Vec::new(),
                dependencies: Vec::new(),
            };
            search.project(project);
            let span = search.best?;
            let is_symbol = search.things.iter().any(|t| matches!(t, SubjectKind::Symbol(_)));
            let around = search.dependencies.into_iter();
            let around = around.filter(|(of, _)| is_symbol && *of != span && of.contains(span));
            Some(Subject {
                project: ix,
                of: project,
                span,
                things: search.things,
                around: around.map(|(_, thing)| thing).collect(),
            })
        })
        .collect()
}

struct Search<'a> {
    analysis: &'a Analysis,
    file: FileId,
    offset: u32,
    best: Option<Span>,
    things: Vec<SubjectKind>,
    /// Every dependency that contains the offset.
    dependencies: Vec<(Span, SubjectKind)>,
}

impl Search<'_> {
    fn project(&mut self, project: &Project) {
        let resolution = &project.resolution;
        for (v, variant) in resolution.variants.iter().enumerate() {
            for (ix, unit) in (0u32..).map(UnitIx).zip(&variant.units) {
                self.look(unit.header, SubjectKind::Unit(v, ix));
                if let Some(name) = unit.name_place {
                    self.look(name, SubjectKind::Unit(v, ix));
                }
            }
            for (ix, dependency) in (0u32..).map(DependencyIx).zip(&variant.dependencies) {
                self.look(dependency.place, SubjectKind::Dependency(v, ix));
            }
        }
        for (i, link) in resolution.links.iter().enumerate() {
            self.look(link.place, SubjectKind::Link(i));
        }
        for (i, symbol) in resolution.symbols.iter().enumerate() {
            for place in symbol.definitions.iter().chain(&symbol.references) {
                self.look(*place, SubjectKind::Symbol(i));
            }
        }
    }

    fn look(&mut self, place: Place, thing: SubjectKind) {
        if place.file != self.file {
            return;
        }
        let span = self.analysis.span(place);
        if !span.touches(self.offset) || span.is_empty() {
            return;
        }
        if matches!(thing, SubjectKind::Dependency(..)) {
            self.dependencies.push((span, thing));
        }
        match self.best {
            Some(best) if best == span => {}
            Some(best) if best.len() <= span.len() => return,
            _ => {
                self.best = Some(span);
                self.things.clear();
            }
        }
        if !self.things.contains(&thing) {
            self.things.push(thing);
        }
    }
}
