//! `kapp/weak-wait`: what is waited for counts as done at once.

use super::{Written, group_place, written_rules};
use crate::facts::Key;
use crate::grammar::{Op, Order};
use crate::resolve::View;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/weak-wait",
    severity: Severity::Info,
    summary: "What is waited for counts as done at once",
    docs: include_str!("../../../../../docs/rules/kapp/weak-wait.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// One finding per rule that awaits only resources kapp does not wait for.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    let members = view.members();
    let why = |unit: &u32| {
        let change = view.deploy.changes.get(*unit as usize)?;
        let r = view.sets.resource(change)?;
        if r.has(Key::DisableWait) {
            Some("has `kapp.k14s.io/disable-wait`")
        } else if &*r.kind.value == "CronJob" && r.group() == "batch" {
            Some("is a CronJob, whose jobs run later")
        } else {
            None
        }
    };
    let mut found = Vec::new();
    for Written {
        unit, change, rule, ..
    } in written_rules(view)
    {
        if rule.action != Op::Upsert || rule.target != Op::Upsert {
            continue;
        }
        let own = [unit];
        let awaited = match rule.order {
            Order::After => members.get(rule.group as usize).map_or(&[][..], Vec::as_slice),
            Order::Before => &own[..],
        };
        if awaited.is_empty() || !awaited.iter().all(|unit| why(unit).is_some()) {
            continue;
        }
        let Some(place) = group_place(view, change, rule.source) else {
            continue;
        };
        let mut d = Diagnostic::new(
            &RULE,
            place,
            "what is waited for counts as done as soon as it is applied",
        );
        for (unit, why) in awaited
            .iter()
            .take(5)
            .filter_map(|u| Some((view.variant.units.get(*u as usize)?, why(u)?)))
        {
            d = d.related(
                unit.name_place.unwrap_or(unit.header),
                format!("`{}` {why}", unit.name),
            );
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
            Severity::Info,
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
  annotations: {kapp.k14s.io/change-group: g, kapp.k14s.io/disable-wait: ''}
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
        speaks(
            &RULE,
            Severity::Info,
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: owner
  annotations: {kapp.k14s.io/change-rule: upsert after upserting g}
---
apiVersion: batch/v1
kind: CronJob
metadata:
  name: c
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
apiVersion: batch/v1
kind: Job
metadata:
  name: c
  annotations: {kapp.k14s.io/change-group: g}
",
        );
    }
}
