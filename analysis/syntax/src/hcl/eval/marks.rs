//! What an engine notes about values besides what they are: that they are secret, or gone after a run.
//!
//! Source: the marks of cty 1.16 and of Terraform 1.11.

use std::ops::BitOr;

/// What is noted about a value. Of lists, maps, tuples and objects each element has its own; a set has those of all its
/// elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marks(u8);

impl Marks {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// The value must not be shown.
    pub const SENSITIVE: Self = Self(1);
    /// The value must not be stored.
    pub const EPHEMERAL: Self = Self(2);

    /// Whether all of `other` is noted.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The same without `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether nothing is noted.
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
