//! Folding: what is too much for one look is shown as fewer boxes that say for how many units they stand.
//!
//! First what loses nothing (twins: the same layer, the same before and after), then what lies together in a layer,
//! then whole layers, then layers that follow each other. What somebody looks for (cycles, findings, the longest
//! chain, what was asked about and its neighbors) is kept, unless there is more of it alone than fits.

use rustc_hash::FxHashMap;

use crate::build::plural;
use crate::model::{Column, Edge, Node, NodeKind, Picture};
use crate::reduce::Adjacency;

/// Folds until at most so many boxes are left, where that can be done.
pub(crate) fn fold(picture: &mut Picture, above: usize) {
    let all: usize = picture.nodes.iter().map(Node::units).sum();
    if all <= above {
        return;
    }
    let mut ways = Vec::new();
    'levels: for keeps in KEPT {
        for (step, way) in STEPS {
            let before = boxes(picture);
            step(picture, keeps, above);
            merge_joins(picture);
            if boxes(picture) < before && !ways.contains(&way) {
                ways.push(way);
            }
            if boxes(picture) <= above {
                break 'levels;
            }
        }
    }
    let boxes = plural(boxes(picture), ["box", "boxes"]);
    let units = plural(all, picture.words);
    picture
        .notes
        .push(format!("{units} folded to {boxes}: {}", ways.join(", ")));
}

fn boxes(picture: &Picture) -> usize {
    let units = picture.nodes.iter().filter(|n| is_box(n)).count();
    let joins = picture.nodes.len() - units;
    units.max(joins)
}

fn is_box(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Unit | NodeKind::Group)
}

/// What is never folded, as long as there is not more of it than fits.
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

/// Each gives up more than the one before.
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
    (together, "those that lie together in a layer"),
    (layers, "whole layers"),
    (runs, "layers that follow each other"),
];

/// Of a ring so many edges from its start are kept, and so many at its end, where it has too many.
const RING_START: usize = 5;
const RING_END: usize = 2;

/// Per node whether it may be folded.
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
    let keys = (0..count).zip(&foldable).map(|(at, may)| {
        let column = picture.nodes.get(at)?.column;
        may.then(|| (column, sorted(before.of(at)), sorted(after.of(at))))
    });
    let groups = group(keys.collect());
    merge(picture, &groups);
}

/// By directory, by what names have in common, or by tag: the first that is enough, else the one that leaves least.
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
            .map(|(node, may)| Some((node.column, key(node).filter(|_| *may)?)));
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
        merge(picture, &groups);
    }
}

fn layers(picture: &mut Picture, keeps: Kept, _: usize) {
    let foldable = foldable(picture, keeps);
    let keys = picture
        .nodes
        .iter()
        .zip(&foldable)
        .map(|(node, may)| may.then_some(node.column));
    let groups = group(keys.collect());
    merge(picture, &groups);
}

/// Layers that follow each other and hold nothing that is kept become one column.
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

/// Per node the number of its group: the first node that has the same key. One without a key is alone.
fn group<K: std::hash::Hash + Eq>(keys: Vec<Option<K>>) -> Vec<usize> {
    let mut first: FxHashMap<K, usize> = FxHashMap::default();
    keys.into_iter()
        .enumerate()
        .map(|(at, key)| key.map_or(at, |key| *first.entry(key).or_insert(at)))
        .collect()
}

/// Makes each group one node, and the edges between two groups one edge.
fn merge(picture: &mut Picture, groups: &[usize]) {
    let words = picture.words;
    let mut number: Vec<usize> = Vec::with_capacity(groups.len());
    let mut nodes: Vec<Node> = Vec::new();
    for (at, (node, first)) in std::mem::take(&mut picture.nodes)
        .into_iter()
        .zip(groups)
        .enumerate()
    {
        if *first == at {
            number.push(nodes.len());
            nodes.push(node);
            continue;
        }
        let of = number.get(*first).copied().unwrap_or(0);
        number.push(of);
        if let Some(into) = nodes.get_mut(of) {
            join(into, node);
        }
    }
    for node in nodes.iter_mut().filter(|n| n.kind == NodeKind::Group) {
        node.name = name_of(&node.members, words);
        node.detail = node
            .spot
            .as_ref()
            .map_or_else(String::new, |s| format!("{} …", s.show()));
    }
    picture.nodes = nodes;
    let edges = std::mem::take(&mut picture.edges);
    let mut between: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for mut edge in edges {
        let at = |n: usize| number.get(n).copied().unwrap_or(0);
        let same = edge.before == edge.after;
        (edge.before, edge.after) = (at(edge.before), at(edge.after));
        // What is inside of a box is not drawn; what waits for itself is.
        if edge.before == edge.after && !same {
            continue;
        }
        match between
            .get(&(edge.before, edge.after))
            .and_then(|n| picture.edges.get_mut(*n))
        {
            Some(there) => add(there, &edge),
            None => {
                between.insert((edge.before, edge.after), picture.edges.len());
                picture.edges.push(edge);
            }
        }
    }
}

fn join(into: &mut Node, node: Node) {
    if let (
        NodeKind::Join { waiting, awaited },
        NodeKind::Join {
            waiting: w,
            awaited: a,
        },
    ) = (into.kind, node.kind)
    {
        into.kind = NodeKind::Join {
            waiting: waiting + w,
            awaited: awaited + a,
        };
        into.name = format!("{} × {}", waiting + w, awaited + a);
        return;
    }
    if into.kind == NodeKind::Unit {
        into.members = vec![std::mem::take(&mut into.name)];
        into.kind = NodeKind::Group;
        into.unit = None;
    }
    if node.kind == NodeKind::Unit {
        into.members.push(node.name);
    } else {
        into.members.extend(node.members);
    }
    into.chain |= node.chain;
    into.cycle |= node.cycle;
    into.finding = into.finding.max(node.finding);
    into.tags.retain(|tag| node.tags.contains(tag));
}

fn add(into: &mut Edge, edge: &Edge) {
    into.count += edge.count;
    into.explicit |= edge.explicit;
    into.chain |= edge.chain;
    into.cycle |= edge.cycle;
    into.dropped &= edge.dropped;
    into.ring = into.ring.or(edge.ring);
    if into.reason != edge.reason {
        into.reason = None;
    }
    if into.condition != edge.condition {
        into.condition = None;
    }
}

/// What names have in common, up to a mark between their parts: `Deployment ×48`; else the number alone.
fn name_of(members: &[String], words: [&str; 2]) -> String {
    let count = members.len();
    let mut common = members.first().map_or("", String::as_str);
    for name in members {
        let same = common.char_indices().zip(name.chars()).find(|((_, a), b)| a != b);
        let end = same.map_or(common.len().min(name.len()), |((at, _), _)| at);
        common = common.get(..end).unwrap_or("");
    }
    let is_mark = |c: char| matches!(c, '/' | '.' | '-' | '_' | '@' | ':' | '[');
    let common = common
        .rfind(is_mark)
        .map_or("", |at| common.get(..at).unwrap_or(""));
    if common.is_empty() {
        plural(count, words)
    } else {
        format!("{common} ×{count}")
    }
}

/// Joins of the same ends become one; one that has few pairs left becomes edges.
fn merge_joins(picture: &mut Picture) {
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
    let is_join = |at: usize| {
        picture
            .nodes
            .get(at)
            .is_some_and(|n| !is_box(n) && n.kind != NodeKind::Unknown)
    };
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
                // A side that was folded stands for as many edges as it had units.
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
    // The numbers close up, and edges of the same ends become one.
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
