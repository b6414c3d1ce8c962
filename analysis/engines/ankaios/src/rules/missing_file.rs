//! `missing-file` in manifests: manifests that cannot be read.

use applyorder_core::diagnostic::{Diagnostic, Place};
use applyorder_core::files::ReadError;
use applyorder_core::layer::Finding;
use applyorder_core::rules::{limit_reached, missing_file, unreadable_file};

use super::{InProject, both, said};
use crate::judge::stage;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for (at, input) in (0u32..).zip(&project.model.loaded.inputs) {
        let Some(failure) = &input.failure else { continue };
        let place = input.named_at.unwrap_or(Place::file(input.file));
        if failure.is_limit() {
            let text = format!("`{}` {failure}", input.given);
            let d = Diagnostic::new(&limit_reached::RULE, place, text);
            found.push(Finding::new(d).about(&*input.given).at(at));
            continue;
        }
        let (rule, words) = match failure {
            ReadError::NotFound => (&missing_file::RULE, format!("File '{}' not found!", input.given)),
            other => (&unreadable_file::RULE, other.to_string()),
        };
        let text = format!("`{}` {failure}", input.given);
        let words = both(stage::READ, words);
        let d = Diagnostic::new(rule, place, text);
        found.push(
            said(project.role(), Some(&words), Some(&words), d)
                .about(&*input.given)
                .at(at),
        );
    }
}
