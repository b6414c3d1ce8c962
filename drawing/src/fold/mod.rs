//! Folding: a picture that is too large is shown with fewer boxes, each labeled with the number of its units.
//!
//! Steps that lose nothing come first (twins: the same layer, the same before and after), then groups within a layer,
//! then whole layers, then consecutive layers. What readers look for (cycles, findings, the longest chain, the unit
//! that was asked about and its neighbors) is kept, unless there is more of it than fits. Only as much is folded as
//! necessary, but if most groups of one kind are folded, all of them are.

mod joins;
mod merge;
mod similar;

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use self::joins::merge_joins;
use self::merge::{group, merge};
pub(crate) use self::similar::Needs;
use crate::build::plural;
use crate::model::{Column, Node, NodeKind, Picture};
use crate::reduce::{self, Adjacency};

/// A picture while it is being folded.
#[derive(Clone)]
pub(crate) struct Folding {
    picture: Picture,
    /// The number of units, and of unknown names.
    all: (usize, usize),
    ways: Vec<&'static str>,
}

impl Folding {
    /// Folds until at most `above` boxes are left, if that is possible.
    pub(crate) fn new(picture: &Picture, above: usize) -> Self {
        let boxes = picture.nodes.iter().filter(|n| is_box(n));
        let units = boxes.clone().map(Node::units).sum();
        let unknown = boxes.filter(|n| n.kind == NodeKind::Unknown).count();
        let mut this = Self {
            picture: picture.clone(),
            all: (units, unknown),
            ways: Vec::new(),
        };
        if units + unknown > above {
            this.fold(above);
        }
        this
    }

    fn fold(&mut self, above: usize) {
        for keeps in KEPT {
            for (step, way) in STEPS {
                let before = boxes(&self.picture);
                step(&mut self.picture, keeps, above);
                merge_joins(&mut self.picture);
                let after = boxes(&self.picture);
                if after < before {
                    self.add_way(way);
                }
                if after <= above {
                    return;
                }
            }
        }
    }

    fn add_way(&mut self, way: &'static str) {
        if !self.ways.contains(&way) {
            self.ways.push(way);
        }
    }

    /// Merges the two most similar boxes. Returns `false` if no two can be merged.
    pub(crate) fn fold_two(&mut self, needs: Needs) -> bool {
        reduce::hide_needless(&mut self.picture);
        let found = KEPT.iter().find_map(|keeps| {
            let may = foldable(&self.picture, *keeps);
            similar::most_similar(&self.picture, &may, needs)
        });
        let Some((first, second)) = found else {
            return false;
        };
        let mut groups: Vec<usize> = (0..self.picture.nodes.len()).collect();
        if let Some(of) = groups.get_mut(second) {
            *of = first;
        }
        merge(&mut self.picture, &groups);
        merge_joins(&mut self.picture);
        self.add_way(similar::WAY);
        true
    }

    /// The picture as it is now, with a note on what was folded.
    pub(crate) fn picture(&self) -> Picture {
        let mut out = self.picture.clone();
        if !self.ways.is_empty() {
            let boxes = plural(boxes(&out), ["box", "boxes"]);
            let (units, unknown) = self.all;
            let mut all = plural(units, out.words);
            if unknown > 0 {
                let names = plural(unknown, ["unknown name", "unknown names"]);
                let _ = write!(all, " and {names}");
            }
            out.notes
                .push(format!("{all} folded to {boxes}: {}", self.ways.join(", ")));
        }
        reduce::finish(&mut out);
        out
    }
}

fn boxes(picture: &Picture) -> usize {
    let units = picture.nodes.iter().filter(|n| is_box(n)).count();
    let joins = picture.nodes.len() - units;
    units.max(joins)
}

fn is_box(node: &Node) -> bool {
    !matches!(node.kind, NodeKind::Join { .. })
}

/// What does not exist and what can't be known are never merged into one box.
fn because(node: &Node) -> Option<&str> {
    (node.kind == NodeKind::Unknown).then_some(&*node.detail)
}

/// What is never folded, unless there is more of it than fits.
#[derive(Clone, Copy)]
struct Kept {
    warnings: bool,
    errors: bool,
    chain: bool,
    cycles: bool,
    ring: bool,
}

impl Kept {
    const ALL: Self = Self {
        warnings: true,
        errors: true,
        chain: true,
        cycles: true,
        ring: true,
    };
}

/// Each entry keeps less than the one before.
const KEPT: [Kept; 5] = {
    let without_warnings = Kept {
        warnings: false,
        ..Kept::ALL
    };
    let without_findings = Kept {
        errors: false,
        ..without_warnings
    };
    let ring_alone = Kept {
        chain: false,
        cycles: false,
        ..without_findings
    };
    let nothing = Kept {
        ring: false,
        ..ring_alone
    };
    [Kept::ALL, without_warnings, without_findings, ring_alone, nothing]
};

type Step = fn(&mut Picture, Kept, usize);

const STEPS: [(Step, &str); 4] = [
    (twins, "those with the same before and after"),
    (together, "those in the same layer"),
    (layers, "whole layers"),
    (runs, "layers that follow each other"),
];

/// If a cycle has too many edges, only this many at its start and at its end are kept.
const RING_START: usize = 5;
const RING_END: usize = 2;

/// For each node, whether it may be folded.
fn foldable(picture: &Picture, keeps: Kept) -> Vec<bool> {
    let mut out: Vec<bool> = picture
        .nodes
        .iter()
        .map(|node| {
            use applyorder_analysis::diagnostic::Severity;
            let finding = match node.finding {
                Some(Severity::Error) => keeps.errors,
                Some(Severity::Warning) => keeps.warnings,
                _ => false,
            };
            is_box(node)
                && !(finding || node.focus || keeps.chain && node.chain || keeps.cycles && node.cycle)
        })
        .collect();
    let longest = picture
        .edges
        .iter()
        .filter_map(|e| Some(e.ring?.number))
        .max()
        .unwrap_or(0);
    for edge in &picture.edges {
        let near = |at: usize| picture.nodes.get(at).is_some_and(|n| n.focus);
        let ring = edge.ring.is_some_and(|ring| {
            keeps.ring || ring.number <= RING_START || ring.cut || ring.number + RING_END > longest
        });
        if near(edge.before) || near(edge.after) || ring {
            for end in [edge.before, edge.after] {
                if let Some(out) = out.get_mut(end) {
                    *out = false;
                }
            }
        }
    }
    out
}

fn twins(picture: &mut Picture, keeps: Kept, _: usize) {
    let foldable = foldable(picture, keeps);
    let count = picture.nodes.len();
    let after = Adjacency::new(count, picture.edges.iter().map(|e| (e.before, e.after)));
    let before = Adjacency::new(count, picture.edges.iter().map(|e| (e.after, e.before)));
    let sorted = |nodes: &[usize]| {
        let mut nodes = nodes.to_vec();
        nodes.sort_unstable();
        nodes
    };
    let nodes = picture.nodes.iter().enumerate();
    let keys = nodes.zip(&foldable).map(|((at, node), may)| {
        let column = node.column;
        let around = (sorted(before.of(at)), sorted(after.of(at)));
        may.then(|| (column, because(node), around))
    });
    let groups = group(keys.collect());
    merge(picture, &groups);
}

/// By directory, by common part of the names, or by tag: the first key that is enough, else the one that leaves the
/// fewest nodes.
fn together(picture: &mut Picture, keeps: Kept, above: usize) {
    let foldable = foldable(picture, keeps);
    let keys: [fn(&Node) -> Option<String>; 3] = [
        |node| Some(node.spot.as_ref()?.directory().to_owned()),
        |node| {
            let name = node.name.as_str();
            let space = name.rsplit_once('@').map(|(_, space)| space);
            space
                .or_else(|| Some(name.rsplit_once('/')?.0))
                .map(str::to_owned)
        },
        |node| node.tags.first().cloned(),
    ];
    let mut best: Option<(usize, Vec<usize>)> = None;
    for key in keys {
        let of = picture
            .nodes
            .iter()
            .zip(&foldable)
            .map(|(node, may)| Some((node.column, because(node), key(node).filter(|_| *may)?)));
        let groups = group(of.collect());
        let mut ids: Vec<usize> = groups.clone();
        ids.sort_unstable();
        ids.dedup();
        let left = ids.len();
        if best.as_ref().is_none_or(|(least, _)| left < *least) {
            best = Some((left, groups));
        }
        if left <= above {
            break;
        }
    }
    if let Some((_, groups)) = best {
        let groups = enough(picture, groups, above);
        merge(picture, &groups);
    }
}

fn layers(picture: &mut Picture, keeps: Kept, above: usize) {
    let foldable = foldable(picture, keeps);
    let keys = picture
        .nodes
        .iter()
        .zip(&foldable)
        .map(|(node, may)| may.then_some((node.column, because(node))));
    let groups = enough(picture, group(keys.collect()), above);
    merge(picture, &groups);
}

/// The groups that have to be folded, those with the most units first; all of them if those are most of the groups.
fn enough(picture: &Picture, groups: Vec<usize>, above: usize) -> Vec<usize> {
    let mut of: FxHashMap<usize, (usize, usize)> = FxHashMap::default();
    for (node, first) in picture.nodes.iter().zip(&groups) {
        let (boxes, units) = of.entry(*first).or_default();
        *boxes += usize::from(is_box(node));
        *units += node.units();
    }
    of.retain(|_, (boxes, _)| *boxes > 1);
    let mut largest: Vec<(usize, usize, usize)> = of
        .into_iter()
        .map(|(first, (boxes, units))| (first, boxes, units))
        .collect();
    largest.sort_unstable_by_key(|(first, _, units)| (std::cmp::Reverse(*units), *first));
    let mut left = picture.nodes.iter().filter(|n| is_box(n)).count();
    // There are too many joins, and their number shrinks only as what they connect is folded.
    if boxes(picture) > left.max(above) {
        return groups;
    }
    let needed = largest
        .iter()
        .take_while(|(_, boxes, _)| {
            let more = left > above;
            left = left.saturating_sub(boxes - 1);
            more
        })
        .count();
    if needed * 4 > largest.len() * 3 {
        return groups;
    }
    let folded: FxHashSet<usize> = largest.iter().take(needed).map(|(first, ..)| *first).collect();
    let kept = groups.into_iter().enumerate();
    kept.map(|(at, first)| if folded.contains(&first) { first } else { at })
        .collect()
}

/// Merges consecutive layers without kept nodes into one column.
fn runs(picture: &mut Picture, keeps: Kept, above: usize) {
    let foldable = foldable(picture, keeps);
    let mut open: Vec<bool> = picture
        .columns
        .iter()
        .map(|c| matches!(c, Column::Layer(_) | Column::Layers(..)))
        .collect();
    let mut kept = 0;
    for (node, may) in picture.nodes.iter().zip(&foldable) {
        if is_box(node) && !may {
            kept += 1;
            if let Some(open) = open.get_mut(node.column) {
                *open = false;
            }
        }
    }
    let closed = open.iter().filter(|o| !**o).count();
    let room = above.saturating_sub(kept + closed).max(1);
    let length = (open.len() - closed).div_ceil(room).max(2);
    let mut number = Vec::with_capacity(open.len());
    let mut columns: Vec<Column> = Vec::new();
    let mut run = 0;
    for (column, open) in picture.columns.iter().zip(&open) {
        match (columns.last_mut(), *open && run > 0 && run < length) {
            (Some(last), true) => {
                *last = match (*last, *column) {
                    (Column::Layer(a) | Column::Layers(a, _), Column::Layer(b) | Column::Layers(_, b)) => {
                        Column::Layers(a, b)
                    }
                    (last, _) => last,
                };
                run += 1;
            }
            _ => {
                columns.push(*column);
                run = usize::from(*open);
            }
        }
        number.push(columns.len() - 1);
    }
    for node in &mut picture.nodes {
        node.column = number.get(node.column).copied().unwrap_or(0);
    }
    picture.columns = columns;
    layers(picture, keeps, above);
}
