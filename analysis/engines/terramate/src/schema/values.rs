//! The required types of attributes that are evaluated while loading.

use super::tables::Ty;
use crate::problems::{Fault, Problems, duplicate_in_set, no_set, no_text_in_set};
use applyorder_syntax::go;
use applyorder_syntax::hcl::eval::{self, Budget, Data, NoVariables};
use applyorder_syntax::hcl::{Attribute, Expr, ExprKind, is_identifier};
use rustc_hash::FxHashSet;

/// Whether an attribute that is evaluated while loading has a value, and of the required type.
pub(super) fn typed(reader: &mut Problems<'_>, attribute: Attribute<'_>, ty: Ty) {
    let (name, expr) = (attribute.name(), attribute.value());
    let wrong = match ty {
        Ty::Any => None,
        Ty::Keyword(words) => {
            let (from, to) = (expr.span().start as usize, expr.span().end as usize);
            let written = reader.input.text.get(from..to).unwrap_or("").trim();
            let is_wrong = !words.contains(&written);
            let says = (name == "context").then(|| {
                // Terramate reads anything but a word as empty.
                let given = go::quote(if is_identifier(written) {
                    written.as_bytes()
                } else {
                    b""
                });
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
    // A value that cannot be evaluated has no type either, and Terramate reports both here.
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
    let calls = expr.walk().any(|e| matches!(e.kind(), ExprKind::Call(_)));
    problem.also = also.then_some(match calls {
        true => "Functions may not be called here.",
        false => "Variables may not be used here.",
    });
}

const UNTOLD: &str = "an expression that is not evaluated here";

fn one_of(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
    words.join(" or ")
}

/// What is required, what is there instead, and Terramate's message if it names the setting. Neither variables
/// nor functions may be used here.
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
    if matches!(data, Data::Unknown(_)) {
        return None;
    }
    let set = || set_of(name, &outcome.value);
    let fits = match (ty, data) {
        (Ty::Text, Data::String(_)) | (Ty::Bool | Ty::Switch, Data::Bool(_)) => true,
        (Ty::TextOf(words), Data::String(text)) => words.contains(&&**text),
        (Ty::Switch, Data::String(text)) => matches!(&**text, "on" | "off"),
        (Ty::Set | Ty::SetOf(_), Data::Null(_)) => true,
        (Ty::Set, _) => set().is_ok(),
        (Ty::SetOf(words), _) => set().is_ok_and(|texts| texts.iter().all(|t| words.contains(t))),
        (Ty::Paths, Data::Tuple(items) | Data::List(items, _)) => {
            let items = items.values();
            !items.is_empty() && items.iter().all(|item| item.as_str().is_some())
        }
        _ => false,
    };
    (!fits).then(|| {
        (
            wanted,
            described(data).to_owned(),
            match ty {
                Ty::Set => set().err(),
                _ => of_setting(name, &outcome.value),
            },
        )
    })
}

/// The entries of a list of different strings, or Terramate's message for its first mistake.
pub(crate) fn set_of<'v>(name: &str, value: &'v eval::Value) -> Result<Vec<&'v str>, String> {
    let items = match &value.data {
        Data::Tuple(items) | Data::List(items, _) => items.values(),
        _ => return Err(no_set(name, &value.type_name())),
    };
    let mut seen = FxHashSet::default();
    let texts = items.iter().enumerate().map(|(index, item)| match item.as_str() {
        None => Err(no_text_in_set(name, index, &item.type_name())),
        Some(text) if !seen.insert(text) => Err(duplicate_in_set(name, index, text)),
        Some(text) => Ok(text),
    });
    texts.collect()
}

/// Terramate's message for the value of a setting of the project.
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
        // The rest is an address in its memory.
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
