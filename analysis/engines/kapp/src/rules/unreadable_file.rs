//! `unreadable-file` and `missing-file`: files of the app that cannot be read.

use super::rejected;
use super::scope::Project;
use crate::judge;
use crate::model::error::What;
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::files::ReadError;
use applyorder_core::layer::Finding;
use applyorder_core::rules::{missing_file, unreadable_file};

/// Files that cannot be read.
pub(super) fn check(project: &Project<'_>, found: &mut Vec<Finding>) {
    for (place, given, error) in &project.model.app.inputs.unreadable {
        let (rule, text) = match error {
            ReadError::NotFound => (&missing_file::RULE, format!("`{given}` does not exist")),
            other => (
                &unreadable_file::RULE,
                format!("`{given}` cannot be read: it {other}"),
            ),
        };
        let what = match error {
            ReadError::NotFound => What::MissingFile,
            _ => What::Unreadable,
        };
        let about = project.reported(what, None, *place);
        let d = Diagnostic::new(rule, *place, text);
        found.push(rejected(d, vec![(judge::DEPLOY, "load", about)]));
    }
}
