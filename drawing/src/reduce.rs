//! What a picture drops or computes once its nodes are final: the neighborhood of one unit, implied edges, and the
//! sentence for each node.

use std::fmt::Write;

use applyorder_analysis::engine::or_later;

use crate::model::{Column, Node, NodeKind, Picture};

/// Keeps a unit and what runs before and after it, within `depth` steps. Returns `false` if the unit does not exist.
pub(crate) fn focus(picture: &mut Picture, unit: &str, depth: u32) -> bool {
    let Some(start) = picture
        .nodes
        .iter()
        .position(|n| n.kind == NodeKind::Unit && n.name == unit)
    else {
        return false;
    };
    if let Some(node) = picture.nodes.get_mut(start) {
        node.focus = true;
    }
    let mut keep = vec![false; picture.nodes.len()];
    for forward in [true, false] {
        let ends = |e: &crate::model::Edge| {
            if forward {
                (e.before, e.after)
            } else {
                (e.after, e.before)
            }
        };
        let next = Adjacency::new(picture.nodes.len(), picture.edges.iter().map(ends));
        let mut seen = vec![false; picture.nodes.len()];
        let mut level = vec![start];
        let mut left = depth;
        while !level.is_empty() {
            let mut further = Vec::new();
            while let Some(node) = level.pop() {
                match seen.get_mut(node) {
                    Some(seen) if !*seen => *seen = true,
                    _ => continue,
                }
                for there in next.of(node) {
                    // A join is an intermediate stop, not a step.
                    let join = picture.nodes.get(*there).is_some_and(is_join);
                    if join {
                        level.push(*there);
                    } else {
                        further.push(*there);
                    }
                }
            }
            if left == 0 {
                break;
            }
            left -= 1;
            level = further;
        }
        for (keep, seen) in keep.iter_mut().zip(seen) {
            *keep |= seen;
        }
    }
    let kept = keep.iter().filter(|k| **k).count();
    let out = picture.nodes.len() - kept;
    keep_nodes(picture, &keep);
    if out > 0 {
        let units = crate::build::plural(out, picture.words);
        picture
            .notes
            .push(format!("{units} outside the focus hidden (--focus)"));
    }
    true
}

fn is_join(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Join { .. })
}

/// Removes nodes, their edges, and columns that become empty.
fn keep_nodes(picture: &mut Picture, keep: &[bool]) {
    let mut number = vec![usize::MAX; keep.len()];
    let kept = number.iter_mut().zip(keep).filter(|(_, keep)| **keep);
    for (next, (number, _)) in kept.enumerate() {
        *number = next;
    }
    let number = |at: usize| number.get(at).copied().filter(|n| *n != usize::MAX);
    let mut at = 0;
    picture.nodes.retain(|_| {
        at += 1;
        keep.get(at - 1).copied().unwrap_or(false)
    });
    picture
        .edges
        .retain_mut(|edge| match (number(edge.before), number(edge.after)) {
            (Some(before), Some(after)) => {
                (edge.before, edge.after) = (before, after);
                true
            }
            _ => false,
        });
    drop_empty_columns(picture);
}

/// Removes the columns without units.
pub(crate) fn drop_empty_columns(picture: &mut Picture) {
    let mut used = vec![false; picture.columns.len()];
    for node in picture.nodes.iter().filter(|n| !is_join(n)) {
        if let Some(used) = used.get_mut(node.column) {
            *used = true;
        }
    }
    let mut number = Vec::with_capacity(used.len());
    let mut next = 0usize;
    for used in &used {
        number.push(next);
        next += usize::from(*used);
    }
    for node in &mut picture.nodes {
        node.column = number.get(node.column).copied().unwrap_or(0);
    }
    let mut at = 0;
    picture.columns.retain(|_| {
        at += 1;
        used.get(at - 1).copied().unwrap_or(false)
    });
}

/// Computes what depends on all nodes and edges being present.
pub(crate) fn finish(picture: &mut Picture) {
    let needless = hide_needless(picture);
    if needless > 0 {
        let edges = crate::build::plural(needless, ["edge", "edges"]);
        picture.notes.push(format!("{edges} that others imply: hidden"));
    }
    write_sentences(picture);
}

/// Implied edges are searched for only up to this many nodes: a bit per pair of nodes is kept.
const MOST_REDUCED: usize = 4_000;

/// Marks edges whose order follows from others: another path connects their ends.
pub(crate) fn hide_needless(picture: &mut Picture) -> usize {
    let count = picture.nodes.len();
    if count > MOST_REDUCED {
        return 0;
    }
    let rank = |n: &Node| (n.column, !is_join(n));
    let forward = |picture: &Picture, e: &crate::model::Edge| {
        let rank = |at: usize| picture.nodes.get(at).map(rank);
        rank(e.before) < rank(e.after)
    };
    let ends = picture.edges.iter().filter(|e| forward(picture, e));
    let next = Adjacency::new(count, ends.map(|e| (e.before, e.after)));
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|at| std::cmp::Reverse(picture.nodes.get(*at).map(rank)));
    let words = count.div_ceil(64);
    let mut behind: Vec<Vec<u64>> = vec![Vec::new(); count];
    let has = |set: &[u64], at: usize| set.get(at / 64).is_some_and(|w| w >> (at % 64) & 1 == 1);
    for node in order {
        let mut own = vec![0u64; words];
        for there in next.of(node) {
            if let Some(word) = own.get_mut(there / 64) {
                *word |= 1 << (there % 64);
            }
            for (own, word) in own
                .iter_mut()
                .zip(behind.get(*there).map_or(&[][..], Vec::as_slice))
            {
                *own |= word;
            }
        }
        if let Some(behind) = behind.get_mut(node) {
            *behind = own;
        }
    }
    let mut hidden = 0;
    let mut edges = std::mem::take(&mut picture.edges);
    for edge in &mut edges {
        let plain = edge.condition.is_none() && !edge.chain && !edge.cycle && !edge.dropped;
        edge.needless = plain
            && forward(picture, edge)
            && next.of(edge.before).iter().any(|there| {
                *there != edge.after && behind.get(*there).is_some_and(|set| has(set, edge.after))
            });
        hidden += usize::from(edge.needless);
    }
    picture.edges = edges;
    hidden
}

/// More names than this are only counted.
const MOST_NAMES: usize = 5;

/// `cert-manager, layer 2, after cilium`.
fn write_sentences(picture: &mut Picture) {
    let before = Adjacency::new(
        picture.nodes.len(),
        picture.edges.iter().map(|e| (e.after, e.before)),
    );
    let names: Vec<String> = picture.nodes.iter().map(|n| n.name.clone()).collect();
    let joins: Vec<bool> = picture.nodes.iter().map(is_join).collect();
    let is_join = |at: usize| joins.get(at).copied().unwrap_or(false);
    let columns = picture.columns.clone();
    for (at, node) in picture.nodes.iter_mut().enumerate() {
        let column = columns
            .get(node.column)
            .copied()
            .map_or_else(String::new, Column::words);
        if let NodeKind::Join { waiting, awaited } = node.kind {
            node.sentence = format!("{waiting} wait for {awaited}");
            continue;
        }
        let mut sentence = node.name.clone();
        let _ = write!(sentence, ", {column}{}", or_later(node.later));
        // Neighbors through a join are listed with the direct ones.
        let mut after: Vec<usize> = Vec::new();
        for there in before.of(at) {
            if is_join(*there) {
                after.extend(before.of(*there).iter().copied().filter(|n| !is_join(*n)));
            } else {
                after.push(*there);
            }
            if after.len() > 10_000 {
                break;
            }
        }
        after.sort_unstable();
        after.dedup();
        if !after.is_empty() {
            let shown: Vec<&str> = after
                .iter()
                .take(MOST_NAMES)
                .filter_map(|n| names.get(*n).map(String::as_str))
                .collect();
            let _ = write!(sentence, ", after {}", shown.join(", "));
            if after.len() > MOST_NAMES {
                let _ = write!(sentence, " and {} more", after.len() - MOST_NAMES);
            }
        }
        if node.chain {
            sentence.push_str(", on the longest chain");
        }
        node.sentence = sentence;
    }
}

/// The neighbors of each node in one direction, in edge order.
pub(crate) struct Adjacency {
    starts: Vec<usize>,
    nodes: Vec<usize>,
}

impl Adjacency {
    pub(crate) fn new(count: usize, edges: impl Iterator<Item = (usize, usize)> + Clone) -> Self {
        let mut starts = vec![0usize; count + 1];
        for (from, _) in edges.clone() {
            if let Some(start) = starts.get_mut(from + 1) {
                *start += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut nodes = vec![0; sum];
        let mut next = starts.clone();
        for (from, to) in edges {
            if let Some(at) = next.get_mut(from).filter(|_| from < count) {
                if let Some(slot) = nodes.get_mut(*at) {
                    *slot = to;
                }
                *at += 1;
            }
        }
        Self { starts, nodes }
    }

    pub(crate) fn of(&self, node: usize) -> &[usize] {
        match (self.starts.get(node), self.starts.get(node + 1)) {
            (Some(start), Some(end)) => self.nodes.get(*start..*end).unwrap_or(&[]),
            _ => &[],
        }
    }
}
