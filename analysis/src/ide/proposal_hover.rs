//! The documentation of what a proposal refers to.

use std::sync::Arc;

use super::name_hover::of_symbol;
use super::page::{Page, Target};
use super::unit_hover::{refusal, unit_hover, units_hover};
use crate::workspace::{Analysis, Project};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Completion, CompletionKind, UnitIx, Variant};

/// What a proposal refers to: the units that it would order, else its own name.
#[must_use]
pub fn subjects(completion: &Completion) -> Vec<Arc<str>> {
    let others = completion.joins.as_ref().map(|joins| joins.others.clone());
    others
        .filter(|others| !others.is_empty() && completion.kind != CompletionKind::Symbol)
        .unwrap_or_else(|| vec![completion.label.as_str().into()])
}

/// The documentation, in Markdown, of what a proposal in a file refers to: for a unit its hover, for several
/// their names, for a group or tag its members.
#[must_use]
pub fn documentation(analysis: &Analysis, file: FileId, subjects: &[&str]) -> Option<String> {
    let page = Page {
        analysis,
        target: None,
    };
    analysis.projects_of(file).into_iter().find_map(|(_, project)| {
        of_units(analysis, project, subjects, None).or_else(|| {
            let variant = project.resolution.variants.first();
            let is_it = |name: &str| {
                subjects
                    .iter()
                    .any(|m| *m == name || m.rsplit(':').next() == Some(name))
            };
            let symbol = project.resolution.symbols.iter().find(|s| is_it(&s.name))?;
            Some(of_symbol(page, project, variant, symbol)).filter(|text| !text.is_empty())
        })
    })
}

/// The hover of the units with some names in a project, in the first environment that has one of them.
#[must_use]
pub fn of_units(
    analysis: &Analysis,
    project: &Project,
    names: &[&str],
    target: Option<Target<'_>>,
) -> Option<String> {
    let page = Page { analysis, target };
    let one = |variant: &Variant, name: &str| {
        let mut units = (0..).map(UnitIx).zip(&variant.units);
        units.find(|(_, unit)| *unit.name == *name).map(|(ix, _)| ix)
    };
    project.resolution.variants.iter().find_map(|variant| {
        let units: Vec<UnitIx> = names.iter().filter_map(|name| one(variant, name)).collect();
        let refused = || refusal(project, variant);
        match units.as_slice() {
            [] => None,
            [one] => Some(unit_hover(page, project, variant, *one, refused())),
            many => Some(units_hover(page, project, variant, many, false, refused())),
        }
    })
}
