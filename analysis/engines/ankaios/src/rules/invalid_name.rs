//! `invalid-name` in manifests: names of workloads, agents and configs, and keys that `ank apply` refuses.

use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::invalid_name::RULE;

use super::{InProject, InSource, both, said};
use crate::judge::{agent_name, stage};
use crate::model::Rendered;
use crate::read::{FaultKind, NameFault, fields};

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    for (at, fault) in source.faults() {
        let place = source.place(fault.place);
        let text = match &fault.kind {
            FaultKind::Name { what, name, fault } => match fault {
                NameFault::Empty => format!("a {what} name must not be empty"),
                NameFault::Characters => {
                    format!("invalid {what} name `{name}`: use only letters, digits, `_` and `-`")
                }
                NameFault::Long(len) => format!("{what} name is too long: {len} characters, maximum 63"),
            },
            FaultKind::KeyCharacters(key) => {
                format!("`ank apply` does not take the key `{key}`: use only letters, digits, `_` and `-`")
            }
            _ => continue,
        };
        found.push(source.finding((at, fault), Diagnostic::new(&RULE, place, text)));
    }
}

/// Agents, as they come out of their templates.
pub(crate) fn check_agents(project: &InProject<'_>, found: &mut Vec<Finding>) {
    if project.model.is_broken {
        return;
    }
    for ((at, unit), (number, own)) in (0u32..).zip(&project.model.units).zip(project.units()) {
        let Some((_, workload)) = project.model.workload(number) else {
            continue;
        };
        let (Rendered::Text(name), Some(agent)) = (&unit.agent, &workload.agent) else {
            continue;
        };
        let place = project.place_of(number, agent.text.place);
        if fields::is_name(name) {
            if name.len() > fields::MAX_NAME {
                let text = format!(
                    "agent name is long: {} characters, where Ankaios speaks of 63",
                    name.len()
                );
                let d = Diagnostic::new(&RULE, place, text)
                    .severity(Severity::Warning)
                    .unit(own.name.clone());
                found.push(Finding::new(d.note("Ankaios does not check it")));
            }
            continue;
        }
        let text = if **name == *agent.text.value {
            format!("invalid agent name `{name}`: use only letters, digits, `_` and `-`")
        } else {
            format!("the agent renders to `{name}`: use only letters, digits, `_` and `-`")
        };
        let mut d = Diagnostic::new(&RULE, place, text).unit(own.name.clone());
        if agent.template.has_braces && workload.configs.is_empty() {
            d = d.note("templates are rendered only where the workload has `configs`");
        }
        let words = both(stage::NAMES, agent_name(name));
        found.push(said(project.role(), Some(&words), Some(&words), d).at(at));
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::speaks;
    use applyorder_core::rules::invalid_name::RULE;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |name: &str, agent: &str| {
            format!(
                "apiVersion: v0.1\nworkloads:\n  {name}: {{agent: {agent}, runtime: podman, runtimeConfig: x}}\n"
            )
        };
        speaks(&RULE, &with("a.b", "c"), &["a.b"]);
        speaks(&RULE, &with("a", "c.d"), &["c.d"]);
        speaks(&RULE, &with("a", "c"), &[]);
    }
}
