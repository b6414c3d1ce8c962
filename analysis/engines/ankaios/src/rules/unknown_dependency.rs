//! `unknown-dependency` in manifests: a dependency on a workload that none of the files has.

use applyorder_core::diagnostic::Severity;
use applyorder_core::layer::Finding;
use applyorder_core::nearest::nearest;

use super::InProject;
use crate::load::Role;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    if !project.concludes() {
        return;
    }
    let names: Vec<&str> = project.model.units.iter().map(|u| &*u.name).collect();
    let snapshot = project.model.snapshot.as_ref();
    for (unit, own) in project.units() {
        for (_, written) in project.related.dependencies(unit) {
            let in_cluster = snapshot.is_some_and(|s| s.workloads.contains_key(&*written.text));
            if !written.targets.is_empty() || written.unknown || in_cluster {
                continue;
            }
            let others = names.iter().copied().filter(|name| *name != &*own.name);
            let near = nearest(&written.text, others);
            let d = applyorder_core::rules::unknown_dependency::diagnostic("workload", own, written, near);
            let d = project.in_mapping(d, written);
            let severity = if project.role() == Role::Both && near.is_none() && snapshot.is_none() {
                Severity::Info
            } else {
                Severity::Warning
            };
            let d = d
                .severity(severity)
                .note("Ankaios accepts this: the workload waits until one of that name is there, forever if none comes");
            let d = match project.role() {
                Role::Both if snapshot.is_none() => d.note(
                    "manifests that are applied together are declared by `[[ankaios.apply]]` in applyorder.toml",
                ),
                _ => d,
            };
            found.push(Finding::new(d));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::speaks;
    use applyorder_core::rules::unknown_dependency::RULE;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |dep: &str| {
            format!(
                "apiVersion: v1\nworkloads:\n  database: {{agent: b, runtime: docker, runtimeConfig: x}}\n  a: {{agent: c, runtime: docker, runtimeConfig: x, dependencies: {{{dep}: ADD_COND_RUNNING}}}}\n"
            )
        };
        speaks(&RULE, &with("databse"), &["databse"]);
        speaks(&RULE, &with("database"), &[]);
    }
}
