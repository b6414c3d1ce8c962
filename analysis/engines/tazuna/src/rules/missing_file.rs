//! `missing-file`: an included file, or the path of a manifest, that does not exist.

use super::{later, traced};
use crate::judge::{Stage, rejected};
use crate::load::{Include, shown};
use crate::model::IncludeOutcome;
use crate::scope::{Source, of_item};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::missing_file::RULE;

pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (include, got) in super::includes_of(source).filter(|(include, _)| !include.text.is_empty()) {
        if let IncludeOutcome::Missing(near) = got {
            found.push(missing(source, include, near.as_deref()));
        }
    }
    for (path, better) in super::missing_paths(source) {
        if better.is_none() {
            // Tazuna notices when it reaches the manifest.
            let text = format!("path `{}` does not exist", path.text);
            let d = Diagnostic::new(&RULE, path.shown(), text)
                .severity(Severity::Warning)
                .note(later(""));
            found.push(Finding::new(traced(&path, d)));
        }
    }
}

fn missing(source: &Source<'_>, include: &Include, near: Option<&str>) -> Finding {
    let path = shown(&include.text);
    let (item, index) = (include.item, include.index);
    let theirs = format!("validation failed for manifest[{item}]: include file not found: {path}");
    let text = format!("included file `{}` does not exist", include.text);
    let mut d = Diagnostic::new(&RULE, include.place, text).engine_message(theirs);
    if let Some(near) = near {
        d = d.did_you_mean(near, FixStep::SetValue(include.place, near.to_owned()));
    }
    let removal = source.context.expansion.removal(item, include.place);
    let d = d.fix("remove the include", Safety::Unsafe, vec![removal]);
    let told = rejected(Stage::Spec, d, &include.text).detail("path", path);
    told.at(of_item(item, index as usize))
}
