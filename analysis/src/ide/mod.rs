//! Editor requests, answered from facts and graph: one file per feature. No protocol types; a position is a
//! byte offset in a file's current text.

pub mod calls;
pub mod closing;
pub mod code_actions;
pub mod completion;
mod consequence;
pub mod definition;
mod edge_hover;
mod edited;
mod finding_notes;
pub mod folding;
pub mod highlight;
pub mod hover;
pub mod inlay_hints;
mod known_order;
mod layers;
pub mod lens;
pub mod links;
pub mod listing;
pub mod moved;
mod name_hover;
mod neighbours;
pub mod order_state;
mod page;
pub mod proposal_hover;
pub mod references;
pub mod rename;
pub mod selection;
pub mod signature;
pub mod subject;
pub mod symbols;
pub mod tokens;
mod unit_hover;
pub mod unit_lens;
pub mod why;
mod written_name;

pub use page::Target;

use crate::workspace::{Analysis, Project};
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Unit, UnitIx, Variant};
use applyorder_syntax::text::Span;

/// A span in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileSpan {
    /// The file.
    pub file: FileId,
    /// The range in it.
    pub span: Span,
}

impl FileSpan {
    /// Where a place is in the current text.
    #[must_use]
    pub fn of(analysis: &Analysis, place: Place) -> Self {
        Self {
            file: place.file,
            span: analysis.span(place),
        }
    }
}

/// Where a unit is declared. Each environment numbers the places of one text separately, so that only this
/// shows whether two places are the same.
fn declared_at(analysis: &Analysis, unit: &Unit) -> FileSpan {
    FileSpan::of(analysis, unit.place())
}

fn unit(variant: &Variant, unit: UnitIx) -> Option<&Unit> {
    variant.units.get(unit.0 as usize)
}

/// The engine's term for one unit, or for several.
fn word(project: &Project, many: bool) -> &'static str {
    let meta = project.engine().meta();
    if many { meta.units } else { meta.unit }
}
