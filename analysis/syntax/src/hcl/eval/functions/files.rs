//! Functions on paths and files. Files are queried through the scope.

use std::sync::Arc;

use super::super::known::Known;
use super::super::scope::{FileAnswer, FileRequest, Reads};
use super::super::types::Type;
use super::super::value::{Unknown, Value};
use super::{Args, Fault, Given};

/// Why the result is unknown if it depends on a file that does not exist.
pub(super) const NOT_YET: &str = "a file may be made before";

/// A value that the engine knows and that is not computed.
pub(super) fn unknown(why: &str, ty: Type) -> Value {
    Unknown::new(why, ty).into()
}

pub(super) fn ask(args: &Args<'_>, request: FileRequest<'_>) -> Given {
    match args.scope.file(request) {
        FileAnswer::Text(text) => Ok(Value::string(&text)),
        FileAnswer::Bool(value) => Ok(Value::bool(value)),
        FileAnswer::Names(names) => Ok(Value::set(
            names.iter().map(|n| Value::string(n)).collect(),
            Type::String,
        )),
        FileAnswer::Fails(message) => Err(Fault::Fails(message)),
        FileAnswer::Missing {
            message,
            is_forgotten,
        } => Err(Fault::Missing(message, is_forgotten)),
        FileAnswer::NotYet => {
            let nothing = match request {
                FileRequest::Set(..) => Value::set(Vec::new(), Type::String),
                _ => Value::bool(false),
            };
            Ok(match args.scope.is_exact() {
                true => Unknown {
                    known: Known::Given,
                    ..Unknown::new(NOT_YET, nothing.ty())
                }
                .into(),
                false => nothing.likely(true),
            })
        }
        // The engines always answer queries about anything but texts.
        FileAnswer::Unknown(why) => match request {
            FileRequest::Read(path, _) => match args.scope.file(FileRequest::Exists(path)) {
                FileAnswer::Bool(true) => Ok(unknown(&why, Type::String)),
                _ => Err(Fault::Unknown(why)),
            },
            FileRequest::Exists(_) => Ok(unknown(&why, Type::Bool)),
            FileRequest::Set(..) => Ok(unknown(&why, Type::Set(Arc::new(Type::String)))),
            FileRequest::Absolute(_) => Ok(unknown(&why, Type::String)),
        },
    }
}

pub(super) fn file(args: &Args<'_>) -> Given {
    ask(args, FileRequest::Read(args.string(0)?, Reads::Text))
}

pub(super) fn fileexists(args: &Args<'_>) -> Given {
    ask(args, FileRequest::Exists(args.string(0)?))
}

pub(super) fn fileset(args: &Args<'_>) -> Given {
    ask(args, FileRequest::Set(args.string(0)?, args.string(1)?))
}

pub(super) fn abspath(args: &Args<'_>) -> Given {
    ask(args, FileRequest::Absolute(args.string(0)?))
}

pub(super) fn basename(args: &Args<'_>) -> Given {
    let path = args.string(0)?;
    if path.is_empty() {
        return Ok(Value::string("."));
    }
    let path = path.trim_end_matches('/');
    Ok(Value::string(if path.is_empty() {
        "/"
    } else {
        path.rsplit('/').next().unwrap_or(path)
    }))
}

pub(super) fn dirname(args: &Args<'_>) -> Given {
    let path = args.string(0)?;
    let directory = path.rfind('/').and_then(|at| path.get(..=at)).unwrap_or("");
    Ok(Value::string(&clean(directory)))
}

/// A path that begins with the home directory differs for each user; all others are unchanged.
pub(super) fn pathexpand(args: &Args<'_>) -> Given {
    let path = args.string(0)?;
    match path.strip_prefix('~') {
        None => Ok(Value::string(path)),
        Some(rest) if rest.is_empty() || rest.starts_with(['/', '\\']) => {
            Ok(unknown("the home directory is unknown", Type::String))
        }
        Some(_) => Err(Fault::new("the home directory of another user is not looked up")),
    }
}

/// A path without `.`, without `..` where that is possible, and without doubled slashes; `.` if nothing
/// is left.
fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(last) if *last != ".." => {
                    parts.pop();
                }
                _ if rooted => {}
                _ => parts.push(".."),
            },
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (rooted, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}
