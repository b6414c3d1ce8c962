//! `cycle`: resources that wait for each other.

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
    let remove = |written: &Dependency| rule_key(project, written).map(FixStep::RemoveKey);
    let mut merged: Vec<(Vec<UnitIx>, Diagnostic, Vec<By>)> = Vec::new();
    for rejecting in operations {
        let operation = rejecting.1;
        let variant = project.related.variant();
        let searched = operation.built.searched(project.cx.memo());
        for finding in cycle::check_searched(&META, variant, operation.graph(), searched, remove) {
            // A resource among them that waits for itself is reported separately, and must be fixed first.
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

/// The key of the annotation in which a rule is written.
fn rule_key(project: &Project<'_>, written: &Dependency) -> Option<Place> {
    let unit = project.unit(written.unit.0)?;
    unit.own.rules().find_map(|rule| {
        let (annotation, _) = project.own_text(unit.change, rule.source)?;
        let place = project.group_place(unit.change, rule.source)?;
        (place == written.place).then(|| project.of_change(unit.change, annotation.name.place))
    })
}
