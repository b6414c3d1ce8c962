//! `kapp/no-delete-counterpart`: two groups are ordered when created and not when deleted.

use super::own_text;
use crate::diagnostic::{Diagnostic, Severity};
use crate::engines::kapp::grammar::Op;
use crate::engines::kapp::resolve::View;
use crate::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/no-delete-counterpart",
    severity: Severity::Hint,
    summary: "Two groups are ordered when created and not when deleted",
    docs: "\
## What it does\n\
Reports a rule that orders creation while nothing orders the deletion of the same resources. Off unless it is\n\
switched on in `[rules]`.\n\
\n\
## Why is this bad?\n\
kapp derives nothing from an upsert rule: on deletion everything goes at once.\n\
\n\
## Example\n\
```yaml\n\
kapp.k14s.io/change-rule: upsert after upserting big.co/db\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
kapp.k14s.io/change-rule.0: upsert after upserting big.co/db\n\
kapp.k14s.io/change-rule.1: delete before deleting big.co/db\n\
```\n\
\n\
## What kapp says\n\
Nothing.\n",
    since: "0.1.0",
    status: Status::Preview,
    replaces: &[],
};

/// One hint per upsert rule of an annotation without a delete rule between the same resources.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    let uses = &view.deploy.uses;
    let members = view.members();
    let mut found = Vec::new();
    for (change, own) in view.deploy.changes.iter().zip(&uses.changes) {
        for rule in own
            .rules
            .iter()
            .filter(|r| r.action == Op::Upsert && r.target == Op::Upsert)
        {
            let Some((_, text)) = own_text(view, change, rule.source) else {
                continue;
            };
            let targets = members.get(rule.group as usize).map_or(&[][..], Vec::as_slice);
            let forth = own
                .rules
                .iter()
                .any(|r| r.action == Op::Delete && r.group == rule.group);
            let back = targets.iter().any(|t| {
                uses.changes.get(*t as usize).is_some_and(|target| {
                    target
                        .rules
                        .iter()
                        .any(|r| r.action == Op::Delete && own.groups.iter().any(|g| g.group == r.group))
                })
            });
            if targets.is_empty() || forth || back {
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
    }
    found
}
