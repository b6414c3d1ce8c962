//! The project as a whole.

use std::sync::Arc;

use super::CheckContext;
use crate::config::TazunaGeneration;
use crate::judge::{is_before_expansion, rejected_name};
use crate::model::Part;
use crate::names::{Fresh, Problem};
use crate::read::Manifest;
use applyorder_core::diagnostic::{Diagnostic, Place};
use applyorder_core::layer::{Block, Finding, Pass};

/// A manifest whose name Tazuna rejects.
pub(crate) struct NameError {
    /// Its position in the expanded list.
    pub(crate) position: u32,
    pub(crate) problem: Problem,
    /// A valid name for it.
    pub(crate) better: Option<String>,
}

/// The project as a whole.
pub struct Whole<'a> {
    pub(crate) pass: &'a Pass<'a>,
    pub(crate) context: &'a CheckContext<'a>,
    /// The findings in its sources.
    slots: &'a [Arc<Block>],
    /// The names that Tazuna rejects, in the order of the list.
    pub(crate) bad_names: Vec<NameError>,
}

impl<'a> Whole<'a> {
    pub(crate) fn new(pass: &'a Pass<'a>, context: &'a CheckContext<'a>, slots: &'a [Arc<Block>]) -> Self {
        let mut fresh = Fresh::default();
        let bad = context.related.index.bad.iter();
        let bad_names = bad.filter_map(|position| name_fault(context, *position, &mut fresh));
        Self {
            bad_names: bad_names.collect(),
            pass,
            context,
            slots,
        }
    }

    /// Whether Tazuna stops before it expands the list.
    pub(crate) fn stops_early(&self) -> bool {
        let mut found = self.slots.iter().flat_map(|block| block.findings());
        found.any(is_before_expansion)
    }
}

fn name_fault(context: &CheckContext<'_>, position: u32, fresh: &mut Fresh) -> Option<NameError> {
    let (unit, part) = context.expansion.at(position as usize)?;
    let problem = unit.problem?;
    let (item, _) = part.piece.item(unit)?;
    let manifest = &item.manifest;
    let taken = |name: &str| is_taken(context, name);
    let better = match problem {
        Problem::Missing => {
            let kind = Manifest::text(manifest.kind.as_ref());
            fresh.given(kind, Manifest::text(manifest.path.as_ref()), taken)
        }
        _ => fresh.mended(&unit.unit.name, taken),
    };
    Some(NameError {
        position,
        problem,
        better,
    })
}

impl NameError {
    /// The place of the finding.
    pub(crate) fn place(&self, context: &CheckContext<'_>) -> Option<Place> {
        let (unit, part) = context.expansion.at(self.position as usize)?;
        let (item, base) = part.piece.item(unit)?;
        let written = item
            .manifest
            .name
            .as_ref()
            .filter(|_| self.problem != Problem::Missing);
        Some(written.map_or(unit.unit.header, |name| name.rebased(base).shown()))
    }
}

/// Whether some manifest has the name.
pub(crate) fn is_taken(context: &CheckContext<'_>, name: &str) -> bool {
    let number = context.names.find(name);
    number.is_some_and(|n| context.related.index.is_declared(n))
}

/// Whether `apply` rejects a bad name, and does not only warn.
pub(crate) fn is_strict(context: &CheckContext<'_>) -> bool {
    context.related.dag && context.setting.generation == TazunaGeneration::G5
}

/// A finding about a name, with the reaction of `apply`.
pub(crate) fn of_names(context: &CheckContext<'_>, mut d: Diagnostic, subject: &str) -> Finding {
    let strict = is_strict(context);
    if !strict {
        let text = if context.related.dag {
            "`apply` only warns"
        } else {
            "`apply` only warns unless a manifest has `dependsOn` or `--sync` is given"
        };
        d.notes.push(text.to_owned());
    }
    rejected_name(strict, d, subject)
}

/// With the include that brings in the part.
pub(crate) fn related_include(part: &Part, d: Diagnostic) -> Diagnostic {
    match part.via {
        Some(via) => d.related(via, "included here"),
        None => d,
    }
}
