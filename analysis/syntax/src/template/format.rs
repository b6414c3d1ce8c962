//! Values as Go's `fmt` writes them: `Sprint`, `Sprintf` and quoting, as far as they are exact.

use super::value::{Data, Value};
use regex::Regex;
use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::OnceLock;

/// Why a text cannot be computed.
pub(super) type Unknown = &'static str;

const MAX_WIDTH: usize = 1000;

/// `fmt.Sprint`: a space between two values neither of which is a string.
pub(super) fn sprint(values: &[Value], data: &Data<'_>) -> String {
    let mut out = String::new();
    let mut after_text = true;
    for value in values {
        let is_text = matches!(value, Value::Text(_));
        if !is_text && !after_text {
            out.push(' ');
        }
        out.push_str(&plain(value, data));
        after_text = is_text;
    }
    out
}

/// `fmt.Sprintln`.
pub(super) fn sprintln(values: &[Value], data: &Data<'_>) -> String {
    let mut out = values
        .iter()
        .map(|v| plain(v, data))
        .collect::<Vec<_>>()
        .join(" ");
    out.push('\n');
    out
}

/// A value under the verb `%v`.
pub(super) fn plain(value: &Value, data: &Data<'_>) -> String {
    match value {
        Value::Nil => "<nil>".into(),
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => i.to_string(),
        Value::Byte(b) => b.to_string(),
        Value::Float(f) => float(*f),
        Value::Text(t) => t.to_string(),
        Value::Data => {
            let fields: Vec<&str> = data.fields.iter().map(|(_, value)| *value).collect();
            format!("{{{}}}", fields.join(" "))
        }
    }
}

/// The shortest decimal that reads back as the same number; with an exponent below 1e-4 and from 1e6 on.
fn float(f: f64) -> String {
    if f == 0.0 {
        return if f.is_sign_negative() {
            "-0".into()
        } else {
            "0".into()
        };
    }
    let scientific = format!("{f:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return format!("{f}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// What a directive of a format string specifies besides its verb.
#[derive(Default)]
struct Flags {
    minus: bool,
    zero: bool,
    plus: bool,
    space: bool,
    width: Option<usize>,
    precision: Option<usize>,
}

impl Flags {
    const fn none(&self) -> bool {
        !self.minus
            && !self.zero
            && !self.plus
            && !self.space
            && self.width.is_none()
            && self.precision.is_none()
    }

    fn pad(&self, text: &str) -> Result<String, Unknown> {
        if self.zero {
            return Err("zero padding of a value that is not an integer is not supported");
        }
        let missing = self.width.unwrap_or(0).saturating_sub(text.chars().count());
        let spaces = " ".repeat(missing);
        Ok(if self.minus {
            format!("{text}{spaces}")
        } else {
            format!("{spaces}{text}")
        })
    }
}

/// `fmt.Sprintf`.
pub(super) fn sprintf(format: &str, values: &[Value], data: &Data<'_>) -> Result<String, Unknown> {
    let mut out = String::new();
    let mut rest = format;
    let mut values = values.iter();
    while let Some(at) = rest.find('%') {
        out.push_str(rest.get(..at).unwrap_or(""));
        rest = rest.get(at + 1..).unwrap_or("");
        let flags = directive(&mut rest)?;
        let Some(verb) = rest.chars().next() else {
            out.push_str("%!(NOVERB)");
            return extra(out, values.as_slice(), data);
        };
        if !verb.is_ascii() {
            return Err("a non-ASCII verb is not supported");
        }
        rest = rest.get(1..).unwrap_or("");
        if verb == '%' {
            out.push('%');
            continue;
        }
        match values.next() {
            None => {
                let _ = write!(out, "%!{verb}(MISSING)");
            }
            Some(value) => out.push_str(&one(verb, &flags, value, data)?),
        }
    }
    out.push_str(rest);
    extra(out, values.as_slice(), data)
}

fn extra(mut out: String, values: &[Value], data: &Data<'_>) -> Result<String, Unknown> {
    if !values.is_empty() {
        let listed: Vec<String> = values
            .iter()
            .map(|v| match v {
                Value::Nil => "<nil>".into(),
                v => format!("{}={}", v.type_name(data), plain(v, data)),
            })
            .collect();
        let _ = write!(out, "%!(EXTRA {})", listed.join(", "));
    }
    Ok(out)
}

/// Reads flags, width and precision.
fn directive(rest: &mut &str) -> Result<Flags, Unknown> {
    let mut flags = Flags::default();
    loop {
        let mut chars = rest.chars();
        match chars.next() {
            Some('-') => flags.minus = true,
            Some('0') => flags.zero = true,
            Some('+') => flags.plus = true,
            Some(' ') => flags.space = true,
            Some('#') => return Err("the flag `#` is not supported"),
            _ => break,
        }
        *rest = chars.as_str();
    }
    flags.width = count(rest)?;
    if let Some(after) = rest.strip_prefix('.') {
        *rest = after;
        flags.precision = Some(count(rest)?.unwrap_or(0));
    }
    if rest.starts_with(['*', '[']) {
        return Err("`*` and `[n]` in a format are not supported");
    }
    Ok(flags)
}

fn count(rest: &mut &str) -> Result<Option<usize>, Unknown> {
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, after) = rest.split_at(digits);
    *rest = after;
    if number.is_empty() {
        return Ok(None);
    }
    number
        .parse()
        .ok()
        .filter(|n| *n <= MAX_WIDTH)
        .map(Some)
        .ok_or("a width this large is not supported")
}

fn one(verb: char, flags: &Flags, value: &Value, data: &Data<'_>) -> Result<String, Unknown> {
    const UNMODELLED: Unknown = "this verb of printf is not supported for its value";
    match (value, verb) {
        (_, 'p' | 'w') => Err(UNMODELLED),
        (Value::Nil, 'T' | 'v') if flags.precision.is_none() => flags.pad("<nil>"),
        (_, 'T') if flags.precision.is_none() => flags.pad(value.type_name(data)),
        (Value::Bool(b), 't' | 'v') if flags.precision.is_none() => flags.pad(&b.to_string()),
        (Value::Text(t), 's' | 'v') => {
            let cut: String;
            let text = match flags.precision {
                None => t,
                Some(n) => {
                    cut = t.chars().take(n).collect();
                    cut.as_str()
                }
            };
            flags.pad(text)
        }
        (Value::Text(t), 'q') if !flags.plus && flags.precision.is_none() => flags.pad(&quote(t)),
        (Value::Int(_) | Value::Byte(_), _) if matches!(verb, 'v' | 'd' | 'b' | 'o' | 'x' | 'X') => {
            integer(verb, flags, value).ok_or(UNMODELLED)
        }
        (Value::Float(f), 'v' | 'g') if flags.precision.is_none() && !flags.plus && !flags.space => {
            flags.pad(&float(*f))
        }
        (Value::Float(f), 'f' | 'F') if !flags.plus && !flags.space => {
            flags.pad(&format!("{:.*}", flags.precision.unwrap_or(6), f))
        }
        (Value::Data, 'v' | 's') if flags.none() => Ok(plain(value, data)),
        // Strings have `x`, `X`; integers `c`, `q`, `U`, `O`; and so on.
        (Value::Text(_), 'x' | 'X' | 'q') => Err(UNMODELLED),
        (Value::Int(_) | Value::Byte(_), 'c' | 'q' | 'U' | 'O') => Err(UNMODELLED),
        (Value::Float(_), 'b' | 'g' | 'G' | 'x' | 'X' | 'f' | 'F' | 'e' | 'E' | 'v') => Err(UNMODELLED),
        (Value::Data, _) => Err(UNMODELLED),
        (Value::Nil, _) => Ok(format!("%!{verb}(<nil>)")),
        (_, verb) if flags.none() => Ok(format!(
            "%!{verb}({}={})",
            value.type_name(data),
            plain(value, data)
        )),
        _ => Err(UNMODELLED),
    }
}

fn integer(verb: char, flags: &Flags, value: &Value) -> Option<String> {
    if flags.precision.is_some() {
        return None;
    }
    let (negative, magnitude) = match value {
        Value::Int(i) => (*i < 0, i.unsigned_abs()),
        Value::Byte(b) => (false, u64::from(*b)),
        _ => return None,
    };
    let digits = match verb {
        'b' => format!("{magnitude:b}"),
        'o' => format!("{magnitude:o}"),
        'x' => format!("{magnitude:x}"),
        'X' => format!("{magnitude:X}"),
        _ => magnitude.to_string(),
    };
    let sign = match (negative, flags.plus, flags.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    };
    let width = flags.width.unwrap_or(0);
    Some(if flags.zero && !flags.minus {
        format!(
            "{sign}{digits:0>width$}",
            width = width.saturating_sub(sign.len())
        )
    } else if flags.minus {
        format!("{:<width$}", format!("{sign}{digits}"))
    } else {
        format!("{:>width$}", format!("{sign}{digits}"))
    })
}

/// Whether Go prints a character as it is: letters, marks, numbers, punctuation, symbols, space.
pub(super) fn is_printable(c: char) -> bool {
    static PRINTABLE: OnceLock<Option<Regex>> = OnceLock::new();
    if c.is_ascii() {
        return (' '..='~').contains(&c);
    }
    let printable = PRINTABLE.get_or_init(|| Regex::new(r"^[\p{L}\p{M}\p{N}\p{P}\p{S}]$").ok());
    printable
        .as_ref()
        .is_some_and(|re| re.is_match(c.encode_utf8(&mut [0; 4])))
}

/// A string as a Go string literal, as the verb `%q` writes it into the messages of Go programs.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if is_printable(c) => out.push(c),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0b' => out.push_str("\\v"),
            c => {
                let code = u32::from(c);
                let _ = match code {
                    0..=0x1f | 0x7f => write!(out, "\\x{code:02x}"),
                    0..=0xffff => write!(out, "\\u{code:04x}"),
                    _ => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push('"');
    out
}

/// A character as Go's `%#U` writes it: `U+007D '}'`.
pub(super) fn describe_char(c: char) -> String {
    let code = format!("U+{:04X}", u32::from(c));
    if is_printable(c) {
        format!("{code} '{c}'")
    } else {
        code
    }
}

pub(super) fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\0' => out.push('\u{fffd}'),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
    out
}

pub(super) fn escape_js(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '\'' | '"' => {
                out.push('\\');
                out.push(c);
            }
            '<' | '>' | '&' | '=' | '\0'..='\x1f' => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c if c.is_ascii() || is_printable(c) => out.push(c),
            c => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
        }
    }
    out
}

pub(super) fn escape_query(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for b in text.bytes() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(b)),
            b' ' => out.push('+'),
            b => {
                let _ = write!(out, "%{b:02X}");
            }
        }
    }
    out
}

/// The text of the arguments of `html`, `js` and `urlquery`, which show a missing value as a word.
pub(super) fn joined(values: &[Value], data: &Data<'_>) -> String {
    let shown: Vec<Value> = values
        .iter()
        .map(|v| match v {
            Value::Nil => Value::Text(Rc::from("<no value>")),
            v => v.clone(),
        })
        .collect();
    sprint(&shown, data)
}
