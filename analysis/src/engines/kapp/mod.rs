//! kapp: change groups, change rules and the built-in ordering of Kubernetes resources.

mod defaults;
mod discover;
mod facts;
mod grammar;
mod handoff;
mod matcher;
mod names;
mod resolve;
mod rules;
mod scope;
mod simulate;
mod verdict;
mod version;

use std::sync::Arc;

use camino::Utf8Path;

use super::{
    Cx, Engine, EngineMeta, Facts, FactsInput, Handoff, Offer, Operation, OptionName, ProjectSeed,
    Recognition, Resolution, RunOptions,
};
use crate::diagnostic::FileId;
use crate::syntax::Language;

pub use facts::KappFacts;
pub use grammar::{Op, Order};
pub use resolve::bindings::{ChangeUses, GroupUse, RuleUse, Source, UseError, Uses};
pub use resolve::changes::Change;
pub use resolve::{Operation as PlannedOperation, Plan};

/// The engine.
#[derive(Debug)]
pub struct Kapp;

/// The one engine of its kind.
pub(super) static ENGINE: Kapp = Kapp;

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
        OptionName::Changed,
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

    fn facts(&self, input: &FactsInput<'_>) -> Arc<dyn Facts> {
        Arc::new(facts::read(input))
    }

    fn projects(&self, cx: &Cx<'_>, candidates: &[FileId], explicit: &[FileId]) -> Vec<ProjectSeed> {
        discover::projects(cx, candidates, explicit)
    }

    fn resolve(
        &self,
        cx: &Cx<'_>,
        seed: &ProjectSeed,
        options: &RunOptions,
        _previous: Option<&Resolution>,
    ) -> Resolution {
        resolve::resolve(cx, seed, options)
    }

    fn handoff(&self, seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Option<Handoff> {
        handoff::command(seed, operation, options)
    }
}
