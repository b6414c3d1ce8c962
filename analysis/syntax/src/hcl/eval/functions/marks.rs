//! The marks of the results of functions.
//!
//! Source: the functions of cty 1.16 and of Terraform 1.11, as far as they look at marks themselves; for
//! unknown arguments they may set fewer.

use super::super::known::Known;
use super::super::marks::Marks;
use super::super::ops::{derived, of_known};
use super::super::types::Type;
use super::super::value::Value;
use super::function::{Function, Kept, Marking};
use super::{Args, Given, files};

/// The marks of each argument, without those of the values in it.
pub(super) fn of_each(values: &[Value]) -> Marks {
    values.iter().map(|value| value.marks).collect()
}

/// Those of the first argument.
pub(super) fn of_first(values: &[Value]) -> Marks {
    values.first().map_or(Marks::NONE, |value| value.marks)
}

/// Those of the first two.
pub(super) fn of_two(values: &[Value]) -> Marks {
    of_each(values.get(..2).unwrap_or(values))
}

/// Those of the sequence and of all sequences in it, which `flatten` expands.
pub(super) fn of_sequences(values: &[Value]) -> Marks {
    let mut marks = Marks::NONE;
    let mut open: Vec<&Value> = values.iter().collect();
    while let Some(value) = open.pop() {
        let is_sequence = value.elements().is_some()
            || matches!(value.ty(), Type::List(_) | Type::Set(_) | Type::Tuple(_)) && !value.is_null();
        if is_sequence {
            marks = marks | value.marks;
            open.extend(value.elements().unwrap_or(&[]));
        }
    }
    marks
}

/// Those of both arguments and, if all are known, of each key.
pub(super) fn of_zipped(values: &[Value]) -> Marks {
    let keys = values.first().and_then(Value::elements).unwrap_or(&[]);
    let is_known = keys.iter().all(|key| key.first_unknown().is_none());
    let of_keys = if is_known { of_each(keys) } else { Marks::NONE };
    of_each(values) | of_keys
}

/// Whether the engine reports a value as sensitive: for one that is not but is unknown, it does not say.
pub(super) fn issensitive(values: &[Value]) -> Option<Value> {
    let value = values.first()?;
    Some(match value.as_unknown() {
        _ if value.marks.has(Marks::SENSITIVE) => Value::bool(true),
        _ if value.marks.is_perhaps_sensitive() => files::unknown(
            "whether the value is sensitive depends on the version",
            Type::Bool,
        ),
        Some(unknown) => {
            let known = match unknown.known.is_shared() {
                true => Known::Type,
                false => Known::Perhaps,
            };
            of_known(derived(unknown, Type::Bool, value.heuristic), known)
        }
        None => Value::bool(false).likely(value.heuristic),
    })
}

pub(super) fn ephemeralasnull(args: &Args<'_>) -> Given {
    args.get(0).map(Value::without_ephemeral)
}

impl Function {
    /// The marks of the result for these arguments, which lose the marks that a function of this kind does not
    /// see.
    pub(super) fn mark(&self, values: &mut [Value]) -> Marks {
        if values.iter().all(|value| value.all_marks().is_empty()) {
            return Marks::NONE;
        }
        let (first, kept) = match self.marking {
            Marking::Gathered => (0, None),
            Marking::Kept(kept) => (kept.first, Some(kept)),
            Marking::Made(_) => return Marks::NONE,
        };
        let own = kept.filter(|kept| !self.is_early(kept, values));
        let own = own.map_or(Marks::NONE, |kept| (kept.marks)(values));
        let mut gathered = Marks::NONE;
        for value in values.iter_mut().skip(first) {
            gathered = gathered | value.all_marks();
            *value = value.without_marks();
        }
        own | gathered
    }

    /// Whether an argument is unknown in such a way that the function is not called.
    fn is_early(&self, kept: &Kept, values: &[Value]) -> bool {
        values.iter().enumerate().any(|(index, value)| {
            let param = self.params.get(index).copied().or(self.rest);
            let is_open = param.is_some_and(|param| self.is_open(index, param, value));
            is_open || value.as_unknown().is_some() && !kept.takes_unknown
        })
    }
}
