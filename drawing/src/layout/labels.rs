//! Where the words of edges stand, so that no two of them lie on each other.

use rustc_hash::FxHashMap;

use super::ways::{Last, Rect, Way};
use crate::model::{Edge, NodeKind, Picture};
use crate::text;

/// The height of a line of words, with some air.
const HIGH: f64 = 14.0;
/// From the line to the foot of the words above it.
const ABOVE: f64 = 5.0;
/// From the middle of a dot to the foot of the words above it.
pub(crate) const ABOVE_DOT: f64 = 9.0;
/// What stays free before a box: the head of an arrow.
const HEAD: f64 = 10.0;
/// In a picture of more edges each lies on others anyway.
const MOST_LINES: usize = 400;
/// Where in the room before a box words may stand, the best first.
const SHARES: [f64; 7] = [0.5, 0.38, 0.62, 0.26, 0.74, 0.14, 0.86];

/// On which side of its place a label stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Above,
    Right,
}

impl Side {
    /// From its place to the foot of its words.
    pub(crate) fn foot(self) -> f64 {
        match self {
            Self::Above => -ABOVE,
            Self::Left | Self::Right => 4.0,
        }
    }
}

/// In a column a label stands beside the line, else above it.
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

/// What the words of a label cover.
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

/// What is covered by now, by the rows of its upper and lower ends. Nothing in it covers anything else in it.
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

/// Moves the labels of edges between columns along their lines, each to where it covers no other. Where the count of
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
        // A line that runs straight over columns has its middle behind boxes.
        let is_in_room = left <= usual.0 - wide / 2.0 && usual.0 + wide / 2.0 <= right;
        let places = is_in_room.then_some(usual).into_iter().chain(others);
        let free: Vec<(f64, f64)> = places
            .filter(|at| taken.is_free(&covered(wide, *at, Side::Above)))
            .collect();
        // Where lines cross nobody sees whose words they are.
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
    /// Whether the line goes through what some words cover.
    fn passes(&self, words: &Rect) -> bool {
        let (left, right) = (self.from.0.min(self.to.0), self.from.0.max(self.to.0));
        let ends = [words.x.max(left), (words.x + words.w).min(right)];
        let [Some(a), Some(b)] = ends.map(|x| self.at(x)) else {
            return false;
        };
        // It only ever rises or only ever falls.
        ends[0] < ends[1] && a.min(b) < words.y + words.h && a.max(b) > words.y
    }

    /// How high the line is at `x`.
    fn at(&self, x: f64) -> Option<f64> {
        let (from, to) = (self.from, self.to);
        let share = (x - from.0) / (to.0 - from.0);
        if !(0.0..=1.0).contains(&share) {
            return None;
        }
        // Both middle points of the curve are halfway across: a share of the way across grows with one of the curve.
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
