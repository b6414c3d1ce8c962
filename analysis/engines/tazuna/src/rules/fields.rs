//! What can be wrong with a key: unknown, in another case, written twice.

use crate::judge::Stage;
use crate::read::Draft;
use crate::schema::{TABLES, Table};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::rules::{duplicate_key, field_case, nearest};

/// A known field in another spelling.
pub(crate) fn key_case(place: Place, written: &str, name: &str) -> Draft {
    Draft::lint(
        Diagnostic::new(
            &field_case::RULE,
            place,
            format!("`{written}` is read as `{name}`"),
        )
        .note("Tazuna compares field names without regard to case; it says nothing")
        .fix(
            format!("write `{name}`"),
            Safety::Safe,
            vec![FixStep::Replace(place, name.to_owned())],
        ),
    )
}

/// One key twice in a mapping. `anchored`: the value that is lost holds an anchor.
pub(crate) fn repeated_key(lost: Place, kept: Place, name: &str, anchored: bool, strict: bool) -> Draft {
    let d = Diagnostic::new(
        &duplicate_key::RULE,
        lost,
        format!("`{name}` stands there twice, and this one has no effect"),
    )
    .related(kept, "this one counts");
    if strict {
        let d = d
            .severity(Severity::Error)
            .note("Tazuna G1 rejects a key that stands there twice");
        let message = format!("mapping key \"{name}\" already defined");
        return Draft::rejected(Stage::Decode, d, message);
    }
    let d = d.note("Tazuna takes the last one and says nothing");
    let safety = if anchored { Safety::Unsafe } else { Safety::Safe };
    Draft::lint(d.fix("remove it", safety, vec![FixStep::RemoveKey(lost)]))
}

/// Two spellings of one field in a mapping.
pub(crate) fn two_spellings(lost: Place, kept: Place, name: &str) -> Draft {
    Draft::lint(
        Diagnostic::new(
            &duplicate_key::RULE,
            lost,
            format!("another spelling of `{name}` stands there too, and counts instead"),
        )
        .related(kept, "this one counts")
        .note("of several spellings of a field Tazuna takes the last in the order of their bytes; it says nothing")
        .fix("remove it", Safety::Unsafe, vec![FixStep::RemoveKey(lost)]),
    )
}

/// Whether a key says by its form that it is the author's own: `x-base`, `.base`.
#[must_use]
pub(crate) fn is_private(key: &str) -> bool {
    key.starts_with("x-") || key.starts_with(['.', '_'])
}

/// A key that is no field of its object.
pub(crate) fn unknown_field(place: Place, key: &str, table: &'static Table) -> Draft {
    let mut d = Diagnostic::new(
        &applyorder_core::rules::unknown_field::RULE,
        place,
        format!("`{key}` is no field of {}", table.title),
    )
    .note("Tazuna ignores it and says nothing");
    let owner = || {
        TABLES
            .into_iter()
            .find(|t| !std::ptr::eq(*t, table) && t.fields.iter().any(|f| f.name == key))
    };
    if let Some(owner) = owner() {
        d = d.label(format!("`{key}` is a field of {}", owner.title));
    } else if let Some(near) = closest(key, table) {
        d = d.label(format!("did you mean `{near}`?")).fix(
            format!("replace by `{near}`"),
            Safety::Unsafe,
            vec![FixStep::Replace(place, near.to_owned())],
        );
    }
    Draft::lint(d.fix("remove it", Safety::Unsafe, vec![FixStep::RemoveKey(place)]))
}

/// The field that was meant: also `dependsOn` for `depends_on`.
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
