//! Durations as Go's `time.ParseDuration` reads them: `1h30m`, `-1.5s`.

/// Parses a duration, in nanoseconds.
///
/// # Errors
/// The text of Go's error: `time: unknown unit "d" in duration "1d"`.
pub fn parse(text: &str) -> Result<i64, String> {
    let said = |why: &str| Err(format!("time: {why} {}", quote(text)));
    let invalid = || said("invalid duration");
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return invalid();
    }
    let mut total = 0u64;
    while !rest.is_empty() {
        let (whole, behind) = digits(rest);
        let (fraction, behind) = behind.strip_prefix('.').map_or(("", behind), digits);
        if whole.is_empty() && fraction.is_empty() {
            return invalid();
        }
        let Some(number) = whole_number(whole) else {
            return invalid();
        };
        let end = behind
            .find(|c: char| c == '.' || c.is_ascii_digit())
            .unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(end);
        rest = behind;
        if unit.is_empty() {
            return said("missing unit in duration");
        }
        let Some(length) = nanoseconds(unit) else {
            return said(&format!("unknown unit {} in duration", quote(unit)));
        };
        if number > LARGEST / length {
            return invalid();
        }
        let value = number * length + part_of(fraction, length);
        // Two of the largest values wrap around to zero, in Go too.
        total = total.wrapping_add(value);
        if value > LARGEST || total > LARGEST {
            return invalid();
        }
    }
    // The least duration is one nanosecond further from zero than the greatest.
    match (i64::try_from(total), negative) {
        (Ok(total), true) => Ok(-total),
        (Ok(total), false) => Ok(total),
        (Err(_), true) => Ok(i64::MIN),
        (Err(_), false) => invalid(),
    }
}

const LARGEST: u64 = 1 << 63;

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

/// The number of some digits, zero if empty; `None` if it is too large.
fn whole_number(digits: &str) -> Option<u64> {
    if digits.is_empty() {
        return Some(0);
    }
    digits.parse().ok().filter(|n| *n <= LARGEST)
}

/// Nanoseconds of a fraction of a unit. Digits that do not fit into 63 bits are ignored.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]
fn part_of(fraction: &str, unit: u64) -> u64 {
    let mut number = 0u64;
    let mut scale = 1f64;
    for digit in fraction.bytes() {
        if number > (LARGEST - 1) / 10 {
            break;
        }
        let next = number * 10 + u64::from(digit - b'0');
        if next > LARGEST {
            break;
        }
        number = next;
        scale *= 10.0;
    }
    (number as f64 * (unit as f64 / scale)) as u64
}

fn nanoseconds(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        // The micro sign, and the Greek letter that looks like it.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

/// The package's own quoting, which escapes bytes and not characters.
fn quote(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        if c.is_ascii() && c >= ' ' {
            if matches!(c, '"' | '\\') {
                out.push('\\');
            }
            out.push(c);
            continue;
        }
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_sums_of_numbers_with_units() {
        assert_eq!(parse("1h30m"), Ok(5_400_000_000_000));
        assert_eq!(parse("-1.5µs"), Ok(-1_500));
        assert_eq!(parse("+0"), Ok(0));
        assert_eq!(parse("-9223372036854775808ns"), Ok(i64::MIN));
    }

    #[test]
    fn errors_have_the_text_of_go() {
        for (text, why) in [
            ("1d", "time: unknown unit \"d\" in duration \"1d\""),
            ("1", "time: missing unit in duration \"1\""),
            ("", "time: invalid duration \"\""),
            (" 1s", "time: invalid duration \" 1s\""),
            (
                "1é",
                "time: unknown unit \"\\xc3\\xa9\" in duration \"1\\xc3\\xa9\"",
            ),
            (
                "9223372036854775808ns",
                "time: invalid duration \"9223372036854775808ns\"",
            ),
        ] {
            assert_eq!(parse(text), Err(why.to_owned()));
        }
    }
}
