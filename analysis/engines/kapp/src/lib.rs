//! kapp: change groups, change rules and the built-in ordering of Kubernetes resources.

mod compare;
mod config;
mod defaults;
mod discover;
mod editor;
mod grammar;
mod invocation;
mod judge;
mod load;
mod matcher;
mod model;
mod names;
mod outcome;
#[cfg(test)]
#[path = "../../../../tests/differential/random.rs"]
#[allow(dead_code, reason = "the differential tests use more of it")]
mod random;
mod read;
mod relate;
mod rules;
mod scope;
#[cfg(test)]
mod tests;
mod version;

use applyorder_core::engine::EngineIx;
use std::sync::Arc;

use camino::Utf8Path;

use self::editor::{complete, fields, hover, signature};
use self::rules::scope::Project;
use applyorder_core::config::Configs;
use applyorder_core::diagnostic::Place;
use applyorder_core::diagnostic::{FileId, FixStep};
use applyorder_core::engine::invocation::{CommandLine, FlagTable, Invocation, Refusal};
use applyorder_core::engine::options;
use applyorder_core::engine::{
    Completion, Cx, Declaration, DependencyIx, Engine, EngineMeta, Facts, FactsInput, Handoff, LayerMeaning,
    Offer, Operation, OutlineItem, ProjectSeed, ProjectView, Recognition, Render, Resolution, RunOptions,
    Shape, Signature, UnitIx, Variant,
};
use applyorder_core::engine::{Verdict, View};
use applyorder_core::layer::{self, Checked, Command, Environment, Outcome, Pass, Stages};
use applyorder_syntax::Language;
use applyorder_syntax::text::Span;

pub use compare::Change;
pub use grammar::{Op, Order};
pub use model::uses::{ChangeUses, GroupUse, RuleUse, Source, UseError, Uses};
pub use outcome::Plan;
pub use read::KappFacts;
pub use relate::Operation as PlannedOperation;

/// The engine.
#[derive(Debug)]
pub struct Kapp;

/// The only instance of the engine.
pub static ENGINE: Kapp = Kapp;

/// The only engine of the tests in this crate.
#[cfg(test)]
const ALONE: applyorder_core::engine::Engines = {
    static ALL: [&dyn Engine; 1] = [&ENGINE];
    applyorder_core::engine::Engines::new(&ALL)
};

static META: EngineMeta = EngineMeta {
    id: "kapp",
    title: "kapp",
    unit: "resource",
    units: "resources",
    looks_for: "Kubernetes resources with kapp.k14s.io annotations",
    language: Language::Yaml,
    version: version::NEWEST,
    options: &[
        &config::NAMESPACE,
        &config::INTO_NS,
        &config::MAP_NS,
        &options::CHANGED,
        &options::FAILED,
        &options::STATE,
        &options::ENGINE_VERSION,
    ],
    config: Some(&config::SECTION),
    command_lines: &[],
    rules: &rules::OWN,
    shared_rules: &rules::SHARED,
};

impl Engine for Kapp {
    fn meta(&self) -> &'static EngineMeta {
        &META
    }

    fn recognise(&self, path: &Utf8Path, offer: Offer, bytes: Option<&[u8]>) -> Recognition {
        discover::recognise(path, offer, bytes)
    }

    fn takes_directories(&self) -> bool {
        true
    }

    fn shares_names(&self) -> bool {
        true
    }

    fn renders(&self, configs: &Configs) -> Vec<Render> {
        discover::renders(configs)
    }

    fn facts(&self, input: &FactsInput<'_>) -> Arc<dyn Facts> {
        Arc::new(read::read(input))
    }

    fn projects(&self, cx: &Cx<'_>, candidates: &[FileId], explicit: &[FileId]) -> Vec<ProjectSeed> {
        discover::projects(cx, candidates, explicit)
    }

    fn resolve(&self, cx: &Cx<'_>, seed: &ProjectSeed, options: &RunOptions) -> Resolution {
        layer::resolve(self, cx, seed, options)
    }

    fn complete(&self, analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32) -> Vec<Completion> {
        complete::complete(analysis, engine, file, offset)
    }

    fn field(
        &self,
        analysis: &dyn View,
        engine: EngineIx,
        file: FileId,
        offset: u32,
    ) -> Option<(Span, String)> {
        fields::meaning(analysis, engine, file, offset)
    }

    fn outline(&self, facts: &dyn Facts) -> Vec<OutlineItem> {
        facts
            .as_any()
            .downcast_ref::<KappFacts>()
            .map_or_else(Vec::new, KappFacts::outline)
    }

    fn hover(&self, resolution: &Resolution, _variant: &Variant, unit: UnitIx) -> Vec<String> {
        hover::of_unit(resolution, unit)
    }

    fn hover_group(&self, facts: &dyn Facts, offset: u32) -> Option<(Span, Vec<u32>)> {
        let facts = facts.as_any().downcast_ref::<KappFacts>()?;
        let (span, group) = hover::stands_for(facts, offset)?;
        Some((span, vec![group]))
    }

    fn explain(
        &self,
        resolution: &Resolution,
        variant: &Variant,
        dependency: DependencyIx,
    ) -> Option<String> {
        hover::of_dependency(resolution, variant, dependency)
    }

    fn state_error(&self, resolution: &Resolution) -> Option<String> {
        resolution.state.as_ref()?.downcast_ref::<Plan>()?.state_error()
    }

    fn signature(
        &self,
        analysis: &dyn View,
        engine: EngineIx,
        file: FileId,
        offset: u32,
    ) -> Option<Signature> {
        signature::signature(analysis, engine, file, offset)
    }

    fn removal(
        &self,
        analysis: &dyn View,
        project: ProjectView<'_>,
        variant: &Variant,
        dependency: DependencyIx,
    ) -> Option<FixStep> {
        hover::removal(analysis, project, variant, dependency)
    }

    fn check_symbol(&self, _: &str, name: &str) -> Result<(), String> {
        rules::group_fault(name).map_or(Ok(()), Err)
    }

    fn command_of(&self, operation: Operation, _: &RunOptions) -> Option<&'static str> {
        Some(match operation {
            Operation::Apply => "deploy",
            Operation::Delete => "delete",
        })
    }

    fn shape(&self) -> Shape {
        Shape::Hexagon
    }

    fn to_order(
        &self,
        resolution: &Resolution,
        variant: &Variant,
        ends: [UnitIx; 2],
    ) -> Option<(String, Place)> {
        to_order(resolution, variant, "upsert after upserting", ends)
    }

    fn to_order_deletion(
        &self,
        resolution: &Resolution,
        variant: &Variant,
        ends: [UnitIx; 2],
    ) -> Option<(String, Place)> {
        to_order(resolution, variant, "delete after deleting", ends)
    }

    fn declare(&self, analysis: &dyn View, project: ProjectView<'_>, dir: &Utf8Path) -> Option<Declaration> {
        discover::declare(analysis, project, dir)
    }

    fn layer_meaning(&self, _: &Variant, operation: Operation) -> LayerMeaning {
        LayerMeaning {
            barrier: false,
            sentence: match operation {
                Operation::Apply => "a resource starts when its own predecessors are done, 5 at a time",
                Operation::Delete => "a resource is deleted when its own predecessors are done, 5 at a time",
            },
        }
    }

    fn handoff(&self, seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Option<Handoff> {
        invocation::command(seed, operation, options)
    }

    fn options_of(
        &self,
        _: &dyn View,
        configs: &Configs,
        project: ProjectView<'_>,
        options: &RunOptions,
    ) -> RunOptions {
        invocation::options_of(configs, project.seed, options)
    }

    fn programs(&self) -> &'static [&'static str] {
        &["kapp"]
    }

    fn flag_tables(&self) -> &'static [FlagTable] {
        &invocation::TABLES
    }

    fn read_command(&self, command: &CommandLine<'_>) -> Result<Invocation, Refusal> {
        invocation::read(command)
    }

    fn seed_of(&self, cx: &Cx<'_>, invocation: &Invocation) -> Result<ProjectSeed, Refusal> {
        invocation::seed(cx, invocation)
    }
}

/// The rule that makes one resource wait for a group of the other.
fn to_order(
    resolution: &Resolution,
    variant: &Variant,
    rule: &str,
    [first, then]: [UnitIx; 2],
) -> Option<(String, Place)> {
    let groups = resolution.symbols.iter();
    let mut groups = groups.filter(|s| s.kind == "change group" && s.units.contains(&first));
    let group = &groups.next()?.name;
    let (_, place) = variant.entries(then, "change-rule")?;
    Some((format!("kapp.k14s.io/change-rule: {rule} {group}"), place))
}

impl Stages for Kapp {
    type Loaded = load::Loaded;
    type Model = model::Model;
    type Related = relate::Related;

    fn load(&self, pass: &Pass<'_>) -> load::Loaded {
        load::load(pass)
    }

    fn model(&self, pass: &Pass<'_>, loaded: &Arc<load::Loaded>) -> model::Model {
        model::model(pass, loaded)
    }

    fn relate(&self, pass: &Pass<'_>, model: &Arc<model::Model>) -> relate::Related {
        relate::relate(pass, model)
    }

    fn check(
        &self,
        pass: &Pass<'_>,
        model: &Arc<model::Model>,
        related: &Arc<relate::Related>,
    ) -> Vec<Checked> {
        let project = Project::new(pass.cx, pass.seed, model, related);
        vec![Checked {
            blocks: rules::check(&project),
            unknown: judge::unknown(pass.cx, model, related),
            environments: vec![Environment::default()],
        }]
    }

    fn commands(&self) -> &'static [Command] {
        &judge::COMMANDS
    }

    fn adjust_verdicts(&self, _: &Pass<'_>, model: &model::Model, verdicts: &mut Vec<Verdict>) {
        // Without bindings of its own, an app is removed by a deploy in the same way as by `kapp delete`.
        if !model.bindings.has_own() {
            verdicts.retain(|verdict| verdict.command != judge::REMOVAL);
        }
    }

    fn outcome(
        &self,
        pass: &Pass<'_>,
        model: &Arc<model::Model>,
        related: &Arc<relate::Related>,
        _: &[Checked],
        verdicts: &[Verdict],
    ) -> Outcome {
        outcome::outcome(pass, model, related, verdicts)
    }
}
