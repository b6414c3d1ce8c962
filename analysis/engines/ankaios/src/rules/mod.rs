//! The rules, listed once, and what their checks look at.

mod agent_template_form;
mod coerced_scalar;
mod config_leaf;
mod config_undefined;
mod config_unused;
mod cycle;
mod duplicate_key;
mod duplicate_name;
mod file_content;
mod filter_mask_alias;
mod impossible;
mod inert_dependency;
mod invalid_name;
mod invalid_value;
mod kube_files;
mod merge_key;
mod missing_field;
mod missing_file;
mod nested_api_version;
mod no_workloads;
pub(crate) mod redundant_dependency;
mod runtime_config;
mod self_dependency;
mod syntax_error;
mod tags_form;
mod tags_lost;
mod template_syntax;
mod template_variable;
mod template_without_configs;
mod unknown_dependency;
mod unknown_field;
mod unreachable_runtime;
mod unscheduled_dependency;
mod unsupported_version;
mod update_gated;
mod wrong_type;

use std::sync::Arc;

use applyorder_core::diagnostic::{Diagnostic, FileId, FixStep, Place, Rule};
use applyorder_core::engine::{Dependency, EngineIx, Unit, UnitIx};
use applyorder_core::layer::{Block, Finding, Listed, Pass, Scopes, Unknown, check_project, check_source};
use applyorder_core::rules as shared;
use applyorder_core::store::Shape;

use crate::judge::{APPLY, STARTUP, stage, wrapped};
use crate::load::Role;
use crate::model::Model;
use crate::read::{Fault, FaultKind, Manifest, Said, Version, Workload};
use crate::relate::Related;

/// The rules that only Ankaios has.
pub(crate) static OWN: &[&Rule] = &[
    &agent_template_form::RULE,
    &config_leaf::RULE,
    &config_undefined::RULE,
    &config_unused::RULE,
    &file_content::RULE,
    &filter_mask_alias::RULE,
    &impossible::RULE,
    &kube_files::RULE,
    &merge_key::RULE,
    &nested_api_version::RULE,
    &no_workloads::RULE,
    &runtime_config::RULE,
    &tags_form::RULE,
    &tags_lost::RULE,
    &template_syntax::RULE,
    &template_variable::RULE,
    &template_without_configs::RULE,
    &unreachable_runtime::RULE,
    &unscheduled_dependency::RULE,
    &update_gated::RULE,
];

/// The shared rules that manifests can meet.
pub(crate) static SHARED: &[&Rule] = &[
    &shared::coerced_scalar::RULE,
    &shared::cycle::RULE,
    &shared::duplicate_key::RULE,
    &shared::duplicate_name::RULE,
    &shared::inert_dependency::RULE,
    &shared::invalid_name::RULE,
    &shared::invalid_value::RULE,
    &shared::missing_field::RULE,
    &shared::missing_file::RULE,
    &shared::redundant_dependency::RULE,
    &shared::self_dependency::RULE,
    &shared::syntax_error::RULE,
    &shared::unknown_dependency::RULE,
    &shared::unknown_field::RULE,
    &shared::unreadable_file::RULE,
    &shared::unsupported_version::RULE,
    &shared::wrong_type::RULE,
];

/// How each rule is looked for.
static RULES: &[Listed<Ankaios>] = &[
    Listed::source(&shared::syntax_error::RULE, |scope, found| {
        syntax_error::check(scope, found)
    }),
    Listed::source(&shared::duplicate_key::RULE, |scope, found| {
        duplicate_key::check(scope, found)
    }),
    Listed::source(&shared::unsupported_version::RULE, |scope, found| {
        unsupported_version::check(scope, found)
    }),
    Listed::source(&shared::unknown_field::RULE, |scope, found| {
        unknown_field::check(scope, found)
    }),
    Listed::source(&shared::missing_field::RULE, |scope, found| {
        missing_field::check(scope, found)
    }),
    Listed::source(&shared::wrong_type::RULE, |scope, found| {
        wrong_type::check(scope, found)
    }),
    Listed::source(&shared::coerced_scalar::RULE, |scope, found| {
        coerced_scalar::check(scope, found)
    }),
    Listed::source(&shared::invalid_value::RULE, |scope, found| {
        invalid_value::check(scope, found)
    }),
    Listed::source(&shared::invalid_name::RULE, |scope, found| {
        invalid_name::check(scope, found)
    }),
    Listed::source(&merge_key::RULE, |scope, found| merge_key::check(scope, found)),
    Listed::source(&nested_api_version::RULE, |scope, found| {
        nested_api_version::check(scope, found)
    }),
    Listed::source(&no_workloads::RULE, |scope, found| {
        no_workloads::check(scope, found)
    }),
    Listed::source(&agent_template_form::RULE, |scope, found| {
        agent_template_form::check(scope, found)
    }),
    Listed::source(&tags_form::RULE, |scope, found| tags_form::check(scope, found)),
    Listed::source(&tags_lost::RULE, |scope, found| tags_lost::check(scope, found)),
    Listed::source(&config_leaf::RULE, |scope, found| {
        config_leaf::check(scope, found)
    }),
    Listed::source(&filter_mask_alias::RULE, |scope, found| {
        filter_mask_alias::check(scope, found)
    }),
    Listed::source(&file_content::RULE, |scope, found| {
        file_content::check(scope, found)
    }),
    Listed::source(&kube_files::RULE, |scope, found| kube_files::check(scope, found)),
    Listed::source(&unreachable_runtime::RULE, |scope, found| {
        unreachable_runtime::check(scope, found)
    }),
    Listed::source(&runtime_config::RULE, |scope, found| {
        runtime_config::check(scope, found)
    }),
    Listed::source(&template_without_configs::RULE, |scope, found| {
        template_without_configs::check(scope, found)
    }),
    Listed::project(&shared::missing_file::RULE, |scope, found| {
        missing_file::check(scope, found)
    }),
    Listed::elsewhere(&shared::unreadable_file::RULE),
    Listed::project(&shared::duplicate_name::RULE, |scope, found| {
        duplicate_name::check(scope, found)
    }),
    Listed::project(&config_undefined::RULE, |scope, found| {
        config_undefined::check(scope, found)
    }),
    Listed::project(&template_variable::RULE, |scope, found| {
        template_variable::check(scope, found)
    }),
    Listed::elsewhere(&template_syntax::RULE),
    Listed::project(&shared::invalid_name::RULE, |scope, found| {
        invalid_name::check_agents(scope, found)
    }),
    Listed::project(&config_unused::RULE, |scope, found| {
        config_unused::check(scope, found)
    }),
    Listed::project(&shared::self_dependency::RULE, |scope, found| {
        self_dependency::check(scope, found)
    }),
    Listed::project(&shared::cycle::RULE, |scope, found| cycle::check(scope, found)),
    Listed::project(&shared::unknown_dependency::RULE, |scope, found| {
        unknown_dependency::check(scope, found)
    }),
    Listed::project(&unscheduled_dependency::RULE, |scope, found| {
        unscheduled_dependency::check(scope, found)
    }),
    Listed::project(&impossible::RULE, |scope, found| impossible::check(scope, found)),
    Listed::project(&shared::inert_dependency::RULE, |scope, found| {
        inert_dependency::check(scope, found)
    }),
    Listed::project(&update_gated::RULE, |scope, found| {
        update_gated::check(scope, found)
    }),
    Listed::idle(&shared::redundant_dependency::RULE),
];

/// What checks look at.
pub(crate) struct Ankaios;

impl Scopes for Ankaios {
    type Source<'a> = InSource<'a>;
    type Project<'a> = InProject<'a>;
}

/// One manifest, by itself.
pub(crate) struct InSource<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) role: Role,
    file: FileId,
    engine: EngineIx,
    /// Whether `--agent` is given.
    has_agent: bool,
}

impl InSource<'_> {
    pub(crate) fn place(&self, index: u32) -> Place {
        Place::anchor(self.file, self.engine, index)
    }

    fn workload(&self, fault: &Fault) -> Option<&Workload> {
        self.manifest.workloads.get(fault.workload? as usize)
    }

    /// The faults, each with where the server comes to it. Beside text that cannot be read nothing else is said.
    fn faults(&self) -> impl Iterator<Item = (u32, &Fault)> {
        let is_broken = self.manifest.is_broken;
        let faults = (0u32..).zip(&self.manifest.faults);
        faults.filter(move |(_, f)| !is_broken || matches!(f.kind, FaultKind::Yaml(..)))
    }

    /// The finding for a fault, with what both entry points say of it.
    fn finding(&self, (at, fault): (u32, &Fault), mut diagnostic: Diagnostic) -> Finding {
        // The server looks at the keys of all configs before it looks at what workloads call them.
        let is_late = matches!(
            fault.kind,
            FaultKind::Name {
                what: "config alias" | "config reference",
                ..
            }
        );
        let at = if is_late {
            at.saturating_add(u32::MAX / 2)
        } else {
            at
        };
        if let Some(workload) = self.workload(fault) {
            let name: Arc<str> = (*workload.name.value).into();
            if !diagnostic.units.contains(&name) {
                diagnostic.units.push(name);
            }
        }
        let apply = fault
            .apply
            .as_ref()
            .filter(|said| !(self.has_agent && said.stage == stage::AGENT));
        let subject = self.workload(fault).map_or("", |w| &*w.name.value).to_owned();
        said(
            self.role,
            fault.startup.as_ref(),
            apply,
            self.losing(fault, diagnostic),
        )
        .about(subject)
        .at(at)
    }

    /// Says what `ank apply` drops because of a fault.
    fn losing(&self, fault: &Fault, diagnostic: Diagnostic) -> Diagnostic {
        let Some(field) = fault.loses.filter(|_| self.role.applies()) else {
            return diagnostic;
        };
        match self.workload(fault) {
            Some(workload) => diagnostic.note(format!(
                "`ank apply` accepts this and silently drops all `{field}` of `{}`",
                workload.name.value
            )),
            None => diagnostic.note(format!(
                "`ank apply` accepts this and silently drops all `{field}`"
            )),
        }
    }
}

/// A finding with what the entry points say.
fn said(role: Role, startup: Option<&Said>, apply: Option<&Said>, diagnostic: Diagnostic) -> Finding {
    let startup = startup.filter(|_| role.starts_up());
    let apply = apply.filter(|_| role.applies());
    let text = |command: &str, said: &Said| wrapped(command, said.stage, &said.words);
    let mut diagnostic = diagnostic;
    if let Some(first) = startup
        .map(|s| text(STARTUP, s))
        .or_else(|| apply.map(|a| text(APPLY, a)))
    {
        diagnostic = diagnostic.engine_message(first);
    }
    let mut finding = Finding::new(diagnostic);
    if let Some(said) = startup {
        finding = finding.rejected(STARTUP, said.stage);
    }
    if let Some(said) = apply {
        finding = finding
            .rejected(APPLY, said.stage)
            .message_of(APPLY, text(APPLY, said));
    }
    finding
}

/// The same words of both, at one step.
fn both(step: &'static str, words: impl Into<Box<str>>) -> Said {
    Said {
        stage: step,
        words: words.into(),
    }
}

/// A project as a whole.
pub(crate) struct InProject<'a> {
    pub(crate) pass: &'a Pass<'a>,
    pub(crate) model: &'a Arc<Model>,
    pub(crate) related: &'a Related,
}

impl InProject<'_> {
    fn role(&self) -> Role {
        self.model.role()
    }

    fn place(&self, source: u32, index: u32) -> Place {
        self.model.place(self.pass, source, index)
    }

    /// A place in the manifest of a unit.
    fn place_of(&self, unit: UnitIx, index: u32) -> Place {
        let source = self.model.units.get(unit.0 as usize).map_or(0, |u| u.source);
        self.place(source, index)
    }

    fn units(&self) -> impl Iterator<Item = (UnitIx, &Unit)> {
        (0u32..).map(UnitIx).zip(&self.related.variant.units)
    }

    fn name(&self, unit: UnitIx) -> &str {
        self.related
            .variant
            .units
            .get(unit.0 as usize)
            .map_or("", |u| &*u.name)
    }

    /// Whether findings that rest on what several workloads say belong to this project: a manifest that `ank apply`
    /// takes together with others leaves them to that apply.
    fn concludes(&self) -> bool {
        self.role().applies() && !self.model.is_broken
    }

    /// The step that takes a dependency away. An empty `dependencies:` would be refused.
    fn remove(&self, written: &Dependency) -> Option<FixStep> {
        let (_, workload) = self.model.workload(written.unit)?;
        Some(match (workload.dependencies.len(), workload.dependencies_key) {
            (1, Some(key)) => FixStep::RemoveKey(self.place_of(written.unit, key)),
            _ => FixStep::RemoveKey(written.place),
        })
    }

    /// The fixes of a finding, with the entry of a list that shared rules remove made the entry of a mapping.
    fn in_mapping(&self, mut diagnostic: Diagnostic, written: &Dependency) -> Diagnostic {
        for fix in &mut diagnostic.fixes {
            for step in &mut fix.steps {
                if let (FixStep::RemoveEntry(_), Some(remove)) = (&*step, self.remove(written)) {
                    *step = remove;
                }
            }
        }
        diagnostic
    }
}

/// What a block of a manifest's own findings is made from.
#[derive(PartialEq, Eq, Hash)]
struct BlockKey(FileId, Shape, Role, bool);

/// The findings of a project, manifest by manifest and then of all together, and what cannot be known.
pub(crate) fn check(
    pass: &Pass<'_>,
    model: &Arc<Model>,
    related: &Related,
) -> (Vec<Arc<Block>>, Vec<Unknown>) {
    let role = model.role();
    let has_agent = model.loaded.agent.is_some();
    let mut blocks: Vec<Arc<Block>> = Vec::with_capacity(model.sources.len() + 1);
    for source in &model.sources {
        let key = BlockKey(source.file, source.shape, role, has_agent);
        blocks.push(pass.cx.memo().get(key, || {
            let scope = InSource {
                manifest: source.manifest(),
                role,
                file: source.file,
                engine: pass.cx.engine_index(),
                has_agent,
            };
            Block::new(check_source(RULES, &scope))
        }));
    }
    let scope = InProject { pass, model, related };
    let found = check_project(RULES, &scope);
    let unknown = unknown(model, &blocks, &found, template_variable::open(&scope));
    blocks.push(Arc::new(Block::new(found)));
    (blocks, unknown)
}

/// Which verdicts are open: `ank apply` takes one of several versions at random, and templates do what is not
/// followed here.
fn unknown(
    model: &Model,
    blocks: &[Arc<Block>],
    found: &[Finding],
    template: Option<String>,
) -> Vec<Unknown> {
    let mut open: Vec<Unknown> = template
        .map(|because| Unknown {
            command: None,
            stage: stage::RENDER,
            because,
        })
        .into_iter()
        .collect();
    let rejects = |f: &Finding| f.rejections.iter().any(|r| r.command == APPLY && !r.warns);
    let certain = blocks.iter().flat_map(|b| b.findings()).chain(found).any(rejects);
    if certain {
        return open;
    }
    let random = model.sources.iter().any(|source| {
        let manifest = source.manifest();
        let others = manifest
            .nested_versions
            .iter()
            .filter(|v| **v != manifest.version);
        let is_refused = |version: &Version| !version.is_known() || manifest.has_tags;
        others.into_iter().any(is_refused)
    });
    if random {
        open.push(Unknown {
            command: Some(APPLY),
            stage: stage::VERSION,
            because:
                "random: `ank apply` takes the version from any key `apiVersion`, another one from run to run"
                    .to_owned(),
        });
    }
    open
}

/// A list of words for people: `a`, `b` or `c`.
fn choice(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}
