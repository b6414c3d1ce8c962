//! `ankaios/kube-files`: files for `podman-kube`.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InSource;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/kube-files",
    severity: Severity::Warning,
    summary: "Files for `podman-kube`",
    docs: include_str!("../../../../../docs/rules/ankaios/kube-files.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    if source.manifest.is_broken {
        return;
    }
    for workload in &source.manifest.workloads {
        let runtime = workload.runtime.as_ref().filter(|r| &*r.value == "podman-kube");
        if let (Some(runtime), Some(key), false) = (runtime, workload.files_key, workload.files.is_empty()) {
            let d = Diagnostic::new(
                &RULE,
                source.place(key),
                "`files` conflicts with the runtime `podman-kube`",
            );
            let d = d
                .related(source.place(runtime.place), "the runtime")
                .unit((*workload.name.value).into());
            found.push(Finding::new(
                d.note("the server accepts this, and the agent does not"),
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |runtime: &str| {
            format!(
                "apiVersion: v1\nworkloads:\n  a: {{agent: b, runtime: {runtime}, runtimeConfig: x, files: [{{mountPoint: /a, data: x}}]}}\n"
            )
        };
        speaks(&RULE, &with("podman-kube"), &["files"]);
        speaks(&RULE, &with("podman"), &[]);
    }
}
