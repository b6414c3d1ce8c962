//! How edges run between boxes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Item, LANE, Ranks};
use crate::model::Picture;

/// A rectangle by its upper left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rect {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) w: f64,
    pub(crate) h: f64,
}

impl Rect {
    pub(super) fn middle(&self) -> f64 {
        self.y + self.h / 2.0
    }

    pub(super) fn right(&self) -> f64 {
        self.x + self.w
    }

    /// Whether the rectangles overlap.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.x < other.right()
            && other.x < self.right()
            && self.y < other.y + other.h
            && other.y < self.y + self.h
    }
}

/// The route of an edge: an SVG path, and the position of its label if there is room for one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Way {
    pub(crate) path: String,
    pub(crate) label: Option<(f64, f64)>,
    /// The last part of a route between columns: labels may be placed anywhere along it.
    pub(super) last: Option<Last>,
}

/// The last part of a route: its start and end, and the horizontal range that is free next to the box where it ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Last {
    pub(super) from: (f64, f64),
    pub(super) to: (f64, f64),
    pub(super) room: (f64, f64),
}

/// Edges within a column: straight down to the next box, otherwise around the other boxes.
pub(super) struct Bows {
    pub(super) down: FxHashSet<usize>,
    /// Whether it is on the right side, and how far out.
    pub(super) of: FxHashMap<usize, (bool, usize)>,
}

impl Bows {
    pub(super) fn new(picture: &Picture, ranks: &Ranks, rows: &[Vec<Item>]) -> Self {
        let mut row_of: FxHashMap<usize, usize> = FxHashMap::default();
        for row in rows {
            let nodes = row.iter().filter_map(|item| match item {
                Item::Node(n) => Some(*n),
                Item::Lane(_) => None,
            });
            row_of.extend(nodes.enumerate().map(|(at, n)| (n, at)));
        }
        let row = |node: usize| row_of.get(&node).copied().unwrap_or(0);
        let mut bows = Self {
            down: Default::default(),
            of: FxHashMap::default(),
        };
        let mut within: Vec<(usize, usize)> = Vec::new();
        for (n, edge) in picture.edges.iter().enumerate() {
            if ranks.of(edge.before) != ranks.of(edge.after) {
                continue;
            }
            let (from, to) = (row(edge.before), row(edge.after));
            if from + 1 == to {
                bows.down.insert(n);
            } else {
                within.push((from.abs_diff(to), n));
            }
        }
        within.sort_unstable();
        // An edge that goes around no box need not push the others out.
        let mut level = 0usize;
        for (rows, n) in within {
            let Some(edge) = picture.edges.get(n) else {
                continue;
            };
            let right = row(edge.before) <= row(edge.after);
            bows.of.insert(n, (right, level.min(12)));
            level += usize::from(rows > 0);
        }
        bows
    }
}

pub(super) fn bow(level: usize) -> f64 {
    f64::from(u32::try_from(level).unwrap_or(0)) * LANE
}

/// Routes an edge around the boxes in between. The label is placed beyond all edges on this side, which extend as far
/// as `passed`.
pub(super) fn bowed(from: &Rect, to: &Rect, right: bool, level: usize, passed: f64) -> Way {
    let out = 30.0 + bow(level);
    let (x1, x2, far) = if right {
        (from.right(), to.right(), from.right().max(to.right()) + out)
    } else {
        (from.x, to.x, from.x.min(to.x) - out)
    };
    let (y1, y2) = (from.middle(), to.middle());
    Way {
        path: format!("M{x1:.1} {y1:.1}C{far:.1} {y1:.1} {far:.1} {y2:.1} {x2:.1} {y2:.1}"),
        label: Some((
            if right {
                far - out + passed.max(reach(level)) + 4.0
            } else {
                far + out - passed.max(reach(level)) - 4.0
            },
            (y1 + y2) / 2.0,
        )),
        last: None,
    }
}

/// How far out an edge that goes around boxes extends at most.
pub(super) fn reach(level: usize) -> f64 {
    (30.0 + bow(level)) * 0.75
}

/// An edge from a box to itself goes around a corner: other edges leave from the middle of the right side. `above`: the
/// upper corner. Its label is placed beyond the edges that pass there.
pub(super) fn own(of: &Rect, above: bool, passed: f64) -> Way {
    let right = of.right();
    let (edge, inward) = if above { (of.y, 1.0) } else { (of.y + of.h, -1.0) };
    let (out, back) = (edge - inward * 22.0, edge + inward * 11.0);
    Way {
        path: format!(
            "M{:.1} {edge:.1}C{:.1} {out:.1} {:.1} {back:.1} {right:.1} {back:.1}",
            right - 20.0,
            right - 20.0,
            right + 36.0
        ),
        label: Some((right + (passed + 8.0).max(24.0), edge - inward * 2.0)),
        last: None,
    }
}

pub(super) fn downward(from: &Rect, to: &Rect) -> Way {
    let x = from.x + from.w / 2.0;
    let (y1, y2) = (from.y + from.h, to.y);
    Way {
        path: format!("M{x:.1} {y1:.1}L{x:.1} {y2:.1}"),
        label: Some((x + 8.0, (y1 + y2) / 2.0)),
        last: None,
    }
}

/// `neighbors`: the end of the column before the box's column, and the start of the column after it.
pub(super) fn forward(from: &Rect, to: &Rect, stops: &[(f64, f64, f64)], neighbors: (f64, f64)) -> Way {
    let back = to.x < from.x;
    let (mut x, end) = if back {
        (from.x, to.right())
    } else {
        (from.right(), to.x)
    };
    let mut y = from.middle();
    let mut path = format!("M{x:.1} {y:.1}");
    let mut step = |x: &mut f64, y: &mut f64, to_x: f64, to_y: f64| {
        let bend = (*x + to_x) / 2.0;
        if (*y - to_y).abs() < 0.05 {
            path.push_str(&format!("H{to_x:.1}"));
        } else {
            path.push_str(&format!(
                "C{bend:.1} {y:.1} {bend:.1} {to_y:.1} {to_x:.1} {to_y:.1}"
            ));
        }
        (*x, *y) = (to_x, to_y);
    };
    for (left, right, at) in stops {
        step(&mut x, &mut y, *left, *at);
        let there = *at;
        step(&mut x, &mut y, *right, there);
    }
    let label = ((x + end) / 2.0, (y + to.middle()) / 2.0);
    let last = Last {
        from: (x, y),
        to: (end, to.middle()),
        room: if back {
            (end, neighbors.1.min(x))
        } else {
            (neighbors.0.max(x), end)
        },
    };
    step(&mut x, &mut y, end, to.middle());
    Way {
        path,
        label: Some(label),
        last: Some(last),
    }
}
