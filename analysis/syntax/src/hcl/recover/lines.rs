//! Lines, and where an item ends by their indentation.

use super::super::lex::{Absent, heredoc_marker};
use crate::text::Span;

/// How far after the opening of a heredoc or comment its end is searched for in broken text.
const LOOKAHEAD: usize = 256 * 1024;

/// One line of a text.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) start: usize,
    /// Offset after the line end.
    pub(super) end: usize,
    /// Bytes of leading space.
    pub(super) indent: usize,
    /// The first byte that is not a space; 0 for an empty line.
    pub(super) first: u8,
    pub(super) comment: bool,
}

impl Line {
    pub(super) fn significant(self) -> bool {
        self.first != 0 && !self.comment
    }

    /// The line without indentation and trailing space.
    pub(super) fn content(self, text: &str) -> Span {
        let start = self.start + self.indent;
        let line = text.get(start..self.end).unwrap_or("");
        Span::from_usize(start, start + line.trim_end().len())
    }

    pub(super) fn closes(self) -> bool {
        matches!(self.first, b'}' | b']' | b')')
    }
}

#[derive(Clone, Copy)]
pub(super) struct Lines<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) limit: usize,
}

impl Iterator for Lines<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        if self.at >= self.limit {
            return None;
        }
        let start = self.at;
        let rest = self.text.get(start..self.limit)?;
        let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
        let body = rest.get(..length)?.trim_end();
        let content = body.trim_start();
        self.at = start + length;
        Some(Line {
            start,
            end: self.at,
            indent: body.len() - content.len(),
            first: content.bytes().next().unwrap_or(0),
            comment: content.starts_with('#') || content.starts_with("//"),
        })
    }
}

pub(super) struct Cut {
    pub(super) end: usize,
    pub(super) examined: usize,
}

/// Where the first item in `start..limit` ends, by indentation.
pub(super) fn cut(text: &str, start: usize, limit: usize, absent: &Absent) -> Cut {
    let mut lines = Lines {
        text,
        at: start,
        limit,
    };
    let Some(first) = lines.by_ref().find(|l| l.significant()) else {
        return Cut {
            end: limit,
            examined: usize::MAX,
        };
    };
    let mut end = first.end;
    let mut examined = first.end;
    let mut tail = follow(text, first, limit, absent);
    loop {
        if let Some((behind, looked)) = tail.take() {
            lines.at = lines.at.max(behind);
            end = end.max(behind);
            examined = examined.max(looked);
        }
        let Some(line) = lines.next() else {
            return Cut {
                end: limit.max(end),
                examined: usize::MAX,
            };
        };
        examined = examined.max(line.end);
        if line.end == limit && !text.get(..limit).is_some_and(|t| t.ends_with('\n')) {
            examined = usize::MAX;
        }
        if !line.significant() {
            continue;
        }
        if line.indent <= first.indent {
            if !line.closes() {
                return Cut { end, examined };
            }
            // `}, {` continues it; `}` is the end.
            let goes_on = line.content(text).slice(text).ends_with(['{', '[', '(', ',']);
            if !goes_on {
                return Cut {
                    end: line.end,
                    examined,
                };
            }
        }
        end = line.end;
        tail = follow(text, line, limit, absent);
    }
}

/// Where a heredoc or a comment that a line opens ends, and how far the text was searched for it.
pub(super) fn follow(text: &str, line: Line, limit: usize, absent: &Absent) -> Option<(usize, usize)> {
    let content = line.content(text).slice(text);
    let opening = content.rfind("<<");
    if let Some(marker) = heredoc_marker(content)
        && outside_quotes(content).any(|(at, _)| Some(at) == opening)
    {
        if !absent.may_close(marker, line.end) {
            return Some((line.end, usize::MAX));
        }
        let stop = floor_char_boundary(text, limit.min(line.end.saturating_add(LOOKAHEAD)));
        let lines = Lines {
            text,
            at: line.end,
            limit: stop,
        };
        for inner in lines {
            let content = inner.content(text).slice(text);
            if content == marker && text.get(..inner.end).is_some_and(|t| t.ends_with('\n')) {
                return Some((inner.end, inner.end));
            }
            // The following end belongs to the heredoc that opens here.
            if heredoc_marker(content) == Some(marker) {
                return Some((line.end, inner.end));
            }
        }
        return Some((line.end, usize::MAX));
    }
    let open = unclosed_comment(content)?;
    let from = line.start + line.indent + open;
    if !absent.comment_may_end(from) {
        return Some((line.end, usize::MAX));
    }
    let stop = floor_char_boundary(text, limit.min(from.saturating_add(LOOKAHEAD)));
    match text.get(from..stop).and_then(|t| t.find("*/")) {
        Some(at) => {
            let behind = from + at + 2;
            let rest = text.get(behind..limit).unwrap_or("");
            let end = behind + rest.find('\n').map_or(rest.len(), |at| at + 1);
            Some((end, end))
        }
        None => Some((line.end, usize::MAX)),
    }
}

pub(super) fn floor_char_boundary(text: &str, mut at: usize) -> usize {
    while at > 0 && !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Offset of a `/*` outside quotes that the line does not close.
pub(super) fn unclosed_comment(line: &str) -> Option<usize> {
    let mut closed = 0;
    for (at, byte) in outside_quotes(line) {
        if byte != b'/' || at < closed || !line.get(at..).is_some_and(|l| l.starts_with("/*")) {
            continue;
        }
        match line.get(at + 2..).and_then(|l| l.find("*/")) {
            Some(length) => closed = at + 2 + length + 2,
            None => return Some(at),
        }
    }
    None
}

/// The bytes of a line outside quotes and line comments, with their offsets.
pub(super) fn outside_quotes(line: &str) -> impl Iterator<Item = (usize, u8)> {
    let mut bytes = line.bytes().enumerate();
    let mut inside = false;
    std::iter::from_fn(move || {
        loop {
            match bytes.next()? {
                (_, b'\\') if inside => {
                    bytes.next();
                }
                (_, b'"') => inside = !inside,
                (_, b'#') if !inside => return None,
                found if !inside => return Some(found),
                _ => {}
            }
        }
    })
}
