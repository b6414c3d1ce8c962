//! JSON, Base64 and the encoding of addresses.

use std::collections::BTreeMap;
use std::sync::Arc;

use data_encoding::{BASE64, HEXLOWER_PERMISSIVE};

use super::super::number::Number;
use super::super::value::{Data, Value};
use super::{Args, Fault, Given, digests};

pub(super) fn jsonencode(args: &Args<'_>) -> Given {
    match json(args.get(0)?) {
        Ok(text) => Ok(Value::string(&text)),
        Err(why) => Err(Fault::open(why)),
    }
}

/// A value as JSON, on one line, members sorted; an error says why that cannot be known.
pub(super) fn json(value: &Value) -> Result<String, &'static str> {
    let mut out = String::new();
    write_json(value, &mut out)?;
    Ok(out)
}

fn write_json(value: &Value, out: &mut String) -> Result<(), &'static str> {
    match &value.data {
        Data::Null(_) => out.push_str("null"),
        Data::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Data::Number(n) => out.push_str(&n.text().ok_or("the exact number is unknown")?),
        Data::String(text) => write_json_text(text, out),
        Data::Tuple(items) | Data::List(items, _) | Data::Set(items, _) => {
            out.push('[');
            for (index, element) in items.values().iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_json(element, out)?;
            }
            out.push(']');
        }
        Data::Object(fields) | Data::Map(fields, _) => {
            out.push('{');
            for (index, (name, member)) in fields.values().iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_json_text(name, out);
                out.push(':');
                write_json(member, out)?;
            }
            out.push('}');
        }
        Data::Unknown(_) => return Err("a part of the value cannot be known"),
    }
    Ok(())
}

fn write_json_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c if u32::from(c) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

pub(super) fn jsondecode(args: &Args<'_>) -> Given {
    let text = args.string(0)?;
    args.spend(text.len() / 16)?;
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(_) if may_be_out_of_range(text) => Err(Fault::open("a part of the text is not read here")),
        Ok(value) => Ok(from_json(&value)),
        Err(error) if error.to_string().contains("recursion limit") => {
            Err(Fault::open("the text is nested too deep"))
        }
        // Numbers beyond the supported range, and unpaired surrogates, which Go replaces.
        Err(error)
            if ["number out of range", "surrogate", "hex escape"]
                .iter()
                .any(|what| error.to_string().contains(what)) =>
        {
            Err(Fault::open("a part of the text is not read here"))
        }
        Err(error) => Err(Fault::new(format!("invalid JSON: {error}"))),
    }
}

/// Whether a number of a JSON text may have an exponent that the engine rejects.
fn may_be_out_of_range(text: &str) -> bool {
    let mut is_text = false;
    let mut digits = None;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        digits = match (byte, digits) {
            (b'"', _) => {
                is_text = !is_text;
                None
            }
            (b'\\', _) if is_text => {
                bytes.next();
                None
            }
            _ if is_text => None,
            (b'e' | b'E', _) => Some(0),
            (b'+' | b'-', digits) => digits,
            (b'0'..=b'9', Some(9)) => return true,
            (b'0'..=b'9', digits) => digits.map(|digits| digits + 1),
            _ => None,
        };
    }
    false
}

fn from_json(value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::Null => Value::null(),
        serde_json::Value::Bool(b) => Value::bool(*b),
        serde_json::Value::Number(number) => {
            // A value that was converted to a float keeps 15 digits with certainty.
            let text = number.to_string();
            let exact = !number.is_f64() || text.bytes().filter(u8::is_ascii_digit).count() <= 15;
            match Number::parse(&text).filter(|_| exact) {
                // It keeps its sign.
                Some(zero) if zero.is_zero() && text.starts_with('-') => Value::number(zero.negate()),
                Some(number) => Value::number(number),
                None => super::super::ops::arithmetic(None),
            }
        }
        serde_json::Value::String(text) => Value::string(text),
        serde_json::Value::Array(all) => Value::tuple(all.iter().map(from_json).collect()),
        serde_json::Value::Object(all) => {
            let members: BTreeMap<Arc<str>, Value> = all
                .iter()
                .map(|(k, v)| (Arc::from(k.as_str()), from_json(v)))
                .collect();
            Value::object(members)
        }
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn sextet(value: u32) -> char {
    ALPHABET
        .get((value & 63) as usize)
        .map_or('A', |b| char::from(*b))
}

pub(super) fn base64encode(args: &Args<'_>) -> Given {
    let mut out = String::new();
    for group in args.string(0)?.as_bytes().chunks(3) {
        let byte = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        out.push(sextet(bits >> 18));
        out.push(sextet(bits >> 12));
        out.push(if group.len() > 1 { sextet(bits >> 6) } else { '=' });
        out.push(if group.len() > 2 { sextet(bits) } else { '=' });
    }
    Ok(Value::string(&out))
}

/// The decoded bytes of a Base64 text; `None` if it is invalid. Line breaks are skipped.
pub(super) fn base64_bytes(text: &str) -> Option<Vec<u8>> {
    let text: Vec<u8> = text.bytes().filter(|b| !matches!(b, b'\r' | b'\n')).collect();
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let groups = text.len() / 4;
    for (index, group) in text.chunks(4).enumerate() {
        let padding = group.iter().rev().take_while(|b| **b == b'=').count();
        if padding > 2 || (padding > 0 && index + 1 < groups) {
            return None;
        }
        let mut bits: u32 = 0;
        for (place, byte) in group.iter().enumerate() {
            let value = if place >= 4 - padding {
                Some(0)
            } else {
                ALPHABET.iter().position(|a| a == byte)
            };
            bits = bits << 6 | u32::try_from(value?).unwrap_or(0);
        }
        bytes.extend(bits.to_be_bytes().into_iter().skip(1).take(3 - padding));
    }
    Some(bytes)
}

pub(super) fn base64decode(args: &Args<'_>) -> Given {
    let bytes = base64_bytes(args.string(0)?).ok_or_else(|| Fault::new("invalid Base64"))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Value::string(&text)),
        Err(_) => Err(Fault::new("the decoded bytes are not UTF-8")),
    }
}

pub(super) fn urlencode(args: &Args<'_>) -> Given {
    let mut out = String::new();
    for byte in args.string(0)?.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            b' ' => out.push('+'),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    Ok(Value::string(&out))
}

/// A function that only OpenTofu has.
pub(super) fn urldecode(args: &Args<'_>) -> Given {
    let refuse = || Fault::new("a `%` is not followed by two digits of base 16");
    let mut bytes = Vec::new();
    let mut rest = args.string(0)?.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || {
                    rest.next()
                        .and_then(|b| char::from(b).to_digit(16))
                        .ok_or_else(refuse)
                };
                let (high, low) = (digit()?, digit()?);
                u8::try_from(high * 16 + low).map_err(|_| refuse())?
            }
            byte => byte,
        });
    }
    let text = String::from_utf8(bytes);
    text.map(|text| Value::string(&text))
        .map_err(|_| Fault::open("bytes that are not UTF-8 are not supported"))
}

/// Whether an encoding has the lower byte first; `None` for UTF-8. For others it is unknown.
fn encoding(name: &str) -> Result<Option<bool>, Fault> {
    match name.to_ascii_uppercase().as_str() {
        "UTF-8" => Ok(None),
        "UTF-16LE" => Ok(Some(true)),
        "UTF-16BE" => Ok(Some(false)),
        _ => Err(Fault::open(format!("the encoding \"{name}\" is not supported"))),
    }
}

pub(super) fn textencodebase64(args: &Args<'_>) -> Given {
    let text = args.string(0)?;
    let bytes = match encoding(args.string(1)?)? {
        None => text.as_bytes().to_vec(),
        Some(true) => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Some(false) => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
    };
    Ok(Value::string(&BASE64.encode(&bytes)))
}

pub(super) fn textdecodebase64(args: &Args<'_>) -> Given {
    let kept = args.string(0)?.bytes().filter(|b| !matches!(b, b'\r' | b'\n'));
    let kept: Vec<u8> = kept.collect();
    let encoding = encoding(args.string(1)?)?;
    let bytes = BASE64.decode(&kept).map_err(|_| Fault::new("invalid Base64"))?;
    let open = || Fault::open("bytes that are not text are not supported");
    let text = match encoding {
        None => String::from_utf8(bytes).map_err(|_| open())?,
        Some(is_little) => {
            let pairs = bytes.chunks(2).map(|pair| match pair {
                [a, b] if is_little => Ok(u16::from_le_bytes([*a, *b])),
                [a, b] => Ok(u16::from_be_bytes([*a, *b])),
                _ => Err(open()),
            });
            let pairs: Result<Vec<u16>, Fault> = pairs.collect();
            String::from_utf16(&pairs?).map_err(|_| open())?
        }
    };
    Ok(Value::string(&text))
}

pub(super) fn uuidv5(args: &Args<'_>) -> Given {
    let namespace = args.string(0)?;
    // RFC 4122, appendix C.
    let plain = match namespace {
        "dns" => "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "url" => "6ba7b811-9dad-11d1-80b4-00c04fd430c8",
        "oid" => "6ba7b812-9dad-11d1-80b4-00c04fd430c8",
        "x500" => "6ba7b814-9dad-11d1-80b4-00c04fd430c8",
        other => other.strip_prefix("urn:uuid:").unwrap_or(other),
    };
    let digits: String = plain.chars().filter(char::is_ascii_hexdigit).collect();
    let bytes = HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok();
    let Some(bytes) = bytes.and_then(|bytes| <[u8; 16]>::try_from(bytes).ok()) else {
        return Err(Fault::new(format!("invalid namespace \"{namespace}\"")));
    };
    let is_dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    let mut written = plain.bytes().enumerate();
    if plain.len() != 36 || !written.all(|(at, byte)| (byte == b'-') == is_dash(at)) {
        return Err(Fault::open("this form of namespace is not supported"));
    }
    let name = args.string(1)?;
    args.spend(name.len() / 64)?;
    Ok(digests::uuid_of_name(bytes, name))
}

/// Its result is not computed, only what it rejects.
pub(super) fn rsadecrypt(args: &Args<'_>) -> Given {
    if BASE64.decode(args.string(0)?.as_bytes()).is_err() {
        return Err(Fault::new("the text must be Base64"));
    }
    Err(Fault::open("rsadecrypt() is not supported"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_those_of_numbers() {
        for text in [
            r#"{"a": "0e1234567890", "b": true}"#,
            "[1e999999999, 2.5E-3]",
            r#"["\\\"e1234567890"]"#,
        ] {
            assert!(!may_be_out_of_range(text), "{text}");
        }
        for text in ["1e1234567890", r#"{"a": [0, -1E-1234567890]}"#] {
            assert!(may_be_out_of_range(text), "{text}");
        }
    }
}
