//! Positions of everything. The columns are given: they are the layers, so only two of the usual steps of layered
//! drawing are left, the order within the columns and the coordinates. `dugong` does both. The longest chain is
//! excluded from them: it is the first row.

mod labels;
mod ways;

use dugong::graphlib::{Graph, GraphOptions};
use dugong::order::{OrderOptions, order};
use dugong::{EdgeLabel, GraphLabel, NodeLabel};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{Column, Node, NodeKind, Picture};
use crate::text;
use ways::{Bows, bow, bowed, downward, forward, own, reach};

#[cfg(test)]
pub(crate) use labels::covered;
pub(crate) use labels::{ABOVE_DOT, Side, side};
pub(crate) use ways::{Rect, Way};

/// The positions of everything in one picture; the upper left corner is 0, 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// For each column, its left edge and its width.
    pub(crate) columns: Vec<(f64, f64)>,
    /// The lines between columns.
    pub(crate) lines: Vec<f64>,
    pub(crate) nodes: Vec<Rect>,
    pub(crate) edges: Vec<Way>,
}

pub(crate) const HEADING: f64 = 30.0;
const BOX: f64 = 44.0;
const DOT: f64 = 18.0;
const ROW_GAP: f64 = 14.0;
/// Between the boxes of a cycle, where the numbers of its edges are drawn.
const RING_GAP: f64 = 34.0;
const LANE: f64 = 10.0;
const COLUMN_GAP: f64 = 52.0;
const PADDING: f64 = 12.0;
/// The maximum number of lanes; edges beyond it run straight.
const MOST_LANES: usize = 4_000;

/// Lays out a picture.
pub(crate) fn layout(picture: &Picture) -> Layout {
    let ranks = Ranks::new(picture);
    let lanes = lanes(picture, &ranks);
    let rows = rows(picture, &ranks, &lanes);
    let placed = coordinates(picture, &ranks, &lanes, &rows);
    draw(picture, &ranks, &lanes, &rows, &placed)
}

/// The columns and, where there are joins, the places between them, from 0.
struct Ranks {
    /// Per node.
    of: Vec<usize>,
    /// For each rank its column, or `None` between two columns.
    columns: Vec<Option<usize>>,
}

impl Ranks {
    fn new(picture: &Picture) -> Self {
        let key = |node: &Node| {
            let between = matches!(node.kind, NodeKind::Join { .. });
            (node.column, !between)
        };
        let mut used: Vec<(usize, bool)> = picture.nodes.iter().map(key).collect();
        used.extend((0..picture.columns.len()).map(|column| (column, true)));
        used.sort_unstable();
        used.dedup();
        let of = picture
            .nodes
            .iter()
            .map(|n| used.partition_point(|u| *u < key(n)));
        Self {
            of: of.collect(),
            columns: used
                .iter()
                .map(|(column, unit)| unit.then_some(*column))
                .collect(),
        }
    }

    fn of(&self, node: usize) -> usize {
        self.of.get(node).copied().unwrap_or(0)
    }
}

/// The place of an edge in a rank between its ends.
#[derive(Clone, Copy)]
struct Lane {
    edge: usize,
    rank: usize,
}

/// The lanes of all edges that cross ranks, short edges first, up to the limit.
fn lanes(picture: &Picture, ranks: &Ranks) -> Vec<Lane> {
    let mut long: Vec<(usize, usize)> = Vec::new();
    for (at, edge) in picture.edges.iter().enumerate() {
        let (from, to) = (ranks.of(edge.before), ranks.of(edge.after));
        if from + 1 < to && !edge.needless {
            long.push((to - from, at));
        }
    }
    long.sort_unstable();
    let mut out = Vec::new();
    for (_, at) in long {
        let Some(edge) = picture.edges.get(at) else {
            continue;
        };
        let between = ranks.of(edge.before) + 1..ranks.of(edge.after);
        if out.len() + between.len() > MOST_LANES {
            break;
        }
        out.extend(between.map(|rank| Lane { edge: at, rank }));
    }
    out
}

/// What a rank contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Item {
    Node(usize),
    Lane(usize),
}

impl Item {
    fn id(self) -> String {
        match self {
            Self::Node(n) => format!("n{n}"),
            Self::Lane(n) => format!("l{n}"),
        }
    }
}

fn empty_graph() -> Graph<NodeLabel, EdgeLabel, GraphLabel> {
    let mut graph = Graph::new(GraphOptions {
        multigraph: false,
        compound: false,
        directed: true,
    });
    graph.set_graph(GraphLabel {
        nodesep: ROW_GAP,
        edgesep: LANE,
        ..GraphLabel::default()
    });
    graph
}

/// The items of each rank, ordered to have few crossings.
fn rows(picture: &Picture, ranks: &Ranks, lanes: &[Lane]) -> Vec<Vec<Item>> {
    let mut graph = empty_graph();
    let items = (0..picture.nodes.len()).map(Item::Node);
    let items: Vec<Item> = items.chain((0..lanes.len()).map(Item::Lane)).collect();
    let rank_of = |item: Item| match item {
        Item::Node(n) => ranks.of(n),
        Item::Lane(n) => lanes.get(n).map_or(0, |lane| lane.rank),
    };
    for item in &items {
        let label = NodeLabel {
            rank: i32::try_from(rank_of(*item)).ok(),
            ..NodeLabel::default()
        };
        graph.set_node(item.id(), label);
    }
    for (from, to) in segments(picture, ranks, lanes) {
        graph.set_edge_with_label(from.id(), to.id(), weight());
    }
    order(&mut graph, OrderOptions::default());
    let mut rows: Vec<Vec<(usize, Item)>> = vec![Vec::new(); ranks.columns.len()];
    for item in items {
        let order = graph.node(&item.id()).and_then(|n| n.order);
        if let Some(row) = rows.get_mut(rank_of(item)) {
            row.push((order.unwrap_or(usize::MAX), item));
        }
    }
    let node = |item: Item| match item {
        Item::Node(n) => picture.nodes.get(n),
        Item::Lane(_) => None,
    };
    for row in &mut rows {
        row.sort_by_key(|(order, item)| {
            let chain = node(*item).is_some_and(|n| n.chain);
            // The steps of a cycle are consecutive.
            let ring = match (node(*item), item) {
                (Some(n), Item::Node(at)) if n.cycle && n.kind == NodeKind::Unit => *at + 1,
                _ => 0,
            };
            (!chain, ring, *order)
        });
    }
    rows.into_iter()
        .map(|row| row.into_iter().map(|(_, item)| item).collect())
        .collect()
}

fn weight() -> EdgeLabel {
    EdgeLabel {
        weight: 1.0,
        ..EdgeLabel::default()
    }
}

/// The segments of edges between neighboring ranks.
fn segments(picture: &Picture, ranks: &Ranks, lanes: &[Lane]) -> Vec<(Item, Item)> {
    let by_edge = lanes_by_edge(lanes);
    let mut out = Vec::new();
    for (at, edge) in picture.edges.iter().enumerate() {
        let (from, to) = (ranks.of(edge.before), ranks.of(edge.after));
        if edge.needless || from >= to {
            continue;
        }
        let between = by_edge.get(&at).map_or(&[][..], Vec::as_slice);
        if between.len() + 1 != to - from {
            continue;
        }
        let mut last = Item::Node(edge.before);
        for lane in between {
            out.push((last, Item::Lane(*lane)));
            last = Item::Lane(*lane);
        }
        out.push((last, Item::Node(edge.after)));
    }
    out
}

fn lanes_by_edge(lanes: &[Lane]) -> FxHashMap<usize, Vec<usize>> {
    let mut by_edge: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for (n, lane) in lanes.iter().enumerate() {
        by_edge.entry(lane.edge).or_default().push(n);
    }
    by_edge
}

fn height(node: &Node) -> f64 {
    match node.kind {
        NodeKind::Join { .. } => DOT,
        _ => BOX,
    }
}

/// The vertical centers of all items, relative to the top of the first row.
fn coordinates(picture: &Picture, ranks: &Ranks, lanes: &[Lane], rows: &[Vec<Item>]) -> FxHashMap<Item, f64> {
    let mut placed: FxHashMap<Item, f64> = FxHashMap::default();
    let mut graph = empty_graph();
    let mut has_chain = false;
    for (rank, row) in rows.iter().enumerate() {
        let mut order = 0;
        for item in row {
            let node = match item {
                Item::Node(n) => picture.nodes.get(*n),
                Item::Lane(_) => None,
            };
            if node.is_some_and(|n| n.chain) {
                placed.insert(*item, BOX / 2.0);
                has_chain = true;
                continue;
            }
            let ring = node.is_some_and(|n| n.cycle && n.kind == NodeKind::Unit);
            let label = NodeLabel {
                rank: i32::try_from(rank).ok(),
                order: Some(order),
                width: node.map_or(1.0, height) + if ring { RING_GAP - ROW_GAP } else { 0.0 },
                dummy: node.is_none().then(|| "edge".to_owned()),
                ..NodeLabel::default()
            };
            order += 1;
            graph.set_node(item.id(), label);
        }
    }
    for (from, to) in segments(picture, ranks, lanes) {
        if graph.has_node(&from.id()) && graph.has_node(&to.id()) {
            graph.set_edge_with_label(from.id(), to.id(), weight());
        }
    }
    let found = dugong::position::bk::position_x(&graph);
    let top = |item: &Item| {
        let label = graph.node(&item.id())?;
        Some(found.get(&item.id())? - label.width / 2.0)
    };
    let below: Vec<&Item> = rows
        .iter()
        .flatten()
        .filter(|i| graph.has_node(&i.id()))
        .collect();
    let least = below.iter().filter_map(|i| top(i)).fold(f64::INFINITY, f64::min);
    let start = if has_chain { BOX + ROW_GAP } else { 0.0 };
    for item in below {
        let middle = found.get(&item.id()).copied().unwrap_or(0.0);
        placed.insert(*item, middle - least + start);
    }
    placed
}

fn box_width(node: &Node) -> f64 {
    match node.kind {
        NodeKind::Join { .. } => DOT,
        _ => {
            let marks =
                if node.chain || node.cycle || node.finding.is_some() || node.kind == NodeKind::Unknown {
                    2.0 * text::NAME_CHAR
                } else {
                    0.0
                };
            let name = text::width(&text::shorten(&node.name)) * text::NAME_CHAR + marks;
            let detail = text::width(&text::shorten_path(&node.detail)) * text::DETAIL_CHAR;
            name.max(detail) + 2.0 * PADDING
        }
    }
}

fn draw(
    picture: &Picture,
    ranks: &Ranks,
    lanes: &[Lane],
    rows: &[Vec<Item>],
    placed: &FxHashMap<Item, f64>,
) -> Layout {
    let bows = Bows::new(picture, ranks, rows);
    // For each rank, how far edges that go around boxes extend on the left and on the right.
    let mut passing = [vec![0.0f64; ranks.columns.len()], vec![0.0; ranks.columns.len()]];
    for (n, edge) in picture.edges.iter().enumerate() {
        if let Some((right, level)) = bows.of.get(&n)
            && edge.before != edge.after
            && let [left_side, right_side] = &mut passing
            && let Some(of) = if *right { right_side } else { left_side }.get_mut(ranks.of(edge.after))
        {
            *of = of.max(reach(*level));
        }
    }
    let passing = |right: bool, rank: usize| {
        let [left_side, right_side] = &passing;
        at(if right { right_side } else { left_side }, rank)
    };
    let mut widths = vec![0.0f64; ranks.columns.len()];
    for (n, node) in picture.nodes.iter().enumerate() {
        if let Some(width) = widths.get_mut(ranks.of(n)) {
            *width = width.max(box_width(node));
        }
    }
    // The gap before each rank, and after the last.
    let mut gaps = vec![COLUMN_GAP; ranks.columns.len() + 1];
    for (n, edge) in picture.edges.iter().enumerate() {
        let label = edge.label();
        let wide = text::width(&label) * text::DETAIL_CHAR;
        if let Some((right, level)) = bows.of.get(&n) {
            let gap = ranks.of(edge.after) + usize::from(*right);
            let beyond = if edge.before == edge.after {
                passing(true, ranks.of(edge.before))
            } else if label.is_empty() {
                bow(*level)
            } else {
                bow(*level).max(passing(*right, ranks.of(edge.before)) - reach(0))
            };
            if let Some(gap) = gaps.get_mut(gap) {
                *gap = gap.max(COLUMN_GAP + beyond + wide);
            }
        } else if !label.is_empty()
            && edge.ring.is_none()
            && let Some(gap) = gaps.get_mut(ranks.of(edge.after))
        {
            *gap = gap.max(COLUMN_GAP + wide);
        } else if edge.ring.is_some()
            && let Some(width) = widths.get_mut(ranks.of(edge.after))
        {
            *width = width.max(2.0 * (wide + PADDING));
        }
    }
    if ranks.columns.len() > 1
        && let Some(first) = gaps.first_mut()
        && *first <= COLUMN_GAP
    {
        *first = COLUMN_GAP / 2.0;
    }
    if let Some(last) = gaps.last_mut()
        && *last <= COLUMN_GAP
    {
        *last = COLUMN_GAP / 2.0;
    }
    let mut bowed_left: FxHashSet<usize> = FxHashSet::default();
    for (at, (right, _)) in &bows.of {
        if let (false, Some(edge)) = (right, picture.edges.get(*at)) {
            bowed_left.insert(ranks.of(edge.after));
        }
    }
    let mut x = 0.0;
    let mut lefts = Vec::with_capacity(widths.len());
    let mut columns = vec![(0.0, 0.0); picture.columns.len()];
    let mut lines = Vec::new();
    let mut last_right = None;
    for (rank, width) in widths.iter().enumerate() {
        x += gaps.get(rank).copied().unwrap_or(COLUMN_GAP);
        lefts.push(x);
        if let Some(column) = ranks.columns.get(rank).copied().flatten() {
            if let Some(of) = columns.get_mut(column) {
                *of = (x, *width);
            }
            if let Some(right) = last_right {
                let follows = rank.checked_sub(1).and_then(|before| ranks.columns.get(before));
                lines.push(if !follows.is_some_and(Option::is_some) {
                    (right + x) / 2.0
                } else if bowed_left.contains(&rank) {
                    // Bows and their labels fill the gap before their boxes, except for its start.
                    right + COLUMN_GAP / 4.0
                } else if x - right > COLUMN_GAP {
                    x - COLUMN_GAP / 4.0
                } else {
                    (right + x) / 2.0
                });
            }
            last_right = Some(x + width);
        }
        x += width;
    }
    let width = x + gaps.last().copied().unwrap_or(0.0);
    let nodes: Vec<Rect> = picture
        .nodes
        .iter()
        .enumerate()
        .map(|(n, node)| {
            let rank = ranks.of(n);
            let (left, wide) = (at(&lefts, rank), at(&widths, rank));
            let h = height(node);
            let w = if matches!(node.kind, NodeKind::Join { .. }) {
                DOT
            } else {
                wide
            };
            let middle = placed.get(&Item::Node(n)).copied().unwrap_or(0.0);
            Rect {
                x: left + (wide - w) / 2.0,
                y: HEADING + middle - h / 2.0,
                w,
                h,
            }
        })
        .collect();
    let lane_ys = placed.iter().filter(|(item, _)| matches!(item, Item::Lane(_)));
    let lowest = lane_ys.map(|(_, y)| HEADING + y).fold(0.0, f64::max);
    let lowest = nodes.iter().map(|r| r.y + r.h).fold(lowest, f64::max);
    let by_edge = lanes_by_edge(lanes);
    // For each node, the number of edges that leave its right side upward minus those that leave it downward.
    let mut upward = vec![0i32; nodes.len()];
    for (n, edge) in picture.edges.iter().enumerate() {
        let (Some(from), Some(to)) = (nodes.get(edge.before), nodes.get(edge.after)) else {
            continue;
        };
        let leaves_right = !bows.down.contains(&n) && bows.of.get(&n).is_none_or(|(right, _)| *right);
        if edge.before == edge.after || edge.needless || !leaves_right {
            continue;
        }
        let first = by_edge.get(&n).and_then(|lanes| lanes.first());
        let first = first.and_then(|lane| placed.get(&Item::Lane(*lane)));
        let next = first.map_or(to.middle(), |y| HEADING + y);
        if let Some(of) = upward.get_mut(edge.before) {
            *of += i32::from(next < from.middle()) - i32::from(next > from.middle());
        }
    }
    let way = |(n, edge): (usize, &crate::model::Edge)| {
        let (Some(from), Some(to)) = (nodes.get(edge.before), nodes.get(edge.after)) else {
            return Way::default();
        };
        if edge.before == edge.after {
            let above = upward.get(edge.before).is_none_or(|n| *n <= 0);
            return own(from, above, passing(true, ranks.of(edge.before)));
        }
        if let Some((right, level)) = bows.of.get(&n) {
            return bowed(from, to, *right, *level, passing(*right, ranks.of(edge.before)));
        }
        if bows.down.contains(&n) {
            return downward(from, to);
        }
        let mut stops: Vec<(f64, f64, f64)> = Vec::new();
        for lane in by_edge.get(&n).into_iter().flatten() {
            let Some(rank) = lanes.get(*lane).map(|l| l.rank) else {
                continue;
            };
            let y = HEADING + placed.get(&Item::Lane(*lane)).copied().unwrap_or(0.0);
            let left = at(&lefts, rank);
            stops.push((left, left + at(&widths, rank), y));
        }
        let rank = ranks.of(edge.after);
        let before = rank
            .checked_sub(1)
            .map_or(0.0, |r| at(&lefts, r) + at(&widths, r));
        let behind = lefts.get(rank + 1).copied().unwrap_or(width);
        forward(from, to, &stops, (before, behind))
    };
    let mut edges: Vec<Way> = picture.edges.iter().enumerate().map(way).collect();
    labels::spread(picture, &nodes, &mut edges);
    Layout {
        width,
        height: lowest + ROW_GAP,
        columns,
        lines,
        nodes,
        edges,
    }
}

fn at(values: &[f64], index: usize) -> f64 {
    values.get(index).copied().unwrap_or(0.0)
}

/// Whether a column's heading needs a separate mark.
pub(crate) fn is_trouble(column: Column) -> bool {
    matches!(column, Column::Cycle | Column::Stuck | Column::Unknown)
}
