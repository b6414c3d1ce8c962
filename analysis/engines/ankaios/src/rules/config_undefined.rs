//! `ankaios/config-undefined`: a config that does not exist.

use std::cell::LazyCell;

use applyorder_core::diagnostic::{Diagnostic, FixStep, Rule, Severity, Status};
use applyorder_core::layer::{Budget, Finding, Sym};
use applyorder_core::nearest::{Signature, nearest_within};

use super::{InProject, both, said};
use crate::judge::stage;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/config-undefined",
    severity: Severity::Error,
    summary: "A config that does not exist",
    docs: include_str!("../../../../../docs/rules/ankaios/config-undefined.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The budget of suggestions in one project.
const SUGGESTIONS: u64 = 20_000_000;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    let model = project.model;
    if model.is_broken {
        return;
    }
    // Computed when the first config is missing.
    let keys = model.configs.keys();
    let known =
        LazyCell::new(|| -> Vec<(Signature, &str)> { keys.map(|k| (Signature::of(k), &**k)).collect() });
    let mut budget = Budget::new(SUGGESTIONS);
    let is_lost = model.sources.iter().any(|s| s.manifest().loses_configs);
    let is_at_fault = |name: &Sym| is_lost || model.config_of_sym(*name).is_none();
    let sources = (0u32..).zip(&model.sources);
    let using = sources.filter(|(_, s)| s.piece.used.iter().any(is_at_fault));
    for (number, source) in using {
        for (at, workload) in (0u32..).zip(&source.manifest().workloads) {
            for used in &workload.configs {
                let name = &*used.config.value;
                let is_there = model.configs.contains_key(name);
                let in_cluster = model.snapshot.as_ref().is_some_and(|s| s.has_config(name));
                if is_there && !is_lost {
                    continue;
                }
                let words = both(stage::RENDER, crate::judge::missing_config(name));
                let applies = !workload.loses("configs") && !in_cluster;
                let text = format!("unknown config `{name}`");
                let place = project.place(number, used.config.place);
                let mut d = Diagnostic::new(&RULE, place, text).unit((*workload.name.value).into());
                if is_there {
                    d = d.note("`ank apply` drops all configs: one of them is not a string");
                } else {
                    d = d.note("`ank apply` accepts a config that the cluster already has");
                    let signature = |i: usize| known.get(i).map_or_else(Signature::none, |(s, _)| *s);
                    let of = |i: usize| known.get(i).map_or("", |(_, name)| name);
                    if let Some(near) = nearest_within(name, known.len(), signature, of, &mut budget) {
                        d = d.did_you_mean(near, FixStep::SetValue(place, near.to_owned()));
                    }
                }
                let startup = (!is_there).then_some(&words);
                if startup.is_some() || applies {
                    found.push(said(project.role(), startup, Some(&words).filter(|_| applies), d).at(2 * at));
                }
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
                "apiVersion: v1\nworkloads:\n  a: {{agent: b, runtime: podman, runtimeConfig: 'image: x', configs: {{x: {config}}}}}\nconfigs: {{c: d}}\n"
            )
        };
        speaks(&RULE, &with("nope"), &["nope"]);
        speaks(&RULE, &with("c"), &[]);
    }
}
