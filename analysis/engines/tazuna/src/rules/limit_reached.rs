//! `limit-reached` in Tazuna's files: a file that is too deep or too large, or has too many environments.

use crate::load::shown;
use crate::model::IncludeOutcome;
use crate::read::FaultKind;
use crate::scope::{Source, Wording};
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::limit_reached::RULE;

pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    source.tell(found, |place, kind| match kind {
        FaultKind::Limit(text) => Some(Wording::silent(Diagnostic::new(&RULE, place, &**text))),
        _ => None,
    });
    if let Some((include, IncludeOutcome::Unreadable(why))) = super::include_of(source)
        && let Some(what) = &why.limit
    {
        let text = format!("`{}` {what}", shown(&include.text));
        found.push(Finding::new(Diagnostic::new(&RULE, include.place, text)));
    }
}
