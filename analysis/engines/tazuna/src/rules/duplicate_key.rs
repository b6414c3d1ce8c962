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
            let text = format!("`{name}` stands there twice, and this one has no effect");
            let d = Diagnostic::new(&RULE, lost, text).related(*kept, "this one counts");
            if *is_strict {
                let d = d
                    .severity(Severity::Error)
                    .note("Tazuna G1 rejects a key that stands there twice");
                let theirs = format!("mapping key \"{name}\" already defined");
                return Some(Wording::rejected(Stage::Decode, d, theirs));
            }
            let safety = if *is_anchored { Safety::Unsafe } else { Safety::Safe };
            let d = d
                .note("Tazuna takes the last one and says nothing")
                .fix("remove it", safety, vec![FixStep::RemoveKey(lost)]);
            Some(Wording::silent(d))
        }
        FaultKind::TwoSpellings { name, kept } => {
            let text = format!("another spelling of `{name}` stands there too, and counts instead");
            let d = Diagnostic::new(&RULE, lost, text)
                .related(*kept, "this one counts")
                .note(
                    "of several spellings of a field Tazuna takes the last in the order of their bytes; it says nothing",
                )
                .fix("remove it", Safety::Unsafe, vec![FixStep::RemoveKey(lost)]);
            Some(Wording::silent(d))
        }
        _ => None,
    });
}
