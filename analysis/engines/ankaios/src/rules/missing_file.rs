//! `missing-file` in manifests: manifests that cannot be read.

use applyorder_core::diagnostic::{Diagnostic, Place};
use applyorder_core::files::ReadError;
use applyorder_core::layer::Finding;
use applyorder_core::rules::{limit_reached, missing_file, unreadable_file};

use super::{InProject, both, said};
use crate::judge::stage;
use crate::read::Said;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    let inputs = &project.model.loaded.inputs;
    for (at, input) in (0u32..).zip(inputs) {
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
        let text = failure.unread(&format!("`{}`", input.given));
        let d = Diagnostic::new(rule, place, text);
        let finding = if let ReadError::NotUtf8(offset) = failure {
            let (startup, apply) = not_utf8(*offset);
            // `ank apply` reads bytes, and decodes each file when it reaches it.
            let before = inputs.iter().take(at as usize);
            let readable = before.filter(|input| input.failure.is_none()).count();
            said(project.role(), Some(&startup), Some(&apply), d).at(u32::try_from(readable).unwrap_or(at))
        } else {
            let words = both(stage::READ, words);
            said(project.role(), Some(&words), Some(&words), d).at(at)
        };
        found.push(finding.about(&*input.given));
    }
}

/// The messages of both about a file that is not UTF-8 from a byte on: mostly a character of another encoding
/// in a text.
fn not_utf8(offset: usize) -> (Said, Said) {
    let octet = match offset {
        0 => "invalid leading UTF-8 octet".to_owned(),
        _ => format!("invalid trailing UTF-8 octet at position {}", offset + 1),
    };
    (
        both(stage::READ, "stream did not contain valid UTF-8"),
        both(stage::YAML, octet),
    )
}
