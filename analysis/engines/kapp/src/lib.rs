//! kapp: change groups, change rules and the built-in ordering of Kubernetes resources.

mod defaults;
mod discover;
mod editor;
mod facts;
mod grammar;
mod handoff;
mod matcher;
mod names;
mod resolve;
mod rules;
mod scope;
mod simulate;
#[cfg(test)]
mod tests;
mod verdict;
mod version;

use applyorder_core::engine::EngineIx;
use std::sync::Arc;

use camino::Utf8Path;

use self::editor::{complete, hover};
use applyorder_core::config::Configs;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::View;
use applyorder_core::engine::{
    Completion, Cx, DependencyIx, Engine, EngineMeta, Facts, FactsInput, Handoff, Offer, Operation,
    OptionName, OutlineItem, ProjectSeed, Recognition, Render, Resolution, RunOptions, UnitIx, Variant,
};
use applyorder_syntax::Language;
use applyorder_syntax::text::Span;

pub use facts::KappFacts;
pub use grammar::{Op, Order};
pub use resolve::changes::Change;
pub use resolve::uses::{ChangeUses, GroupUse, RuleUse, Source, UseError, Uses};
pub use resolve::{Operation as PlannedOperation, Plan};

/// The engine.
#[derive(Debug)]
pub struct Kapp;

/// The one engine of its kind.
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
    language: Language::Yaml,
    version: version::NEWEST,
    options: &[
        OptionName::Namespace,
        OptionName::IntoNs,
        OptionName::MapNs,
        OptionName::Changed,
        OptionName::Failed,
        OptionName::State,
        OptionName::EngineVersion,
    ],
    rules: rules::OWN,
    shared_rules: rules::SHARED,
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

    fn renders(&self, configs: &Configs) -> Vec<Render> {
        discover::renders(configs)
    }

    fn facts(&self, input: &FactsInput<'_>) -> Arc<dyn Facts> {
        Arc::new(facts::read(input))
    }

    fn projects(&self, cx: &Cx<'_>, candidates: &[FileId], explicit: &[FileId]) -> Vec<ProjectSeed> {
        discover::projects(cx, candidates, explicit)
    }

    fn resolve(&self, cx: &Cx<'_>, seed: &ProjectSeed, options: &RunOptions) -> Resolution {
        resolve::resolve(cx, seed, options)
    }

    fn complete(&self, analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32) -> Vec<Completion> {
        complete::complete(analysis, engine, file, offset)
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

    fn stands_for(&self, facts: &dyn Facts, offset: u32) -> Option<(Span, u32)> {
        let facts = facts.as_any().downcast_ref::<KappFacts>()?;
        hover::stands_for(facts, offset)
    }

    fn explain(
        &self,
        resolution: &Resolution,
        variant: &Variant,
        dependency: DependencyIx,
    ) -> Option<String> {
        hover::of_dependency(resolution, variant, dependency)
    }

    fn command_of(&self, operation: Operation, _: &RunOptions) -> Option<&'static str> {
        Some(match operation {
            Operation::Apply => "deploy",
            Operation::Delete => "delete",
        })
    }

    fn handoff(&self, seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Option<Handoff> {
        handoff::command(seed, operation, options)
    }
}
