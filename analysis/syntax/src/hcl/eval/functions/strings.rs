//! Functions on strings.

use std::collections::BTreeMap;
use std::sync::Arc;

use regex::Regex;

use super::super::scope::Scope;
use super::super::types::Type;
use super::super::value::{Data, Value};
use super::{Args, Fault, Given};
use crate::go::case;
use crate::goregexp;

fn text(value: &str) -> Given {
    Ok(Value::string(value))
}

pub(super) fn upper(args: &Args<'_>) -> Given {
    text(&args.string(0)?.chars().map(case::upper).collect::<String>())
}

pub(super) fn lower(args: &Args<'_>) -> Given {
    text(&args.string(0)?.chars().map(case::lower).collect::<String>())
}

/// Each word with a capital first letter.
pub(super) fn title(args: &Args<'_>) -> Given {
    let mut out = String::new();
    let mut inside = false;
    for c in args.string(0)?.chars() {
        if inside {
            out.push(c)
        } else {
            out.push(case::title(c))
        }
        inside = c.is_alphanumeric() || c == '_' || (!c.is_ascii() && !c.is_whitespace());
    }
    text(&out)
}

pub(super) fn trim(args: &Args<'_>) -> Given {
    let cut = args.string(1)?;
    text(args.string(0)?.trim_matches(|c| cut.contains(c)))
}

pub(super) fn trimspace(args: &Args<'_>) -> Given {
    text(args.string(0)?.trim())
}

/// A word has no space around it for `trimspace` or `chomp` to remove.
pub(super) fn same_word(values: &[Value], scope: &dyn Scope) -> Option<Value> {
    let text = values.first()?;
    let is_word = text
        .as_unknown()?
        .symbol
        .is_some_and(|symbol| scope.is_word(symbol));
    is_word.then(|| text.clone())
}

pub(super) fn trimprefix(args: &Args<'_>) -> Given {
    let value = args.string(0)?;
    text(value.strip_prefix(args.string(1)?).unwrap_or(value))
}

pub(super) fn trimsuffix(args: &Args<'_>) -> Given {
    let value = args.string(0)?;
    text(value.strip_suffix(args.string(1)?).unwrap_or(value))
}

pub(super) fn chomp(args: &Args<'_>) -> Given {
    text(args.string(0)?.trim_end_matches(['\r', '\n']))
}

pub(super) fn startswith(args: &Args<'_>) -> Given {
    Ok(Value::bool(args.string(0)?.starts_with(args.string(1)?)))
}

pub(super) fn endswith(args: &Args<'_>) -> Given {
    Ok(Value::bool(args.string(0)?.ends_with(args.string(1)?)))
}

pub(super) fn strcontains(args: &Args<'_>) -> Given {
    Ok(Value::bool(args.string(0)?.contains(args.string(1)?)))
}

/// The maximum number of spaces that surely fit into memory: Terraform makes them even for a single line.
const MOST_SPACES: usize = 1 << 20;

pub(super) fn indent(args: &Args<'_>) -> Given {
    let spaces = usize::try_from(args.whole(0)?)
        .map_err(|_| Fault::new("the number of spaces must not be negative"))?;
    let value = args.string(1)?;
    let lines = value.matches('\n').count();
    if lines == 0 && spaces > MOST_SPACES {
        return Err(Fault::open("an indent of so many spaces may not fit into memory"));
    }
    if lines == 0 {
        return text(value);
    }
    args.spend(lines.saturating_mul(spaces) / 64)?;
    text(&value.replace('\n', &format!("\n{}", " ".repeat(spaces))))
}

pub(super) fn split(args: &Args<'_>) -> Given {
    let (separator, value) = (args.string(0)?, args.string(1)?);
    args.spend(value.matches(separator).count())?;
    let parts: Vec<Value> = if separator.is_empty() {
        value
            .chars()
            .map(|c| Value::string(c.encode_utf8(&mut [0; 4])))
            .collect()
    } else {
        value.split(separator).map(Value::string).collect()
    };
    Ok(Value::list(parts, Type::String))
}

pub(super) fn join(args: &Args<'_>) -> Given {
    let separator = args.string(0)?;
    if args.values.len() < 2 {
        return Err(Fault::new("it needs at least one list"));
    }
    let mut parts = Vec::new();
    for index in 1..args.values.len() {
        parts.extend(args.strings(index)?);
    }
    args.spend(parts.len().saturating_mul(separator.len()) / 64)?;
    text(&parts.join(separator))
}

/// The only string that is not empty, if it is the only element.
pub(super) fn join_identity(values: &[Value], _: &dyn Scope) -> Option<Value> {
    let separator = values.first()?.as_str()?;
    let lists = values.iter().skip(1).map(Value::elements);
    let parts = lists.collect::<Option<Vec<_>>>()?.concat();
    let is_beside = |part: &&Value| !separator.is_empty() || part.as_str() != Some("");
    let mut parts = parts.iter().filter(is_beside);
    let only = parts.next().filter(|part| part.has_identity())?;
    parts.next().is_none().then(|| only.clone())
}

pub(super) fn replace(args: &Args<'_>) -> Given {
    let (value, wanted, by) = (args.string(0)?, args.string(1)?, args.string(2)?);
    let pattern = wanted.strip_prefix('/').and_then(|p| p.strip_suffix('/'));
    if let Some(pattern) = pattern {
        let regex = compile(pattern, value)?;
        args.spend(value.len().saturating_mul(by.len() + 1) / 64)?;
        return text(&regex.replace_all(value, by));
    }
    let count = if wanted.is_empty() {
        value.len() + 1
    } else {
        value.matches(wanted).count()
    };
    args.spend(count.saturating_mul(by.len()) / 64)?;
    text(&value.replace(wanted, by))
}

/// The characters as a reader perceives them; an error if that needs Unicode's tables of grapheme clusters.
fn characters(value: &str) -> Option<Vec<&str>> {
    let simple = value.chars().all(|c| u32::from(c) < 0x300) && !value.contains("\r\n");
    simple.then(|| value.split("").filter(|c| !c.is_empty()).collect())
}

fn clusters(value: &str) -> Result<Vec<&str>, Fault> {
    characters(value).ok_or_else(|| Fault::open("counting the characters of this text is not supported"))
}

/// Number of characters.
pub(super) fn count(value: &str) -> Result<usize, Fault> {
    Ok(clusters(value)?.len())
}

pub(super) fn strrev(args: &Args<'_>) -> Given {
    let mut characters = clusters(args.string(0)?)?;
    characters.reverse();
    text(&characters.concat())
}

pub(super) fn substr(args: &Args<'_>) -> Given {
    let characters = clusters(args.string(0)?)?;
    let (offset, length) = (args.whole(1)?, args.whole(2)?);
    let total = i64::try_from(characters.len()).unwrap_or(i64::MAX);
    let start = if offset < 0 {
        offset.saturating_add(total).max(0)
    } else {
        offset.min(total)
    };
    // From the end, a length of zero means the rest of the string.
    let all = length < 0 || (offset < 0 && length == 0);
    let end = if all {
        total
    } else {
        start.saturating_add(length).min(total)
    };
    let range = usize::try_from(start).unwrap_or(0)..usize::try_from(end).unwrap_or(0);
    text(&characters.get(range).unwrap_or(&[]).concat())
}

/// Regular expressions have the same meaning here as in the engines, except for classes on text that is not
/// ASCII, and a few forms that are not supported.
fn compile(pattern: &str, subject: &str) -> Result<Regex, Fault> {
    let regex = parsed(pattern)?;
    is_followed(pattern, subject)?;
    Ok(regex)
}

fn is_followed(pattern: &str, subject: &str) -> Result<(), Fault> {
    if !subject.is_ascii() && (pattern.contains('\\') || pattern.contains("(?") || pattern.contains("[:")) {
        return Err(Fault::open(
            "character classes on non-ASCII text are not supported",
        ));
    }
    Ok(())
}

fn parsed(pattern: &str) -> Result<Regex, Fault> {
    if let Some(why) = goregexp::error(pattern) {
        return Err(Fault::Fails(why));
    }
    Regex::new(pattern).map_err(|_| Fault::open("this pattern is not supported"))
}

/// Like [`compile`], for functions that return groups: all of them have names, or none has, whatever the string
/// is.
fn with_groups(pattern: &str, subject: &str) -> Result<Regex, Fault> {
    let regex = parsed(pattern)?;
    let mut names = regex.capture_names().skip(1);
    let first = names.next().map(|n| n.is_some());
    if names.any(|n| Some(n.is_some()) != first) {
        return Err(Fault::new("named and unnamed groups cannot be mixed"));
    }
    is_followed(pattern, subject)?;
    Ok(regex)
}

/// The type of the result of `regex` for a pattern.
pub(super) fn match_type(pattern: &str) -> Result<Type, Fault> {
    with_groups(pattern, "").map(|regex| groups_type(&regex))
}

/// The type of the result of [`groups`].
fn groups_type(regex: &Regex) -> Type {
    let names: Vec<Option<&str>> = regex.capture_names().skip(1).collect();
    if names.is_empty() {
        Type::String
    } else if names.iter().all(Option::is_none) {
        Type::Tuple(names.iter().map(|_| Type::String).collect())
    } else {
        Type::Object(Arc::new(
            names
                .into_iter()
                .flatten()
                .map(|n| (Arc::from(n), Type::String))
                .collect(),
        ))
    }
}

/// The result for the groups of a match: a string, a tuple, or an object if the groups have names.
fn groups(regex: &Regex, found: &regex::Captures<'_>) -> Given {
    let group = |m: Option<regex::Match<'_>>| match m {
        Some(m) => Value::string(m.as_str()),
        None => Data::Null(Type::String).into(),
    };
    let names: Vec<Option<&str>> = regex.capture_names().skip(1).collect();
    if names.is_empty() {
        return Ok(group(found.get(0)));
    }
    if names.iter().all(Option::is_none) {
        return Ok(Value::tuple(found.iter().skip(1).map(group).collect()));
    }
    let members: BTreeMap<Arc<str>, Value> = names
        .iter()
        .flatten()
        .map(|name| (Arc::from(*name), group(found.name(name))))
        .collect();
    Ok(Value::object(members))
}

pub(super) fn regex(args: &Args<'_>) -> Given {
    let (pattern, subject) = (args.string(0)?, args.string(1)?);
    let regex = with_groups(pattern, subject)?;
    match regex.captures(subject) {
        Some(found) => groups(&regex, &found),
        None => Err(Fault::new("the pattern matches no part of the text")),
    }
}

pub(super) fn regexall(args: &Args<'_>) -> Given {
    let (pattern, subject) = (args.string(0)?, args.string(1)?);
    let regex = with_groups(pattern, subject)?;
    let all: Result<Vec<Value>, Fault> = regex
        .captures_iter(subject)
        .map(|found| groups(&regex, &found))
        .collect();
    Ok(Value::list(all?, groups_type(&regex)))
}

fn slugify(value: &str) -> String {
    let keep = |c: &char| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '_';
    value
        .chars()
        .map(case::lower)
        .map(|c| if keep(&c) { c } else { '-' })
        .collect()
}

/// Applies a function to a string or to each string of a list.
fn each_text(value: &Value, apply: &dyn Fn(&str) -> Result<String, Fault>) -> Given {
    let one = |value: &Value| -> Given {
        match &value.data {
            Data::String(text) => {
                let mut result = Value::string(&apply(text)?);
                result.place = value.place;
                Ok(result)
            }
            Data::Null(Type::String) => Ok(value.clone()),
            _ => Err(Fault::new(format!(
                "an element has type {}, not string",
                value.type_name()
            ))),
        }
    };
    match &value.data {
        Data::String(_) => one(value),
        Data::Tuple(items) | Data::List(items, _) => {
            let all: Result<Vec<Value>, Fault> = items.values().iter().map(one).collect();
            Ok(Value::list(all?, Type::String))
        }
        _ => Err(Fault::new(format!(
            "a string or a list of strings is required, not {}",
            value.type_name()
        ))),
    }
}

pub(super) fn slug(args: &Args<'_>) -> Given {
    if let Data::List(_, ty) = &args.get(0)?.data
        && *ty != Type::String
    {
        return Err(Fault::new(format!(
            "a string or a list of strings is required, not list of {ty}"
        )));
    }
    each_text(args.get(0)?, &|text| Ok(slugify(text)))
}

pub(super) fn unslug(args: &Args<'_>) -> Given {
    let normal = |slug: &str| {
        let mut out = String::new();
        for c in slug.chars().map(case::lower) {
            if !(c == '-' && out.ends_with('-')) {
                out.push(c);
            }
        }
        out.trim_end_matches('-').to_owned()
    };
    if !matches!(args.get(1)?.data, Data::Tuple(_) | Data::List(..)) {
        return Err(Fault::new("the dictionary must be a list of strings"));
    }
    let mut known: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in args.elements(1)? {
        if matches!(entry.data, Data::Null(Type::String)) {
            continue;
        }
        let Some(original) = entry.as_str() else {
            return Err(Fault::new("the dictionary must contain only strings"));
        };
        known
            .entry(normal(&slugify(original)))
            .or_default()
            .push(original.to_owned());
    }
    each_text(
        args.get(0)?,
        &|text| match known.get(&normal(text)).map(Vec::as_slice) {
            None => Ok(text.to_owned()),
            Some([only]) => Ok(only.clone()),
            Some(_) => Err(Fault::new(format!(
                "\"{text}\" matches several entries of the dictionary"
            ))),
        },
    )
}

pub(super) fn joinlist(args: &Args<'_>) -> Given {
    let separator = args.string(0)?;
    let mut results = Vec::new();
    if !matches!(args.get(1)?.data, Data::Tuple(_) | Data::List(..)) {
        return Err(Fault::new(
            "the second argument must be a list of lists of strings",
        ));
    }
    for inner in args.elements(1)? {
        let (Data::Tuple(items) | Data::List(items, _)) = &inner.data else {
            return Err(Fault::new(format!(
                "an element has type {}, not a list of strings",
                inner.type_name()
            )));
        };
        let parts: Option<Vec<&str>> = items.values().iter().map(Value::as_str).collect();
        let Some(parts) = parts else {
            return Err(Fault::new(
                "an inner list contains something that is not a string",
            ));
        };
        let mut joined = Value::string(&parts.join(separator));
        joined.place = inner.place;
        results.push(joined);
    }
    Ok(Value::list(results, Type::String))
}
