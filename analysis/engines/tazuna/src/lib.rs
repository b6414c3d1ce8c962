//! Tazuna (`tazuna.yaml`): a list of manifests, applied one by one or, once one of them
//! has `dependsOn`, in layers.
//!
//! The modules, in the order of the data: [`discover`] finds roots, [`read`] reads one file, [`load`] finds the
//! files of a project, [`model`] combines them, [`relate`] resolves their references, [`rules`] check what
//! [`scope`] exposes, [`judge`] has the stages of the commands. [`invocation`] names the command to run,
//! [`editor`] answers the requests of editors.

mod config;
mod discover;
mod editor;
mod invocation;
mod judge;
mod load;
mod model;
mod names;
mod outcome;
mod read;
mod relate;
mod rules;
mod schema;
mod scope;
mod simulate;
mod tags;

#[cfg(test)]
#[path = "../../../../tests/differential/random.rs"]
#[allow(dead_code, reason = "the differential tests use more of it")]
mod random;
mod stages;
#[cfg(test)]
mod tests;

use applyorder_core::engine::EngineIx;
use applyorder_core::engine::invocation::{CommandLine, FlagTable, Invocation, Refusal};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::config::TazunaGeneration;
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::options;
use applyorder_core::engine::{
    Completion, Cx, Declaration, Engine, EngineMeta, Facts, FactsInput, Handoff, LayerMeaning, Offer,
    Operation, OutlineItem, ProjectSeed, ProjectView, Recognition, Resolution, RunOptions, UnitIx, Variant,
    View, WrittenPath,
};
use applyorder_syntax::Language;
use applyorder_syntax::text::Span;

/// The engine.
pub static ENGINE: Tazuna = Tazuna;

/// The only engine of the tests in this crate.
#[cfg(test)]
const ALONE: applyorder_core::engine::Engines = {
    static ALL: [&dyn Engine; 1] = [&ENGINE];
    applyorder_core::engine::Engines::new(&ALL)
};

/// See [`ENGINE`].
#[derive(Debug)]
pub struct Tazuna;

static META: EngineMeta = EngineMeta {
    id: "tazuna",
    title: "Tazuna",
    unit: "manifest",
    units: "manifests",
    looks_for: "a file named tazuna.yaml",
    language: Language::Yaml,
    version: "G5",
    options: &[
        &options::ENV,
        &options::TAGS,
        &options::FAILED,
        &options::ENGINE_VERSION,
    ],
    config: Some(&config::SECTION),
    command_lines: &[],
    rules: &rules::OWN,
    shared_rules: &rules::SHARED,
};

fn meta() -> &'static EngineMeta {
    &META
}

/// A number of units; saturates far beyond what the size limit of files lets in.
fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

impl Engine for Tazuna {
    fn meta(&self) -> &'static EngineMeta {
        meta()
    }

    fn recognise(&self, path: &Utf8Path, offer: Offer, bytes: Option<&[u8]>) -> Recognition {
        discover::recognise(path, offer, bytes)
    }

    fn facts(&self, input: &FactsInput<'_>) -> Arc<dyn Facts> {
        Arc::new(read::TazunaFacts::read(input))
    }

    fn projects(&self, cx: &Cx<'_>, candidates: &[FileId], explicit: &[FileId]) -> Vec<ProjectSeed> {
        discover::projects(cx, candidates, explicit)
    }

    fn resolve(&self, cx: &Cx<'_>, seed: &ProjectSeed, options: &RunOptions) -> Resolution {
        applyorder_core::layer::resolve(self, cx, seed, options)
    }

    fn complete(&self, analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32) -> Vec<Completion> {
        editor::complete(analysis, engine, file, offset)
    }

    fn field(
        &self,
        analysis: &dyn View,
        engine: EngineIx,
        file: FileId,
        offset: u32,
    ) -> Option<(Span, String)> {
        editor::field(analysis, engine, file, offset)
    }

    fn outline(&self, facts: &dyn Facts) -> Vec<OutlineItem> {
        editor::outline(facts)
    }

    fn paths(&self, analysis: &dyn View, project: ProjectView<'_>, file: FileId) -> Vec<WrittenPath> {
        editor::paths(analysis, project, file)
    }

    fn hover(&self, resolution: &Resolution, variant: &Variant, unit: UnitIx) -> Vec<String> {
        editor::hover(resolution, variant, unit)
    }

    fn hover_group(&self, facts: &dyn Facts, offset: u32) -> Option<(Span, Vec<u32>)> {
        editor::stands_for(facts, offset)
    }

    fn runs_in(
        &self,
        seed: &ProjectSeed,
        resolution: &Resolution,
        variant: &Variant,
    ) -> Vec<(UnitIx, Utf8PathBuf)> {
        editor::runs_in(seed, resolution, variant)
    }

    fn check_name(&self, name: &str) -> Result<(), String> {
        match names::problem(name, TazunaGeneration::G5) {
            None => Ok(()),
            Some(problem) => {
                let words = names::Words(problem, name, TazunaGeneration::G5).to_string();
                Err(words)
            }
        }
    }

    fn command_of(&self, operation: Operation, _: &RunOptions) -> Option<&'static str> {
        Some(match operation {
            Operation::Apply => "apply",
            Operation::Delete => "destroy",
        })
    }

    fn to_order(
        &self,
        _: &Resolution,
        variant: &Variant,
        [first, then]: [UnitIx; 2],
    ) -> Option<(String, Place)> {
        let first = &variant.units.get(first.0 as usize)?.name;
        let (mut entries, place) = variant.entries(then, "dependsOn")?;
        entries.push(first.clone());
        Some((format!("dependsOn: [{}]", entries.join(", ")), place))
    }

    fn declare(&self, _: &dyn View, project: ProjectView<'_>, dir: &Utf8Path) -> Option<Declaration> {
        discover::declare(project, dir)
    }

    fn layer_meaning(&self, variant: &Variant, operation: Operation) -> LayerMeaning {
        let in_layers =
            operation == Operation::Apply && variant.properties.contains(&("mode", "dag".to_owned()));
        LayerMeaning {
            barrier: true,
            sentence: if in_layers {
                "a layer starts when the whole layer before it is done"
            } else {
                "one after the other, as listed"
            },
        }
    }

    fn handoff(&self, seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Option<Handoff> {
        invocation::command(seed, operation, options)
    }

    fn programs(&self) -> &'static [&'static str] {
        &["tazuna"]
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
}
