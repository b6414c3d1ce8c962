//! An edit of single stacks in a large project, followed without a look at all the others.
//!
//! It is followed where it stays small: files that hold one `stack` block and no input;
//! no stack comes, goes or gets the id of another; there is no cycle of either sort, before and after; no flag
//! limits the run. What hangs on the edited stacks is then known: their own findings, those of entries that
//! name their tags or dangle, and the order, which is made anew only when somebody asks. Everything else is
//! resolved whole.

use applyorder_core::engine::EngineIx;
use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::findings;
use super::order::Ordering;
use super::refs::{self, Attribute, Entry, Meaning};
use super::select::Wants;
use super::stacks::{StackIx, Stacks};
use super::tree::Tree;
use super::validate::{self, Found, Ids};
use super::{
    Gaps, Memo, Resolved, first_entries, has_gap, symbols, unknown_in, unresolved, variant, version, way_up,
};
use crate::facts::FileFacts;
use crate::{rules, verdict};
use applyorder_core::diagnostic::{Diagnostic, FileId};
use applyorder_core::engine::{Cx, Lazy, Resolution, RunOptions, UnitIx, Variant};
use applyorder_core::rules::duplicate_name;

/// Whether edits of a project may be followed: nothing in it spans several stacks but their order.
pub(super) fn is_calm(resolved: &Resolved<'_>, found: &[Diagnostic]) -> bool {
    resolved.version.is_none()
        && resolved.cycle.is_none()
        && resolved.selection.is_whole()
        && resolved.wants_cycle.is_none()
        && !found.iter().any(|d| d.rule == &rules::exponential_run::RULE)
        && resolved
            .tree
            .files()
            .filter_map(|(_, l)| l.facts.as_ref().ok())
            .all(|f| f.shape.inputs.is_empty())
}

/// One edited file: the stack in it, its facts now.
struct Edit {
    stack: StackIx,
    dir: u32,
    facts: Arc<FileFacts>,
}

/// Follows the edits; `None` where they have to be resolved whole.
pub(super) fn resolve(
    cx: &Cx<'_>,
    options: &RunOptions,
    previous: Option<&Resolution>,
) -> Option<Resolution> {
    let edited = None::<&[FileId]>?;
    let previous = previous?;
    let old = previous
        .state
        .clone()?
        .downcast::<Memo>()
        .ok()
        .filter(|m| m.is_calm)?;
    let edits: Vec<Edit> = edited
        .iter()
        .map(|file| edit(cx, &old, *file))
        .collect::<Option<_>>()?;
    if edits.is_empty() || speaks_of(&old.load, edited) || speaks_of(&old.checks, edited) {
        return None;
    }
    let tree = old.tree.with_edits(cx, edited);
    let stacks = old.stacks.with(edits.iter().map(|e| (e.stack, e.facts.clone())));
    let gaps = gaps(&old, &stacks, &edits);
    let may_hold_more = gaps.may_hold_more(&stacks);
    let mut touched = Touched::of(&old, &stacks, &edits);
    if may_hold_more != old.may_hold_more || touched.tags_changed {
        touched.shown.extend(dangling(&old));
    }
    let mut entries = old.entries.clone();
    for stack in &touched.entries {
        let node = stacks.get(*stack)?;
        let own = node.stack()?;
        let slot = entries.get_mut(*stack as usize)?;
        *slot = Arc::new(refs::resolve(cx, &tree, &stacks, node.dir, own));
    }
    let wants = |entries: &[Arc<Vec<Entry>>]| {
        let mut of_touched = touched.entries.iter().filter_map(|s| entries.get(*s as usize));
        of_touched.any(|own| own.iter().any(|e| !e.attribute.orders()))
    };
    let selection = if wants(&old.entries) || wants(&entries) {
        Arc::new(old.selection.wanting(&entries))
    } else {
        old.selection.clone()
    };
    if selection.wants.cycle().is_some() {
        return None;
    }
    let ordered = stays_ordered(&old, &stacks, &entries, &touched.entries)?;
    let mut faulty: BTreeSet<StackIx> = old.faulty.iter().copied().collect();
    for stack in &touched.entries {
        let is_faulty = entries.get(*stack as usize)?.iter().any(Entry::is_faulty);
        if is_faulty {
            faulty.insert(*stack);
        } else {
            faulty.remove(stack);
        }
    }
    let memo = Memo {
        unknown: gaps.why(&tree, &stacks),
        gaps,
        load: loaded_anew(cx, &old, &tree, &edits),
        checks: checked_anew(cx, &old, &tree, &stacks, &edits),
        selection,
        redundant: Arc::default(),
        ordered,
        may_hold_more,
        faulty: faulty.into_iter().collect(),
        is_calm: true,
        tree,
        stacks,
        entries,
    };
    finish(cx, options, previous, (&old, edited), &touched, memo)
}

fn edit(cx: &Cx<'_>, old: &Memo, file: FileId) -> Option<Edit> {
    let (dir, slot) = *old.tree.of_file.get(&file)?;
    let own = old.tree.dirs.get(dir as usize).filter(|d| d.parent.is_some())?;
    let loaded = own.files.get(slot as usize)?;
    let before = loaded.facts.as_ref().ok()?;
    let facts = cx.facts::<FileFacts>(&loaded.path).ok()?.facts;
    let stack = old.stacks.at(&own.path)?;
    let node = old.stacks.get(stack).filter(|n| n.file == file)?;
    let others = || validate::files(own).filter(|(l, _)| l.file != file);
    if !is_alone(before) || !is_alone(&facts) || others().any(|(_, f)| !f.shape.stacks.is_empty()) {
        return None;
    }
    let duplicate = |f: &Found| f.dir == own.path && f.diagnostic.rule == &duplicate_name::RULE;
    if old.checks.iter().any(duplicate) || takes_another_id(old, stack, node.facts(), &facts) {
        return None;
    }
    Some(Edit { stack, dir, facts })
}

fn id(facts: &FileFacts) -> Option<&str> {
    let id = facts.shape.stacks.first()?.id.known()?;
    (!id.value.is_empty()).then_some(&*id.value)
}

/// Whether a stack gets an id that another stack has.
fn takes_another_id(old: &Memo, stack: StackIx, before: &FileFacts, after: &FileFacts) -> bool {
    let Some(new) = id(after).filter(|new| id(before) != Some(new)) else {
        return false;
    };
    let others = old.stacks.iter().filter(|(s, _)| *s != stack);
    others
        .filter_map(|(_, node)| id(node.facts()))
        .any(|other| other.eq_ignore_ascii_case(new))
}

/// Whether a file holds one stack, and neither inputs nor environments: what else is in it concerns its own
/// directory alone, as a file with a stack cannot be imported.
fn is_alone(facts: &FileFacts) -> bool {
    let shape = &facts.shape;
    shape.stacks.len() == 1 && shape.inputs.is_empty() && shape.environments.is_empty()
}

/// Whether findings elsewhere speak of places in the files.
fn speaks_of(found: &[Found], files: &[FileId]) -> bool {
    found.iter().map(|f| &f.diagnostic).any(|d| {
        let mut related = d.related.iter().map(|r| r.place.file);
        related.any(|file| file != d.place.file && files.contains(&file))
    })
}

/// The stacks whose entries are to be resolved anew, and whose findings.
struct Touched {
    entries: BTreeSet<StackIx>,
    shown: BTreeSet<StackIx>,
    tags_changed: bool,
}

impl Touched {
    fn of(old: &Memo, stacks: &Stacks, edits: &[Edit]) -> Self {
        let mut entries: BTreeSet<StackIx> = edits.iter().map(|e| e.stack).collect();
        let tags = |stacks: &Stacks, stack| stacks.get(stack).map(|n| n.tags.clone()).unwrap_or_default();
        let changed: Vec<_> = edits
            .iter()
            .map(|e| (tags(&old.stacks, e.stack), tags(stacks, e.stack)))
            .filter(|(before, after)| before != after)
            .collect();
        if !changed.is_empty() {
            for (stack, own) in (0u32..).zip(&old.entries) {
                let turns = |entry: &Entry| match &entry.meaning {
                    Meaning::Tags(filter) => changed
                        .iter()
                        .any(|(a, b)| filter.matches(a) != filter.matches(b)),
                    _ => false,
                };
                if own.iter().any(turns) {
                    entries.insert(stack);
                }
            }
        }
        Self {
            shown: entries.clone(),
            entries,
            tags_changed: !changed.is_empty(),
        }
    }
}

/// The stacks with entries that mean nothing: what is said of them names what there is.
fn dangling(old: &Memo) -> impl Iterator<Item = StackIx> {
    (0u32..)
        .zip(&old.entries)
        .filter(|(_, entries)| entries.iter().any(|e| e.targets.is_empty()))
        .map(|(stack, _)| stack)
}

/// The entries that are known to make no cycle and not too many ways to a stack, among them all that there are
/// after the edit. `None`: there is a cycle, or something is wanted.
fn stays_ordered(
    old: &Memo,
    stacks: &Stacks,
    entries: &[Arc<Vec<Entry>>],
    touched: &BTreeSet<StackIx>,
) -> Option<Arc<Vec<Arc<Vec<Entry>>>>> {
    let edges = |entries: &[Arc<Vec<Entry>>], stack: StackIx| {
        let own = entries.get(stack as usize).cloned().unwrap_or_default();
        let mut edges: Vec<(Attribute, UnitIx)> = own
            .iter()
            .filter(|e| e.attribute.orders())
            .flat_map(|e| e.targets.iter().map(move |t| (e.attribute, *t)))
            .collect();
        edges.sort_unstable();
        edges
    };
    let mut more = false;
    for stack in touched {
        // With edges taken away there is no new cycle, and no stack is reached in more ways.
        let known = edges(&old.ordered, *stack);
        more |= edges(entries, *stack)
            .iter()
            .any(|e| known.binary_search(e).is_err());
    }
    if !more {
        return Some(old.ordered.clone());
    }
    let (first, selected) = (first_entries(entries), vec![true; stacks.len()]);
    let ordering = Ordering {
        stacks,
        entries,
        first: &first,
        selected: &selected,
    };
    let graph = ordering.graph(&selected, false, |_| true);
    let order = graph.fifo_order(|n| n);
    let is_ordered = order.stuck.is_empty() && findings::most_paths(&graph, &order.sequence).is_none();
    is_ordered.then(|| Arc::new(entries.to_vec()))
}

/// What is not known after the edits.
fn gaps(old: &Memo, stacks: &Stacks, edits: &[Edit]) -> Gaps {
    let mut gaps = old.gaps.clone();
    for edit in edits {
        let Some(node) = stacks.get(edit.stack) else {
            continue;
        };
        gaps.stacks.retain(|s| *s != edit.stack);
        gaps.files.retain(|f| *f != node.file);
        if unknown_in(node).is_some() {
            gaps.stacks.push(edit.stack);
        }
        if has_gap(&edit.facts) {
            gaps.files.push(node.file);
        }
    }
    gaps.stacks.sort_unstable();
    gaps
}

fn loaded_anew(cx: &Cx<'_>, old: &Memo, tree: &Tree, edits: &[Edit]) -> Vec<Found> {
    let dirs: BTreeSet<u32> = edits.iter().map(|e| e.dir).collect();
    let of = |found: &Found| tree.by_path.get(&found.dir).copied().unwrap_or_default();
    let kept = old.load.iter().filter(|f| !dirs.contains(&of(f)));
    let mut load: Vec<Found> = kept.cloned().collect();
    for dir in dirs.iter().filter_map(|d| tree.dirs.get(*d as usize)) {
        load.extend(validate::load_dir(cx, tree, dir));
    }
    load.sort_by_key(of);
    load
}

fn checked_anew(cx: &Cx<'_>, old: &Memo, tree: &Tree, stacks: &Stacks, edits: &[Edit]) -> Vec<Found> {
    let paths: Vec<Arc<str>> = edits.iter().map(|e| stacks.path(e.stack)).collect();
    let kept = old.checks.iter().filter(|f| !paths.contains(&f.dir));
    let mut checks: Vec<Found> = kept.cloned().collect();
    for edit in edits {
        if let Some(node) = stacks.get(edit.stack) {
            // No other stack has its id.
            let mut ids = Ids::default();
            validate::stack(cx, tree, stacks, (edit.stack, node), &mut ids, &mut checks);
        }
    }
    checks.sort_by(|a, b| a.dir.cmp(&b.dir));
    checks
}

fn finish(
    cx: &Cx<'_>,
    options: &RunOptions,
    previous: &Resolution,
    (old, edited): (&Memo, &[FileId]),
    touched: &Touched,
    mut memo: Memo,
) -> Option<Resolution> {
    let selected = vec![true; memo.stacks.len()];
    let ordering = Ordering {
        stacks: &memo.stacks,
        entries: &memo.entries,
        first: &[],
        selected: &selected,
    };
    let resolved = Resolved {
        tree: &memo.tree,
        stacks: &memo.stacks,
        entries: &memo.entries,
        load: &memo.load,
        checks: &memo.checks,
        version: None,
        selection: &memo.selection,
        way_up: &way_up::refused_in_root(&memo.load),
        refused: None,
        cycle: None,
        wants_cycle: None,
        visits: &|orders| {
            if orders {
                ordering.visits(&memo.tree)
            } else {
                Wants::visits(&memo.entries)
            }
        },
        unknown: memo.unknown.as_deref(),
        may_hold_more: memo.may_hold_more,
        may_hold_stacks: !memo.gaps.files.is_empty(),
        faulty: &memo.faulty,
    };
    // What is redundant rests on entries, on where they stand, and on what is known of the project.
    let known = |memo: &Memo| {
        (
            memo.may_hold_more,
            memo.gaps.files.is_empty(),
            memo.unknown.is_none(),
        )
    };
    let meant = |memo: &Memo, stack: &StackIx| -> Vec<Entry> {
        let own = memo.entries.get(*stack as usize);
        let own = own.into_iter().flat_map(|e| e.iter());
        own.filter(|e| !e.targets.is_empty()).cloned().collect()
    };
    let is_same = |stack: &StackIx| meant(old, stack) == meant(&memo, stack);
    let redundant = if known(old) == known(&memo) && touched.entries.iter().all(is_same) {
        old.redundant.clone()
    } else {
        Arc::new(findings::redundant(cx, &resolved, &ordering))
    };
    let verdicts = verdict::verdicts(&resolved, options);
    let mut dirs: BTreeSet<u32> = touched
        .shown
        .iter()
        .filter_map(|s| Some(memo.stacks.get(*s)?.dir))
        .collect();
    if verdicts != previous.verdicts {
        // What is refused first may be another.
        let refused = memo.load.iter().chain(&memo.checks).map(|f| &f.dir);
        dirs.extend(refused.filter_map(|dir| memo.tree.by_path.get(dir)));
        dirs.extend(memo.faulty.iter().filter_map(|s| Some(memo.stacks.get(*s)?.dir)));
    }
    let other_hints = redundant.changed_from(&old.redundant);
    dirs.extend(
        other_hints
            .into_iter()
            .filter_map(|s| Some(memo.stacks.get(s)?.dir)),
    );
    // What is said elsewhere of places in the edited files: they may have other numbers now.
    let speaks_of_edited = |d: &&Diagnostic| {
        let mut related = d.related.iter().map(|r| r.place.file);
        related.any(|file| file != d.place.file && edited.contains(&file))
    };
    for d in previous.diagnostics.iter().filter(speaks_of_edited) {
        dirs.insert(memo.tree.of_file.get(&d.place.file)?.0);
    }
    let mut changed: FxHashMap<FileId, Vec<Diagnostic>> = FxHashMap::default();
    for dir in dirs {
        let files = memo.tree.dirs.get(dir as usize)?;
        changed.extend(files.files.iter().map(|l| (l.file, Vec::new())));
        for d in findings::of_dir(cx, &resolved, &ordering, dir, &redundant, &verdicts) {
            // A finding in a file of another directory, of which more may be said.
            changed.get_mut(&d.place.file)?.push(d);
        }
    }
    let engine = cx.engine_index();
    memo.redundant = redundant;
    let imports = |facts: &FileFacts| !facts.shape.imports.is_empty();
    let has_imports = |tree: &Tree| {
        let loaded = edited.iter().filter_map(|file| tree.of_file.get(file));
        let mut facts =
            loaded.filter_map(|(dir, slot)| tree.dirs.get(*dir as usize)?.files.get(*slot as usize));
        facts.any(|l| l.facts.as_ref().is_ok_and(|f| imports(f)))
    };
    let links = if has_imports(&old.tree) || has_imports(&memo.tree) {
        super::links(cx, &memo.tree).into()
    } else {
        previous.links.clone()
    };
    let memo = Arc::new(memo);
    Some(Resolution {
        members: previous.members.clone(),
        verdicts,
        diagnostics: cx.told(changed.into_iter().flat_map(|(_, found)| found).collect()),
        links,
        symbols: symbols::later(engine, &memo),
        unresolved: unresolved(&memo),
        engine_version: version::in_use(cx, &memo.tree, options),
        variants: ordered_later(engine, &memo, options.command.clone()),
        hints: None,
        state: Some(memo),
    })
}

/// The units and their order, once somebody asks for them.
fn ordered_later(engine: EngineIx, memo: &Arc<Memo>, command: Option<String>) -> Lazy<Vec<Variant>> {
    let memo = memo.clone();
    Lazy::new(move || {
        let (first, selected) = (first_entries(&memo.entries), vec![true; memo.stacks.len()]);
        let ordering = Ordering {
            stacks: &memo.stacks,
            entries: &memo.entries,
            first: &first,
            selected: &selected,
        };
        let (mut apply, mut delete, _) = ordering.orders();
        super::as_far_as_known(&memo, [&mut apply, &mut delete]);
        vec![variant(engine, &memo, apply, delete, None, command.as_deref())]
    })
}
