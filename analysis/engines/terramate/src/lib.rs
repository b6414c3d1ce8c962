//! Terramate: stacks in directories, ordered by `after`, `before` and nesting.
//!
//! Follows Terramate 0.17.2. [`discover`] finds roots, [`read`] reads files. Then a project goes through these
//! steps: [`load`] finds its directories and files, [`model`] its stacks and what they contain, [`relate`]
//! which stacks entries mean and the resulting order, [`rules`] the findings, [`judge`] what Terramate would
//! report. [`outcome`] is what users are shown, and [`invocation`] names its commands.

mod config;
mod discover;
mod editor;
mod invocation;
mod judge;
mod load;
mod model;
mod names;
mod outcome;
mod problems;
mod read;
mod relate;
mod rules;
mod run_env;
mod schema;
mod scope;
#[cfg(test)]
mod tests;

use applyorder_core::engine::EngineIx;
use applyorder_core::engine::invocation::{CommandLine, FlagTable, Invocation, Refusal, VersionFit, fit};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use applyorder_core::diagnostic::FileId;
use applyorder_core::diagnostic::Place;
use applyorder_core::engine::options;
use applyorder_core::engine::{
    Completion, Cx, Declaration, Engine, EngineMeta, Facts, FactsInput, Findings, Handoff, LayerMeaning,
    Moved, Offer, Operation, OutlineItem, ProjectSeed, Recognition, Resolution, RunOptions, Shape, UnitIx,
    Variant, Verdict, WhySelected,
};
use applyorder_core::engine::{ProjectView, View, WrittenPath};
use applyorder_core::files::join_clean;
use applyorder_core::layer;
use applyorder_syntax::Language;
use applyorder_syntax::text::Span;
use layer::{Checked, Command, Finding, Outcome, Pass, Stages};
pub(crate) use outcome::State;
use read::FileFacts;

/// The names of Terramate.
pub(crate) static META: EngineMeta = EngineMeta {
    id: "terramate",
    title: "Terramate",
    unit: "stack",
    units: "stacks",
    looks_for: "files named *.tm or *.tm.hcl",
    language: Language::Hcl,
    version: "0.17.2",
    options: &[
        &options::TAGS,
        &options::NO_TAGS,
        &options::CWD,
        &options::CHANGED,
        &options::SINCE,
        &options::AS,
        &options::ENGINE_VERSION,
    ],
    config: Some(&config::SECTION),
    command_lines: &[],
    rules: &rules::OWN,
    shared_rules: &rules::SHARED,
};

/// The engine.
pub static ENGINE: Terramate = Terramate;

/// The only engine of the tests in this crate.
#[cfg(test)]
const ALONE: applyorder_core::engine::Engines = {
    static ALL: [&dyn Engine; 1] = [&ENGINE];
    applyorder_core::engine::Engines::new(&ALL)
};

/// See [`ENGINE`].
pub struct Terramate;

impl Engine for Terramate {
    fn meta(&self) -> &'static EngineMeta {
        &META
    }

    fn recognise(&self, path: &Utf8Path, _offer: Offer, _bytes: Option<&[u8]>) -> Recognition {
        if path.file_name().is_some_and(discover::is_config) {
            Recognition::Yes
        } else {
            Recognition::No
        }
    }

    fn facts(&self, input: &FactsInput<'_>) -> Arc<dyn Facts> {
        Arc::new(FileFacts::read(input))
    }

    fn projects(&self, cx: &Cx<'_>, candidates: &[FileId], _explicit: &[FileId]) -> Vec<ProjectSeed> {
        discover::projects(cx, candidates)
    }

    fn resolve(&self, cx: &Cx<'_>, seed: &ProjectSeed, options: &RunOptions) -> Resolution {
        layer::resolve(self, cx, seed, options)
    }

    fn at_sight(&self, cx: &Cx<'_>, seed: &ProjectSeed, options: &RunOptions, file: FileId) -> Findings {
        layer::at_sight(self, cx, seed, options, file)
    }

    fn complete(&self, analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32) -> Vec<Completion> {
        editor::complete::complete(analysis, engine, file, offset)
    }

    fn hover(&self, _: &Resolution, variant: &Variant, unit: UnitIx) -> Vec<String> {
        editor::hover::hover(variant, unit)
    }

    fn field(&self, analysis: &dyn View, _: EngineIx, file: FileId, offset: u32) -> Option<(Span, String)> {
        editor::attributes::field(&analysis.source(file)?.text, offset)
    }

    fn check_symbol(&self, kind: &str, name: &str) -> Result<(), String> {
        if kind == model::symbols::TAG {
            if name.is_empty() {
                return Err("a tag must not be empty".to_owned());
            }
            model::tags::check(name)
        } else if model::stacks::is_id(name) {
            Ok(())
        } else {
            Err("invalid stack id: use 1 to 64 letters, digits, `_` and `-`".to_owned())
        }
    }

    fn why_selected(&self, engine: EngineIx, resolution: &Resolution, unit: UnitIx) -> Option<WhySelected> {
        editor::why_selected::why_selected(engine, resolution, unit)
    }

    fn paths(&self, analysis: &dyn View, project: ProjectView<'_>, file: FileId) -> Vec<WrittenPath> {
        editor::paths::paths(analysis, project, file)
    }

    fn moved(
        &self,
        analysis: &dyn View,
        project: ProjectView<'_>,
        from: &Utf8Path,
        to: &Utf8Path,
    ) -> Option<Moved> {
        editor::path_rewrites::moved(analysis, project, from, to)
    }

    fn outline(&self, facts: &dyn Facts) -> Vec<OutlineItem> {
        facts
            .as_any()
            .downcast_ref::<FileFacts>()
            .map_or_else(Vec::new, FileFacts::outline)
    }

    fn commands(&self) -> &'static [&'static str] {
        &["run", "list"]
    }

    fn command_of(&self, _: Operation, options: &RunOptions) -> Option<&'static str> {
        Some(match options.command.as_deref() {
            Some("list") => "list --run-order",
            _ => "run",
        })
    }

    fn runs_in(&self, seed: &ProjectSeed, _: &Resolution, variant: &Variant) -> Vec<(UnitIx, Utf8PathBuf)> {
        let units = (0..).map(UnitIx).zip(&variant.units);
        units
            .map(|(ix, unit)| (ix, join_clean(&seed.root, &unit.name)))
            .collect()
    }

    fn shape(&self) -> Shape {
        Shape::Folder
    }

    fn to_order(
        &self,
        _: &Resolution,
        variant: &Variant,
        [first, then]: [UnitIx; 2],
    ) -> Option<(String, Place)> {
        let first = &variant.units.get(first.0 as usize)?.name;
        let (mut entries, place) = variant.entries(then, "after")?;
        entries.push(first.clone());
        let entries: Vec<String> = entries.iter().map(|entry| format!("{entry:?}")).collect();
        Some((format!("after = [{}]", entries.join(", ")), place))
    }

    fn declare(&self, _: &dyn View, project: ProjectView<'_>, dir: &Utf8Path) -> Option<Declaration> {
        discover::declare(project, dir)
    }

    fn layer_meaning(&self, _: &Variant, _: Operation) -> LayerMeaning {
        LayerMeaning {
            barrier: false,
            sentence: "one at a time, in this sequence; with --parallel a stack starts when its own predecessors are done",
        }
    }

    fn handoff(&self, seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Option<Handoff> {
        Some(invocation::usual(seed, operation, options))
    }

    fn programs(&self) -> &'static [&'static str] {
        &["terramate"]
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

    fn version_fit(&self, _: &str, version: &str) -> VersionFit {
        fit(
            version,
            META.version,
            &[("0.14.0", "stacks ran in another, depth-first order")],
        )
    }
}

impl Stages for Terramate {
    type Loaded = load::Loaded;
    type Model = model::Model;
    type Related = relate::Related;

    fn load(&self, pass: &Pass<'_>) -> Self::Loaded {
        load::load(pass)
    }

    fn model(&self, pass: &Pass<'_>, loaded: &Arc<Self::Loaded>) -> Self::Model {
        model::model(pass, loaded)
    }

    fn relate(&self, pass: &Pass<'_>, model: &Arc<Self::Model>) -> Self::Related {
        relate::relate(pass, model)
    }

    fn check(&self, pass: &Pass<'_>, model: &Arc<Self::Model>, related: &Arc<Self::Related>) -> Vec<Checked> {
        rules::check(pass, model, related)
    }

    fn commands(&self) -> &'static [Command] {
        &judge::COMMANDS
    }

    fn rank(&self, related: &Self::Related, _: usize, stage: &'static str, block: usize, at: u32) -> u64 {
        related.rank(stage, block, at)
    }

    fn adjust_verdicts(&self, pass: &Pass<'_>, model: &Self::Model, verdicts: &mut Vec<Verdict>) {
        judge::adjust(model.loaded.is_rootless, pass.options, verdicts);
    }

    fn certain(&self, pass: &Pass<'_>, file: FileId) -> Vec<Finding> {
        rules::check_part(pass, file)
    }

    fn outcome(
        &self,
        pass: &Pass<'_>,
        model: &Arc<Self::Model>,
        related: &Arc<Self::Related>,
        _: &[Checked],
        _: &[Verdict],
    ) -> Outcome {
        outcome::outcome(pass, model, related)
    }
}
