//! `redundant-dependency` in manifests: conditions that others imply.

use std::sync::Arc;

use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Hint, HintSearch, Hints, Stop, UnitIx};
use applyorder_core::layer::Budget;
use applyorder_core::rules::redundant_dependency::{self, Step};
use rustc_hash::FxHashMap;

use crate::model::Model;
use crate::read::{Condition, Restart};
use crate::relate::{Related, Wait};

/// The search: B waits for C, and A waits for B and, with the same condition, for C, which is never restarted.
pub(crate) fn search(model: &Arc<Model>, related: &Arc<Related>) -> HintSearch {
    let (model, related) = (model.clone(), related.clone());
    Arc::new(move |stop: &Stop| {
        let mut hints = Vec::new();
        let mut budget = Budget::new(redundant_dependency::BUDGET);
        for (unit, stated) in model.stated_units() {
            if stop.is_requested() {
                break;
            }
            let own: Vec<_> = related.waits_of(unit).collect();
            if own.len() < 2 {
                continue;
            }
            // What has ended stays so, and what runs may have ended since.
            let ends = |wait: &Wait| wait.condition.filter(|c| *c != Condition::Running);
            let wanted: FxHashMap<(UnitIx, Condition), u32> = own
                .iter()
                .filter_map(|(at, wait)| Some(((wait.target?, ends(wait)?), *at)))
                .filter(|((target, _), _)| {
                    let stated = model.stated(*target);
                    stated.is_some_and(|stated| stated.public.restart == Restart::Never)
                })
                .collect();
            if wanted.is_empty() {
                continue;
            }
            let mut implied: FxHashMap<u32, (Place, Place, UnitIx)> = FxHashMap::default();
            for (_, other) in &own {
                let Some(middle) = other.target else {
                    continue;
                };
                for (_, behind) in related.waits_of(middle) {
                    if !budget.spend(1) {
                        let limit = "the search for redundant entries was too long".to_owned();
                        return Hints {
                            hints,
                            limit: Some(limit),
                        };
                    }
                    let key = behind.target.zip(ends(behind));
                    if let Some(at) = key.and_then(|key| wanted.get(&key)) {
                        implied.entry(*at).or_insert((other.place, behind.place, middle));
                    }
                }
            }
            for (at, wait) in &own {
                let Some((first, second, middle)) = implied.get(at).copied() else {
                    continue;
                };
                let name = model.name(middle).map_or("", |name| name);
                let (unit, text) = (&stated.unit, related.text(*at));
                let steps = [
                    Step {
                        from: &unit.name,
                        to: name,
                        place: first,
                    },
                    Step {
                        from: name,
                        to: text,
                        place: second,
                    },
                ];
                let diagnostic = redundant_dependency::diagnostic(
                    unit,
                    (text, wait.place),
                    "dependencies",
                    steps.into_iter(),
                );
                let mut diagnostic = diagnostic;
                diagnostic.fixes.clear();
                let mut files: Vec<FileId> = vec![wait.place.file, first.file, second.file];
                files.sort_unstable();
                files.dedup();
                hints.push(Hint {
                    diagnostic,
                    files: files.into(),
                });
            }
        }
        Hints { hints, limit: None }
    })
}
