//! Numbers, quoted templates and heredocs: where literal text begins and ends.

use super::token::{heredoc_marker, invalid_character, is_ident_part, is_ident_start};
use super::{Kind, LexError, Lexer, Mode};
use crate::text::Span;

impl Lexer<'_, '_> {
    /// A number: digits, dots between digits, exponents. Two dots make it one invalid number, not two.
    pub(super) fn number(&mut self) {
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
    pub(super) fn heredoc_opening(&self) -> Option<(Span, usize)> {
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

    /// `$${` or `%%{`, which denote `${` and `%{` as text.
    fn escaped_sequence(&self) -> bool {
        matches!(self.byte(0), b'$' | b'%') && self.byte(1) == self.byte(0) && self.byte(2) == b'{'
    }

    pub(super) fn quoted(&mut self) -> Result<(), LexError> {
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
                        "unterminated string: use a heredoc for several lines",
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
    pub(super) fn opening_quote(&self) -> usize {
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

    pub(super) fn heredoc(&mut self, marker: Span, line_start: bool) -> Result<(), LexError> {
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
