//! Positions of edge labels, chosen so that no two labels overlap.

use rustc_hash::FxHashMap;

use super::ways::{Last, Rect, Way};
use crate::model::{Edge, NodeKind, Picture};
use crate::text;

/// The height of a line of text, with some padding.
const HIGH: f64 = 14.0;
/// From the line to the baseline of the text above it.
const ABOVE: f64 = 5.0;
/// From the center of a dot to the baseline of the text above it.
pub(crate) const ABOVE_DOT: f64 = 9.0;
/// Stays free before a box, for the arrowhead.
const HEAD: f64 = 10.0;
/// In a picture with more edges than this, labels overlap lines anyway.
const MOST_LINES: usize = 400;
/// Positions for a label in the gap before a box, the best first.
const SHARES: [f64; 7] = [0.5, 0.38, 0.62, 0.26, 0.74, 0.14, 0.86];

/// On which side of its position a label is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Above,
    Right,
}

impl Side {
    /// From the position to the baseline of the text.
    pub(crate) fn foot(self) -> f64 {
        match self {
            Self::Above => -ABOVE,
            Self::Left | Self::Right => 4.0,
        }
    }
}

/// Within a column, a label is next to the line, otherwise above it.
pub(crate) fn side(from: Option<&Rect>, to: Option<&Rect>, x: f64) -> Side {
    match (from, to) {
        (Some(from), Some(to)) if (from.x - to.x).abs() < 0.05 => {
            if x > from.x + from.w / 2.0 {
                Side::Right
            } else {
                Side::Left
            }
        }
        _ => Side::Above,
    }
}

/// The area that a label covers.
pub(crate) fn covered(wide: f64, (x, y): (f64, f64), side: Side) -> Rect {
    Rect {
        x: match side {
            Side::Left => x - wide,
            Side::Above => x - wide / 2.0,
            Side::Right => x,
        },
        y: y + side.foot() - HIGH + 3.0,
        w: wide,
        h: HIGH,
    }
}

/// The areas covered so far, indexed by the rows of their upper and lower edges. They do not overlap.
#[derive(Default)]
struct Covered(FxHashMap<i64, Vec<Rect>>);

impl Covered {
    fn rows(of: &Rect) -> [i64; 2] {
        [of.y, of.y + of.h].map(|y| (y / HIGH).floor() as i64)
    }

    fn is_free(&self, of: &Rect) -> bool {
        let mut near = Self::rows(of)
            .into_iter()
            .filter_map(|row| self.0.get(&row))
            .flatten();
        !near.any(|other| of.meets(other))
    }

    fn add(&mut self, of: Rect) {
        if self.is_free(&of) {
            let [first, last] = Self::rows(&of);
            self.0.entry(first).or_default().push(of);
            if last != first {
                self.0.entry(last).or_default().push(of);
            }
        }
    }
}

/// Moves the labels of edges between columns along their lines, each to where it overlaps no other. If the count of
/// edges drawn as one does not fit, only the edge's tooltip shows it.
pub(super) fn spread(picture: &Picture, nodes: &[Rect], ways: &mut [Way]) {
    let mut taken = Covered::default();
    for (node, rect) in picture.nodes.iter().zip(nodes) {
        if matches!(node.kind, NodeKind::Join { .. }) {
            let at = (rect.x + rect.w / 2.0, rect.middle() - ABOVE_DOT + ABOVE);
            let wide = text::width(&node.name) * text::DETAIL_CHAR;
            taken.add(covered(wide, at, Side::Above));
        }
    }
    let wide = |edge: &Edge| text::width(&edge.label()) * text::DETAIL_CHAR;
    for (edge, way) in picture.edges.iter().zip(ways.iter()) {
        if let (None, Some(at)) = (&way.last, way.label)
            && !edge.label().is_empty()
        {
            let side = side(nodes.get(edge.before), nodes.get(edge.after), at.0);
            taken.add(covered(wide(edge), at, side));
        }
    }
    let is_small = ways.len() <= MOST_LINES;
    let lines: Vec<Option<Last>> = ways.iter().map(|way| way.last.filter(|_| is_small)).collect();
    for (own, (edge, way)) in picture.edges.iter().zip(ways.iter_mut()).enumerate() {
        let (Some(last), Some(usual)) = (way.last, way.label) else {
            continue;
        };
        if edge.label().is_empty() {
            continue;
        }
        let wide = wide(edge);
        let (left, right) = last.room;
        let (first, end) = (left + wide / 2.0 + 2.0, right - wide / 2.0 - HEAD);
        let shares = SHARES.iter().map(|share| first + (end - first) * share);
        let others = shares
            .filter(|_| first <= end)
            .filter_map(|x| Some((x, last.at(x)?)));
        // The middle of a line that runs straight across columns is behind boxes.
        let is_in_room = left <= usual.0 - wide / 2.0 && usual.0 + wide / 2.0 <= right;
        let places = is_in_room.then_some(usual).into_iter().chain(others);
        let free: Vec<(f64, f64)> = places
            .filter(|at| taken.is_free(&covered(wide, *at, Side::Above)))
            .collect();
        // Where lines cross, a reader cannot tell which line a label belongs to.
        let is_clear = |at: &&(f64, f64)| {
            let words = covered(wide, **at, Side::Above);
            let mut others = lines.iter().enumerate().filter(|(other, _)| *other != own);
            !others.any(|(_, line)| line.is_some_and(|line| line.passes(&words)))
        };
        let free = free.iter().find(is_clear).or(free.first()).copied();
        let counts_only = edge.condition.is_none() && edge.ring.is_none() && !edge.dropped;
        way.label = free.or((!counts_only).then_some(usual));
        if let Some(at) = free {
            taken.add(covered(wide, at, Side::Above));
        }
    }
}

impl Last {
    /// Whether the line passes through the area of a label.
    fn passes(&self, words: &Rect) -> bool {
        let (left, right) = (self.from.0.min(self.to.0), self.from.0.max(self.to.0));
        let ends = [words.x.max(left), (words.x + words.w).min(right)];
        let [Some(a), Some(b)] = ends.map(|x| self.at(x)) else {
            return false;
        };
        // The line is monotonic.
        ends[0] < ends[1] && a.min(b) < words.y + words.h && a.max(b) > words.y
    }

    /// The y coordinate of the line at `x`.
    fn at(&self, x: f64) -> Option<f64> {
        let (from, to) = (self.from, self.to);
        let share = (x - from.0) / (to.0 - from.0);
        if !(0.0..=1.0).contains(&share) {
            return None;
        }
        // Both control points of the curve are halfway across, so `x` grows monotonically with the curve parameter.
        let (mut low, mut high) = (0.0f64, 1.0f64);
        for _ in 0..20 {
            let t = f64::midpoint(low, high);
            if 1.5 * t * (1.0 - t) + t * t * t < share {
                low = t;
            } else {
                high = t;
            }
        }
        let down = low * low * (3.0 - 2.0 * low);
        Some(from.1 + (to.1 - from.1) * down)
    }
}
