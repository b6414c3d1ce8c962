//! Builds a picture that shows every unit from an order graph.

mod edges;
mod marks;

use applyorder_analysis::diagnostic::Place;
use applyorder_analysis::engine::{Dependency, Operation, OrderOf, UnitIx, Variant};
use applyorder_analysis::graph::{Components, Cycle, NodeId, OrderGraph};
use applyorder_analysis::rules::cycle;
use applyorder_analysis::workspace::Project;
use rustc_hash::{FxHashMap, FxHashSet};

use self::marks::ring_in_time;
use crate::model::{Column, Edge, Node, NodeKind, Picture, Spot};

/// A run of a project, and how its texts are displayed.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The project.
    pub project: &'a Project,
    /// The run.
    pub variant: &'a Variant,
    /// The operation of the run.
    pub operation: Operation,
    /// The project as it is written before a unit.
    pub key: &'a str,
    /// The project's root as displayed.
    pub root: &'a str,
    /// The environments of the run as text.
    pub environments: Option<&'a str>,
    /// The location of a place.
    pub spot: &'a dyn Fn(Place) -> Spot,
    /// Makes a text of a linted file safe for terminals: control characters become visible.
    pub visible: &'a dyn Fn(&str) -> String,
}

/// The picture with a separate node for every unit of the run.
#[must_use]
pub(crate) fn build(source: Source<'_>) -> Picture {
    Builder::new(source).build()
}

const NOWHERE: usize = usize::MAX;

struct Builder<'a> {
    source: Source<'a>,
    order: &'a OrderOf,
    graph: &'a OrderGraph,
    components: Components,
    cycles: Vec<Cycle>,
    columns: Vec<Column>,
    /// The column of each unit.
    column_of: Vec<usize>,
    /// For each graph node, its node in the picture.
    drawn: Vec<usize>,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Maps an edge's ends to its index in [`Self::edges`].
    between: FxHashMap<(usize, usize), usize>,
    /// For each unit, whether it may run later; empty if everything is known.
    later: Vec<bool>,
    unknown: FxHashMap<String, usize>,
}

impl<'a> Builder<'a> {
    fn new(source: Source<'a>) -> Self {
        let order = source.variant.order_of(source.operation);
        let graph = &*order.graph;
        let components = graph.components();
        let cycles = graph.rings(&components, cycle::BUDGET, |_| true);
        Self {
            source,
            order,
            graph,
            components,
            cycles,
            columns: Vec::new(),
            column_of: vec![NOWHERE; source.variant.units.len()],
            drawn: vec![NOWHERE; graph.node_count()],
            nodes: Vec::new(),
            edges: Vec::new(),
            between: FxHashMap::default(),
            later: match order.layers {
                Some(_) => source.variant.may_run_later(source.operation),
                None => Vec::new(),
            },
            unknown: FxHashMap::default(),
        }
    }

    fn build(mut self) -> Picture {
        let dangling = self.dangling();
        if !dangling.is_empty() {
            self.columns.push(Column::Unknown);
        }
        self.place_in_columns();
        self.add_unknown(&dangling);
        self.add_units();
        self.add_joins();
        self.add_edges();
        self.add_rings();
        self.mark_chain();
        self.mark_findings();
        self.finish()
    }

    /// The dependencies that match no unit, each with its name.
    fn dangling(&self) -> Vec<(&'a Dependency, String)> {
        let selected = self.source.variant.selected.as_ref();
        let selected: Option<FxHashSet<UnitIx>> = selected.map(|all| all.iter().copied().collect());
        let takes_part = |unit: UnitIx| selected.as_ref().is_none_or(|all| all.contains(&unit));
        let written = self.source.variant.dependencies.iter();
        written
            .filter(|d| d.targets.is_empty() && takes_part(d.unit))
            .map(|d| (d, (self.source.visible)(&d.text)))
            .collect()
    }

    fn place_in_columns(&mut self) {
        let mut layers: Vec<Vec<UnitIx>> = Vec::new();
        let mut cyclic: Vec<UnitIx> = Vec::new();
        let mut stuck: Vec<UnitIx> = Vec::new();
        match &self.order.layers {
            Some(known) => layers.extend(known.iter().cloned()),
            None => {
                let partial = self.graph.partial_layers();
                let unit = |node: &NodeId| Some(UnitIx(self.graph.kind(*node)?.unit()?));
                layers.extend(
                    partial
                        .iter()
                        .map(|layer| layer.iter().filter_map(unit).collect()),
                );
                for node in partial.stuck() {
                    let Some(unit) = unit(node) else { continue };
                    if self.components.on_cycle(self.graph, *node) {
                        cyclic.push(unit);
                    } else {
                        stuck.push(unit);
                    }
                }
            }
        }
        let named = (1u32..).map(Column::Layer).zip(layers);
        for (column, units) in named.chain([(Column::Cycle, cyclic), (Column::Stuck, stuck)]) {
            if units.is_empty() {
                continue;
            }
            for unit in units {
                if let Some(of) = self.column_of.get_mut(unit.0 as usize) {
                    *of = self.columns.len();
                }
            }
            self.columns.push(column);
        }
    }

    fn add_unknown(&mut self, dangling: &[(&Dependency, String)]) {
        for (written, name) in dangling {
            if self.unknown.contains_key(name) {
                continue;
            }
            self.unknown.insert(name.clone(), self.nodes.len());
            self.nodes.push(Node {
                kind: NodeKind::Unknown,
                name: name.clone(),
                detail: if written.unknown {
                    "can't be known".to_owned()
                } else {
                    "does not exist".to_owned()
                },
                column: 0,
                ..empty_node()
            });
        }
    }

    /// The units, column by column; units on cycles are ordered cycle by cycle.
    fn add_units(&mut self) {
        let mut by_column: Vec<Vec<u32>> = vec![Vec::new(); self.columns.len()];
        for unit in self.ranked() {
            let of = self.column_of.get(unit as usize).copied().unwrap_or(NOWHERE);
            if let Some(column) = by_column.get_mut(of) {
                column.push(unit);
            }
        }
        for (column, units) in by_column.into_iter().enumerate() {
            for unit in units {
                self.add_unit(unit, column);
            }
        }
    }

    /// All units: first those on cycles, each cycle in time order, then the rest in the engine's sequence.
    fn ranked(&self) -> Vec<u32> {
        let mut out: Vec<u32> = Vec::with_capacity(self.column_of.len());
        for cycle in &self.cycles {
            let ring = ring_in_time(cycle);
            out.extend(ring.iter().filter_map(|step| self.graph.kind(step.to)?.unit()));
            let members = self.components.members(cycle.component).iter();
            out.extend(members.filter_map(|n| self.graph.kind(*n)?.unit()));
        }
        match (&self.order.sequence, &self.order.layers) {
            (Some(sequence), _) => out.extend(sequence.iter().map(|u| u.0)),
            (None, Some(layers)) => out.extend(layers.iter().flatten().map(|u| u.0)),
            (None, None) => {}
        }
        out.extend(0..u32::try_from(self.column_of.len()).unwrap_or(u32::MAX));
        let mut seen = vec![false; self.column_of.len()];
        out.retain(|unit| {
            seen.get_mut(*unit as usize)
                .is_some_and(|seen| !std::mem::replace(seen, true))
        });
        out
    }

    fn add_unit(&mut self, unit: u32, column: usize) {
        let Some(of) = self.source.variant.units.get(unit as usize) else {
            return;
        };
        let spot = (self.source.spot)(of.header);
        let node = NodeId(unit);
        if let Some(drawn) = self.drawn.get_mut(node.index()) {
            *drawn = self.nodes.len();
        }
        let later = self.later.get(unit as usize) == Some(&true);
        let within = self.within(&spot);
        self.nodes.push(Node {
            kind: NodeKind::Unit,
            unit: Some(unit),
            name: (self.source.visible)(&of.name),
            detail: if later {
                format!("{within} · or later")
            } else {
                within
            },
            column,
            later,
            tags: of.tags.iter().map(|tag| (self.source.visible)(tag)).collect(),
            cycle: self.components.on_cycle(self.graph, node),
            spot: Some(spot),
            ..empty_node()
        });
    }

    /// A place relative to the project.
    fn within(&self, spot: &Spot) -> String {
        let shown = spot.show();
        let root = self.source.root;
        let dir = root.rsplit_once('/').map_or("", |(dir, _)| dir);
        [root, dir]
            .into_iter()
            .find_map(|dir| {
                shown
                    .strip_prefix(dir)?
                    .strip_prefix('/')
                    .filter(|_| !dir.is_empty())
            })
            .map_or_else(|| shown.clone(), str::to_owned)
    }

    fn finish(self) -> Picture {
        let meta = self.source.project.engine().meta();
        let words = [meta.unit, meta.units];
        let units = self.nodes.iter().filter(|n| n.kind == NodeKind::Unit).count();
        let layers = self
            .columns
            .iter()
            .filter(|c| matches!(c, Column::Layer(_)))
            .count();
        let ordered = self.order.layers.is_some();
        let summary = if ordered {
            let more = if self.later.contains(&true) {
                " or more"
            } else {
                ""
            };
            format!(
                "{} in {}{more}",
                plural(units, words),
                plural(layers, ["layer", "layers"])
            )
        } else {
            // A picture shows Markdown literally.
            let because = self.order.because.as_deref().map(|b| b.replace('`', ""));
            because.map_or_else(
                || "no order".to_owned(),
                |b| format!("no order: {}", (self.source.visible)(&b)),
            )
        };
        let engine = self.source.project.engine();
        let meaning = engine.layer_meaning(self.source.variant, self.source.operation);
        Picture {
            engine: meta.id,
            shape: engine.shape(),
            words,
            key: self.source.key.to_owned(),
            root: self.source.root.to_owned(),
            environments: self.source.environments.map(str::to_owned),
            operation: self.source.operation,
            summary,
            ordered,
            meaning: meaning.sentence,
            barrier: meaning.barrier,
            columns: self.columns,
            nodes: self.nodes,
            edges: self.edges,
            notes: Vec::new(),
        }
    }
}

pub(crate) fn empty_node() -> Node {
    Node {
        kind: NodeKind::Unit,
        unit: None,
        name: String::new(),
        detail: String::new(),
        column: 0,
        members: Vec::new(),
        tags: Vec::new(),
        chain: false,
        later: false,
        cycle: false,
        finding: None,
        focus: false,
        spot: None,
        sentence: String::new(),
    }
}

pub(crate) fn empty_edge(before: usize, after: usize) -> Edge {
    Edge {
        before,
        after,
        explicit: false,
        reason: None,
        condition: None,
        dropped: false,
        chain: false,
        cycle: false,
        ring: None,
        needless: false,
        count: 1,
        spot: None,
    }
}

/// A count with its noun.
pub(crate) fn plural(n: usize, [one, many]: [&str; 2]) -> String {
    if n == 1 {
        format!("1 {one}")
    } else {
        format!("{n} {many}")
    }
}
