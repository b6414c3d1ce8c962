//! `ankaios/unreachable-runtime`: a runtime that no agent has.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Rule, Safety, Severity, Status};
use applyorder_core::layer::Finding;
use applyorder_core::nearest::nearest;

use super::InSource;
use crate::read::fields::RUNTIMES;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/unreachable-runtime",
    severity: Severity::Warning,
    summary: "A runtime that no agent has",
    docs: include_str!("../../../../../docs/rules/ankaios/unreachable-runtime.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    if source.manifest.is_broken {
        return;
    }
    for workload in &source.manifest.workloads {
        let Some(runtime) = workload
            .runtime
            .as_ref()
            .filter(|r| !RUNTIMES.contains(&&*r.value))
        else {
            continue;
        };
        let place = source.place(runtime.place);
        let text = format!(
            "unknown runtime `{}`: `{}` never starts",
            runtime.value, workload.name.value
        );
        let mut d = Diagnostic::new(&RULE, place, text).unit((*workload.name.value).into());
        d = d.note(format!("the runtimes are {}", super::choice(RUNTIMES)));
        let near = nearest(&runtime.value.replace('_', "-"), RUNTIMES.iter().copied());
        if let Some(near) = near {
            let step = FixStep::SetValue(place, near.to_owned());
            d = d.fix(format!("replace with `{near}`"), Safety::Unsafe, vec![step]);
        }
        found.push(Finding::new(d));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |runtime: &str| {
            format!("apiVersion: v1\nworkloads:\n  a: {{agent: b, runtime: {runtime}, runtimeConfig: x}}\n")
        };
        speaks(&RULE, &with("docker"), &["docker"]);
        speaks(&RULE, &with("containerd"), &[]);
    }
}
