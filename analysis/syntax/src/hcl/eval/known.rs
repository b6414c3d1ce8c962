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
    /// Perhaps all of it.
    #[default]
    Perhaps,
    /// Its type.
    Type,
    /// Also that it is not null.
    NotNull,
    /// Also how the text begins, which is not followed.
    Start,
    /// Also that it is not null and between two numbers, both included.
    Between(Arc<(Number, Number)>),
    /// Also that it is not null and not negative.
    Count,
    /// Something besides its type that is not followed.
    Part,
}

impl Known {
    /// Whether the engine does not know the value either.
    #[must_use]
    pub const fn is_shared(&self) -> bool {
        !matches!(self, Self::Perhaps)
    }

    /// Whether all that the engine knows of the value is known here too.
    #[must_use]
    pub const fn is_followed(&self) -> bool {
        matches!(self, Self::Type | Self::NotNull | Self::Between(_) | Self::Count)
    }

    pub(super) fn is_not_null(&self) -> bool {
        matches!(self, Self::NotNull | Self::Start | Self::Between(_) | Self::Count)
    }

    /// What is known of what is made of the value.
    pub(super) fn of_result(&self) -> Self {
        match self {
            Self::Perhaps => Self::Perhaps,
            Self::Part => Self::Part,
            _ => Self::Type,
        }
    }

    /// The same, of what is never null.
    pub(super) fn of_result_not_null(&self) -> Self {
        match self.of_result() {
            Self::Type => Self::NotNull,
            other => other,
        }
    }

    /// What is known of the value as one of another type.
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
            Self::Count => is(Number::count(0), Ordering::Less),
            _ => false,
        }
    }
}

/// The least and the greatest number that a value may be.
fn bounds(value: &Value) -> Option<(Number, Number)> {
    match &value.data {
        Data::Number(number) if !number.is_rounded() => Some((*number, *number)),
        Data::Unknown(unknown) => match &unknown.known {
            Known::Between(bounds) => Some(**bounds),
            _ => None,
        },
        _ => None,
    }
}

/// What is known of each of two values, if of one nothing more than here.
fn worst(left: &Value, right: &Value) -> Option<Known> {
    let all = [left, right];
    if all.iter().any(|v| v.first_unshared().is_some()) {
        return Some(Known::Perhaps);
    }
    let is_part = |v: &&Value| matches!(v.as_unknown(), Some(u) if matches!(u.known, Known::Part));
    all.iter().any(is_part).then_some(Known::Part)
}

/// What is known of the result of an operator on numbers or truth values of which one is unknown.
pub(super) fn of_operator(op: BinaryOp, left: &Value, right: &Value) -> Result<bool, Known> {
    let unfollowed = worst(left, right);
    let both = bounds(left).zip(bounds(right));
    let is_comparison = matches!(
        op,
        BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual
    );
    if is_comparison {
        if unfollowed.is_some() {
            return Err(Known::Perhaps);
        }
        let Some(((left_min, left_max), (right_min, right_max))) = both else {
            return Err(Known::NotNull);
        };
        let is_less = |a: Number, b: Number| a.compare(b) == Some(Ordering::Less);
        let wants_less = matches!(op, BinaryOp::Less | BinaryOp::LessEqual);
        return if is_less(left_max, right_min) {
            Ok(wants_less)
        } else if is_less(right_max, left_min) {
            Ok(!wants_less)
        } else {
            Err(Known::NotNull)
        };
    }
    // Of the others the engine looks at no bounds.
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

/// What is known of the value that is one of two, both as they are before they become one type.
pub(super) fn of_either(one: &Value, other: &Value) -> Known {
    if let Some(known) = worst(one, other) {
        return known;
    }
    let is_count = |v: &Value| matches!(v.as_unknown(), Some(u) if matches!(u.known, Known::Count));
    if is_count(one) || is_count(other) {
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

/// What is known of whether two values are equal, where that is unknown here.
pub(super) fn of_equality(left: &Value, right: &Value) -> Known {
    let is_followed = |value: &Value| value.first_unfollowed().is_none();
    let both_unknown = left.as_unknown().zip(right.as_unknown());
    let is_untold = both_unknown.is_some_and(|(a, b)| a.known.is_shared() && b.known.is_shared());
    match is_untold || is_followed(left) && is_followed(right) {
        true => Known::NotNull,
        false => Known::Perhaps,
    }
}
