//! Terramate: stacks in directories, ordered by `after`, `before` and nesting.
//!
//! Follows Terramate 0.17.2. [`discover`] finds roots, [`read`] reads files; then a project goes one way: [`load`] finds
//! its directories and files, [`model`] its stacks and what they write, [`relate`] what is meant and in which order,
//! [`check`] what is wrong, [`judge`] what Terramate would say; [`outcome`] is what people are shown, and [`invocation`]
//! names its commands.

mod check;
mod discover;
mod editor;
mod found;
mod hints;
mod invocation;
mod judge;
mod load;
mod model;
mod outcome;
mod read;
mod relate;
mod rules;
mod schema;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use camino::Utf8Path;

use super::{
    Completion, Cx, Engine, EngineMeta, Facts, FactsInput, Handoff, Moved, Offer, Operation, OptionName,
    OutlineItem, ProjectSeed, Recognition, Resolution, RunOptions, UnitIx, Variant, Verdict, WhySelected,
};
use crate::diagnostic::{Diagnostic, FileId};
use crate::rules as shared;
use crate::syntax::Language;
use crate::workspace::{Analysis, Project};
use check::{Checked, Scope};
pub(crate) use outcome::State;
use read::FileFacts;

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
pub(super) static ENGINE: Terramate = Terramate;

/// See [`ENGINE`].
pub(super) struct Terramate;

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

    fn resolve(
        &self,
        cx: &Cx<'_>,
        seed: &ProjectSeed,
        options: &RunOptions,
        _: Option<&Resolution>,
    ) -> Resolution {
        resolve(cx, seed, options)
    }

    fn complete(&self, analysis: &Analysis, file: FileId, offset: u32) -> Vec<Completion> {
        let engine = super::index_of(META.id).unwrap_or_default();
        editor::complete::complete(analysis, engine, file, offset)
    }

    fn hover(&self, _: &Resolution, variant: &Variant, unit: UnitIx) -> Vec<String> {
        editor::hover::hover(variant, unit)
    }

    fn check_symbol(&self, kind: &str, name: &str) -> Result<(), String> {
        if kind == model::symbols::TAG {
            if name.is_empty() {
                return Err("a tag must not be empty".to_owned());
            }
            model::tags::check(name)
        } else if check::stacks::is_id(name) {
            Ok(())
        } else {
            Err("a stack id is 1 to 64 letters, digits, `_` and `-`".to_owned())
        }
    }

    fn why_selected(&self, resolution: &Resolution, unit: UnitIx) -> Option<WhySelected> {
        editor::why_selected::why_selected(resolution, unit)
    }

    fn moved(&self, analysis: &Analysis, project: &Project, from: &Utf8Path, to: &Utf8Path) -> Option<Moved> {
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
        Some(invocation::usual(seed, operation, options))
    }
}

/// One pass over a project.
fn resolve(cx: &Cx<'_>, seed: &ProjectSeed, options: &RunOptions) -> Resolution {
    let engine = cx.engine_index();
    let loaded = Arc::new(load::load(cx, seed, options));
    let model = Arc::new(model::model(cx, &loaded, options));
    let related = Arc::new(relate::relate(&model));
    let scope = Scope::new(engine, &model, &related);
    let checked = check::check(scope);
    let verdicts = judge::verdicts(scope, &checked, options);
    let hints = scope.redundant();
    let unknown = model.unknown.iter().cloned();
    let unresolved = unknown.chain(hints.why_cut_short()).map(|why| (None, why));
    Resolution {
        members: outcome::members(&loaded.tree).into(),
        diagnostics: told(&checked, hints, &verdicts).into(),
        verdicts,
        links: outcome::links(cx, &loaded.tree).into(),
        symbols: outcome::symbols(engine, &model),
        unresolved: unresolved.collect(),
        engine_version: loaded.version.clone(),
        variants: outcome::variants(engine, &model, &related),
        memo: Some(Arc::new(State {
            loaded,
            model,
            related,
        })),
    }
}

/// The findings that people are told.
fn told(checked: &Checked, hints: hints::Redundant, verdicts: &[Verdict]) -> Vec<Diagnostic> {
    let problems = checked.no_root.iter().chain(&checked.version);
    let problems = problems.chain(&checked.load).chain(&checked.stacks);
    let problems = problems.filter(|f| !f.silent).map(|f| f.diagnostic.clone());
    let mut found: Vec<Diagnostic> = problems.chain(checked.told.iter().cloned()).collect();
    found.extend(hints.found.into_iter().map(|(_, d)| d));
    shared::keep_most_specific(&mut found);
    judge::mark_first(verdicts, &mut found);
    found
}
