//! The effect of further dependencies on the layers.

use applyorder_core::engine::{DependencyIx, Operation, OrderOf, UnitIx, Variant};
use applyorder_core::graph::{BUDGET, Direction, Edge, EdgeId, NodeId, OrderGraph};

/// The effect of one more dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Consequence {
    /// It would close a cycle.
    Cycle,
    /// The wait it asks for already exists.
    Already,
    /// No unit moves.
    Stays,
    /// Units move to other layers: which, and to which layer, the dependent first.
    Moves(Vec<(UnitIx, u32)>),
    /// It cannot be known.
    Unknown,
}

/// Computes effects for one unit of a variant.
pub(super) struct Consequences<'a> {
    graph: &'a OrderGraph,
    own: NodeId,
    /// What waits for the unit: over edges that the engine keeps, and over all.
    dependents: Vec<bool>,
    all_dependents: Vec<bool>,
    dependencies: Vec<bool>,
    all_dependencies: Vec<bool>,
    /// Per edge whether it is replaced; empty if none is.
    left_out: Vec<bool>,
    /// The nodes in an order in which each comes after its dependencies, with their layers; empty if these are
    /// not the layers of the engine.
    sequence: Vec<NodeId>,
    layers: Vec<u32>,
    /// The displayed layers: those with the replaced edges.
    shown: Vec<u32>,
    /// By unit whether its layer is only the earliest that it can be in.
    later: Vec<bool>,
    left: u64,
}

impl<'a> Consequences<'a> {
    /// For a proposal that replaces some written dependencies.
    pub(super) fn new(
        variant: &'a Variant,
        operation: Operation,
        own: UnitIx,
        replaced: &[DependencyIx],
    ) -> Self {
        let order = variant.order_of(operation);
        let graph = &*order.graph;
        let own = NodeId(own.0);
        let stays = |edge: &Edge| {
            let written = edge.kind.dependency().map(DependencyIx);
            written.is_none_or(|written| !replaced.contains(&written))
        };
        let reach = |direction, required: bool| {
            reach(graph, own, direction, |edge| {
                stays(edge) && (!required || edge.required)
            })
        };
        let required = |direction| reach(direction, true);
        let mut out = Self {
            graph,
            own,
            dependents: required(Direction::Dependents),
            all_dependents: reach(Direction::Dependents, false),
            dependencies: required(Direction::Dependencies),
            all_dependencies: reach(Direction::Dependencies, false),
            left_out: Vec::new(),
            sequence: Vec::new(),
            layers: Vec::new(),
            shown: Vec::new(),
            later: variant.may_run_later(operation),
            left: BUDGET,
        };
        out.place(order, variant.units.len(), replaced);
        out
    }

    /// Computes the layer of each node without the replaced edges, and uses it only if the layers with all
    /// edges are the displayed ones.
    fn place(&mut self, order: &OrderOf, units: usize, replaced: &[DependencyIx]) {
        let Some(shown) = &order.layers else {
            return;
        };
        self.find_layers();
        let is_shown = |(number, layer): (u32, &Vec<UnitIx>)| {
            let mut units = layer.iter();
            units.all(|unit| self.layers.get(unit.0 as usize) == Some(&number))
        };
        let all = shown.iter().map(Vec::len).sum::<usize>();
        if all != units || !(1..).zip(shown.iter()).all(is_shown) {
            self.sequence.clear();
            return;
        }
        self.shown.clone_from(&self.layers);
        if replaced.is_empty() {
            return;
        }
        let written = |edge: &Edge| edge.kind.dependency().map(DependencyIx);
        let edges = self.graph.edges();
        // If no other dependency is written, an engine may have another order without this one.
        if !edges
            .iter()
            .any(|e| written(e).is_some_and(|d| !replaced.contains(&d)))
        {
            self.sequence.clear();
            return;
        }
        self.left_out = edges
            .iter()
            .map(|e| written(e).is_some_and(|d| replaced.contains(&d)))
            .collect();
        self.find_layers();
    }

    /// The edges of a node that are not replaced.
    fn links(&self, node: NodeId, direction: Direction) -> impl Iterator<Item = NodeId> {
        let links = self.graph.links(node, direction);
        let counts = |edge: EdgeId| self.left_out.get(edge.index()) != Some(&true);
        links.filter(move |link| counts(link.edge)).map(|link| link.node)
    }

    /// Finds the sequence of the nodes and their layers.
    fn find_layers(&mut self) {
        let graph = self.graph;
        let mut waits: Vec<usize> = graph
            .nodes()
            .map(|node| self.links(node, Direction::Dependencies).count())
            .collect();
        let is_ready = |node: &NodeId| waits.get(node.index()) == Some(&0);
        let mut sequence: Vec<NodeId> = graph.nodes().filter(is_ready).collect();
        let mut at = 0;
        while let Some(node) = sequence.get(at).copied() {
            at += 1;
            for after in self.links(node, Direction::Dependents) {
                if let Some(left) = waits.get_mut(after.index()) {
                    *left = left.saturating_sub(1);
                    if *left == 0 {
                        sequence.push(after);
                    }
                }
            }
        }
        self.sequence = sequence;
        self.layers = self.with_floors(&[]);
    }

    /// The current layer of the unit.
    pub(super) fn own_layer(&self) -> Option<u32> {
        let layer = self.shown.get(self.own.index()).copied();
        layer.filter(|layer| *layer > 0 && !self.sequence.is_empty())
    }

    /// The layers if some nodes run in a given layer at the earliest.
    fn with_floors(&self, floors: &[(NodeId, u32)]) -> Vec<u32> {
        let mut layers = vec![0u32; self.graph.node_count()];
        for (node, floor) in floors {
            if let Some(layer) = layers.get_mut(node.index()) {
                *layer = *floor;
            }
        }
        for node in &self.sequence {
            let takes_place = self.graph.kind(*node).is_some_and(|kind| kind.unit().is_some());
            let before = self.links(*node, Direction::Dependencies);
            let before = before.filter_map(|node| layers.get(node.index()).copied());
            let own = before.max().unwrap_or(0).saturating_add(u32::from(takes_place));
            if let Some(layer) = layers.get_mut(node.index()) {
                *layer = own.max(*layer);
            }
        }
        layers
    }

    /// The effect if the unit waits for others or, `reversed`, others wait for it.
    pub(super) fn of(&mut self, others: &[UnitIx], reversed: bool) -> Consequence {
        let has = |set: &[bool], unit: &UnitIx| set.get(unit.0 as usize) == Some(&true);
        let (certain, all, held) = if reversed {
            (&self.dependencies, &self.all_dependencies, &self.dependents)
        } else {
            (&self.dependents, &self.all_dependents, &self.dependencies)
        };
        if others.iter().any(|u| u.0 == self.own.0 || has(certain, u)) {
            return Consequence::Cycle;
        }
        if !others.is_empty() && others.iter().all(|u| has(held, u)) {
            return Consequence::Already;
        }
        let cost = (self.graph.node_count() + self.graph.edges().len()) as u64;
        // If an edge that the engine may drop closes a cycle, it drops that one, and further effects may
        // follow. It is also unknown if something moves that waits for a unit that may run later itself.
        let is_later = !reversed && others.iter().any(|u| has(&self.later, u));
        if others.iter().any(|u| has(all, u)) || is_later || self.sequence.is_empty() || self.left < cost {
            return Consequence::Unknown;
        }
        let layer = |node: NodeId| self.layers.get(node.index()).copied().unwrap_or(0);
        let nodes = others.iter().map(|u| NodeId(u.0));
        let floors: Vec<(NodeId, u32)> = if reversed {
            let floor = layer(self.own).saturating_add(1);
            nodes
                .filter(|node| layer(*node) < floor)
                .map(|node| (node, floor))
                .collect()
        } else {
            let last = nodes.map(layer).max().unwrap_or(0);
            let floor = (self.own, last.saturating_add(1));
            [floor]
                .into_iter()
                .filter(|(own, floor)| layer(*own) < *floor)
                .collect()
        };
        if floors.is_empty() && self.left_out.is_empty() {
            return Consequence::Stays;
        }
        self.left -= cost;
        let after = self.with_floors(&floors);
        let mut moved: Vec<(UnitIx, u32)> = self
            .graph
            .units()
            .filter_map(|(node, unit)| {
                let new = *after.get(node.index())?;
                let old = *self.shown.get(node.index())?;
                (new != old).then_some((UnitIx(unit), new))
            })
            .collect();
        if moved.is_empty() {
            return Consequence::Stays;
        }
        moved.sort_by_key(|(unit, layer)| (*layer, *unit));
        Consequence::Moves(moved)
    }
}

/// The maximum number of moving units that are named.
const MOST_MOVES: usize = 2;

/// The text about which units move to which layers.
pub(super) fn moves<'a>(moved: impl ExactSizeIterator<Item = (&'a str, u32)>) -> String {
    let more = moved.len().saturating_sub(MOST_MOVES);
    let shown = moved.take(MOST_MOVES).enumerate().map(|(at, (name, layer))| {
        let verb = if at == 0 { "moves to" } else { "to" };
        format!("{name} {verb} {layer}")
    });
    let more = (more > 0).then(|| format!("{more} more"));
    shown.chain(more).collect::<Vec<_>>().join(", ")
}

/// Adds to the effect of a proposal which order it applies to.
pub(super) fn on_operation(said: String, operation: Operation) -> String {
    match operation {
        Operation::Delete if !said.is_empty() => format!("{said} on delete"),
        _ => said,
    }
}

/// What is reachable from a node over some edges, including itself.
fn reach(
    graph: &OrderGraph,
    start: NodeId,
    direction: Direction,
    is_taken: impl Fn(&Edge) -> bool,
) -> Vec<bool> {
    let mut seen = vec![false; graph.node_count()];
    let mut open = vec![start];
    while let Some(node) = open.pop() {
        match seen.get_mut(node.index()) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        let links = graph.links(node, direction);
        let kept = links.filter(|link| graph.edge(link.edge).is_some_and(&is_taken));
        open.extend(kept.map(|link| link.node));
    }
    seen
}
