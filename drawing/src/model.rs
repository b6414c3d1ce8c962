//! The contents of a picture, independent of a format: columns, nodes, edges. All texts are safe for terminals.

use applyorder_analysis::diagnostic::Severity;
use applyorder_analysis::engine::{Operation, Shape};

/// One run of one project as a picture.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The engine's id.
    pub engine: &'static str,
    /// The shape of its units when several engines are in one drawing.
    pub shape: Shape,
    /// The engine's noun for a unit, singular and plural.
    pub words: [&'static str; 2],
    /// The project as it is written before a unit.
    pub key: String,
    /// The project's root as displayed.
    pub root: String,
    /// The environments it covers, if there are several ways to run.
    pub environments: Option<String>,
    /// The operation of the run.
    pub operation: Operation,
    /// The result in one sentence: `10 manifests in 6 layers`.
    pub summary: String,
    /// Whether an order exists.
    pub ordered: bool,
    /// What a layer means to the engine, in a sentence.
    pub meaning: &'static str,
    /// Whether a whole layer finishes before the next one starts.
    pub barrier: bool,
    /// From left to right, in time order.
    pub columns: Vec<Column>,
    /// Units, groups of folded units, joins, unknown references. Column by column.
    pub nodes: Vec<Node>,
    /// Which nodes wait for which.
    pub edges: Vec<Edge>,
    /// What is not shown as it is: folded, hidden, left out. In sentences.
    pub notes: Vec<String>,
}

/// A unit that runs another project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The picture that contains the unit.
    pub from: usize,
    /// The unit's displayed name.
    pub unit: String,
    /// The first picture of the project that it runs.
    pub to: usize,
}

/// A column of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// References that do not exist, or can't be known.
    Unknown,
    /// A layer, from 1.
    Layer(u32),
    /// Several layers, folded into one column: the first and the last.
    Layers(u32, u32),
    /// Units on cycles, which have no layer.
    Cycle,
    /// Units that wait for one on a cycle.
    Stuck,
}

impl Column {
    /// The column's heading.
    #[must_use]
    pub fn title(self) -> String {
        match self {
            Self::Unknown => "?".to_owned(),
            Self::Layer(n) => n.to_string(),
            Self::Layers(first, last) => format!("{first}–{last}"),
            Self::Cycle => "↻".to_owned(),
            Self::Stuck => "…".to_owned(),
        }
    }

    /// The column as text: `layer 2`.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::Unknown => "not known".to_owned(),
            Self::Layer(n) => format!("layer {n}"),
            Self::Layers(first, last) => format!("layers {first} to {last}"),
            Self::Cycle => "in a cycle, no layer".to_owned(),
            Self::Stuck => "stuck behind a cycle, no layer".to_owned(),
        }
    }
}

/// What a node represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A unit.
    Unit,
    /// Several units shown as one.
    Group,
    /// A many-to-many relation.
    Join {
        /// How many units wait.
        waiting: usize,
        /// How many units they wait for.
        awaited: usize,
    },
    /// A reference to something that does not exist, or that can't be known.
    Unknown,
}

/// A node of a picture.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it represents.
    pub kind: NodeKind,
    /// The unit's index in the run, if it is a unit.
    pub unit: Option<u32>,
    /// The unit's name, or `Deployment ×48`.
    pub name: String,
    /// A second line: where it is declared.
    pub detail: String,
    /// Index of its column. A join is drawn before it.
    pub column: usize,
    /// The units in a group.
    pub members: Vec<String>,
    /// The tags it carries.
    pub tags: Vec<String>,
    /// Whether it is on the longest chain.
    pub chain: bool,
    /// Whether it may run in a later layer because some of what it waits for can't be known.
    pub later: bool,
    /// Whether it is on a cycle.
    pub cycle: bool,
    /// The most severe finding about it, from warning up.
    pub finding: Option<Severity>,
    /// Whether it was asked about.
    pub focus: bool,
    /// Where it is declared.
    pub spot: Option<Spot>,
    /// A sentence for readers who cannot see the picture.
    pub sentence: String,
}

impl Node {
    /// How many units it represents.
    #[must_use]
    pub fn units(&self) -> usize {
        match self.kind {
            NodeKind::Unit => 1,
            NodeKind::Group => self.members.len(),
            NodeKind::Join { .. } | NodeKind::Unknown => 0,
        }
    }
}

/// `after` waits for `before`.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Index of the node that runs first.
    pub before: usize,
    /// Index of the node that waits.
    pub after: usize,
    /// Whether it is explicit.
    pub explicit: bool,
    /// The attribute it is written in, or its cause.
    pub reason: Option<String>,
    /// The condition that `before` must meet.
    pub condition: Option<String>,
    /// Whether the engine drops it rather than fail on a cycle.
    pub dropped: bool,
    /// Whether it is a step of the longest chain.
    pub chain: bool,
    /// Whether both ends are on one cycle.
    pub cycle: bool,
    /// Its position in the displayed cycle, if it is part of one.
    pub ring: Option<Ring>,
    /// Whether other edges imply it.
    pub needless: bool,
    /// How many edges it represents.
    pub count: usize,
    /// Where it is written.
    pub spot: Option<Spot>,
}

impl Edge {
    /// The label of the edge; empty if none is needed.
    #[must_use]
    pub fn label(&self) -> String {
        let mut parts = Vec::new();
        if let Some(ring) = self.ring {
            let cut = if ring.cut { "cut here: " } else { "" };
            let at = self.spot.as_ref().map_or_else(
                || self.reason.clone().unwrap_or_default(),
                |s| format!("{}:{}", s.file_name(), s.line),
            );
            parts.push(format!("{} {cut}{at}", ring.number).trim_end().to_owned());
        }
        parts.extend(self.condition.clone());
        if self.dropped {
            parts.push("×".to_owned());
        }
        if self.count > 1 {
            parts.push(format!("×{}", self.count));
        }
        parts.join(" ")
    }
}

/// The position of an edge in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// From 1, in time order; the edge to cut is last.
    pub number: usize,
    /// Whether cutting it breaks the cycle.
    pub cut: bool,
}

/// A place as displayed and opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The displayed path.
    pub path: String,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// Where it opens.
    pub link: Option<String>,
}

impl Spot {
    /// `path:line`.
    #[must_use]
    pub fn show(&self) -> String {
        format!("{}:{}", self.path, self.line)
    }

    /// The file name.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// The directory; empty for a file at the top.
    #[must_use]
    pub fn directory(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(dir, _)| dir)
    }
}
