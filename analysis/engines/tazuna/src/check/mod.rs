//! What is found: slot by slot, and across them.

mod complete;
mod included;
mod lints;
mod names;
mod references;
mod root;
mod slot;
mod unreadable;
mod values;

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHasher};

use self::complete::Ends;
use self::slot::Told;
use super::judge::{Stage, is_before_expansion, rejected};
use super::load::Setting;
use super::model::{Expansion, Model, Part};
use super::relate::Related;
use super::rules;
use applyorder_core::diagnostic::{Diagnostic, FileId, FixStep};
use applyorder_core::engine::Dependency;
use applyorder_core::graph::OrderGraph;
use applyorder_core::layer::{
    Block, Checked, Environment, Finding, Fingerprint, Mix, Names, Pass, Sym, Unknown,
};
use applyorder_core::rules::cycle;
use applyorder_core::store::Shape;

/// A project in the middle of being checked: what every check may ask.
struct Scene<'a> {
    setting: &'a Setting,
    expansion: &'a Expansion,
    related: &'a Related,
    names: &'a Names,
    ends: Ends,
    /// What the root was read from.
    root: Option<(FileId, Shape, u32)>,
    /// A hash of which files are templates.
    templates: u64,
    /// A hash of what tells whether a name may be declared where nothing could be read.
    doubts: u64,
    /// The root's groups, made when somebody asks.
    groups: OnceLock<FxHashMap<Arc<str>, references::Group>>,
    /// The broken parts with how often each name is known to be referred to in them, made when somebody asks.
    broken: OnceLock<Vec<Broken<'a>>>,
}

/// A part in which some lines could not be read, and how often each name is known to be referred to in it.
type Broken<'a> = (&'a Part, FxHashMap<Sym, usize>);

/// The bytes of broken files that are searched for names in one pass.
const SEARCHED: usize = 1 << 32;

impl<'a> Scene<'a> {
    fn new(names: &'a Names, related: &'a Related) -> Self {
        let expansion = &*related.expansion;
        let mut templates = FxHasher::default();
        let of_templates = expansion.parts.iter().filter(|p| p.piece.is_templated);
        of_templates.for_each(|p| p.piece.file.hash(&mut templates));
        let mut doubts = FxHasher::default();
        (related.incomplete, related.all_seen).hash(&mut doubts);
        for part in related
            .broken
            .iter()
            .filter_map(|p| expansion.parts.get(*p as usize))
        {
            part.piece.id().hash(&mut doubts);
        }
        Self {
            setting: &expansion.setting,
            expansion,
            related,
            names,
            ends: Ends::of(expansion),
            root: expansion.root().map(|root| root.piece.id()),
            templates: templates.finish(),
            doubts: doubts.finish(),
            groups: OnceLock::new(),
            broken: OnceLock::new(),
        }
    }

    fn groups(&self) -> &FxHashMap<Arc<str>, references::Group> {
        self.groups.get_or_init(|| references::groups(self.expansion))
    }

    fn broken(&self) -> &[Broken<'a>] {
        self.broken.get_or_init(|| {
            let parts = self.related.broken.iter();
            let parts = parts.filter_map(|part| self.expansion.parts.get(*part as usize));
            let known = |part: &'a Part| {
                let mut known: FxHashMap<Sym, usize> = FxHashMap::default();
                for need in &part.piece.needs {
                    *known.entry(need.name).or_default() += 1;
                }
                (part, known)
            };
            parts.map(known).collect()
        })
    }

    /// Whether so many names are unknown that broken files are not searched for each of them.
    fn too_much_to_search(&self) -> bool {
        let texts: usize = self
            .broken()
            .iter()
            .map(|(part, _)| part.piece.facts.text().len())
            .sum();
        texts.saturating_mul(self.related.dangling as usize) > SEARCHED
    }

    /// Whether what Tazuna is silent about is told of a file.
    fn tells_of(&self, part: &Part) -> bool {
        self.related.root_is_certain && part.piece.is_whole()
    }

    /// What is seen in a rendered text cannot be mended in the template it came from.
    fn without_fixes_in_templates(&self, found: &mut [Finding]) {
        let templates = &self.expansion.templates;
        if templates.is_empty() {
            return;
        }
        let is_of_template = |f: &Finding| f.rejections.iter().any(|r| r.stage == Stage::Template.name());
        for f in found.iter_mut().filter(|f| !is_of_template(f)) {
            let in_template = |step: &FixStep| templates.contains(&step.place().file);
            f.diagnostic
                .fixes
                .retain(|fix| !fix.steps.iter().any(in_template));
        }
    }
}

/// What a slot is found again by.
#[derive(PartialEq, Eq, Hash)]
enum SlotKey {
    /// All that its check sees.
    Seen(Fingerprint),
    /// It sees too much, and is checked in each pass.
    Fresh(u64),
}

impl SlotKey {
    fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self::Fresh(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Finds what is wrong with a project, reading by reading.
pub(super) fn check(pass: &Pass<'_>, model: &Model, related: &[Arc<Related>]) -> Vec<Checked> {
    if let Err(why) = &model.loaded.root {
        return vec![unreadable::check(&model.loaded.setting, why)];
    }
    let all = related.iter().enumerate();
    all.map(|(number, related)| one(pass, model, number, related))
        .collect()
}

fn one(pass: &Pass<'_>, model: &Model, number: usize, related: &Related) -> Checked {
    let scene = Scene::new(pass.cx.memo().names(), related);
    let slots = 0..related.expansion.slots();
    let prints: Vec<Option<Fingerprint>> = slots
        .into_par_iter()
        .with_min_len(512)
        .map(|number| slot::fingerprint(&scene, number))
        .collect();
    let table = pass.cx.memo().table::<SlotKey, Told>();
    let keys = prints.into_iter().map(|print| match print {
        Some(print) => SlotKey::Seen(print),
        None => SlotKey::fresh(),
    });
    let keys: Vec<SlotKey> = keys.collect();
    let told = table.get_all(keys, |number, _| slot::check(&scene, number));
    let unknown = unknown(related, &told);
    let mut blocks: Vec<Arc<Block>> = told.iter().map(|t| t.block.clone()).collect();
    blocks.push(Arc::new(Block::new(across(pass, &scene, &blocks))));
    let environments = model.loaded.environments.iter().zip(&model.variant_of);
    let mine = environments.filter(|(_, variant)| **variant == number);
    let environments = mine.map(|(environment, _)| {
        let name = environment.name.as_deref().unwrap_or("");
        let undeclared = environment.undeclared.as_ref().map(|(place, declared)| {
            let d = rules::undeclared_environment::diagnostic(*place, name, declared);
            Arc::new(Block::new(vec![rejected(Stage::Environment, d, name)]))
        });
        Environment {
            name: environment.name.clone(),
            own: undeclared,
        }
    });
    Checked {
        blocks,
        unknown,
        environments: environments.collect(),
    }
}

/// What cannot be known, in the order in which Tazuna comes to it.
fn unknown(related: &Related, told: &[Arc<Told>]) -> Vec<Unknown> {
    let one = |stage: Stage, because: &String| Unknown {
        command: None,
        stage: stage.name(),
        because: because.clone(),
    };
    let early = told.iter().flat_map(|t| &t.unknown);
    let mut all: Vec<Unknown> = early.map(|(stage, because)| one(*stage, because)).collect();
    let mut open: Vec<(u32, &String)> = Vec::new();
    for (number, told) in told.iter().enumerate().filter(|(_, t)| !t.open.is_empty()) {
        let part = related.expansion.part_of(number).unwrap_or(0);
        let position = |unit| related.expansion.position(part, unit).unwrap_or(u32::MAX);
        open.extend(told.open.iter().map(|(unit, because)| (position(*unit), because)));
    }
    open.sort_by_key(|(position, _)| *position);
    all.extend(
        open.into_iter()
            .map(|(_, because)| one(Stage::References, because)),
    );
    all
}

/// Where Tazuna comes to a finding of a slot, in the stages that go by the expanded list.
pub(super) fn rank(related: &Related, stage: &str, slot: usize, at: u32) -> u64 {
    if stage != Stage::Expanded.name() && stage != Stage::References.name() {
        return 0;
    }
    let part = related.expansion.part_of(slot);
    let position = part.and_then(|part| related.expansion.position(part, at));
    position.map_or(u64::MAX, u64::from)
}

/// What lies across files.
fn across(pass: &Pass<'_>, scene: &Scene<'_>, slots: &[Arc<Block>]) -> Vec<Finding> {
    let mut found = names::check(scene);
    let dag = scene.related.dag;
    let rejects = slots.iter().any(|b| b.findings().iter().any(is_before_expansion));
    let mut lints: Vec<Diagnostic> = Vec::new();
    if !names::is_strict(scene) {
        let places = found.iter().map(|f| f.diagnostic.place);
        lints.extend(places.map(|place| rules::apply_name_warning::diagnostic(place, dag)));
    }
    found.extend(cycles(pass, scene.related));
    if scene.related.root_is_certain && dag {
        let backward = scene.related.backward;
        lints.extend(backward.and_then(|position| lints::destroyed_first(scene, position)));
    }
    let is_empty = scene.expansion.list.is_empty() && !scene.related.incomplete;
    if is_empty
        && !rejects
        && let Some(root) = scene.expansion.root()
    {
        lints.push(lints::no_manifests(root));
    }
    found.extend(lints.into_iter().map(Finding::new));
    scene.without_fixes_in_templates(&mut found);
    found
}

/// Cycles by all that is told of them.
#[derive(PartialEq, Eq, Hash)]
struct CyclesKey(Fingerprint);

/// What is said of cycles. Made anew only where a unit on a cycle changes, or what it waits for.
fn cycles(pass: &Pass<'_>, related: &Related) -> Vec<Finding> {
    if !related.dag || !related.is_cyclic {
        return Vec::new();
    }
    let graph = related.graph();
    let components = graph.components();
    let mut mix = Mix::default();
    for component in components.cyclic() {
        let members = components.members(*component);
        mix.add(&members.len());
        for position in members.iter().map(|node| node.0) {
            let Some((unit, part)) = related.expansion.at(position as usize) else {
                continue;
            };
            mix.add(&unit.public);
            for (need, target) in related.needs(position, unit, part) {
                let to = target.and_then(|t| related.expansion.gists.get(t as usize));
                mix.add(&(need.place, need.name, to.map(|to| to.public)));
            }
        }
    }
    let found = pass
        .cx
        .memo()
        .get(CyclesKey(mix.finish()), || tell_cycles(related, &graph));
    found.to_vec()
}

fn tell_cycles(related: &Related, graph: &OrderGraph) -> Vec<Finding> {
    let variant = related.variant(&[None]);
    let remove = |d: &Dependency| Some(FixStep::RemoveEntry(d.place));
    let found = cycle::check(super::meta(), &variant, graph, remove);
    let found = found.into_iter().map(|finding| {
        let units = finding.members.iter();
        let units = units.filter_map(|m| variant.units.get(m.0 as usize));
        let members: Vec<String> = units.map(|u| u.name.to_string()).collect();
        let d = finding
            .diagnostic
            .engine_message("circular dependency detected in manifest dependsOn graph")
            .note("Tazuna says that there is a cycle and names no manifest");
        let subject = members.first().cloned().unwrap_or_default();
        let apply = "failed to resolve manifest dependency order: circular dependency detected";
        rejected(Stage::Cycle, d, &subject)
            .message_of("apply", apply)
            .detail("members", members)
    });
    found.collect()
}
