//! `format` and `formatlist`.

use super::super::convert::convert;
use super::super::number::Number;
use super::super::ops::derived;
use super::super::scope::Scope;
use super::super::types::Type;
use super::super::value::{Data, Unknown, Value};
use super::{Args, BYTES_OF_STEP, Fault, Given, encoding};

/// Widest field that is written.
const MAX_WIDTH: usize = 4096;

pub(super) fn format(args: &Args<'_>) -> Given {
    Ok(Value::string(&formatted(args.string(0)?, args.rest(1))?))
}

/// The argument, if the pattern consists of nothing else.
pub(super) fn format_identity(values: &[Value], _: &dyn Scope) -> Option<Value> {
    let [pattern, values @ ..] = values else {
        return None;
    };
    alone(pattern.as_str()?, values)
}

fn alone(pattern: &str, values: &[Value]) -> Option<Value> {
    let [value] = values else { return None };
    let is_alone = matches!(pattern, "%s" | "%v" | "%[1]s" | "%[1]v");
    (is_alone && value.has_identity()).then(|| value.clone())
}

/// Each list among the arguments gives one element to each result; other arguments are repeated in all.
pub(super) fn formatlist(args: &Args<'_>) -> Given {
    let pattern = args.string(0)?;
    let rest = args.rest(1);
    let mut count = None;
    for value in rest {
        if let Some(elements) = value.elements() {
            match count {
                None => count = Some(elements.len()),
                Some(n) if n != elements.len() => return Err(Fault::new("the lists have different lengths")),
                Some(_) => {}
            }
        } else if matches!(
            value.data,
            Data::Null(Type::List(_) | Type::Set(_) | Type::Tuple(_))
        ) {
            return Err(Fault::new("a list is null"));
        }
    }
    let count = if rest.is_empty() { 1 } else { count.unwrap_or(1) };
    let same = rest.iter().filter(|v| v.elements().is_none());
    let text = same
        .map(Value::text_len)
        .fold(pattern.len(), usize::saturating_add);
    args.spend(count.saturating_mul(rest.len() + 1 + text / BYTES_OF_STEP))?;
    let mut results = Vec::with_capacity(count);
    for index in 0..count {
        let one: Vec<Value> = rest
            .iter()
            .map(|v| v.elements().and_then(|e| e.get(index)).unwrap_or(v).clone())
            .collect();
        let mut text = match one.iter().find_map(Value::first_unknown) {
            Some(unknown) => alone(pattern, &one).unwrap_or_else(|| derived(unknown, Type::String, false)),
            None => match formatted(pattern, &one) {
                Ok(text) => Value::string(&text),
                Err(Fault::Withheld(why)) => withheld(&why),
                Err(fault) => return Err(fault),
            },
        };
        text.place = rest
            .iter()
            .find_map(|v| v.elements().and_then(|e| e.get(index)).and_then(|e| e.place));
        results.push(text);
    }
    Ok(Value::list(results, Type::String))
}

/// A string that is not computed.
fn withheld(why: &str) -> Value {
    Unknown::new(why, Type::String).into()
}

#[derive(Default)]
struct Verb {
    minus: bool,
    plus: bool,
    zero: bool,
    space: bool,
    sharp: bool,
    width: Option<usize>,
    precision: Option<usize>,
}

fn formatted(pattern: &str, values: &[Value]) -> Result<String, Fault> {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars().peekable();
    let mut next = 0;
    let mut used = 0;
    // Verbs after one that is not computed may still fail.
    let mut withheld = None;
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        if chars.peek() == Some(&'%') {
            chars.next();
            out.push('%');
            continue;
        }
        let mut verb = Verb::default();
        while let Some(flag) = chars.peek().copied() {
            match flag {
                '-' => verb.minus = true,
                '+' => verb.plus = true,
                '0' => verb.zero = true,
                ' ' => verb.space = true,
                '#' => verb.sharp = true,
                _ => break,
            }
            chars.next();
        }
        verb.width = digits(&mut chars)?;
        if chars.peek() == Some(&'.') {
            chars.next();
            verb.precision = Some(digits(&mut chars)?.unwrap_or(0));
        }
        if chars.peek() == Some(&'[') {
            chars.next();
            let Some(index) = digits(&mut chars)?.filter(|i| *i > 0) else {
                return Err(Fault::new("the pattern has an invalid argument number"));
            };
            if chars.next() != Some(']') {
                return Err(Fault::new("the pattern has an unclosed argument number"));
            }
            next = index - 1;
        }
        let Some(mode) = chars.next() else {
            return Err(Fault::new("the pattern ends in the middle of a verb"));
        };
        let Some(value) = values.get(next) else {
            return Err(Fault::new(format!(
                "missing argument {} for the pattern",
                next + 1
            )));
        };
        next += 1;
        used = used.max(next);
        match written(value, mode, &verb).and_then(|text| pad(&text, mode, &verb)) {
            Ok(text) => out.push_str(&text),
            Err(Fault::Withheld(why)) => withheld = withheld.or(Some(why)),
            Err(fault) => return Err(fault),
        }
    }
    if used < values.len() {
        return Err(Fault::new(format!(
            "the pattern uses {used} of {} arguments",
            values.len()
        )));
    }
    match withheld {
        Some(why) => Err(Fault::Withheld(why)),
        None => Ok(out),
    }
}

fn digits(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<Option<usize>, Fault> {
    let mut number: Option<usize> = None;
    while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
        chars.next();
        let digit = usize::try_from(digit).unwrap_or(0);
        number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(digit));
    }
    if number.is_some_and(|n| n > MAX_WIDTH) {
        return Err(Fault::open("the pattern has a field that is too wide"));
    }
    Ok(number)
}

fn written(value: &Value, mode: char, verb: &Verb) -> Result<String, Fault> {
    let wrong = |reason: String| Fault::new(format!("the value for %{mode} does not fit: {reason}"));
    if mode == 'v' {
        if let (Some(number), false) = (value.as_number(), verb.sharp) {
            return general(number, verb);
        }
        return if verb.sharp || !matches!(value.data, Data::String(_) | Data::Bool(_)) {
            encoding::json(value).map_err(Fault::withheld)
        } else {
            text_of(value)
        };
    }
    if !"bdeEfgGoqstxX".contains(mode) {
        return Err(Fault::new(format!(
            "the pattern has %{mode}, which is not a verb"
        )));
    }
    if value.is_null() {
        return Err(wrong("it is null".to_owned()));
    }
    match mode {
        't' => {
            let value = convert(value, &Type::Bool).map_err(wrong)?;
            text_of(&value)
        }
        's' => {
            let value = convert(value, &Type::String).map_err(wrong)?;
            let text = text_of(&value)?;
            Ok(match verb.precision {
                Some(most) if text.is_ascii() => text.get(..most).unwrap_or(&text).to_owned(),
                Some(_) => {
                    return Err(Fault::withheld(
                        "counting the characters of this text is not supported",
                    ));
                }
                None => text,
            })
        }
        'q' => {
            let value = convert(value, &Type::String).map_err(wrong)?;
            let text = text_of(&value)?;
            if text.chars().any(|c| c.is_control() || !c.is_ascii()) {
                return Err(Fault::withheld("quoting this text is not supported"));
            }
            encoding::json(&Value::string(&text))
                .map_err(Fault::withheld)
                .map(|quoted| {
                    quoted
                        .replace("\\u003c", "<")
                        .replace("\\u003e", ">")
                        .replace("\\u0026", "&")
                })
        }
        'd' | 'b' | 'o' | 'x' | 'X' => {
            let value = convert(value, &Type::Number).map_err(wrong)?;
            let Some(number) = value.as_number() else {
                return Err(Fault::open("the exact number is unknown"));
            };
            let Some(whole) = number.as_whole() else {
                return Err(match number.is_perhaps_whole() {
                    true => Fault::Inexact,
                    false => wrong("a whole number is required".to_owned()),
                });
            };
            let magnitude = whole.unsigned_abs();
            let body = match mode {
                'd' => magnitude.to_string(),
                'b' => format!("{magnitude:b}"),
                'o' => format!("{magnitude:o}"),
                'x' => format!("{magnitude:x}"),
                _ => format!("{magnitude:X}"),
            };
            if verb.precision.is_some() || verb.sharp {
                return Err(Fault::withheld("this verb is not supported"));
            }
            Ok(format!("{}{body}", sign(whole < 0, verb)))
        }
        _ => {
            let value = convert(value, &Type::Number).map_err(wrong)?;
            match value.as_number() {
                Some(number) if mode == 'f' => decimal(number, verb),
                Some(number) if mode == 'g' && !verb.sharp => general(number, verb),
                Some(_) => Err(Fault::withheld("this verb is not supported")),
                None => Err(Fault::withheld("the exact number is unknown")),
            }
        }
    }
}

fn sign(negative: bool, verb: &Verb) -> &'static str {
    match (negative, verb.plus, verb.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        _ => "",
    }
}

/// A number with a fixed number of decimals, if it has no more than those.
fn decimal(number: Number, verb: &Verb) -> Result<String, Fault> {
    let places = verb.precision.unwrap_or(6);
    let text = number
        .text()
        .ok_or_else(|| Fault::withheld("the exact number is unknown"))?;
    let negative = text.starts_with('-');
    let text = text.trim_start_matches('-');
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > places {
        return Err(Fault::withheld("rounding a number is not supported"));
    }
    let point = if places > 0 { "." } else { "" };
    Ok(format!(
        "{}{whole}{point}{fraction:0<places$}",
        sign(negative, verb)
    ))
}

/// A number as Go writes it with `%g`: all its digits, with an exponent if that is below -4 or above 5.
fn general(number: Number, verb: &Verb) -> Result<String, Fault> {
    if verb.precision.is_some() {
        return Err(Fault::withheld("rounding a number is not supported"));
    }
    let text = number
        .text()
        .ok_or_else(|| Fault::withheld("the exact number is unknown"))?;
    let sign = sign(text.starts_with('-'), verb);
    let plain = text.trim_start_matches('-');
    let (whole, fraction) = plain.split_once('.').unwrap_or((plain, ""));
    let all = format!("{whole}{fraction}");
    let zeros = all.len() - all.trim_start_matches('0').len();
    let digits = all.trim_matches('0');
    let Some((first, rest)) = digits.split_at_checked(1) else {
        return Ok(format!("{sign}0"));
    };
    let exponent = i64::try_from(whole.len()).unwrap_or(i64::MAX) - i64::try_from(zeros).unwrap_or(0) - 1;
    if (-4..6).contains(&exponent) {
        return Ok(format!("{sign}{plain}"));
    }
    let point = if rest.is_empty() { "" } else { "." };
    let of_exponent = if exponent < 0 { '-' } else { '+' };
    let exponent = exponent.unsigned_abs();
    Ok(format!("{sign}{first}{point}{rest}e{of_exponent}{exponent:02}"))
}

fn text_of(value: &Value) -> Result<String, Fault> {
    match convert(value, &Type::String) {
        Ok(Value {
            data: Data::String(text),
            ..
        }) => Ok(text.to_string()),
        Ok(_) => Err(Fault::withheld("the exact number is unknown")),
        Err(reason) => Err(Fault::Fails(reason)),
    }
}

fn pad(text: &str, mode: char, verb: &Verb) -> Result<String, Fault> {
    let Some(width) = verb.width else {
        return Ok(text.to_owned());
    };
    let count = super::strings::count(text)?;
    let missing = width.saturating_sub(count);
    if missing == 0 {
        return Ok(text.to_owned());
    }
    if verb.minus {
        return Ok(format!("{text}{}", " ".repeat(missing)));
    }
    if verb.zero {
        if !matches!(mode, 'd' | 'b' | 'o' | 'x' | 'X' | 'f') {
            return Err(Fault::withheld("zero padding of this verb is not supported"));
        }
        let digits = text.trim_start_matches(['-', '+', ' ']);
        let sign = text.get(..text.len() - digits.len()).unwrap_or("");
        return Ok(format!("{sign}{}{digits}", "0".repeat(missing)));
    }
    Ok(format!("{}{text}", " ".repeat(missing)))
}
