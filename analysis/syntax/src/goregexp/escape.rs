//! Escapes after a backslash.

use super::class;
use super::{BAD_ESCAPE, BAD_RANGE, Failure, LONE_BACKSLASH, consumed, next};

/// Parses a class such as `\d` or `\p{Greek}` at the start of a text and returns the rest; `None` if there is
/// none.
pub(super) fn class(text: &str) -> Result<Option<&str>, Failure<'_>> {
    let pair = text.get(..2).unwrap_or("");
    let behind = text.get(2..).unwrap_or("");
    match pair {
        r"\d" | r"\D" | r"\s" | r"\S" | r"\w" | r"\W" => Ok(Some(behind)),
        r"\p" | r"\P" => {
            let (written, name, left) = if behind.starts_with('{') {
                let end = text.find('}').ok_or(Failure(BAD_RANGE, text))?;
                let (written, left) = text.split_at_checked(end + 1).unwrap_or((text, ""));
                (written, text.get(3..end).unwrap_or(""), left)
            } else {
                let left = next(behind).map_or("", |(_, left)| left);
                (consumed(text, left), consumed(behind, left), left)
            };
            let name = name.strip_prefix('^').unwrap_or(name);
            if class::is_known(name) {
                Ok(Some(left))
            } else {
                Err(Failure(BAD_RANGE, written))
            }
        }
        _ => Ok(None),
    }
}

/// The one character that an escape at the start of a text denotes, and the rest.
pub(super) fn character(text: &str) -> Result<(char, &str), Failure<'_>> {
    let Some((c, mut rest)) = text.strip_prefix('\\').and_then(next) else {
        return Err(Failure(LONE_BACKSLASH, ""));
    };
    let bad = |rest: &str| Failure(BAD_ESCAPE, consumed(text, rest));
    let octal = |text: &str| text.starts_with(|c: char| c.is_digit(8));
    match c {
        '1'..='7' if !octal(rest) => Err(bad(rest)),
        '0'..='7' => {
            let mut value = c.to_digit(8).unwrap_or(0);
            for _ in 0..2 {
                let Some((digit, left)) = next(rest).filter(|_| octal(rest)) else {
                    break;
                };
                value = value * 8 + digit.to_digit(8).unwrap_or(0);
                rest = left;
            }
            Ok((char::from_u32(value).unwrap_or('\0'), rest))
        }
        'x' => hexadecimal(rest).map_err(bad),
        'a' => Ok(('\u{7}', rest)),
        'f' => Ok(('\u{c}', rest)),
        'n' => Ok(('\n', rest)),
        'r' => Ok(('\r', rest)),
        't' => Ok(('\t', rest)),
        'v' => Ok(('\u{b}', rest)),
        c if c.is_ascii() && !c.is_ascii_alphanumeric() => Ok((c, rest)),
        _ => Err(bad(rest)),
    }
}

/// What follows `\x`: two digits, or any number of them in braces; else how far Go has read.
fn hexadecimal(text: &str) -> Result<(char, &str), &str> {
    // Surrogates are numbers to Go; only their order matters here.
    let character = |value: u32| char::from_u32(value).unwrap_or('\u{d7ff}');
    let Some(mut rest) = text.strip_prefix('{') else {
        let (high, rest) = next(text).ok_or(text)?;
        let (low, rest) = next(rest).ok_or(rest)?;
        return match (high.to_digit(16), low.to_digit(16)) {
            (Some(high), Some(low)) => Ok((character(high * 16 + low), rest)),
            _ => Err(rest),
        };
    };
    let mut value = None;
    loop {
        let (digit, left) = next(rest).ok_or(rest)?;
        rest = left;
        match (digit, digit.to_digit(16), value) {
            ('}', _, Some(value)) => return Ok((character(value), rest)),
            (_, Some(digit), _) => {
                let sum = value.unwrap_or(0) * 16 + digit;
                if sum > 0x0010_FFFF {
                    return Err(rest);
                }
                value = Some(sum);
            }
            _ => return Err(rest),
        }
    }
}
