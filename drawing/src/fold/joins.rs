//! Joins after a fold.

use super::is_box;
use super::merge::{group, merge};
use crate::model::{Edge, NodeKind, Picture};
use crate::reduce::Adjacency;

/// Merges joins with the same ends; a join with few pairs left becomes edges.
pub(super) fn merge_joins(picture: &mut Picture) {
    let count = picture.nodes.len();
    let after = Adjacency::new(count, picture.edges.iter().map(|e| (e.before, e.after)));
    let before = Adjacency::new(count, picture.edges.iter().map(|e| (e.after, e.before)));
    let set = |nodes: &[usize]| {
        let mut nodes = nodes.to_vec();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    };
    let keys = picture.nodes.iter().enumerate().map(|(at, node)| {
        let join = matches!(node.kind, NodeKind::Join { .. });
        join.then(|| (node.column, set(before.of(at)), set(after.of(at))))
    });
    let groups = group(keys.collect());
    if groups.iter().enumerate().any(|(at, first)| at != *first) {
        merge(picture, &groups);
    }
    dissolve_joins(picture);
}

fn dissolve_joins(picture: &mut Picture) {
    let count = picture.nodes.len();
    let edges = picture.edges.iter().enumerate();
    let from = Adjacency::new(count, edges.clone().map(|(n, e)| (e.after, n)));
    let to = Adjacency::new(count, edges.map(|(n, e)| (e.before, n)));
    let is_join = |at: usize| picture.nodes.get(at).is_some_and(|n| !is_box(n));
    let mut gone = vec![false; count];
    let mut made: Vec<Edge> = Vec::new();
    for at in (0..count).filter(|at| is_join(*at)) {
        let (awaited, waiting) = (from.of(at), to.of(at));
        let ends = |edges: &[usize], end: fn(&Edge) -> usize| -> Vec<Edge> {
            let edges = edges.iter().filter_map(|n| picture.edges.get(*n));
            edges.filter(|e| !is_join(end(e))).cloned().collect()
        };
        let (awaited, waiting) = (ends(awaited, |e| e.before), ends(waiting, |e| e.after));
        let plain = awaited.len() == from.of(at).len() && waiting.len() == to.of(at).len();
        if !plain || awaited.len() * waiting.len() > awaited.len() + waiting.len() + 1 {
            continue;
        }
        if let Some(gone) = gone.get_mut(at) {
            *gone = true;
        }
        for a in &awaited {
            for w in &waiting {
                // A folded side counts as many edges as it had units.
                made.push(Edge {
                    before: a.before,
                    after: w.after,
                    count: a.count.saturating_mul(w.count),
                    explicit: a.explicit || w.explicit,
                    chain: false,
                    cycle: a.cycle && w.cycle,
                    ring: None,
                    ..if w.explicit || !a.explicit {
                        w.clone()
                    } else {
                        a.clone()
                    }
                });
            }
        }
    }
    if made.is_empty() && !gone.contains(&true) {
        return;
    }
    let dropped = |at: usize| gone.get(at).copied().unwrap_or(false);
    picture.edges.retain(|e| !dropped(e.before) && !dropped(e.after));
    picture
        .edges
        .extend(made.into_iter().filter(|e| e.before != e.after));
    // Renumber the nodes and merge edges with the same ends.
    let mut number = Vec::with_capacity(count);
    let mut next = 0usize;
    for gone in &gone {
        number.push(next);
        next += usize::from(!gone);
    }
    for edge in &mut picture.edges {
        let at = |n: usize| number.get(n).copied().unwrap_or(0);
        (edge.before, edge.after) = (at(edge.before), at(edge.after));
    }
    let mut at = 0;
    picture.nodes.retain(|_| {
        at += 1;
        !gone.get(at - 1).copied().unwrap_or(false)
    });
    let alone: Vec<usize> = (0..picture.nodes.len()).collect();
    merge(picture, &alone);
}
