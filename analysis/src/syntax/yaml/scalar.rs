//! The text of a scalar and where each byte of it stands in the source.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2};

use super::node::Style;
use crate::syntax::text::Span;

/// Receives the pieces of a decoded scalar: the text, and where in the source it stands.
trait Sink {
    fn put(&mut self, text: &str, at: usize, len: usize);
}

impl Sink for String {
    fn put(&mut self, text: &str, _: usize, _: usize) {
        self.push_str(text);
    }
}

/// Decodes the source of a scalar. `indent` is the content indentation of a block scalar,
/// `broken_line` whether a line break follows the source (the span of a block scalar ends before
/// its last one).
pub(super) fn decode(source: &str, style: Style, indent: usize, broken_line: bool) -> Cow<'_, str> {
    let one_line = |s: &str| memchr2(b'\n', b'\r', s.as_bytes()).is_none();
    match style {
        Style::Plain if one_line(source) => return Cow::Borrowed(source),
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
    feed(source, style, indent, broken_line, &mut out);
    Cow::Owned(out)
}

/// The part of the source that a range of bytes of the decoded text came from, in offsets of
/// `source`.
pub(super) fn source_span(
    source: &str,
    style: Style,
    indent: usize,
    broken_line: bool,
    range: Range<usize>,
) -> Span {
    struct Find {
        range: Range<usize>,
        out: usize,
        start: Option<usize>,
        end: usize,
    }
    impl Sink for Find {
        fn put(&mut self, text: &str, at: usize, len: usize) {
            let here = self.out..self.out + text.len();
            let exact = text.len() == len;
            if self.start.is_none() && self.range.start < here.end {
                self.start = Some(if exact {
                    at + (self.range.start - here.start)
                } else {
                    at
                });
            }
            if here.start < self.range.end {
                self.end = if exact {
                    at + (self.range.end.min(here.end) - here.start)
                } else {
                    at + len
                };
            } else if self.out < self.range.start || self.range.is_empty() && self.out == self.range.start {
                self.end = at;
            }
            self.out = here.end;
        }
    }
    let mut find = Find {
        range,
        out: 0,
        start: None,
        end: 0,
    };
    feed(source, style, indent, broken_line, &mut find);
    let inner_end = match style {
        Style::SingleQuoted | Style::DoubleQuoted => source.len().saturating_sub(1),
        _ => source.len(),
    };
    let start = find.start.unwrap_or(inner_end);
    if find.range.is_empty() {
        Span::from_usize(start, start)
    } else {
        Span::from_usize(start, find.end.max(start))
    }
}

fn unquoted(source: &str) -> &str {
    source.get(1..source.len().saturating_sub(1)).unwrap_or("")
}

fn feed(source: &str, style: Style, indent: usize, broken_line: bool, sink: &mut impl Sink) {
    match style {
        Style::SingleQuoted | Style::DoubleQuoted => flow(unquoted(source), 1, style, sink),
        Style::Literal | Style::Folded => block(source, style == Style::Folded, indent, broken_line, sink),
        Style::Plain | Style::Block | Style::Flow => flow(source, 0, style, sink),
    }
}

/// Length of the line break at `at`, 0 if there is none.
fn break_len(bytes: &[u8], at: usize) -> usize {
    match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'\r'), Some(b'\n')) => 2,
        (Some(b'\r' | b'\n'), _) => 1,
        _ => 0,
    }
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
            _ => {
                let blanks = at;
                while matches!(bytes.get(at), Some(b' ' | b'\t')) {
                    at += 1;
                }
                if at < bytes.len() && break_len(bytes, at) == 0 {
                    sink.put(text(blanks..at), base + blanks, at - blanks);
                } else if at < bytes.len() {
                    at = fold(bytes, base, blanks, at, false, sink);
                } else if style != Style::Plain {
                    sink.put(text(blanks..at), base + blanks, at - blanks);
                }
            }
        }
    }
}

/// Folds the line breaks from `at` on with the blanks around them; returns where content goes on.
fn fold(bytes: &[u8], base: usize, from: usize, mut at: usize, escaped: bool, sink: &mut impl Sink) -> usize {
    let mut breaks = 0usize;
    loop {
        let len = break_len(bytes, at);
        if len == 0 {
            break;
        }
        at += len;
        breaks += 1;
        while matches!(bytes.get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
    }
    let empty = breaks.saturating_sub(1);
    if empty > 0 {
        sink.put(&"\n".repeat(empty), base + from, at - from);
    } else if !escaped {
        sink.put(" ", base + from, at - from);
    }
    at
}

/// One escape of a double-quoted scalar; returns the offset behind it.
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
    let digits = match code {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    if digits > 0 {
        let mut end = at + 2 + digits;
        let mut value = hex(at + 2, digits).unwrap_or(0xFFFD);
        if (0xD800..0xDC00).contains(&value)
            && bytes.get(end..end + 2) == Some(b"\\u")
            && let Some(low) = hex(end + 2, 4).filter(|l| (0xDC00..0xE000).contains(l))
        {
            value = 0x1_0000 + ((value - 0xD800) << 10) + (low - 0xDC00);
            end += 6;
        }
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
        '\n' | '\r' => return fold(bytes, base, at, at + 1, true, sink),
        _ => inner.get(at + 1..at + 1 + code.len_utf8()).unwrap_or(""),
    };
    sink.put(simple, base + at, 1 + code.len_utf8());
    at + 1 + code.len_utf8()
}

/// A block scalar, from its header on.
fn block(source: &str, folded: bool, indent: usize, broken_line: bool, sink: &mut impl Sink) {
    let bytes = source.as_bytes();
    let header_end = memchr2(b'\n', b'\r', bytes).unwrap_or(bytes.len());
    let header = source.get(..header_end).unwrap_or("");
    let indicators = header.split([' ', '\t', '#']).next().unwrap_or("");
    let (keep, strip) = (indicators.contains('+'), indicators.contains('-'));
    let mut at = header_end + break_len(bytes, header_end);
    // Breaks read but not yet written: the one after the last content line, and blank lines.
    let mut pending = 0usize;
    let mut pending_at = at;
    let mut seen = false;
    let mut after_blank = false;
    if header_end == bytes.len() {
        return;
    }
    loop {
        let end = memchr2(b'\n', b'\r', bytes.get(at..).unwrap_or(&[])).map_or(bytes.len(), |i| at + i);
        let spaces = bytes
            .get(at..end)
            .unwrap_or(&[])
            .iter()
            .take(indent)
            .take_while(|b| **b == b' ')
            .count();
        let content = at + spaces;
        let len = break_len(bytes, end);
        let terminated = len > 0 || broken_line;
        if content < end {
            let blank = matches!(bytes.get(content), Some(b' ' | b'\t'));
            if seen && folded && !after_blank && !blank && pending > 0 {
                if pending == 1 {
                    sink.put(" ", pending_at, content - pending_at);
                } else {
                    sink.put(&"\n".repeat(pending - 1), pending_at, content - pending_at);
                }
            } else if pending > 0 {
                sink.put(&"\n".repeat(pending), pending_at, content - pending_at);
            }
            sink.put(source.get(content..end).unwrap_or(""), content, end - content);
            pending = 0;
            pending_at = end;
            after_blank = blank;
            seen = true;
        }
        pending += usize::from(terminated);
        if len == 0 {
            break;
        }
        at = end + len;
    }
    let kept = if keep {
        pending
    } else {
        usize::from(!strip && seen && pending > 0)
    };
    if kept > 0 {
        sink.put(&"\n".repeat(kept), pending_at, bytes.len() - pending_at);
    }
}
