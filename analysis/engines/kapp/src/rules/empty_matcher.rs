//! `kapp/empty-matcher`: a matcher without a known field, or with such a part in its path.

use rustc_hash::FxHashMap;

use super::scope::{By, Project};
use super::{Told, join};
use crate::judge;
use crate::matcher::{broken_paths, unknown};
use crate::model::error::What;
use crate::model::uses::Source as Origin;
use crate::read::Config;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/empty-matcher",
    severity: Severity::Error,
    summary: "Matcher without a known field",
    docs: include_str!("../../../../../docs/rules/kapp/empty-matcher.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["unknown-field"],
};

/// The purpose of a matcher of a Config.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Of {
    Groups(u32),
    Rules(u32),
    /// How resources are labeled or compared: kapp evaluates all of these in every deploy.
    Deploy,
}

pub(super) fn check(project: &Project<'_>, found: &mut Vec<Finding>) {
    let mut told = Told::default();
    let mut by: Option<FxHashMap<(u32, Of), Vec<By>>> = None;
    for (number, in_force) in (0u32..).zip(&project.model.bindings.configs) {
        for (of, place) in empties(&in_force.config) {
            let place = project.at(in_force.item, place);
            let by = match of {
                Of::Deploy => {
                    let about = project.reported(What::Matcher, None, place);
                    vec![(judge::DEPLOY, "crash", about)]
                }
                _ => {
                    let all = by.get_or_insert_with(|| of_bindings(project));
                    all.get(&(number, of)).cloned().unwrap_or_default()
                }
            };
            told.add(place, by, || {
                let text = "no known matcher is set";
                Diagnostic::new(&RULE, place, text)
                    .note("a matcher without fields needs braces: `allMatcher: {}`")
            });
        }
        for (of, place) in paths(&in_force.config) {
            let all = by.get_or_insert_with(|| of_bindings(project));
            let by = all.get(&(number, of)).cloned().unwrap_or_default();
            told.add(project.at(in_force.item, place), by, || {
                let text =
                    "invalid path part: expected a key, `{allIndexes: true}` or `{index: N}` with N from 0";
                Diagnostic::new(&RULE, project.at(in_force.item, place), text)
            });
        }
    }
    found.extend(told.findings());
}

/// The matchers of a Config that have no known field.
fn empties(config: &Config) -> Vec<(Of, u32)> {
    let (groups, rules) = (&config.groups, &config.rules);
    let groups = (0u32..).zip(groups).map(|(i, g)| (Of::Groups(i), &g.matchers));
    let rules = (0u32..).zip(rules).map(|(i, r)| (Of::Rules(i), &r.matchers));
    let rebase = config.diff.rebase.iter().map(|r| (Of::Deploy, &r.matchers));
    let paths = config.diff.path_rules().map(|r| (Of::Deploy, &r.matchers));
    let all = groups.chain(rules).chain(rebase).chain(paths);
    all.flat_map(|(of, matchers)| unknown(matchers).into_iter().map(move |place| (of, place)))
        .collect()
}

/// The parts of paths of a Config's bindings at which kapp panics.
fn paths(config: &Config) -> Vec<(Of, u32)> {
    let (groups, rules) = (&config.groups, &config.rules);
    let groups = (0u32..).zip(groups).map(|(i, g)| (Of::Groups(i), &g.matchers));
    let rules = (0u32..).zip(rules).map(|(i, r)| (Of::Rules(i), &r.matchers));
    groups
        .chain(rules)
        .flat_map(|(of, matchers)| broken_paths(matchers).into_iter().map(move |place| (of, place)))
        .collect()
}

/// The commands that crash at each binding.
fn of_bindings(project: &Project<'_>) -> FxHashMap<(u32, Of), Vec<By>> {
    let mut all: FxHashMap<(u32, Of), Vec<By>> = FxHashMap::default();
    for unit in project.units() {
        for error in unit.own.errors.iter().filter(|e| e.panics) {
            let Origin::Config(config, binding, _) = error.source else {
                continue;
            };
            let of = if error.of_rule {
                Of::Rules(binding)
            } else {
                Of::Groups(binding)
            };
            let known = all.entry((config, of)).or_default();
            join(known, project.rejecting(unit.number, error));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;
    use applyorder_core::diagnostic::Severity;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        speaks(
            &RULE,
            Severity::Error,
            "\
apiVersion: kapp.k14s.io/v1alpha1
kind: Config
changeRuleBindings:
- rules: [upsert after upserting g]
  resourceMatchers: [{allMatcher: }]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations: {}
",
            &["{allMatcher: }"],
            "\
apiVersion: kapp.k14s.io/v1alpha1
kind: Config
changeRuleBindings:
- rules: [upsert after upserting g]
  resourceMatchers: [{allMatcher: {}}]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations: {}
",
        );
    }
}
