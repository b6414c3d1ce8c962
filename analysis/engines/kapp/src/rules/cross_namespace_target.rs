//! `kapp/cross-namespace-target`: a rule meets members of other namespaces only.

use super::{Written, group_place, written_rules};
use crate::defaults::PREFIX;
use crate::resolve::View;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/cross-namespace-target",
    severity: Severity::Hint,
    summary: "A rule meets members of other namespaces only",
    docs: include_str!("../../../../../docs/rules/kapp/cross-namespace-target.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// One hint per rule all of whose targets are in other namespaces.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    let uses = &view.deploy.uses;
    let members = view.members();
    let mut found = Vec::new();
    for Written {
        change, rule, text, ..
    } in written_rules(view)
    {
        let targets = members.get(rule.group as usize).map_or(&[][..], Vec::as_slice);
        let elsewhere = |unit: &u32| {
            let target = view.deploy.changes.get(*unit as usize);
            let namespace = target.map_or("", |c| &c.namespace);
            !namespace.is_empty() && *namespace != *change.namespace
        };
        let name = uses.name(rule.group);
        if change.namespace.is_empty()
            || targets.is_empty()
            || !text.placeholders.is_empty()
            || name.starts_with(PREFIX)
            || !targets.iter().all(elsewhere)
        {
            continue;
        }
        let Some(place) = group_place(view, change, rule.source) else {
            continue;
        };
        let mut d = Diagnostic::new(
            &RULE,
            place,
            format!(
                "every member of `{name}` is in another namespace than `{}`",
                change.namespace
            ),
        )
        .note("`{namespace}` in the group's name, on both sides, keeps namespaces apart");
        for unit in targets
            .iter()
            .take(5)
            .filter_map(|u| view.variant.units.get(*u as usize))
        {
            d = d.related(unit.name_place.unwrap_or(unit.header), format!("`{}`", unit.name));
        }
        found.push(d);
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
            Severity::Hint,
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: owner
  annotations: {kapp.k14s.io/change-rule: upsert after upserting g}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  namespace: one
  annotations: {kapp.k14s.io/change-group: g}
",
            &["g"],
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: owner
  annotations: {kapp.k14s.io/change-rule: upsert after upserting g}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: member
  annotations: {kapp.k14s.io/change-group: g}
",
        );
    }
}
