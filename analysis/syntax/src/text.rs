//! Byte positions in a text, and their conversion to lines and columns.
//!
//! Inside the analysis a position is always a byte offset into a file's current text. Lines and
//! columns exist only at the edges (`lint` and `server`), which use [`LineIndex`] once.

use std::ops::Range;

/// A half-open range of byte offsets in one text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to, not including, `end`.
    #[must_use]
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// An empty span at `offset`.
    #[must_use]
    pub const fn at(offset: u32) -> Self {
        Self {
            start: offset,
            end: offset,
        }
    }

    /// From `usize` offsets; saturates at 4 GiB, which is far above the size limit of a file.
    #[must_use]
    pub fn from_usize(start: usize, end: usize) -> Self {
        Self {
            start: u32::try_from(start).unwrap_or(u32::MAX),
            end: u32::try_from(end).unwrap_or(u32::MAX),
        }
    }

    /// The span as a range of `usize`, for slicing with `text.get(span.range())`.
    #[must_use]
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Length in bytes.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Whether the span is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Whether `offset` is in the span or directly after its last byte, as a cursor is.
    #[must_use]
    pub const fn touches(self, offset: u32) -> bool {
        self.start <= offset && offset <= self.end
    }

    /// Whether `other` is completely inside this span.
    #[must_use]
    pub const fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Whether the two spans share at least one byte.
    #[must_use]
    pub const fn overlaps(self, other: Span) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn cover(self, other: Span) -> Span {
        Span::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// The span moved by `by` bytes.
    #[must_use]
    pub const fn shifted(self, by: u32) -> Span {
        Span::new(self.start.saturating_add(by), self.end.saturating_add(by))
    }

    /// The text of the span; empty if the span does not fit the text.
    #[must_use]
    pub fn slice(self, text: &str) -> &str {
        text.get(self.range()).unwrap_or("")
    }
}

/// One replacement of a range of a text, in offsets of the text before the edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// What is replaced; empty for an insertion.
    pub span: Span,
    /// The replacement text.
    pub text: String,
}

/// Applies edits that do not overlap; of two that do, the later one in the text is dropped.
#[must_use]
pub fn apply_edits(text: &str, edits: &[TextEdit]) -> String {
    let mut sorted: Vec<&TextEdit> = edits.iter().collect();
    sorted.sort_by_key(|e| (e.span.start, e.span.end));
    let mut out = String::with_capacity(text.len() + edits.iter().map(|e| e.text.len()).sum::<usize>());
    let mut at = 0usize;
    for edit in sorted {
        let range = edit.span.range();
        let Some(between) = text.get(at..range.start) else {
            continue;
        };
        if range.end < range.start || range.end > text.len() {
            continue;
        }
        out.push_str(between);
        out.push_str(&edit.text);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}

/// How the columns of a position are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, the default of the language server protocol.
    Utf16,
    /// Characters (Unicode scalar values).
    Utf32,
}

/// A position as lines and columns, both counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineCol {
    /// The line, from 0.
    pub line: u32,
    /// The column in the units of an [`Encoding`], from 0.
    pub col: u32,
}

/// The starts of a text's lines. A line ends with `\n`; a `\r` before it is part of the line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineIndex {
    starts: Box<[u32]>,
    /// The number of units before each block of a text that is not ASCII, so that long lines are not counted
    /// again for each position in them; empty for ASCII.
    blocks: Box<[Units]>,
}

/// The bytes of a block.
const BLOCK: usize = 1024;

/// How many units some bytes of UTF-8 are in other encodings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Units {
    characters: u32,
    /// Those of them that are two units in UTF-16.
    pairs: u32,
}

impl Units {
    /// Adds the characters that begin in some bytes.
    fn and(self, bytes: &[u8]) -> Self {
        let begins = bytes.iter().map(|b| u32::from(b & 0xC0 != 0x80)).sum::<u32>();
        let wide = bytes.iter().map(|b| u32::from(*b >= 0xF0)).sum::<u32>();
        Self {
            characters: self.characters + begins,
            pairs: self.pairs + wide,
        }
    }
}

impl LineIndex {
    /// Scans the text once.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut starts = Vec::with_capacity(text.len() / 24 + 1);
        starts.push(0);
        starts.extend(
            memchr::memchr_iter(b'\n', text.as_bytes()).map(|i| u32::try_from(i + 1).unwrap_or(u32::MAX)),
        );
        Self {
            starts: starts.into(),
            blocks: blocks(text),
        }
    }

    /// The lines as the language server protocol counts them: a `\r` without a following `\n` ends one too.
    #[must_use]
    pub fn of_protocol(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = memchr::memchr2_iter(b'\r', b'\n', bytes);
        let ends = ends.filter(|i| bytes.get(*i) == Some(&b'\n') || bytes.get(i + 1) != Some(&b'\n'));
        let mut starts = Vec::with_capacity(text.len() / 24 + 1);
        starts.push(0);
        starts.extend(ends.map(|i| u32::try_from(i + 1).unwrap_or(u32::MAX)));
        Self {
            starts: starts.into(),
            blocks: blocks(text),
        }
    }

    /// Number of lines; an empty text has one.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.starts.len()
    }

    /// The line of an offset, from 0.
    #[must_use]
    pub fn line(&self, offset: u32) -> u32 {
        u32::try_from(self.starts.partition_point(|s| *s <= offset).saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// The offset at which a line starts; the text's end for a line after the last.
    #[must_use]
    pub fn line_start(&self, text: &str, line: u32) -> u32 {
        self.starts
            .get(line as usize)
            .copied()
            .unwrap_or(u32::try_from(text.len()).unwrap_or(u32::MAX))
    }

    /// Line and column of an offset. An offset inside a character counts as its start.
    #[must_use]
    pub fn line_col(&self, text: &str, offset: u32, encoding: Encoding) -> LineCol {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line(u32::try_from(offset).unwrap_or(u32::MAX));
        let start = self.line_start(text, line) as usize;
        let col = if encoding == Encoding::Utf8 || self.blocks.is_empty() {
            u32::try_from(offset.saturating_sub(start)).unwrap_or(u32::MAX)
        } else {
            let (from, to) = (self.before(text, start), self.before(text, offset));
            let characters = to.characters.saturating_sub(from.characters);
            match encoding {
                Encoding::Utf16 => characters + to.pairs.saturating_sub(from.pairs),
                _ => characters,
            }
        };
        LineCol { line, col }
    }

    /// The characters that begin before an offset.
    fn before(&self, text: &str, offset: usize) -> Units {
        let block = offset / BLOCK;
        let known = self.blocks.get(block).copied().unwrap_or_default();
        known.and(text.as_bytes().get(block * BLOCK..offset).unwrap_or_default())
    }

    /// The offset of a line and column; clamped to the line's end, as the protocol requires.
    #[must_use]
    pub fn offset(&self, text: &str, at: LineCol, encoding: Encoding) -> u32 {
        let start = self.line_start(text, at.line) as usize;
        let end = self.line_start(text, at.line.saturating_add(1)) as usize;
        let line = text.get(start..end).unwrap_or("");
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let want = at.col as usize;
        let mut units = 0usize;
        let mut bytes = line.len();
        for (i, c) in line.char_indices() {
            if units >= want {
                bytes = i;
                break;
            }
            units += match encoding {
                Encoding::Utf8 => c.len_utf8(),
                Encoding::Utf16 => c.len_utf16(),
                Encoding::Utf32 => 1,
            };
        }
        u32::try_from(start + bytes).unwrap_or(u32::MAX)
    }
}

/// The number of units before each block of a text, and before its end.
fn blocks(text: &str) -> Box<[Units]> {
    if text.is_ascii() {
        return Box::default();
    }
    let mut before = Units::default();
    let mut all = vec![before];
    all.extend(text.as_bytes().chunks(BLOCK).map(|block| {
        before = before.and(block);
        before
    }));
    all.into()
}

/// The line break before a place, else the first.
#[must_use]
pub fn line_break(text: &str, at: usize) -> &'static str {
    let before = text.get(..at).and_then(|t| t.rfind('\n'));
    let at = before.or_else(|| text.find('\n')).unwrap_or(0);
    let before = at.checked_sub(1).and_then(|i| text.as_bytes().get(i));
    if before == Some(&b'\r') { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::growth::Growth;

    #[test]
    fn columns_in_long_lines_are_those_that_counting_gives() {
        let long: String = "aé🙂\u{1F600}日 ".repeat(700);
        let text = format!("x\n{long}\nü{long}{long}\n{}", "b".repeat(3000));
        let index = LineIndex::new(&text);
        for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
            let before = &text[start..offset];
            for (encoding, col) in [
                (Encoding::Utf8, before.len()),
                (Encoding::Utf16, before.encode_utf16().count()),
                (Encoding::Utf32, before.chars().count()),
            ] {
                let at = index.line_col(&text, u32::try_from(offset).unwrap(), encoding);
                assert_eq!(at.col as usize, col, "{offset} {encoding:?}");
            }
        }
    }

    #[test]
    fn positions_in_a_long_line_take_linear_time() {
        let mut growth = Growth::of(|text: &str| {
            let index = LineIndex::new(text);
            let all = text.char_indices().map(|(at, _)| at as u32);
            let columns = all.map(|at| u64::from(index.line_col(text, at, Encoding::Utf16).col));
            assert!(columns.sum::<u64>() > 0);
        });
        growth.check("a long line", 1000, |n| "é, ".repeat(n));
        growth.finish();
    }

    #[test]
    fn positions_survive_the_round_trip_in_every_encoding() {
        let text = "a: ä\r\nb: 🙂x\n\nend";
        let index = LineIndex::new(text);
        assert_eq!(index.lines(), 4);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for (i, c) in text.char_indices() {
                if c == '\r' || c == '\n' {
                    continue;
                }
                let at = index.line_col(text, i as u32, encoding);
                assert_eq!(index.offset(text, at, encoding), i as u32, "{encoding:?} {at:?}");
            }
        }
        let x = text.find('x').unwrap() as u32;
        assert_eq!(
            index.line_col(text, x, Encoding::Utf16),
            LineCol { line: 1, col: 5 }
        );
        assert_eq!(
            index.line_col(text, x, Encoding::Utf8),
            LineCol { line: 1, col: 7 }
        );
    }

    #[test]
    fn a_column_after_the_end_is_the_end_of_its_line() {
        let text = "ab\r\ncd";
        let index = LineIndex::new(text);
        assert_eq!(
            index.offset(text, LineCol { line: 0, col: 99 }, Encoding::Utf16),
            2
        );
        assert_eq!(
            index.offset(text, LineCol { line: 9, col: 0 }, Encoding::Utf16),
            6
        );
    }

    #[test]
    fn in_the_protocol_a_lone_carriage_return_ends_a_line() {
        let text = "a\rä\r\nb\r\r\n\r";
        let index = LineIndex::of_protocol(text);
        assert_eq!(index.lines(), 6);
        assert_eq!(LineIndex::new(text).lines(), 3);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for (i, c) in text.char_indices().filter(|(_, c)| c.is_alphabetic()) {
                let at = index.line_col(text, i as u32, encoding);
                assert_eq!(at.col, 0, "{c}");
                assert_eq!(index.offset(text, at, encoding), i as u32);
            }
            let behind = |line| index.offset(text, LineCol { line, col: 9 }, encoding);
            assert_eq!([0, 1, 2, 3, 4, 5].map(behind), [1, 4, 7, 8, 10, 11]);
        }
    }

    #[test]
    fn edits_apply_in_text_order_whatever_the_order_they_are_given_in() {
        let edits = [
            TextEdit {
                span: Span::new(3, 4),
                text: "Z".into(),
            },
            TextEdit {
                span: Span::at(0),
                text: ">".into(),
            },
        ];
        assert_eq!(apply_edits("abcd", &edits), ">abcZ");
    }
}
