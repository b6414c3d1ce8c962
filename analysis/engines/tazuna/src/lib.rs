//! Tazuna (`tazuna.yaml`): a list of manifests, applied one after the other or, as soon as one of them
//! has `dependsOn`, in layers.
//!
//! The rooms: [`discover`] finds roots, [`facts`] reads one file, [`resolve`] makes one project of a root
//! and its includes, [`verdict`] says what the commands would, [`rules`] holds what only this engine
//! reports, [`handoff`] names the command to run, [`editor`] answers what only editors ask.

mod discover;
mod editor;
mod facts;
mod handoff;
mod names;
mod resolve;
mod rules;
mod schema;
mod tags;
mod verdict;

#[cfg(test)]
mod tests;

use applyorder_core::engine::EngineIx;
use std::sync::Arc;

use camino::Utf8Path;

use applyorder_core::config::TazunaGeneration;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::View;
use applyorder_core::engine::{
    Completion, Cx, Engine, EngineMeta, Facts, FactsInput, Handoff, Offer, Operation, OptionName,
    OutlineItem, ProjectSeed, Recognition, Resolution, RunOptions, UnitIx, Variant,
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
    language: Language::Yaml,
    version: "G5",
    options: &[OptionName::Env, OptionName::Tags, OptionName::EngineVersion],
    rules: &rules::OWN,
    shared_rules: &rules::SHARED,
};

fn meta() -> &'static EngineMeta {
    &META
}

impl Engine for Tazuna {
    fn meta(&self) -> &'static EngineMeta {
        meta()
    }

    fn recognise(&self, path: &Utf8Path, offer: Offer, bytes: Option<&[u8]>) -> Recognition {
        discover::recognise(path, offer, bytes)
    }

    fn facts(&self, input: &FactsInput<'_>) -> Arc<dyn Facts> {
        Arc::new(facts::TazunaFacts::read(input))
    }

    fn projects(&self, cx: &Cx<'_>, candidates: &[FileId], explicit: &[FileId]) -> Vec<ProjectSeed> {
        discover::projects(cx, candidates, explicit)
    }

    fn resolve(&self, cx: &Cx<'_>, seed: &ProjectSeed, options: &RunOptions) -> Resolution {
        resolve::resolve(cx, seed, options, None)
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

    fn hover(&self, resolution: &Resolution, variant: &Variant, unit: UnitIx) -> Vec<String> {
        editor::hover(resolution, variant, unit)
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

    fn handoff(&self, seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Option<Handoff> {
        handoff::command(seed, operation, options)
    }
}
