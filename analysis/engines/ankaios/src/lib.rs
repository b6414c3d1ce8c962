//! Ankaios: workloads that wait for each other with conditions.

mod config;
mod discover;
mod editor;
mod invocation;
mod judge;
mod load;
mod model;
mod read;
mod relate;
mod rules;
mod simulate;
#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock, OnceLock};

use applyorder_core::config::Configs;
use applyorder_core::diagnostic::Place;
use applyorder_core::diagnostic::{EngineIx, FileId, FixStep};
use applyorder_core::engine::invocation::{CommandLine, FlagTable, Invocation, Refusal};
use applyorder_core::engine::options;
use applyorder_core::engine::{
    Completion, Cx, Declaration, DependencyIx, Engine, EngineMeta, Facts, FactsInput, Handoff, LayerMeaning,
    Lazy, Member, Offer, Operation, OutlineItem, ProjectSeed, ProjectView, Recognition, Resolution,
    RunOptions, Shape, UnitIx, Variant, Verdict, View, rejection,
};
use applyorder_core::layer::{self, Checked, Command, Environment, Outcome, Pass, Stages};
use applyorder_core::rules::redundant_dependency;
use applyorder_syntax::Language;
use applyorder_syntax::text::Span;
use camino::Utf8Path;

pub use read::{AnkaiosFacts, Condition};

use load::Loaded;
use model::Model;
use read::Version;
use relate::Related;

/// The engine.
#[derive(Debug)]
pub struct Ankaios;

/// The only instance of the engine.
pub static ENGINE: Ankaios = Ankaios;

/// The only engine of the tests in this crate.
#[cfg(test)]
const ALONE: applyorder_core::engine::Engines = {
    static ALL: [&dyn Engine; 1] = [&ENGINE];
    applyorder_core::engine::Engines::new(&ALL)
};

static META: EngineMeta = EngineMeta {
    id: "ankaios",
    title: "Ankaios",
    unit: "workload",
    units: "workloads",
    looks_for: "manifests with workloads, or *.ank.yaml",
    language: Language::Yaml,
    version: "1.0.1",
    options: &[
        &config::AGENT,
        &options::CHANGED,
        &options::FAILED,
        &options::STATE,
        &options::ENGINE_VERSION,
    ],
    config: Some(&config::SECTION),
    command_lines: &[
        ("startup", "ank-server --startup-manifest"),
        ("apply", "ank apply"),
    ],
    rules: &rules::OWN,
    shared_rules: &rules::SHARED,
};

/// Ankaios' view of a project, for callers that need more than all engines have in common.
#[derive(Debug)]
pub struct Plan {
    /// Groups of workloads that wait for each other, each ascending.
    pub cycles: Vec<Vec<UnitIx>>,
    /// The workload that the server names in a startup manifest.
    pub startup_cycle: Option<Arc<str>>,
    /// The workload that it names after `ank apply`.
    pub apply_cycle: Option<Arc<str>>,
    /// Dependencies on names that no workload has: the workload and the name.
    pub dangling: Vec<(UnitIx, Arc<str>)>,
    /// Workloads that cannot start.
    pub blocked: Vec<UnitIx>,
    /// A workload, and one that needs it running and so blocks its removal.
    pub gates: Vec<(UnitIx, UnitIx)>,
    /// Parts that `ank apply` accepts and loses, as `workloads.NAME.FIELD`.
    pub lost: Vec<String>,
    /// Whether `ank apply` has nothing to do.
    pub updates_nothing: bool,
    /// Whether a manifest has a version that `ank apply` warns about.
    pub is_deprecated: bool,
    /// Whether dependencies are written where they cannot be read, so that nothing is known of the order.
    pub is_unreadable: bool,
}

/// The data for the editor's functions.
pub(crate) struct State {
    pub(crate) model: Arc<Model>,
    pub(crate) related: Arc<Related>,
    verdicts: Vec<Verdict>,
    plan: OnceLock<Plan>,
}

/// Ankaios' view of a project.
#[must_use]
pub fn plan(resolution: &Resolution) -> Option<&Plan> {
    let state = resolution.state.as_ref()?.downcast_ref::<State>()?;
    let made = || plan_of(&state.model, &state.related, &state.verdicts);
    Some(state.plan.get_or_init(made))
}

impl Engine for Ankaios {
    fn meta(&self) -> &'static EngineMeta {
        &META
    }

    fn recognise(&self, path: &Utf8Path, offer: Offer, bytes: Option<&[u8]>) -> Recognition {
        discover::recognise(path, offer, bytes)
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
        editor::complete::complete(analysis, engine, file, offset)
    }

    fn outline(&self, facts: &dyn Facts) -> Vec<OutlineItem> {
        facts
            .as_any()
            .downcast_ref::<AnkaiosFacts>()
            .map_or_else(Vec::new, AnkaiosFacts::outline)
    }

    fn field(
        &self,
        analysis: &dyn View,
        engine: EngineIx,
        file: FileId,
        offset: u32,
    ) -> Option<(Span, String)> {
        editor::field::field(analysis, engine, file, offset)
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
        editor::hover::of_unit(resolution, unit)
    }

    fn explain(&self, resolution: &Resolution, _: &Variant, dependency: DependencyIx) -> Option<String> {
        editor::hover::of_dependency(resolution, dependency)
    }

    fn state_error(&self, resolution: &Resolution) -> Option<String> {
        let state = resolution.state.as_ref()?.downcast_ref::<State>()?;
        let is_unused = state.model.loaded.state.is_some() && state.model.snapshot.is_none();
        is_unused.then(|| "not the output of `ank get state -o yaml`".to_owned())
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

    fn shape(&self) -> Shape {
        Shape::Rounded
    }

    fn to_order(
        &self,
        _: &Resolution,
        variant: &Variant,
        [first, then]: [UnitIx; 2],
    ) -> Option<(String, Place)> {
        let first = &variant.units.get(first.0 as usize)?.name;
        let (_, place) = variant.entries(then, "dependencies")?;
        Some((format!("dependencies: {first}: ADD_COND_RUNNING"), place))
    }

    fn declare(&self, _: &dyn View, project: ProjectView<'_>, dir: &Utf8Path) -> Option<Declaration> {
        discover::declare(project, dir)
    }

    fn layer_meaning(&self, _: &Variant, operation: Operation) -> LayerMeaning {
        LayerMeaning {
            barrier: false,
            sentence: match operation {
                Operation::Apply => "a workload starts when its own conditions hold",
                Operation::Delete => "a workload stops when its own conditions hold",
            },
        }
    }

    fn handoff(&self, seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Option<Handoff> {
        Some(invocation::usual(seed, operation, options))
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
        &["ank", "ank-server"]
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

    fn version_args(&self, _: &str) -> &'static [&'static str] {
        &["--version"]
    }
}

impl Stages for Ankaios {
    type Loaded = Loaded;
    type Model = Model;
    type Related = Related;

    fn load(&self, pass: &Pass<'_>) -> Loaded {
        load::load(pass)
    }

    fn model(&self, pass: &Pass<'_>, loaded: &Arc<Loaded>) -> Model {
        model::model(pass, loaded)
    }

    fn relate(&self, _: &Pass<'_>, model: &Arc<Model>) -> Related {
        relate::relate(model)
    }

    fn check(&self, pass: &Pass<'_>, model: &Arc<Model>, related: &Arc<Related>) -> Vec<Checked> {
        let (blocks, unknown) = rules::check(pass, model, related);
        vec![Checked {
            blocks,
            unknown,
            environments: vec![Environment::default()],
        }]
    }

    fn commands(&self) -> &'static [Command] {
        &judge::COMMANDS
    }

    fn rank(&self, related: &Related, _: usize, stage: &'static str, block: usize, at: u32) -> u64 {
        rules::rank(related, stage, block, at)
    }

    fn round(&self, related: &Related, _: usize, stage: &'static str, block: usize, at: u32) -> u64 {
        rules::round(related, stage, block, at)
    }

    fn adjust_verdicts(&self, _: &Pass<'_>, model: &Model, verdicts: &mut Vec<Verdict>) {
        let role = model.role();
        verdicts.retain(|v| {
            v.command == judge::STARTUP && role.starts_up() || v.command == judge::APPLY && role.applies()
        });
    }

    fn outcome(
        &self,
        pass: &Pass<'_>,
        model: &Arc<Model>,
        related: &Arc<Related>,
        _: &[Checked],
        verdicts: &[Verdict],
    ) -> Outcome {
        // There may be as many projects as files.
        static WHY: LazyLock<[Arc<str>; 2]> =
            LazyLock::new(|| ["one of the manifests of this apply", "the manifest"].map(Into::into));
        let [of_apply, alone] = &*WHY;
        let why = if model.role() == load::Role::Apply {
            of_apply
        } else {
            alone
        };
        let members = model.loaded.inputs.iter().map(|input| Member {
            file: input.file,
            why: why.clone(),
            via: None,
        });
        let startup = verdicts
            .iter()
            .find(|v| v.command == judge::STARTUP && v.ok == Some(false));
        let refused = startup
            .filter(|_| model.role() == load::Role::Startup)
            .and_then(|v| v.stage)
            .map(|stage| rejection(judge::STARTUP, stage));
        let (of, from, options) = (model.clone(), related.clone(), pass.options.clone());
        let variant = move || {
            let mut variant = relate::with_orders(&options, &of, &from);
            if let Some(because) = &refused {
                variant.apply.guaranteed = false;
                variant.apply.because.get_or_insert_with(|| because.clone());
            }
            vec![variant]
        };
        let (for_symbols, cx_engine) = (model.clone(), pass.cx.engine_index());
        let config = pass.cx.config(&pass.seed.root.join("applyorder.toml"));
        let of_file = || {
            config
                .section::<config::AnkaiosConfig>()
                .version
                .clone()
                .map(String::from)
        };
        let configured = pass.options.engine_version.clone().or_else(of_file);
        Outcome {
            members: members.collect(),
            variants: Lazy::new(variant),
            links: Arc::default(),
            symbols: Lazy::new(move || editor::symbols::symbols(&for_symbols, cx_engine)),
            unresolved: Vec::new(),
            engine_version: configured.unwrap_or_else(|| META.version.to_owned()),
            state: Some(Arc::new(State {
                model: model.clone(),
                related: related.clone(),
                verdicts: verdicts.to_vec(),
                plan: OnceLock::new(),
            })),
            hints: pass
                .cx
                .is_wanted(&redundant_dependency::RULE)
                .then(|| rules::redundant_dependency::search(model, related)),
        }
    }
}

fn plan_of(model: &Model, related: &Related, verdicts: &[Verdict]) -> Plan {
    let units = || (0u32..).map(UnitIx).take(model.units.len());
    let is_accepted = verdicts
        .iter()
        .any(|v| v.command == judge::APPLY && v.ok == Some(true));
    let manifests = || model.sources.iter().map(model::Source::manifest);
    let lost = manifests().flat_map(|m| &m.workloads).flat_map(|workload| {
        let fields = workload.lost.iter();
        fields.map(|field| format!("workloads.{}.{field}", workload.name.value))
    });
    let cyclic = related.components.cyclic().iter();
    Plan {
        cycles: cyclic
            .map(|c| {
                related
                    .components
                    .members(*c)
                    .iter()
                    .map(|n| UnitIx(n.0))
                    .collect()
            })
            .collect(),
        startup_cycle: related.startup_cycle.clone(),
        apply_cycle: related.apply_cycle.clone(),
        dangling: (0u32..)
            .zip(&related.waits)
            .filter(|(_, wait)| wait.target.is_none())
            .map(|(number, wait)| (wait.unit, related.text(number).clone()))
            .collect(),
        blocked: units()
            .filter(|u| related.blocked.get(u.0 as usize).is_some_and(Option::is_some))
            .collect(),
        gates: units()
            .flat_map(|u| related.gates(u).map(move |(by, _)| (u, by)))
            .collect(),
        lost: lost.filter(|_| is_accepted).collect(),
        updates_nothing: is_accepted && model.updates_nothing(),
        is_deprecated: manifests().any(|m| m.version == Version::V01),
        is_unreadable: manifests().any(|m| m.has_hidden_dependencies || m.is_broken),
    }
}
