//! `ankaios/template-variable`: a variable that does not exist.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Rule, Safety, Severity, Status};
use applyorder_core::layer::Finding;
use applyorder_core::nearest::nearest;

use super::{InProject, both, said, template_syntax};
use crate::judge::stage;
use crate::model::RenderFault;
use crate::read::{Field, Workload};

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

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    if project.model.is_broken {
        return;
    }
    let mut at = 0;
    for (number, source) in (0u32..).zip(&project.model.sources) {
        for workload in &source.manifest().workloads {
            for (field, name) in fields(workload) {
                at += 1;
                let (fault, _) = project.model.lookup().fault(workload, &field.template);
                if let Some(fault) = fault {
                    found.push(finding(project, number, workload, &name, &fault).at(at));
                }
            }
        }
    }
}

/// The fields of a workload that are rendered, in the order in which the server does it.
fn fields(workload: &Workload) -> Vec<(&Field, String)> {
    if workload.configs.is_empty() {
        return Vec::new();
    }
    let mut all = Vec::new();
    all.extend(workload.agent.iter().map(|f| (f, "agent".to_owned())));
    all.extend(
        workload
            .runtime_config
            .iter()
            .map(|f| (f, "runtimeConfig".to_owned())),
    );
    for file in &workload.files {
        let mount = file.mount.as_ref().map_or("", |m| &*m.value);
        let content = file.data.as_ref().or(file.binary.as_ref());
        all.extend(content.map(|f| (f, format!("files with mount point {mount}"))));
    }
    all
}

fn finding(
    project: &InProject<'_>,
    source: u32,
    workload: &Workload,
    field: &str,
    fault: &RenderFault<'_>,
) -> Finding {
    let rendering = |(line, column): (usize, usize), words: String| {
        format!("Error rendering \"Unnamed template\" line {line}, col {column}: {words}")
    };
    let (rule, place, text, reason) = match fault {
        RenderFault::Variable(v) => (
            &RULE,
            v.place,
            format!("`{}` has no variable `{}`", workload.name.value, v.path),
            rendering(
                v.at,
                format!("Failed to access variable in strict mode Some(\"{}\")", v.path),
            ),
        ),
        RenderFault::Helper(name, place, at) => (
            &template_syntax::RULE,
            *place,
            format!("there is no helper `{name}`"),
            rendering(*at, format!("Helper not found {name}")),
        ),
        RenderFault::Partial(name, place, at) => (
            &template_syntax::RULE,
            *place,
            format!("there is no partial `{name}`"),
            rendering(*at, format!("Partial not found {name}")),
        ),
        RenderFault::Syntax(words, place) => (
            &template_syntax::RULE,
            *place,
            format!("not a template: {words}"),
            "Failed to parse template Template error: invalid handlebars syntax".to_owned(),
        ),
    };
    let place = project.place(source, place);
    let mut d = Diagnostic::new(rule, place, text).unit((*workload.name.value).into());
    if let RenderFault::Variable(v) = fault {
        let head = v.path.split('.').next().unwrap_or("");
        let aliases = || workload.configs.iter().map(|c| &*c.alias.value);
        let used = workload.configs.iter().find(|c| *c.config.value == *head);
        let meant = used.map(|c| &*c.alias.value).or_else(|| nearest(head, aliases()));
        if let Some(meant) = meant.filter(|m| *m != head) {
            let path = v.path.replacen(head, meant, 1);
            d = d.label(format!("did you mean `{path}`?"));
            d = d.fix(
                format!("replace with `{path}`"),
                Safety::Unsafe,
                vec![FixStep::Replace(place, path)],
            );
        }
    }
    let words = both(
        stage::RENDER,
        format!("Failed to render field '{field}': '{reason}'"),
    );
    let apply = Some(&words).filter(|_| !workload.loses("configs"));
    said(project.role(), Some(&words), apply, d)
}

/// Why it cannot be known whether all templates render.
pub(super) fn open(project: &InProject<'_>) -> Option<String> {
    let model = project.model;
    let workloads = model.sources.iter().flat_map(|s| &s.manifest().workloads);
    for workload in workloads {
        let undefined = workload
            .configs
            .iter()
            .any(|c| !model.configs.contains_key(&*c.config.value));
        for (field, name) in fields(workload) {
            let (_, is_open) = model.lookup().fault(workload, &field.template);
            if is_open && !undefined {
                return Some(format!(
                    "what the template in `{name}` of `{}` does is not followed",
                    workload.name.value
                ));
            }
        }
    }
    None
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
