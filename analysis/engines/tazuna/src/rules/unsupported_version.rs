//! `unsupported-version`: the root requires a newer Tazuna than the one in use.

use crate::config::TazunaGeneration;
use crate::judge::{Stage, rejected};
use crate::read::{loose_version, rebased};
use crate::scope::Source;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::unsupported_version::RULE;

pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let setting = source.context.setting;
    let Some(root) = source
        .certain_root()
        .filter(|_| setting.generation >= TazunaGeneration::G3)
    else {
        return;
    };
    let view = &root.piece.view;
    let (Some(minimum), Some(running)) = (&view.head.minimum, &setting.version) else {
        return;
    };
    let (Ok(wanted), Ok(has)) = (loose_version(&minimum.text), loose_version(running)) else {
        return;
    };
    if has >= wanted {
        return;
    }
    let text = format!("requires Tazuna {}, but {running} is in use", minimum.text);
    let theirs = format!(
        "this tazuna.yaml requires tazuna >= {}, but the running tazuna is {running}; please upgrade tazuna",
        minimum.text
    );
    let d = Diagnostic::new(&RULE, rebased(minimum.place, view.head_base()), text)
        .severity(Severity::Error)
        .engine_message(theirs);
    found.push(rejected(Stage::Version, d, "minimumSupportedTazunaVersion"));
}
