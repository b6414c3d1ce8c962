//! Names and places in text for users: as links that open them, if the client supports those.

use super::unit_hover::short_path;
use super::{FileSpan, declared_at, unit};
use crate::workspace::{Analysis, Project};
use applyorder_core::diagnostic::Place;
use applyorder_core::engine::{UnitIx, Variant};
use applyorder_core::markdown::code;

/// Returns the target of a link to a place.
pub type Target<'a> = &'a dyn Fn(FileSpan) -> Option<String>;

/// Writes names and places of an analysis.
#[derive(Clone, Copy)]
pub(super) struct Page<'a> {
    pub(super) analysis: &'a Analysis,
    /// The targets of links; `None`: no links.
    pub(super) target: Option<Target<'a>>,
}

/// If there are more names than this, the rest is counted, not shown.
pub(super) const MOST: usize = 5;

impl Page<'_> {
    fn linked(&self, text: &str, at: FileSpan) -> String {
        let text = code(text);
        match self.target.and_then(|target| target(at)) {
            Some(target) => format!("[{text}]({target})"),
            None => text,
        }
    }

    /// The name of a unit, linked to its declaration.
    pub(super) fn unit(&self, variant: &Variant, ix: UnitIx) -> String {
        unit(variant, ix).map_or_else(String::new, |unit| {
            self.linked(&unit.name, declared_at(self.analysis, unit))
        })
    }

    /// Some units in one line: the first few, then how many more there are; `nothing` if the list is empty.
    pub(super) fn units(&self, variant: &Variant, units: &[UnitIx]) -> String {
        if units.is_empty() {
            return "nothing".to_owned();
        }
        let shown = units.iter().take(MOST).map(|ix| self.unit(variant, *ix));
        let more = units.len().saturating_sub(MOST);
        let more = (more > 0).then(|| format!("{more} more"));
        shown.chain(more).collect::<Vec<_>>().join(", ")
    }

    /// `data.yaml:5`, linked to the place.
    pub(super) fn place(&self, project: &Project, place: Place) -> String {
        let path = short_path(self.analysis, project, place.file);
        let at = FileSpan::of(self.analysis, place);
        match self.analysis.source(place.file) {
            Some(source) => {
                let line = source.lines().line(at.span.start).saturating_add(1);
                self.linked(&format!("{path}:{line}"), at)
            }
            None => code(&path),
        }
    }
}
