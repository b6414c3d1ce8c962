//! Workloads that only the cluster has: a config that an apply changes may break their templates.
//!
//! Source: `update` of the server's state renders and checks all workloads of the state after an apply, not
//! only those of the request.

use applyorder_core::diagnostic::{Diagnostic, Place};
use applyorder_core::layer::{Finding, Unknown};
use applyorder_core::rules::invalid_name;

use super::scope::LATE;
use super::template_variable::{failed, name_of, told};
use super::{InProject, both, said};
use crate::judge::{APPLY, agent_name, stage};
use crate::model::{Outcome, RenderFaultKind};
use crate::read::{Workload, fields};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for workload in affected(project) {
        for field in rendered(project, workload) {
            let name = &*workload.name.value;
            let (mut d, words) = if let Some(fault) = &field.outcome.fault {
                let head = match &fault.kind {
                    RenderFaultKind::Variable(path) => path.names.first().map(|name| &**name),
                    _ => None,
                };
                let (rule, text) = told(fault, name);
                let place = place(project, workload, head);
                (Diagnostic::new(rule, place, text), failed(&field.name, fault))
            } else if let Some(agent) = field.agent().filter(|agent| !fields::is_name(agent)) {
                let text = format!(
                    "invalid agent name `{agent}` of workload `{name}` after rendering: use only letters, digits, `_` and `-`"
                );
                let place = place(project, workload, None);
                (
                    Diagnostic::new(&invalid_name::RULE, place, text),
                    both(stage::NAMES, agent_name(agent)),
                )
            } else {
                continue;
            };
            d = d.unit(name.into());
            d = d.note(format!("the cluster has `{name}`, which uses this config"));
            found.push(said(project.role(), None, Some(&words), d).at(LATE));
        }
    }
}

/// Why it is unknown whether these workloads render, and whether their agents are valid names.
pub(super) fn open(project: &InProject<'_>) -> Option<Unknown> {
    affected(project).find_map(|workload| {
        let fields = rendered(project, workload);
        let field = fields
            .iter()
            .find(|field| field.outcome.is_open || field.is_agent && field.outcome.text.is_none())
            .filter(|field| field.outcome.fault.is_none())?;
        Some(Unknown {
            command: Some(APPLY),
            stage: if field.outcome.is_open {
                stage::RENDER
            } else {
                stage::NAMES
            },
            at: None,
            because: format!(
                "what the template in `{}` of `{}` comes to, which the cluster has, is not followed",
                field.name, workload.name.value
            ),
            leaves_later: false,
        })
    })
}

/// The workloads that only the cluster has and that use configs of the files: the others are unchanged.
fn affected<'a>(project: &InProject<'a>) -> impl Iterator<Item = &'a Workload> {
    let model = project.model;
    let is_told = project.concludes() && !model.sources.iter().any(|s| s.manifest().loses_configs);
    let snapshot = model.snapshot.as_ref().filter(|_| is_told);
    let all = snapshot.into_iter().flat_map(|snapshot| snapshot.workloads());
    all.filter(|workload| {
        let mut used = workload.configs.iter().map(|used| &*used.config.value);
        used.any(|name| model.configs.contains_key(name)) && model.named(&workload.name.value).is_none()
    })
}

/// A field of such a workload, and its result.
struct Field<'a> {
    name: String,
    is_agent: bool,
    outcome: Outcome<'a>,
}

impl Field<'_> {
    /// The resulting agent.
    fn agent(&self) -> Option<&str> {
        let text = self.outcome.text.as_deref()?;
        (self.is_agent && !self.outcome.is_open).then_some(text)
    }
}

fn rendered<'a>(project: &InProject<'a>, workload: &'a Workload) -> Vec<Field<'a>> {
    let lookup = project.model.lookup();
    let own = [
        ("runtimeConfig", &workload.runtime_config),
        ("agent", &workload.agent),
    ];
    let own = own.into_iter().filter_map(|(name, field)| {
        let template = &field.as_ref()?.template;
        Some((name.to_owned(), template))
    });
    let files = workload.files.iter().filter_map(|file| {
        let content = file.applied()?;
        Some((name_of(file), &content.template))
    });
    own.chain(files)
        .map(|(name, template)| Field {
            is_agent: name == "agent",
            outcome: lookup.run(workload, template),
            name,
        })
        .collect()
}

/// The config of the files that a workload uses under an alias, or the first of those that it uses.
fn place(project: &InProject<'_>, workload: &Workload, alias: Option<&str>) -> Place {
    let model = project.model;
    let of = |name: &str| model.configs.get(name).copied();
    let named = workload
        .configs
        .iter()
        .find(|used| Some(&*used.alias.value) == alias);
    let first = || workload.configs.iter().find_map(|used| of(&used.config.value));
    let config = named.and_then(|used| of(&used.config.value)).or_else(first);
    let written = config.and_then(|(source, number)| {
        let config = model.source(source)?.manifest().configs.get(number as usize)?;
        Some(project.place(source, config.name.place))
    });
    written.unwrap_or_else(|| project.place(0, 0))
}

#[cfg(test)]
mod tests {
    use applyorder_analysis::fixture::Fixture;
    use applyorder_core::engine::RunOptions;

    /// The verdict and the first text of `ank apply` for these configs, if the cluster has a workload that uses
    /// `c`.
    fn applied(configs: &str) -> (Option<bool>, String) {
        let tree = format!(
            "//- /m.yaml\napiVersion: v1\nconfigs: {{{configs}}}\n//- /state.yaml\ndesiredState:\n  apiVersion: v1\n  workloads:\n    d: {{runtime: podman, agent: '{{{{x.a}}}}', runtimeConfig: 'image: {{{{x.k}}}}', configs: {{x: c}}}}\n  configs:\n    c: {{k: v, a: A}}\n"
        );
        let options = RunOptions {
            state: Some("/state.yaml".into()),
            ..RunOptions::default()
        };
        let fixture = Fixture::with_options(crate::ALONE, &tree, options.clone());
        let (_, project) = fixture.analysis.projects().next().unwrap();
        let found =
            applyorder_core::layer::contradictions(&crate::ENGINE, &options, false, &project.resolution);
        assert_eq!(found, [""; 0]);
        let mut verdicts = project.resolution.verdicts.iter();
        let verdict = verdicts.find(|v| v.command == "apply").unwrap();
        let said = verdict.errors.first().map(|e| e.message.clone());
        (verdict.ok, said.unwrap_or_default())
    }

    #[test]
    fn a_config_must_still_fit_the_workloads_of_the_cluster() {
        assert_eq!(applied("c: {k: w, a: B}"), (Some(true), String::new()));
        assert_eq!(applied("other: v"), (Some(true), String::new()));
        let (ok, said) = applied("c: v");
        assert_eq!(ok, Some(false));
        assert_eq!(
            said,
            "Command failed: 'SetState failed with: 'Update rejected: 'Resulting State is invalid, reason: 'Failed to render field 'runtimeConfig': 'Error rendering \"Unnamed template\" line 1, col 8: Failed to access variable in strict mode Some(\"x.k\")'''''"
        );
        let (ok, said) = applied("c: {k: v, a: b.c}");
        assert_eq!(ok, Some(false));
        assert!(said.contains("Unsupported agent name 'b.c'"), "{said}");
    }
}
