//! Splits a template into tokens, with the delimiters `{{` and `}}`.

use super::format::{describe_char, quote};
use crate::text::Span;
use regex::Regex;
use std::sync::OnceLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    LeftDelim,
    RightDelim,
    Space,
    Pipe,
    Assign,
    Declare,
    LeftParen,
    RightParen,
    /// A printable character with no meaning of its own, such as a comma.
    Char,
    CharConstant,
    Number,
    Complex,
    String,
    RawString,
    Bool,
    Dot,
    Field,
    Variable,
    Identifier,
    Nil,
    Block,
    Break,
    Continue,
    Define,
    Else,
    End,
    If,
    Range,
    Template,
    With,
    Error,
    Eof,
}

impl Kind {
    pub(super) const fn is_keyword(self) -> bool {
        matches!(
            self,
            Self::Dot
                | Self::Nil
                | Self::Block
                | Self::Break
                | Self::Continue
                | Self::Define
                | Self::Else
                | Self::End
                | Self::If
                | Self::Range
                | Self::Template
                | Self::With
        )
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// For delimiters with a trim marker, marker included.
    pub(super) span: Span,
}

/// The tokens of a template. The last is [`Kind::Eof`]; at most one is [`Kind::Error`], and then
/// only the end follows it.
#[derive(Debug)]
pub(super) struct Tokens {
    pub(super) list: Vec<Token>,
    pub(super) error: String,
}

pub(super) const LEFT: &str = "{{";
pub(super) const RIGHT: &str = "}}";
const SPACES: [char; 4] = [' ', '\t', '\r', '\n'];

pub(super) fn lex(text: &str) -> Tokens {
    let mut lexer = Lexer {
        text,
        pos: 0,
        out: Tokens {
            list: Vec::new(),
            error: String::new(),
        },
    };
    if lexer.run().is_err() {
        lexer.pos = text.len();
    }
    lexer.push(Kind::Eof, text.len());
    lexer.out
}

/// The spans of all actions, comments included, as far as the text can be split into them; an
/// action that never ends covers the rest of its line.
pub(super) fn actions(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut at = 0;
    // What failed once is not tried again from a later start, so that the work is linear.
    let mut failed_until = 0;
    while let Some(left) = rest(text, at).find(LEFT) {
        let start = at + left;
        let mut end = None;
        if start >= failed_until {
            let mut inside = Lexer {
                text,
                pos: start,
                out: Tokens {
                    list: Vec::new(),
                    error: String::new(),
                },
            };
            end = inside.end_of_action();
            if end.is_none() {
                failed_until = inside.pos;
            }
        }
        let end = end.unwrap_or_else(|| {
            let line = rest(text, start).lines().next().unwrap_or("");
            start + line.find(RIGHT).map_or(line.len(), |n| n + RIGHT.len())
        });
        found.push(Span::from_usize(start, end));
        at = end;
    }
    found
}

fn rest(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or("")
}

fn is_space(c: char) -> bool {
    SPACES.contains(&c)
}

/// Letter, digit or underscore. The Unicode classes are those of Go (`L` and `Nd`), which are
/// narrower than Rust's "alphabetic".
fn is_alphanumeric(c: char) -> bool {
    static LETTERS: OnceLock<Option<Regex>> = OnceLock::new();
    if c.is_ascii() {
        return c == '_' || c.is_ascii_alphanumeric();
    }
    let letters = LETTERS.get_or_init(|| Regex::new(r"^[\p{L}\p{Nd}]$").ok());
    letters
        .as_ref()
        .is_some_and(|re| re.is_match(c.encode_utf8(&mut [0; 4])))
}

struct Failed;

struct Lexer<'a> {
    text: &'a str,
    pos: usize,
    out: Tokens,
}

impl Lexer<'_> {
    fn run(&mut self) -> Result<(), Failed> {
        loop {
            let start = self.pos;
            let Some(found) = self.rest().find(LEFT) else {
                self.pos = self.text.len();
                if self.pos > start {
                    self.push(Kind::Text, start);
                }
                return Ok(());
            };
            let delim = start + found;
            let trims = has_left_marker(rest(self.text, delim + LEFT.len()));
            let before = self.text.get(start..delim).unwrap_or("");
            let kept = if trims {
                before.trim_end_matches(SPACES)
            } else {
                before
            };
            self.pos = start + kept.len();
            if !kept.is_empty() {
                self.push(Kind::Text, start);
            }
            self.pos = delim + LEFT.len() + if trims { 2 } else { 0 };
            if self.rest().starts_with("/*") {
                self.comment()?;
            } else {
                self.push(Kind::LeftDelim, delim);
                self.action()?;
            }
        }
    }

    fn rest(&self) -> &str {
        rest(self.text, self.pos)
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.pos += c.len_utf8();
        Some(c)
    }

    fn push(&mut self, kind: Kind, start: usize) {
        self.out.list.push(Token {
            kind,
            span: Span::from_usize(start, self.pos),
        });
    }

    fn fail(&mut self, start: usize, message: String) -> Failed {
        self.out.error = message;
        self.push(Kind::Error, start);
        Failed
    }

    fn comment(&mut self) -> Result<(), Failed> {
        let start = self.pos;
        self.pos += 2;
        let Some(close) = self.rest().find("*/") else {
            let failed = self.fail(start, "unclosed comment".into());
            self.pos = self.text.len();
            return Err(failed);
        };
        self.pos += close + 2;
        let Some(trims) = self.at_right() else {
            return Err(self.fail(start, "comment ends before closing delimiter".into()));
        };
        self.skip_right(trims);
        Ok(())
    }

    /// Where the action or comment that starts at the current position ends.
    fn end_of_action(&mut self) -> Option<usize> {
        self.pos += LEFT.len();
        if has_left_marker(self.rest()) {
            self.pos += 2;
        }
        let closed = if self.rest().starts_with("/*") {
            self.comment()
        } else {
            self.action()
        };
        // Trimmed spaces after the delimiter belong to the text, not to the action.
        let end = rest(self.text, 0).get(..self.pos)?.trim_end_matches(SPACES).len();
        closed.ok().map(|()| end)
    }

    /// Whether a right delimiter is here, and if so, whether it trims.
    fn at_right(&self) -> Option<bool> {
        let rest = self.rest();
        let trims = rest.strip_prefix(SPACES).and_then(|r| r.strip_prefix('-'));
        if trims.is_some_and(|r| r.starts_with(RIGHT)) {
            Some(true)
        } else {
            rest.starts_with(RIGHT).then_some(false)
        }
    }

    fn skip_right(&mut self, trims: bool) {
        self.pos += RIGHT.len() + if trims { 2 } else { 0 };
        if trims {
            let rest = self.rest();
            self.pos += rest.len() - rest.trim_start_matches(SPACES).len();
        }
    }

    fn right(&mut self, trims: bool) {
        let start = self.pos;
        let end = start + RIGHT.len() + if trims { 2 } else { 0 };
        self.out.list.push(Token {
            kind: Kind::RightDelim,
            span: Span::from_usize(start, end),
        });
        self.skip_right(trims);
    }

    fn action(&mut self) -> Result<(), Failed> {
        let mut parens = 0usize;
        loop {
            let start = self.pos;
            if let Some(trims) = self.at_right() {
                if parens > 0 {
                    return Err(self.fail(start, "unclosed left paren".into()));
                }
                self.right(trims);
                return Ok(());
            }
            let Some(c) = self.next() else {
                return Err(self.fail(start, "unclosed action".into()));
            };
            match c {
                c if is_space(c) => {
                    // The last space may belong to a trim marker.
                    while self.at_right().is_none() && self.peek().is_some_and(is_space) {
                        self.next();
                    }
                    self.push(Kind::Space, start);
                }
                '=' => self.push(Kind::Assign, start),
                ':' => {
                    if self.next() != Some('=') {
                        return Err(self.fail(start, "expected :=".into()));
                    }
                    self.push(Kind::Declare, start);
                }
                '|' => self.push(Kind::Pipe, start),
                '"' => self.quoted(start, '"', Kind::String, "unterminated quoted string")?,
                '\'' => self.quoted(start, '\'', Kind::CharConstant, "unterminated character constant")?,
                '`' => {
                    let Some(close) = self.rest().find('`') else {
                        return Err(self.fail(start, "unterminated raw quoted string".into()));
                    };
                    self.pos += close + 1;
                    self.push(Kind::RawString, start);
                }
                '$' => self.word(start, Kind::Variable)?,
                '.' if self.peek().is_some_and(|c| !c.is_ascii_digit()) => self.dot(start)?,
                '.' | '+' | '-' | '0'..='9' => {
                    self.pos = start;
                    self.number()?;
                }
                c if is_alphanumeric(c) => self.word(start, Kind::Identifier)?,
                '(' => {
                    parens += 1;
                    self.push(Kind::LeftParen, start);
                }
                ')' => {
                    if parens == 0 {
                        return Err(self.fail(start, "unexpected right paren".into()));
                    }
                    parens -= 1;
                    self.push(Kind::RightParen, start);
                }
                ' '..='~' => self.push(Kind::Char, start),
                c => {
                    let message = format!("unrecognized character in action: {}", describe_char(c));
                    return Err(self.fail(start, message));
                }
            }
        }
    }

    fn dot(&mut self, start: usize) -> Result<(), Failed> {
        if self.at_terminator() {
            self.push(Kind::Dot, start);
            return Ok(());
        }
        self.word(start, Kind::Field)
    }

    /// The rest of a word whose first character is read.
    fn word(&mut self, start: usize, kind: Kind) -> Result<(), Failed> {
        while self.peek().is_some_and(is_alphanumeric) {
            self.next();
        }
        if !self.at_terminator() {
            let c = self.peek().map_or_else(String::new, describe_char);
            return Err(self.fail(start, format!("bad character {c}")));
        }
        let kind = match (kind, self.text.get(start..self.pos).unwrap_or("")) {
            (Kind::Identifier, word) => keyword(word),
            (kind, _) => kind,
        };
        self.push(kind, start);
        Ok(())
    }

    /// Whether a name may end here.
    fn at_terminator(&self) -> bool {
        match self.peek() {
            None | Some('.' | ',' | '|' | ':' | ')' | '(') => true,
            Some(c) => is_space(c) || self.rest().starts_with(RIGHT),
        }
    }

    fn quoted(&mut self, start: usize, quote: char, kind: Kind, message: &str) -> Result<(), Failed> {
        loop {
            let c = match self.next() {
                Some('\\') => self.next().filter(|c| *c != '\n').map(|_| ' '),
                c => c.filter(|c| *c != '\n'),
            };
            match c {
                None => return Err(self.fail(start, message.into())),
                Some(c) if c == quote => {
                    self.push(kind, start);
                    return Ok(());
                }
                Some(_) => {}
            }
        }
    }

    fn number(&mut self) -> Result<(), Failed> {
        let start = self.pos;
        let mut kind = Kind::Number;
        let mut good = self.scan_number();
        if good && matches!(self.peek(), Some('+' | '-')) {
            kind = Kind::Complex;
            good = self.scan_number() && self.text.get(start..self.pos).is_some_and(|t| t.ends_with('i'));
        }
        if !good {
            let message = format!(
                "bad number syntax: {}",
                quote(self.text.get(start..self.pos).unwrap_or(""))
            );
            return Err(self.fail(start, message));
        }
        self.push(kind, start);
        Ok(())
    }

    /// Reads what may be a number; the parser decides whether it is one.
    fn scan_number(&mut self) -> bool {
        self.accept("+-");
        let mut digits = "0123456789_";
        if self.accept("0") {
            if self.accept("xX") {
                digits = "0123456789abcdefABCDEF_";
            } else if self.accept("oO") {
                digits = "01234567_";
            } else if self.accept("bB") {
                digits = "01_";
            }
        }
        self.accept_run(digits);
        if self.accept(".") {
            self.accept_run(digits);
        }
        let exponent = match digits.len() {
            11 => "eE",
            23 => "pP",
            _ => "",
        };
        if self.accept(exponent) {
            self.accept("+-");
            self.accept_run("0123456789_");
        }
        self.accept("i");
        if self.peek().is_some_and(is_alphanumeric) {
            self.next();
            return false;
        }
        true
    }

    fn accept(&mut self, valid: &str) -> bool {
        let found = self.peek().is_some_and(|c| valid.contains(c));
        if found {
            self.next();
        }
        found
    }

    fn accept_run(&mut self, valid: &str) {
        while self.accept(valid) {}
    }
}

fn has_left_marker(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|r| r.starts_with(SPACES))
}

fn keyword(word: &str) -> Kind {
    match word {
        "block" => Kind::Block,
        "break" => Kind::Break,
        "continue" => Kind::Continue,
        "define" => Kind::Define,
        "else" => Kind::Else,
        "end" => Kind::End,
        "if" => Kind::If,
        "nil" => Kind::Nil,
        "range" => Kind::Range,
        "template" => Kind::Template,
        "with" => Kind::With,
        "true" | "false" => Kind::Bool,
        _ => Kind::Identifier,
    }
}
