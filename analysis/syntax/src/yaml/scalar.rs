//! The text of a scalar and the location of each of its bytes in the source.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use super::node::Style;
use super::scan::{break_len, line_end};
use crate::text::Span;

/// Receives the pieces of a decoded scalar: the text, and its location in the source.
trait Sink {
    fn put(&mut self, text: &str, at: usize, len: usize);
}

impl Sink for String {
    fn put(&mut self, text: &str, _: usize, _: usize) {
        self.push_str(text);
    }
}

/// Decodes the source of a scalar. `indent` is the content indentation of a block scalar, and 0 for a plain one
/// of a single line; `after` is the text after the source (the span of a block scalar ends before its last line
/// break).
pub(super) fn decode<'a>(source: &'a str, style: Style, indent: usize, after: &str) -> Cow<'a, str> {
    let one_line = |s: &str| line_end(s.as_bytes(), 0) == s.len();
    match style {
        Style::Plain if indent == 0 => return Cow::Borrowed(source),
        Style::SingleQuoted | Style::DoubleQuoted => {
            let inner = unquoted(source);
            let special = if style == Style::SingleQuoted {
                b'\''
            } else {
                b'\\'
            };
            if memchr(special, inner.as_bytes()).is_none() && one_line(inner) {
                return Cow::Borrowed(inner);
            }
        }
        _ => {}
    }
    let mut out = String::with_capacity(source.len());
    feed(source, style, indent, after, &mut out);
    Cow::Owned(out)
}

/// The locations of the parts of a scalar's value in its source.
#[derive(Clone, Debug, Default)]
pub struct ScalarMap {
    parts: Vec<Mapped>,
    inner_end: usize,
    /// Where the source starts.
    base: u32,
}

/// A part of a value: its range there, and its location in the source.
#[derive(Clone, Copy, Debug)]
struct Mapped {
    start: usize,
    end: usize,
    at: usize,
    len: usize,
}

impl Sink for ScalarMap {
    fn put(&mut self, text: &str, at: usize, len: usize) {
        let start = self.parts.last().map_or(0, |part| part.end);
        let end = start + text.len();
        self.parts.push(Mapped { start, end, at, len });
    }
}

impl ScalarMap {
    pub(super) fn new(source: &str, style: Style, indent: usize, after: &str, base: u32) -> Self {
        let mut map = Self {
            inner_end: match style {
                Style::SingleQuoted | Style::DoubleQuoted => source.len().saturating_sub(1),
                _ => source.len(),
            },
            base,
            ..Self::default()
        };
        feed(source, style, indent, after, &mut map);
        map
    }

    /// The location in the text of a range of bytes of the value.
    #[must_use]
    pub fn span_of(&self, range: Range<usize>) -> Span {
        let first = self.parts.partition_point(|part| part.end <= range.start);
        let is_exact = |part: &Mapped| part.end - part.start == part.len;
        let start = self.parts.get(first).map_or(self.inner_end, |part| {
            let behind = if is_exact(part) {
                range.start - part.start
            } else {
                0
            };
            part.at + behind
        });
        if range.is_empty() {
            return Span::from_usize(start, start).shifted(self.base);
        }
        let last = self.parts.partition_point(|part| part.start < range.end);
        let end = last.checked_sub(1).and_then(|last| self.parts.get(last));
        let end = end.map_or(0, |part| {
            let len = if is_exact(part) {
                range.end.min(part.end) - part.start
            } else {
                part.len
            };
            part.at + len
        });
        Span::from_usize(start, end.max(start)).shifted(self.base)
    }
}

fn unquoted(source: &str) -> &str {
    source.get(1..source.len().saturating_sub(1)).unwrap_or("")
}

fn feed(source: &str, style: Style, indent: usize, after: &str, sink: &mut impl Sink) {
    match style {
        Style::SingleQuoted | Style::DoubleQuoted => flow(unquoted(source), 1, style, sink),
        Style::Literal | Style::Folded => block(source, style == Style::Folded, indent, after, sink),
        Style::Plain | Style::Block | Style::Flow => flow(source, 0, style, sink),
    }
}

/// The line break at `at` after normalization: all but two rare ones become a line feed.
fn line_break(source: &str, at: usize) -> (&str, usize) {
    let len = break_len(source.as_bytes(), at);
    (
        if len == 3 {
            source.get(at..at + 3).unwrap_or("\n")
        } else {
            "\n"
        },
        len,
    )
}

/// Plain and quoted scalars: line folding and escapes. `base` is where `inner` starts.
fn flow(inner: &str, base: usize, style: Style, sink: &mut impl Sink) {
    let bytes = inner.as_bytes();
    let text = |range: Range<usize>| inner.get(range).unwrap_or("");
    let mut at = 0;
    while at < bytes.len() {
        let run = at
            + bytes
                .get(at..)
                .unwrap_or(&[])
                .iter()
                .position(|b| match b {
                    b' ' | b'\t' | b'\n' | b'\r' => true,
                    0xC2 | 0xE2 => true,
                    b'\\' => style == Style::DoubleQuoted,
                    b'\'' => style == Style::SingleQuoted,
                    _ => false,
                })
                .unwrap_or(bytes.len() - at);
        if run > at {
            sink.put(text(at..run), base + at, run - at);
            at = run;
            continue;
        }
        match bytes.get(at) {
            Some(b'\'') => {
                sink.put("'", base + at, 2);
                at += 2;
            }
            Some(b'\\') => at = escape(inner, base, at, sink),
            Some(0xC2 | 0xE2) if break_len(bytes, at) == 0 => {
                let len = inner
                    .get(at..)
                    .and_then(|s| s.chars().next())
                    .map_or(1, char::len_utf8);
                sink.put(text(at..at + len), base + at, len);
                at += len;
            }
            _ => {
                let blanks = at;
                while matches!(bytes.get(at), Some(b' ' | b'\t')) {
                    at += 1;
                }
                if at < bytes.len() && break_len(bytes, at) == 0 {
                    sink.put(text(blanks..at), base + blanks, at - blanks);
                } else if at < bytes.len() {
                    at = fold(inner, base, blanks, at, false, sink);
                } else if style != Style::Plain {
                    sink.put(text(blanks..at), base + blanks, at - blanks);
                }
            }
        }
    }
}

/// Folds the line breaks from `at` on with the blanks around them; returns where the content continues. After
/// an `escaped` break the first one is already consumed.
fn fold(inner: &str, base: usize, from: usize, mut at: usize, escaped: bool, sink: &mut impl Sink) -> usize {
    let bytes = inner.as_bytes();
    let mut breaks = String::new();
    let mut first = !escaped;
    let mut folded = !escaped;
    loop {
        while matches!(bytes.get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        let (text, len) = line_break(inner, at);
        if len == 0 {
            break;
        }
        if first {
            folded = len < 3;
        }
        if !first || !folded {
            breaks.push_str(text);
        }
        first = false;
        at += len;
    }
    if folded && breaks.is_empty() {
        breaks.push(' ');
    }
    if !breaks.is_empty() {
        sink.put(&breaks, base + from, at - from);
    }
    at
}

/// One escape of a double-quoted scalar; returns the offset after it.
fn escape(inner: &str, base: usize, at: usize, sink: &mut impl Sink) -> usize {
    let bytes = inner.as_bytes();
    let Some(code) = inner.get(at + 1..).and_then(|s| s.chars().next()) else {
        return bytes.len();
    };
    let hex = |from: usize, len: usize| {
        inner
            .get(from..from + len)
            .and_then(|h| u32::from_str_radix(h, 16).ok())
    };
    let broken = break_len(bytes, at + 1);
    if broken > 0 {
        return fold(inner, base, at, at + 1 + broken, true, sink);
    }
    let digits = match code {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    if digits > 0 {
        let end = at + 2 + digits;
        let value = hex(at + 2, digits).unwrap_or(0xFFFD);
        let mut buffer = [0; 4];
        let decoded = char::from_u32(value)
            .unwrap_or('\u{FFFD}')
            .encode_utf8(&mut buffer);
        sink.put(decoded, base + at, end - at);
        return end;
    }
    let simple = match code {
        '0' => "\0",
        'a' => "\u{7}",
        'b' => "\u{8}",
        't' | '\t' => "\t",
        'n' => "\n",
        'v' => "\u{b}",
        'f' => "\u{c}",
        'r' => "\r",
        'e' => "\u{1b}",
        'N' => "\u{85}",
        '_' => "\u{a0}",
        'L' => "\u{2028}",
        'P' => "\u{2029}",
        _ => inner.get(at + 1..at + 1 + code.len_utf8()).unwrap_or(""),
    };
    sink.put(simple, base + at, 1 + code.len_utf8());
    at + 1 + code.len_utf8()
}

/// A block scalar, from its header on.
fn block(source: &str, folded: bool, indent: usize, after: &str, sink: &mut impl Sink) {
    let bytes = source.as_bytes();
    let header_end = line_end(bytes, 0);
    let header = source.get(..header_end).unwrap_or("");
    let indicators = header.split([' ', '\t', '#']).next().unwrap_or("");
    let (keep, strip) = (indicators.contains('+'), indicators.contains('-'));
    if header_end == bytes.len() {
        return;
    }
    let (last, last_len) = line_break(after, 0);
    let mut at = header_end + break_len(bytes, header_end);
    // Breaks read but not yet written: the one after the last content line, and blank lines.
    let mut pending = String::new();
    let mut pending_at = at;
    let mut first_break = 0;
    let mut seen = false;
    let mut after_blank = false;
    loop {
        let end = line_end(bytes, at);
        let spaces = bytes
            .get(at..end)
            .unwrap_or(&[])
            .iter()
            .take(indent)
            .take_while(|b| **b == b' ')
            .count();
        let content = at + spaces;
        let (text, len) = line_break(source, end);
        let (text, broken) = if len > 0 {
            (text, true)
        } else {
            (last, last_len > 0)
        };
        if content < end {
            let blank = matches!(bytes.get(content), Some(b' ' | b'\t'));
            if seen && folded && !after_blank && !blank && pending.starts_with('\n') {
                pending.replace_range(..1, if pending.len() == 1 { " " } else { "" });
            }
            if !pending.is_empty() {
                sink.put(&pending, pending_at, content - pending_at);
            }
            sink.put(source.get(content..end).unwrap_or(""), content, end - content);
            pending.clear();
            pending_at = end;
            after_blank = blank;
            seen = true;
        }
        if broken {
            pending.push_str(text);
            if seen && pending_at == end {
                first_break = pending.len();
            }
        }
        if len == 0 {
            break;
        }
        at = end + len;
    }
    if !keep {
        pending.truncate(if strip || !seen { 0 } else { first_break });
    }
    if !pending.is_empty() {
        sink.put(&pending, pending_at, bytes.len() - pending_at);
    }
}
