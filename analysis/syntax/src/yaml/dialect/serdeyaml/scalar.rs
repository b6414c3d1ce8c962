//! The value of a scalar.

use std::borrow::Cow;

use crate::yaml::{Node, Style};

/// A scalar as the library resolves it.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar<'a> {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer that fits into 64 bits with or without a sign.
    Int(i128),
    /// Any other number, including infinity and NaN.
    Float(f64),
    /// A string.
    Str(Cow<'a, str>),
}

const CORE: &str = "tag:yaml.org,2002:";

/// Resolves a scalar node by its tag and style. A local tag is ignored.
///
/// # Errors
/// The library's message if a tag does not fit the text, or an integer is too large.
pub fn scalar<'t>(node: Node<'t>) -> Result<Scalar<'t>, String> {
    let text = node.value();
    let Some(tag) = node.tag() else {
        return if node.style() == Style::Plain {
            plain(text)
        } else {
            Ok(Scalar::Str(text))
        };
    };
    let wrong = |text: &str, wanted: &str| Err(format!("invalid value: string {text:?}, expected {wanted}"));
    match tag.strip_prefix(CORE) {
        Some("bool") => match boolean(&text) {
            Some(b) => Ok(Scalar::Bool(b)),
            None => wrong(&text, "a boolean"),
        },
        Some("int") => match integer(&text) {
            Some(whole) => whole.number().map(Scalar::Int),
            None => wrong(&text, "an integer"),
        },
        Some("float") => match float(&text) {
            Some(f) => Ok(Scalar::Float(f)),
            None => wrong(&text, "a float"),
        },
        Some("null") if is_null(&text) => Ok(Scalar::Null),
        Some("null") => wrong(&text, "null"),
        None if tag.starts_with('!') && node.style() == Style::Plain => plain(text),
        _ => Ok(Scalar::Str(text)),
    }
}

/// Resolves a scalar whose tag was already used.
#[must_use]
pub fn untagged(node: Node<'_>) -> Scalar<'_> {
    let text = node.value();
    if node.style() == Style::Plain {
        plain(text).unwrap_or(Scalar::Null)
    } else {
        Scalar::Str(text)
    }
}

/// Resolves the text of an unquoted scalar.
///
/// # Errors
/// The library's message for an integer of more than 64 bits.
pub fn plain(text: Cow<'_, str>) -> Result<Scalar<'_>, String> {
    if text.is_empty() || is_null(&text) {
        return Ok(Scalar::Null);
    }
    if let Some(b) = boolean(&text) {
        return Ok(Scalar::Bool(b));
    }
    if text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        if let Some(whole) = integer(&text) {
            return whole.number().map(Scalar::Int);
        }
        if !is_digits_but_no_number(&text)
            && let Some(f) = float(&text)
        {
            return Ok(Scalar::Float(f));
        }
    }
    Ok(Scalar::Str(text))
}

/// An integer of up to 128 bits, which is more than the library's values can hold.
struct Whole {
    negative: bool,
    magnitude: u128,
}

impl Whole {
    /// The number, if it fits into 64 bits; else the library's message.
    fn number(&self) -> Result<i128, String> {
        let Self { negative, magnitude } = *self;
        let most = if negative {
            i64::MIN.unsigned_abs()
        } else {
            u64::MAX
        };
        match i128::try_from(magnitude) {
            Ok(n) if magnitude <= u128::from(most) => Ok(if negative { -n } else { n }),
            _ => {
                let (sign, kind) = if negative { ("-", "i128") } else { ("", "u128") };
                Err(format!(
                    "invalid type: integer `{sign}{magnitude}` as {kind}, expected any YAML value"
                ))
            }
        }
    }
}

fn is_null(text: &str) -> bool {
    matches!(text, "null" | "Null" | "NULL" | "~")
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

fn integer(text: &str) -> Option<Whole> {
    let (negative, body) = match text.as_bytes().first() {
        Some(b'-') => (true, text.get(1..)?),
        Some(b'+') => (false, text.get(1..)?),
        _ => (false, text),
    };
    let (radix, digits) = match body.get(..2) {
        Some("0x") => (16, body.get(2..)?),
        Some("0o") => (8, body.get(2..)?),
        Some("0b") => (2, body.get(2..)?),
        _ => (10, body),
    };
    if digits.starts_with(['+', '-']) || radix == 10 && is_digits_but_no_number(text) {
        return None;
    }
    let magnitude = u128::from_str_radix(digits, radix).ok()?;
    (!negative || magnitude <= i128::MIN.unsigned_abs()).then_some(Whole { negative, magnitude })
}

/// Digits after a leading zero are a string.
fn is_digits_but_no_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit())
}

fn float(text: &str) -> Option<f64> {
    let unsigned = match text.strip_prefix('+') {
        Some(rest) if rest.starts_with(['+', '-']) => return None,
        Some(rest) => rest,
        None => text,
    };
    match unsigned {
        ".inf" | ".Inf" | ".INF" => return Some(f64::INFINITY),
        _ => {}
    }
    match text {
        "-.inf" | "-.Inf" | "-.INF" => return Some(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => return Some(f64::NAN),
        _ => {}
    }
    unsigned.parse::<f64>().ok().filter(|f| f.is_finite())
}

/// A number as the library writes it.
#[must_use]
pub fn float_text(number: f64) -> String {
    if number.is_nan() {
        ".nan".to_owned()
    } else if number.is_infinite() {
        if number < 0.0 { "-.inf" } else { ".inf" }.to_owned()
    } else {
        format!("{number:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Scalar<'_> {
        plain(Cow::Borrowed(text)).unwrap()
    }

    #[test]
    fn plain_scalars_are_those_of_the_library() {
        for text in [
            "yes",
            "no",
            "on",
            "off",
            "007",
            "1_000",
            "1:2",
            "2024-01-01",
            "-",
            "+",
            "0x",
            "0xZZ",
            "1e",
            "+-1",
        ] {
            assert_eq!(of(text), Scalar::Str(text.into()), "{text}");
        }
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(of(text), Scalar::Null, "{text}");
        }
        for (text, n) in [
            ("0", 0),
            ("-0", 0),
            ("+5", 5),
            ("0x1F", 31),
            ("-0x10", -16),
            ("0o17", 15),
            ("0b11", 3),
        ] {
            assert_eq!(of(text), Scalar::Int(n), "{text}");
        }
        for (text, f) in [
            ("1e3", 1000.0),
            (".5", 0.5),
            ("1.", 1.0),
            ("-.inf", f64::NEG_INFINITY),
        ] {
            assert_eq!(of(text), Scalar::Float(f), "{text}");
        }
        assert_eq!(of("True"), Scalar::Bool(true));
        for text in [
            "18446744073709551616",
            "-9223372036854775809",
            "340282366920938463463374607431768211455",
            "-170141183460469231731687303715884105728",
        ] {
            let kind = if text.starts_with('-') { "i128" } else { "u128" };
            let said = format!("invalid type: integer `{text}` as {kind}, expected any YAML value");
            assert_eq!(plain(text.into()), Err(said));
        }
        for (text, f) in [
            ("340282366920938463463374607431768211456", 2f64.powi(128)),
            ("-170141183460469231731687303715884105729", -(2f64.powi(127))),
        ] {
            assert_eq!(of(text), Scalar::Float(f), "{text}");
        }
        let (most, least) = ("18446744073709551615", "-9223372036854775808");
        assert_eq!(of(most), Scalar::Int(u64::MAX.into()));
        assert_eq!(of(least), Scalar::Int(i64::MIN.into()));
        assert_eq!(float_text(1000.0), "1000.0");
    }
}
