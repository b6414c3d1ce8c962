//! What commands are given that a client has executed: one object each.

use applyorder_analysis::engine::Engines;
use serde_json::{Map, Value};

use super::code_lens_resolve::part;
use crate::commands;
use crate::params::ExecuteCommand;

/// What a field of an argument holds.
#[derive(Clone, Copy)]
enum Kind {
    String,
    Boolean,
    Number,
}

impl Kind {
    fn fits(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Boolean => value.is_boolean(),
            Self::Number => value.as_u64().is_some_and(|n| u32::try_from(n).is_ok()),
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Boolean => "a boolean",
            Self::Number => "a non-negative integer",
        }
    }
}

/// The argument of a command.
struct Shape {
    /// As people write it.
    written: &'static str,
    required: &'static [&'static str],
    optional: &'static [(&'static str, Kind)],
}

impl Shape {
    fn kind(&self, name: &str) -> Option<Kind> {
        let required = self.required.contains(&name).then_some(Kind::String);
        let mut optional = self.optional.iter();
        required.or_else(|| optional.find(|(known, _)| *known == name).map(|(_, kind)| *kind))
    }

    fn check(&self, given: &Map<String, Value>) -> Result<(), String> {
        // What is absent may be written as `null`.
        for (name, value) in given {
            let kind = self.kind(name).ok_or_else(|| format!("unknown field `{name}`"))?;
            if !value.is_null() && !kind.fits(value) {
                return Err(format!("invalid field `{name}`: expected {}", kind.word()));
            }
        }
        let is_missing = |name: &&&str| given.get(**name).is_none_or(Value::is_null);
        match self.required.iter().find(is_missing) {
            Some(name) => Err(format!("missing field `{name}`")),
            None => Ok(()),
        }
    }
}

fn shape(command: &str) -> Option<Shape> {
    Some(match command {
        commands::LIST => Shape {
            written: "{ uri, here? } or { uri, unit, of }",
            required: &["uri"],
            optional: &[
                ("here", Kind::Boolean),
                ("unit", Kind::String),
                ("of", Kind::String),
            ],
        },
        commands::WHY => Shape {
            written: "{ uri, a, b }",
            required: &["uri", "a", "b"],
            optional: &[],
        },
        commands::GRAPH => Shape {
            written: "{ uri, format?, operation?, environment?, focus?, depth? }",
            required: &["uri"],
            optional: &[
                ("format", Kind::String),
                ("operation", Kind::String),
                ("environment", Kind::String),
                ("focus", Kind::String),
                ("depth", Kind::Number),
            ],
        },
        _ => return None,
    })
}

/// Whether a command is known and given what it takes.
///
/// # Errors
/// What is wrong and what is expected, for the user.
pub(crate) fn check(engines: Engines, asked: &ExecuteCommand) -> Result<(), String> {
    let command = asked.command.as_str();
    let (shape, written) = match shape(command) {
        Some(shape) => {
            let written = shape.written.to_owned();
            (Some(shape), written)
        }
        None if command == commands::SELECT => (None, settings(engines)),
        None => return Err(format!("unknown command `{command}`")),
    };
    let checked = match asked.arguments.as_slice() {
        [Value::Object(given)] => match shape {
            Some(shape) => shape.check(given).and_then(|()| check_part(command, given)),
            None => check_settings(engines, given),
        },
        [] => Err("missing argument".to_owned()),
        _ => Err("not one object".to_owned()),
    };
    checked.map_err(|wrong| format!("invalid arguments of {command}: {wrong}; expected {written}"))
}

/// A list around a unit needs both to be known: the unit and what around it is meant.
fn check_part(command: &str, given: &Map<String, Value>) -> Result<(), String> {
    let text = |name| given.get(name).and_then(Value::as_str);
    match (text("unit"), text("of")) {
        (Some(_), None) if command == commands::LIST => Err("missing field `of`".to_owned()),
        (None, Some(_)) if command == commands::LIST => Err("missing field `unit`".to_owned()),
        (Some(_), Some(word)) if part(Some(word)).is_none() => Err(format!(
            "invalid field `of`: expected `layer`, `after`, `beside` or `before`, found `{word}`"
        )),
        _ => Ok(()),
    }
}

/// The settings that runs can be limited with, as people write an argument.
fn settings(engines: Engines) -> String {
    let names = engines.options().into_iter().filter_map(|option| option.setting);
    let names: Vec<String> = names.map(|name| format!("{name}?")).collect();
    format!("{{ {} }}", names.join(", "))
}

fn check_settings(engines: Engines, given: &Map<String, Value>) -> Result<(), String> {
    if given.is_empty() {
        return Err("missing field".to_owned());
    }
    for (name, value) in given {
        if !engines
            .options()
            .iter()
            .any(|option| option.setting == Some(&**name))
        {
            return Err(format!("unknown field `{name}`"));
        }
        let is_text = value.is_string()
            || value
                .as_array()
                .is_some_and(|all| all.iter().all(Value::is_string));
        if !is_text {
            return Err(format!(
                "invalid field `{name}`: expected a string or a list of strings"
            ));
        }
    }
    Ok(())
}
