//! The path from a project's files to its findings and verdicts, the same for every engine.
//!
//! ```text
//! read     text → facts of a file               Engine::facts
//! load     seed → which files, in which role    Stages::load
//! model    files → units, names, references     Stages::model
//! relate   names and references → edges         Stages::relate
//! check    model and graph → findings           Stages::check
//! judge    findings → verdicts                  the engine's table of commands
//! ```
//!
//! A stage sees only the results of the stages before it. An engine keeps nothing between two passes: reusable
//! results are in the project's [`Memo`](super::Memo), found by keys that say what they were made from.

use std::any::Any;
use std::sync::Arc;

use tracing::debug_span;

use super::finding::{Block, Finding};
use super::judge::{self, Command, Course, Marks, Unknown};
use super::merge;
use crate::diagnostic::{FileId, Place};
use crate::engine::HintSearch;
use crate::engine::{
    Cx, Engine, Findings, Lazy, Link, Member, Operation, ProjectSeed, Resolution, RunOptions, Symbol,
    Variant, Verdict, rejection,
};

/// One pass over one project: everything a stage may query.
#[derive(Clone, Copy)]
pub struct Pass<'a> {
    /// Files, configuration, memo.
    pub cx: &'a Cx<'a>,
    /// The project as it was found.
    pub seed: &'a ProjectSeed,
    /// The options of the run that this engine knows.
    pub options: &'a RunOptions,
}

/// An environment in which a variant is judged.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Its name; `None`: no environment given.
    pub name: Option<Arc<str>>,
    /// Findings of this environment in addition to those of the variant: that it is not declared.
    pub own: Option<Arc<Block>>,
}

/// The result of the checks of one variant of a project.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The findings, slot by slot in the engine's order.
    pub blocks: Vec<Arc<Block>>,
    /// What cannot be known.
    pub unknown: Vec<Unknown>,
    /// The environments it covers. Never empty.
    pub environments: Vec<Environment>,
}

/// What users query of a project besides findings and verdicts.
pub struct Outcome {
    /// The files of the project, the root's first.
    pub members: Arc<[Member]>,
    /// Units and orders, at least one variant.
    pub variants: Lazy<Vec<Variant>>,
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

/// The stages of an engine. Pure: equal files, configuration and options give equal results.
pub trait Stages: Sync {
    /// Which files there are, in which role, read how.
    type Loaded: Send + Sync + 'static;
    /// Units, names and references of every variant.
    type Model: Send + Sync + 'static;
    /// Edges, graphs and cycles of every variant.
    type Related: Send + Sync + 'static;

    /// Finds the files of a project: includes, imports, environments, apps.
    fn load(&self, pass: &Pass<'_>) -> Self::Loaded;

    /// Reads units, names and references out of the files.
    fn model(&self, pass: &Pass<'_>, loaded: &Arc<Self::Loaded>) -> Self::Model;

    /// Resolves references, and adds the engine's implicit order.
    fn relate(&self, pass: &Pass<'_>, model: &Arc<Self::Model>) -> Self::Related;

    /// Finds the problems, variant by variant.
    fn check(&self, pass: &Pass<'_>, model: &Arc<Self::Model>, related: &Arc<Self::Related>) -> Vec<Checked>;

    /// The engine's commands and their stages.
    fn commands(&self) -> &'static [Command];

    /// Where the engine reaches a finding of a variant in one stage: `block` is its block's position in
    /// [`Checked::blocks`], `at` is [`Finding::at`](super::Finding::at). Findings with equal numbers follow the
    /// order of blocks.
    fn rank(
        &self,
        related: &Self::Related,
        variant: usize,
        stage: &'static str,
        block: usize,
        at: u32,
    ) -> u64 {
        let _ = (related, variant, stage, block, at);
        0
    }

    /// In which round the engine reaches a finding, if it takes its files one after the other through some
    /// stages: findings of an earlier round are reported first, whatever their stages.
    fn round(
        &self,
        related: &Self::Related,
        variant: usize,
        stage: &'static str,
        block: usize,
        at: u32,
    ) -> u64 {
        let _ = (related, variant, stage, block, at);
        0
    }

    /// Adjusts the verdicts if the table of commands is not sufficient: options that exclude a command.
    fn adjust_verdicts(&self, pass: &Pass<'_>, model: &Self::Model, verdicts: &mut Vec<Verdict>) {
        let _ = (pass, model, verdicts);
    }

    /// The problems in a file that are independent of the rest of the project, found without reading the rest.
    fn certain(&self, pass: &Pass<'_>, file: FileId) -> Vec<Finding> {
        let _ = (pass, file);
        Vec::new()
    }

    /// What users query of the project besides that.
    fn outcome(
        &self,
        pass: &Pass<'_>,
        model: &Arc<Self::Model>,
        related: &Arc<Self::Related>,
        checked: &[Checked],
        verdicts: &[Verdict],
    ) -> Outcome;
}

/// Takes a project through all stages. Never fails: errors are part of the result. A canceled pass stops
/// between two slots or stages.
pub fn resolve<E: Engine + Stages>(
    engine: &E,
    cx: &Cx<'_>,
    seed: &ProjectSeed,
    options: &RunOptions,
) -> Resolution {
    let pass = &Pass { cx, seed, options };
    let loaded = debug_span!("load").in_scope(|| cx.load_stage(|| engine.load(pass)));
    cx.obey_stop();
    let model = debug_span!("model").in_scope(|| Arc::new(engine.model(pass, &loaded)));
    cx.obey_stop();
    let related = debug_span!("relate").in_scope(|| Arc::new(engine.relate(pass, &model)));
    cx.obey_stop();
    let checked = debug_span!("check").in_scope(|| engine.check(pass, &model, &related));
    cx.obey_stop();
    let judging = debug_span!("judge").entered();
    let commands = Stages::commands(engine);
    let mut verdicts = Vec::new();
    let mut marks = Vec::with_capacity(checked.len());
    for (number, variant) in checked.iter().enumerate() {
        let course = Course {
            round: &|stage, block, at| engine.round(&related, number, stage, block, at),
            rank: &|stage, block, at| engine.rank(&related, number, stage, block, at),
        };
        marks.push(judge_variant(commands, variant, &course, &mut verdicts));
    }
    judge::in_order(commands, &mut verdicts);
    engine.adjust_verdicts(pass, &model, &mut verdicts);
    verdicts.shrink_to_fit();
    let is_judged = |command| verdicts.iter().any(|v| v.command == command);
    marks.iter_mut().for_each(|marks| marks.retain(is_judged));
    drop(judging);
    cx.obey_stop();
    let _merging = debug_span!("merge").entered();
    let findings = merge::merge(cx, commands, &checked, &marks);
    let outcome = engine.outcome(pass, &model, &related, &checked, &verdicts);
    cx.end_pass();
    let Outcome {
        members,
        variants,
        links,
        symbols,
        unresolved,
        engine_version,
        state,
        hints,
    } = outcome;
    let refusals = refusals(engine, options, &verdicts);
    let variants = Lazy::new(move || {
        let mut variants = variants.into_inner();
        variants.iter_mut().for_each(|variant| refuse(variant, &refusals));
        variants
    });
    Resolution {
        members,
        variants,
        verdicts,
        diagnostics: findings,
        links,
        symbols,
        unresolved,
        engine_version,
        state,
        hints,
    }
}

/// The problems in a file of a project that are known before the project is read: see [`Stages::certain`].
pub fn at_sight<E: Engine + Stages>(
    engine: &E,
    cx: &Cx<'_>,
    seed: &ProjectSeed,
    options: &RunOptions,
    file: FileId,
) -> Findings {
    let found = engine.certain(&Pass { cx, seed, options }, file);
    let checked = Checked {
        blocks: vec![Block::shared(found)],
        unknown: Vec::new(),
        environments: vec![Environment::default()],
    };
    merge::merge(cx, Stages::commands(engine), &[checked], &[])
}

/// An operation that an engine rejects in an environment, with the reason.
type Refusal = (Operation, Option<Arc<str>>, String);

fn refusals<E: Engine>(engine: &E, options: &RunOptions, verdicts: &[Verdict]) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    for operation in [Operation::Apply, Operation::Delete] {
        let Some(command) = engine.command_of(operation, options) else {
            continue;
        };
        let rejected = verdicts
            .iter()
            .filter(|v| v.command == command && v.ok == Some(false));
        refusals.extend(rejected.map(|verdict| {
            let stage = verdict.stage.unwrap_or_default();
            let mut because = rejection(command, stage);
            if let Some(name) = &verdict.environment {
                because.push_str(&format!(" in environment `{name}`"));
            }
            (operation, verdict.environment.clone(), because)
        }));
    }
    refusals
}

/// Marks the order of what will not run as not guaranteed.
fn refuse(variant: &mut Variant, refusals: &[Refusal]) {
    for (operation, environment, because) in refusals {
        if !variant.environments.contains(environment) {
            continue;
        }
        let order = match operation {
            Operation::Apply => &mut variant.apply,
            Operation::Delete => &mut variant.delete,
        };
        order.guaranteed = false;
        order.because.get_or_insert_with(|| because.clone());
    }
}

/// The findings that commands report first in some environment of a variant.
fn judge_variant(
    commands: &'static [Command],
    variant: &Checked,
    course: &Course<'_>,
    verdicts: &mut Vec<Verdict>,
) -> Marks {
    let plain: Vec<&Arc<Block>> = variant.blocks.iter().collect();
    let mut shared: Option<Vec<Verdict>> = None;
    let mut all = Marks::default();
    for environment in &variant.environments {
        let name = environment.name.as_ref();
        match &environment.own {
            None => {
                let told = shared.get_or_insert_with(|| {
                    let (told, marks) = judge::judge(commands, &plain, &variant.unknown, name, course);
                    all.join(marks);
                    told
                });
                verdicts.extend(told.iter().map(|v| Verdict {
                    environment: name.cloned(),
                    ..v.clone()
                }));
            }
            Some(own) => {
                let mut blocks = plain.clone();
                blocks.push(own);
                let (told, marks) = judge::judge(commands, &blocks, &variant.unknown, name, course);
                verdicts.extend(told);
                all.join(marks);
            }
        }
    }
    all
}
