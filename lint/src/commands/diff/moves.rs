//! Units that run at another time: in another layer, or elsewhere in the engine's own sequence.

use super::sides::{Same, Side};
use crate::formats::json::diff::Moved;

/// Units in another layer, sorted by their earlier layer.
pub(super) fn moved(before: &Side<'_>, after: &Side<'_>, same: &Same) -> Vec<Moved> {
    let mut moved: Vec<(u32, usize, Moved)> = Vec::new();
    for unit in before.units() {
        let Some(there) = same.there(unit) else { continue };
        let old = before.layer.get(unit).copied().flatten();
        if let (Some(old), Some(new)) = (old, after.layer(there))
            && old != new
        {
            let moved_unit = Moved {
                unit: after.name(there.index()).to_owned(),
                before: old,
                after: new,
            };
            moved.push((old, unit, moved_unit));
        }
    }
    moved.sort_by_key(|(layer, unit, _)| (*layer, *unit));
    moved.into_iter().map(|(_, _, moved)| moved).collect()
}

/// Units that stay in their layers but change places in the engine's own sequence: those outside a longest subsequence
/// that keeps its order.
pub(super) fn resequenced(before: &Side<'_>, after: &Side<'_>, same: &Same) -> Vec<String> {
    let (Some(old), Some(new)) = (&before.sequence, &after.sequence) else {
        return Vec::new();
    };
    let mut place = vec![None; after.is_selected.len()];
    for (unit, at) in new.iter().zip(0usize..) {
        if let Some(place) = place.get_mut(unit.0 as usize) {
            *place = Some(at);
        }
    }
    let row: Vec<(usize, usize, usize)> = old
        .iter()
        .filter_map(|unit| {
            let there = same.there(unit.0 as usize)?.index();
            Some((place.get(there).copied().flatten()?, unit.0 as usize, there))
        })
        .collect();
    let kept = longest_rising(&row.iter().map(|(at, _, _)| *at).collect::<Vec<_>>());
    let layers = |unit: usize, there: usize| {
        let of = |side: &Side<'_>, unit: usize| side.layer.get(unit).copied().flatten();
        (of(before, unit), of(after, there))
    };
    let mut out = Vec::new();
    for ((_, unit, there), kept) in row.iter().zip(kept) {
        let (old, new) = layers(*unit, *there);
        if !kept && old == new {
            out.push(after.name(*there).to_owned());
        }
    }
    out
}

/// Which numbers belong to a longest increasing subsequence.
fn longest_rising(numbers: &[usize]) -> Vec<bool> {
    // Where the best subsequence of each length ends, and the predecessor of each number.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(numbers.len());
    for (at, number) in numbers.iter().enumerate() {
        let length = ends.partition_point(|end| numbers.get(*end).is_some_and(|n| n < number));
        before.push(length.checked_sub(1).and_then(|l| ends.get(l)).copied());
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut kept = vec![false; numbers.len()];
    let mut next = ends.last().copied();
    while let Some(at) = next {
        if let Some(kept) = kept.get_mut(at) {
            *kept = true;
        }
        next = before.get(at).copied().flatten();
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longest_rising_row_is_kept() {
        for numbers in [
            &[][..],
            &[3, 1, 2],
            &[0, 1, 2],
            &[5, 4, 3],
            &[1, 0, 3, 2, 4],
            &[2, 0, 1, 4, 3],
        ] {
            let kept = longest_rising(numbers);
            let row: Vec<usize> = numbers
                .iter()
                .zip(&kept)
                .filter(|(_, k)| **k)
                .map(|(n, _)| *n)
                .collect();
            assert!(row.is_sorted(), "{numbers:?}");
            let all = (0u32..1 << numbers.len()).map(|set| {
                let row: Vec<_> = numbers
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| (set >> i) & 1 == 1)
                    .collect();
                if row.is_sorted_by_key(|(_, n)| **n) {
                    row.len()
                } else {
                    0
                }
            });
            assert_eq!(row.len(), all.max().unwrap(), "{numbers:?}");
        }
    }
}
