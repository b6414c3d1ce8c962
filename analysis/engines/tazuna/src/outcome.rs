//! What users query of a project besides findings and verdicts.

use std::any::Any;
use std::hash::Hash;
use std::sync::Arc;

use applyorder_core::diagnostic::{At, FileId, FixStep, Place};
use applyorder_core::engine::{Facts, Lazy, Link, Member};
use applyorder_core::layer::{Checked, Hint, HintSearch, Hints, Outcome, Pass, Stop};
use applyorder_core::rules::redundant_dependency;
use applyorder_syntax::text::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use super::model::{Model, Piece};
use super::read::Item;
use super::relate::{self, Related};
use super::simulate;

/// The data for editor requests about a project.
pub(super) struct State(Arc<Model>);

impl State {
    /// The entries by the places of their first keys.
    pub(super) fn items(&self) -> impl Iterator<Item = (Place, &Item)> {
        let pieces = self.0.variants.iter().flat_map(|v| &v.parts).map(|p| &*p.piece);
        pieces.flat_map(|piece| {
            let units = piece.units.iter();
            units.filter_map(|unit| Some((unit.unit.header, piece.item(unit)?.0)))
        })
    }

    /// The entry whose first key is at a place.
    pub(super) fn item(&self, header: Place) -> Option<&Item> {
        let pieces = self.0.variants.iter().flat_map(|v| &v.parts).map(|p| &p.piece);
        let mut of_file = pieces.filter(|p| p.brief.file == header.file);
        of_file.find_map(|piece: &Arc<Piece>| {
            let unit = piece.units.iter().find(|u| u.unit.header == header)?;
            Some(piece.item(unit)?.0)
        })
    }
}

/// Members, orders, names and hints.
pub(super) fn outcome(
    pass: &Pass<'_>,
    model: &Arc<Model>,
    related: &Arc<Vec<Arc<Related>>>,
    checked: &[Checked],
) -> Outcome {
    let state = Arc::new(State(model.clone())) as Arc<dyn Any + Send + Sync>;
    let setting = &model.loaded.setting;
    let is_wanted = pass.cx.is_wanted(&redundant_dependency::RULE);
    let (members, links) = members(model);
    let environments = environments(model);
    let variants = {
        let (related, environments) = (related.clone(), environments.clone());
        let failed = pass.options.failed.clone();
        move || {
            let all = related.iter().zip(&environments);
            let mut variants: Vec<_> = all.map(|(related, names)| related.variant(names)).collect();
            for variant in &mut variants {
                simulate::fail(&failed, variant);
            }
            if variants.is_empty() {
                let mut none = relate::empty();
                none.environments = environments.into_iter().next().unwrap_or_default();
                variants.push(none);
            }
            variants
        }
    };
    let symbols = {
        let first = related.first().cloned();
        move || first.map(|r| r.symbols()).unwrap_or_default()
    };
    let search = {
        let related = related.clone();
        move |stop: &Stop| hints(&related, &environments, stop)
    };
    let place = model.loaded.root.is_err().then(|| Place::file(setting.root_file));
    let unknown = checked.iter().flat_map(|c| &c.unknown);
    Outcome {
        members,
        variants: Lazy::new(variants),
        links,
        symbols: Lazy::new(symbols),
        unresolved: unknown.map(|u| (place, u.because.clone())).collect(),
        engine_version: setting.engine_version(),
        state: Some(state),
        hints: is_wanted.then(|| Arc::new(search) as HintSearch),
    }
}

/// Per reading of the project the environments that have it.
fn environments(model: &Model) -> Vec<Vec<Option<Arc<str>>>> {
    if model.variants.is_empty() {
        return vec![model.loaded.setting.asked()];
    }
    let mine = |number: usize| {
        let all = model.loaded.environments.iter().zip(&model.variant_of);
        let mine = all.filter(move |(_, variant)| **variant == number);
        mine.map(|(environment, _)| environment.name.clone()).collect()
    };
    (0..model.variants.len()).map(mine).collect()
}

fn members(model: &Model) -> (Arc<[Member]>, Arc<[Link]>) {
    if model.variants.is_empty() {
        let root = Member {
            file: model.loaded.setting.root_file,
            why: "the root".into(),
            via: None,
        };
        return (Arc::new([root]), Arc::default());
    }
    if let [one] = model.variants.as_slice()
        && one.parts.iter().all(|p| !p.again)
    {
        return (one.members.clone(), one.links.clone());
    }
    let all = || model.variants.iter();
    (
        union(all().map(|e| &e.members), |m| m.file),
        union(all().map(|e| &e.links), |l| (l.place, l.target.clone())),
    )
}

/// The items of some lists, each once. The lists of several variants are mostly the same.
fn union<'a, T: Clone + 'a, K: Eq + Hash>(
    lists: impl Iterator<Item = &'a Arc<[T]>>,
    key: impl Fn(&'a T) -> K,
) -> Arc<[T]> {
    let mut distinct: Vec<&Arc<[T]>> = Vec::new();
    for list in lists {
        if !distinct.iter().any(|known| Arc::ptr_eq(known, list)) {
            distinct.push(list);
        }
    }
    let mut seen = FxHashSet::default();
    let all = distinct.iter().flat_map(|list| list.iter());
    let once: Vec<&T> = all.filter(|t| seen.insert(key(t))).collect();
    match distinct.as_slice() {
        [one] if once.len() == one.len() => Arc::clone(one),
        _ => once.into_iter().cloned().collect(),
    }
}

/// The key by which findings of two environments are merged: rule, place and text.
type FindingKey = (FileId, Option<Span>, String);

/// The entries that others imply, of all environments together.
fn hints(related: &[Arc<Related>], environments: &[Vec<Option<Arc<str>>>], stop: &Stop) -> Hints {
    let mut all = Hints::default();
    let mut known: FxHashMap<FindingKey, usize> = FxHashMap::default();
    for (related, names) in related.iter().zip(environments) {
        if stop.is_requested() {
            return Hints::default();
        }
        if !related.can_imply() {
            continue;
        }
        let (found, whole) = related.redundant();
        if !whole {
            let text = "redundancy search stopped at its limit";
            all.limit = Some(text.to_owned());
        }
        let in_template = |step: &FixStep| related.expansion.is_template(step.place().file);
        for mut d in found {
            d.fixes.retain(|fix| !fix.steps.iter().any(in_template));
            let mut files: Vec<FileId> = d.related.iter().map(|r| r.place.file).collect();
            files.push(d.place.file);
            files.sort_unstable();
            files.dedup();
            if environments.len() > 1 {
                d.environments = names.iter().map(|e| e.clone().unwrap_or_default()).collect();
            }
            let alike = (d.place.file, span(related, d.place), d.message.clone());
            let at = *known.entry(alike).or_insert(all.hints.len());
            if let Some(Hint {
                diagnostic: known, ..
            }) = all.hints.get_mut(at)
            {
                // A file that is included twice produces each hint twice in one environment.
                d.environments.retain(|name| !known.environments.contains(name));
                known.environments.append(&mut d.environments);
                continue;
            }
            all.hints.push(Hint {
                diagnostic: d,
                files: files.into(),
            });
        }
    }
    let total: usize = environments.iter().map(Vec::len).sum();
    for d in all.hints.iter_mut().map(|h| &mut h.diagnostic) {
        if d.environments.len() == total {
            d.environments.clear();
        }
    }
    all
}

/// The span of a place in the text that the project was read from.
fn span(related: &Related, place: Place) -> Option<Span> {
    let At::Anchor(anchor) = place.at else { return None };
    let mut pieces = related.expansion.parts.iter().map(|p| &p.piece);
    let piece = pieces.find(|p| p.brief.file == place.file)?;
    piece.facts.span(anchor.index)
}
