//! How large decimal numbers are that are too large or too small to be computed here.

/// What the engine makes of a decimal number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Magnitude {
    /// A number, as far as that can be told.
    Number,
    /// Infinity.
    Infinite,
    /// Nothing: it rejects the text.
    Rejected,
}

/// The numbers of bits of the most and the fewest digits of a mantissa, rounded away from each other.
const BITS_OF_DIGIT: [i64; 2] = [3322, 3321];

/// The magnitude of a decimal number: sign, digits, fraction, and an exponent of ten (`e`) or of two (`p`).
///
/// Source: `Float.Parse` of Go's `math/big`: the exponent has 64 bits; with it and the digits, the number has a binary
/// exponent of 32 bits before it is multiplied by powers of five. It may exceed that afterwards.
pub(super) fn magnitude(text: &str) -> Magnitude {
    let (mantissa, exponent) = text.split_once(['e', 'E', 'p', 'P']).unwrap_or((text, "0"));
    let Ok(exponent) = exponent.parse::<i64>() else {
        return match exponent.bytes().any(|b| b.is_ascii_digit()) {
            true => Magnitude::Rejected,
            false => Magnitude::Number,
        };
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = whole.bytes().chain(fraction.bytes()).filter(u8::is_ascii_digit);
    let count = digits.skip_while(|digit| *digit == b'0').count();
    let (Ok(count @ 1..), Ok(behind)) = (i64::try_from(count), i64::try_from(fraction.len())) else {
        return Magnitude::Number;
    };
    let [most, fewest] = BITS_OF_DIGIT;
    let exponent = exponent.saturating_sub(behind);
    let least = exponent.saturating_add((count - 1) * fewest / 1000 + 1);
    let greatest = exponent.saturating_add(count * most / 1000 + 1);
    if least > i64::from(i32::MAX) || greatest < i64::from(i32::MIN) {
        return Magnitude::Rejected;
    }
    // A power of two needs no factors of five.
    let power = exponent.saturating_add(count - 1).saturating_mul(fewest) / 1000;
    match text.contains(['p', 'P']) || power <= i64::from(i32::MAX) {
        true => Magnitude::Number,
        false => Magnitude::Infinite,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results of Terraform 1.11.4.
    #[test]
    fn exponents_have_32_bits() {
        for (text, expected) in [
            ("1", Magnitude::Number),
            ("x", Magnitude::Number),
            ("1e", Magnitude::Number),
            ("1e646456992", Magnitude::Number),
            ("1e647000000", Magnitude::Infinite),
            ("-1e2147483646", Magnitude::Infinite),
            ("1e2147483647", Magnitude::Rejected),
            ("1e99999999999999999999999", Magnitude::Rejected),
            ("0e99999999999", Magnitude::Number),
            ("0e99999999999999999999999", Magnitude::Rejected),
            ("1e-2147483649", Magnitude::Number),
            ("1e-2147483660", Magnitude::Rejected),
            ("0.1e2147483647", Magnitude::Infinite),
            ("1p2147483646", Magnitude::Number),
            ("1p2147483647", Magnitude::Rejected),
        ] {
            assert_eq!(magnitude(text), expected, "{text}");
        }
    }
}
