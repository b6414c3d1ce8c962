//! What the engine itself knows of a value that cannot be known here.
//!
//! Source: the refinements of cty 1.16, and where HCL 2.23 makes them.

use std::cmp::Ordering;
use std::sync::Arc;

use super::number::Number;
use super::types::Type;
use super::value::{Data, Value};
use crate::hcl::BinaryOp;

/// What the engine knows of an unknown value.
#[derive(Clone, Debug, Default)]
pub enum Known {
    /// Possibly all of it.
    #[default]
    Perhaps,
    /// Its type.
    Type,
    /// Also that it is not null.
    NotNull,
    /// Also that it is not null and how the string begins.
    Start(Arc<Start>),
    /// Possibly all of it; in any case that nothing in it is null, including itself.
    Given,
    /// Possibly all of it; in any case that it is a string with this beginning.
    Begins(Arc<Start>),
    /// Possibly all of it; in any case one of two numbers.
    Either(Arc<(Number, Number)>),
    /// All of it: it is infinity, of either sign.
    Infinite,
    /// Also that it is not null and between two numbers, both included.
    Between(Arc<(Number, Number)>),
    /// Also that it is not null and not less than a number.
    AtLeast(u32),
    /// Something besides its type that is not followed.
    Part,
}

/// How a string begins.
#[derive(Clone, Debug)]
pub struct Start {
    text: Box<str>,
    /// Whether the engine knows no more of it.
    is_whole: bool,
}

/// The maximum number of bytes that the engine keeps of the text before the first unknown part of a template.
const MOST_OF_START: usize = 128;

impl Start {
    /// What the engine knows of the beginning of a string that is the concatenation of this and something
    /// unknown. What follows may combine with the last character, except for some that nothing combines with.
    ///
    /// Source: `ctystrings.SafeKnownPrefix`. For strings other than printable ASCII, only the first part is
    /// modeled.
    pub(super) fn of_known(text: &str) -> Self {
        let is_plain = |c: char| (' '..='~').contains(&c);
        let plain = text.split_once(|c| !is_plain(c)).map_or(text, |(plain, _)| plain);
        let is_whole = plain.len() == text.len();
        let ends = "-_:;/\\,.(){}[]|?!~ @#$%^&*+\"'";
        let kept = match plain.chars().next_back() {
            Some(last) if is_whole && ends.contains(last) => plain,
            Some(last) => plain.get(..plain.len() - last.len_utf8()).unwrap_or(""),
            None => plain,
        };
        Self {
            text: kept.into(),
            is_whole,
        }
    }

    /// The same for the text before the first unknown part of a template.
    pub(super) fn of_template(text: &str) -> Self {
        match text.get(..MOST_OF_START) {
            Some(first) if text.is_ascii() => Self::of_known(first),
            None if text.len() <= MOST_OF_START => Self::of_known(text),
            Some(_) | None => Self {
                is_whole: false,
                ..Self::of_known(text.get(..MOST_OF_START - 4).unwrap_or(""))
            },
        }
    }

    /// For a string with this beginning, whatever follows.
    pub(super) fn full(text: &str) -> Self {
        Self {
            text: text.into(),
            is_whole: true,
        }
    }

    /// The part that is certain.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// What is known of a string with this beginning that the engine may know.
    pub(super) fn of_open(self) -> Known {
        match self.text.is_empty() {
            true => Known::Perhaps,
            false => Known::Begins(Arc::new(self)),
        }
    }

    /// What is known of a string with this beginning: only that it is not null if the beginning is unknown.
    pub(super) fn known(self) -> Known {
        match self.text.is_empty() && self.is_whole {
            true => Known::NotNull,
            false => Known::Start(Arc::new(self)),
        }
    }
}

impl Known {
    /// Whether the engine does not know the value either.
    #[must_use]
    pub const fn is_shared(&self) -> bool {
        !matches!(
            self,
            Self::Perhaps | Self::Given | Self::Begins(_) | Self::Either(_) | Self::Infinite
        )
    }

    /// Whether the engine knows that the value is not null.
    pub(super) const fn is_never_null(&self) -> bool {
        matches!(
            self,
            Self::NotNull | Self::Start(_) | Self::Between(_) | Self::AtLeast(_)
        )
    }

    /// Whether everything that the engine knows of the value is known here too.
    #[must_use]
    pub fn is_followed(&self) -> bool {
        match self {
            Self::Type | Self::NotNull | Self::Between(_) | Self::AtLeast(_) => true,
            Self::Start(start) => start.is_whole,
            Self::Perhaps | Self::Given | Self::Begins(_) | Self::Either(_) | Self::Infinite | Self::Part => {
                false
            }
        }
    }

    /// How the string begins.
    pub(super) fn start(&self) -> Option<&Start> {
        match self {
            Self::Start(start) | Self::Begins(start) => Some(start),
            _ => None,
        }
    }

    pub(super) fn is_not_null(&self) -> bool {
        matches!(
            self,
            Self::NotNull | Self::Start(_) | Self::Between(_) | Self::AtLeast(_)
        )
    }

    /// What is known of a result that is derived from the value.
    pub(super) fn of_result(&self) -> Self {
        match self {
            Self::Perhaps | Self::Given | Self::Begins(_) | Self::Either(_) | Self::Infinite => Self::Perhaps,
            Self::Part => Self::Part,
            _ => Self::Type,
        }
    }

    /// The same, for a result that is never null.
    pub(super) fn of_result_not_null(&self) -> Self {
        match self.of_result() {
            Self::Type => Self::NotNull,
            other => other,
        }
    }

    /// What is known of the value after conversion to another type.
    pub(super) fn converted(&self) -> Self {
        match self.is_not_null() {
            true => Self::NotNull,
            false => self.of_result(),
        }
    }

    /// Whether a number cannot be the value.
    pub(super) fn excludes(&self, number: Number) -> bool {
        let is = |other: Number, order| number.compare(other) == Some(order);
        match self {
            Self::Between(bounds) => is(bounds.0, Ordering::Less) || is(bounds.1, Ordering::Greater),
            Self::AtLeast(least) => is(Number::count(*least as usize), Ordering::Less),
            _ => false,
        }
    }

    /// Whether a string cannot be the value.
    pub(super) fn excludes_text(&self, text: &str) -> bool {
        self.start().is_some_and(|start| !text.starts_with(start.text()))
    }
}

/// The smallest and the greatest number that a value may be.
fn bounds(value: &Value) -> Option<(Number, Number)> {
    let (least, greatest) = ends(value);
    least.zip(greatest)
}

/// The same, where one of the two may be missing.
fn ends(value: &Value) -> (Option<Number>, Option<Number>) {
    match &value.data {
        Data::Number(number) if !number.is_rounded() => (Some(**number), Some(**number)),
        Data::Unknown(unknown) => match &unknown.known {
            Known::Between(bounds) => (Some(bounds.0), Some(bounds.1)),
            Known::AtLeast(least) => (Some(Number::count(*least as usize)), None),
            _ => (None, None),
        },
        _ => (None, None),
    }
}

/// The weaker of what is known of two values, if nothing more than here is known of one.
fn worst(left: &Value, right: &Value) -> Option<Known> {
    let all = [left, right];
    if all.iter().any(|v| v.first_unshared().is_some()) {
        return Some(Known::Perhaps);
    }
    let is_part = |v: &&Value| matches!(v.as_unknown(), Some(u) if matches!(u.known, Known::Part));
    all.iter().any(is_part).then_some(Known::Part)
}

/// What is known of the result of an operator on numbers or booleans of which one is unknown.
pub(super) fn of_operator(op: BinaryOp, left: &Value, right: &Value) -> Result<bool, Known> {
    let unfollowed = worst(left, right);
    let is_comparison = matches!(
        op,
        BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual
    );
    if is_comparison {
        if unfollowed.is_some() {
            return Err(Known::Perhaps);
        }
        let ((left_min, left_max), (right_min, right_max)) = (ends(left), ends(right));
        let is_less = |a: Option<Number>, b: Option<Number>| match (a, b) {
            (Some(a), Some(b)) => a.compare(b) == Some(Ordering::Less),
            _ => false,
        };
        let wants_less = matches!(op, BinaryOp::Less | BinaryOp::LessEqual);
        return if is_less(left_max, right_min) {
            Ok(wants_less)
        } else if is_less(right_max, left_min) {
            Ok(!wants_less)
        } else {
            Err(Known::NotNull)
        };
    }
    // For the other operators the engine does not use bounds.
    Err(unfollowed.unwrap_or(Known::NotNull))
}

/// A number that is one of some.
fn between(all: &[Number]) -> Known {
    let least = all.iter().copied().min_by(|a, b| a.total_order(*b));
    let greatest = all.iter().copied().max_by(|a, b| a.total_order(*b));
    least
        .zip(greatest)
        .map_or(Known::Part, |bounds| Known::Between(Arc::new(bounds)))
}

/// What is known of a value that is one of two, both as they are before they are converted to one type.
pub(super) fn of_either(one: &Value, other: &Value) -> Known {
    if let Some(known) = worst(one, other) {
        return known;
    }
    let is_open_above = |v: &Value| matches!(v.as_unknown(), Some(u) if matches!(u.known, Known::AtLeast(_)));
    if is_open_above(one) || is_open_above(other) {
        return Known::Part;
    }
    let (ty, other_ty) = (one.ty(), other.ty());
    if let Some((a, b)) = bounds(one).zip(bounds(other)) {
        return between(&[a.0, a.1, b.0, b.1]);
    }
    let is_known = |v: &Value| v.as_unknown().is_none() && !v.is_null();
    // Of collections the engine compares the lengths.
    if matches!(ty, Type::List(_) | Type::Set(_) | Type::Map(_))
        && ty == other_ty
        && is_known(one)
        && is_known(other)
    {
        return Known::Part;
    }
    let is_rounded = |v: &Value| v.as_number().is_some_and(Number::is_rounded);
    if is_rounded(one) || is_rounded(other) {
        return Known::Part;
    }
    let is_not_null = |v: &Value| match v.as_unknown() {
        Some(unknown) => unknown.known.is_not_null(),
        None => !v.is_null(),
    };
    match is_not_null(one) && is_not_null(other) {
        true => Known::NotNull,
        false => Known::Type,
    }
}

/// What is known of whether two values are equal, if that is unknown here.
pub(super) fn of_equality(left: &Value, right: &Value) -> Known {
    let is_followed = |value: &Value| value.first_unfollowed().is_none();
    let both_unknown = left.as_unknown().zip(right.as_unknown());
    let is_untold = both_unknown.is_some_and(|(a, b)| a.known.is_shared() && b.known.is_shared());
    match is_untold || is_followed(left) && is_followed(right) {
        true => Known::NotNull,
        false => Known::Perhaps,
    }
}
