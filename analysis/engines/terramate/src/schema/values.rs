//! The required types of attributes that are evaluated while loading.

use super::filter;
use super::tables::{SAFEGUARDS, Ty};
use crate::problems::{Fault, NULL_STRING, Problems, duplicate_in_set, no_set, no_text_in_set};
use applyorder_syntax::go;
use applyorder_syntax::hcl::eval::{
    self, Budget, Data, EvalError, EvalErrorKind, NoVariables, Outcome, Type,
};
use applyorder_syntax::hcl::{Attribute, Expr, is_identifier};
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
            // Terramate reads anything but a word as empty.
            let word = if is_identifier(written) { written } else { "" };
            let says = match name {
                "context" => Some(format!(
                    "generate_file.context supported values are \"stack\" and \"root\" but given {}",
                    go::quote(word.as_bytes())
                )),
                "type" => Some(format!("unrecognized sharing backend type: {word}")),
                _ => None,
            };
            is_wrong.then(|| (one_of(words), format!("`{written}`"), says))
        }
        _ => evaluated(name, expr, ty),
    };
    let Some((wanted, found, words)) = wrong else {
        return;
    };
    let words = words.unwrap_or_else(|| format!("{name} is not {wanted} but {found}"));
    // A value that cannot be evaluated has no type either, and Terramate reports both here.
    let also = Some(name).filter(|_| found == UNTOLD).and_then(no_version);
    let fault = Fault::Value {
        name: name.into(),
        wanted,
        found,
        is_type: !matches!(ty, Ty::TextOf(_) | Ty::Keyword(_)),
        words,
    };
    let problem = reader.fatal(expr.span(), fault);
    problem.attribute = Some(name.into());
    problem.also = also;
}

/// Terramate's message for an attribute about its version that has another type.
fn no_version(name: &str) -> Option<&'static str> {
    match name {
        "required_version" => Some("attribute is not a string"),
        "required_version_allow_prereleases" => Some("attribute is not a bool"),
        _ => None,
    }
}

const UNTOLD: &str = "an expression that is not evaluated here";

fn one_of(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
    words.join(" or ")
}

/// What is required, what is there instead, and Terramate's message if it names the setting. Neither variables
/// nor functions may be used here.
fn evaluated(name: &str, expr: Expr<'_>, ty: Ty) -> Option<(String, String, Option<String>)> {
    let outcome = without_names(expr);
    let data = &outcome.value.data;
    let wanted = match ty {
        Ty::Text | Ty::NotNull => "a string".to_owned(),
        Ty::Bool => "a bool".to_owned(),
        Ty::TextOf(words) => one_of(words),
        Ty::Switch => "`\"on\"`, `\"off\"` or a bool".to_owned(),
        Ty::SetOf(words) => format!("a list of {}", one_of(words)),
        _ => "a list of strings".to_owned(),
    };
    if ty == Ty::NotNull && !matches!(data, Data::Null(Type::String)) {
        return None;
    }
    if let Some(error) = outcome.errors.first() {
        return Some((wanted, UNTOLD.to_owned(), Some(not_evaluated(name, error))));
    }
    if matches!(data, Data::Unknown(_)) {
        return None;
    }
    let value = &outcome.value;
    let fits = match (ty, data) {
        (Ty::Text | Ty::TextOf(_) | Ty::Switch | Ty::NotNull, Data::Null(Type::String)) => {
            Err(Some(NULL_STRING.to_owned()))
        }
        // A bool without a value is `false` to Terramate.
        (Ty::Text, Data::String(_)) | (Ty::Bool | Ty::Switch, Data::Bool(_) | Data::Null(Type::Bool)) => {
            Ok(())
        }
        (Ty::TextOf(words), Data::String(text)) if words.contains(&&**text) => Ok(()),
        (Ty::Switch, Data::String(text)) if matches!(&**text, "on" | "off") => Ok(()),
        (Ty::Set | Ty::SetOf(_), Data::Null(_)) => Ok(()),
        (Ty::Set, _) => set_of(name, value).map(drop).map_err(Some),
        (Ty::SetOf(words), _) => keywords(name, value, words).map_err(Some),
        (Ty::Paths, _) => patterns(name, value).map_err(Some),
        _ => Err(of_setting(name, value)),
    };
    let words = fits.err()?;
    Some((wanted, described(data).to_owned(), words))
}

/// Terramate's message for an attribute that it cannot evaluate.
fn not_evaluated(name: &str, error: &EvalError) -> String {
    let why = match error.kind {
        EvalErrorKind::Function => "Functions may not be called here.",
        EvalErrorKind::Variable => "Variables may not be used here.",
        _ => &error.message,
    };
    let block = match name {
        "required_version" | "required_version_allow_prereleases" | "files" => return why.to_owned(),
        "dir" => return format!("evaluating vendor.dir: {why}"),
        "project_paths" | "repository_paths" => return format!("evaluating {name}: {why}"),
        "experiments" | "disable_safeguards" => {
            return format!("evaluating terramate.config.{name} attribute: {why}");
        }
        "check_gen_code" => "run.",
        "hcl_magic_header_comment_style" => "generate.",
        "organization" | "location" => "cloud.",
        "enabled" => "cloud.targets.",
        "untracked" | "uncommitted" => "change_detection.git.",
        // The attributes of `git`, without its name.
        _ => "",
    };
    format!("failed to evaluate terramate.config.{block}{name} attribute: {why}")
}

/// The entries of a list of different strings, or Terramate's message for its first mistake.
pub(crate) fn set_of<'v>(name: &str, value: &'v eval::Value) -> Result<Vec<&'v str>, String> {
    let items = match &value.data {
        Data::Tuple(items) | Data::List(items, _) => items.values(),
        _ => return Err(no_set(name, &value.type_name())),
    };
    let mut seen = FxHashSet::default();
    let texts = items.iter().enumerate().map(|(index, item)| match item.as_str() {
        None if matches!(item.data, Data::Null(Type::String)) => Err(NULL_STRING.to_owned()),
        None => Err(no_text_in_set(name, index, &item.type_name())),
        Some(text) if !seen.insert(text) => Err(duplicate_in_set(name, index, text)),
        Some(text) => Ok(text),
    });
    texts.collect()
}

/// Whether a list consists of different words of these, or Terramate's message for its first mistake.
fn keywords(name: &str, value: &eval::Value, words: &[&str]) -> Result<(), String> {
    let texts = set_of(name, value)?;
    match texts.into_iter().find(|text| !words.contains(text)) {
        Some(text) => Err(format!("invalid keyword {}", go::quote(text.as_bytes()))),
        None => Ok(()),
    }
}

/// Whether a value disables safeguards: only then do other settings conflict with it.
pub(crate) fn disables(data: &Data) -> bool {
    let value = eval::Value::from(data.clone());
    let name = "disable_safeguards";
    keywords(name, &value, &SAFEGUARDS).is_ok() && set_of(name, &value).is_ok_and(|texts| !texts.is_empty())
}

/// The value of an expression in which neither variables nor functions may be used.
pub(crate) fn without_names(expr: Expr<'_>) -> Outcome {
    // No function has a name with this prefix.
    let nothing = NoVariables { prefix: "\0" };
    eval::evaluate(expr, 0, &nothing, &Budget::default())
}

/// Whether a list consists of valid patterns, or Terramate's message for its first mistake.
fn patterns(name: &str, value: &eval::Value) -> Result<(), String> {
    let items = match &value.data {
        Data::Tuple(items) | Data::List(items, _) => items.values(),
        Data::Null(_) => &[],
        _ => {
            return Err(format!(
                "value must be a list(string), got \"{}\"",
                value.type_name()
            ));
        }
    };
    if items.is_empty() {
        return Err(format!("{name} must not be empty"));
    }
    let texts = items.iter().enumerate().map(|(index, item)| {
        let found = || {
            let found = item.type_name();
            format!("value must be a set(string) but val[{index}] = \"{found}\"")
        };
        match &item.data {
            Data::Null(Type::String) => Err(NULL_STRING.to_owned()),
            _ => item.as_str().ok_or_else(found),
        }
    });
    let texts: Vec<&str> = texts.collect::<Result<_, _>>()?;
    match texts.into_iter().find_map(filter::fault) {
        Some(fault) => Err(format!("compiling match pattern for {name}: {fault}")),
        None => Ok(()),
    }
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
        "enabled" => ("cloud.targets.enabled", "a boolean"),
        "organization" => ("cloud.organization", "a string"),
        "location" => ("cloud.location", "a string"),
        "untracked" | "uncommitted" => {
            return Some(match value.as_str() {
                Some(text) => {
                    let text = go::quote(text.as_bytes());
                    format!(
                        "unexpected value {text} in the `terramate.config.change_detection.git.{name}` attribute"
                    )
                }
                // It confuses the two.
                None => format!(
                    "expected `string` or `bool` but type {name} is set in the `terramate.config.change_detection.git.{}` attribute",
                    value.type_name()
                ),
            });
        }
        // The rest is an address in its memory.
        "dir" => return Some("vendor.dir must be string, got ".to_owned()),
        _ => return no_version(name).map(str::to_owned),
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
