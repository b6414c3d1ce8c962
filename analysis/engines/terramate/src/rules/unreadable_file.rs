//! `unreadable-file` among Terramate's files.

use crate::scope::Directory;
use crate::scope::loading::LoadFault;
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

/// A file that cannot be read, possibly because of a limit of ours.
pub(super) fn worded(rule: &'static Rule, place: Place, error: &ReadError) -> Diagnostic {
    let message = match error {
        ReadError::IsDirectory => "expected a file, found a directory".to_owned(),
        error => error.unread("the file"),
    };
    let words = match error {
        ReadError::NotUtf8(_) => {
            "All input files must be UTF-8 encoded. Ensure that UTF-8 encoding is selected in your editor."
        }
        _ => "reading config file",
    };
    Diagnostic::new(rule, place, message).engine_message(words)
}
