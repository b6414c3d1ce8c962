//! Go's literals: numbers, characters and strings.

use super::ast::Term;
use super::format::quote;

const COMPLEX: &str = "complex numbers are not supported";
const HEX_FLOAT: &str = "hexadecimal floating-point numbers are not supported";
const BYTES: &str = "a string that is not valid UTF-8 is not supported";

pub(super) enum Bad {
    /// Not a literal; with the message of Go's parser.
    Invalid(String),
    /// Whether Go accepts it is not modeled.
    Unknown(&'static str),
}

impl From<String> for Bad {
    fn from(message: String) -> Self {
        Self::Invalid(message)
    }
}

impl From<&str> for Bad {
    fn from(message: &str) -> Self {
        Self::Invalid(message.into())
    }
}

/// The value of a number as written.
pub(super) fn number(text: &str) -> Result<Term<'static>, Bad> {
    if is_hex_float(text.strip_suffix('i').unwrap_or(text)) {
        return Err(Bad::Unknown(HEX_FLOAT));
    }
    if text.strip_suffix('i').is_some_and(|real| float(real).is_some()) {
        return Ok(Term::Opaque(COMPLEX));
    }
    // Go also looks for a fraction or exponent in the text of an integer, so `-0xfe` is a float.
    let fractional = !is_hex(text) && text.contains(['.', 'e', 'E', 'p', 'P']);
    match integer(text) {
        Some(value) => {
            if fractional {
                #[allow(clippy::cast_precision_loss)]
                return Ok(Term::Float(value as f64));
            }
            Ok(i64::try_from(value).map_or(Term::TooLarge, Term::Int))
        }
        None => match float(text) {
            Some(value) if text.contains(['.', 'e', 'E', 'p', 'P']) => Ok(Term::Float(value)),
            Some(_) => Err(format!("integer overflow: {}", quote(text)).into()),
            None => Err(format!("illegal number syntax: {}", quote(text)).into()),
        },
    }
}

/// A pair such as `1+2i`.
pub(super) fn complex() -> Result<Term<'static>, Bad> {
    Err(Bad::Unknown(COMPLEX))
}

/// A character constant, quotes included.
pub(super) fn character(text: &str) -> Result<Term<'static>, Bad> {
    let mut inner = text.strip_prefix('\'').unwrap_or(text);
    let value = match unquote_char(&mut inner, '\'').ok_or("invalid syntax")? {
        Unit::Char(c) => u32::from(c),
        Unit::Byte(b) => u32::from(b),
    };
    if inner == "'" {
        Ok(Term::Int(i64::from(value)))
    } else {
        Err(format!("malformed character constant: {text}").into())
    }
}

/// A string, quotes included.
pub(super) fn string(text: &str) -> Result<Term<'static>, Bad> {
    Ok(unquote(text)
        .ok_or("invalid syntax")?
        .map_or(Term::Opaque(BYTES), Term::Text))
}

/// The text of a quoted or raw string; `Some(None)` if it is not valid UTF-8.
pub(super) fn unquote(text: &str) -> Option<Option<String>> {
    if let Some(raw) = text.strip_prefix('`') {
        return Some(Some(raw.strip_suffix('`')?.replace('\r', "")));
    }
    let mut rest = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::with_capacity(rest.len());
    while !rest.is_empty() {
        match unquote_char(&mut rest, '"')? {
            Unit::Char(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Unit::Byte(b) => bytes.push(b),
        }
    }
    Some(String::from_utf8(bytes).ok())
}

enum Unit {
    Char(char),
    Byte(u8),
}

fn unquote_char(rest: &mut &str, quote: char) -> Option<Unit> {
    let mut chars = rest.chars();
    let unit = match chars.next()? {
        c if c == quote => return None,
        '\\' => match chars.next()? {
            'a' => Unit::Char('\x07'),
            'b' => Unit::Char('\x08'),
            'f' => Unit::Char('\x0c'),
            'n' => Unit::Char('\n'),
            'r' => Unit::Char('\r'),
            't' => Unit::Char('\t'),
            'v' => Unit::Char('\x0b'),
            '\\' => Unit::Char('\\'),
            c if c == quote => Unit::Char(c),
            'x' => Unit::Byte(u8::try_from(digits(&mut chars, 2, 16)?).ok()?),
            'u' => Unit::Char(char::from_u32(digits(&mut chars, 4, 16)?)?),
            'U' => Unit::Char(char::from_u32(digits(&mut chars, 8, 16)?)?),
            c @ '0'..='7' => {
                let high = c.to_digit(8)? * 64;
                Unit::Byte(u8::try_from(high + digits(&mut chars, 2, 8)?).ok()?)
            }
            _ => return None,
        },
        c => Unit::Char(c),
    };
    *rest = chars.as_str();
    Some(unit)
}

fn digits(chars: &mut std::str::Chars<'_>, count: usize, radix: u32) -> Option<u32> {
    let mut value = 0u32;
    for _ in 0..count {
        value = value
            .checked_mul(radix)?
            .checked_add(chars.next()?.to_digit(radix)?)?;
    }
    Some(value)
}

/// An integer with optional sign and base prefix, within the signed or unsigned 64-bit range.
fn integer(text: &str) -> Option<i128> {
    let (negative, signed, body) = match text.as_bytes().first()? {
        b'-' => (true, true, text.get(1..)?),
        b'+' => (false, true, text.get(1..)?),
        _ => (false, false, text),
    };
    let lower = body.to_ascii_lowercase();
    let (radix, digits) = if let Some(d) = lower.strip_prefix("0x") {
        (16, d)
    } else if let Some(d) = lower.strip_prefix("0b") {
        (2, d)
    } else if let Some(d) = lower.strip_prefix("0o") {
        (8, d)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (8, lower.get(1..)?)
    } else {
        (10, lower.as_str())
    };
    if digits.contains('_') && !underscores_separate_digits(&lower) {
        return None;
    }
    let plain = digits.replace('_', "");
    if plain.is_empty() || !plain.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let value = i128::from(u64::from_str_radix(&plain, radix).ok()?);
    let value = if negative { -value } else { value };
    // A sign makes it a signed number in Go.
    (!signed || i64::try_from(value).is_ok()).then_some(value)
}

/// A decimal floating-point number that does not overflow.
fn float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if text.contains('_') && !underscores_separate_digits(&unsigned.to_ascii_lowercase()) {
        return None;
    }
    let plain = text.replace('_', "");
    if plain
        .chars()
        .any(|c| !(c.is_ascii_digit() || "+-.eE".contains(c)))
    {
        return None;
    }
    plain.parse().ok().filter(|f: &f64| f.is_finite())
}

fn is_hex(text: &str) -> bool {
    text.len() > 2 && (text.starts_with("0x") || text.starts_with("0X")) && !text.contains(['p', 'P'])
}

fn is_hex_float(text: &str) -> bool {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text).to_ascii_lowercase();
    body.starts_with("0x") && body.contains('p')
}

/// Takes a lower-case number without sign.
fn underscores_separate_digits(text: &str) -> bool {
    #[derive(PartialEq)]
    enum Saw {
        Start,
        Digit,
        Underscore,
        Other,
    }
    let prefixed = ["0b", "0o", "0x"].iter().any(|p| text.starts_with(p));
    let hex = text.starts_with("0x");
    let mut saw = if prefixed { Saw::Digit } else { Saw::Start };
    for c in text.chars().skip(if prefixed { 2 } else { 0 }) {
        saw = match c {
            c if c.is_ascii_digit() || hex && c.is_ascii_hexdigit() => Saw::Digit,
            '_' if saw == Saw::Digit => Saw::Underscore,
            '_' => return false,
            _ if saw == Saw::Underscore => return false,
            _ => Saw::Other,
        };
    }
    saw != Saw::Underscore
}
