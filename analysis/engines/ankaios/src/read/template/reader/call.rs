//! The content of a tag: a name with its values.

use std::ops::Range;

use super::super::fault::SyntaxFault;
use super::super::tag::{Cursor, is_symbol};
use super::super::{Inner, Name, Path, Values};
use super::Read;

/// A helper with its values, or a name alone.
pub(super) fn expression(cursor: &mut Cursor<'_>, takes_values: bool) -> Read<Inner> {
    let from = cursor.at;
    if takes_values && let Some(name) = cursor.name() {
        let values = cursor.values();
        if !values.is_empty() {
            return Ok(Inner {
                name: Name::Path(named(cursor, &name)),
                values,
            });
        }
        cursor.at = from;
    }
    let name = if let Some(inner) = cursor.inner() {
        Name::Inner(Box::new(inner))
    } else {
        Name::Path(path(cursor)?)
    };
    Ok(Inner {
        name,
        values: Values::default(),
    })
}

/// A helper with its values and its block parameters.
pub(super) fn helper(cursor: &mut Cursor<'_>) -> Read<(Inner, Vec<Box<str>>)> {
    let name = cursor.name().ok_or((SyntaxFault::Name, cursor.at))?;
    let inner = Inner {
        name: Name::Path(named(cursor, &name)),
        values: cursor.values(),
    };
    Ok((inner, cursor.block_names()))
}

/// A partial with its values.
pub(super) fn partial(cursor: &mut Cursor<'_>) -> Read<Inner> {
    let name = if let Some(name) = cursor.partial_name() {
        Name::Path(named(cursor, &name))
    } else if let Some(inner) = cursor.inner() {
        Name::Inner(Box::new(inner))
    } else {
        Name::Path(path(cursor)?)
    };
    Ok(Inner {
        name,
        values: cursor.values(),
    })
}

/// A required path.
fn path(cursor: &mut Cursor<'_>) -> Read<Path> {
    let from = cursor.at;
    cursor
        .path()
        .ok_or_else(|| cursor.furthest(SyntaxFault::Name, from))
}

impl Name {
    /// Whether values may follow: after a name, but not after a path.
    pub(super) fn takes_values(&self) -> bool {
        match self {
            Self::Path(path) => path.raw.chars().all(is_symbol),
            Self::Inner(_) => false,
        }
    }
}

fn named(cursor: &Cursor<'_>, name: &Range<usize>) -> Path {
    Path {
        raw: cursor.slice(name).into(),
        range: (name.start, name.end),
        ..Path::default()
    }
}
