//! `kapp/no-delete-counterpart`: two groups are ordered when created and not when deleted.

use rustc_hash::FxHashSet;

use super::{Written, written_rules};
use crate::grammar::Op;
use crate::resolve::View;
use crate::resolve::uses::ChangeUses;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/no-delete-counterpart",
    severity: Severity::Hint,
    summary: "Two groups are ordered when created and not when deleted",
    docs: include_str!("../../../../../docs/rules/kapp/no-delete-counterpart.md"),
    since: "0.1.0",
    status: Status::Preview,
    replaces: &[],
};

/// One hint per upsert rule of an annotation without a delete rule between the same resources.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    let uses = &view.deploy.uses;
    // The groups that members of each group name in rules of theirs for deletion.
    let mut named: Vec<FxHashSet<u32>> = vec![FxHashSet::default(); uses.names.len()];
    let mut populated = vec![false; uses.names.len()];
    for own in &uses.changes {
        for group in &own.groups {
            let at = group.group as usize;
            if let (Some(named), Some(populated)) = (named.get_mut(at), populated.get_mut(at)) {
                *populated = true;
                named.extend(deletions(own));
            }
        }
    }
    let mut found = Vec::new();
    for Written {
        change,
        own,
        rule,
        text,
        ..
    } in written_rules(view)
    {
        if rule.action != Op::Upsert || rule.target != Op::Upsert {
            continue;
        }
        let at = rule.group as usize;
        let forth = deletions(own).any(|group| group == rule.group);
        let named = named.get(at);
        let back = named.is_some_and(|named| own.groups.iter().any(|g| named.contains(&g.group)));
        if populated.get(at) != Some(&true) || forth || back {
            continue;
        }
        found.push(Diagnostic::new(
            &RULE,
            view.of_change(change, text.place),
            format!(
                "creation is ordered against `{}`, deletion is not",
                uses.name(rule.group)
            ),
        ));
    }
    found
}

/// The groups that a change's rules for deletion name.
fn deletions(own: &ChangeUses) -> impl Iterator<Item = u32> + '_ {
    let rules = own.rules.iter().filter(|r| r.action == Op::Delete);
    rules.map(|r| r.group)
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
  name: member
  annotations: {kapp.k14s.io/change-group: g}
",
            &["upsert after upserting g"],
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  annotations: {kapp.k14s.io/change-rule: upsert after upserting g, kapp.k14s.io/change-rule.2: delete before deleting g}
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
