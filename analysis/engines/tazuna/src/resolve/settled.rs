//! A project as it is in one environment: everything that is found of it, file by file, and the tables that
//! tell which files an edit concerns.

use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::build::{Plan, Waiting};
use super::hints::Hints;
use super::index::Index;
use super::parts::{Expansion, Outcome, Part};
use super::slot::{self, Nearest, Scene, Slot};
use super::{Run, lints, names, refine};
use crate::rules;
use crate::verdict::{Found, Rejected, Stage, Unknown};
use applyorder_core::diagnostic::{Diagnostic, FileId, FixStep, Place};
use applyorder_core::engine::Dependency;
use applyorder_core::graph::NodeId;
use applyorder_core::rules::cycle;

/// A project in one environment.
#[derive(Clone)]
pub(super) struct Settled {
    pub(super) plan: Plan,
    pub(super) index: Index,
    /// The root's, then one per include.
    pub(super) slots: Vec<Slot>,
    /// What is said of names, across files.
    pub(super) names: Vec<Found>,
    /// What is said of cycles.
    pub(super) cycles: Vec<Found>,
    /// What Tazuna is silent about, across files.
    pub(super) across: Vec<Diagnostic>,
    /// What others imply, file by file.
    pub(super) hints: Hints,
    /// Per unit a number that is greater than that of everything it waits for. Empty: there is a cycle, or
    /// no order to be kept.
    pub(super) levels: Vec<u32>,
    /// No entry leads further down in levels than this. Made when first wanted.
    pub(super) span: Option<u32>,
    pub(super) marks: Marks,
    pub(super) nearest: Nearest,
    /// Whether the last edit gave the root another list.
    pub(super) is_relisted: bool,
}

/// Which slots have what, so that no search is needed for them.
#[derive(Clone, Default)]
pub(super) struct Marks {
    /// The slots that verdicts hang on.
    pub(super) loud: BTreeSet<u32>,
    /// The slots with findings that hang on other files in ways that are not kept track of.
    pub(super) entangled: BTreeSet<u32>,
    /// The slots with entries that lead nowhere.
    pub(super) dangling: BTreeSet<u32>,
    /// The units that need one further up, with their slot; the first of each slot.
    pub(super) backward: BTreeSet<(u32, u32)>,
    /// The parts of which some lines could not be read.
    pub(super) broken: BTreeSet<u32>,
    /// The parts of which not everything is known.
    pub(super) doubtful: BTreeSet<u32>,
    /// The `dependsOn` that ends the order of the list.
    pub(super) switch: Option<Place>,
    /// The parts that are templates, and those of them of which nobody can tell what they render to.
    pub(super) templates: BTreeSet<u32>,
    pub(super) unseen: BTreeSet<u32>,
    pub(super) root_is_certain: bool,
    /// Whether every include was read.
    pub(super) all_read: bool,
    pub(super) lacks_files: bool,
    /// The slots that a file is read in.
    pub(super) by_file: FxHashMap<FileId, Vec<u32>>,
    /// Per part its slot.
    pub(super) slot_of: Vec<u32>,
}

impl Marks {
    pub(super) fn of(expansion: &Expansion, index: &Index) -> Self {
        let root = expansion.parts.root();
        let mut slot_of = vec![0];
        for (slot, outcome) in (1u32..).zip(expansion.outcomes.iter()) {
            if let Outcome::Read(_) = outcome {
                slot_of.push(slot);
            }
        }
        let mut by_file: FxHashMap<FileId, Vec<u32>> = FxHashMap::default();
        for (part, slot) in expansion.parts.iter().zip(&slot_of) {
            by_file.entry(part.file).or_default().push(*slot);
        }
        let mut marks = Self {
            switch: slot::switch(expansion, index),
            root_is_certain: root.is_some_and(|r| r.view.is_certain()),
            all_read: expansion.links.len() + 1 == expansion.parts.len(),
            lacks_files: expansion.lacks_files(),
            by_file,
            slot_of,
            ..Self::default()
        };
        for (number, part) in (0u32..).zip(expansion.parts.iter()) {
            marks.note_part(number, part);
        }
        marks
    }

    /// Notes how much is known of a part.
    pub(super) fn note_part(&mut self, number: u32, part: &Part) {
        let is_templated = part.facts.is_templated();
        for (set, belongs) in [
            (&mut self.broken, part.view.head.broken),
            (&mut self.doubtful, !part.is_whole()),
            (&mut self.templates, is_templated),
            (&mut self.unseen, is_templated && !part.view.is_certain()),
        ] {
            if belongs {
                set.insert(number);
            } else {
                set.remove(&number);
            }
        }
    }

    /// Whether every template could be rendered, and every include read.
    fn all_seen(&self) -> bool {
        self.all_read && self.unseen.is_empty()
    }

    /// Notes what a slot has.
    pub(super) fn note(&mut self, number: u32, slot: &Slot) {
        if slot.is_loud() {
            self.loud.insert(number);
        }
        if slot.dangling {
            self.dangling.insert(number);
        }
        if slot.expand.iter().any(|f| refine::is_needed(&f.diagnostic)) {
            self.entangled.insert(number);
        }
        self.backward.extend(slot.backward.map(|p| (p, number)));
    }

    /// Forgets what a slot had.
    pub(super) fn forget(&mut self, number: u32, slot: &Slot) {
        self.loud.remove(&number);
        self.dangling.remove(&number);
        self.entangled.remove(&number);
        if let Some(position) = slot.backward {
            self.backward.remove(&(position, number));
        }
    }
}

impl Settled {
    /// Finds everything of a project.
    pub(super) fn new(run: &Run<'_, '_>, expansion: Expansion) -> Self {
        let names = run.cache.name_count();
        let index = Index::new(&expansion, names, run.generation);
        let marks = Marks::of(&expansion, &index);
        let mut settled = Self {
            plan: Plan {
                expansion: Arc::new(expansion),
                generation: run.generation,
                tags: run.options.tags.clone(),
                names,
                environments: Vec::new(),
                waiting: None,
            },
            index,
            slots: Vec::new(),
            names: Vec::new(),
            cycles: Vec::new(),
            across: Vec::new(),
            hints: Hints::default(),
            levels: Vec::new(),
            span: None,
            marks,
            nearest: Nearest::default(),
            is_relisted: false,
        };
        let count = settled.plan.expansion.outcomes.len() + 1;
        let mut slots: Vec<Slot> = {
            let scene = settled.scene(run);
            let slot = |number| Slot::of(&scene, number);
            (0..count).into_par_iter().with_min_len(64).map(slot).collect()
        };
        let found = slots.iter_mut().flat_map(|s| &mut s.expand);
        refine::refine(&settled.plan.expansion, found.map(|f| &mut f.diagnostic));
        for (number, slot) in (0u32..).zip(&slots) {
            settled.marks.note(number, slot);
        }
        settled.slots = slots;
        settled.order_anew(run);
        settled.check_across(run);
        settled.find_hints(run);
        settled
    }

    pub(super) fn scene<'a, 'r, 'c>(&'a self, run: &'a Run<'r, 'c>) -> Scene<'a, 'r, 'c> {
        Scene {
            run,
            expansion: &self.plan.expansion,
            index: &self.index,
            dag: self.dag(),
            incomplete: self.marks.lacks_files || !self.marks.doubtful.is_empty(),
            all_seen: self.marks.all_seen(),
            root_is_certain: self.marks.root_is_certain,
            broken: &self.marks.broken,
            switch: self.marks.switch,
            nearest: &self.nearest,
        }
    }

    /// Whether some manifest waits for another.
    pub(super) fn dag(&self) -> bool {
        self.index.entries > 0
    }

    /// Finds anew what lies across files, cycles aside.
    pub(super) fn check_across(&mut self, run: &Run<'_, '_>) {
        let scene = self.scene(run);
        let names = names::check(&scene);
        let warned = names.iter().filter(|f| f.apply_warns);
        let mut across: Vec<Diagnostic> = warned
            .map(|f| rules::apply_name_warning::diagnostic(f.diagnostic.place, scene.dag))
            .collect();
        if scene.root_is_certain && scene.dag {
            let first = self.marks.backward.first();
            across.extend(first.and_then(|(position, _)| lints::destroyed_first(&scene, *position)));
        }
        let expansion = &self.plan.expansion;
        let rejected = || {
            let expand = self.slots.iter().flat_map(|s| &s.expand);
            expand
                .chain(&names)
                .any(|f| f.rejected.check.is_some_and(|s| s <= Stage::Includes))
        };
        if expansion.list.is_empty()
            && !scene.incomplete
            && !rejected()
            && let Some(root) = expansion.parts.root()
        {
            across.push(lints::no_manifests(root));
        }
        self.names = names;
        self.across = across;
    }

    /// Finds out what waits for what, as far as there is an order, and the cycles where there is none.
    pub(super) fn order_anew(&mut self, run: &Run<'_, '_>) {
        let expansion = &self.plan.expansion;
        let waiting = self.dag().then(|| Waiting::of(expansion, &self.index));
        let layers = waiting.as_ref().and_then(|w| w.layers.clone());
        let total = super::cache::count(expansion.list.len());
        self.levels = layers.map_or_else(Vec::new, |layers| {
            let level = |unit| layers.of(NodeId(unit)).unwrap_or(0);
            (0..total).map(level).collect()
        });
        self.span = None;
        self.plan.waiting = waiting;
        self.cycles = self.find_cycles(run);
    }

    fn find_cycles(&self, run: &Run<'_, '_>) -> Vec<Found> {
        let Some(waiting) = self.plan.waiting.as_ref().filter(|w| w.layers.is_none()) else {
            return Vec::new();
        };
        let variant = self.plan.variant(run.cache);
        let remove = |d: &Dependency| Some(FixStep::RemoveEntry(d.place));
        let meta = super::super::meta();
        let found = cycle::check(meta, &variant, &waiting.graph, remove);
        let found = found.into_iter().map(|finding| {
            let units = finding.members.iter();
            let units = units.filter_map(|m| variant.units.get(m.0 as usize));
            let members: Vec<String> = units.map(|u| u.name.to_string()).collect();
            let d = finding
                .diagnostic
                .engine_message("circular dependency detected in manifest dependsOn graph")
                .note("Tazuna says that there is a cycle and names no manifest");
            let subject = members.first().cloned().unwrap_or_default();
            let mut f = Found::rejected(Rejected::both(Stage::Cycle), d, subject).detail("members", members);
            f.apply_message =
                Some("failed to resolve manifest dependency order: circular dependency detected".to_owned());
            f
        });
        found.collect()
    }

    /// The findings that verdicts hang on, by stage and in the order in which Tazuna comes to them.
    pub(super) fn loud(&self) -> Vec<Found> {
        let slots = || {
            let numbers = self.marks.loud.iter();
            numbers.filter_map(|n| self.slots.get(*n as usize))
        };
        let in_order = |of: fn(&Slot) -> &Vec<(u32, Found)>| {
            let mut found: Vec<&(u32, Found)> = slots().flat_map(of).collect();
            found.sort_by_key(|(position, _)| *position);
            found.into_iter().map(|(_, f)| f.clone()).collect::<Vec<_>>()
        };
        let expand = slots().flat_map(|s| &s.expand).filter(|f| slot::is_loud(f));
        let mut found: Vec<Found> = expand.cloned().collect();
        found.extend(in_order(|s| &s.values).into_iter().filter(slot::is_loud));
        found.extend(self.names.iter().cloned());
        found.extend(in_order(|s| &s.references));
        found.extend(self.cycles.iter().cloned());
        found
    }

    /// What cannot be known, in the same order.
    pub(super) fn unknown(&self) -> Vec<Unknown> {
        let slots = || {
            let numbers = self.marks.loud.iter();
            numbers.filter_map(|n| self.slots.get(*n as usize))
        };
        let mut open: Vec<&(u32, Unknown)> = slots().flat_map(|s| &s.open).collect();
        open.sort_by_key(|(position, _)| *position);
        let first = slots().flat_map(|s| &s.unknown);
        first.chain(open.into_iter().map(|(_, u)| u)).cloned().collect()
    }

    /// The findings of one file that no verdict hangs on.
    pub(super) fn quiet_of(&self, file: FileId) -> Vec<Diagnostic> {
        let is_root = self.plan.expansion.parts.root().is_some_and(|r| r.file == file);
        let own = self.marks.by_file.get(&file).map_or(&[][..], Vec::as_slice);
        // What is said of an include stands in the root.
        let all: Vec<u32>;
        let numbers = if is_root {
            all = (0u32..).take(self.slots.len()).collect();
            &all
        } else {
            own
        };
        let slots = numbers.iter().filter_map(|n| self.slots.get(*n as usize));
        let found = slots.flat_map(Slot::quiet).chain(&self.across);
        let hints = own.iter().flat_map(|n| self.hints.of(*n as usize));
        found
            .chain(hints)
            .filter(|d| d.place.file == file)
            .cloned()
            .collect()
    }

    /// The files that findings across files stand in.
    pub(super) fn files_across(&self, files: &mut FxHashSet<FileId>) {
        let found = self.names.iter().chain(&self.cycles).map(|f| &f.diagnostic);
        slot::files(found.chain(&self.across), files);
    }

    /// The files that findings stand in.
    pub(super) fn files(&self, files: &mut FxHashSet<FileId>) {
        self.files_across(files);
        slot::files(
            self.slots.iter().flat_map(Slot::all).chain(self.hints.all()),
            files,
        );
    }

    /// The files that are templates.
    pub(super) fn templates(&self) -> FxHashSet<FileId> {
        let parts = self.marks.templates.iter();
        let parts = parts.filter_map(|n| self.plan.expansion.parts.get(*n as usize));
        parts.map(|p| p.file).collect()
    }
}
