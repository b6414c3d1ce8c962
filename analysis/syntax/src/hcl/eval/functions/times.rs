//! Functions on timestamps.

use chrono::{DateTime, Datelike, FixedOffset, TimeDelta, Timelike};

use super::super::number::Number;
use super::super::value::Value;
use super::{Args, Fault, Given};
use crate::go::duration;

/// A timestamp as RFC 3339 writes it and Go reads it.
fn point(text: &str) -> Result<DateTime<FixedOffset>, Fault> {
    let refuse = || Fault::new(format!("\"{text}\" is not a time such as `2020-02-03T04:05:06Z`"));
    let shape = |at: usize, wanted: u8| text.as_bytes().get(at) == Some(&wanted);
    let has_shape = text.is_ascii() && shape(4, b'-') && shape(7, b'-') && shape(10, b'T');
    let behind = text.get(19..).filter(|_| has_shape).ok_or_else(refuse)?;
    let zone = behind.trim_start_matches(|c: char| c == '.' || c == ',' || c.is_ascii_digit());
    let has_zone = zone == "Z" || (zone.len() == 6 && zone.starts_with(['+', '-']));
    if !has_zone || text.get(17..19) == Some("60") || behind.contains([' ', 'z']) {
        return Err(refuse());
    }
    let hours: Option<u32> = zone.get(1..3).and_then(|h| h.parse().ok());
    if hours.is_some_and(|hours| hours > 23) {
        return Err(Fault::open("this UTC offset is not supported"));
    }
    DateTime::parse_from_rfc3339(&text.replace(',', ".")).map_err(|_| refuse())
}

pub(super) fn timeadd(args: &Args<'_>) -> Given {
    let at = point(args.string(0)?)?;
    let by = duration::parse(args.string(1)?).map_err(Fault::Fails)?;
    let sum = at.checked_add_signed(TimeDelta::nanoseconds(by));
    let sum = sum.filter(|at| (0..10_000).contains(&at.year()));
    let sum = sum.ok_or_else(|| Fault::open("times this far away are not supported"))?;
    let text = format!("{}{}", sum.format("%Y-%m-%dT%H:%M:%S"), zone(&sum, true, true));
    Ok(Value::string(&text))
}

pub(super) fn timecmp(args: &Args<'_>) -> Given {
    let (a, b) = (point(args.string(0)?)?, point(args.string(1)?)?);
    Ok(Value::number(Number::whole(a.cmp(&b) as i128)))
}

/// The offset from UTC: `Z` if that is allowed for zero, else as `+01:00` or `+0100`.
fn zone(at: &DateTime<FixedOffset>, may_be_z: bool, has_colon: bool) -> String {
    let seconds = at.offset().local_minus_utc();
    if seconds == 0 && may_be_z {
        return "Z".to_owned();
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.unsigned_abs() / 60;
    let colon = if has_colon { ":" } else { "" };
    format!("{sign}{:02}{colon}{:02}", minutes / 60, minutes % 60)
}

pub(super) fn formatdate(args: &Args<'_>) -> Given {
    let format = args.string(0)?;
    let at = point(args.string(1)?)?;
    let mut out = String::new();
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        if first == '\'' {
            rest = literal(rest, &mut out)?;
            continue;
        }
        let end = rest.find(|c| c != first).unwrap_or(rest.len());
        let (run, behind) = rest.split_at(end);
        if first.is_ascii_alphabetic() {
            out.push_str(&verb(run, &at)?);
        } else {
            out.push_str(run);
        }
        rest = behind;
    }
    Ok(Value::string(&out))
}

/// A text in quotes, in which two quotes denote one; returns the rest.
fn literal<'t>(text: &'t str, out: &mut String) -> Result<&'t str, Fault> {
    let mut rest = text.strip_prefix('\'').unwrap_or(text);
    loop {
        let Some((inside, behind)) = rest.split_once('\'') else {
            return Err(Fault::new("the format has an unclosed `'`"));
        };
        out.push_str(inside);
        match behind.strip_prefix('\'') {
            Some(more) => {
                out.push('\'');
                rest = more;
            }
            None => return Ok(behind),
        }
    }
}

fn verb(run: &str, at: &DateTime<FixedOffset>) -> Result<String, Fault> {
    let of = |format: &str| at.format(format).to_string();
    Ok(match run {
        "YYYY" => of("%Y"),
        "YY" => of("%y"),
        "MMMM" => of("%B"),
        "MMM" => of("%b"),
        "MM" => of("%m"),
        "M" => at.month().to_string(),
        "DD" => of("%d"),
        "D" => at.day().to_string(),
        "EEEE" => of("%A"),
        "EEE" => of("%a"),
        "hh" => of("%H"),
        "h" => at.hour().to_string(),
        "HH" => of("%I"),
        "H" => at.hour12().1.to_string(),
        "AA" => of("%p"),
        "aa" => of("%P"),
        "mm" => of("%M"),
        "m" => at.minute().to_string(),
        "ss" => of("%S"),
        "s" => at.second().to_string(),
        "ZZZZZ" => zone(at, false, true),
        "ZZZZ" => zone(at, false, false),
        "ZZZ" if at.offset().local_minus_utc() == 0 => "UTC".to_owned(),
        "ZZZ" => zone(at, false, false),
        "Z" => zone(at, true, true),
        _ => return Err(Fault::new(format!("the format has no verb \"{run}\""))),
    })
}
