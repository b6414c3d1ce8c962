//! Splits a text into the chunks that are parsed on their own: documents, and the items of lists.
//!
//! A list is split by indentation alone, which is a guess until the rest of the document was parsed with a
//! stand-in for it (see `document`); but once that shows an item of a block sequence at the stand-in, and each
//! item parses on its own, the whole is exactly the sum: every line of an item but its first is indented deeper
//! than the dash, so nothing in it can reach out of it.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::{memchr, memmem};

/// Ranges of the text that contain one document each, including markers and directives. A chunk may contain no
/// document at all (only comments). `---` and `...` at column 0 always split, also inside scalars, as YAML
/// requires; a `---` preceded only by directives and comments belongs to them.
pub(super) fn documents(text: &str, from: usize) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let mut start = from;
    while start < text.len() || chunks.is_empty() {
        let end = document_end(text, start);
        chunks.push(start..end);
        start = end;
        if end == text.len() {
            break;
        }
    }
    chunks
}

/// Where the document that starts at `start` ends.
pub(super) fn document_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    // Comments, blank lines and directives belong to the marker after them.
    loop {
        let line = line(bytes, at);
        if is_marker(line, b"...") {
            return at + line.len();
        }
        let blank = match line.iter().find(|b| !b.is_ascii_whitespace()) {
            None | Some(b'#') => true,
            Some(b'%') => line.first() == Some(&b'%'),
            Some(_) => false,
        };
        at += line.len();
        if !blank || at >= bytes.len() {
            break;
        }
    }
    static MARKERS: LazyLock<[memmem::Finder<'static>; 2]> =
        LazyLock::new(|| [b"\n---", b"\n..."].map(memmem::Finder::new));
    let from = at.saturating_sub(1);
    let next = |marker: &memmem::Finder<'_>, end: usize| {
        let name = marker.needle().get(1..).unwrap_or_default();
        let rest = bytes.get(from..end).unwrap_or(&[]);
        marker
            .find_iter(rest)
            .map(|i| from + i + 1)
            .find(|i| bytes.get(*i..).is_some_and(|rest| is_marker(rest, name)))
    };
    let [start, end] = &*MARKERS;
    let start = next(start, bytes.len()).unwrap_or(bytes.len());
    next(end, start).map_or(start, |i| i + line(bytes, i).len())
}

/// The end of a line `--`: a document marker that is still being typed.
pub(super) fn half_marker(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let line = memmem::find_iter(bytes, b"\n--")
        .map(|i| (i, line(bytes, i + 1)))
        .find(|(_, l)| l.trim_ascii_end() == b"--");
    line.map(|(i, line)| i + 1 + line.len())
        .filter(|end| *end < text.len())
}

/// Whether a text has line breaks that are not found by a search for line feeds.
pub(super) fn has_odd_breaks(text: &str) -> bool {
    let bytes = text.as_bytes();
    let lone = memchr::memchr_iter(b'\r', bytes).any(|i| bytes.get(i + 1) != Some(&b'\n'));
    lone || !text.is_ascii()
        && ["\u{85}", "\u{2028}", "\u{2029}"]
            .iter()
            .any(|b| memmem::find(bytes, b.as_bytes()).is_some())
}

fn line(bytes: &[u8], at: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or(&[]);
    rest.get(..memchr(b'\n', rest).map_or(rest.len(), |i| i + 1))
        .unwrap_or(&[])
}

/// Whether a line is a document marker: the three characters, then white space or the line's end.
fn is_marker(line: &[u8], marker: &[u8]) -> bool {
    line.starts_with(marker) && line.get(3).is_none_or(u8::is_ascii_whitespace)
}

/// A run of items of one list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct List {
    /// From the line of the first dash to the end of the last item.
    pub(super) range: Range<usize>,
    /// The column of the dashes.
    pub(super) column: usize,
    /// The starts of the items, each with the comments above it.
    pub(super) items: Vec<usize>,
}

impl List {
    /// The ranges of the items.
    pub(super) fn chunks(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let ends = self.items.iter().skip(1).copied().chain([self.range.end]);
        self.items
            .iter()
            .copied()
            .zip(ends)
            .map(|(start, end)| start..end)
    }
}

/// Indentation of the line that a list belongs to, and whether its dashes are directly below it.
#[derive(Clone, Copy)]
struct Frame {
    column: usize,
    parent: isize,
    indentless: bool,
}

/// The outermost lists of a document, by indentation. A line that is indented less than a list's dashes but
/// more than the list's parent is treated as a mistake: the list continues after it.
pub(super) fn lists(text: &str) -> Vec<List> {
    let bytes = text.as_bytes();
    let mut found: Vec<List> = Vec::new();
    let mut open: Option<Frame> = None;
    let mut resume: Option<Frame> = None;
    let mut before: isize = -1;
    // Start of comments that belong to the next item rather than to the one before them.
    let mut lead: Option<usize> = None;
    let mut at = 0;
    while at < bytes.len() {
        let line = line(bytes, at);
        let start = at;
        at += line.len();
        let indent = line.iter().take_while(|b| **b == b' ').count();
        let first = match line.get(indent) {
            None | Some(b'\n' | b'\r') => continue,
            Some(first) => *first,
        };
        if first == b'\t' {
            // Inside brackets and quotes, or a fault; in neither case the end of an item.
            continue;
        }
        let dash = first == b'-' && line.get(indent + 1).is_none_or(u8::is_ascii_whitespace);
        if let Some(frame) = open {
            if first == b'#' {
                if indent <= frame.column && lead.is_none() {
                    lead = Some(start);
                }
                continue;
            }
            if indent > frame.column {
                lead = None;
                continue;
            }
            if dash && indent == frame.column {
                if let Some(list) = found.last_mut() {
                    list.items.push(lead.take().unwrap_or(start));
                }
                continue;
            }
            if let Some(list) = found.last_mut() {
                list.range.end = lead.take().unwrap_or(start);
            }
            open = None;
            let slip = indent.cast_signed() > frame.parent && (indent < frame.column || !frame.indentless);
            resume = Some(frame).filter(|_| slip);
            before = indent.cast_signed();
            if slip {
                continue;
            }
        } else if first == b'#' {
            continue;
        }
        if let Some(frame) = resume {
            if indent.cast_signed() <= frame.parent {
                resume = None;
            } else if !(dash && indent == frame.column) {
                continue;
            }
        }
        if dash {
            let frame = resume.take().unwrap_or(Frame {
                column: indent,
                parent: if before < indent.cast_signed() {
                    before
                } else {
                    indent.cast_signed() - 1
                },
                indentless: before == indent.cast_signed(),
            });
            open = Some(frame);
            lead = None;
            found.push(List {
                range: start..bytes.len(),
                column: indent,
                items: vec![start],
            });
        }
        before = indent.cast_signed();
    }
    if open.is_some()
        && let (Some(list), Some(lead)) = (found.last_mut(), lead)
    {
        list.range.end = lead;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        documents(text, 0).into_iter().map(|r| &text[r]).collect()
    }

    #[test]
    fn markers_at_column_0_cut_everywhere() {
        assert_eq!(
            cut("a\n---\nb: |\n c\n--- d\n---e\n"),
            ["a\n", "---\nb: |\n c\n", "--- d\n---e\n"]
        );
        assert_eq!(cut("a\n...\n# c\n---\nb"), ["a\n...\n", "# c\n---\nb"]);
        assert_eq!(
            cut("%YAML 1.1\n# c\n---\na\n---\n---\n"),
            ["%YAML 1.1\n# c\n---\na\n", "---\n", "---\n"]
        );
        assert_eq!(cut(""), [""]);
        assert_eq!(cut("...\na"), ["...\n", "a"]);
    }

    fn items(text: &str) -> Vec<Vec<&str>> {
        lists(text)
            .iter()
            .map(|l| l.chunks().map(|r| &text[r]).collect())
            .collect()
    }

    #[test]
    fn items_take_the_comments_above_them() {
        let text = "a:\n  - b: |\n      c\n\n    # deep\n  # low\n\n  - d\n  # end\ne:\n- f\n-\n";
        assert_eq!(
            items(text),
            [
                vec!["  - b: |\n      c\n\n    # deep\n", "  # low\n\n  - d\n"],
                vec!["- f\n", "-\n"]
            ]
        );
    }

    #[test]
    fn a_slip_of_indentation_does_not_end_a_list() {
        let text = "m:\n    - a: 1\n      b: 2\n   - c: 3\n      d: 4\n    - e: 5\nx: 1\n- y\n";
        assert_eq!(
            items(text),
            [
                vec!["    - a: 1\n      b: 2\n"],
                vec!["    - e: 5\n"],
                vec!["- y\n"]
            ]
        );
    }
}
