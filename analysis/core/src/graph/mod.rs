//! The graph every engine ends in: what waits for what, and what follows from it.
//!
//! Independent of files, engines and text: nodes are numbers of units, edges are numbers of written
//! dependencies or of reasons, and each engine looks up the rest by those numbers. There is one
//! [`OrderGraph`] per operation (apply, delete). Everything here is iterative, deterministic and
//! linear unless its documentation mentions a budget.
//!
//! Ties are broken by [`NodeId`] everywhere: an engine adds its units in the order in which they are to be
//! listed (declaration order, byte order of the path, ...), and edges in file order.

#![allow(
    clippy::indexing_slicing,
    reason = "nodes are below the size of their graph, which sizes every array here"
)]

mod components;
mod cycles;
mod cyclic_part;
mod difference;
mod expand;
mod feedback;
mod girth;
mod layers;
mod order_graph;
mod paths;
mod redundant;
mod relations;
mod relations_closure;
mod sequence;
#[cfg(test)]
mod tests;

pub use components::Components;
pub use cycles::{Cut, Cycle};
pub use cyclic_part::{CyclicPart, KeptCycles};
pub use difference::{Difference, Wait};
pub use expand::{Expand, Pair};
pub use layers::Layers;
pub use order_graph::{GraphBuilder, OrderGraph};
pub use paths::{Path, Reached, Step};
pub use redundant::{Redundancy, Redundant};
pub use relations::{Dropped, Member, Relation, Relations, Side, Unresolved};
pub use sequence::FifoOrder;

/// The budget for searches that have one, in edges looked at: some milliseconds.
pub const BUDGET: u64 = 4_000_000;

/// The budget of [`OrderGraph::difference`]: about a second.
pub const COMPARE: u64 = 200_000_000;

/// A node of one [`OrderGraph`], counted from 0 in the order of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The number as an index into tables with one entry per node.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An edge of one [`OrderGraph`], counted from 0 in the order of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeId(pub u32);

impl EdgeId {
    /// The number as an index into tables with one entry per edge.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node represents. The numbers are indices into the engine's own tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// A unit that is ordered and takes a place in a layer.
    Unit(u32),
    /// Something that is referred to and not ordered here: a dangling name, a data source, another project.
    /// Takes no place in a layer, order passes through it, and it is shown in paths.
    Outside(u32),
    /// A group that relates units to units (kapp): its dependents wait for the join, the join waits for its
    /// dependencies. Takes no place in a layer and is passed through in paths.
    Join(u32),
    /// A unit that was removed from a selection: its dependents wait for its dependencies.
    /// Behaves as a join.
    Removed(u32),
}

impl NodeKind {
    /// The unit's number, for a unit that is still ordered.
    #[must_use]
    pub const fn unit(self) -> Option<u32> {
        match self {
            Self::Unit(unit) => Some(unit),
            _ => None,
        }
    }

    /// Whether paths and cycles pass through without naming the node.
    #[must_use]
    pub const fn is_passed(self) -> bool {
        matches!(self, Self::Join(_) | Self::Removed(_))
    }
}

/// Where an edge comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeKind {
    /// Written by a user: the number of the dependency in the engine's list. One written dependency may give
    /// several edges.
    Explicit {
        /// Index into the engine's list of written dependencies.
        dependency: u32,
    },
    /// Not written: nesting, a default rule, a sequence.
    Implicit {
        /// Index into the engine's table of reasons.
        reason: u32,
    },
}

impl EdgeKind {
    /// The number of the written dependency, if there is one.
    #[must_use]
    pub const fn dependency(self) -> Option<u32> {
        match self {
            Self::Explicit { dependency } => Some(dependency),
            Self::Implicit { .. } => None,
        }
    }

    /// Whether a user wrote it.
    #[must_use]
    pub const fn is_explicit(self) -> bool {
        matches!(self, Self::Explicit { .. })
    }
}

/// `from` waits for `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The node that waits.
    pub from: NodeId,
    /// The node it waits for.
    pub to: NodeId,
    /// Written or implied.
    pub kind: EdgeKind,
    /// The state that `to` must have reached, as an index into the engine's table of conditions.
    pub condition: Option<u32>,
    /// False for an edge that the engine drops instead of failing on a cycle.
    pub required: bool,
    /// Which of two optional edges takes precedence: the one with the higher weight.
    pub weight: i32,
}

impl Edge {
    /// A required edge without condition, of weight 0.
    #[must_use]
    pub const fn new(from: NodeId, to: NodeId, kind: EdgeKind) -> Self {
        Self {
            from,
            to,
            kind,
            condition: None,
            required: true,
            weight: 0,
        }
    }
}

/// Which way to walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From a node to its dependencies.
    Dependencies,
    /// From a node to its dependents.
    Dependents,
}

/// One edge as seen from one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The edge.
    pub edge: EdgeId,
    /// The node at its other end.
    pub node: NodeId,
}
