//! What is found: source by source, and across them.

mod unreadable;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::judge::{Stage, rejected};
use super::model::Model;
use super::relate::Related;
use super::rules::{self, undeclared_environment};
use super::scope::{self, CheckContext, Source, Whole};
use applyorder_core::layer::{Block, Checked, Environment, Fingerprint, Pass, Unknown};

/// What was found of a source.
struct Told {
    block: Arc<Block>,
    /// What cannot be known up to the expansion.
    unknown: Vec<(Stage, String)>,
    /// What cannot be known of entries of `dependsOn`, with the number of the unit.
    open: Vec<(u32, String)>,
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
        return vec![unreadable::check(pass, &model.loaded.setting, why)];
    }
    let all = related.iter().enumerate();
    all.map(|(number, related)| one(pass, model, number, related))
        .collect()
}

fn one(pass: &Pass<'_>, model: &Model, number: usize, related: &Related) -> Checked {
    let context = CheckContext::new(pass.cx.memo().names(), related);
    let slots = 0..related.expansion.slots();
    let prints: Vec<Option<Fingerprint>> = slots
        .into_par_iter()
        .with_min_len(512)
        .map(|number| scope::fingerprint(&context, number))
        .collect();
    let table = pass.cx.memo().table::<SlotKey, Told>();
    let keys = prints.into_iter().map(|print| match print {
        Some(print) => SlotKey::Seen(print),
        None => SlotKey::fresh(),
    });
    let keys: Vec<SlotKey> = keys.collect();
    let told = table.get_all(keys, |number, _| of_source(&context, number));
    let unknown = unknown(related, &told);
    let mut blocks: Vec<Arc<Block>> = told.iter().map(|t| t.block.clone()).collect();
    let mut across = rules::of_project(&Whole::new(pass, &context, &blocks));
    context.without_fixes_in_templates(&mut across);
    blocks.push(Arc::new(Block::new(across)));
    let environments = model.loaded.environments.iter().zip(&model.variant_of);
    let mine = environments.filter(|(_, variant)| **variant == number);
    let environments = mine.map(|(environment, _)| {
        let name = environment.name.as_deref().unwrap_or("");
        let undeclared = environment.undeclared.as_ref().map(|(place, declared)| {
            let d = undeclared_environment::diagnostic(*place, name, declared);
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

fn of_source(context: &CheckContext<'_>, number: usize) -> Told {
    let source = Source::new(context, number);
    let mut found = rules::of_source(&source);
    context.without_fixes_in_templates(&mut found);
    Told {
        block: Arc::new(Block::new(found)),
        open: rules::open_references(&source),
        unknown: source.into_unknown(),
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
    let position = part.and_then(|part| related.expansion.position(part, scope::unit_of(at)));
    position.map_or(u64::MAX, u64::from)
}
