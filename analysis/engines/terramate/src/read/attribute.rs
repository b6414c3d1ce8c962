//! The attributes of a stack that name other stacks.

use super::{List, Stack};

/// The lists of a stack that name other stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Attribute {
    After,
    Before,
    Wants,
    WantedBy,
}

impl Attribute {
    pub(crate) const ALL: [Self; 4] = [Self::After, Self::Before, Self::Wants, Self::WantedBy];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::After => "after",
            Self::Before => "before",
            Self::Wants => "wants",
            Self::WantedBy => "wanted_by",
        }
    }

    pub(crate) fn of(self, stack: &Stack) -> &List {
        match self {
            Self::After => &stack.after,
            Self::Before => &stack.before,
            Self::Wants => &stack.wants,
            Self::WantedBy => &stack.wanted_by,
        }
    }

    /// Whether it is about order, not about selection.
    pub(crate) const fn orders(self) -> bool {
        matches!(self, Self::After | Self::Before)
    }
}
