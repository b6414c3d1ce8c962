//! `wrong-type` in Tazuna's files.

use crate::judge::Stage;
use crate::read::{FaultKind, TypeFix, WantedType, WrongType};
use crate::scope::{Source, Wording};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::wrong_type::RULE;

pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    source.tell(found, |place, kind| match kind {
        FaultKind::WrongType(wrong) => Some(word(place, wrong)),
        _ => None,
    });
}

fn word(place: Place, wrong: &WrongType) -> Wording {
    let what = match wrong.field {
        Some(name) if wrong.is_entry => format!("an entry of `{name}`"),
        Some(name) => format!("`{name}`"),
        None => "the file".to_owned(),
    };
    let text = format!(
        "{what}: expected {}, found {}",
        wanted(wrong.wanted),
        found_type(wrong)
    );
    let mut d = Diagnostic::new(&RULE, place, text);
    if let Some(origin) = wrong.origin {
        d = d.related(origin, "value here");
    }
    if let Some(fix) = &wrong.fix {
        d = with_fix(d, place, fix);
    }
    let theirs = format!(
        "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {}{} into Go {} of type {}",
        wrong.found, wrong.number, wrong.go_field, wrong.go_type
    );
    Wording::rejected(Stage::Decode, d, theirs).detail("field", wrong.field.unwrap_or(""))
}

const fn wanted(wanted: WantedType) -> &'static str {
    match wanted {
        WantedType::Text => "a string",
        WantedType::Boolean => "`true` or `false`",
        WantedType::Integer => "an integer",
        WantedType::Texts => "a list of strings",
        WantedType::TextMap => "a mapping of strings",
        WantedType::Mappings => "a list of mappings",
        WantedType::Mapping => "a mapping",
    }
}

fn found_type(wrong: &WrongType) -> &'static str {
    match wrong.found {
        "bool" => "a boolean",
        "number" => "a number",
        "string" => "a string",
        "array" => "a list",
        "object" => "a mapping",
        _ => "null",
    }
}

fn with_fix(d: Diagnostic, place: Place, fix: &TypeFix) -> Diagnostic {
    let (title, step) = match fix {
        TypeFix::List => ("wrap it in a list".to_owned(), FixStep::WrapInList(place)),
        TypeFix::PathList(source) => {
            let text = format!("[{{path: {source}}}]");
            (format!("replace with `{text}`"), FixStep::Replace(place, text))
        }
        TypeFix::Path(source) => (
            format!("replace with `path: {source}`"),
            FixStep::Replace(place, format!("{{path: {source}}}")),
        ),
        TypeFix::Unquoted(text) => (format!("unquote `{text}`"), FixStep::Replace(place, text.clone())),
    };
    d.fix(title, Safety::Unsafe, vec![step])
}
