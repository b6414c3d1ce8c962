//! Why rendering ends early.

use super::super::RenderFaultKind;
use crate::read::template::{Part, Path};

/// Why rendering ends early.
pub(crate) enum Halt<'a> {
    Fault(Fault<'a>),
    /// What follows is unknown.
    Open,
}

/// The error of the library.
pub(crate) struct Fault<'a> {
    pub(crate) kind: RenderFaultKind<'a>,
    pub(crate) place: Option<u32>,
    pub(crate) reason: String,
    /// Line and column of the tag, and the name of the template.
    pub(super) at: Option<((usize, usize), &'static str)>,
}

pub(crate) type Rendering<'a, T> = Result<T, Halt<'a>>;

impl<'a> Halt<'a> {
    /// A fault in our words, and in those of the library.
    pub(crate) fn words(place: u32, words: &str, reason: &str) -> Self {
        Self::Fault(Fault {
            kind: RenderFaultKind::Other(words.to_owned()),
            place: Some(place),
            reason: reason.to_owned(),
            at: None,
        })
    }

    /// A helper that lacks one of its values.
    pub(crate) fn lacking(place: u32, helper: &str, index: usize) -> Self {
        Self::words(
            place,
            &format!("`{helper}` needs a value"),
            &format!("Helper/Decorator {helper} param at index {index} required but not found"),
        )
    }

    /// A required value that is missing: that of a variable, or else with this text.
    pub(crate) fn missing(path: Option<&'a Path>, words: &str) -> Self {
        let raw = path.map(|p| &p.raw);
        Self::Fault(Fault {
            kind: path.map_or_else(
                || RenderFaultKind::Other(words.to_owned()),
                RenderFaultKind::Variable,
            ),
            place: path.map(|p| p.place),
            reason: format!("Failed to access variable in strict mode {raw:?}"),
            at: None,
        })
    }

    pub(crate) fn fault(kind: RenderFaultKind<'a>, place: u32, reason: String) -> Self {
        Self::Fault(Fault {
            kind,
            place: Some(place),
            reason,
            at: None,
        })
    }

    /// Adds the part that contains it, unless an inner part was already added.
    pub(super) fn at(self, part: &Part, template: &'static str) -> Self {
        let call = match part {
            Part::Print(call) | Part::Partial { call, .. } | Part::Decorator { call, .. } => Some(&**call),
            Part::Block { arms, .. } => arms.first().map(|arm| &*arm.call),
            Part::Text(_) | Part::Comment => None,
        };
        match (self, call) {
            (Self::Fault(fault), Some(call)) => Self::Fault(Fault {
                at: fault.at.or(Some((call.at, template))),
                place: fault.place.or(Some(call.place)),
                ..fault
            }),
            (other, _) => other,
        }
    }

    /// What is missing in the partial of Ankaios is reported where it is called.
    pub(super) fn in_indent(self, place: u32) -> Self {
        match self {
            Self::Fault(fault) => Self::Fault(Fault {
                kind: RenderFaultKind::Other("the partial `indent` needs `content`".to_owned()),
                place: Some(place),
                ..fault
            }),
            Self::Open => Self::Open,
        }
    }
}
