//! What a run orders when only some resources change: the others have no edges (kapp, operations).

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::grammar::Op;
use super::resolve::changes::Change;

/// Leaves an operation only to the changes that are named.
pub(crate) fn only(changes: &mut [Change], names: &[Arc<str>], changed: &[String]) {
    let changed: FxHashSet<&str> = changed.iter().map(String::as_str).collect();
    for (change, name) in changes.iter_mut().zip(names) {
        if !changed.contains(&**name) {
            change.op = Op::Noop;
        }
    }
}
