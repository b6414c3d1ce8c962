//! Tokens of HCL native syntax, with the nesting of templates, heredocs and brackets resolved.
//!
//! The lexer works on one item of a file at a time: it stops behind the line end at which every
//! bracket and template is closed again. It is strict: text that is not closed ends it.
//! Rules: the HCL native syntax specification, and where that is silent what HCL's own scanner does.

mod absent;

pub(super) use absent::Absent;

use super::arena::{Comment, SyntaxError};
use crate::syntax::text::Span;

/// Deepest nesting of brackets, templates and expressions that is read.
pub(crate) const MAX_DEPTH: u32 = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Ident,
    Number,
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    OpenParen,
    CloseParen,
    Newline,
    Dot,
    Ellipsis,
    Comma,
    Colon,
    DoubleColon,
    Question,
    Assign,
    Arrow,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
    Not,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    OpenQuote,
    CloseQuote,
    OpenHeredoc,
    CloseHeredoc,
    /// Literal text of a quoted template, escapes still in it.
    Quoted,
    /// One line, or a piece of one, of a heredoc.
    Heredoc,
    /// `${` or `${~`.
    Interpolation,
    /// `%{` or `%{~`.
    Directive,
    /// The `}` or `~}` that ends either of the two.
    SequenceEnd,
    /// A character that HCL has no use for.
    Invalid,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// What lexing one item gave.
pub(super) struct Lexed {
    /// The tokens, closed by one of kind [`Kind::End`].
    pub(super) tokens: Vec<Token>,
    pub(super) comments: Vec<Comment>,
    /// Offset behind the item's last line.
    pub(super) end: usize,
    /// Offset up to which the text was looked at; `usize::MAX` where the text's end was.
    pub(super) examined: usize,
    /// Whether a line in a heredoc seems to open another one with the same marker: what ends here may
    /// have been meant to end there.
    pub(super) reopens: bool,
}

/// What lexing found to be wrong, and how far it had looked.
pub(super) struct LexError {
    pub(super) error: SyntaxError,
    pub(super) examined: usize,
}

pub(super) fn is_ident_start(c: char) -> bool {
    c == '_' || c.is_ascii_alphabetic() || (!c.is_ascii() && unicode_ident::is_xid_start(c))
}

pub(super) fn is_ident_part(c: char) -> bool {
    c == '_' || c == '-' || c.is_ascii_alphanumeric() || (!c.is_ascii() && unicode_ident::is_xid_continue(c))
}

/// Whether `name` can stand as an attribute name or an unquoted label.
#[must_use]
pub fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(is_ident_start) && chars.all(is_ident_part)
}

/// The marker of a heredoc that seems to open at the end of a line.
pub(super) fn heredoc_marker(line: &str) -> Option<&str> {
    let marker = line.get(line.rfind("<<")? + 2..)?;
    let marker = marker.strip_prefix('-').unwrap_or(marker);
    is_identifier(marker).then_some(marker)
}

/// What the lexer is inside of.
#[derive(Clone, Copy)]
enum Mode {
    Bracket,
    Quote,
    /// A heredoc: the span of its marker, and whether the next literal starts a line.
    Heredoc {
        marker: Span,
        line_start: bool,
    },
    /// A `${` or `%{` of a template.
    Sequence,
}

struct Lexer<'a, 'b> {
    text: &'a str,
    bytes: &'a [u8],
    /// Bytes behind this offset do not exist.
    limit: usize,
    at: usize,
    modes: Vec<Mode>,
    tokens: Vec<Token>,
    comments: Vec<Comment>,
    reopens: bool,
    absent: &'b mut Absent,
}

/// Lexes the item that starts at `start` (blank lines and comments before it included) and lies
/// before `limit`. All spans are offsets in `text`.
pub(super) fn lex_item(
    text: &str,
    start: usize,
    limit: usize,
    absent: &mut Absent,
) -> Result<Lexed, LexError> {
    let limit = limit.min(text.len());
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        limit,
        at: start,
        modes: Vec::new(),
        tokens: Vec::new(),
        comments: Vec::new(),
        reopens: false,
        absent,
    };
    let examined = match lexer.run() {
        Ok(examined) => examined,
        Err(error) => return Err(lexer.blame_heredoc(error)),
    };
    let end = lexer.at;
    lexer.push(Kind::End, end);
    Ok(Lexed {
        tokens: lexer.tokens,
        comments: lexer.comments,
        end,
        examined,
        reopens: lexer.reopens,
    })
}

impl<'a> Lexer<'a, '_> {
    fn byte(&self, ahead: usize) -> u8 {
        let at = self.at + ahead;
        if at < self.limit {
            self.bytes.get(at).copied().unwrap_or(0)
        } else {
            0
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..self.limit).unwrap_or("")
    }

    fn push(&mut self, kind: Kind, start: usize) {
        self.tokens.push(Token {
            kind,
            span: Span::from_usize(start, self.at),
        });
    }

    fn fail<T>(&self, start: usize, end: usize, message: &str) -> Result<T, LexError> {
        let error = SyntaxError::new(Span::from_usize(start, end.max(start)), message);
        Err(LexError {
            error,
            examined: self.line_end(end.max(self.at)),
        })
    }

    /// Offset behind the line that holds `at`; `usize::MAX` where the text ends first.
    fn line_end(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..self.limit).unwrap_or(&[]);
        memchr::memchr(b'\n', rest).map_or(usize::MAX, |found| at + found + 1)
    }

    fn enter(&mut self, mode: Mode, start: usize) -> Result<(), LexError> {
        // A template in a template takes two modes a level; the grammar holds the limit itself.
        if self.modes.len() >= 2 * MAX_DEPTH as usize {
            let span = Span::from_usize(start, self.at);
            return Err(LexError {
                error: SyntaxError::limit(span),
                examined: self.line_end(self.at),
            });
        }
        self.modes.push(mode);
        Ok(())
    }

    /// Reads tokens up to the end of the item; gives how far it looked.
    fn run(&mut self) -> Result<usize, LexError> {
        loop {
            if self.at >= self.limit {
                return match self.modes.last() {
                    Some(Mode::Quote) => {
                        self.fail(self.opening_quote(), self.limit, "this text has no closing quote")
                    }
                    Some(Mode::Heredoc { marker, .. }) => {
                        let span = *marker;
                        self.absent.remember_unclosed(self.text);
                        self.unclosed_heredoc(span)
                    }
                    _ => Ok(usize::MAX),
                };
            }
            match self.modes.last().copied() {
                Some(Mode::Quote) => self.quoted()?,
                Some(Mode::Heredoc { marker, line_start }) => self.heredoc(marker, line_start)?,
                Some(Mode::Bracket | Mode::Sequence) | None => {
                    if self.plain()? {
                        return Ok(self.at);
                    }
                }
            }
        }
    }

    /// What was wrong in a heredoc that nothing closes is that nothing closes it.
    fn blame_heredoc(&mut self, error: LexError) -> LexError {
        let open = self.modes.iter().find_map(|mode| match mode {
            Mode::Heredoc { marker, .. } => Some(*marker),
            _ => None,
        });
        let Some(marker) = open else { return error };
        self.absent.remember_unclosed(self.text);
        if self
            .absent
            .may_close(marker.slice(self.text), marker.end as usize)
        {
            return error;
        }
        match self.unclosed_heredoc::<()>(marker) {
            Err(unclosed) => unclosed,
            Ok(()) => error,
        }
    }

    fn unclosed_heredoc<T>(&self, marker: Span) -> Result<T, LexError> {
        let message = format!(
            "no line ends this text: expected a line with only {}",
            marker.slice(self.text)
        );
        Err(LexError {
            error: SyntaxError::new(marker, &message),
            examined: usize::MAX,
        })
    }

    /// One token outside of literal text; whether it ended the item.
    fn plain(&mut self) -> Result<bool, LexError> {
        let start = self.at;
        let c = self.byte(0);
        let kind = match c {
            b' ' | b'\t' => {
                self.at += 1;
                return Ok(false);
            }
            b'\n' => {
                self.at += 1;
                return Ok(self.newline(start));
            }
            b'\r' if self.byte(1) == b'\n' => {
                self.at += 2;
                return Ok(self.newline(start));
            }
            b'#' => return Ok(self.line_comment()),
            b'/' if self.byte(1) == b'/' => return Ok(self.line_comment()),
            b'/' if self.byte(1) == b'*' => {
                match self
                    .absent
                    .comment_end(self.text, self.at + 2)
                    .filter(|end| *end <= self.limit)
                {
                    Some(end) => {
                        self.comments.push(Comment {
                            span: Span::from_usize(start, end),
                        });
                        self.at = end;
                    }
                    None => {
                        let mut failed =
                            self.fail::<bool>(start, start + 2, "this comment has no closing */");
                        if let Err(error) = &mut failed {
                            error.examined = usize::MAX;
                        }
                        return failed;
                    }
                }
                return Ok(false);
            }
            b'{' | b'[' | b'(' => {
                self.at += 1;
                self.enter(Mode::Bracket, start)?;
                match c {
                    b'{' => Kind::OpenBrace,
                    b'[' => Kind::OpenBracket,
                    _ => Kind::OpenParen,
                }
            }
            b'}' => {
                self.at += 1;
                if let Some(Mode::Sequence) = self.modes.pop() {
                    Kind::SequenceEnd
                } else {
                    Kind::CloseBrace
                }
            }
            b'~' if self.byte(1) == b'}' => {
                self.at += 2;
                self.modes.pop();
                Kind::SequenceEnd
            }
            b']' | b')' => {
                self.at += 1;
                if matches!(self.modes.last(), Some(Mode::Bracket)) {
                    self.modes.pop();
                }
                if c == b']' {
                    Kind::CloseBracket
                } else {
                    Kind::CloseParen
                }
            }
            b'"' => {
                self.at += 1;
                self.enter(Mode::Quote, start)?;
                Kind::OpenQuote
            }
            b'<' if self.byte(1) == b'<' => match self.heredoc_opening() {
                Some((marker, end)) => {
                    self.at = end;
                    if !self.absent.may_close(marker.slice(self.text), end) {
                        return self.unclosed_heredoc(marker);
                    }
                    self.enter(
                        Mode::Heredoc {
                            marker,
                            line_start: true,
                        },
                        start,
                    )?;
                    Kind::OpenHeredoc
                }
                None => self.take(1, Kind::Less),
            },
            b'0'..=b'9' => {
                self.number();
                Kind::Number
            }
            b'.' if self.byte(1) == b'.' && self.byte(2) == b'.' => self.take(3, Kind::Ellipsis),
            b'.' => self.take(1, Kind::Dot),
            b',' => self.take(1, Kind::Comma),
            b':' if self.byte(1) == b':' => self.take(2, Kind::DoubleColon),
            b':' => self.take(1, Kind::Colon),
            b'?' => self.take(1, Kind::Question),
            b'=' if self.byte(1) == b'=' => self.take(2, Kind::Equal),
            b'=' if self.byte(1) == b'>' => self.take(2, Kind::Arrow),
            b'=' => self.take(1, Kind::Assign),
            b'!' if self.byte(1) == b'=' => self.take(2, Kind::NotEqual),
            b'!' => self.take(1, Kind::Not),
            b'<' if self.byte(1) == b'=' => self.take(2, Kind::LessEqual),
            b'<' => self.take(1, Kind::Less),
            b'>' if self.byte(1) == b'=' => self.take(2, Kind::GreaterEqual),
            b'>' => self.take(1, Kind::Greater),
            b'&' if self.byte(1) == b'&' => self.take(2, Kind::And),
            b'|' if self.byte(1) == b'|' => self.take(2, Kind::Or),
            b'+' => self.take(1, Kind::Plus),
            b'-' => self.take(1, Kind::Minus),
            b'*' => self.take(1, Kind::Star),
            b'/' => self.take(1, Kind::Slash),
            b'%' => self.take(1, Kind::Percent),
            _ => {
                let Some(first) = self.rest().chars().next() else {
                    return Ok(false);
                };
                let rest = self.rest();
                if is_ident_start(first) {
                    self.at += rest.find(|c| !is_ident_part(c)).unwrap_or(rest.len());
                    Kind::Ident
                } else {
                    self.at += first.len_utf8();
                    Kind::Invalid
                }
            }
        };
        self.push(kind, start);
        Ok(false)
    }

    fn take(&mut self, bytes: usize, kind: Kind) -> Kind {
        self.at += bytes;
        kind
    }

    /// A line end; ends the item if nothing is open and something came before.
    fn newline(&mut self, start: usize) -> bool {
        self.push(Kind::Newline, start);
        self.modes.is_empty() && self.tokens.iter().any(|t| t.kind != Kind::Newline)
    }

    fn line_comment(&mut self) -> bool {
        let start = self.at;
        let rest = self.rest();
        let line = rest.find('\n');
        let length = line.unwrap_or(rest.len());
        let comment = rest.get(..length).unwrap_or("");
        let visible = comment.strip_suffix('\r').unwrap_or(comment).len();
        self.comments.push(Comment {
            span: Span::from_usize(start, start + visible),
        });
        self.at = start + length;
        if line.is_none() {
            return false;
        }
        self.at += 1;
        self.newline(start + visible)
    }

    /// A number: digits, dots between digits, exponents. Two dots make it one wrong number, not two.
    fn number(&mut self) {
        self.at += 1;
        loop {
            match self.byte(0) {
                b'0'..=b'9' => self.at += 1,
                b'.' => {
                    let mut dots = 1;
                    while self.byte(dots) == b'.' {
                        dots += 1;
                    }
                    if !self.continues_number(dots) {
                        return;
                    }
                    self.at += dots;
                }
                b'e' | b'E' if self.continues_number(0) => {
                    self.at += if self.byte(1).is_ascii_digit() { 2 } else { 3 };
                }
                _ => return,
            }
        }
    }

    fn continues_number(&self, ahead: usize) -> bool {
        match self.byte(ahead) {
            b'0'..=b'9' => true,
            b'e' | b'E' => {
                self.byte(ahead + 1).is_ascii_digit()
                    || (matches!(self.byte(ahead + 1), b'+' | b'-') && self.byte(ahead + 2).is_ascii_digit())
            }
            _ => false,
        }
    }

    /// `<<MARKER` or `<<-MARKER` at a line's end: the marker and the offset of the next line.
    fn heredoc_opening(&self) -> Option<(Span, usize)> {
        let after = if self.byte(2) == b'-' { 3 } else { 2 };
        let rest = self.rest().get(after..)?;
        if !rest.chars().next().is_some_and(is_ident_start) {
            return None;
        }
        let length = rest.find(|c| !is_ident_part(c))?;
        let tail = rest.get(length..)?;
        let line_end = if tail.starts_with('\n') {
            1
        } else if tail.starts_with("\r\n") {
            2
        } else {
            return None;
        };
        let start = self.at + after;
        Some((Span::from_usize(start, start + length), start + length + line_end))
    }

    /// Whether a template sequence opens here: its length and kind.
    fn sequence(&self) -> Option<(usize, Kind)> {
        let kind = match self.byte(0) {
            b'$' => Kind::Interpolation,
            b'%' => Kind::Directive,
            _ => return None,
        };
        (self.byte(1) == b'{').then(|| (if self.byte(2) == b'~' { 3 } else { 2 }, kind))
    }

    fn open_sequence(&mut self, length: usize, kind: Kind) -> Result<(), LexError> {
        let start = self.at;
        self.at += length;
        self.push(kind, start);
        self.enter(Mode::Sequence, start)
    }

    /// `$${` or `%%{`, which stand for `${` and `%{` as text.
    fn escaped_sequence(&self) -> bool {
        matches!(self.byte(0), b'$' | b'%') && self.byte(1) == self.byte(0) && self.byte(2) == b'{'
    }

    fn quoted(&mut self) -> Result<(), LexError> {
        if let Some((length, kind)) = self.sequence() {
            return self.open_sequence(length, kind);
        }
        let start = self.at;
        if self.byte(0) == b'"' {
            self.at += 1;
            self.modes.pop();
            self.push(Kind::CloseQuote, start);
            return Ok(());
        }
        while self.at < self.limit {
            match self.byte(0) {
                b'\n' | b'\r' => {
                    return self.fail(
                        self.opening_quote(),
                        self.at,
                        "this text has no closing quote on its line; use a heredoc for several lines",
                    );
                }
                b'"' => break,
                b'\\' => {
                    self.at += 1;
                    match self.rest().chars().next() {
                        Some('\n' | '\r') | None => {}
                        Some(c) => self.at += c.len_utf8(),
                    }
                }
                _ if self.escaped_sequence() => self.at += 3,
                _ if self.sequence().is_some() => break,
                _ => self.at += 1,
            }
        }
        self.push(Kind::Quoted, start);
        Ok(())
    }

    /// Start of the innermost quote that is still open.
    fn opening_quote(&self) -> usize {
        let mut closed = 0;
        for token in self.tokens.iter().rev() {
            match token.kind {
                Kind::CloseQuote => closed += 1,
                Kind::OpenQuote if closed == 0 => return token.span.start as usize,
                Kind::OpenQuote => closed -= 1,
                _ => {}
            }
        }
        self.at
    }

    fn heredoc(&mut self, marker: Span, line_start: bool) -> Result<(), LexError> {
        let start = self.at;
        if let Some((length, kind)) = self.sequence() {
            self.mid_line();
            return self.open_sequence(length, kind);
        }
        if line_start {
            let rest = self.rest();
            let line = rest.find('\n').map(|end| rest.get(..=end).unwrap_or(""));
            if let Some(line) = line
                && line.trim() == marker.slice(self.text)
            {
                let ending = if line.ends_with("\r\n") { 2 } else { 1 };
                self.at = start + line.len() - ending;
                self.modes.pop();
                self.push(Kind::CloseHeredoc, start);
                return Ok(());
            }
        }
        while self.at < self.limit {
            match self.byte(0) {
                b'\n' => {
                    self.at += 1;
                    self.push(Kind::Heredoc, start);
                    let line = self.text.get(start..self.at).unwrap_or("");
                    self.reopens |= heredoc_marker(line.trim_end()) == Some(marker.slice(self.text));
                    if let Some(Mode::Heredoc { line_start, .. }) = self.modes.last_mut() {
                        *line_start = true;
                    }
                    return Ok(());
                }
                b'\r' if self.byte(1) != b'\n' => {
                    return self.fail(self.at, self.at + 1, &invalid_character('\r'));
                }
                _ if self.escaped_sequence() => self.at += 3,
                _ if self.sequence().is_some() => break,
                _ => self.at += 1,
            }
        }
        self.push(Kind::Heredoc, start);
        self.mid_line();
        Ok(())
    }

    fn mid_line(&mut self) {
        if let Some(Mode::Heredoc { line_start, .. }) = self.modes.last_mut() {
            *line_start = false;
        }
    }
}

/// Why a character can't stand where it does.
pub(super) fn invalid_character(c: char) -> String {
    match c {
        '\'' => "single quotes do not enclose text in HCL; use double quotes".to_owned(),
        '`' => "backticks do not enclose text in HCL; use double quotes or a heredoc".to_owned(),
        '“' | '”' | '„' => {
            "typographic quotes do not enclose text; use straight double quotes".to_owned()
        }
        ';' => "`;` does not separate anything in HCL; use a new line, or commas inside brackets".to_owned(),
        '&' => "`&` is no operator; `&&` is the logical and".to_owned(),
        '|' => "`|` is no operator; `||` is the logical or".to_owned(),
        '~' | '^' => format!("`{c}` is no operator of HCL"),
        '\r' => "a carriage return must be followed by a line feed".to_owned(),
        c => format!("the character {} has no meaning here", c.escape_debug()),
    }
}
