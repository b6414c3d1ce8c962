//! How values compare.

use std::cmp::Ordering;

use super::types::Type;
use super::value::{Data, Fields, Unknown, Value};

impl Value {
    /// Whether two values are equal under HCL's `==`: the same type and the same content. `None` if that
    /// depends on something unknown.
    #[must_use]
    pub fn equals(&self, other: &Value) -> Option<bool> {
        self.compared(other, true)
    }

    /// The same; `by_symbols`: whether a value with an identity is assumed to equal itself, and not null or an empty
    /// string.
    fn compared(&self, other: &Value, by_symbols: bool) -> Option<bool> {
        let symbol = |unknown: &Unknown| unknown.symbol.filter(|_| by_symbols);
        match (&self.data, &other.data) {
            (Data::Null(_), Data::Null(_)) => Some(true),
            (Data::Null(_), Data::Unknown(unknown)) | (Data::Unknown(unknown), Data::Null(_)) => {
                (unknown.known.is_not_null() || symbol(unknown).is_some()).then_some(false)
            }
            (Data::Null(_), _) | (_, Data::Null(_)) => Some(false),
            (Data::Unknown(a), Data::Unknown(b)) if symbol(a).is_some() && symbol(a) == symbol(b) => {
                Some(true)
            }
            // Both may be null.
            (Data::Unknown(_), Data::Unknown(_)) => None,
            (Data::Unknown(unknown), Data::Number(number))
            | (Data::Number(number), Data::Unknown(unknown))
                if unknown.known.excludes(**number) =>
            {
                Some(false)
            }
            (Data::Unknown(unknown), Data::String(text)) | (Data::String(text), Data::Unknown(unknown))
                if unknown.known.excludes_text(text) =>
            {
                Some(false)
            }
            (Data::Unknown(unknown), Data::String(text)) | (Data::String(text), Data::Unknown(unknown))
                if symbol(unknown).is_some() && text.is_empty() =>
            {
                Some(false)
            }
            (Data::Unknown(unknown), _) => other.differs(&unknown.ty),
            (_, Data::Unknown(unknown)) => self.differs(&unknown.ty),
            (Data::Bool(a), Data::Bool(b)) => Some(a == b),
            (Data::Number(a), Data::Number(b)) => a.compare(**b).map(|o| o == Ordering::Equal),
            (Data::String(a), Data::String(b)) => Some(a == b),
            (Data::Tuple(a), Data::Tuple(b)) => all_equal(a.values(), b.values(), by_symbols),
            (Data::List(a, x), Data::List(b, y)) | (Data::Set(a, x), Data::Set(b, y)) => {
                if x != y {
                    return Some(false);
                }
                all_equal(a.values(), b.values(), by_symbols)
            }
            (Data::Object(a), Data::Object(b)) => all_members_equal(a, b, by_symbols),
            (Data::Map(a, x), Data::Map(b, y)) => {
                if x != y {
                    return Some(false);
                }
                all_members_equal(a, b, by_symbols)
            }
            _ => Some(false),
        }
    }

    /// Whether identities are needed to decide whether they are equal.
    pub(super) fn is_equal_ahead(&self, other: &Value) -> bool {
        (self.has_identified() || other.has_identified())
            && self.compared(other, true).is_some()
            && self.compared(other, false).is_none()
    }

    /// False if it is certainly not of the type of an unknown value.
    fn differs(&self, of_unknown: &Type) -> Option<bool> {
        let ty = self.ty();
        let is_open = of_unknown.is_open() || ty.is_open() && self.first_unshared().is_some();
        (!is_open && ty != *of_unknown).then_some(false)
    }

    /// A total order over all values, for sets and for output; HCL's own for strings, numbers and booleans.
    #[must_use]
    pub fn total_order(&self, other: &Value) -> Ordering {
        fn rank(value: &Value) -> u8 {
            match value.data {
                Data::Bool(_) => 1,
                Data::Number(_) => 2,
                Data::String(_) => 3,
                Data::Tuple(_) => 4,
                Data::List(..) => 5,
                Data::Set(..) => 6,
                Data::Object(_) => 7,
                Data::Map(..) => 8,
                Data::Null(_) => 9,
                Data::Unknown(_) => 10,
            }
        }
        match (&self.data, &other.data) {
            (Data::Bool(a), Data::Bool(b)) => a.cmp(b),
            (Data::Number(a), Data::Number(b)) => a.total_order(**b),
            (Data::String(a), Data::String(b)) => a.cmp(b),
            (Data::Unknown(a), Data::Unknown(b)) => a.symbol.cmp(&b.symbol),
            _ => match (self.elements(), other.elements(), self.members(), other.members()) {
                (Some(a), Some(b), _, _) if rank(self) == rank(other) => {
                    let pairs = a.iter().zip(b).map(|(x, y)| x.total_order(y));
                    pairs
                        .fold(Ordering::Equal, Ordering::then)
                        .then(a.len().cmp(&b.len()))
                }
                (_, _, Some(a), Some(b)) if rank(self) == rank(other) => {
                    let pairs = a
                        .iter()
                        .zip(b)
                        .map(|((k, x), (l, y))| k.cmp(l).then_with(|| x.total_order(y)));
                    pairs
                        .fold(Ordering::Equal, Ordering::then)
                        .then(a.len().cmp(&b.len()))
                }
                _ => rank(self).cmp(&rank(other)),
            },
        }
    }
}

fn all_equal(a: &[Value], b: &[Value], by_symbols: bool) -> Option<bool> {
    if a.len() != b.len() {
        return Some(false);
    }
    conjunction(a.iter().zip(b).map(|(x, y)| x.compared(y, by_symbols)))
}

fn all_members_equal(a: &Fields, b: &Fields, by_symbols: bool) -> Option<bool> {
    if a.values().len() != b.values().len() || !a.values().keys().eq(b.values().keys()) {
        return Some(false);
    }
    conjunction(
        a.values()
            .values()
            .zip(b.values().values())
            .map(|(x, y)| x.compared(y, by_symbols)),
    )
}

/// False if one is, else unknown if one is, else true.
fn conjunction(all: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut result = Some(true);
    for one in all {
        match one {
            Some(false) => return Some(false),
            None => result = None,
            Some(true) => {}
        }
    }
    result
}
