//! The value of a scalar in `yamldecode`.
//!
//! Source: go-cty-yaml 1.1, which resolves words neither as YAML 1.1 nor as 1.2. What version 1.0 resolves
//! differently is unknown.

use chrono::NaiveDate;

use super::super::convert::convert;
use super::super::number::Number;
use super::super::ops::{self, infinity};
use super::super::types::Type;
use super::super::value::Value;
use super::encoding::base64_bytes;
use super::files::unknown;
use super::{Fault, Given};
use crate::yaml::{Node, Style};

/// The meaning of a scalar.
pub(super) enum Resolved {
    Value(Value),
    /// `<<`, which as a key merges another mapping.
    Merge,
}

const STR: &str = "tag:yaml.org,2002:str";
const BINARY: &str = "tag:yaml.org,2002:binary";
const BOOL: &str = "tag:yaml.org,2002:bool";
const INT: &str = "tag:yaml.org,2002:int";
const FLOAT: &str = "tag:yaml.org,2002:float";
const NULL: &str = "tag:yaml.org,2002:null";
const TIMESTAMP: &str = "tag:yaml.org,2002:timestamp";
const TAGS: [&str; 8] = ["", STR, BINARY, BOOL, INT, FLOAT, NULL, TIMESTAMP];

/// The value of a scalar that is not a key.
pub(super) fn scalar(node: Node<'_>) -> Given {
    let value = match resolve(node)? {
        Resolved::Value(value) => value,
        Resolved::Merge => Value::string("<<"),
    };
    // The type is determined before the value, and what is not plain is a string there. The value in a block
    // scalar is still resolved and then converted to one.
    if node.tag().is_some() || node.style() == Style::Plain {
        return Ok(value);
    }
    convert(&value, &Type::String).map_err(Fault::Fails)
}

/// The meaning of a scalar, as a key or as a value.
pub(super) fn resolve(node: Node<'_>) -> Result<Resolved, Fault> {
    let text = node.value();
    let mut tag = node.tag().unwrap_or("");
    if !TAGS.contains(&tag) {
        return Err(Fault::new(format!(
            "invalid YAML: the tag `{tag}` is not supported"
        )));
    }
    let hint = text.chars().next().unwrap_or('~');
    let is_hint = hint.is_ascii_digit() || "+-yYnNtTfFoO~.".contains(hint);
    if is_hint && tag != STR && tag != BINARY {
        if matches!(node.style(), Style::SingleQuoted | Style::DoubleQuoted) {
            return Ok(Resolved::Value(Value::string(&text)));
        }
        if let Some(value) = word(&text) {
            return Ok(Resolved::Value(value));
        }
        if tag.is_empty() && matches!(&*text, ".nan" | ".NaN" | ".NAN") {
            return Err(Fault::new("invalid YAML: NaN is not supported"));
        }
        if hint == '.' {
            if is_decimal(&text)
                && let Some(number) = decimal(&text)
            {
                return Ok(Resolved::Value(number));
            }
            if is_rarely_number(&text) {
                return Ok(Resolved::Value(unknown(NOT_COMPUTED, Type::Dynamic)));
            }
        } else if hint.is_ascii_digit() || matches!(hint, '+' | '-') {
            if (tag.is_empty() || tag == TIMESTAMP)
                && let Some(time) = timestamp(&text)
            {
                return Ok(Resolved::Value(time));
            }
            if is_integer(&text) || is_decimal(&text) {
                tag = INT;
            } else if tag != INT && tag != FLOAT && is_old_integer(&text) {
                let why = "the meaning of this word differs between versions of the engine";
                return Ok(Resolved::Value(unknown(why, Type::Dynamic)));
            }
        }
    }
    if tag.is_empty() && text == "<<" {
        return Ok(Resolved::Merge);
    }
    let refused = |what: &str| Fault::new(format!("invalid YAML: `{text}` is not {what}"));
    Ok(Resolved::Value(match tag {
        BINARY if base64_bytes(&text).is_none() => return Err(refused("valid base64")),
        BOOL => return Err(refused("a boolean")),
        INT | FLOAT => number(&text.replace('_', "")).ok_or_else(|| refused("a number"))?,
        TIMESTAMP => timestamp(&text).ok_or_else(|| refused("a time"))?,
        NULL => Value::null(),
        _ => Value::string(&text),
    }))
}

const NOT_COMPUTED: &str = "the number is not supported";

/// The words that denote a value whatever the tag is.
fn word(text: &str) -> Option<Value> {
    Some(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::null(),
        "true" | "True" | "TRUE" | "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => {
            Value::bool(true)
        }
        "false" | "False" | "FALSE" | "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => {
            Value::bool(false)
        }
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" | "-.inf" | "-.Inf" | "-.INF" => {
            infinity("infinity is not supported")
        }
        _ => return None,
    })
}

fn are_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['-', '+']).unwrap_or(text)
}

fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = match unsigned(text).split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, unsigned(exponent)),
        None => (unsigned(text), "0"),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let is_mantissa = match whole.is_empty() {
        true => are_digits(fraction),
        false => are_digits(whole) && (fraction.is_empty() || are_digits(fraction)),
    };
    is_mantissa && are_digits(exponent)
}

fn is_integer(text: &str) -> bool {
    let all = |rest: Option<&str>, is: fn(u8) -> bool| {
        rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(is))
    };
    are_digits(unsigned(text))
        || all(text.strip_prefix("0o"), |b| matches!(b, b'0'..=b'7'))
        || all(text.strip_prefix("0x"), |b| b.is_ascii_hexdigit())
}

/// Whether version 1.0 treats it as an integer, or fails on it as one.
fn is_old_integer(text: &str) -> bool {
    let plain = unsigned(text).replace('_', "");
    plain.is_empty() || is_integer(&plain) || matches!(&*plain, "0x" | "0o")
}

/// A number with a binary exponent, and infinity.
fn is_rarely_number(text: &str) -> bool {
    let digits = unsigned(text);
    let has_power = digits.contains(['p', 'P']) && digits.bytes().all(|b| b"0123456789.pP+-".contains(&b));
    has_power || digits.eq_ignore_ascii_case("inf")
}

/// A decimal number; `None` if its exponent is out of range.
fn decimal(text: &str) -> Option<Value> {
    let (rest, is_negative) = text.strip_prefix('-').map_or((text, false), |rest| (rest, true));
    let value = ops::decimal(rest).ok()?;
    Some(match value.as_number() {
        Some(number) if is_negative => Value::number(number.negate()),
        _ => value,
    })
}

fn number(text: &str) -> Option<Value> {
    if is_decimal(text) {
        return decimal(text);
    }
    if is_rarely_number(text) {
        return Some(unknown(NOT_COMPUTED, Type::Number));
    }
    let digits = unsigned(text);
    let radix = match digits.get(..2)? {
        "0x" | "0X" => 16,
        "0o" | "0O" => 8,
        "0b" | "0B" => 2,
        _ => return None,
    };
    // A second sign is rejected here and not by the digit parser.
    let digits = digits.get(2..).filter(|d| !d.starts_with(['+', '-']))?;
    let value = i128::from(u64::from_str_radix(digits, radix).ok()?);
    let value = match text.starts_with('-') {
        true if -value >= i128::from(i64::MIN) => -value,
        false if !text.starts_with('+') || value <= i128::from(i64::MAX) => value,
        _ => return None,
    };
    Some(Value::number(Number::whole(value)))
}

/// The rest of a time that remains to be parsed.
struct Times<'t>(&'t str);

impl Times<'_> {
    fn take(&mut self, wanted: impl FnOnce(char) -> bool) -> Option<char> {
        let first = self.0.chars().next().filter(|c| wanted(*c))?;
        self.0 = self.0.get(first.len_utf8()..)?;
        Some(first)
    }

    /// A number of one or two digits.
    fn number(&mut self, below: u32) -> Option<u32> {
        let mut value = self.take(|c| c.is_ascii_digit())?.to_digit(10)?;
        if let Some(second) = self.take(|c| c.is_ascii_digit()) {
            value = value * 10 + second.to_digit(10)?;
        }
        (value < below).then_some(value)
    }
}

/// A time in the forms that the engine accepts, as RFC 3339 writes it; `None` if it is not one.
fn timestamp(text: &str) -> Option<Value> {
    let year = text.get(..4).filter(|year| are_digits(year))?;
    let mut rest = Times(text.get(4..)?);
    rest.take(|c| c == '-')?;
    let month = rest.number(13)?;
    rest.take(|c| c == '-')?;
    let day = rest.number(32)?;
    NaiveDate::from_ymd_opt(year.parse().ok()?, month, day)?;
    let date = format!("{year}-{month:02}-{day:02}");
    if rest.0.is_empty() {
        return Some(Value::string(&format!("{date}T00:00:00Z")));
    }
    let has_zone = rest.take(|c| "Tt ".contains(c))? != ' ';
    while !has_zone && rest.take(|c| c == ' ').is_some() {}
    let hour = rest.number(24)?;
    rest.take(|c| c == ':')?;
    let minute = rest.number(60)?;
    rest.take(|c| c == ':')?;
    let second = rest.number(60)?;
    if let Some(fraction) = rest.0.strip_prefix(['.', ','])
        && fraction.starts_with(|c: char| c.is_ascii_digit())
    {
        rest.0 = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    let at = format!("{date}T{hour:02}:{minute:02}:{second:02}");
    let zone = match (has_zone, rest.0) {
        (false, "") | (true, "Z") => "Z",
        (true, zone) => {
            let (hours, minutes) = zone.strip_prefix(['+', '-'])?.split_once(':')?;
            if [hours, minutes]
                .iter()
                .any(|part| part.len() != 2 || !are_digits(part))
            {
                return None;
            }
            if hours > "23" || minutes > "59" {
                return Some(unknown("this UTC offset is not supported", Type::Dynamic));
            }
            if hours == "00" && minutes == "00" {
                "Z"
            } else {
                zone
            }
        }
        (false, _) => return None,
    };
    Some(Value::string(&format!("{at}{zone}")))
}
