//! From the facts of a project's files to its stacks, their order, the verdicts and the findings.

pub(crate) mod changes;
mod edit;
mod findings;
mod gaps;
mod hidden;
mod imports;
mod no_root;
mod order;
mod pattern;
pub(crate) mod refs;
pub(crate) mod select;
pub(crate) mod stacks;
pub(crate) mod symbols;
pub(crate) mod tags;
pub(crate) mod tree;
mod validate;
mod version;
mod way_up;

use applyorder_core::engine::EngineIx;
use std::sync::Arc;

use camino::Utf8Path;

use self::findings::Redundant;
use self::gaps::{Gaps, has_gap, unknown_in};
use self::order::Ordering;
use self::refs::{Entry, Meaning};
use self::select::{Refused, Selection, Wants};
use self::stacks::{StackIx, Stacks};
use self::tree::{Dir, Tree};
use self::validate::Found;
pub(crate) use self::validate::{Found as Problem, is_id};
use super::discover::NO_ROOT;
use super::verdict;
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{
    Cx, Dependency, Link, Member, OrderOf, ProjectSeed, Resolution, RunOptions, Unit, UnitIx, Variant,
};

/// What stays of one resolution for the next.
pub(crate) struct Memo {
    pub(crate) tree: Tree,
    pub(crate) stacks: Stacks,
    pub(crate) entries: Vec<Arc<Vec<Entry>>>,
    load: Vec<Found>,
    checks: Vec<Found>,
    pub(crate) selection: Arc<Selection>,
    /// Why orders and errors can't be known.
    pub(crate) unknown: Option<String>,
    gaps: Gaps,
    /// Whether there may be stacks, or tags of stacks, that are not known: lines that could not be read, values
    /// that hang on something, bundles.
    may_hold_more: bool,
    /// The stacks with an entry that Terramate warns of or refuses.
    faulty: Vec<StackIx>,
    /// The entries that can go.
    redundant: Arc<Redundant>,
    /// Whether an edit of single stacks can be followed without a look at the rest, see [`edit`].
    is_calm: bool,
    /// Where it can: entries that are known to make no cycle, among them all that there are.
    ordered: Arc<Vec<Arc<Vec<Entry>>>>,
}

/// Everything the verdicts are made from.
pub(crate) struct Resolved<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) stacks: &'a Stacks,
    pub(crate) entries: &'a [Arc<Vec<Entry>>],
    pub(crate) load: &'a [Found],
    pub(crate) checks: &'a [Found],
    pub(crate) version: Option<&'a Found>,
    pub(crate) refused: Option<&'a Refused>,
    pub(crate) selection: &'a Selection,
    /// What Terramate complains of while it looks for the root.
    pub(crate) way_up: &'a [Found],
    /// Terramate's cycle of the ordering graph, and of `wants`.
    pub(crate) cycle: Option<&'a [StackIx]>,
    pub(crate) wants_cycle: Option<&'a [StackIx]>,
    /// The stacks in the order in which Terramate comes to them, for order (true) or for `wants`. Asked for
    /// only where an entry is at fault.
    pub(crate) visits: &'a dyn Fn(bool) -> Vec<StackIx>,
    /// Why orders and errors can't be known.
    pub(crate) unknown: Option<&'a str>,
    /// See [`Memo::may_hold_more`].
    pub(crate) may_hold_more: bool,
    /// Whether there may be stacks that are not known.
    pub(crate) may_hold_stacks: bool,
    /// The stacks with an entry that Terramate warns of or refuses.
    pub(crate) faulty: &'a [StackIx],
}

/// The path of a file in the project.
fn project_file(dir: &Dir, path: &Utf8Path) -> String {
    let name = path.file_name().unwrap_or_default();
    if &*dir.path == "/" {
        format!("/{name}")
    } else {
        format!("{}/{name}", dir.path)
    }
}

/// Analyses a project.
pub(super) fn resolve(
    cx: &Cx<'_>,
    seed: &ProjectSeed,
    options: &RunOptions,
    previous: Option<&Resolution>,
) -> Resolution {
    if seed.why == NO_ROOT {
        return no_root::resolve(cx, seed);
    }
    if let Some(resolution) = edit::resolve(cx, options, previous) {
        return resolution;
    }
    let mut memo = read(cx, seed, options, previous);
    let (tree, stacks, selection) = (&memo.tree, &memo.stacks, &*memo.selection);
    let first = first_entries(&memo.entries);

    let mut selected = selection.by_flags(stacks);
    if !selection.is_list {
        selection.wants.close(&mut selected);
    }
    let ordering = Ordering {
        stacks,
        entries: &memo.entries,
        first: &first,
        selected: &selected,
    };
    let (mut apply, mut delete, cycle) = ordering.orders();
    let wants_cycle = selection.wants.cycle();

    let version = version::check(cx, tree, options);
    as_far_as_known(&memo, [&mut apply, &mut delete]);
    let resolved = Resolved {
        tree,
        stacks,
        entries: &memo.entries,
        load: &memo.load,
        checks: &memo.checks,
        version: version.as_ref(),
        selection,
        way_up: &way_up::refused(cx, tree, seed, options, &memo.load),
        refused: selection.flags.as_ref().err(),
        cycle: cycle.as_deref(),
        wants_cycle: wants_cycle.as_deref(),
        visits: &|orders| {
            if orders {
                ordering.visits(tree)
            } else {
                Wants::visits(&memo.entries)
            }
        },
        unknown: memo.unknown.as_deref(),
        may_hold_more: memo.may_hold_more,
        may_hold_stacks: !memo.gaps.files.is_empty(),
        faulty: &memo.faulty,
    };
    let verdicts = verdict::verdicts(&resolved, options);
    let limited = selected.iter().any(|s| !*s);
    let whole = vec![true; stacks.len()];
    let all = if limited {
        let ordering = Ordering {
            stacks,
            entries: &memo.entries,
            first: &first,
            selected: &whole,
        };
        let reached = ordering.closure();
        Some((ordering.graph(&reached, false, |_| true), ordering))
    } else {
        None
    };
    let engine = cx.engine_index();
    let variant = variant(
        engine,
        &memo,
        apply,
        delete,
        limited.then_some(&selected),
        options.command.as_deref(),
    );
    let judged = match &all {
        Some((_, ordering)) => ordering,
        None => &Ordering {
            stacks,
            entries: &memo.entries,
            first: &first,
            selected: &whole,
        },
    };
    let redundant = findings::redundant(cx, &resolved, judged);
    let diagnostics = findings::all(cx, &resolved, judged, &variant, &redundant, &verdicts);
    let is_calm = edit::is_calm(&resolved, &diagnostics);
    let members = members(cx, tree).into();
    let links = links(cx, tree).into();
    let engine_version = version::in_use(cx, tree, options);
    memo.redundant = Arc::new(redundant);
    if is_calm {
        memo.is_calm = true;
        memo.ordered = Arc::new(memo.entries.clone());
    }
    let memo = Arc::new(memo);
    Resolution {
        members,
        verdicts,
        diagnostics: cx.told(diagnostics),
        links,
        symbols: symbols::later(engine, &memo),
        unresolved: unresolved(&memo),
        engine_version,
        variants: vec![variant].into(),
        hints: None,
        state: Some(memo),
    }
}

/// Says of orders that they rest on what is not known, where something is not.
fn as_far_as_known(memo: &Memo, orders: [&mut OrderOf; 2]) {
    let Some(why) = &memo.unknown else { return };
    for order in orders {
        order.because.get_or_insert_with(|| why.clone());
        order.guaranteed = false;
    }
}

/// What could not be known.
fn unresolved(memo: &Memo) -> Vec<(Option<Place>, String)> {
    let unknown = memo.unknown.iter().cloned();
    unknown
        .chain(memo.redundant.why_cut_short())
        .map(|why| (None, why))
        .collect()
}

/// The number of each stack's first entry among all of the project.
fn first_entries(entries: &[Arc<Vec<Entry>>]) -> Vec<u32> {
    let mut count = 0u32;
    let next = |entries: &Arc<Vec<Entry>>| {
        let first = count;
        count = count.saturating_add(u32::try_from(entries.len()).unwrap_or(u32::MAX));
        first
    };
    entries.iter().map(next).collect()
}

/// Loads the project, or takes over what an edit left alone.
fn read(cx: &Cx<'_>, seed: &ProjectSeed, options: &RunOptions, previous: Option<&Resolution>) -> Memo {
    let old = previous.and_then(|p| p.state.clone()?.downcast::<Memo>().ok());
    let (tree, old) = match (old, None::<&[FileId]>) {
        (Some(old), Some(edited)) => (old.tree.with_edits(cx, edited), Some(old)),
        _ => (Tree::load(cx, &seed.root), None),
    };
    let stacks = Stacks::of(&tree);
    // What entries mean hangs on which stacks there are and on their tags, besides the entries themselves.
    let same_stacks = old.as_ref().is_some_and(|old| {
        old.stacks.len() == stacks.len()
            && old
                .stacks
                .iter()
                .zip(stacks.iter())
                .all(|((_, a), (_, b))| a.dir == b.dir && a.tags == b.tags)
    });
    let mut entries = Vec::with_capacity(stacks.len());
    for (index, node) in stacks.iter() {
        let known = old.as_ref().filter(|_| same_stacks).and_then(|old| {
            let same = Arc::ptr_eq(old.stacks.get(index)?.facts(), node.facts());
            same.then(|| old.entries.get(index as usize).cloned())?
        });
        entries.push(known.unwrap_or_else(|| {
            let stack = node.stack();
            Arc::new(stack.map_or_else(Vec::new, |s| refs::resolve(cx, &tree, &stacks, node.dir, s)))
        }));
    }
    let gaps = Gaps::of(&tree, &stacks);
    Memo {
        load: validate::load(cx, &tree),
        checks: validate::stacks(cx, &tree, &stacks),
        selection: Arc::new(Selection::of(cx, &tree, &stacks, &entries, options)),
        unknown: gaps.why(&tree, &stacks),
        may_hold_more: gaps.may_hold_more(&stacks),
        gaps,
        faulty: (0u32..)
            .zip(&entries)
            .filter(|(_, entries)| entries.iter().any(Entry::is_faulty))
            .map(|(stack, _)| stack)
            .collect(),
        redundant: Arc::default(),
        is_calm: false,
        ordered: Arc::default(),
        tree,
        stacks,
        entries,
    }
}

fn variant(
    engine: EngineIx,
    memo: &Memo,
    apply: OrderOf,
    delete: OrderOf,
    selected: Option<&Vec<bool>>,
    command: Option<&str>,
) -> Variant {
    let place = |file: FileId, at: u32| Place::anchor(file, engine, at);
    let units = memo
        .stacks
        .iter()
        .map(|(_, node)| Unit {
            name: node.path.clone(),
            header: node
                .stack()
                .map_or_else(|| Place::file(node.file), |s| place(node.file, s.header)),
            name_place: None,
            tags: node.tags.clone(),
        })
        .collect();
    let mut dependencies = Vec::new();
    for ((index, node), entries) in memo.stacks.iter().zip(&memo.entries) {
        let unknown = node.stack().is_some_and(|s| s.gap);
        dependencies.extend(entries.iter().map(|entry| Dependency {
            unit: UnitIx(index),
            place: place(node.file, entry.at),
            attribute: entry.attribute.name(),
            text: entry.text.clone(),
            targets: entry.targets.clone(),
            unknown: unknown || (entry.targets.is_empty() && matches!(entry.meaning, Meaning::BadFilter(_))),
        }));
    }
    Variant {
        environments: vec![None],
        units,
        dependencies,
        reasons: order::REASONS.map(str::to_owned).to_vec(),
        conditions: Vec::new(),
        apply,
        delete,
        selected: selected.map(|s| {
            (0u32..)
                .zip(s)
                .filter(|(_, s)| **s)
                .map(|(i, _)| UnitIx(i))
                .collect()
        }),
        properties: vec![("command", command.unwrap_or("run").to_owned())],
        actions: Vec::new(),
    }
}

fn members(cx: &Cx<'_>, tree: &Tree) -> Vec<Member> {
    let mut members: Vec<Member> = Vec::new();
    for dir in &tree.dirs {
        for loaded in &dir.files {
            let why = if dir.parent.is_none() {
                "the configuration of the root".to_owned()
            } else {
                format!("the configuration of `{}`", dir.path)
            };
            let file = if loaded.file == FileId(u32::MAX) {
                cx.file(&loaded.path)
            } else {
                loaded.file
            };
            members.push(Member { file, why, via: None });
        }
    }
    members
}

fn links(cx: &Cx<'_>, tree: &Tree) -> Vec<Link> {
    let mut links = Vec::new();
    for dir in &tree.dirs {
        for (loaded, facts) in validate::files(dir) {
            for import in &facts.shape.imports {
                let Some(source) = import.source.known() else {
                    continue;
                };
                if source.value.contains(['*', '?', '[']) {
                    continue;
                }
                let base = if source.value.starts_with('/') {
                    &tree.root
                } else {
                    &dir.host
                };
                links.push(Link {
                    place: cx.place(loaded.file, source.at),
                    target: applyorder_core::files::join_clean(base, &source.value),
                });
            }
        }
    }
    links
}
