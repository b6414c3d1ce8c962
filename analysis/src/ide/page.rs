//! Names and places in a text for people: as links that open them, where the client can follow those.

use super::unit_hover::short_path;
use super::{FileSpan, declared_at, unit};
use crate::workspace::{Analysis, Project};
use applyorder_core::diagnostic::Place;
use applyorder_core::engine::{UnitIx, Variant};
use applyorder_core::markdown::code;

/// Gives the target of a link to a place.
pub type Target<'a> = &'a dyn Fn(FileSpan) -> Option<String>;

/// Writes names and places of an analysis.
#[derive(Clone, Copy)]
pub(super) struct Page<'a> {
    pub(super) analysis: &'a Analysis,
    /// Where links lead; `None`: there are none.
    pub(super) target: Option<Target<'a>>,
}

/// More names than this are counted, not shown.
pub(super) const MOST: usize = 5;

impl Page<'_> {
    fn linked(&self, text: &str, at: FileSpan) -> String {
        let text = code(text);
        match self.target.and_then(|target| target(at)) {
            Some(target) => format!("[{text}]({target})"),
            None => text,
        }
    }

    /// The name of a unit, which leads to where it is declared.
    pub(super) fn unit(&self, variant: &Variant, ix: UnitIx) -> String {
        unit(variant, ix).map_or_else(String::new, |unit| {
            self.linked(&unit.name, declared_at(self.analysis, unit))
        })
    }

    /// Some units in one line: the first few, then how many more there are; `nothing` where there are none.
    pub(super) fn units(&self, variant: &Variant, units: &[UnitIx]) -> String {
        if units.is_empty() {
            return "nothing".to_owned();
        }
        let shown = units.iter().take(MOST).map(|ix| self.unit(variant, *ix));
        let more = units.len().saturating_sub(MOST);
        let more = (more > 0).then(|| format!("{more} more"));
        shown.chain(more).collect::<Vec<_>>().join(", ")
    }

    /// `data.yaml:5`, which leads there.
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
