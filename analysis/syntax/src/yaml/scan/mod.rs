//! Text to tokens, by the rules that libyaml and its ports share: YAML 1.1 as Tazuna, kapp and Ankaios read it.
//! What they reject is rejected here with their messages, and nothing else.

mod keys;
mod properties;
mod scalars;

use std::collections::VecDeque;

use super::Libyaml;
use super::node::Style;
use super::tree::{Comment, SyntaxErrorKind};
use crate::text::Span;

/// The maximum number of characters between the start of a key without `?` and its `:`.
const MAX_SIMPLE_KEY: usize = 1024;

/// The byte-order mark.
const MARK: &[u8] = "\u{feff}".as_bytes();

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    StreamEnd,
    VersionDirective,
    TagDirective,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias,
    Anchor,
    Tag,
    Scalar(Style),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Content indentation of a block scalar, whether a plain one has several lines, or the index of a tag in
    /// [`Scanner::tags`].
    pub(super) extra: usize,
}

/// Why reading stopped.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) kind: SyntaxErrorKind,
    /// Where it was noticed.
    pub(super) at: usize,
    /// Where the broken construct began.
    pub(super) context: Option<usize>,
    /// Whether the fault is at the end of the text; go-yaml counts that as one more line.
    pub(super) at_end: bool,
    pub(super) message: &'static str,
}

type Scan<T> = Result<T, Fault>;

/// A place where a key without `?` may have started; one for each level of brackets.
#[derive(Clone, Copy, Default)]
struct SimpleKey {
    possible: bool,
    required: bool,
    /// Set once an empty pair of brackets at this place was read: go-yaml then no longer expects the colon.
    forgotten: bool,
    token: usize,
    at: usize,
    line: usize,
    column: usize,
}

/// A tag as written: handle and suffix, or an empty handle and the whole tag. For a `%TAG` line
/// handle and prefix.
#[derive(Clone, Debug, Default)]
pub(super) struct TagText {
    pub(super) handle: String,
    pub(super) suffix: String,
}

pub(super) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: usize,
    line_start: usize,
    /// By how many bytes a byte-order mark at the start of the line exceeds the column that it counts as.
    mark_excess: usize,
    indent: isize,
    indents: Vec<isize>,
    key_allowed: bool,
    keys: Vec<SimpleKey>,
    queue: VecDeque<Token>,
    /// Tokens handed out so far.
    taken: usize,
    max_depth: usize,
    libyaml: Libyaml,
    /// Whether the end was read, which counts as a line of its own if the last one has no break.
    has_ended: bool,
    pub(super) comments: Vec<Comment>,
    pub(super) tags: Vec<TagText>,
}

/// Length of the line break at `at`, 0 if there is none. YAML 1.1 counts NEL, LS and PS as well.
pub(super) fn break_len(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(b'\n') => 1,
        Some(b'\r') => 1 + usize::from(bytes.get(at + 1) == Some(&b'\n')),
        Some(0xC2) if bytes.get(at + 1) == Some(&0x85) => 2,
        Some(0xE2) if bytes.get(at + 1) == Some(&0x80) && matches!(bytes.get(at + 2), Some(0xA8 | 0xA9)) => 3,
        _ => 0,
    }
}

/// The end of the line that starts at `at`, before its break.
pub(super) fn line_end(bytes: &[u8], mut at: usize) -> usize {
    let is_plain = |byte: u8| !matches!(byte, b'\n' | b'\r' | 0xC2 | 0xE2);
    loop {
        at += run(bytes, at, is_plain);
        if at >= bytes.len() || break_len(bytes, at) > 0 {
            return at;
        }
        at += 1;
    }
}

/// The first character that the reader rejects anywhere, if any.
pub(super) fn bad_character(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let suspicious =
        |b: u8| (b < 0x20 && b != b'\t' && b != b'\n' && b != b'\r') || b == 0x7F || b == 0xC2 || b == 0xEF;
    let mut base = 0;
    for chunk in bytes.chunks(64) {
        if chunk.iter().fold(false, |any, b| any | suspicious(*b)) {
            for (i, b) in chunk.iter().enumerate().filter(|(_, b)| suspicious(**b)) {
                let next = bytes.get(base + i + 1).copied().unwrap_or(0);
                let refused = match b {
                    0xC2 => next < 0xA0 && next != 0x85,
                    0xEF => next == 0xBF && bytes.get(base + i + 2).is_some_and(|b| *b >= 0xBE),
                    _ => true,
                };
                if refused {
                    return Some(base + i);
                }
            }
        }
        base += chunk.len();
    }
    None
}

/// The number of bytes that go-yaml decodes at a time.
const DECODED: usize = 512;
/// The number of characters that it examines to recognize a marker.
const MARKER: usize = 4;

/// How far go-yaml has decoded a text when it has consumed everything before `at`: to the end of the piece that
/// contains the marker it looks for there. A character that is split between pieces belongs to the next one.
pub(super) fn decoded(text: &str, at: usize) -> usize {
    let (mut read, mut done) = (0, 0);
    while done < at + MARKER && read < text.len() {
        read = text.len().min(done + DECODED);
        done = text.floor_char_boundary(read);
    }
    done
}

/// The number of bytes from `at` on for which `is_so` holds.
fn run(bytes: &[u8], at: usize, is_so: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().position(|byte| !is_so(*byte)).unwrap_or(rest.len())
}

fn is_word(byte: Option<&u8>) -> bool {
    byte.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

impl<'a> Scanner<'a> {
    /// `max_depth` limits both brackets and indentation levels.
    pub(super) fn new(text: &'a str, max_depth: usize, libyaml: Libyaml) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            line: 0,
            line_start: 0,
            mark_excess: 0,
            indent: -1,
            indents: Vec::new(),
            key_allowed: true,
            keys: vec![SimpleKey::default()],
            queue: VecDeque::new(),
            taken: 0,
            max_depth,
            libyaml,
            has_ended: false,
            comments: Vec::new(),
            tags: Vec::new(),
        }
    }

    /// How much of the text was consumed.
    pub(super) const fn reached(&self) -> usize {
        self.at
    }

    /// The next token, left in place.
    pub(super) fn peek(&mut self) -> Scan<Token> {
        loop {
            if let Some(token) = self.queue.front().copied() {
                let head = self.taken;
                let Some(level) = self
                    .keys
                    .iter()
                    .position(|k| k.possible && !k.forgotten && k.token == head)
                else {
                    return Ok(token);
                };
                // The first token may still turn out to be a key.
                if !self.key_is_valid(level)? {
                    return Ok(token);
                }
            }
            self.fetch()?;
        }
    }

    /// Takes the token that [`peek`](Self::peek) returned.
    pub(super) fn take(&mut self) {
        if self.queue.pop_front().is_some() {
            self.taken += 1;
        }
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn column(&self) -> usize {
        self.at - self.line_start - self.mark_excess
    }

    fn break_len(&self, ahead: usize) -> usize {
        break_len(self.bytes, self.at + ahead)
    }

    fn blank(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), Some(b' ' | b'\t'))
    }

    fn break_or_end(&self, ahead: usize) -> bool {
        self.at + ahead >= self.bytes.len() || self.break_len(ahead) > 0
    }

    fn blank_or_end(&self, ahead: usize) -> bool {
        self.blank(ahead) || self.break_or_end(ahead)
    }

    fn new_line(&mut self) {
        let len = self.break_len(0);
        if len > 0 {
            self.at += len;
            self.line += 1;
            self.line_start = self.at;
            self.mark_excess = 0;
        }
    }

    fn fault<T>(&self, context: Option<usize>, message: &'static str) -> Scan<T> {
        Err(Fault {
            kind: SyntaxErrorKind::Scanner,
            at: self.at,
            context,
            at_end: false,
            message,
        })
    }

    fn limit<T>(&self) -> Scan<T> {
        Err(Fault {
            kind: SyntaxErrorKind::Limit,
            at: self.at,
            context: None,
            at_end: false,
            message: "nested too deeply",
        })
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        self.queue.push_back(Token {
            kind,
            start,
            end: self.at,
            extra: 0,
        });
    }

    /// Inserts before the token of this number; at the end if that was taken already.
    fn insert(&mut self, number: usize, token: Token) {
        let at = number
            .checked_sub(self.taken)
            .map_or(self.queue.len(), |at| at.min(self.queue.len()));
        self.queue.insert(at, token);
    }

    /// Whether the rules of libyaml 0.2 apply.
    fn is_new(&self) -> bool {
        self.libyaml == Libyaml::New
    }

    fn in_flow(&self) -> bool {
        self.keys.len() > 1
    }

    fn marker(&self) -> bool {
        self.column() == 0
            && matches!(self.bytes.get(self.at..self.at + 3), Some(b"---" | b"..."))
            && self.blank_or_end(3)
    }

    fn skip_to_token(&mut self) {
        loop {
            self.skip_mark();
            let takes_tabs = self.in_flow() || !self.key_allowed;
            self.at += run(self.bytes, self.at, |byte| {
                byte == b' ' || takes_tabs && byte == b'\t'
            });
            if self.byte(0) == Some(b'#') {
                let start = self.at;
                self.skip_line();
                let before = self.bytes.get(self.line_start..start).unwrap_or(&[]);
                let before = before.strip_prefix(MARK).unwrap_or(before);
                self.comments.push(Comment {
                    span: Span::from_usize(start, self.at),
                    trailing: before.iter().any(|b| !matches!(b, b' ' | b'\t')),
                });
            }
            if self.break_len(0) == 0 {
                return;
            }
            self.new_line();
            if !self.in_flow() {
                self.key_allowed = true;
            }
        }
    }

    /// A byte-order mark may start a line, as in concatenated files, and counts as a column. go-yaml looks for
    /// it at the start of its buffer instead. One that starts the text was removed.
    fn skip_mark(&mut self) {
        let is_start = self.at > 0 && self.at == self.line_start;
        let rest = || self.bytes.get(self.at..).unwrap_or_default();
        if is_start && self.is_new() && rest().starts_with(MARK) {
            self.at += MARK.len();
            self.mark_excess = MARK.len() - 1;
        }
    }

    fn skip_line(&mut self) {
        self.at = line_end(self.bytes, self.at);
    }

    fn fetch(&mut self) -> Scan<()> {
        self.skip_to_token();
        self.unroll(self.column().cast_signed());
        let start = self.at;
        let Some(byte) = self.byte(0) else {
            return self.stream_end();
        };
        if self.column() == 0 && byte == b'%' {
            return self.directive();
        }
        if self.marker() {
            self.unroll(-1);
            self.drop_key()?;
            self.key_allowed = false;
            self.at += 3;
            self.push(
                if byte == b'-' {
                    TokenKind::DocumentStart
                } else {
                    TokenKind::DocumentEnd
                },
                start,
            );
            return Ok(());
        }
        match byte {
            b'[' => self.flow_start(TokenKind::FlowSequenceStart),
            b'{' => self.flow_start(TokenKind::FlowMappingStart),
            b']' => self.flow_end(TokenKind::FlowSequenceEnd),
            b'}' => self.flow_end(TokenKind::FlowMappingEnd),
            b',' => {
                self.drop_key()?;
                self.key_allowed = true;
                self.at += 1;
                self.push(TokenKind::FlowEntry, start);
                Ok(())
            }
            b'-' if self.blank_or_end(1) => self.indicator(
                TokenKind::BlockEntry,
                TokenKind::BlockSequenceStart,
                "block sequence entries are not allowed in this context",
            ),
            b'?' if self.in_flow() || self.blank_or_end(1) => self.indicator(
                TokenKind::Key,
                TokenKind::BlockMappingStart,
                "mapping keys are not allowed in this context",
            ),
            b':' if self.in_flow() || self.blank_or_end(1) => self.value(),
            b'*' => self.anchor(TokenKind::Alias),
            b'&' => self.anchor(TokenKind::Anchor),
            b'!' => self.tag(),
            b'|' if !self.in_flow() => self.block_scalar(Style::Literal),
            b'>' if !self.in_flow() => self.block_scalar(Style::Folded),
            b'\'' => self.quoted(Style::SingleQuoted),
            b'"' => self.quoted(Style::DoubleQuoted),
            b'-' if !self.blank(1) => self.plain(),
            b'?' | b':' if !self.in_flow() => self.plain(),
            b' ' | b'\t' | b'-' | b'?' | b':' | b'#' | b'|' | b'>' | b'%' | b'@' | b'`' => {
                self.fault(Some(start), "found character that cannot start any token")
            }
            _ => self.plain(),
        }
    }

    fn stream_end(&mut self) -> Scan<()> {
        self.has_ended = true;
        if self.column() != 0 {
            self.line += 1;
            self.line_start = self.at;
            self.mark_excess = 0;
        }
        self.unroll(-1);
        self.drop_key().map_err(|fault| Fault {
            at_end: true,
            ..fault
        })?;
        self.key_allowed = false;
        self.push(TokenKind::StreamEnd, self.at);
        Ok(())
    }

    fn flow_start(&mut self, kind: TokenKind) -> Scan<()> {
        self.save_key()?;
        self.keys.push(SimpleKey {
            token: self.taken + self.queue.len(),
            ..SimpleKey::default()
        });
        if self.keys.len() > self.max_depth {
            return self.limit();
        }
        self.key_allowed = true;
        self.at += 1;
        self.push(kind, self.at - 1);
        Ok(())
    }

    fn flow_end(&mut self, kind: TokenKind) -> Scan<()> {
        self.drop_key()?;
        if self.in_flow()
            && let Some(closed) = self.keys.pop()
            && let Some(outer) = self.keys.last_mut()
            && outer.token == closed.token
            && self.libyaml == Libyaml::Old
        {
            outer.forgotten = true;
        }
        self.key_allowed = false;
        self.at += 1;
        self.push(kind, self.at - 1);
        Ok(())
    }

    /// `-` and `?`.
    fn indicator(&mut self, kind: TokenKind, opens: TokenKind, refused: &'static str) -> Scan<()> {
        if !self.in_flow() {
            if !self.key_allowed {
                return self.fault(None, refused);
            }
            self.roll(self.column(), opens, None, self.at)?;
        }
        self.drop_key()?;
        self.key_allowed = kind == TokenKind::BlockEntry || !self.in_flow();
        self.at += 1;
        self.push(kind, self.at - 1);
        Ok(())
    }

    fn value(&mut self) -> Scan<()> {
        let level = self.keys.len() - 1;
        if self.key_is_valid(level)? {
            let key = self.keys.last().copied().unwrap_or_default();
            let token = Token {
                kind: TokenKind::Key,
                start: key.at,
                end: key.at,
                extra: 0,
            };
            self.insert(key.token, token);
            self.roll(key.column, TokenKind::BlockMappingStart, Some(key.token), key.at)?;
            if let Some(key) = self.keys.last_mut() {
                key.possible = false;
            }
            self.key_allowed = false;
        } else {
            if !self.in_flow() {
                if !self.key_allowed {
                    return self.fault(None, "mapping values are not allowed in this context");
                }
                self.roll(self.column(), TokenKind::BlockMappingStart, None, self.at)?;
            }
            self.key_allowed = !self.in_flow();
        }
        self.at += 1;
        self.push(TokenKind::Value, self.at - 1);
        Ok(())
    }
}
