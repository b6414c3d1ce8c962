//! What can be inserted at an offset. Each engine that read the file is asked.

use std::sync::Arc;

use super::consequence::Consequence;
use super::edge_hover::without_entry;
use super::edited::Edited;
use super::known_order::Known;
use super::unit as unit_of;
use crate::workspace::{Analysis, Project, WhatIf};
use applyorder_core::diagnostic::{EngineIx, FileId};
use applyorder_core::engine::{Completion, CompletionKind, DependencyIx, Joins, Operation, Variant};
use applyorder_core::rules::syntax_error;
use applyorder_syntax::text::Span;
use rustc_hash::FxHashMap;

/// A proposal, and its effect on the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// What is inserted.
    pub completion: Completion,
    /// Whether it would close a cycle.
    pub closes_cycle: bool,
    /// The engine's term for a unit.
    word: &'static str,
}

impl Proposal {
    /// The short detail next to its name, in a long list: everything except that it is a unit.
    #[must_use]
    pub fn short(&self) -> Option<&str> {
        let detail = self.completion.detail.as_deref()?;
        if self.completion.joins.is_none() && self.completion.kind != CompletionKind::Unit {
            return None;
        }
        // A detail that says more than that, such as `stack of a module`, stays whole.
        let rest = match detail.strip_prefix(self.word) {
            Some("") => return None,
            Some(rest) => rest.strip_prefix(", ").or_else(|| rest.strip_prefix(" · ")),
            None => None,
        };
        Some(rest.unwrap_or(detail)).filter(|rest| !rest.is_empty())
    }
}

/// What can be inserted at an offset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proposals {
    /// Each once: in the engines' own order, those without effect after them, and last those that would close a
    /// cycle.
    pub list: Vec<Proposal>,
    /// Whether the list is incomplete, or would be with less typed.
    pub is_cut: bool,
}

/// The maximum number of proposals of an engine: if there are more, those that match what is typed are given.
/// Computing the effect of each takes about ten microseconds.
const MOST_PROPOSALS: usize = 1_000;

/// What can be inserted at an offset of a file.
#[must_use]
pub fn completions(analysis: &Analysis, file: FileId, offset: u32) -> Proposals {
    let mut found: Vec<(u8, Proposal)> = Vec::new();
    let mut is_cut = false;
    let mut seen = rustc_hash::FxHashSet::default();
    for (index, engine) in analysis.engines().iter() {
        if analysis.facts(file, index).is_none() {
            continue;
        }
        let mut proposed = engine.complete(analysis, index, file, offset);
        // The text is inserted at the cursor.
        proposed.retain(|completion| completion.span.touches(offset));
        if proposed.len() > MOST_PROPOSALS {
            is_cut = true;
            proposed.retain(|completion| fits_typed(analysis, file, offset, completion));
            proposed.truncate(MOST_PROPOSALS);
        }
        proposed.retain(|completion| seen.insert((completion.label.clone(), completion.span)));
        found.extend(with_consequences(analysis, index, (file, offset), proposed));
    }
    found.sort_by_key(|(rank, _)| *rank);
    Proposals {
        list: found.into_iter().map(|(_, proposal)| proposal).collect(),
        is_cut,
    }
}

/// Whether a proposal matches what is typed before an offset: its characters occur in the label, in their
/// order.
fn fits_typed(analysis: &Analysis, file: FileId, offset: u32, completion: &Completion) -> bool {
    let source = analysis.source(file);
    let typed = source.map_or("", |source| {
        Span::new(completion.span.start.min(offset), offset).slice(&source.text)
    });
    let mut label = completion.label.chars().flat_map(char::to_lowercase);
    let mut typed = typed.chars().flat_map(char::to_lowercase);
    typed.all(|wanted| label.any(|c| c == wanted))
}

/// Computes the effect of each proposal on the order, with its rank among the others.
fn with_consequences(
    analysis: &Analysis,
    engine: EngineIx,
    (file, offset): (FileId, u32),
    proposed: Vec<Completion>,
) -> Vec<(u8, Proposal)> {
    let projects = analysis.projects_of(file);
    let own = projects.iter().map(|(_, project)| &***project);
    let own: Vec<&Project> = own.filter(|project| project.seed.engine == engine).collect();
    let variants = own.iter().flat_map(|project| project.resolution.variants.iter());
    let variants: Vec<&Variant> = variants.collect();
    // The entry that is being typed may already be a dependency.
    let replaced = |variant: &Variant, joins: &Joins| -> Vec<DependencyIx> {
        let at = joins.place.map_or(offset, |place| place.start);
        let written = (0..).map(DependencyIx).zip(&variant.dependencies);
        let written = written.filter(|(_, d)| !d.targets.is_empty());
        let here = written.filter(|(_, d)| d.place.file == file && analysis.span(d.place).touches(at));
        here.map(|(ix, _)| ix).collect()
    };
    let joins = proposed.iter().find_map(|completion| completion.joins.as_ref());
    let without =
        joins.and_then(|joins| without_cycle(analysis, &own, |v| replaced(v, joins), joins.operation));
    let layers = without.as_ref().map(layers_by_name).unwrap_or_default();
    let ground: Vec<&Variant> = match &without {
        Some(without) => without.resolution.variants.iter().collect(),
        None => variants.clone(),
    };
    let mut known: Vec<Known<'_>> = Vec::new();
    let word = analysis
        .engines()
        .get(engine)
        .map_or("", |engine| engine.meta().unit);
    let alone = |completion: Completion| Proposal {
        completion,
        closes_cycle: false,
        word,
    };
    // If the text is broken, not everything written is known, and the inserted text may complete it.
    let is_broken = projects.iter().any(|(_, project)| {
        let mut found = project.findings().of(file);
        found.any(|d| d.rule == &syntax_error::RULE)
    });
    let mut edited = Edited::new(analysis, engine, file);
    let one = |mut completion: Completion| {
        let mut worst = None;
        let means = completion.joins.as_ref().and_then(|joins| joins.others.first());
        if let Some(layer) = means.and_then(|name| layers.get(&**name))
            && completion.detail.as_deref() == Some(word)
        {
            completion.detail = Some(format!("{word}, {layer}"));
        }
        if let Some(joins) = &completion.joins
            && !is_alone(&variants, joins, &replaced)
        {
            worst = edited.with(&completion, joins);
        } else if let Some(joins) = &completion.joins {
            if known.first().is_none_or(|known| !known.is_for(joins)) {
                let of = |variant| match &without {
                    Some(_) => Known::new(variant, joins, &[]),
                    None => Known::new(variant, joins, &replaced(variant, joins)),
                };
                known = ground.iter().copied().filter_map(of).collect();
            }
            let found = known.iter_mut().filter_map(|known| known.of(joins));
            // The first environment represents all, except for a cycle, which any of them may close.
            let found: Vec<(Consequence, String)> = found.collect();
            let cycle = found.iter().find(|(c, _)| *c == Consequence::Cycle);
            worst = cycle.or(found.first()).cloned();
        }
        // Unknown dependencies could only add to these.
        let is_certain = |c: &Consequence| matches!(c, Consequence::Cycle | Consequence::Already);
        let worst = worst.filter(|(consequence, _)| !is_broken || is_certain(consequence));
        let Some((consequence, said)) = worst else {
            return (0, alone(completion));
        };
        let closes_cycle = consequence == Consequence::Cycle;
        if !said.is_empty() {
            let before = completion.detail.take().filter(|_| !closes_cycle);
            let parts: Vec<String> = before.into_iter().chain([said]).collect();
            completion.detail = Some(parts.join(" · "));
        }
        let rank = match consequence {
            Consequence::Cycle => 2,
            Consequence::Already => 1,
            Consequence::Stays | Consequence::Moves(_) | Consequence::Unknown => 0,
        };
        (
            rank,
            Proposal {
                completion,
                closes_cycle,
                word,
            },
        )
    };
    proposed.into_iter().map(one).collect()
}

/// The project without the entry that is being typed, if that entry closes a cycle: an empty string can be a path, that
/// of its own directory.
fn without_cycle(
    analysis: &Analysis,
    projects: &[&Project],
    replaced: impl Fn(&Variant) -> Vec<DependencyIx>,
    operation: Operation,
) -> Option<WhatIf> {
    let [project] = projects else {
        return None;
    };
    let mut variants = project.resolution.variants.iter();
    let variant = variants.find(|v| v.order_of(operation).layers.is_none())?;
    let [entry] = replaced(variant)[..] else {
        return None;
    };
    without_entry(analysis, project, variant, entry)
}

/// The layers of the units, as text.
fn layers_by_name(without: &WhatIf) -> FxHashMap<Arc<str>, String> {
    let variant = without.resolution.variants.first().into_iter();
    let units = variant.flat_map(Variant::units_with_layers);
    units
        .filter_map(|(unit, layer)| Some((unit.name.clone(), layer?)))
        .collect()
}

/// Whether the text at an offset is in one unit, so that the effect of a proposal follows from its edges.
fn is_alone(
    variants: &[&Variant],
    joins: &Joins,
    replaced: &impl Fn(&Variant, &Joins) -> Vec<DependencyIx>,
) -> bool {
    let Some(unit) = &joins.unit else {
        return false;
    };
    variants.iter().all(|variant| {
        let here = replaced(variant, joins);
        let of = |ix: &DependencyIx| unit_of(variant, variant.dependencies.get(ix.0 as usize)?.unit);
        here.iter().all(|ix| of(ix).is_some_and(|own| own.name == *unit))
    })
}

#[cfg(test)]
mod tests;
