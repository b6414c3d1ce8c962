//! The values of a `sharing_backend` block, which Terramate evaluates while it loads.
//!
//! Source: Terramate 0.17.2, `SharingBackendBlockParser.Parse` and `evalStringList`.

use applyorder_syntax::hcl::eval::{Data, Type, Value};
use applyorder_syntax::hcl::{Attribute, Block};

use super::written::{Written, first_error};
use super::{Reader, Text};
use crate::problems::{Fault, NULL_STRING};

/// Reads a block; its problems go to the reader, which already has the others of the block from an index on.
pub(super) fn read(reader: &mut Reader<'_>, block: Block<'_>, first: usize) {
    let body = block.body();
    match body.attribute("filename") {
        Some(filename) => check(reader, filename, of_filename),
        None => {
            let is_it = |fault: &Fault| matches!(fault, Fault::Missing { name, .. } if **name == *"filename");
            let mut own = reader.found.iter_mut().skip(first);
            if let Some(missing) = own.find(|problem| is_it(&problem.fault)) {
                missing.also = Some(EMPTY);
            }
        }
    }
    if let Some(command) = body.attribute("command") {
        check(reader, command, of_command);
    }
}

/// A value that Terramate rejects: what is required, what it is instead, whether that is of another type, and
/// Terramate's message.
struct Wrong {
    wanted: &'static str,
    found: String,
    is_type: bool,
    words: String,
}

/// Terramate crashes.
fn null() -> Wrong {
    Wrong {
        wanted: "a string",
        found: "null".to_owned(),
        is_type: true,
        words: NULL_STRING.to_owned(),
    }
}

/// What a check comes to; `None` if that depends on something unknown.
type Checked = Option<Result<(), Wrong>>;

fn check(reader: &mut Reader<'_>, attribute: Attribute<'_>, of: fn(&Value) -> Checked) {
    let written = Written::of(attribute.value());
    if written.is_broken() {
        return;
    }
    let outcome = written.evaluate();
    let checked = match first_error(&outcome) {
        Some(error) => Some(Err(Wrong {
            wanted: "a value",
            found: "an expression that cannot be evaluated".to_owned(),
            is_type: false,
            words: error.message.clone(),
        })),
        None if written.may_fail(&outcome) => None,
        None => of(&outcome.value),
    };
    match checked {
        Some(Ok(())) => {}
        Some(Err(wrong)) => {
            // Without a filename that it can use, Terramate reports this as well.
            let is_empty_too =
                attribute.name() == "filename" && ![EMPTY, NULL_STRING].contains(&&*wrong.words);
            let fault = Fault::Value {
                name: attribute.name().into(),
                wanted: wrong.wanted.to_owned(),
                found: wrong.found,
                is_type: wrong.is_type,
                words: wrong.words,
            };
            let problem = reader.fatal(written.expr.span(), fault);
            problem.attribute = Some(attribute.name().into());
            problem.also = is_empty_too.then_some(EMPTY);
        }
        None => {
            let at = reader.at(written.expr.span());
            let value = format!("sharing_backend.{}", attribute.name()).into();
            reader.shape.open.push(Text { value, at });
        }
    }
}

/// Terramate's message for an empty filename.
const EMPTY: &str = "empty \"sharing_backend\".filename";

fn of_filename(value: &Value) -> Checked {
    let ty = value.ty();
    match &value.data {
        Data::String(text) if text.is_empty() => Some(Err(Wrong {
            wanted: "a name",
            found: "an empty string".to_owned(),
            is_type: false,
            words: EMPTY.to_owned(),
        })),
        Data::String(_) => Some(Ok(())),
        Data::Unknown(_) if ty == Type::String => Some(Ok(())),
        Data::Unknown(_) if ty == Type::Dynamic => None,
        Data::Null(Type::String) => Some(Err(null())),
        _ => Some(Err(Wrong {
            wanted: "a string",
            found: value.type_name(),
            is_type: true,
            words: format!("\"filename\" must be a string but {} given", value.type_name()),
        })),
    }
}

fn of_command(value: &Value) -> Checked {
    let wrong = |found: String, is_type, words| {
        Some(Err(Wrong {
            wanted: "a list of strings",
            found,
            is_type,
            words,
        }))
    };
    let items = match &value.data {
        Data::Tuple(items) | Data::List(items, _) => items.values(),
        Data::Unknown(unknown) if matches!(unknown.ty, Type::Dynamic | Type::List(_) | Type::Tuple(_)) => {
            return None;
        }
        _ => {
            let found = value.type_name();
            let words = format!("\"sharing_backend.command\" must be a list(string) but \"{found}\" given");
            return wrong(found, true, words);
        }
    };
    if items.is_empty() {
        let words = "\"sharing_backend.command\" must be a non-empty list of strings".to_owned();
        return wrong("an empty list".to_owned(), false, words);
    }
    for (index, item) in items.iter().enumerate() {
        match item.ty() {
            Type::String if matches!(item.data, Data::Null(_)) => return Some(Err(null())),
            Type::String => {}
            Type::Dynamic if item.as_unknown().is_some() => return None,
            _ => {
                let found = item.type_name();
                let words = format!(
                    "element {index} of attribute sharing_backend.command is not a string but {found}"
                );
                return wrong(format!("a list with a {found}"), true, words);
            }
        }
    }
    Some(Ok(()))
}
