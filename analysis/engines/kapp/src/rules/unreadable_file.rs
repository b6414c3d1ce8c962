//! `unreadable-file`, `missing-file` and `limit-reached`: files of the app that cannot be read.

use super::rejected;
use super::scope::Project;
use crate::judge;
use crate::model::inputs::unread;
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::files::ReadError;
use applyorder_core::layer::Finding;
use applyorder_core::rules::{limit_reached, missing_file, unreadable_file};

/// Files that cannot be read.
pub(super) fn check(project: &Project<'_>, found: &mut Vec<Finding>) {
    for (place, given, error) in &project.model.app.inputs.unreadable {
        if error.is_limit() {
            let d = Diagnostic::new(&limit_reached::RULE, *place, format!("`{given}` {error}"));
            found.push(Finding::new(d));
            continue;
        }
        let (rule, text) = match error {
            ReadError::NotFound => (&missing_file::RULE, format!("`{given}` does not exist")),
            other => (&unreadable_file::RULE, other.unread(&format!("`{given}`"))),
        };
        let about = project.reported(unread(error), None, *place);
        let d = Diagnostic::new(rule, *place, text);
        found.push(rejected(d, vec![(judge::DEPLOY, "load", about)]));
    }
}
