//! The direct dependencies and dependents of a unit; joins are passed through.

use rustc_hash::FxHashSet;

use applyorder_core::engine::{OrderOf, UnitIx};
use applyorder_core::graph::{Direction, EdgeId, EdgeKind, NodeId, NodeKind};

/// A unit at the other end of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Neighbour {
    pub(super) unit: UnitIx,
    /// The most informative of the edges between.
    pub(super) why: EdgeKind,
    /// The condition of the last edge.
    pub(super) condition: Option<u32>,
}

/// The neighbors of a unit in one direction, each once.
pub(super) fn of(order: &OrderOf, unit: UnitIx, direction: Direction) -> Vec<Neighbour> {
    let graph = &order.graph;
    let start = NodeId(unit.0);
    let mut seen: FxHashSet<NodeId> = FxHashSet::default();
    seen.insert(start);
    let mut open: Vec<(NodeId, Vec<EdgeId>)> = vec![(start, Vec::new())];
    let mut found = Vec::new();
    while let Some((node, through)) = open.pop() {
        for link in graph.distinct(node, direction) {
            if !seen.insert(link.node) {
                continue;
            }
            let Some(edge) = graph.edge(link.edge) else {
                continue;
            };
            let through: Vec<EdgeId> = through.iter().copied().chain([link.edge]).collect();
            match graph.kind(link.node) {
                Some(NodeKind::Unit(u)) => found.push(Neighbour {
                    unit: UnitIx(u),
                    why: graph.main_edge(&through).map_or(edge.kind, |e| e.kind),
                    condition: edge.condition,
                }),
                Some(kind) if kind.is_passed() => open.push((link.node, through)),
                _ => {}
            }
        }
    }
    found
}

/// All units reachable from a unit in one direction; not itself.
pub(super) fn all(order: &OrderOf, unit: UnitIx, direction: Direction) -> Vec<UnitIx> {
    let graph = &order.graph;
    let reached = graph.reach(&[NodeId(unit.0)], direction);
    let nodes = (0u32..)
        .map(NodeId)
        .zip(reached)
        .filter(|(_, is_reached)| *is_reached);
    let units = nodes.filter_map(|(node, _)| match graph.kind(node)? {
        NodeKind::Unit(u) => Some(UnitIx(u)),
        _ => None,
    });
    units.filter(|u| *u != unit).collect()
}

/// Whether a unit may have further neighbors in a direction that cannot be known. A unit that is certainly on one side
/// of it is not a further one.
pub(super) fn are_open(order: &OrderOf, unit: UnitIx, direction: Direction) -> bool {
    if order.open.is_empty() {
        return false;
    }
    let graph = &order.graph;
    let related = [Direction::Dependencies, Direction::Dependents]
        .map(|direction| graph.reach(&[NodeId(unit.0)], direction));
    let is_related = |other: UnitIx| related.iter().any(|set| set.get(other.0 as usize) == Some(&true));
    order.open.iter().any(|open| {
        let other = match direction {
            Direction::Dependencies => open.to,
            Direction::Dependents => open.from,
        };
        open.touches(unit, direction) && other.is_none_or(|other| !is_related(other))
    })
}
