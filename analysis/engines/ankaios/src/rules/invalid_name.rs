//! `invalid-name` in manifests: names of workloads, agents and configs, and keys that `ank apply` rejects.

use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::invalid_name::RULE;

use super::{InSource, Slot, both, said};
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
                format!("invalid key `{key}` for `ank apply`: use only letters, digits, `_` and `-`")
            }
            _ => continue,
        };
        found.push(source.finding((at, fault), Diagnostic::new(&RULE, place, text)));
    }
}

/// Agents, as rendered: that of the manifest at startup, that of `--agent` in an apply.
pub(crate) fn check_agents(slot: &Slot<'_>, found: &mut Vec<Finding>) {
    if slot.is_broken() {
        return;
    }
    let given = slot.given_agent().is_some();
    for (at, (number, own)) in (0u32..).zip(slot.units()) {
        let Some(workload) = slot.own(number) else {
            continue;
        };
        let agents = slot.agents(number);
        let place = match &workload.agent {
            Some(agent) => slot.place(agent.text.place),
            None => own.header,
        };
        let role = slot.role();
        let startup = wrong(&agents.own).filter(|_| role.starts_up());
        let apply = wrong(&agents.given).filter(|_| role.applies());
        let Some(name) = startup.or(apply) else {
            if let Rendered::Text(name) = &agents.given
                && name.len() > fields::MAX_NAME
            {
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
        };
        let written = workload.agent.as_ref().map_or("", |a| &*a.text.value);
        let text = if name == written {
            format!("invalid agent name `{name}`: use only letters, digits, `_` and `-`")
        } else if startup.is_none() && given {
            format!("invalid agent name `{name}` in `--agent`: use only letters, digits, `_` and `-`")
        } else {
            format!("invalid agent name `{name}` after rendering: use only letters, digits, `_` and `-`")
        };
        let mut d = Diagnostic::new(&RULE, place, text).unit(own.name.clone());
        if workload.agent.as_ref().is_some_and(|a| a.template.has_braces) && workload.configs.is_empty() {
            d = d.note("templates are rendered only where the workload has `configs`");
        }
        let words = |name: &str| both(stage::NAMES, agent_name(name));
        let (startup, apply) = (startup.map(words), apply.map(words));
        found.push(said(role, startup.as_ref(), apply.as_ref(), d).at(at));
    }
}

/// A name of an agent that the server rejects.
fn wrong(agent: &Rendered) -> Option<&str> {
    match agent {
        Rendered::Text(name) if !fields::is_name(name) => Some(name),
        _ => None,
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
