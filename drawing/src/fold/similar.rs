//! Finds the two most similar boxes, for formats that limit the number of edges or characters.

use std::cmp::Reverse;

use super::{because, is_box};
use crate::model::{Node, Picture};
use crate::reduce::Adjacency;

/// A box by index, with its neighbors before and after.
type Around<'p> = (usize, &'p Node, Vec<(bool, usize)>);

/// What was folded, as text.
pub(super) const WAY: &str = "those that have most of their before and after in common";

/// What has to be reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Only two boxes that share an edge help.
    FewerEdges,
    /// Any two boxes in a layer help.
    FewerCharacters,
}

/// With more boxes than this, no pair is searched for: each box would be compared with every other.
const MOST: usize = 250;

/// The two boxes of one layer whose neighbors before and after are most similar; on a tie, those with the fewest units.
pub(super) fn most_similar(picture: &Picture, may: &[bool], needs: Needs) -> Option<(usize, usize)> {
    let nodes = &picture.nodes;
    let all: Vec<usize> = (0..nodes.len())
        .filter(|at| may.get(*at) == Some(&true))
        .collect();
    if all.len() > MOST {
        return None;
    }
    let ends = picture.edges.iter().filter(|e| !e.needless);
    let after = Adjacency::new(nodes.len(), ends.clone().map(|e| (e.before, e.after)));
    let before = Adjacency::new(nodes.len(), ends.map(|e| (e.after, e.before)));
    let around: Vec<Around<'_>> = all
        .iter()
        .filter_map(|at| {
            let node = nodes.get(*at).filter(|n| is_box(n))?;
            let before = before.of(*at).iter().map(|n| (false, *n));
            let mut around: Vec<(bool, usize)> =
                before.chain(after.of(*at).iter().map(|n| (true, *n))).collect();
            around.sort_unstable();
            Some((*at, node, around))
        })
        .collect();
    let mut best = None;
    for (n, (first, a, around_a)) in around.iter().enumerate() {
        for (second, b, around_b) in around
            .iter()
            .skip(n + 1)
            .filter(|(_, b, _)| (b.column, because(b)) == (a.column, because(a)))
        {
            let same = common(around_a, around_b);
            if same == 0 && needs == Needs::FewerEdges {
                continue;
            }
            let either = around_a.len() + around_b.len() - same;
            let similarity = (same * 100).checked_div(either).unwrap_or(100);
            let score = (similarity, same, Reverse(a.units() + b.units()));
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, (*first, *second)));
            }
        }
    }
    best.map(|(_, pair)| pair)
}

/// How many entries two sorted lists share.
fn common(a: &[(bool, usize)], b: &[(bool, usize)]) -> usize {
    let mut left = b.iter().peekable();
    a.iter()
        .filter(|entry| {
            while left.next_if(|other| other < entry).is_some() {}
            left.next_if_eq(entry).is_some()
        })
        .count()
}
