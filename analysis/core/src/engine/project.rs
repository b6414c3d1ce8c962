//! What an engine makes of one project: units, dependencies, orders, verdicts, diagnostics.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::{Details, Findings, HintSearch, Lazy};
use crate::diagnostic::{EngineIx, FileId, Place};
use crate::graph::{Direction, EdgeKind, NodeId, NodeKind, OrderGraph};
use applyorder_syntax::text::{Span, TextEdit};

/// A project as it was found, before it is read whole.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProjectSeed {
    /// The engine.
    pub engine: EngineIx,
    /// The file or directory that is its root, absolute. With `name`, its identity.
    pub root: Utf8PathBuf,
    /// Its name, where the configuration gives one.
    pub name: Option<String>,
    /// Why it is a project: "the nearest directory that holds ...". A sentence without its full stop.
    pub why: String,
    /// Whether its extent was inferred and not declared: then findings that need two files are at most
    /// warnings.
    pub inferred: bool,
    /// The files it starts from, as the engine wants them given.
    pub inputs: Vec<Utf8PathBuf>,
    /// Files and directories below those that are other projects', absolute.
    pub excluded: Vec<Utf8PathBuf>,
    /// Whether it is one of several projects of which another stands for all, and says what is said once.
    pub is_part: bool,
}

/// Index of a unit in [`Variant::units`]; unit `i` is node `i` of the order graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitIx(pub u32);

/// Index of a written dependency in [`Variant::dependencies`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DependencyIx(pub u32);

/// One thing that is ordered.
#[derive(Clone, Debug)]
pub struct Unit {
    /// As it is written in every output and accepted in every input: the engine's own name.
    pub name: Arc<str>,
    /// Where it is declared: its first key, its block's header.
    pub header: Place,
    /// Where its name stands, if it has one that is written.
    pub name_place: Option<Place>,
    /// The tags it carries.
    pub tags: Arc<[Arc<str>]>,
}

impl Unit {
    /// The place that stands for it: its name, or its header where no name is written.
    #[must_use]
    pub fn place(&self) -> Place {
        self.name_place.unwrap_or(self.header)
    }
}

/// What somebody wrote: a reference from one unit towards others.
#[derive(Clone, Debug)]
pub struct Dependency {
    /// The unit that wrote it.
    pub unit: UnitIx,
    /// The entry.
    pub place: Place,
    /// The list, attribute or annotation it stands in: `dependsOn`, `after`, `change-rule`.
    pub attribute: &'static str,
    /// The entry's value.
    pub text: Arc<str>,
    /// The units it means. Empty where it dangles.
    pub targets: Arc<[UnitIx]>,
    /// Whether what it means cannot be known (a variable, a broken place, an unrendered source).
    pub unknown: bool,
}

/// A dependency of which one end or both can't be known: a list that does not parse, a variable. `None`: it may be any unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// The unit that waits.
    pub from: Option<UnitIx>,
    /// The unit that it waits for.
    pub to: Option<UnitIx>,
}

impl Open {
    /// For what a unit waits is not known.
    #[must_use]
    pub const fn after(unit: UnitIx) -> Self {
        Self {
            from: Some(unit),
            to: None,
        }
    }

    /// What waits for a unit is not known.
    #[must_use]
    pub const fn before(unit: UnitIx) -> Self {
        Self {
            from: None,
            to: Some(unit),
        }
    }

    /// The same where the other end waits.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self {
            from: self.to,
            to: self.from,
        }
    }

    /// Whether a unit may have an edge by it, in a direction.
    #[must_use]
    pub fn touches(&self, unit: UnitIx, direction: Direction) -> bool {
        let (own, other) = match direction {
            Direction::Dependencies => (self.from, self.to),
            Direction::Dependents => (self.to, self.from),
        };
        own.is_none_or(|own| own == unit) && other != Some(unit)
    }
}

/// An order for one operation: the graph, the layers people are shown, the engine's own sequence.
#[derive(Clone, Debug)]
pub struct OrderOf {
    /// The graph. Node `i` is unit `i` for all units; outside and join nodes follow.
    pub graph: Arc<OrderGraph>,
    /// The layers in which the engine would run the selected units; `None` on a cycle, or where they
    /// can't be known.
    pub layers: Option<Arc<[Vec<UnitIx>]>>,
    /// The engine's own sequence, where it has one.
    pub sequence: Option<Vec<UnitIx>>,
    /// Whether the engine keeps to this order.
    pub guaranteed: bool,
    /// Why there are no layers, or why the order is not guaranteed.
    pub because: Option<String>,
    /// What may order units besides.
    pub open: Vec<Open>,
}

/// One error or warning of the engine, as our verdict foresees it.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineError {
    /// The rule of ours that reports the same.
    pub rule: &'static str,
    /// The unit, file or flag it is about.
    pub subject: String,
    /// The engine's text, as far as it is foreseen.
    pub message: String,
    /// Further keys: `dependency`, `count`, `members`, `path`, `attribute`, `value`, `file`, ...
    pub details: Details,
}

/// What the engine itself would say to one of its commands.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The command: `check`, `apply`, `run`, `deploy`.
    pub command: &'static str,
    /// The environment, where the engine has some; `None` = none given.
    pub environment: Option<Arc<str>>,
    /// `Some(true)`: accepted. `None`: can't be known, or random in the engine itself.
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
    /// Why it can't be known.
    pub because: Option<String>,
}

/// Why an order is missing: a command stops at a stage.
#[must_use]
pub fn rejection(command: &str, stage: &str) -> String {
    format!("`{command}` rejects this project at its stage `{stage}`")
}

/// What runs of one kind make of the project. An engine with environments has one variant per set of
/// environments that give the same units and orders.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The environments it stands for; `None` = no environment given. Never empty.
    pub environments: Vec<Option<Arc<str>>>,
    /// The units, in the engine's own order of declaration.
    pub units: Vec<Unit>,
    /// What was written. [`crate::graph::EdgeKind::Explicit`] counts into this.
    pub dependencies: Vec<Dependency>,
    /// The reasons of implicit edges, in sentences.
    pub reasons: Vec<String>,
    /// The conditions of edges, in the engine's words.
    pub conditions: Vec<String>,
    /// The order for applying.
    pub apply: OrderOf,
    /// The order for deleting.
    pub delete: OrderOf,
    /// The selected units in declaration order, where options limit the run; `None` = all.
    pub selected: Option<Vec<UnitIx>>,
    /// The engine's words for how it would run: `("mode", "dag")`.
    pub properties: Vec<(&'static str, String)>,
    /// What happens to each unit in this run, in the engine's words; empty where it is the same to all.
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
    /// The file meant, absolute; it need not exist.
    pub target: Arc<Utf8Path>,
}

/// A name that is no unit, but is declared and referred to: a tag, a group, an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The engine's word: `tag`, `change group`, `stack id`.
    pub kind: &'static str,
    /// The name.
    pub name: Arc<str>,
    /// Where it is declared.
    pub definitions: Vec<Place>,
    /// Where it is referred to.
    pub references: Vec<Place>,
    /// The units that have it.
    pub units: Vec<UnitIx>,
    /// The written dependencies of the first variant that it declares: what names it means these.
    pub dependencies: Vec<DependencyIx>,
    /// Whether it can be renamed.
    pub renameable: bool,
}

/// So many units of which it is not known what waits for them are looked at one by one; past that any unit may.
const MOST_AWAITED: usize = 32;

/// What is said after the layer of a unit that may run later ([`Variant::may_run_later`]).
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

    /// By unit whether it may run in a later layer than the one it has: it, or something that it waits for, may wait for
    /// what can't be known. Empty where all is known.
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
        for to in awaited.iter().take(MOST_AWAITED) {
            // Who runs after it anyway is not moved by it, and what it runs after does not wait for it.
            let related = [Direction::Dependencies, Direction::Dependents]
                .map(|direction| graph.reach(&[NodeId(to.0)], direction));
            let is_free = |node: &NodeId| related.iter().all(|set| set.get(node.index()) != Some(&true));
            starts.extend(graph.nodes().filter(is_free));
        }
        if awaited.len() > MOST_AWAITED {
            starts.extend(graph.nodes());
        }
        if starts.is_empty() {
            return Vec::new();
        }
        let mut later = graph.reach(&starts, Direction::Dependents);
        later.truncate(self.units.len());
        later
    }

    /// By unit the layer when applying, from 1: `layer 2`, `layer 2 or later`. `None` for a unit that has none.
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

    /// The name of a node of one of its graphs: its unit's; what is not ordered here as somebody wrote it who waits for it;
    /// `group N` for the rest.
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

    /// What a unit's list or attribute has, and where its last entry stands; the unit's declaration where it has none.
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

/// Everything an engine makes of one project.
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
    /// Names that are no units.
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

/// A proposal for the text at a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What is shown and, without `insert`, put in.
    pub label: String,
    /// What it replaces.
    pub span: Span,
    /// The text that is put in, where it is not the label.
    pub insert: Option<String>,
    /// A word on it: `manifest, layer 2`.
    pub detail: Option<String>,
    /// What kind of thing it is.
    pub kind: CompletionKind,
    /// What it would order, where that is certain: the order would only get more edges.
    pub joins: Option<Joins>,
}

/// What a proposal would order, once it is put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joins {
    /// The unit that it is put in, by its name; `None` where the text may stand in several units, or it is not known in
    /// which: what comes of it is then seen only by resolving the text with it.
    pub unit: Option<Arc<str>>,
    /// The units that it means, by their names.
    pub others: Vec<Arc<str>>,
    /// Whether they would wait for the unit; else the unit would wait for them.
    pub reversed: bool,
    /// The order that it would be part of.
    pub operation: Operation,
    /// Where the dependency stands that it would be part of, if that is elsewhere than what it replaces.
    pub place: Option<Span>,
}

/// What kind of thing a completion stands for.
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

/// A sentence of several words that a text is made of, as far as the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// What the sentence means as it is now.
    pub meaning: String,
    /// Its words, in order.
    pub parts: Vec<SignaturePart>,
    /// The word that the cursor is in.
    pub active: usize,
}

/// One word of a [`Signature`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignaturePart {
    /// What may stand there.
    pub label: String,
    /// What that means.
    pub meaning: String,
}

/// Why a unit is part of a run, or is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhySelected {
    /// Whether it is; `None` where that can't be known.
    pub selected: Option<bool>,
    /// What decided, one after the other: a sentence without its full stop, and the place that it speaks of.
    pub reasons: Vec<(String, Option<Place>)>,
}

/// What a move of a file or directory changes in a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// The edits of the current texts, by file.
    pub edits: Vec<(FileId, Vec<TextEdit>)>,
    /// Why the move cannot be followed: paths that would have to change and can't be rewritten, text that
    /// could not be read. With the place, where there is one.
    pub left: Vec<(Option<Place>, String)>,
}

/// An item of a file's outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineItem {
    /// The name.
    pub name: String,
    /// A word on it.
    pub detail: Option<String>,
    /// The whole item.
    pub span: Span,
    /// What is selected when one goes there; inside `span`.
    pub selection: Span,
    /// Whether it is a unit.
    pub unit: bool,
    /// What lies inside.
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

/// A command whose output is read in place of its sources, as the user configured it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Render {
    /// The project it is for.
    pub name: String,
    /// Program and arguments; no shell.
    pub argv: Vec<String>,
    /// The directory to run it in.
    pub cwd: Utf8PathBuf,
    /// The files and directories it makes the text of, absolute; empty where that is not said.
    pub sources: Vec<Utf8PathBuf>,
    /// The path under which its output is read. No file stands there.
    pub into: Utf8PathBuf,
}
