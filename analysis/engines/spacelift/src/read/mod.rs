//! What one file of a module declares: its blocks, what they refer to, and where all of it is.
//!
//! A file keeps its tree: values are computed from it, and places in it become entries of the table of places.

mod blocks;
pub(crate) mod blueprint;
mod json;
mod span_map;

use std::any::Any;
use std::sync::Arc;

use applyorder_core::engine::{Facts, FactsInput, OutlineItem};
use applyorder_core::memo::{Fingerprint, Mix};
use applyorder_syntax::hcl::{self, SyntaxErrorKind, Tree};
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml;
use camino::Utf8Path;
use rustc_hash::FxHashMap;

pub(crate) use blocks::{BLUEPRINT, BlockFacts, BlockKind, PROVIDERS, Ref, Target, is_local};
use span_map::SpanMap;

/// An entry of the file's table of places.
pub(crate) type At = u32;

/// What is noticed while a file is read; the rules say what is wrong with it.
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) at: At,
    pub(crate) kind: ProblemKind,
}

impl Problem {
    /// Whether there may be blocks that are not read because of it.
    const fn hides_blocks(&self) -> bool {
        matches!(self.kind, ProblemKind::Limit(_) | ProblemKind::NotJson(_))
    }
}

/// See [`Problem`].
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub(crate) enum ProblemKind {
    /// The text of a JSON file is invalid: why.
    NotJson(String),
    /// It is not HCL; for what is set twice, where it was first set.
    Syntax { message: String, first: Option<At> },
    /// A limit of ours: the rest is not analyzed.
    Limit(String),
}

/// The entries of the table of places by the spans of the tree, in order.
enum Index {
    /// The tree is of the file's own text: where an entry is written is its span.
    Own(Box<[At]>),
    /// It is of a text that was written out of it.
    Other(Box<[(Span, At)]>),
}

/// The facts of one file.
pub(crate) struct TfFacts {
    /// The text as HCL native syntax; what JSON says is written in it.
    pub(crate) tree: Tree,
    /// The blocks at the top, in text order.
    pub(crate) blocks: Vec<BlockFacts>,
    /// What cannot be read, or is too large to be.
    pub(crate) problems: Vec<Problem>,
    /// Something outside of the known blocks could not be read: there may be declarations in it.
    pub(crate) has_gap: bool,
    /// The place of the file's start.
    pub(crate) start: At,
    /// The text, if the file is not configuration but one that configuration reads.
    pub(crate) text: Option<Arc<str>>,
    /// Which of both it is, where that text is a blueprint or a template.
    pub(crate) blueprint: Option<blueprint::Flavor>,
    places: Box<[Span]>,
    index: Index,
    map: Option<SpanMap>,
    signature: Fingerprint,
    interface: Fingerprint,
    load_key: u64,
    discovery_key: u64,
}

impl TfFacts {
    /// Where a span of the tree is written.
    pub(crate) fn written_at(&self, span: Span) -> Span {
        written_at(self.map.as_ref(), span)
    }
}

fn written_at(map: Option<&SpanMap>, span: Span) -> Span {
    map.map_or(span, |map| map.map(span))
}

impl Facts for TfFacts {
    fn same_shape(&self, other: &dyn Facts) -> bool {
        let other = other.as_any().downcast_ref::<Self>();
        other.is_some_and(|o| o.signature == self.signature && o.problems == self.problems)
    }

    fn span(&self, index: u32) -> Option<Span> {
        self.places.get(index as usize).copied()
    }

    fn discovery_key(&self) -> u64 {
        self.discovery_key
    }

    fn load_key(&self) -> Option<u64> {
        Some(self.load_key)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

impl TfFacts {
    /// What of the file's content counts.
    pub(crate) const fn signature(&self) -> Fingerprint {
        self.signature
    }

    /// What callers of its module see of it.
    pub(crate) const fn interface(&self) -> Fingerprint {
        self.interface
    }

    /// Whether it may have blocks that are not read: a limit of ours ended the reading of it, or it is not valid JSON.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.problems.iter().any(Problem::hides_blocks)
    }

    /// Whether a limit of ours ended the reading of it.
    pub(crate) fn is_cut(&self) -> bool {
        let mut problems = self.problems.iter();
        problems.any(|problem| matches!(problem.kind, ProblemKind::Limit(_)))
    }

    /// The entry of what is at a span of the tree; that of the smallest known text around it if the span itself
    /// has none.
    pub(crate) fn at(&self, span: Span) -> At {
        match &self.index {
            Index::Own(order) => {
                let written = |at: &At| self.places.get(*at as usize).copied().unwrap_or(Span::at(0));
                if let Ok(known) = order.binary_search_by_key(&span, written) {
                    return order.get(known).copied().unwrap_or(self.start);
                }
                let near = order.partition_point(|at| written(at).start <= span.start);
                let near = order.get(..near).unwrap_or_default();
                self.smallest_around(span, near.iter().map(|at| (written(at), *at)))
            }
            Index::Other(index) => {
                if let Ok(known) = index.binary_search_by_key(&span, |(known, _)| *known) {
                    return index.get(known).map_or(self.start, |(_, at)| *at);
                }
                let near = index.partition_point(|(known, _)| known.start <= span.start);
                self.smallest_around(span, index.get(..near).unwrap_or_default().iter().copied())
            }
        }
    }

    /// The smallest text around a span, of entries that begin where it does or before, in order.
    fn smallest_around(&self, span: Span, entries: impl DoubleEndedIterator<Item = (Span, At)>) -> At {
        let mut smallest: Option<(u32, At)> = None;
        for (known, at) in entries.rev() {
            // Whatever is around it and begins further up is longer.
            if smallest.is_some_and(|(length, _)| span.end.saturating_sub(known.start) > length) {
                break;
            }
            if known.contains(span) {
                let this = (known.len(), at);
                smallest = Some(smallest.map_or(this, |other| other.min(this)));
            }
        }
        smallest.map_or(self.start, |(_, at)| at)
    }

    /// The blocks of the file, for the outline.
    pub(crate) fn outline(&self) -> Vec<OutlineItem> {
        let span = |span: Span| self.written_at(span);
        let item = |block: hcl::Block<'_>| {
            let labels: Vec<&str> = block.labels().map(|l| l.text).collect();
            let is_resource = matches!(block.kind(), "resource" | "data");
            let name = match (labels.as_slice(), is_resource) {
                ([], _) => block.kind().to_owned(),
                (_, true) => labels.join("."),
                _ => labels.join(" "),
            };
            OutlineItem {
                name,
                detail: (!labels.is_empty()).then(|| block.kind().to_owned()),
                span: span(block.span()),
                selection: span(block.header_span()),
                unit: block.kind() == "resource" && labels.first() == Some(&crate::schema::STACK),
                children: Vec::new(),
            }
        };
        let mut items: Vec<OutlineItem> = self.tree.body().blocks().map(item).collect();
        for item in &mut items {
            // In JSON a block's parts need not be adjacent.
            if !item.span.contains(item.selection) {
                item.span = item.selection;
            }
        }
        items
    }
}

/// The places of a file in the making.
#[derive(Default)]
pub(super) struct Places {
    spans: Vec<Span>,
    /// The entries of spans in ascending order, as most are.
    ordered: Vec<(Span, At)>,
    /// Those of the others.
    others: FxHashMap<Span, At>,
    map: Option<SpanMap>,
}

impl Places {
    /// The entry of a span of the tree.
    pub(super) fn at(&mut self, span: Span) -> At {
        let is_next = self.ordered.last().is_none_or(|(last, _)| *last < span);
        if !is_next {
            if let Ok(known) = self.ordered.binary_search_by_key(&span, |(known, _)| *known) {
                return self.ordered.get(known).map_or(0, |(_, at)| *at);
            }
            if let Some(at) = self.others.get(&span) {
                return *at;
            }
        }
        let at = u32::try_from(self.spans.len()).unwrap_or(u32::MAX);
        self.spans.push(self.written_at(span));
        if is_next {
            self.ordered.push((span, at));
        } else {
            self.others.insert(span, at);
        }
        at
    }

    /// All entries in the order of their spans.
    fn sorted(&mut self) -> Vec<(Span, At)> {
        let mut index = std::mem::take(&mut self.ordered);
        if !self.others.is_empty() {
            index.extend(std::mem::take(&mut self.others));
            index.sort_unstable();
        }
        index
    }

    /// Where a span of the tree is written.
    pub(super) fn written_at(&self, span: Span) -> Span {
        written_at(self.map.as_ref(), span)
    }

    /// A new entry for a span of the text itself.
    fn in_source(&mut self, span: Span) -> At {
        let at = u32::try_from(self.spans.len()).unwrap_or(u32::MAX);
        self.spans.push(span);
        at
    }
}

/// The list of modules that `terraform init` has installed, below its directory of data.
pub(crate) const INSTALLED: &str = "modules.json";

/// Whether a path is one of JSON.
pub(crate) fn is_json(path: &str) -> bool {
    path.ends_with(".json")
}

/// Whether a name is one of a file of a module.
pub(crate) fn is_config(name: &str) -> bool {
    let known = [".tf", ".tf.json", ".tofu", ".tofu.json"];
    known.iter().any(|end| name.ends_with(end)) && !is_ignored(name)
}

/// Whether a path is one of YAML.
pub(crate) fn is_yaml(path: &str) -> bool {
    path.ends_with(".yaml") || path.ends_with(".yml")
}

/// Whether a name is one of a file of values for variables.
pub(crate) fn is_vars(name: &str) -> bool {
    name.ends_with(".tfvars") || name.ends_with(".tfvars.json")
}

/// Names that Terraform ignores: hidden ones, and temporary files of editors.
fn is_ignored(name: &str) -> bool {
    name.starts_with('.') || name.ends_with('~') || (name.starts_with('#') && name.ends_with('#'))
}

/// The facts of a file that configuration reads as a text.
fn data(input: &FactsInput<'_>) -> TfFacts {
    let may_be_blueprint = is_yaml(input.path.as_str()) && input.text.contains("stacks");
    let tree = may_be_blueprint.then(|| yaml::parse(input.text.clone()));
    let blueprint = tree
        .as_ref()
        .and_then(|tree| Some(blueprint::flavor(&blueprint::stacks(tree)?)));
    let mut places = Places {
        spans: vec![Span::at(0)],
        ..Places::default()
    };
    let problems = match (tree, blueprint) {
        (Some(tree), Some(_)) => blueprint::problems(&tree, &mut places),
        _ => Vec::new(),
    };
    TfFacts {
        tree: Tree::default(),
        blocks: Vec::new(),
        problems,
        has_gap: false,
        start: 0,
        text: Some(input.text.clone()),
        blueprint,
        places: places.spans.into(),
        index: Index::Own(Box::default()),
        map: None,
        signature: Fingerprint::of(&**input.text),
        interface: Fingerprint::default(),
        // The list of installed modules determines what else is read.
        load_key: match input.path.file_name() {
            Some(INSTALLED) => hash(&**input.text),
            _ => 0,
        },
        discovery_key: u64::from(blueprint.is_some()),
    }
}

/// Reads a file.
pub(crate) fn read(input: &FactsInput<'_>) -> TfFacts {
    let previous = input.previous.and_then(|p| p.as_any().downcast_ref::<TfFacts>());
    let name = input.path.file_name().unwrap_or("");
    if !is_config(name) && !is_vars(name) {
        return data(input);
    }
    parsed(input.text, name, is_vars(name), previous)
}

/// The facts of the text of a file of values.
pub(crate) fn values(path: &Utf8Path, text: &Arc<str>) -> Arc<TfFacts> {
    Arc::new(parsed(text, path.as_str(), true, None))
}

fn parsed(text: &Arc<str>, name: &str, vars: bool, previous: Option<&TfFacts>) -> TfFacts {
    let mut rejected = None;
    let (mut tree, map) = if is_json(name) {
        let written = json::as_hcl(text, vars);
        rejected = written.rejected;
        (hcl::parse(&written.text), Some(written.map))
    } else {
        let tree = match previous {
            Some(before) => before.tree.reparse(text),
            None => hcl::parse(text),
        };
        (tree, None)
    };
    let mut places = Places {
        map,
        ..Places::default()
    };
    tree.shrink();
    let start = places.at(Span::at(0));
    let mut mix = Mix::default();
    let mut interface = Mix::default();
    let mut computed = Mix::default();
    let blocks = blocks::read(&tree, text, &mut places, &mut mix, &mut interface, &mut computed);
    let problems = problems(&tree, &mut places, rejected);
    let skipped = tree.skipped();
    let body = tree.body();
    let has_gap = skipped
        .iter()
        .any(|s| !body.blocks().any(|b| b.span().contains(*s)));
    for skipped in &skipped {
        mix.add(&places.at(*skipped));
    }
    if blocks.iter().any(BlockFacts::has_blueprint) {
        // Places in such a text are spans of the file.
        mix.add(&Fingerprint::of(&**text));
    }
    // An override may change what any of them comes from.
    let calls = blocks.iter().filter(|block| block.kind == BlockKind::Module);
    let calls: Vec<_> = calls
        .map(|block| (block.label(0), &block.source, block.attribute("source").is_some()))
        .collect();
    let calls = hash(&calls);
    let has_own = blocks.iter().any(BlockFacts::is_spacelift) || problems.iter().any(Problem::hides_blocks);
    let is_root = blocks.iter().any(|b| b.has_backend);
    let index = places.sorted();
    let index = match &places.map {
        None => Index::Own(index.into_iter().map(|(_, at)| at).collect()),
        Some(_) => Index::Other(index.into()),
    };
    TfFacts {
        discovery_key: hash(&(calls, has_own, is_root)),
        // OpenTofu computes sources before it reads the modules.
        load_key: hash(&(calls, computed.finish())),
        has_gap,
        problems,
        blocks,
        tree,
        start,
        text: None,
        blueprint: None,
        places: places.spans.into(),
        index,
        map: places.map,
        signature: mix.finish(),
        interface: interface.finish(),
    }
}

fn hash<T: std::hash::Hash + ?Sized>(value: &T) -> u64 {
    use std::hash::Hasher as _;
    let mut hasher = rustc_hash::FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

fn problems(tree: &Tree, places: &mut Places, rejected: Option<(Span, String)>) -> Vec<Problem> {
    if let Some((span, message)) = rejected {
        // A text that is not valid JSON has no further mistakes.
        return vec![Problem {
            at: places.in_source(span),
            kind: ProblemKind::NotJson(message),
        }];
    }
    let errors = tree.errors().into_iter().map(|error| Problem {
        at: places.at(error.span),
        kind: match error.kind {
            SyntaxErrorKind::Limit => ProblemKind::Limit(error.message),
            _ => ProblemKind::Syntax {
                message: error.message,
                first: error.related.map(|related| places.at(related)),
            },
        },
    });
    errors.collect()
}
