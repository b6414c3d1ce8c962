//! `kapp/not-used-by-delete`: a rule that `kapp delete` does not know.

use rustc_hash::FxHashSet;

use super::group_place;
use crate::grammar::Op;
use crate::resolve::View;
use crate::resolve::uses::Source;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/not-used-by-delete",
    severity: Severity::Info,
    summary: "A rule that `kapp delete` does not know",
    docs: include_str!("../../../../../docs/rules/kapp/not-used-by-delete.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// One finding per delete rule that only acts while Configs are in force.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    let uses = &view.deploy.uses;
    let members = view.members();
    // Groups that have members without any Config.
    let mut known: FxHashSet<u32> = FxHashSet::default();
    for own in &uses.changes {
        known.extend(
            own.groups
                .iter()
                .filter(|g| !matches!(g.source, Source::Config(..)))
                .map(|g| g.group),
        );
    }
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    for (change, own) in view.deploy.changes.iter().zip(&uses.changes) {
        for rule in own
            .rules
            .iter()
            .filter(|r| r.action == Op::Delete && r.target == Op::Delete)
        {
            let populated = members.get(rule.group as usize).is_some_and(|m| !m.is_empty());
            let text = match rule.source {
                Source::Default(..) => continue,
                Source::Config(..) => "`kapp delete` does not know the rules of a Config",
                Source::Annotation(_) if populated && !known.contains(&rule.group) => {
                    "`kapp delete` does not know this group: only a Config gives it members"
                }
                Source::Annotation(_) => continue,
            };
            let Some(place) = group_place(view, change, rule.source) else {
                continue;
            };
            if seen.insert(place) {
                found
                    .push(Diagnostic::new(&RULE, place, text).note(
                        "it acts when a deploy removes the resources, and not when the app is deleted",
                    ));
            }
        }
    }
    found
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
            Severity::Info,
            "\
apiVersion: kapp.k14s.io/v1alpha1
kind: Config
changeRuleBindings:
- rules: [delete after deleting g]
  resourceMatchers: [{allMatcher: {}}]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations: {}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: n
  annotations: {kapp.k14s.io/change-group: g}
",
            &["g"],
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
