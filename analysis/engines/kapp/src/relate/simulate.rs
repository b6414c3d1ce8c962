//! What a run orders if only some resources change, and what remains to be done if some failed.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::compare::Change;
use crate::grammar::Op;
use applyorder_core::graph::{Direction, NodeId, OrderGraph};

/// Limits an operation to the named changes: the others have no edges (kapp, operations).
pub(crate) fn only(changes: &mut [Change], names: &[Arc<str>], changed: &[String]) {
    let changed: FxHashSet<&str> = changed.iter().map(String::as_str).collect();
    for (change, name) in changes.iter_mut().zip(names) {
        if !changed.contains(&**name) {
            change.op = Op::Noop;
        }
    }
}

/// What remains for the next run after one in which some resources failed: their dependents were not started. A
/// resource that was applied and did not become ready exists and is unchanged, so that the next deploy orders
/// nothing by it; one that could not be deleted is deleted again.
pub(crate) fn left_after_failure(
    graph: &OrderGraph,
    changes: &[Change],
    names: &[Arc<str>],
    failed: &[String],
) -> Vec<Change> {
    let failed: FxHashSet<&str> = failed.iter().map(String::as_str).collect();
    let starts: Vec<NodeId> = graph
        .units()
        .filter(|(_, unit)| names.get(*unit as usize).is_some_and(|n| failed.contains(&**n)))
        .map(|(node, _)| node)
        .collect();
    let reached = graph.reach(&starts, Direction::Dependents);
    changes
        .iter()
        .zip(names)
        .zip(reached)
        .map(|((change, name), reached)| {
            let own = failed.contains(&**name);
            let left = if own { change.op == Op::Delete } else { reached };
            Change {
                op: if left { change.op } else { Op::Noop },
                ..change.clone()
            }
        })
        .collect()
}

/// The assumptions of such an answer, as a sentence.
pub(crate) const TAKEN_FOR_GRANTED: &str =
    "resources that do not wait for a failed one are assumed applied; kapp may have stopped before them";
