//! `ankaios/template-without-configs`: braces without configs.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InSource;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/template-without-configs",
    severity: Severity::Hint,
    summary: "Braces without configs",
    docs: include_str!("../../../../../docs/rules/ankaios/template-without-configs.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    if source.manifest.is_broken {
        return;
    }
    for workload in &source.manifest.workloads {
        if !workload.configs.is_empty() || workload.unread.contains(&"configs") {
            continue;
        }
        let contents = workload.files.iter().flat_map(|f| f.data.iter().chain(&f.binary));
        for field in workload.runtime_config.iter().chain(contents) {
            let Some(variable) = field.template.first_call() else {
                continue;
            };
            let text = format!(
                "template is not rendered: workload `{}` has no `configs`",
                workload.name.value
            );
            let d = Diagnostic::new(&RULE, source.place(variable.place), text)
                .unit((*workload.name.value).into());
            found.push(Finding::new(d));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |more: &str| {
            format!(
                "apiVersion: v1\nworkloads:\n  a: {{agent: b, runtime: podman, runtimeConfig: 'image: {{{{x}}}}'{more}}}\nconfigs: {{c: d}}\n"
            )
        };
        speaks(&RULE, &with(""), &["x"]);
        speaks(&RULE, &with(", configs: {x: c}"), &[]);
    }
}
