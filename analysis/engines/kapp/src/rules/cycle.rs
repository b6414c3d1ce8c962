//! `cycle`: resources that wait for each other.

use rustc_hash::FxHashMap;

use super::operations::{by, is_own, operations, with_commands};
use super::opt_out::with_opt_outs;
use super::scope::{By, Project};
use crate::META;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place};
use applyorder_core::engine::{Dependency, UnitIx};
use applyorder_core::layer::Finding;
use applyorder_core::rules::cycle;

/// Cycles of several resources.
pub(super) fn check(project: &Project<'_>, found: &mut Vec<Finding>) {
    let operations = operations(project);
    if operations.is_empty() {
        return;
    }
    let keys = rule_keys(project);
    let remove = |written: &Dependency| keys.get(&written.place).map(|key| FixStep::RemoveKey(*key));
    let mut merged: Vec<(Vec<UnitIx>, Diagnostic, Vec<By>)> = Vec::new();
    for rejecting in operations {
        let operation = rejecting.1;
        let (memo, variant) = (project.cx.memo(), project.related.variant());
        for finding in cycle::check_again(memo, &META, variant, operation.graph(), remove) {
            // A resource among them that waits for itself is told as that, and to be fixed first.
            if finding.path.len() == 1 {
                continue;
            }
            let is_reported = |cycle: &[u32]| {
                let last = cycle
                    .last()
                    .is_some_and(|unit| finding.members.contains(&UnitIx(*unit)));
                last && !is_own(cycle)
            };
            let by = by(project, rejecting, is_reported);
            let same = merged
                .iter_mut()
                .find(|(members, d, _)| *members == finding.members && d.place == finding.diagnostic.place);
            match same {
                Some((_, _, commands)) => commands.push(by),
                None => {
                    let d = with_opt_outs(project, operation, &finding.members, finding.diagnostic);
                    merged.push((finding.members, d, vec![by]));
                }
            }
        }
    }
    let merged = merged.into_iter();
    found.extend(merged.map(|(_, d, commands)| with_commands(d, commands)));
}

/// The key of the annotation behind the place of each written rule.
fn rule_keys(project: &Project<'_>) -> FxHashMap<Place, Place> {
    let mut keys = FxHashMap::default();
    for unit in project.units() {
        for rule in &unit.own.rules {
            if let Some((annotation, _)) = project.own_text(unit.change, rule.source)
                && let Some(place) = project.group_place(unit.change, rule.source)
            {
                keys.insert(place, project.of_change(unit.change, annotation.name.place));
            }
        }
    }
    keys
}
