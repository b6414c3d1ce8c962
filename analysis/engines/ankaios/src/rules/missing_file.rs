//! `missing-file` in manifests: manifests that cannot be read.

use applyorder_core::diagnostic::{Diagnostic, Place};
use applyorder_core::files::ReadError;
use applyorder_core::layer::Finding;
use applyorder_core::rules::{limit_reached, missing_file, unreadable_file};
use applyorder_syntax::yaml::dialect::serdeyaml::invalid_utf8;

use super::{InProject, both, said};
use crate::judge::stage;

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
        let finding = if let ReadError::NotUtf8(_) = failure {
            let cx = project.pass.cx;
            let bytes = cx.bytes(&cx.path(input.file)).unwrap_or_default();
            let startup = both(stage::READ, "stream did not contain valid UTF-8");
            let apply = both(stage::YAML, invalid_utf8(&bytes).unwrap_or_default());
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
