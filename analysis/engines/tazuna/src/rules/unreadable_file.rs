//! `unreadable-file`: an included file that Tazuna cannot read either.

use crate::judge::{Stage, rejected};
use crate::load::{go_error, shown};
use crate::model::IncludeOutcome;
use crate::scope::Source;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::files::ReadError;
use applyorder_core::layer::Finding;
use applyorder_core::rules::unreadable_file::RULE;

pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let Some((include, IncludeOutcome::Unreadable(why))) = super::include_of(source) else {
        return;
    };
    if why.limit.is_some() {
        return;
    }
    let path = shown(&include.text);
    let error = &why.error;
    let d = Diagnostic::new(&RULE, include.place, error.unread(&format!("`{path}`")));
    if why.reads_otherwise {
        found.push(Finding::new(d.severity(Severity::Warning)).about(&*path));
        return;
    }
    let theirs = match error {
        ReadError::NotUtf8(_) => format!(
            "failed to parse include file: {path}: error converting YAML to JSON: yaml: {}",
            why.yaml
        ),
        _ => format!("failed to open include file: {path}: {}", go_error(&path, error)),
    };
    let reason = match error {
        ReadError::NotUtf8(_) => "not-utf8",
        _ => "unreadable",
    };
    let told = rejected(Stage::Includes, d.engine_message(theirs), &path);
    found.push(told.detail("reason", reason));
}
