//! Spacelift: stacks that depend on each other, declared in Terraform's or OpenTofu's HCL.
//!
//! Follows the provider at 8565261 and the documentation of 2026-02. [`discover`] finds modules that are applied by
//! themselves, [`read`] reads files; then a project goes one way: [`load`] finds the modules that it calls, [`model`]
//! what their blocks say, [`relate`] which stack waits for which, [`rules`] what is wrong, [`judge`] what Terraform
//! and Spacelift would say.

mod config;
mod discover;
mod editor;
mod functions;
mod inputs;
mod invocation;
mod judge;
mod load;
mod model;
mod plan;
#[cfg(test)]
#[path = "../../../../tests/differential/random.rs"]
#[allow(dead_code, reason = "the differential tests use more of it")]
mod random;
mod read;
mod relate;
mod rules;
mod schema;
mod suggest;
#[cfg(test)]
mod tests;
mod types;

use std::sync::Arc;

use applyorder_core::config::Configs;
use applyorder_core::diagnostic::{EngineIx, FileId, FixStep, Place};
use applyorder_core::engine::invocation::{CommandLine, FlagTable, Invocation, Refusal, VersionFit};
use applyorder_core::engine::options;
use applyorder_core::engine::{
    Completion, Cx, DependencyIx, Engine, EngineMeta, Facts, FactsInput, Handoff, LayerMeaning, Lazy, Link,
    Member, Offer, Operation, OutlineItem, ProjectSeed, ProjectView, Recognition, Resolution, RunOptions,
    Shape, Symbol, UnitIx, Variant, Verdict, View, WrittenPath,
};
use applyorder_core::layer::{self, Block, Checked, Command, Environment, Outcome, Pass, Stages};
use applyorder_core::memo::Fingerprint;
use applyorder_syntax::Language;
use camino::Utf8Path;

use load::Loaded;
use model::Project;
pub use plan::{Edge, Plan, Referred, Report, plan};
use read::TfFacts;
use relate::Related;
pub use relate::{Failures, Simulation, State};

/// The engine.
#[derive(Debug)]
pub struct Spacelift;

/// The one engine of its kind.
pub static ENGINE: Spacelift = Spacelift;

/// The only engine of the tests in this crate.
#[cfg(test)]
const ALONE: applyorder_core::engine::Engines = {
    static ALL: [&dyn Engine; 1] = [&ENGINE];
    applyorder_core::engine::Engines::new(&ALL)
};

pub(crate) static META: EngineMeta = EngineMeta {
    id: "spacelift",
    title: "Spacelift",
    unit: "stack",
    units: "stacks",
    looks_for: "Terraform with resources of Spacelift's, blueprints",
    language: Language::Hcl,
    version: "2026-02",
    options: &[
        &config::VAR,
        &config::VAR_FILE,
        &config::UNCHANGED_OUTPUT,
        &config::FLAVOR,
        &config::ENVIRONMENT,
        &config::DATA_DIR,
        &config::WORKSPACE,
        &options::CHANGED,
        &options::FAILED,
        &options::STATE,
    ],
    config: Some(&config::SECTION),
    command_lines: &[
        ("publish", "publishing the blueprint"),
        ("validate", "terraform validate"),
        ("plan", "terraform plan"),
        ("apply", "terraform apply"),
    ],
    rules: &rules::OWN,
    shared_rules: &rules::SHARED,
};

/// What is read after a resolution: by the editor's functions and by [`plan`].
pub(crate) struct Found {
    pub(crate) project: Arc<Project>,
    pub(crate) related: Arc<Related>,
    pub(crate) blocks: Vec<Arc<Block>>,
}

impl Engine for Spacelift {
    fn meta(&self) -> &'static EngineMeta {
        &META
    }

    fn recognise(&self, path: &Utf8Path, _: Offer, bytes: Option<&[u8]>) -> Recognition {
        discover::recognise(path, bytes)
    }

    fn facts(&self, input: &FactsInput<'_>) -> Arc<dyn Facts> {
        Arc::new(read::read(input))
    }

    fn projects(&self, cx: &Cx<'_>, candidates: &[FileId], _: &[FileId]) -> Vec<ProjectSeed> {
        discover::projects(cx, candidates)
    }

    fn resolve(&self, cx: &Cx<'_>, seed: &ProjectSeed, options: &RunOptions) -> Resolution {
        layer::resolve(self, cx, seed, options)
    }

    fn complete(&self, analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32) -> Vec<Completion> {
        editor::complete::complete(analysis, engine, file, offset)
    }

    fn outline(&self, facts: &dyn Facts) -> Vec<OutlineItem> {
        facts
            .as_any()
            .downcast_ref::<TfFacts>()
            .map_or_else(Vec::new, TfFacts::outline)
    }

    fn check_name(&self, name: &str) -> Result<(), String> {
        editor::names::check(name)
    }

    fn check_symbol(&self, _: &str, name: &str) -> Result<(), String> {
        editor::names::check(name)
    }

    fn command_of(&self, operation: Operation, _: &RunOptions) -> Option<&'static str> {
        (operation == Operation::Apply).then_some(judge::APPLY)
    }

    fn hover(&self, resolution: &Resolution, _: &Variant, unit: UnitIx) -> Vec<String> {
        editor::hover::of_stack(resolution, unit)
    }

    fn paths(&self, analysis: &dyn View, project: ProjectView<'_>, file: FileId) -> Vec<WrittenPath> {
        editor::paths::paths(analysis, project, file)
    }

    fn explain(&self, resolution: &Resolution, _: &Variant, dependency: DependencyIx) -> Option<String> {
        editor::hover::of_dependency(resolution, dependency)
    }

    fn explain_symbol(&self, resolution: &Resolution, symbol: &Symbol) -> Option<String> {
        editor::hover::of_symbol(resolution, symbol)
    }

    fn state_error(&self, resolution: &Resolution) -> Option<String> {
        let found = resolution.state.as_ref()?.downcast_ref::<Found>()?;
        found.project.bad_plan.clone()
    }

    fn state_of_another(&self, resolution: &Resolution) -> Option<String> {
        let found = resolution.state.as_ref()?.downcast_ref::<Found>()?;
        // A blueprint has no plan.
        let is_blueprint = found.project.is_blueprint.then(String::new);
        found.project.other_plan.clone().or(is_blueprint)
    }

    fn removal(
        &self,
        analysis: &dyn View,
        project: ProjectView<'_>,
        variant: &Variant,
        dependency: DependencyIx,
    ) -> Option<FixStep> {
        editor::hover::removal(analysis, project, variant, dependency)
    }

    fn to_order(
        &self,
        resolution: &Resolution,
        variant: &Variant,
        ends: [UnitIx; 2],
    ) -> Option<(String, Place)> {
        suggest::dependency(resolution, variant, ends)
    }

    fn to_order_deletion(
        &self,
        resolution: &Resolution,
        _: &Variant,
        ends: [UnitIx; 2],
    ) -> Option<(String, Place)> {
        suggest::destruction(resolution, ends)
    }

    fn shape(&self) -> Shape {
        Shape::Doubled
    }

    fn layer_meaning(&self, _: &Variant, operation: Operation) -> LayerMeaning {
        LayerMeaning {
            barrier: false,
            sentence: match operation {
                Operation::Apply => "a stack starts when its upstream runs in the chain are done",
                Operation::Delete => "a stack is destroyed when its own predecessors are done",
            },
        }
    }

    fn handoff(&self, seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Option<Handoff> {
        Some(invocation::usual(seed, operation, options))
    }

    fn options_of(
        &self,
        analysis: &dyn View,
        configs: &Configs,
        project: ProjectView<'_>,
        options: &RunOptions,
    ) -> RunOptions {
        invocation::options_of(analysis, configs, project, options)
    }

    fn programs(&self) -> &'static [&'static str] {
        &["terraform", "tofu"]
    }

    fn flag_tables(&self) -> &'static [FlagTable] {
        &invocation::TABLES
    }

    fn read_command(&self, command: &CommandLine<'_>) -> Result<Invocation, Refusal> {
        invocation::read(command)
    }

    fn seed_of(&self, cx: &Cx<'_>, invocation: &Invocation) -> Result<ProjectSeed, Refusal> {
        Ok(invocation::seed(cx, invocation))
    }

    fn runs_elsewhere(&self, analysis: &dyn View, project: ProjectView<'_>) -> Option<String> {
        invocation::runs_elsewhere(analysis, project)
    }

    /// Of the programs; they do not show the provider's version.
    fn newest_version(&self, program: &str) -> &'static str {
        invocation::newest(program)
    }

    fn version_fit(&self, program: &str, version: &str) -> VersionFit {
        invocation::version_fit(program, version)
    }
}

/// What relates the stacks of one state of a project.
#[derive(PartialEq, Eq, Hash)]
struct RelatedKey(Fingerprint);

impl Stages for Spacelift {
    type Loaded = Loaded;
    type Model = Project;
    type Related = Arc<Related>;

    fn load(&self, pass: &Pass<'_>) -> Loaded {
        load::load(pass)
    }

    fn model(&self, pass: &Pass<'_>, loaded: &Arc<Loaded>) -> Project {
        model::model(pass, loaded)
    }

    fn relate(&self, pass: &Pass<'_>, project: &Arc<Project>) -> Arc<Related> {
        let key = RelatedKey(project.fingerprint);
        pass.cx.memo().get(key, || relate::relate(pass, project))
    }

    fn check(&self, pass: &Pass<'_>, project: &Arc<Project>, related: &Arc<Arc<Related>>) -> Vec<Checked> {
        let (mut blocks, mut unknown) = rules::check(pass, project, related);
        for inside in project.inside() {
            let related = pass
                .cx
                .memo()
                .get(RelatedKey(inside.fingerprint), || relate::relate(pass, &inside));
            let (block, open) = rules::check_inside(pass, &inside, &related);
            blocks.push(block);
            unknown.extend(open);
        }
        vec![Checked {
            blocks,
            unknown,
            environments: vec![Environment::default()],
        }]
    }

    fn commands(&self) -> &'static [Command] {
        &judge::COMMANDS
    }

    fn adjust_verdicts(&self, _: &Pass<'_>, project: &Project, verdicts: &mut Vec<Verdict>) {
        verdicts.retain(|v| match v.command {
            judge::PUBLISH => project.is_blueprint || !project.inside.is_empty(),
            _ => !project.is_blueprint,
        });
    }

    fn outcome(
        &self,
        pass: &Pass<'_>,
        project: &Arc<Project>,
        related: &Arc<Arc<Related>>,
        checked: &[Checked],
        _: &[Verdict],
    ) -> Outcome {
        let variant = related.variant.clone();
        let (own, engine) = (project.clone(), pass.cx.engine_index());
        let edges = Arc::clone(related);
        let open = project.unresolved.iter();
        let unresolved: Vec<(Option<Place>, String)> = open
            .map(|open| {
                (
                    Some(open.place),
                    format!("`{}` is unknown: {}", open.at, open.why),
                )
            })
            .collect();
        Outcome {
            members: members(project).into(),
            variants: Lazy::new(move || vec![(*variant).clone()]),
            links: links(project).into(),
            symbols: Lazy::new(move || model::symbols(&own, &edges.written, engine)),
            unresolved,
            engine_version: META.version.to_owned(),
            state: Some(Arc::new(Found {
                project: project.clone(),
                related: Arc::clone(related),
                blocks: checked.iter().flat_map(|c| c.blocks.iter().cloned()).collect(),
            })),
            hints: None,
        }
    }
}

fn members(project: &Project) -> Vec<Member> {
    let files = project.loaded.modules.iter().flat_map(|module| {
        let why: Arc<str> = module.why.as_str().into();
        module.files.iter().map(move |file| Member {
            file: file.file,
            why: why.clone(),
            via: None,
        })
    });
    files.collect()
}

/// The sources of calls, each leading to the first file of the module.
fn links(project: &Project) -> Vec<Link> {
    let mut found = Vec::new();
    for (place, module) in &project.links {
        let target = project.loaded.modules.get(*module).and_then(|m| m.files.first());
        found.extend(target.map(|file| Link {
            place: *place,
            target: file.path.as_path().into(),
        }));
    }
    found
}
