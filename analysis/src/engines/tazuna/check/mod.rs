//! What is found: slot by slot, and across them.

mod complete;
mod included;
mod lints;
mod names;
mod references;
mod root;
mod slot;
mod values;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHasher;

use self::complete::Ends;
use self::slot::Told;
use super::judge::{Stage, is_before_expansion, rejected};
use super::layer::{Block, Finding, Fingerprint, Memo, Pass, Shape, Unknown};
use super::load::Setting;
use super::model::{Expansion, Part};
use super::relate::Related;
use super::rules;
use crate::diagnostic::{Diagnostic, FileId, FixStep};
use crate::engines::Dependency;
use crate::rules::cycle;

/// A project in the middle of being checked: what every check may ask.
struct Scene<'a> {
    setting: &'a Setting,
    expansion: &'a Expansion,
    related: &'a Related,
    names: &'a Memo,
    ends: Ends,
    /// What the root was read from.
    root: Option<(FileId, Shape, u32)>,
    /// A hash of which files are templates.
    templates: u64,
    /// A hash of what tells whether a name may be declared where nothing could be read.
    doubts: u64,
}

impl<'a> Scene<'a> {
    fn new(names: &'a Memo, related: &'a Related) -> Self {
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
        }
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

#[derive(PartialEq, Eq, Hash)]
struct SlotKey(Fingerprint);

/// What was found of one reading of a project.
pub(super) struct Checked {
    pub(super) blocks: Vec<Arc<Block>>,
    pub(super) unknown: Vec<Unknown>,
}

/// Finds what is wrong with one reading of a project.
pub(super) fn check(pass: &Pass<'_, '_>, related: &Related) -> Checked {
    let scene = Scene::new(pass.memo(), related);
    let slots = related.expansion.slots();
    let one = |number: usize| match slot::fingerprint(&scene, number) {
        Some(print) => pass.memo().get(SlotKey(print), || slot::check(&scene, number)),
        None => Arc::new(slot::check(&scene, number)),
    };
    let told: Vec<Arc<Told>> = (0..slots).into_par_iter().with_min_len(64).map(one).collect();
    let unknown = unknown(related, &told);
    let mut blocks: Vec<Arc<Block>> = told.into_iter().map(|t| t.block.clone()).collect();
    let across = across(&scene, &blocks);
    blocks.push(Arc::new(Block::new(across)));
    Checked { blocks, unknown }
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
fn across(scene: &Scene<'_>, slots: &[Arc<Block>]) -> Vec<Finding> {
    let mut found = names::check(scene);
    let dag = scene.related.dag;
    let rejects = slots.iter().any(|b| b.findings().iter().any(is_before_expansion));
    let mut lints: Vec<Diagnostic> = Vec::new();
    if !names::is_strict(scene) {
        let places = found.iter().map(|f| f.diagnostic.place);
        lints.extend(places.map(|place| rules::apply_name_warning::diagnostic(place, dag)));
    }
    found.extend(cycles(scene.related));
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

fn cycles(related: &Related) -> Vec<Finding> {
    if !related.dag || !related.is_cyclic {
        return Vec::new();
    }
    let variant = related.variant(&[None]);
    let remove = |d: &Dependency| Some(FixStep::RemoveEntry(d.place));
    let found = cycle::check(super::meta(), &variant, &related.graph(), remove);
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
