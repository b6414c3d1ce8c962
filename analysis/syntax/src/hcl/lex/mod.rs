//! Tokens of HCL native syntax, with the nesting of templates, heredocs and brackets resolved.
//!
//! The lexer works on one item of a file at a time: it stops after the line end at which every bracket and
//! template is closed again. It is strict: text that is not closed ends it. Rules: the HCL native syntax
//! specification, and where that is not specific, the behavior of HCL's own scanner.

mod absent;
mod literal;
mod token;

pub(super) use absent::Absent;
pub use token::is_identifier;
pub(super) use token::{Kind, Token, heredoc_marker, invalid_character, is_ident_part, is_ident_start};

use super::arena::{Comment, SyntaxError};
use crate::text::Span;

/// Deepest nesting of brackets, templates and expressions that is read.
pub(crate) const MAX_DEPTH: u32 = 200;

/// The result of lexing one item.
pub(super) struct Lexed {
    /// The tokens, closed by one of kind [`Kind::End`].
    pub(super) tokens: Vec<Token>,
    pub(super) comments: Vec<Comment>,
    /// Offset after the item's last line.
    pub(super) end: usize,
    /// Offset up to which the text was examined; `usize::MAX` if its end was reached.
    pub(super) examined: usize,
    /// Whether a line in a heredoc seems to open another one with the same marker: what ends here may
    /// have been meant to end there.
    pub(super) reopens: bool,
}

/// An error found in lexing, and how far the text was examined.
pub(super) struct LexError {
    pub(super) error: SyntaxError,
    pub(super) examined: usize,
}

/// What the lexer is inside.
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
    /// Bytes after this offset do not exist.
    limit: usize,
    /// Where the item starts.
    first: usize,
    at: usize,
    modes: Vec<Mode>,
    tokens: Vec<Token>,
    comments: Vec<Comment>,
    /// Whether anything but line ends and comments was read.
    started: bool,
    reopens: bool,
    absent: &'b mut Absent,
}

/// Lexes the item that starts at `start` (including blank lines and comments before it) and is before `limit`.
/// All spans are offsets in `text`.
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
        first: start,
        at: start,
        modes: Vec::new(),
        tokens: Vec::new(),
        comments: Vec::new(),
        started: false,
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
        self.started |= kind != Kind::Newline;
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

    /// Offset after the line that contains `at`; `usize::MAX` if the text ends first.
    fn line_end(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..self.limit).unwrap_or(&[]);
        memchr::memchr(b'\n', rest).map_or(usize::MAX, |found| at + found + 1)
    }

    fn enter(&mut self, mode: Mode, start: usize) -> Result<(), LexError> {
        // A template in a template takes two modes per level; the grammar enforces the limit itself.
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

    /// Reads tokens up to the end of the item; returns how far it looked.
    fn run(&mut self) -> Result<usize, LexError> {
        loop {
            if self.at >= self.limit {
                return match self.modes.last() {
                    Some(Mode::Quote) => self.fail(self.opening_quote(), self.limit, "unterminated string"),
                    Some(Mode::Heredoc { marker, .. }) => {
                        let span = *marker;
                        self.absent
                            .remember_unclosed(self.text.get(..self.limit).unwrap_or(""), self.first);
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

    /// The error in an unclosed heredoc is that it is not closed.
    fn blame_heredoc(&mut self, error: LexError) -> LexError {
        let open = self.modes.iter().find_map(|mode| match mode {
            Mode::Heredoc { marker, .. } => Some(*marker),
            _ => None,
        });
        let Some(marker) = open else { return error };
        self.absent
            .remember_unclosed(self.text.get(..self.limit).unwrap_or(""), self.first);
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
            "unterminated heredoc: expected a line with only {}",
            marker.slice(self.text)
        );
        Err(LexError {
            error: SyntaxError::new(marker, &message),
            examined: usize::MAX,
        })
    }

    /// One token outside literal text; returns whether it ended the item.
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
                let visible = self.text.get(..self.limit).unwrap_or("");
                match self.absent.comment_end(visible, self.at + 2) {
                    Some(end) => {
                        self.comments.push(Comment {
                            span: Span::from_usize(start, end),
                        });
                        self.at = end;
                    }
                    None => {
                        let mut failed =
                            self.fail::<bool>(start, start + 2, "unterminated comment: missing `*/`");
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
        self.modes.is_empty() && self.started
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
}
