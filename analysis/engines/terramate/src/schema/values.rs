//! What the values of attributes have to be that are evaluated while loading.

use super::tables::Ty;
use crate::problems::{Fault, Problems};
use applyorder_syntax::go;
use applyorder_syntax::hcl::eval::{self, Budget, Data, NoVariables};
use applyorder_syntax::hcl::{Attribute, Expr};

/// Whether an attribute that is evaluated while loading has a value, and of its type.
pub(super) fn typed(reader: &mut Problems<'_>, attribute: Attribute<'_>, ty: Ty) {
    let (name, expr) = (attribute.name(), attribute.value());
    let wrong = match ty {
        Ty::Any => None,
        Ty::Keyword(words) => {
            let (from, to) = (expr.span().start as usize, expr.span().end as usize);
            let written = reader.input.text.get(from..to).unwrap_or("").trim();
            let is_wrong = !words.contains(&written);
            let says = (name == "context").then(|| {
                // What is no plain word, Terramate reads as an empty one.
                let is_first = |c: char| c.is_alphabetic() || c == '_';
                let is_word = written.starts_with(is_first)
                    && written.chars().all(|c| is_first(c) || c.is_numeric() || c == '-');
                let given = go::quote(if is_word { written.as_bytes() } else { b"" });
                format!("generate_file.context supported values are \"stack\" and \"root\" but given {given}")
            });
            is_wrong.then(|| (one_of(words), format!("`{written}`"), says))
        }
        _ => evaluated(name, expr, ty),
    };
    let Some((wanted, found, words)) = wrong else {
        return;
    };
    let words = words.unwrap_or_else(|| format!("{name} is not {wanted} but {found}"));
    // A value that cannot be evaluated has no type either, and Terramate says both here.
    let also =
        (name == "required_version" || name == "required_version_allow_prereleases") && found == UNTOLD;
    let fault = Fault::Value {
        name: name.into(),
        wanted,
        found,
        is_type: !matches!(ty, Ty::TextOf(_) | Ty::Keyword(_)),
        words,
    };
    let problem = reader.fatal(expr.span(), fault);
    problem.attribute = Some(name.into());
    problem.also = also.then_some("Variables may not be used here.");
}

const UNTOLD: &str = "an expression that is not evaluated here";

fn one_of(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
    words.join(" or ")
}

/// What is wanted, what is there instead, and Terramate's words where it names the setting. Neither variables nor
/// functions may be used here.
fn evaluated(name: &str, expr: Expr<'_>, ty: Ty) -> Option<(String, String, Option<String>)> {
    let nothing = NoVariables { prefix: "\0" };
    let outcome = eval::evaluate(expr, 0, &nothing, &Budget::default());
    let data = &outcome.value.data;
    let wanted = match ty {
        Ty::Text => "a string".to_owned(),
        Ty::Bool => "a bool".to_owned(),
        Ty::TextOf(words) => one_of(words),
        Ty::Switch => "`\"on\"`, `\"off\"` or a bool".to_owned(),
        Ty::SetOf(words) => format!("a list of {}", one_of(words)),
        _ => "a list of strings".to_owned(),
    };
    if !outcome.errors.is_empty() {
        return Some((wanted, UNTOLD.to_owned(), None));
    }
    let items: Vec<&Data> = match data {
        Data::Unknown(_) => return None,
        Data::Tuple(items) | Data::List(items, _) => items.values().iter().map(|v| &v.data).collect(),
        _ => Vec::new(),
    };
    let is_list = matches!(data, Data::Tuple(_) | Data::List(..));
    let texts = || {
        items.iter().map(|d| match d {
            Data::String(text) => Some(&**text),
            _ => None,
        })
    };
    let distinct = || {
        let mut seen: Vec<Option<&str>> = Vec::new();
        texts().all(|t| {
            !seen.contains(&t) && {
                seen.push(t);
                true
            }
        })
    };
    let fits = match (ty, data) {
        (Ty::Text, Data::String(_)) | (Ty::Bool | Ty::Switch, Data::Bool(_)) => true,
        (Ty::TextOf(words), Data::String(text)) => words.contains(&&**text),
        (Ty::Switch, Data::String(text)) => matches!(&**text, "on" | "off"),
        (Ty::Set | Ty::SetOf(_), Data::Null(_)) => true,
        (Ty::Set, _) => is_list && texts().all(|t| t.is_some()) && distinct(),
        (Ty::SetOf(words), _) => {
            is_list && texts().all(|t| t.is_some_and(|t| words.contains(&t))) && distinct()
        }
        (Ty::Paths, _) => is_list && !items.is_empty() && texts().all(|t| t.is_some()),
        _ => false,
    };
    (!fits).then(|| {
        (
            wanted,
            described(data).to_owned(),
            match ty {
                Ty::Set => Some(of_set(name, &outcome.value)),
                _ => of_setting(name, &outcome.value),
            },
        )
    })
}

/// Terramate's words for the first thing that is wrong with a list of texts.
fn of_set(name: &str, value: &eval::Value) -> String {
    let items = match &value.data {
        Data::Tuple(items) | Data::List(items, _) => items.values(),
        _ => {
            let found = value.type_name();
            return format!("field \"{name}\" must be a set(string) but found a \"{found}\"");
        }
    };
    let mut seen: Vec<&str> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let Some(text) = item.as_str() else {
            let found = item.type_name();
            return format!(
                "field \"{name}\" must be a set(string) but element {index} has type \"{found}\""
            );
        };
        if seen.contains(&text) {
            let text = go::quote(text.as_bytes());
            return format!(
                "duplicated entry {text} in the index {index} of field \"{name}\" of type set(string)"
            );
        }
        seen.push(text);
    }
    format!("field \"{name}\" must be a set(string)")
}

/// Terramate's words for the value of a setting of the project.
fn of_setting(name: &str, value: &eval::Value) -> Option<String> {
    let (path, wanted) = match name {
        "check_gen_code" => ("run.check_gen_code", "a bool"),
        "hcl_magic_header_comment_style" => ("generate.hcl_magic_header_comment_style", "a string"),
        "default_branch" => ("git.branch", "a string"),
        "default_remote" => ("git.remote", "a string"),
        "check_untracked" => ("git.check_untracked", "a boolean"),
        "check_uncommitted" => ("git.check_uncommitted", "a boolean"),
        "check_remote" => ("git.check_remote", "a boolean"),
        "organization" => ("cloud.organization", "a string"),
        "location" => ("cloud.location", "a string"),
        // What follows is an address in its memory.
        "dir" => return Some("vendor.dir must be string, got ".to_owned()),
        _ => return None,
    };
    let is = match (name, value.as_str()) {
        ("hcl_magic_header_comment_style", Some(text)) => {
            format!("must be either `//` or `#` but \"{text}\" was given")
        }
        ("location", Some(_)) => "is not a valid region".to_owned(),
        _ => format!("is not {wanted} but \"{}\"", value.type_name()),
    };
    Some(format!("terramate.config.{path} {is}"))
}

fn described(data: &Data) -> &'static str {
    match data {
        Data::String(_) => "another string",
        Data::Bool(_) => "a bool",
        Data::Number(_) => "a number",
        Data::Null(_) => "null",
        Data::Tuple(_) | Data::List(..) => "a list with another, no or a duplicate entry",
        _ => "a collection",
    }
}
