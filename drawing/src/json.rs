//! The contents of the pictures, for programs.

use serde::Serialize;

use applyorder_analysis::diagnostic::Severity;
use applyorder_analysis::engine::Operation;

use crate::Drawing;
use crate::model::{Column, Edge, Node, NodeKind, Picture, Spot};

#[derive(Serialize)]
struct Root<'a> {
    version: u32,
    pictures: Vec<One<'a>>,
    links: Vec<LinkOut>,
}

#[derive(Serialize)]
struct LinkOut {
    /// The node that runs another project.
    from: usize,
    /// The picture of that project, from 0.
    to: usize,
}

#[derive(Serialize)]
struct One<'a> {
    engine: &'static str,
    key: &'a str,
    root: &'a str,
    environments: Option<&'a str>,
    operation: Operation,
    ordered: bool,
    summary: &'a str,
    layers_are: &'static str,
    barrier: bool,
    columns: Vec<ColumnOut>,
    nodes: Vec<NodeOut<'a>>,
    edges: Vec<EdgeOut<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct ColumnOut {
    kind: &'static str,
    title: String,
    words: String,
}

#[derive(Serialize)]
struct NodeOut<'a> {
    id: usize,
    kind: &'static str,
    name: &'a str,
    column: usize,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    members: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tags: &'a [String],
    chain: bool,
    /// Whether it may run later than in its column, because not all of its dependencies can be known.
    later: bool,
    cycle: bool,
    finding: Option<Severity>,
    sentence: &'a str,
    place: Option<SpotOut<'a>>,
}

#[derive(Serialize)]
struct EdgeOut<'a> {
    /// The node that waits.
    from: usize,
    /// The node that it waits for.
    to: usize,
    kind: &'static str,
    reason: Option<&'a str>,
    condition: Option<&'a str>,
    required: bool,
    chain: bool,
    cycle: bool,
    ring: Option<usize>,
    cut: bool,
    needless: bool,
    count: usize,
    place: Option<SpotOut<'a>>,
}

#[derive(Serialize)]
struct SpotOut<'a> {
    path: &'a str,
    line: u32,
    column: u32,
    link: Option<&'a str>,
}

pub(crate) fn value(drawing: &Drawing) -> serde_json::Value {
    serde_json::to_value(root(drawing)).unwrap_or_default()
}

/// The same on one line, for embedding in a page.
pub(crate) fn compact(drawing: &Drawing) -> String {
    serde_json::to_string(&root(drawing)).unwrap_or_default()
}

fn root(drawing: &Drawing) -> Root<'_> {
    // Nodes are numbered across all pictures, as in the SVG.
    let mut first = 0;
    let mut pictures = Vec::new();
    let mut links = Vec::new();
    for (at, picture) in drawing.pictures.iter().enumerate() {
        pictures.push(one(picture, first));
        for (node, to) in drawing.links_of(at) {
            links.push(LinkOut {
                from: first + node,
                to,
            });
        }
        first += picture.nodes.len();
    }
    Root {
        version: 1,
        pictures,
        links,
    }
}

fn one(picture: &Picture, first: usize) -> One<'_> {
    One {
        engine: picture.engine,
        key: &picture.key,
        root: &picture.root,
        environments: picture.environments.as_deref(),
        operation: picture.operation,
        ordered: picture.ordered,
        summary: &picture.summary,
        layers_are: picture.meaning,
        barrier: picture.barrier,
        columns: picture.columns.iter().map(|c| column(*c)).collect(),
        nodes: picture
            .nodes
            .iter()
            .enumerate()
            .map(|(n, node)| self::node(first + n, node))
            .collect(),
        edges: picture.edges.iter().map(|edge| self::edge(first, edge)).collect(),
        notes: &picture.notes,
    }
}

fn column(column: Column) -> ColumnOut {
    ColumnOut {
        kind: match column {
            Column::Unknown => "unknown",
            Column::Layer(_) => "layer",
            Column::Layers(..) => "layers",
            Column::Cycle => "cycle",
            Column::Stuck => "stuck",
        },
        title: column.title(),
        words: column.words(),
    }
}

fn node(id: usize, node: &Node) -> NodeOut<'_> {
    NodeOut {
        id,
        kind: match node.kind {
            NodeKind::Unit => "unit",
            NodeKind::Group => "group",
            NodeKind::Join { .. } => "join",
            NodeKind::Unknown => "unknown",
        },
        name: &node.name,
        column: node.column,
        members: &node.members,
        tags: &node.tags,
        chain: node.chain,
        later: node.later,
        cycle: node.cycle,
        finding: node.finding,
        sentence: &node.sentence,
        place: node.spot.as_ref().map(spot),
    }
}

fn edge(first: usize, edge: &Edge) -> EdgeOut<'_> {
    EdgeOut {
        from: first + edge.after,
        to: first + edge.before,
        kind: if edge.explicit { "explicit" } else { "implicit" },
        reason: edge.reason.as_deref(),
        condition: edge.condition.as_deref(),
        required: !edge.dropped,
        chain: edge.chain,
        cycle: edge.cycle,
        ring: edge.ring.map(|r| r.number),
        cut: edge.ring.is_some_and(|r| r.cut),
        needless: edge.needless,
        count: edge.count,
        place: edge.spot.as_ref().map(spot),
    }
}

fn spot(spot: &Spot) -> SpotOut<'_> {
    SpotOut {
        path: &spot.path,
        line: spot.line,
        column: spot.column,
        link: spot.link.as_deref(),
    }
}
