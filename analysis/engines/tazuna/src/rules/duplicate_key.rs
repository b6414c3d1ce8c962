//! `duplicate-key` in Tazuna's files: the same key twice, or a field in two spellings.

use crate::judge::Stage;
use crate::read::FaultKind;
use crate::scope::{Source, Wording};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::duplicate_key::RULE;

pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    source.tell(found, |lost, kind| match kind {
        FaultKind::RepeatedKey {
            name,
            kept,
            is_anchored,
            is_strict,
        } => {
            let text = format!("duplicate key `{name}`: this one is ignored");
            let d = Diagnostic::new(&RULE, lost, text).related(*kept, "value used here");
            if *is_strict {
                let d = d
                    .severity(Severity::Error)
                    .note("Tazuna G1 rejects duplicate keys");
                let theirs = format!("mapping key \"{name}\" already defined");
                return Some(Wording::rejected(Stage::Decode, d, theirs));
            }
            let safety = if *is_anchored {
                Safety::Unsafe
            } else {
                Safety::Safe
            };
            let d = d.note("Tazuna uses the last one").fix(
                format!("remove `{name}`"),
                safety,
                vec![FixStep::RemoveKey(lost)],
            );
            Some(Wording::silent(d))
        }
        FaultKind::TwoSpellings { name, kept } => {
            let text = format!("`{name}` is ignored: another spelling takes precedence");
            let d = Diagnostic::new(&RULE, lost, text)
                .related(*kept, "value used here")
                .note("Tazuna uses the spelling that sorts last")
                .fix(
                    "remove this spelling",
                    Safety::Unsafe,
                    vec![FixStep::RemoveKey(lost)],
                );
            Some(Wording::silent(d))
        }
        _ => None,
    });
}
