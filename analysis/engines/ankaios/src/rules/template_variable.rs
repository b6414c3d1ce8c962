//! `ankaios/template-variable`: a variable that does not exist.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Rule, Severity, Status};
use applyorder_core::layer::{Finding, Unknown};
use applyorder_core::nearest::nearest;

use super::{Slot, both, said, template_syntax};
use crate::judge::{APPLY, STARTUP, stage};
use crate::model::{RenderFault, RenderFaultKind};
use crate::read::template::Template;
use crate::read::{FileEntry, Said, Workload};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/template-variable",
    severity: Severity::Error,
    summary: "A variable that does not exist",
    docs: include_str!("../../../../../docs/rules/ankaios/template-variable.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(slot: &Slot<'_>, found: &mut Vec<Finding>) {
    if slot.is_broken() {
        return;
    }
    for (at, workload) in (0u32..).zip(slot.workloads()) {
        for field in fields(slot, workload) {
            if let Some(fault) = slot.lookup().run(workload, field.template).fault {
                found.push(finding(slot, workload, &field, &fault).at(2 * at + 1));
            }
        }
    }
}

/// A field that is rendered.
struct Rendered<'a> {
    name: String,
    template: &'a Template,
    /// Whether it is the value of `--agent`, which is in no file.
    is_given: bool,
    starts_up: bool,
    applies: bool,
}

/// The fields of a workload that are rendered, in the order of the server.
fn fields<'a>(slot: &Slot<'a>, workload: &'a Workload) -> Vec<Rendered<'a>> {
    if workload.configs.is_empty() {
        return Vec::new();
    }
    let (role, given) = (slot.role(), slot.given_agent());
    let field = |name: String, template| Rendered {
        name,
        template,
        is_given: false,
        starts_up: role.starts_up(),
        applies: role.applies() && !workload.loses("configs"),
    };
    let mut all = Vec::new();
    let config = workload.runtime_config.iter();
    all.extend(config.map(|f| field("runtimeConfig".to_owned(), &f.template)));
    all.extend(workload.agent.iter().map(|f| {
        let own = field("agent".to_owned(), &f.template);
        Rendered {
            applies: own.applies && given.is_none(),
            ..own
        }
    }));
    all.extend(given.map(|given| Rendered {
        is_given: true,
        starts_up: false,
        ..field("agent".to_owned(), &given.template)
    }));
    for file in &workload.files {
        let (startup, apply) = (file.content(), file.applied());
        let is_same = startup == apply;
        all.extend(startup.map(|f| {
            let own = field(name_of(file), &f.template);
            Rendered {
                applies: own.applies && is_same,
                ..own
            }
        }));
        all.extend(apply.filter(|_| !is_same).map(|f| Rendered {
            starts_up: false,
            ..field(name_of(file), &f.template)
        }));
    }
    all.retain(|field| field.starts_up || field.applies);
    all
}

fn finding(slot: &Slot<'_>, workload: &Workload, field: &Rendered<'_>, fault: &RenderFault<'_>) -> Finding {
    let (rule, text) = told(fault, &workload.name.value);
    let place = match (field.is_given, &workload.agent) {
        (false, _) => slot.place(fault.place),
        (true, Some(agent)) => slot.place(agent.text.place),
        (true, None) => slot.place(workload.name.place),
    };
    let mut d = Diagnostic::new(rule, place, text).unit((*workload.name.value).into());
    if let RenderFaultKind::Variable(path) = &fault.kind
        && !field.is_given
    {
        let head = path.names.first().map_or("", |name| name);
        let aliases = || workload.configs.iter().map(|c| &*c.alias.value);
        let used = workload.configs.iter().find(|c| *c.config.value == *head);
        let meant = used.map(|c| &*c.alias.value).or_else(|| nearest(head, aliases()));
        if let Some(meant) = meant.filter(|m| *m != head && path.raw.starts_with(head)) {
            let path = path.raw.replacen(head, meant, 1);
            d = d.did_you_mean(&path, FixStep::Replace(place, path.clone()));
        }
    }
    let words = failed(&field.name, fault);
    let startup = Some(&words).filter(|_| field.starts_up);
    let apply = Some(&words).filter(|_| field.applies);
    said(slot.role(), startup, apply, d)
}

/// The rule that a fault violates, and the title of its finding.
pub(super) fn told(fault: &RenderFault<'_>, workload: &str) -> (&'static Rule, String) {
    match &fault.kind {
        RenderFaultKind::Variable(path) => (
            &RULE,
            format!("unknown variable `{}` in workload `{workload}`", path.raw),
        ),
        RenderFaultKind::Helper(name) => (&template_syntax::RULE, format!("unknown helper `{name}`")),
        RenderFaultKind::Partial(name) => (&template_syntax::RULE, format!("unknown partial `{name}`")),
        RenderFaultKind::Other(text) => (&template_syntax::RULE, text.clone()),
    }
}

/// The server's message about a field that does not render.
pub(super) fn failed(field: &str, fault: &RenderFault<'_>) -> Said {
    both(
        stage::RENDER,
        format!("Failed to render field '{field}': '{}'", fault.said),
    )
}

/// The server's name of the content of a file where it renders it.
pub(super) fn name_of(file: &FileEntry) -> String {
    let mount = file.mount.as_ref().map_or("", |m| &*m.value);
    format!("files with mount point {mount}")
}

/// Why it is unknown whether all templates render, and whether the resulting agents are valid names.
pub(super) fn open(slot: &Slot<'_>) -> Vec<Unknown> {
    let mut found: Vec<Unknown> = Vec::new();
    let mut add = |command: Option<&'static str>, stage: &'static str, because: String| {
        if !found.iter().any(|u| u.command == command && u.stage == stage) {
            found.push(Unknown {
                command,
                stage,
                at: None,
                because,
                leaves_later: false,
            });
        }
    };
    for workload in slot.workloads() {
        let undefined = workload.configs.iter().any(|c| !slot.has_config(&c.config.value));
        for field in fields(slot, workload).iter().filter(|_| !undefined) {
            let outcome = slot.lookup().run(workload, field.template);
            let command = match (field.starts_up, field.applies) {
                (true, false) => Some(STARTUP),
                (false, true) => Some(APPLY),
                _ => None,
            };
            let name = format!("the template in `{}` of `{}`", field.name, workload.name.value);
            if outcome.is_open {
                add(
                    command,
                    stage::RENDER,
                    format!("what {name} does is not followed"),
                );
            } else if field.name == "agent" && outcome.fault.is_none() && outcome.text.is_none() {
                add(
                    command,
                    stage::NAMES,
                    format!("what {name} comes to is not followed"),
                );
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |text: &str| {
            format!(
                "apiVersion: v1\nworkloads:\n  a: {{agent: b, runtime: docker, runtimeConfig: '{text}', configs: {{x: c}}}}\nconfigs: {{c: {{y: d}}}}\n"
            )
        };
        speaks(&RULE, &with("{{c}}"), &["c"]);
        speaks(&RULE, &with("{{x.z}}"), &["x.z"]);
        speaks(&RULE, &with("{{x.y}} {{x}}"), &[]);
    }
}
