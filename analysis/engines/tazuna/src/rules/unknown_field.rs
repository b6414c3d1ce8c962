//! `unknown-field` in Tazuna's files.

use crate::read::FaultKind;
use crate::schema::{TABLES, Table};
use crate::scope::{Source, Wording};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::nearest;
use applyorder_core::rules::unknown_field::RULE;

pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    source.tell(found, |place, kind| match kind {
        FaultKind::UnknownField { key, table } => Some(Wording::silent(diagnostic(place, key, table.0))),
        _ => None,
    });
}

fn diagnostic(place: Place, key: &str, table: &'static Table) -> Diagnostic {
    let text = format!("unknown field `{key}` in {}", table.title);
    let mut d = Diagnostic::new(&RULE, place, text).note("Tazuna ignores it");
    let mut others = TABLES.into_iter().filter(|t| !std::ptr::eq(*t, table));
    if let Some(owner) = others.find(|t| t.fields.iter().any(|f| f.name == key)) {
        d = d.label(format!("`{key}` is a field of {}", owner.title));
    } else if let Some(near) = closest(key, table) {
        d = d.did_you_mean(near, FixStep::Replace(place, near.to_owned()));
    }
    d.fix(
        format!("remove `{key}`"),
        Safety::Unsafe,
        vec![FixStep::RemoveKey(place)],
    )
}

/// The intended field: also `dependsOn` for `depends_on`.
fn closest(key: &str, table: &'static Table) -> Option<&'static str> {
    let plain = |text: &str| {
        let kept = text.chars().filter(|c| !matches!(c, '_' | '-'));
        kept.collect::<String>().to_ascii_lowercase()
    };
    let known = || table.fields.iter().map(|f| f.name);
    known()
        .find(|f| plain(f) == plain(key))
        .or_else(|| nearest(key, known()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::MANIFEST;

    #[test]
    fn a_field_in_snake_case_is_understood() {
        assert_eq!(closest("depends_on", &MANIFEST), Some("dependsOn"));
        assert_eq!(closest("dependOn", &MANIFEST), Some("dependsOn"));
        assert_eq!(closest("namespace", &MANIFEST), None);
    }
}
