//! The findings: source by source, and across them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::{of_project, of_source, open_references, undeclared_environment, unreadable_root};
use crate::judge::{Stage, rejected};
use crate::model::Model;
use crate::relate::Related;
use crate::scope::{self, CheckContext, Source, Whole};
use applyorder_core::layer::{Block, Checked, Environment, Fingerprint, Pass, Unknown};

/// The findings in a source.
struct Told {
    block: Arc<Block>,
    /// Mostly everything is known.
    unknown: Option<Box<NotKnown>>,
}

/// What cannot be known of a source.
struct NotKnown {
    /// Up to the expansion.
    early: Vec<(Stage, String)>,
    /// Of entries of `dependsOn`, with the number of the unit.
    open: Vec<(u32, String)>,
}

/// The key of the findings of a slot.
#[derive(PartialEq, Eq, Hash)]
enum SlotKey {
    /// Everything that its check sees.
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

/// Checks a project, reading by reading.
pub(crate) fn check(pass: &Pass<'_>, model: &Model, related: &[Arc<Related>]) -> Vec<Checked> {
    if let Err(why) = &model.loaded.root {
        return vec![unreadable_root::check(pass, &model.loaded.setting, why)];
    }
    match related {
        [one] => vec![of_variant(pass, model, 0, one)],
        many => {
            let all = many.par_iter().enumerate();
            all.map(|(number, related)| of_variant(pass, model, number, related))
                .collect()
        }
    }
}

/// Checking fewer slots takes less time than switching to another thread.
const SLOTS: usize = 2048;

fn of_variant(pass: &Pass<'_>, model: &Model, number: usize, related: &Related) -> Checked {
    let context = CheckContext::new(pass.cx.memo().names(), related);
    let slots = 0..related.expansion.slots();
    let prints: Vec<Option<Fingerprint>> = slots
        .into_par_iter()
        .with_min_len(SLOTS)
        .map(|number| scope::fingerprint(&context, number))
        .collect();
    let table = pass.cx.memo().table::<SlotKey, Told>();
    let keys = prints.into_iter().map(|print| match print {
        Some(print) => SlotKey::Seen(print),
        None => SlotKey::fresh(),
    });
    let told = table.get_each(keys.enumerate(), |number, _| look_at(&context, number));
    let unknown = unknown(related, &told);
    let mut blocks: Vec<Arc<Block>> = told.iter().map(|t| t.block.clone()).collect();
    let mut across = of_project(&Whole::new(pass, &context, &blocks));
    context.without_fixes_in_templates(&mut across);
    blocks.push(Block::shared(across));
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

fn look_at(context: &CheckContext<'_>, number: usize) -> Told {
    let source = Source::new(context, number);
    let mut found = of_source(&source);
    context.without_fixes_in_templates(&mut found);
    let open = open_references(&source);
    let early = source.into_unknown();
    let is_known = early.is_empty() && open.is_empty();
    Told {
        block: Block::shared(found),
        unknown: (!is_known).then(|| Box::new(NotKnown { early, open })),
    }
}

/// What cannot be known, in Tazuna's order.
fn unknown(related: &Related, told: &[Arc<Told>]) -> Vec<Unknown> {
    let one = |stage: Stage, at: Option<(usize, u32)>, because: &String| Unknown {
        command: None,
        stage: stage.name(),
        at,
        because: because.clone(),
        leaves_later: false,
    };
    let mut all: Vec<Unknown> = Vec::new();
    let mut open: Vec<(u32, (usize, u32), &String)> = Vec::new();
    for (number, unknown) in told.iter().enumerate() {
        let Some(unknown) = &unknown.unknown else { continue };
        let early = unknown.early.iter();
        all.extend(early.map(|(stage, because)| one(*stage, Some((number, 0)), because)));
        let part = related.expansion.part_of(number).unwrap_or(0);
        let position = |unit| related.expansion.position(part, unit).unwrap_or(u32::MAX);
        open.extend(
            unknown
                .open
                .iter()
                .map(|(unit, because)| (position(*unit), (number, scope::of_item(*unit, 0)), because)),
        );
    }
    open.sort_by_key(|(position, ..)| *position);
    all.extend(
        open.into_iter()
            .map(|(_, at, because)| one(Stage::References, Some(at), because)),
    );
    all
}

/// The position at which Tazuna reaches a finding of a slot, in the stages that follow the expanded list.
pub(crate) fn rank(related: &Related, stage: &str, slot: usize, at: u32) -> u64 {
    if stage != Stage::Expanded.name() && stage != Stage::References.name() {
        return 0;
    }
    let part = related.expansion.part_of(slot);
    let position = part.and_then(|part| related.expansion.position(part, scope::unit_of(at)));
    position.map_or(u64::MAX, u64::from)
}
