//! What an editor asks, answered from facts and graph: one file per feature. No protocol types; a position
//! is a byte offset in a file's current text.

mod card;
pub mod code_actions;
pub mod completion;
pub mod definition;
pub mod folding;
pub mod highlight;
pub mod hover;
pub mod inlay_hints;
mod layers;
pub mod links;
pub mod markdown;
pub mod references;
pub mod rename;
pub mod subject;
pub mod symbols;

#[cfg(test)]
pub(crate) mod fixture;

use crate::diagnostic::{FileId, Place};
use crate::engines::{Unit, UnitIx, Variant};
use crate::syntax::text::Span;
use crate::workspace::{Analysis, Project};

/// A span in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileSpan {
    /// The file.
    pub file: FileId,
    /// Where in it.
    pub span: Span,
}

impl FileSpan {
    pub(crate) fn of(analysis: &Analysis, place: Place) -> Self {
        Self {
            file: place.file,
            span: analysis.span(place),
        }
    }
}

/// The place that stands for a unit: its name, or its header where no name is written.
fn place_of(unit: &Unit) -> Place {
    unit.name_place.unwrap_or(unit.header)
}

/// Where a unit is declared. Environments number the places of one text each for itself, so that only this
/// tells whether they mean the same.
fn declared_at(analysis: &Analysis, unit: &Unit) -> FileSpan {
    FileSpan::of(analysis, place_of(unit))
}

fn unit(variant: &Variant, unit: UnitIx) -> Option<&Unit> {
    variant.units.get(unit.0 as usize)
}

/// The engine's word for one unit, or for several.
fn word(project: &Project, many: bool) -> &'static str {
    match project.engine() {
        Some(engine) if many => engine.meta().units,
        Some(engine) => engine.meta().unit,
        None => "unit",
    }
}
