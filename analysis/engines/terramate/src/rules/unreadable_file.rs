//! `unreadable-file` among Terramate's files.

use crate::load::foreign::Effect;
use crate::read::instance::InstanceFaultKind;
use crate::scope::loading::LoadFault;
use crate::scope::{Directory, Whole};
use applyorder_core::diagnostic::{Diagnostic, Place};
use applyorder_core::files::ReadError;
use applyorder_core::layer::Finding;
use applyorder_core::rules::Rule;
use applyorder_core::rules::unreadable_file::RULE;

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell(found, |problem| match problem.fault {
        LoadFault::Unreadable(error) if !error.is_limit() => Some(worded(&RULE, problem.place, error)),
        _ => None,
    });
}

/// Instances of bundles.
pub(super) fn check_instances(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    whole.tell_of_instances(&RULE, found, |kind| match kind {
        InstanceFaultKind::Unreadable(error) => Some(cannot_read(error)),
        _ => None,
    });
}

fn cannot_read(error: &ReadError) -> String {
    match error {
        ReadError::IsDirectory => "expected a file, found a directory".to_owned(),
        error => error.unread("the file"),
    }
}

/// Names that are not UTF-8.
pub(super) fn check_names(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    whole.tell_of_foreign(found, |place, foreign| {
        let shown = &foreign.shown;
        let (what, words) = match foreign.effect {
            Effect::NotListed => ("directory", format!("readdir {shown}: invalid argument")),
            Effect::NotOpened => ("file", format!("open {shown}: invalid argument")),
            Effect::Loaded => return None,
        };
        let d = Diagnostic::new(
            &RULE,
            place,
            format!("the name of the {what} `{shown}` is not UTF-8"),
        );
        let d = d.note("Terramate fails there when it searches for instances of bundles");
        Some(d.engine_message(words))
    });
}

/// A file that cannot be read, possibly because of a limit of ours.
pub(super) fn worded(rule: &'static Rule, place: Place, error: &ReadError) -> Diagnostic {
    let words = match error {
        ReadError::NotUtf8(_) => {
            "All input files must be UTF-8 encoded. Ensure that UTF-8 encoding is selected in your editor."
        }
        _ => "reading config file",
    };
    Diagnostic::new(rule, place, cannot_read(error)).engine_message(words)
}
