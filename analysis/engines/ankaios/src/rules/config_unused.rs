//! `ankaios/config-unused`: a config that no workload uses.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::{Finding, Sym};

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
    let mut used: FxHashSet<Sym> = FxHashSet::default();
    for source in &model.sources {
        if source.piece.hides_configs {
            return;
        }
        used.extend(&source.piece.used);
    }
    for (number, source) in (0u32..).zip(&model.sources) {
        for ((name, _), config) in source.piece.configs.iter().zip(&source.manifest().configs) {
            if !used.contains(name) {
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
