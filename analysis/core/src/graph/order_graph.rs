//! Building an [`OrderGraph`] and asking for its nodes and edges.

use super::{Direction, Edge, EdgeId, EdgeKind, Link, NodeId, NodeKind};

/// Collects nodes and edges; [`GraphBuilder::build`] makes them a graph.
#[derive(Clone, Debug, Default)]
pub struct GraphBuilder {
    kinds: Vec<NodeKind>,
    edges: Vec<Edge>,
}

impl GraphBuilder {
    /// An empty builder.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty builder with the given capacity of nodes and edges.
    #[must_use]
    pub fn with_capacity(nodes: usize, edges: usize) -> Self {
        Self {
            kinds: Vec::with_capacity(nodes),
            edges: Vec::with_capacity(edges),
        }
    }

    /// Adds a node of any kind.
    pub fn node(&mut self, kind: NodeKind) -> NodeId {
        let id = NodeId(count(self.kinds.len()));
        self.kinds.push(kind);
        id
    }

    /// Adds a unit by its number in the engine's list.
    pub fn unit(&mut self, unit: u32) -> NodeId {
        self.node(NodeKind::Unit(unit))
    }

    /// Adds an outside node by its number in the engine's list.
    pub fn outside(&mut self, outside: u32) -> NodeId {
        self.node(NodeKind::Outside(outside))
    }

    /// Adds a join by its number in the engine's list.
    pub fn join(&mut self, join: u32) -> NodeId {
        self.node(NodeKind::Join(join))
    }

    /// Adds an edge. An edge with an end that is not a node of this builder keeps its number and relates
    /// nothing.
    pub fn edge(&mut self, edge: Edge) -> EdgeId {
        let id = EdgeId(count(self.edges.len()));
        self.edges.push(edge);
        id
    }

    /// Adds a required edge that a user wrote.
    pub fn explicit(&mut self, from: NodeId, to: NodeId, dependency: u32) -> EdgeId {
        self.edge(Edge::new(from, to, EdgeKind::Explicit { dependency }))
    }

    /// Adds a required edge that is not written.
    pub fn implicit(&mut self, from: NodeId, to: NodeId, reason: u32) -> EdgeId {
        self.edge(Edge::new(from, to, EdgeKind::Implicit { reason }))
    }

    /// The edges added so far.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Number of nodes added so far.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.kinds.len()
    }

    /// The finished graph.
    #[must_use]
    pub fn build(mut self) -> OrderGraph {
        // It stays, and the capacity was an estimate.
        self.kinds.shrink_to_fit();
        self.edges.shrink_to_fit();
        let dependencies = Adjacency::new(self.kinds.len(), &self.edges, |e| (e.from, e.to));
        let dependents = Adjacency::new(self.kinds.len(), &self.edges, |e| (e.to, e.from));
        OrderGraph {
            kinds: self.kinds,
            edges: self.edges,
            dependencies,
            dependents,
        }
    }
}

/// What waits for what, for one operation. Immutable; flat arrays in both directions.
#[derive(Clone, Debug, Default)]
pub struct OrderGraph {
    kinds: Vec<NodeKind>,
    edges: Vec<Edge>,
    dependencies: Adjacency,
    dependents: Adjacency,
}

impl OrderGraph {
    /// Number of nodes of every kind.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.kinds.len()
    }

    /// Every node, ascending.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + Clone + use<> {
        (0..count(self.kinds.len())).map(NodeId)
    }

    /// Every node that is a unit, with the unit's number.
    pub fn units(&self) -> impl Iterator<Item = (NodeId, u32)> + '_ {
        self.nodes()
            .zip(&self.kinds)
            .filter_map(|(node, kind)| Some((node, kind.unit()?)))
    }

    /// What a node is; `None` for a node of another graph.
    #[must_use]
    pub fn kind(&self, node: NodeId) -> Option<NodeKind> {
        self.kinds.get(node.index()).copied()
    }

    /// Whether paths and cycles pass through a node without naming it.
    #[must_use]
    pub fn is_passed(&self, node: NodeId) -> bool {
        self.kind(node).is_some_and(NodeKind::is_passed)
    }

    /// What every node is, by [`NodeId::index`].
    #[must_use]
    pub fn kinds(&self) -> &[NodeKind] {
        &self.kinds
    }

    /// An edge; `None` for an edge of another graph.
    #[must_use]
    pub fn edge(&self, edge: EdgeId) -> Option<&Edge> {
        self.edges.get(edge.index())
    }

    /// Every edge, by [`EdgeId::index`].
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The edges at a node in one direction, in edge order, parallel ones included.
    pub fn links(
        &self,
        node: NodeId,
        direction: Direction,
    ) -> impl ExactSizeIterator<Item = Link> + Clone + '_ {
        self.slots(node, direction).iter().map(|slot| slot.link())
    }

    /// As [`OrderGraph::links`], of parallel edges only the first.
    pub fn distinct(&self, node: NodeId, direction: Direction) -> impl Iterator<Item = Link> + Clone + '_ {
        self.slots(node, direction)
            .iter()
            .filter(|slot| slot.is_first())
            .map(|slot| slot.link())
    }

    /// The same nodes and edges with some units removed: their dependents then wait for their dependencies.
    /// Node and edge numbers stay the same.
    #[must_use]
    pub fn without(&self, removed: impl Fn(NodeId) -> bool) -> Self {
        let mut graph = self.clone();
        for (node, kind) in graph.kinds.iter_mut().enumerate() {
            if let NodeKind::Unit(unit) = *kind
                && removed(NodeId(count(node)))
            {
                *kind = NodeKind::Removed(unit);
            }
        }
        graph
    }

    /// Whether the node is one of this graph.
    pub(super) fn has(&self, node: NodeId) -> bool {
        node.index() < self.kinds.len()
    }

    pub(super) fn slots(&self, node: NodeId, direction: Direction) -> &[Slot] {
        match direction {
            Direction::Dependencies => self.dependencies.of(node),
            Direction::Dependents => self.dependents.of(node),
        }
    }
}

/// For each node its edges in one direction, one node's after the other's.
#[derive(Clone, Debug, Default)]
struct Adjacency {
    starts: Vec<u32>,
    slots: Vec<Slot>,
}

/// An entry of an [`Adjacency`]: the other end, and the edge with a mark for the first of parallels.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    pub(super) node: u32,
    edge: u32,
}

impl Slot {
    const REPEATED: u32 = 1 << 31;

    pub(super) const fn edge(self) -> u32 {
        self.edge & !Self::REPEATED
    }

    const fn is_first(self) -> bool {
        self.edge & Self::REPEATED == 0
    }

    const fn link(self) -> Link {
        Link {
            edge: EdgeId(self.edge()),
            node: NodeId(self.node),
        }
    }
}

impl Adjacency {
    fn new(nodes: usize, edges: &[Edge], ends: impl Fn(&Edge) -> (NodeId, NodeId)) -> Self {
        let inside = |edge: &Edge| edge.from.index() < nodes && edge.to.index() < nodes;
        let mut starts = vec![0u32; nodes + 1];
        for edge in edges.iter().filter(|e| inside(e)) {
            starts[ends(edge).0.index() + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut slots = vec![Slot::default(); sum as usize];
        let mut next = starts.clone();
        for (number, edge) in edges.iter().enumerate().filter(|(_, e)| inside(e)) {
            let (here, there) = ends(edge);
            let at = &mut next[here.index()];
            slots[*at as usize] = Slot {
                node: there.0,
                edge: count(number) & !Slot::REPEATED,
            };
            *at += 1;
        }
        let mut seen = vec![u32::MAX; nodes];
        for node in 0..nodes {
            for slot in &mut slots[starts[node] as usize..starts[node + 1] as usize] {
                let last = &mut seen[slot.node as usize];
                if *last == count(node) {
                    slot.edge |= Slot::REPEATED;
                }
                *last = count(node);
            }
        }
        Self { starts, slots }
    }

    fn of(&self, node: NodeId) -> &[Slot] {
        let at = node.index();
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(start), Some(end)) => &self.slots[*start as usize..*end as usize],
            _ => &[],
        }
    }
}

/// A number of nodes or edges; saturates far beyond what the size limit of files lets in.
pub(super) fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_edges_are_kept_and_named_once_when_distinct() {
        let mut b = GraphBuilder::new();
        let (x, y) = (b.unit(0), b.unit(1));
        let first = b.explicit(x, y, 0);
        let second = b.implicit(x, y, 0);
        let g = b.build();
        let edges = |it: Vec<Link>| it.into_iter().map(|l| l.edge).collect::<Vec<_>>();
        assert_eq!(
            edges(g.links(x, Direction::Dependencies).collect()),
            [first, second]
        );
        assert_eq!(edges(g.distinct(x, Direction::Dependencies).collect()), [first]);
        assert_eq!(edges(g.distinct(y, Direction::Dependents).collect()), [first]);
    }

    #[test]
    fn nodes_and_edges_of_another_graph_are_answered_with_nothing() {
        let mut b = GraphBuilder::new();
        let x = b.unit(0);
        let odd = b.explicit(x, NodeId(7), 0);
        let g = b.build();
        assert_eq!(g.links(x, Direction::Dependencies).len(), 0);
        assert_eq!(g.links(NodeId(u32::MAX), Direction::Dependents).len(), 0);
        assert!(g.edge(odd).is_some() && g.edge(EdgeId(9)).is_none() && g.kind(NodeId(7)).is_none());
    }
}
