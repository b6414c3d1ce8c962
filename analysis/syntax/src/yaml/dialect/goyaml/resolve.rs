//! The value of a scalar.

use std::borrow::Cow;

use super::timestamp::is_timestamp;
use crate::yaml::{Node, Style};

/// A scalar as go-yaml resolves it.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar<'a> {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer that fits into 64 bits with a sign.
    Int(i64),
    /// A larger integer that fits into 64 bits without one.
    Uint(u64),
    /// Any other number, including infinity and NaN.
    Float(f64),
    /// A string; timestamps stay strings.
    Str(Cow<'a, str>),
}

/// Resolves the text of an unquoted, untagged scalar.
#[must_use]
pub fn resolve_plain(text: &str) -> Scalar<'_> {
    plain(Cow::Borrowed(text))
}

fn plain(text: Cow<'_, str>) -> Scalar<'_> {
    special(&text).unwrap_or(Scalar::Str(text))
}

/// Everything but strings.
fn special(text: &str) -> Option<Scalar<'static>> {
    let Some(first) = text.bytes().next() else {
        return Some(Scalar::Null);
    };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => match text {
            "~" | "null" | "Null" | "NULL" => Some(Scalar::Null),
            "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
                Some(Scalar::Bool(true))
            }
            "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
                Some(Scalar::Bool(false))
            }
            _ => None,
        },
        b'.' => match text {
            ".nan" | ".NaN" | ".NAN" => Some(Scalar::Float(f64::NAN)),
            ".inf" | ".Inf" | ".INF" => Some(Scalar::Float(f64::INFINITY)),
            _ => fraction(text),
        },
        b'+' | b'-' | b'0'..=b'9' => number(text),
        _ => None,
    }
}

fn finite(text: &str) -> Option<Scalar<'static>> {
    text.parse::<f64>()
        .ok()
        .filter(|f| f.is_finite())
        .map(Scalar::Float)
}

/// A number that starts with a point: unlike in any other, `_` has to be between digits.
fn fraction(text: &str) -> Option<Scalar<'static>> {
    if !text.contains('_') {
        return finite(text);
    }
    let digit = |part: &str, at: fn(&str) -> Option<char>| at(part).is_some_and(|c| c.is_ascii_digit());
    let parts: Vec<&str> = text.split('_').collect();
    let separate = |pair: &[&str]| match pair {
        [before, after] => digit(before, |p| p.chars().next_back()) && digit(after, |p| p.chars().next()),
        _ => false,
    };
    parts
        .windows(2)
        .all(separate)
        .then(|| finite(&parts.concat()))
        .flatten()
}

fn number(text: &str) -> Option<Scalar<'static>> {
    match text {
        "+.inf" | "+.Inf" | "+.INF" => return Some(Scalar::Float(f64::INFINITY)),
        "-.inf" | "-.Inf" | "-.INF" => return Some(Scalar::Float(f64::NEG_INFINITY)),
        _ => {}
    }
    let digits: Cow<'_, str> = if text.contains('_') {
        Cow::Owned(text.replace('_', ""))
    } else {
        Cow::Borrowed(text)
    };
    if let Some(n) = integer(&digits) {
        return Some(n);
    }
    if is_float(&digits) {
        return finite(&digits);
    }
    // Only reached with a sign inside the digits, which the first attempt rejects.
    let binary = digits.strip_prefix("0b").map(|rest| (rest.to_owned(), true));
    let (rest, unsigned) =
        binary.or_else(|| digits.strip_prefix("-0b").map(|rest| (format!("-{rest}"), false)))?;
    match i64::from_str_radix(&rest, 2) {
        Ok(n) => Some(Scalar::Int(n)),
        Err(_) if unsigned && !rest.starts_with('+') => u64::from_str_radix(&rest, 2).ok().map(Scalar::Uint),
        Err(_) => None,
    }
}

/// An integer with Go's prefixes: `0x`, `0o`, `0b`, and a plain `0` for octal.
fn integer(text: &str) -> Option<Scalar<'static>> {
    let (sign, body) = match text.as_bytes().first() {
        Some(b'-') => (Some('-'), text.get(1..)?),
        Some(b'+') => (Some('+'), text.get(1..)?),
        _ => (None, text),
    };
    let lower = body.get(..2).map(str::to_ascii_lowercase);
    let (radix, digits) = match lower.as_deref() {
        Some("0x") => (16, body.get(2..)?),
        Some("0o") => (8, body.get(2..)?),
        Some("0b") => (2, body.get(2..)?),
        Some(two) if two.starts_with('0') => (8, body.get(1..)?),
        _ => (10, body),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, radix).ok()?;
    match (sign, i64::try_from(magnitude)) {
        (Some('-'), Ok(n)) => Some(Scalar::Int(-n)),
        (Some('-'), Err(_)) => (magnitude == 1 << 63).then_some(Scalar::Int(i64::MIN)),
        (_, Ok(n)) => Some(Scalar::Int(n)),
        // The larger type has no sign.
        (None, Err(_)) => Some(Scalar::Uint(magnitude)),
        (Some(_), Err(_)) => None,
    }
}

/// `^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`
fn is_float(text: &str) -> bool {
    let digits = |s: &str| s.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    let whole = digits(rest);
    let rest = rest.get(whole..).unwrap_or("");
    let rest = match rest.strip_prefix('.') {
        Some(fraction) => {
            let n = digits(fraction);
            if whole == 0 && n == 0 {
                return false;
            }
            fraction.get(n..).unwrap_or("")
        }
        None if whole == 0 => return false,
        None => rest,
    };
    match rest.strip_prefix(['e', 'E']) {
        Some(exponent) => {
            let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            !exponent.is_empty() && digits(exponent) == exponent.len()
        }
        None => rest.is_empty(),
    }
}

/// A number as text: the shortest digits that a 32-bit float needs, with an exponent from 1e6 on and below
/// 1e-4.
#[must_use]
pub fn float_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the conversion formats with 32 bits"
    )]
    let single = number as f32;
    if single.is_infinite() {
        return if single > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{single:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // The shortest digits that read back the same switch to an exponent at 1e6.
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    format!("{single}")
}

/// Resolves a scalar node by its tag and style.
///
/// # Errors
/// The library's message if an explicit tag does not fit the text.
pub fn scalar<'t>(node: Node<'t>) -> Result<Scalar<'t>, String> {
    let text = node.value();
    let implicit = node.style() == Style::Plain;
    match node.tag() {
        None if implicit => Ok(plain(text)),
        None => Ok(Scalar::Str(text)),
        Some(tag) => tagged(tag, text),
    }
}

const CORE: &str = "tag:yaml.org,2002:";

fn tagged<'t>(tag: &str, text: Cow<'t, str>) -> Result<Scalar<'t>, String> {
    let Some(name) = tag.strip_prefix(CORE) else {
        return Ok(Scalar::Str(text));
    };
    let resolved = match name {
        "bool" | "int" | "float" | "null" => special(&text),
        // A timestamp stays the text that it is.
        "timestamp" if is_timestamp(&text) => return Ok(Scalar::Str(text)),
        "timestamp" => special(&text),
        "binary" => return binary(&text).map(|t| Scalar::Str(Cow::Owned(t))),
        _ => return Ok(Scalar::Str(text)),
    };
    let found = match &resolved {
        Some(Scalar::Null) => "null",
        Some(Scalar::Bool(_)) => "bool",
        Some(Scalar::Int(_) | Scalar::Uint(_)) => "int",
        Some(Scalar::Float(_)) => "float",
        Some(Scalar::Str(_)) | None => "str",
    };
    match (name, resolved) {
        ("float", Some(Scalar::Int(n))) => {
            #[expect(clippy::cast_precision_loss, reason = "the library converts alike")]
            return Ok(Scalar::Float(n as f64));
        }
        (_, Some(value)) if name == found => Ok(value),
        _ => Err(format!("cannot decode !!{found} `{text}` as a !!{name}")),
    }
}

/// Standard base 64 with padding; line breaks are skipped.
fn binary(text: &str) -> Result<String, String> {
    let fault = || "!!binary value contains invalid base64 data".to_owned();
    let symbols: Vec<u8> = text.bytes().filter(|b| !matches!(b, b'\n' | b'\r')).collect();
    let padding = symbols.iter().rev().take_while(|b| **b == b'=').count();
    if !symbols.len().is_multiple_of(4) || padding > 2 {
        return Err(fault());
    }
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0u32);
    for symbol in symbols.iter().take(symbols.len() - padding) {
        let six = match symbol {
            b'A'..=b'Z' => symbol - b'A',
            b'a'..=b'z' => symbol - b'a' + 26,
            b'0'..=b'9' => symbol - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return Err(fault()),
        };
        bits = (bits << 6 | u32::from(six)) & 0xFFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xFF) as u8);
        }
    }
    // JSON gets one replacement character for each byte that is not text.
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::float_text;

    #[test]
    fn numbers_become_the_text_go_writes() {
        let expected = [
            (16_777_217.0, "1.6777216e+07"),
            (1_234_567.0, "1.234567e+06"),
            (999_999.0, "999999"),
            (1_000_000.0, "1e+06"),
            (100_000.0, "100000"),
            (1.234_567_89, "1.2345679"),
            (0.000_123_4, "0.0001234"),
            (0.000_012_34, "1.234e-05"),
            (-2.5, "-2.5"),
            (1e21, "1e+21"),
            (1e300, "+Inf"),
        ];
        for (number, text) in expected {
            assert_eq!(float_text(number), text);
        }
    }
}
