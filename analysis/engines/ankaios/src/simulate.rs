//! What an update waits for, and what can no longer start after a failure.

use std::sync::Arc;

use applyorder_core::engine::{OrderOf, RunOptions, UnitIx, Variant};
use applyorder_core::graph::{Direction, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{Block, Change, Model};
use crate::read::{Condition, Restart};

/// The displayed actions of a workload.
mod action {
    /// It is started or updated at once, or once its conditions hold.
    pub(super) const UPDATE: &str = "update";
    /// Its old instance keeps running until those that need it running are gone.
    pub(super) const HELD: &str = "held back";
    /// It is unchanged.
    pub(super) const KEPT: &str = "unchanged";
    /// Its conditions can no longer hold.
    pub(super) const NEVER: &str = "never starts";
    /// It is treated as failed.
    pub(super) const FAILED: &str = "failed";
    /// It starts.
    pub(super) const START: &str = "start";
}

/// The variant of a run in which only some workloads change, or some failed.
pub(crate) fn simulated(
    options: &RunOptions,
    model: &Model,
    mut variant: Variant,
    blocked: &[Option<Block>],
    conditions: &[Option<Condition>],
) -> Variant {
    if let Some(changed) = &options.changed {
        update(&mut variant, changed, conditions, model);
    } else if !options.failed.is_empty() {
        failure(model, &mut variant, &options.failed, blocked, conditions);
    } else if model.snapshot.is_some() {
        // If the result of its templates is unknown, a workload is treated as changed.
        let updated = model
            .stated_units()
            .filter(|(unit, _)| model.change(*unit) != Change::Same);
        let names = updated.map(|(_, stated)| stated.unit.name.to_string());
        update(&mut variant, &names.collect::<Vec<_>>(), conditions, model);
    }
    variant
}

fn named(variant: &Variant, names: &[String]) -> FxHashSet<u32> {
    let wanted: FxHashSet<&str> = names.iter().map(String::as_str).collect();
    let units = (0u32..).zip(&variant.units);
    units
        .filter(|(_, u)| wanted.contains(&*u.name))
        .map(|(n, _)| n)
        .collect()
}

/// An update of a running cluster: a changed workload waits until everything that needs it running has stopped,
/// and unchanged workloads do not stop.
fn update(variant: &mut Variant, changed: &[String], conditions: &[Option<Condition>], model: &Model) {
    let changed = named(variant, changed);
    let mut held = vec![Vec::new(); variant.units.len()];
    for (written, condition) in variant.dependencies.iter().zip(conditions) {
        let Some(target) = written.targets.first() else {
            continue;
        };
        let runs = is_running(model, variant, written.unit);
        if *condition == Some(Condition::Running)
            && changed.contains(&target.0)
            && !changed.contains(&written.unit.0)
            && runs
            && is_there(model, variant, *target)
            && let Some(by) = held.get_mut(target.0 as usize)
        {
            by.push(written.unit);
        }
    }
    // Workloads that are in the cluster and not in these files may need a changed workload as well.
    let mut because: Vec<String> = Vec::new();
    let mut outside: FxHashMap<u32, Vec<Arc<str>>> = FxHashMap::default();
    for (target, name) in outside_gates(model, variant, &changed) {
        outside.entry(target.0).or_default().push(name);
    }
    for (unit, by) in (0u32..).zip(&held) {
        let mut names: Vec<Arc<str>> = by
            .iter()
            .filter_map(|u| variant.units.get(u.0 as usize).map(|u| u.name.clone()))
            .collect();
        names.extend(outside.get(&unit).into_iter().flatten().cloned());
        if !names.is_empty()
            && let Some(unit) = variant.units.get(unit as usize)
        {
            let names: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
            because.push(format!(
                "the update of `{}` waits until {} stopped: its old instance runs on",
                unit.name,
                names.join(", ")
            ));
        }
    }
    variant.actions = (0u32..)
        .zip(&held)
        .map(|(unit, by)| {
            if !changed.contains(&unit) {
                action::KEPT
            } else if !is_there(model, variant, UnitIx(unit)) {
                action::START
            } else if by.is_empty() && !outside.contains_key(&unit) {
                action::UPDATE
            } else {
                action::HELD
            }
        })
        .collect();
    restrict(&mut variant.apply, |unit| changed.contains(&unit.0));
    restrict(&mut variant.delete, |unit| changed.contains(&unit.0));
    variant.selected = Some(ascending(&changed));
    if !because.is_empty() {
        variant.apply.because = Some(because.join("; "));
    }
}

fn ascending(units: &FxHashSet<u32>) -> Vec<UnitIx> {
    let mut units: Vec<UnitIx> = units.iter().map(|u| UnitIx(*u)).collect();
    units.sort_unstable();
    units
}

/// Whether a workload is assumed to exist, with an agent that has it.
fn is_there(model: &Model, variant: &Variant, unit: UnitIx) -> bool {
    let name = variant.units.get(unit.0 as usize).map_or("", |u| &*u.name);
    model.snapshot.is_none() || model.is_on_agent(name)
}

/// Whether a workload is assumed to run: a snapshot may say otherwise.
fn is_running(model: &Model, variant: &Variant, unit: UnitIx) -> bool {
    let name = variant.units.get(unit.0 as usize).map_or("", |u| &*u.name);
    let Some(snapshot) = &model.snapshot else {
        return true;
    };
    snapshot.has_workload(name) && snapshot.runs(name)
}

/// Workloads of the cluster that are not in these files and need a changed one running.
fn outside_gates(model: &Model, variant: &Variant, changed: &FxHashSet<u32>) -> Vec<(UnitIx, Arc<str>)> {
    let Some(snapshot) = &model.snapshot else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for applied in snapshot.workloads() {
        let name = &*applied.name.value;
        if model.named(name).is_some() || !snapshot.runs(name) {
            continue;
        }
        for written in &applied.dependencies {
            let unit = model.named(&written.name.value);
            let Some(unit) = unit.filter(|u| changed.contains(&u.0)) else {
                continue;
            };
            if written.condition == Some(Condition::Running) && is_there(model, variant, unit) {
                found.push((unit, name.into()));
            }
        }
    }
    found.sort();
    found
}

/// What can no longer start once some workloads failed for good.
fn failure(
    model: &Model,
    variant: &mut Variant,
    failed: &[String],
    blocked: &[Option<Block>],
    conditions: &[Option<Condition>],
) {
    let failed = named(variant, failed);
    let restarts = |unit: UnitIx| {
        model
            .workload(unit)
            .is_some_and(|(_, w)| w.restart != Restart::Never)
    };
    let mut never: FxHashSet<u32> = (0u32..)
        .zip(blocked)
        .filter(|(_, b)| b.is_some())
        .map(|(n, _)| n)
        .collect();
    let mut reasons = Vec::new();
    for (written, condition) in variant.dependencies.iter().zip(conditions) {
        let Some(target) = written.targets.first() else {
            continue;
        };
        // A workload that is restarted may still run or succeed.
        let is_lost =
            failed.contains(&target.0) && *condition != Some(Condition::Failed) && !restarts(*target);
        if is_lost && never.insert(written.unit.0) {
            let name = |unit: UnitIx| variant.units.get(unit.0 as usize).map_or("", |u| &*u.name);
            let word = condition.map_or("", Condition::word);
            reasons.push(format!(
                "`{}` needs `{}` {word}, and it failed",
                name(written.unit),
                name(*target)
            ));
        }
    }
    let graph = variant.apply.graph.clone();
    let mut open: Vec<u32> = never.iter().copied().collect();
    while let Some(unit) = open.pop() {
        for link in graph.links(NodeId(unit), Direction::Dependents) {
            if never.insert(link.node.0) {
                open.push(link.node.0);
            }
        }
    }
    variant.actions = (0u32..)
        .zip(&variant.units)
        .map(|(unit, _)| {
            if failed.contains(&unit) {
                action::FAILED
            } else if never.contains(&unit) {
                action::NEVER
            } else {
                action::START
            }
        })
        .collect();
    let left: FxHashSet<u32> = (0u32..)
        .zip(&variant.units)
        .map(|(n, _)| n)
        .filter(|n| !never.contains(n) && !failed.contains(n))
        .collect();
    restrict(&mut variant.apply, |unit| left.contains(&unit.0));
    variant.selected = Some(ascending(&left));
    reasons.sort();
    if !reasons.is_empty() {
        variant.apply.because = Some(reasons.join("; "));
    }
}

fn restrict(order: &mut OrderOf, keeps: impl Fn(UnitIx) -> bool) {
    if let Some(layers) = &order.layers {
        let kept = layers
            .iter()
            .map(|layer| layer.iter().copied().filter(|u| keeps(*u)).collect::<Vec<_>>());
        order.layers = Some(kept.filter(|layer| !layer.is_empty()).collect());
    }
}
