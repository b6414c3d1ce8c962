//! `redundant-dependency` in manifests: conditions that others imply.

use std::sync::Arc;

use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Hint, HintSearch, Hints, Stop};
use applyorder_core::rules::redundant_dependency::{self, Step};

use crate::model::Model;
use crate::read::Restart;
use crate::relate::Related;

/// The search: B waits for C, and A waits for B and, with the same condition, for C, which is never started again.
pub(crate) fn search(model: &Arc<Model>, related: &Arc<Related>) -> HintSearch {
    let (model, related) = (model.clone(), related.clone());
    Arc::new(move |stop: &Stop| {
        let mut hints = Vec::new();
        let variant = &related.variant;
        for (number, unit) in (0u32..).zip(&variant.units) {
            if stop.is_requested() {
                break;
            }
            let own: Vec<_> = related
                .dependencies(applyorder_core::engine::UnitIx(number))
                .collect();
            if own.len() < 2 {
                continue;
            }
            for (at, written) in &own {
                let Some(target) = written.targets.first() else {
                    continue;
                };
                let restarts = model
                    .workload(*target)
                    .is_none_or(|(_, w)| w.restart != Restart::Never);
                // What runs may have ended since; what ended stays so.
                let condition = related.condition(*at);
                if restarts || condition.is_none_or(|c| c == crate::read::Condition::Running) {
                    continue;
                }
                let through = own.iter().find_map(|(_, other)| {
                    let middle = *other.targets.first()?;
                    let implied = |(n, d): (u32, &applyorder_core::engine::Dependency)| {
                        let is_same = d.targets.first() == Some(target) && related.condition(n) == condition;
                        (is_same && middle != *target).then_some((other.place, d.place, middle))
                    };
                    related.dependencies(middle).find_map(implied)
                });
                let Some((first, second, middle)) = through else {
                    continue;
                };
                let name = variant.units.get(middle.0 as usize).map_or("", |u| &*u.name);
                let steps = [
                    Step {
                        from: &unit.name,
                        to: name,
                        place: first,
                    },
                    Step {
                        from: name,
                        to: &written.text,
                        place: second,
                    },
                ];
                let diagnostic = redundant_dependency::diagnostic(
                    unit,
                    (&written.text, written.place),
                    "dependencies",
                    steps.into_iter(),
                );
                let mut diagnostic = diagnostic;
                diagnostic.fixes.clear();
                let mut files: Vec<FileId> = vec![written.place.file, first.file, second.file];
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
