//! `ankaios/config-unused`: a config that no workload uses.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InProject;
use rustc_hash::FxHashSet;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/config-unused",
    severity: Severity::Hint,
    summary: "A config that no workload uses",
    docs: include_str!("../../../../../docs/rules/ankaios/config-unused.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    let model = project.model;
    if !project.concludes() || model.units.is_empty() || model.configs.is_empty() {
        return;
    }
    let mut used: FxHashSet<&str> = FxHashSet::default();
    for workload in model.sources.iter().flat_map(|s| &s.manifest().workloads) {
        if workload.unread.contains(&"configs") {
            return;
        }
        used.extend(workload.configs.iter().map(|c| &*c.config.value));
    }
    for (number, source) in (0u32..).zip(&model.sources) {
        for config in &source.manifest().configs {
            if !used.contains(&*config.name.value) {
                let text = format!("config `{}` is not used by any workload", config.name.value);
                let place = project.place(number, config.name.place);
                found.push(Finding::new(Diagnostic::new(&RULE, place, text)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |config: &str| {
            format!(
                "apiVersion: v1\nworkloads:\n  a: {{agent: b, runtime: podman, runtimeConfig: 'image: x', configs: {{x: c}}}}\nconfigs: {{c: d{config}}}\n"
            )
        };
        speaks(&RULE, &with(", old: x"), &["old"]);
        speaks(&RULE, &with(""), &[]);
    }
}
