//! Terramate: stacks in directories, ordered by `after`, `before` and nesting.
//!
//! Follows Terramate 0.17.2. Rooms: [`discover`] finds roots, [`facts`] reads files, [`resolve`] makes stacks, orders
//! and findings, [`verdict`] says what Terramate would say, [`handoff`] names its commands.

mod discover;
mod editor;
mod facts;
mod handoff;
mod resolve;
mod rules;
#[cfg(test)]
mod tests;
mod verdict;
mod why_selected;

use applyorder_core::engine::EngineIx;
use std::sync::Arc;

use camino::Utf8Path;

use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{
    Completion, Cx, Engine, EngineMeta, Facts, FactsInput, Handoff, Moved, Offer, Operation, OptionName,
    OutlineItem, ProjectSeed, Recognition, Resolution, RunOptions, UnitIx, Variant, WhySelected,
};
use applyorder_core::engine::{ProjectView, View};
use applyorder_core::rules as shared;
use applyorder_syntax::Language;
use facts::FileFacts;

/// What Terramate is called.
pub(crate) static META: EngineMeta = EngineMeta {
    id: "terramate",
    title: "Terramate",
    unit: "stack",
    units: "stacks",
    language: Language::Hcl,
    version: "0.17.2",
    options: &[
        OptionName::Tags,
        OptionName::NoTags,
        OptionName::Cwd,
        OptionName::Changed,
        OptionName::Since,
        OptionName::As,
        OptionName::EngineVersion,
    ],
    rules: &rules::ALL,
    shared_rules: &[
        &shared::cycle::RULE,
        &shared::duplicate_dependency::RULE,
        &shared::duplicate_key::RULE,
        &shared::duplicate_name::RULE,
        &shared::inert_dependency::RULE,
        &shared::invalid_name::RULE,
        &shared::invalid_value::RULE,
        &shared::limit_reached::RULE,
        &shared::missing_field::RULE,
        &shared::missing_file::RULE,
        &shared::redundant_dependency::RULE,
        &shared::self_dependency::RULE,
        &shared::syntax_error::RULE,
        &shared::unknown_dependency::RULE,
        &shared::unknown_field::RULE,
        &shared::unreadable_file::RULE,
        &shared::unresolved::RULE,
        &shared::unsupported_version::RULE,
        &shared::wrong_type::RULE,
    ],
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
        resolve::resolve(cx, seed, options, None)
    }

    fn complete(&self, analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32) -> Vec<Completion> {
        editor::complete::complete(analysis, engine, file, offset)
    }

    fn hover(&self, _: &Resolution, variant: &Variant, unit: UnitIx) -> Vec<String> {
        editor::hover::hover(variant, unit)
    }

    fn check_symbol(&self, kind: &str, name: &str) -> Result<(), String> {
        if kind == resolve::symbols::TAG {
            if name.is_empty() {
                return Err("a tag must not be empty".to_owned());
            }
            resolve::tags::check(name)
        } else if resolve::is_id(name) {
            Ok(())
        } else {
            Err("a stack id is 1 to 64 letters, digits, `_` and `-`".to_owned())
        }
    }

    fn why_selected(&self, engine: EngineIx, resolution: &Resolution, unit: UnitIx) -> Option<WhySelected> {
        why_selected::why_selected(engine, resolution, unit)
    }

    fn moved(
        &self,
        analysis: &dyn View,
        project: ProjectView<'_>,
        from: &Utf8Path,
        to: &Utf8Path,
    ) -> Option<Moved> {
        editor::moved::moved(analysis, project, from, to)
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

    fn handoff(&self, seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Option<Handoff> {
        Some(handoff::usual(seed, operation, options))
    }
}
