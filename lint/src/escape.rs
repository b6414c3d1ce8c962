//! Makes text from linted files safe for terminals and for programs that scan a log.
//!
//! Control characters (including terminal escapes), bidirectional formatting characters, and the prefixes of commands
//! that CI systems look for in logs (`##[`, `##vso[`) are replaced by something visible. A line that starts with `::`
//! is a command too; formats never start a line with foreign text.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

/// Whether a character must not reach a terminal unescaped.
fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a CI system would recognize a command at the start of this text.
fn is_command(rest: &str) -> bool {
    rest.starts_with("##[") || rest.starts_with("##vso[")
}

/// Whether the UTF-8 encoding of a harmful character may start with this byte. Harmful characters other than control
/// characters start with one of two bytes.
fn may_begin_harm(byte: u8) -> bool {
    byte < 0x20 || matches!(byte, 0x7f | 0xc2 | 0xd8 | 0xe2)
}

fn is_harmless(text: &str, allowed: &[char]) -> bool {
    if !text.bytes().any(|b| b == b'#' || may_begin_harm(b)) {
        return true;
    }
    !harmful(text).any(|(_, c)| !allowed.contains(&c))
}

/// The characters that must be escaped, with their offsets.
pub fn harmful(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    text.char_indices()
        .filter(|(i, c)| is_harmful(*c) || (*c == '#' && text.get(*i..).is_some_and(is_command)))
}

/// A text for the middle of a line: harmful characters are escaped as in a string literal.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    if is_harmless(text, &[]) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (i, c) in text.char_indices() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '#' if text.get(i..).is_some_and(is_command) => out.push_str("#\\"),
            c if is_harmful(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A text that is displayed elsewhere, by an editor or a program that reads our output: line feeds, tabs and prefixes
/// of log commands stay.
#[must_use]
pub fn text(text: &str) -> Cow<'_, str> {
    let is_suspicious = |b: u8| may_begin_harm(b) && !matches!(b, b'\n' | b'\t');
    if !text.bytes().any(is_suspicious) {
        return Cow::Borrowed(text);
    }
    let acts = |c: char| !matches!(c, '\n' | '\t' | '#');
    let mut out = String::new();
    let mut done = 0;
    for (at, c) in harmful(text).filter(|(_, c)| acts(*c)) {
        out.push_str(text.get(done..at).unwrap_or_default());
        let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        done = at + c.len_utf8();
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

/// A text for the start of a line: as [`line`], but never the start of a workflow command.
#[must_use]
pub fn line_start(text: &str) -> Cow<'_, str> {
    let escaped = line(text);
    if escaped.trim_start().starts_with("::") {
        Cow::Owned(escaped.replacen("::", ":\\:", 1))
    } else {
        escaped
    }
}

/// A source text for snippets: line feeds and tabs stay, harmful characters become visible, and offsets of the original
/// can be mapped.
#[derive(Clone, Debug)]
pub struct Snippet<'a> {
    /// The safe text.
    pub text: Cow<'a, str>,
    source: &'a str,
    /// The original offset after each replaced character, and by how many bytes the text is longer from there.
    longer: Vec<(usize, usize)>,
}

impl<'a> Snippet<'a> {
    /// Makes a source text safe.
    #[must_use]
    pub fn new(source: &'a str) -> Self {
        if is_harmless(source, &['\n', '\t']) {
            return Self {
                text: Cow::Borrowed(source),
                source,
                longer: Vec::new(),
            };
        }
        let mut text = String::with_capacity(source.len() + 16);
        let mut longer = Vec::new();
        for (i, c) in source.char_indices() {
            let rest = source.get(i..).unwrap_or("");
            match c {
                '\r' if rest.starts_with("\r\n") => text.push(c),
                '#' if is_command(rest) => text.push_str("#\\"),
                '\n' | '\t' => text.push(c),
                '\0'..='\x1f' => {
                    text.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('?'));
                }
                '\x7f' => text.push('\u{2421}'),
                c if is_harmful(c) => {
                    let _ = write!(text, "<U+{:04X}>", u32::from(c));
                }
                c => text.push(c),
            }
            let behind = i + c.len_utf8();
            let by = text.len() - behind;
            if by != longer.last().map_or(0, |(_, by)| *by) {
                longer.push((behind, by));
            }
        }
        Self {
            text: Cow::Owned(text),
            source,
            longer,
        }
    }

    /// Maps an offset of the original to the safe text.
    #[must_use]
    pub fn offset(&self, original: usize) -> usize {
        let at = self.longer.partition_point(|(behind, _)| *behind <= original);
        original + self.longer_by(at)
    }

    /// Maps an offset of the safe text to the original.
    #[must_use]
    pub fn original(&self, offset: usize) -> usize {
        let at = self.longer.partition_point(|(behind, by)| behind + by <= offset);
        offset.saturating_sub(self.longer_by(at))
    }

    /// How many characters of the original a range of the safe text shows.
    #[must_use]
    pub fn characters(&self, range: Range<usize>) -> usize {
        let original = self.original(range.start)..self.original(range.end);
        self.source.get(original).map_or(0, |text| text.chars().count())
    }

    fn longer_by(&self, entries: usize) -> usize {
        let last = entries.checked_sub(1).and_then(|i| self.longer.get(i));
        last.map_or(0, |(_, by)| *by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_text_lines_stay() {
        assert_eq!(
            text("a\x1b[31m\n\tb\u{202e}c\r"),
            "a\\u{1b}[31m\n\tb\\u{202e}c\\u{d}"
        );
        assert!(matches!(text("##[x] ä\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_line_shows_what_would_act() {
        assert_eq!(line("plain: ä # x"), "plain: ä # x");
        assert_eq!(
            line("a\x1b[31mb\n\u{9b}\u{202e}"),
            "a\\u{1b}[31mb\\n\\u{9b}\\u{202e}"
        );
        assert_eq!(line("##[error]x ##vso[task]"), "#\\#[error]x #\\#vso[task]");
        assert_eq!(line_start("  ::error::x"), "  :\\:error::x");
        assert_eq!(line_start("a::b"), "a::b");
    }

    #[test]
    fn a_snippet_keeps_lines_and_finds_offsets_again() {
        let source = "a\x1bb\r\n\tc\u{202e}d ##[x] é";
        let snippet = Snippet::new(source);
        assert_eq!(snippet.text, "a␛b\r\n\tc<U+202E>d #\\#[x] é");
        for (i, c) in source.char_indices().filter(|(_, c)| c.is_alphabetic()) {
            assert!(snippet.text[snippet.offset(i)..].starts_with(c), "{c}");
            assert_eq!(snippet.original(snippet.offset(i)), i);
        }
        assert_eq!(snippet.offset(source.len()), snippet.text.len());
    }

    #[test]
    fn an_innocent_snippet_is_not_copied() {
        assert!(matches!(Snippet::new("a: b\n\t# ä\n").text, Cow::Borrowed(_)));
    }
}
