//! Whether entries can be an order, on flat arrays.

use super::NO_UNIT;
use crate::count;

/// Whether no unit waits for itself, directly or through others. Per unit the number of its first entry, and
/// per entry its target.
pub(super) fn is_ordered(firsts: &[u32], targets: &[u32]) -> bool {
    let units = firsts.len().saturating_sub(1);
    let entries = |unit: usize| {
        let range = firsts.get(unit).zip(firsts.get(unit + 1));
        let range = range.map_or(0..0, |(start, end)| *start as usize..*end as usize);
        targets
            .get(range)
            .unwrap_or_default()
            .iter()
            .filter(|t| **t != NO_UNIT)
    };
    // Most units wait for earlier ones, and then the list is an order.
    let mut is_listed = true;
    let mut waiting = vec![0u32; units];
    for unit in 0..units {
        for target in entries(unit) {
            is_listed &= *target < count(unit);
            if let Some(n) = waiting.get_mut(*target as usize) {
                *n += 1;
            }
        }
    }
    if is_listed {
        return true;
    }
    let numbered = (0u32..).zip(&waiting);
    let mut open: Vec<u32> = numbered.filter(|(_, n)| **n == 0).map(|(unit, _)| unit).collect();
    let mut done = 0;
    while let Some(unit) = open.pop() {
        done += 1;
        for target in entries(unit as usize) {
            if let Some(n) = waiting.get_mut(*target as usize) {
                *n -= 1;
                if *n == 0 {
                    open.push(*target);
                }
            }
        }
    }
    done == units
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::NO_UNIT;
    use super::is_ordered;
    use applyorder_core::graph::{GraphBuilder, NodeId};

    proptest! {
        #[test]
        fn as_the_graph_has_it(
            lists in prop::collection::vec(prop::collection::vec(0u32..13, 0..4), 0..12),
        ) {
            let units = u32::try_from(lists.len()).unwrap();
            let mut graph = GraphBuilder::with_capacity(lists.len(), 0);
            for unit in 0..units {
                graph.unit(unit);
            }
            let (mut firsts, mut targets) = (vec![0], Vec::new());
            for (unit, list) in (0u32..).zip(&lists) {
                for target in list {
                    let target = if *target < units { *target } else { NO_UNIT };
                    if target != NO_UNIT {
                        graph.explicit(NodeId(unit), NodeId(target), 0);
                    }
                    targets.push(target);
                }
                firsts.push(u32::try_from(targets.len()).unwrap());
            }
            prop_assert_eq!(is_ordered(&firsts, &targets), graph.build().layers().is_some());
        }
    }
}
