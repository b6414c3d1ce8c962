//! Marks of values: that they are sensitive, or ephemeral.
//!
//! Source: the marks of cty 1.16 and of Terraform 1.11.

use std::ops::BitOr;
use std::sync::Arc;

use super::value::{Data, Fields, Items, Unknown, Value};

/// The marks of a value. In lists, maps, tuples and objects each element has its own; a set has those of all
/// its elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marks(u8);

impl Marks {
    /// No mark.
    pub const NONE: Self = Self(0);
    /// The value must not be shown.
    pub const SENSITIVE: Self = Self(1);
    /// The value must not be stored.
    pub const EPHEMERAL: Self = Self(2);
    /// Some versions of the engine mark the value as not to be shown.
    pub const PERHAPS_SENSITIVE: Self = Self(4);

    /// Whether all marks of `other` are set.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether it is unknown whether the value must not be shown.
    #[must_use]
    pub const fn is_perhaps_sensitive(self) -> bool {
        self.has(Self::PERHAPS_SENSITIVE) && !self.has(Self::SENSITIVE)
    }

    /// The same without `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether no mark is set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for Marks {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl FromIterator<Marks> for Marks {
    fn from_iter<I: IntoIterator<Item = Marks>>(all: I) -> Self {
        all.into_iter().fold(Self::NONE, Self::bitor)
    }
}

impl Value {
    /// The value without any marks on it or on anything in it.
    #[must_use]
    pub fn without_marks(&self) -> Self {
        self.with_marked(&|value| Self {
            marks: Marks::NONE,
            ..value
        })
    }

    /// The value with null for everything ephemeral in it, and for itself if it is.
    pub(super) fn without_ephemeral(&self) -> Self {
        self.with_marked(&|value| {
            if !value.marks.has(Marks::EPHEMERAL) {
                return value;
            }
            let data = match &value.data {
                // It may still be converted to another type.
                Data::Unknown(unknown) => Data::from(Unknown {
                    symbol: None,
                    known: unknown.known.of_result(),
                    ..(**unknown).clone()
                }),
                _ => Data::Null(value.ty()),
            };
            Self {
                data,
                marks: value.marks.without(Marks::EPHEMERAL),
                ..value
            }
        })
    }

    /// The value with `change` applied to it and to each value in it, if it or anything in it is marked. The
    /// type must stay the same.
    fn with_marked(&self, change: &dyn Fn(Self) -> Self) -> Self {
        if self.all_marks().is_empty() {
            return self.clone();
        }
        let all = |items: &Items| items.values().iter().map(|v| v.with_marked(change)).collect();
        let named = |fields: &Fields| {
            let all = fields.values().iter();
            all.map(|(k, v)| (Arc::clone(k), v.with_marked(change))).collect()
        };
        let made = match &self.data {
            Data::Tuple(items) => Self::tuple(all(items)),
            Data::List(items, ty) => Self::list(all(items), ty.clone()),
            Data::Object(fields) => Self::object(named(fields)),
            Data::Map(fields, ty) => Self::map(named(fields), ty.clone()),
            data => data.clone().into(),
        };
        change(Self {
            data: made.data,
            ..*self
        })
    }
}
