//! What a picture shows, before it has a format: columns, nodes, edges, all texts made harmless for terminals.

use applyorder_analysis::diagnostic::Severity;
use applyorder_analysis::engine::{Operation, Shape};

/// One run of one project as a picture.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The engine's id.
    pub engine: &'static str,
    /// What its units are drawn as beside those of other engines.
    pub shape: Shape,
    /// The engine's words for a unit and for units.
    pub words: [&'static str; 2],
    /// The project as it is written before a unit.
    pub key: String,
    /// The project's root as it is shown.
    pub root: String,
    /// The environments it stands for, where there are several ways to run.
    pub environments: Option<String>,
    /// What the run does.
    pub operation: Operation,
    /// What came of it in one sentence: `10 manifests in 6 layers`.
    pub summary: String,
    /// Whether there is an order.
    pub ordered: bool,
    /// What a layer is to the engine, in a sentence.
    pub meaning: &'static str,
    /// Whether all of a layer is done before the next one starts.
    pub barrier: bool,
    /// From left to right, in time.
    pub columns: Vec<Column>,
    /// Units, groups of folded ones, joins, what is referred to and not known. Column by column.
    pub nodes: Vec<Node>,
    /// What waits for what.
    pub edges: Vec<Edge>,
    /// What is not shown as it is: folded, hidden, left out. Sentences.
    pub notes: Vec<String>,
}

/// A unit that runs what is a project itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The picture that the unit is in.
    pub from: usize,
    /// The unit's name, as it is shown.
    pub unit: String,
    /// The first picture of the project that it runs.
    pub to: usize,
}

/// A column of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// What is referred to and does not exist, or can't be known.
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

    /// The column in words: `layer 2`.
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

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A unit.
    Unit,
    /// Several units that are shown as one.
    Group,
    /// Where many units wait for many: so many wait, so many are awaited.
    Join {
        /// How many wait.
        waiting: usize,
        /// How many are awaited.
        awaited: usize,
    },
    /// Something that is referred to and that there is not, or that can't be known.
    Unknown,
}

/// A node of a picture.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it stands for.
    pub kind: NodeKind,
    /// The unit's number in the run, of a unit.
    pub unit: Option<u32>,
    /// The unit's name, or `Deployment ×48`.
    pub name: String,
    /// A second line: where it is declared.
    pub detail: String,
    /// Index of its column. A join stands before it.
    pub column: usize,
    /// The units that a group stands for.
    pub members: Vec<String>,
    /// The tags it carries.
    pub tags: Vec<String>,
    /// Whether the longest chain goes through it.
    pub chain: bool,
    /// Whether it may run in a later layer: what it waits for can't all be known.
    pub later: bool,
    /// Whether it is on a cycle.
    pub cycle: bool,
    /// The worst finding about it, from warning up.
    pub finding: Option<Severity>,
    /// Whether it was asked about.
    pub focus: bool,
    /// Where it is declared.
    pub spot: Option<Spot>,
    /// A sentence for who cannot see the picture.
    pub sentence: String,
}

impl Node {
    /// How many units it stands for.
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
    /// Whether somebody wrote it.
    pub explicit: bool,
    /// The attribute it is written in, or why it is there.
    pub reason: Option<String>,
    /// What the one before must have come to.
    pub condition: Option<String>,
    /// Whether the engine drops it rather than fail on a cycle.
    pub dropped: bool,
    /// Whether it is a step of the longest chain.
    pub chain: bool,
    /// Whether both ends are on one cycle.
    pub cycle: bool,
    /// Its place in the ring that is shown, where it is a part of it.
    pub ring: Option<Ring>,
    /// Whether others imply it.
    pub needless: bool,
    /// How many edges it stands for.
    pub count: usize,
    /// Where it is written.
    pub spot: Option<Spot>,
}

impl Edge {
    /// What stands on the edge; empty where it speaks for itself.
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

/// The place of an edge in a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// From 1, in time; the edge to cut is the last.
    pub number: usize,
    /// Whether cutting it breaks the cycle.
    pub cut: bool,
}

/// A place as it is shown and opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The path as it is shown.
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

    /// The path without its directories.
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
