//! Functions on numbers.

use super::super::convert::convert;
use super::super::number::Number;
use super::super::ops::arithmetic;
use super::super::types::Type;
use super::super::value::Value;
use super::{Args, Fault, Given};

pub(super) fn abs(args: &Args<'_>) -> Given {
    let n = args.number(0)?;
    Ok(Value::number(if n.is_negative() { n.negate() } else { n }))
}

pub(super) fn ceil(args: &Args<'_>) -> Given {
    Ok(arithmetic(args.number(0)?.ceil()))
}

pub(super) fn floor(args: &Args<'_>) -> Given {
    Ok(arithmetic(args.number(0)?.floor()))
}

pub(super) fn signum(args: &Args<'_>) -> Given {
    let n = args.whole(0)?;
    Ok(Value::number(Number::whole(i128::from(n.signum()))))
}

pub(super) fn max(args: &Args<'_>) -> Given {
    extreme(args, std::cmp::Ordering::Greater)
}

pub(super) fn min(args: &Args<'_>) -> Given {
    extreme(args, std::cmp::Ordering::Less)
}

fn extreme(args: &Args<'_>, wins: std::cmp::Ordering) -> Given {
    let mut best: Option<Number> = None;
    for index in 0..args.values.len() {
        let n = args.number(index)?;
        if best.is_none_or(|b| n.total_order(b) == wins) {
            best = Some(n);
        }
    }
    best.map(Value::number)
        .ok_or_else(|| Fault::new("it needs at least one number"))
}

pub(super) fn sum(args: &Args<'_>) -> Given {
    let elements = args.elements(0)?;
    if elements.is_empty() {
        return Err(Fault::new("it needs at least one number"));
    }
    let mut total = Number::whole(0);
    for element in elements {
        let number = convert(element, &Type::Number).map_err(Fault::Fails)?;
        let Some(number) = number.as_number() else {
            return Err(Fault::new("an element is null"));
        };
        let Some(next) = total.plus(number) else {
            return Ok(arithmetic(None));
        };
        total = next;
    }
    Ok(Value::number(total))
}

pub(super) fn pow(args: &Args<'_>) -> Given {
    let base = args.number(0)?;
    let Some(exponent) = args.number(1)?.as_i64() else {
        if base.is_zero() && base.is_rounded() {
            return Err(Fault::Inexact);
        }
        if !base.is_negative() {
            return Ok(arithmetic(None));
        }
        return Err(Fault::open("fractional powers are not supported"));
    };
    if base.is_zero() && exponent < 0 {
        return Ok(arithmetic(None));
    }
    // The engines compute this with 53 bits, which is exact only up to that.
    let Some(base) = base.as_i64() else {
        return Ok(arithmetic(None));
    };
    let result = match (base, u32::try_from(exponent)) {
        (0 | 1, _) if exponent != 0 => i128::from(base),
        (-1, _) => {
            if exponent % 2 == 0 {
                1
            } else {
                -1
            }
        }
        (_, Ok(exponent)) => match i128::from(base).checked_pow(exponent) {
            Some(power) => power,
            None => return Ok(arithmetic(None)),
        },
        (_, Err(_)) => return Ok(arithmetic(None)),
    };
    if result.unsigned_abs() > 1 << 53 {
        return Ok(arithmetic(None));
    }
    Ok(Value::number(Number::whole(result)))
}

pub(super) fn log(args: &Args<'_>) -> Given {
    let (number, base) = (args.number(0)?, args.number(1)?);
    let whole = |n: Number| n.as_i64().filter(|n| n.unsigned_abs() <= 1 << 53);
    let is_positive = |n: Number| !n.is_negative() && !n.is_zero();
    if is_positive(number) && is_positive(base) && (whole(number).is_none() || whole(base).is_none()) {
        return Ok(arithmetic(None));
    }
    let (Some(number), Some(base)) = (whole(number), whole(base)) else {
        return Err(Fault::open("the logarithm cannot be computed exactly"));
    };
    if number < 0 || base < 0 || (base == 1 && number == 1) {
        return Err(Fault::new("the logarithm does not exist"));
    }
    // The engines divide two logarithms, which is exact for only a few numbers.
    match (number, base) {
        (1, 2..) => Ok(Value::number(Number::whole(0))),
        (2.., _) if number == base => Ok(Value::number(Number::whole(1))),
        (_, 2) if u64::try_from(number).is_ok_and(u64::is_power_of_two) => {
            Ok(Value::number(Number::whole(i128::from(number.trailing_zeros()))))
        }
        _ => Ok(arithmetic(None)),
    }
}

pub(super) fn parseint(args: &Args<'_>) -> Given {
    let Some(text) = args.get(0)?.as_str() else {
        return Err(Fault::new("the first argument must be a string"));
    };
    let base = args.whole(1)?;
    if !(2..=62).contains(&base) {
        return Err(Fault::new("the base must be between 2 and 62"));
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let refuse = || Fault::new(format!("\"{text}\" is not an integer of base {base}"));
    if digits.is_empty() {
        return Err(refuse());
    }
    let mut value: i128 = 0;
    for c in digits.chars() {
        let digit = match c {
            '0'..='9' => u32::from(c) - u32::from('0'),
            'a'..='z' => u32::from(c) - u32::from('a') + 10,
            'A'..='Z' if base <= 36 => u32::from(c) - u32::from('A') + 10,
            'A'..='Z' => u32::from(c) - u32::from('A') + 36,
            _ => return Err(refuse()),
        };
        if i64::from(digit) >= base {
            return Err(refuse());
        }
        let Some(next) = value
            .checked_mul(i128::from(base))
            .and_then(|v| v.checked_add(i128::from(digit)))
        else {
            return Ok(arithmetic(None));
        };
        value = next;
    }
    Ok(Value::number(Number::whole(if negative {
        -value
    } else {
        value
    })))
}
