//! Numbers of the evaluator: exact fractions.
//!
//! HCL computes with binary floating point of 512 bits. Fractions of 128-bit integers give the same results if
//! that is exact; where it may not be (a division with a remainder) the number records it, so that nothing
//! which depends on the last bit is claimed. What does not fit is not computed at all.

use std::cmp::Ordering;

/// A number as an exact fraction.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// The numerator with the sign.
    num: i128,
    /// Always positive; the fraction is reduced.
    den: i128,
    /// The engine's own result may differ from this one in its last bits.
    rounded: bool,
    /// A zero whose sign is unknown: the negative one is written differently.
    zero_of_any_sign: bool,
}

impl Number {
    /// An integer.
    #[must_use]
    pub const fn whole(value: i128) -> Self {
        Self {
            num: value,
            den: 1,
            rounded: false,
            zero_of_any_sign: false,
        }
    }

    /// The length or index of a collection.
    #[must_use]
    pub fn count(value: usize) -> Self {
        Self::whole(i128::try_from(value).unwrap_or(i128::MAX))
    }

    fn ratio(num: i128, den: i128) -> Option<Self> {
        if den == 0 || num == i128::MIN || den == i128::MIN {
            return None;
        }
        let divisor = gcd(num.unsigned_abs(), den.unsigned_abs());
        let divisor = i128::try_from(divisor).ok()?.max(1);
        let sign = den.signum();
        let (num, den) = (num / divisor * sign, den / divisor * sign);
        Some(Self {
            num,
            den,
            rounded: false,
            zero_of_any_sign: false,
        })
    }

    /// Reads a decimal number: sign, digits, fraction, exponent. `None` if it is not one or needs more than 127
    /// bits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (digits, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let fraction = fraction.trim_end_matches('0');
        let mut num: i128 = 0;
        for c in whole.chars().chain(fraction.chars()) {
            num = num.checked_mul(10)?.checked_add(i128::from(c.to_digit(10)?))?;
        }
        let scale = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        let power = |by: u32| 10_i128.checked_pow(by);
        let mut number = if num == 0 {
            Self::whole(0)
        } else if scale >= 0 {
            Self::whole(num.checked_mul(power(scale.unsigned_abs())?)?)
        } else {
            Self::ratio(num, power(scale.unsigned_abs())?)?
        };
        if negative {
            number.num = -number.num;
        }
        Some(number)
    }

    /// Whether the fraction is exact in binary, as every integer is.
    fn is_binary(self) -> bool {
        self.den.count_ones() == 1
    }

    fn result(num: i128, den: i128, a: Self, b: Self) -> Option<Self> {
        let mut result = Self::ratio(num, den)?;
        let exact = a.is_binary() && b.is_binary() && result.is_binary() && !a.rounded && !b.rounded;
        let is_signed = [a, b].iter().any(|n| n.num < 0 || n.zero_of_any_sign);
        result.zero_of_any_sign = num == 0 && is_signed;
        result.rounded = !exact;
        Some(result)
    }

    /// The sum; `None` if it does not fit.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        let left = self.num.checked_mul(other.den)?;
        let right = other.num.checked_mul(self.den)?;
        let sum = left.checked_add(right)?;
        if sum == 0 && left != 0 && !self.rounded && !other.rounded {
            // Two numbers that differ only in their sign: such a zero is positive.
            return Some(Self::whole(0));
        }
        Self::result(sum, self.den.checked_mul(other.den)?, self, other)
    }

    /// The difference; `None` if it does not fit.
    #[must_use]
    pub fn minus(self, other: Self) -> Option<Self> {
        // The sign of a zero is unknown, and makes no difference here.
        if other.is_zero() && !other.rounded {
            return Some(self);
        }
        if (self.num, self.den) == (other.num, other.den) && !self.rounded && !other.rounded {
            return Some(Self::whole(0));
        }
        self.plus(other.negate())
    }

    /// The product; `None` if it does not fit.
    #[must_use]
    pub fn times(self, other: Self) -> Option<Self> {
        let num = self.num.checked_mul(other.num)?;
        Self::result(num, self.den.checked_mul(other.den)?, self, other)
    }

    /// The quotient; `None` if it does not fit or `other` is zero.
    #[must_use]
    pub fn over(self, other: Self) -> Option<Self> {
        let num = self.num.checked_mul(other.den)?;
        Self::result(num, self.den.checked_mul(other.num)?, self, other)
    }

    /// The remainder, with the sign of `self`; `None` if it does not fit or `other` is zero.
    #[must_use]
    pub fn remainder(self, other: Self) -> Option<Self> {
        if let (Some(whole @ 0..), Some(by @ 1..)) = (self.as_whole(), other.as_whole()) {
            return Some(Self::whole(whole % by));
        }
        let quotient = self.over(other)?;
        if quotient.rounded && quotient.den == 1 {
            return None;
        }
        self.minus(other.times(Self::whole(quotient.num / quotient.den))?)
    }

    /// The negated number.
    #[must_use]
    pub const fn negate(self) -> Self {
        Self {
            num: -self.num,
            den: self.den,
            rounded: self.rounded,
            zero_of_any_sign: self.num == 0,
        }
    }

    /// Whether its last bits are unknown.
    #[must_use]
    pub const fn is_rounded(self) -> bool {
        self.rounded
    }

    /// Whether its last bits are unknown, and with them whether it is an integer.
    #[must_use]
    pub const fn is_perhaps_whole(self) -> bool {
        self.rounded && self.den == 1
    }

    /// Whether it is zero.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.num == 0
    }

    /// Whether it is below zero.
    #[must_use]
    pub const fn is_negative(self) -> bool {
        self.num < 0
    }

    /// How two numbers compare; `None` if that depends on unknown bits.
    #[must_use]
    pub fn compare(self, other: Self) -> Option<Ordering> {
        let is_exact = !self.rounded && !other.rounded;
        if is_exact && (self.num, self.den) == (other.num, other.den) {
            return Some(Ordering::Equal);
        }
        let left = self.num.checked_mul(other.den)?;
        let right = other.num.checked_mul(self.den)?;
        let order = left.cmp(&right);
        if order == Ordering::Equal && (self.rounded || other.rounded) {
            return None;
        }
        Some(order)
    }

    /// An order for sorting, total and independent of rounding.
    #[must_use]
    pub fn total_order(self, other: Self) -> Ordering {
        match (self.num.checked_mul(other.den), other.num.checked_mul(self.den)) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => {
                (self.num / self.den, self.num, self.den).cmp(&(other.num / other.den, other.num, other.den))
            }
        }
    }

    /// The largest integer not above it; `None` if that depends on unknown bits.
    #[must_use]
    pub fn floor(self) -> Option<Self> {
        let sure = !(self.rounded && self.den == 1);
        sure.then(|| Self::whole(self.num.div_euclid(self.den)))
    }

    /// The smallest integer not below it; `None` if that depends on unknown bits.
    #[must_use]
    pub fn ceil(self) -> Option<Self> {
        let sure = !(self.rounded && self.den == 1);
        sure.then(|| Self::whole(-(-self.num).div_euclid(self.den)))
    }

    /// The value if it is known to be an integer of that size.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        self.as_whole().and_then(|n| i64::try_from(n).ok())
    }

    /// The value if it is known to be an integer.
    #[must_use]
    pub const fn as_whole(self) -> Option<i128> {
        if self.den == 1 && !self.rounded {
            Some(self.num)
        } else {
            None
        }
    }

    /// Its decimal text in HCL; `None` for a fraction whose last digits are unknown.
    #[must_use]
    pub fn text(self) -> Option<String> {
        if self.rounded || self.zero_of_any_sign {
            return None;
        }
        if self.den == 1 {
            return Some(self.num.to_string());
        }
        // A denominator of only twos and fives gives a finite decimal.
        let (mut den, mut digits, mut num) = (self.den, 0u32, self.num);
        while den % 10 == 0 {
            den /= 10;
            digits += 1;
        }
        while den % 2 == 0 {
            den /= 2;
            num = num.checked_mul(5)?;
            digits += 1;
        }
        while den % 5 == 0 {
            den /= 5;
            num = num.checked_mul(2)?;
            digits += 1;
        }
        if den != 1 {
            return None;
        }
        let sign = if num < 0 { "-" } else { "" };
        let text = format!("{:0>width$}", num.unsigned_abs(), width = digits as usize + 1);
        let (whole, fraction) = text.split_at_checked(text.len() - digits as usize)?;
        Some(
            format!("{sign}{whole}.{}", fraction.trim_end_matches('0'))
                .trim_end_matches('.')
                .to_owned(),
        )
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap()
    }

    #[test]
    fn decimals_are_read_and_written_without_loss() {
        for (text, shown) in [
            ("0", "0"),
            ("-0", "0"),
            ("1.50", "1.5"),
            ("-0.25", "-0.25"),
            ("1e3", "1000"),
            ("1.5e1", "15"),
            ("12e-3", "0.012"),
            ("9007199254740993", "9007199254740993"),
            ("0.1", "0.1"),
            ("100", "100"),
            (
                "170141183460469231731687303715884105727",
                "170141183460469231731687303715884105727",
            ),
        ] {
            assert_eq!(number(text).text().unwrap(), shown);
        }
        for text in [
            "",
            ".",
            "-",
            "1.2.3",
            "x",
            "1e",
            "1e999999",
            "999999999999999999999999999999999999999999",
        ] {
            assert!(Number::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn results_that_depend_on_rounding_are_not_claimed() {
        let sum = number("0.1").plus(number("0.2")).unwrap();
        assert_eq!(sum.text(), None);
        assert_eq!(sum.compare(number("0.3")), None);
        let ten_tenths = number("0.1").times(number("10")).unwrap();
        assert_eq!((ten_tenths.text(), ten_tenths.as_whole()), (None, None));
        assert!(ten_tenths.floor().is_none());
        assert_eq!(number("0").negate().text(), None);
        for (a, b) in [("1", "-1"), ("-0.1", "0.1")] {
            assert_eq!(number(a).plus(number(b)).unwrap().text().as_deref(), Some("0"));
        }
        assert_eq!(number("0").negate().compare(number("0")), Some(Ordering::Equal));
        assert_eq!(sum.compare(number("0.4")), Some(Ordering::Less));
        assert_eq!(
            number("0.5").plus(number("0.25")).unwrap().text().as_deref(),
            Some("0.75")
        );
        let third = number("10").over(number("3")).unwrap();
        assert_eq!(
            (
                third.floor().unwrap().text().unwrap(),
                third.ceil().unwrap().text().unwrap()
            ),
            ("3".to_owned(), "4".to_owned())
        );
        assert_eq!(third.text(), None);
    }

    #[test]
    fn remainders_take_the_sign_of_the_dividend() {
        for (a, b, rest) in [
            ("7", "3", "1"),
            ("-7", "3", "-1"),
            ("7", "-3", "1"),
            ("7.5", "2", "1.5"),
        ] {
            assert_eq!(number(a).remainder(number(b)).unwrap().text().unwrap(), rest);
        }
        assert!(number("1").over(number("0")).is_none());
    }

    #[test]
    fn floor_and_ceil_go_down_and_up_for_either_sign() {
        for (text, floor, ceil) in [("1.5", 1, 2), ("-1.5", -2, -1), ("2", 2, 2), ("-2", -2, -2)] {
            assert_eq!(
                (
                    number(text).floor().unwrap().as_i64(),
                    number(text).ceil().unwrap().as_i64()
                ),
                (Some(floor), Some(ceil))
            );
        }
    }
}
