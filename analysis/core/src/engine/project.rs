//! An engine's result for one project: units, dependencies, orders, verdicts, diagnostics.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::{Details, Findings, HintSearch, Lazy};
use crate::diagnostic::{EngineIx, FileId, Place};
use crate::graph::{Direction, EdgeKind, NodeId, NodeKind, OrderGraph};
use applyorder_syntax::text::{Span, TextEdit};

/// A project as it was found, before all of it is read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProjectSeed {
    /// The engine.
    pub engine: EngineIx,
    /// The file or directory that is its root, absolute. With `name`, its identity.
    pub root: Utf8PathBuf,
    /// Its name, if the configuration gives one.
    pub name: Option<String>,
    /// Why it is a project: "the nearest directory that holds ...". A sentence without its full stop.
    pub why: String,
    /// Whether its extent was inferred and not declared: then findings that need two files are at most
    /// warnings.
    pub inferred: bool,
    /// The files it starts from, as the engine expects them.
    pub inputs: Vec<Utf8PathBuf>,
    /// Files and directories below those that belong to other projects, absolute.
    pub excluded: Vec<Utf8PathBuf>,
    /// Whether it is one of several projects of which another represents all, and reports what is reported
    /// once.
    pub is_part: bool,
}

/// Index of a unit in [`Variant::units`]; unit `i` is node `i` of the order graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitIx(pub u32);

/// Index of a written dependency in [`Variant::dependencies`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DependencyIx(pub u32);

/// One ordered item.
#[derive(Clone, Debug)]
pub struct Unit {
    /// As it is written in every output and accepted in every input: the engine's own name.
    pub name: Arc<str>,
    /// Where it is declared: its first key, its block's header.
    pub header: Place,
    /// The location of its name, if a name is written.
    pub name_place: Option<Place>,
    /// The tags it carries.
    pub tags: Arc<[Arc<str>]>,
}

impl Unit {
    /// The place that represents it: its name, or its header if no name is written.
    #[must_use]
    pub fn place(&self) -> Place {
        self.name_place.unwrap_or(self.header)
    }
}

/// A written reference from one unit to others.
#[derive(Clone, Debug)]
pub struct Dependency {
    /// The unit that wrote it.
    pub unit: UnitIx,
    /// The entry.
    pub place: Place,
    /// The list, attribute or annotation that contains it: `dependsOn`, `after`, `change-rule`.
    pub attribute: &'static str,
    /// The entry's value.
    pub text: Arc<str>,
    /// The units it refers to. Empty if it dangles.
    pub targets: Arc<[UnitIx]>,
    /// Whether its target cannot be known (a variable, a broken place, an unrendered source).
    pub unknown: bool,
}

/// A dependency of which one end or both cannot be known: a list that does not parse, a variable. `None`: it
/// may be any unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// The unit that waits.
    pub from: Option<UnitIx>,
    /// The unit that it waits for.
    pub to: Option<UnitIx>,
}

impl Open {
    /// It is unknown what a unit waits for.
    #[must_use]
    pub const fn after(unit: UnitIx) -> Self {
        Self {
            from: Some(unit),
            to: None,
        }
    }

    /// It is unknown what waits for a unit.
    #[must_use]
    pub const fn before(unit: UnitIx) -> Self {
        Self {
            from: None,
            to: Some(unit),
        }
    }

    /// The same with the ends exchanged.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self {
            from: self.to,
            to: self.from,
        }
    }

    /// Whether it may give a unit an edge, in a direction.
    #[must_use]
    pub fn touches(&self, unit: UnitIx, direction: Direction) -> bool {
        let (own, other) = match direction {
            Direction::Dependencies => (self.from, self.to),
            Direction::Dependents => (self.to, self.from),
        };
        own.is_none_or(|own| own == unit) && other != Some(unit)
    }
}

/// An order for one operation: the graph, the displayed layers, the engine's own sequence.
#[derive(Clone, Debug)]
pub struct OrderOf {
    /// The graph. Node `i` is unit `i` for all units; outside and join nodes follow.
    pub graph: Arc<OrderGraph>,
    /// The layers in which the engine would run the selected units; `None` on a cycle, or if they cannot be
    /// known.
    pub layers: Option<Arc<[Vec<UnitIx>]>>,
    /// The engine's own sequence, if it has one.
    pub sequence: Option<Vec<UnitIx>>,
    /// Whether the engine guarantees this order.
    pub guaranteed: bool,
    /// Why there are no layers, or why the order is not guaranteed.
    pub because: Option<String>,
    /// The unknown dependencies, which may order units further.
    pub open: Vec<Open>,
}

/// One error or warning of the engine, as predicted by our verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineError {
    /// The rule of ours that reports the same.
    pub rule: &'static str,
    /// The unit, file or flag it is about.
    pub subject: String,
    /// The engine's text, as far as it is predicted.
    pub message: String,
    /// Further keys: `dependency`, `count`, `members`, `path`, `attribute`, `value`, `file`, ...
    pub details: Details,
}

/// The predicted result of one of the engine's commands.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The command: `check`, `apply`, `run`, `deploy`.
    pub command: &'static str,
    /// The environment, if the engine has some; `None` = none given.
    pub environment: Option<Arc<str>>,
    /// `Some(true)`: accepted. `None`: cannot be known, or random in the engine itself.
    pub ok: Option<bool>,
    /// The stage that fails, at the latest.
    pub stage: Option<&'static str>,
    /// The engine's errors: all of the first failing stage, at most [`MOST`](crate::layer::MOST).
    pub errors: Vec<EngineError>,
    /// The engine's warnings, at most [`MOST`](crate::layer::MOST).
    pub warnings: Vec<EngineError>,
    /// How many errors there are besides those listed.
    pub more_errors: usize,
    /// How many warnings there are besides those listed.
    pub more_warnings: usize,
    /// Why it cannot be known.
    pub because: Option<String>,
}

/// Why an order is missing: a command stops at a stage.
#[must_use]
pub fn rejection(command: &str, stage: &str) -> String {
    format!("`{command}` rejects this project at its stage `{stage}`")
}

/// The project as seen by runs of one kind. An engine with environments has one variant per set of environments
/// that give the same units and orders.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The environments it covers; `None` = no environment given. Never empty.
    pub environments: Vec<Option<Arc<str>>>,
    /// The units, in the engine's own order of declaration.
    pub units: Vec<Unit>,
    /// The written dependencies. [`crate::graph::EdgeKind::Explicit`] is an index into this.
    pub dependencies: Vec<Dependency>,
    /// The reasons of implicit edges, in sentences.
    pub reasons: Vec<String>,
    /// The conditions of edges, in the engine's terms.
    pub conditions: Vec<String>,
    /// The order for applying.
    pub apply: OrderOf,
    /// The order for deleting.
    pub delete: OrderOf,
    /// The selected units in declaration order, if options limit the run; `None` = all.
    pub selected: Option<Vec<UnitIx>>,
    /// The engine's terms for how it would run: `("mode", "dag")`.
    pub properties: Vec<(&'static str, String)>,
    /// What happens to each unit in this run, in the engine's terms; empty if it is the same for all.
    pub actions: Vec<&'static str>,
}

/// A file of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The file.
    pub file: FileId,
    /// Why it belongs: "the root", "included by tazuna.yaml".
    pub why: Arc<str>,
    /// The place that brings it in.
    pub via: Option<Place>,
}

/// A place that names a file: an include, an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The path as it is written.
    pub place: Place,
    /// The file it refers to, absolute; it need not exist.
    pub target: Arc<Utf8Path>,
}

/// A name that is not a unit, but is declared and referred to: a tag, a group, an ID.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The engine's term: `tag`, `change group`, `stack id`.
    pub kind: &'static str,
    /// The name.
    pub name: Arc<str>,
    /// Where it is declared.
    pub definitions: Vec<Place>,
    /// Where it is referred to.
    pub references: Vec<Place>,
    /// The units that have it.
    pub units: Vec<UnitIx>,
    /// The written dependencies of the first variant that it declares: what names it refers to these.
    pub dependencies: Vec<DependencyIx>,
    /// Whether it can be renamed.
    pub renameable: bool,
}

/// The maximum number of units with unknown dependents that are examined one by one; with more, any unit may
/// run later.
const MOST_UNKNOWN_DEPENDENTS: usize = 32;

/// The suffix of the layer of a unit that may run later ([`Variant::may_run_later`]).
#[must_use]
pub const fn or_later(may_be: bool) -> &'static str {
    if may_be { " or later" } else { "" }
}

impl Variant {
    /// The order for an operation.
    #[must_use]
    pub const fn order_of(&self, operation: Operation) -> &OrderOf {
        match operation {
            Operation::Apply => &self.apply,
            Operation::Delete => &self.delete,
        }
    }

    /// By unit whether it may run in a later layer than its layer: it, or something it waits for,
    /// may wait for something unknown. Empty if everything is known.
    #[must_use]
    pub fn may_run_later(&self, operation: Operation) -> Vec<bool> {
        let order = self.order_of(operation);
        let graph = &*order.graph;
        let mut starts: Vec<NodeId> = Vec::new();
        let mut awaited: Vec<UnitIx> = Vec::new();
        for open in &order.open {
            match (open.from, open.to) {
                (Some(from), _) => starts.push(NodeId(from.0)),
                (None, Some(to)) => awaited.push(to),
                (None, None) => starts.extend(graph.nodes()),
            }
        }
        awaited.sort_unstable();
        awaited.dedup();
        for to in awaited.iter().take(MOST_UNKNOWN_DEPENDENTS) {
            // A unit that runs after it anyway is not moved by it, and what it runs after does not wait for it.
            let related = [Direction::Dependencies, Direction::Dependents]
                .map(|direction| graph.reach(&[NodeId(to.0)], direction));
            let is_free = |node: &NodeId| related.iter().all(|set| set.get(node.index()) != Some(&true));
            starts.extend(graph.nodes().filter(is_free));
        }
        if awaited.len() > MOST_UNKNOWN_DEPENDENTS {
            starts.extend(graph.nodes());
        }
        if starts.is_empty() {
            return Vec::new();
        }
        let mut later = graph.reach(&starts, Direction::Dependents);
        later.truncate(self.units.len());
        later
    }

    /// By unit the layer when applying, from 1: `layer 2`, `layer 2 or later`. `None` for a unit without a
    /// layer.
    #[must_use]
    pub fn layers_in_words(&self) -> Vec<Option<String>> {
        let later = self.may_run_later(Operation::Apply);
        let mut words = vec![None; self.units.len()];
        for (number, layer) in (1..).zip(self.apply.layers.iter().flat_map(|layers| layers.iter())) {
            for unit in layer {
                let at = unit.0 as usize;
                let or_later = or_later(later.get(at) == Some(&true));
                if let Some(slot) = words.get_mut(at) {
                    *slot = Some(format!("layer {number}{or_later}"));
                }
            }
        }
        words
    }

    /// Each unit with its layer as [`Self::layers_in_words`] has it.
    pub fn units_with_layers(&self) -> impl Iterator<Item = (&Unit, Option<String>)> {
        self.units.iter().zip(self.layers_in_words())
    }

    /// The name of a node of one of its graphs: a unit's own name; for a node that is not ordered here, the
    /// name as written in a dependency on it; `group N` for the rest.
    #[must_use]
    pub fn name_of<'a>(&'a self, graph: &OrderGraph, node: NodeId) -> Cow<'a, str> {
        if let Some(unit) = self.units.get(node.index()) {
            return Cow::Borrowed(&*unit.name);
        }
        match graph.kind(node) {
            Some(NodeKind::Outside(n)) => {
                let mut edges = graph.links(node, Direction::Dependents);
                let written = edges.find_map(|link| match graph.edge(link.edge)?.kind {
                    EdgeKind::Explicit { dependency } => self.dependencies.get(dependency as usize),
                    EdgeKind::Implicit { .. } => None,
                });
                written.map_or_else(|| Cow::Owned(format!("outside {n}")), |d| Cow::Borrowed(&*d.text))
            }
            Some(NodeKind::Join(_) | NodeKind::Removed(_) | NodeKind::Unit(_)) | None => {
                Cow::Owned(format!("group {}", node.0))
            }
        }
    }

    /// The entries of a unit's list or attribute, and the location of the last one; the unit's declaration if
    /// it has none.
    #[must_use]
    pub fn entries(&self, unit: UnitIx, attribute: &str) -> Option<(Vec<Arc<str>>, Place)> {
        let own = self.dependencies.iter();
        let own = own.filter(|d| d.unit == unit && d.attribute == attribute);
        let mut last = self.units.get(unit.0 as usize)?.header;
        let mut texts: Vec<Arc<str>> = Vec::new();
        for dependency in own {
            last = dependency.place;
            texts.push(dependency.text.clone());
        }
        Some((texts, last))
    }
}

/// The complete result of an engine for one project.
pub struct Resolution {
    /// The files of the project, the root's first.
    pub members: Arc<[Member]>,
    /// At least one.
    pub variants: Lazy<Vec<Variant>>,
    /// One per command and environment.
    pub verdicts: Vec<Verdict>,
    /// The findings, most specific only (see [`crate::diagnostic::keep_most_specific`]).
    pub diagnostics: Findings,
    /// Places that name files.
    pub links: Arc<[Link]>,
    /// Names that are not units.
    pub symbols: Lazy<Vec<Symbol>>,
    /// What could not be known, in sentences, with the place.
    pub unresolved: Vec<(Option<Place>, String)>,
    /// The version of the engine that the verdicts are for.
    pub engine_version: String,
    /// The engine's own result, for its editor functions.
    pub state: Option<Arc<dyn Any + Send + Sync>>,
    /// The search for entries that others imply.
    pub hints: Option<HintSearch>,
}

/// A completion for the text at a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What is shown and, without `insert`, inserted.
    pub label: String,
    /// What it replaces.
    pub span: Span,
    /// The text that is inserted, if it is not the label.
    pub insert: Option<String>,
    /// A short description: `manifest, layer 2`.
    pub detail: Option<String>,
    /// What kind of thing it is.
    pub kind: CompletionKind,
    /// What it would order, if that is certain: the order would only get more edges.
    pub joins: Option<Joins>,
}

impl Completion {
    /// Inserts more before and after its text.
    pub fn enclose(&mut self, before: &str, after: &str) {
        let text = self.insert.as_ref().unwrap_or(&self.label);
        self.insert = Some(format!("{before}{text}{after}"));
    }
}

/// What a completion would order, once it is inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joins {
    /// The name of the unit that it is inserted into; `None` if the text may be in several units, or the unit
    /// is unknown: its effect is then found only by resolving the text with it.
    pub unit: Option<Arc<str>>,
    /// The names of the units that it refers to.
    pub others: Vec<Arc<str>>,
    /// Whether they would wait for the unit; else the unit would wait for them.
    pub reversed: bool,
    /// The order that it would belong to.
    pub operation: Operation,
    /// The location of the dependency that it would belong to, if it is not what it replaces.
    pub place: Option<Span>,
}

/// The kind of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A unit.
    Unit,
    /// A file.
    Path,
    /// A directory.
    Directory,
    /// A key of the schema.
    Field,
    /// A word out of a fixed set.
    Word,
    /// A tag, group or id.
    Symbol,
}

/// A sentence of several words that a text consists of, as far as the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The meaning of the current sentence.
    pub meaning: String,
    /// Its words, in order.
    pub parts: Vec<SignaturePart>,
    /// The word that contains the cursor.
    pub active: usize,
}

/// One word of a [`Signature`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignaturePart {
    /// What is allowed there.
    pub label: String,
    /// What that means.
    pub meaning: String,
}

/// Why a unit is part of a run, or is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhySelected {
    /// Whether it is; `None` where that can't be known.
    pub selected: Option<bool>,
    /// The reasons, one after the other: a sentence without its full stop, and the place that it refers to.
    pub reasons: Vec<(String, Option<Place>)>,
}

/// What a move of a file or directory changes in a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// The edits of the current texts, by file.
    pub edits: Vec<(FileId, Vec<TextEdit>)>,
    /// Why the move cannot be completed: paths that would have to change and cannot be rewritten, text that
    /// could not be read. With the place, if there is one.
    pub left: Vec<(Option<Place>, String)>,
}

/// An item of a file's outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineItem {
    /// The name.
    pub name: String,
    /// A short description.
    pub detail: Option<String>,
    /// The whole item.
    pub span: Span,
    /// What is selected on navigation to it; inside `span`.
    pub selection: Span,
    /// Whether it is a unit.
    pub unit: bool,
    /// Its children.
    pub children: Vec<OutlineItem>,
}

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// Create and update.
    Apply,
    /// Remove.
    Delete,
}

/// A command of the engine, ready to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handoff {
    /// Program and arguments; no shell.
    pub argv: Vec<String>,
    /// The directory to run it in.
    pub cwd: Utf8PathBuf,
}

/// A command whose output is read instead of its sources, as the user configured it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Render {
    /// The project it is for.
    pub name: String,
    /// Program and arguments; no shell.
    pub argv: Vec<String>,
    /// The directory to run it in.
    pub cwd: Utf8PathBuf,
    /// The files and directories that its output replaces, absolute; empty if not configured.
    pub sources: Vec<Utf8PathBuf>,
    /// The path under which its output is read. No file exists there.
    pub into: Utf8PathBuf,
}
