//! Block, quoted and plain scalars: where they end. Their text is decoded only on demand.

use super::{Scan, Scanner, Token, TokenKind, run};
use crate::yaml::node::Style;

/// Whether a plain scalar continues at a byte in every context.
fn goes_on(byte: u8) -> bool {
    let may_stop = matches!(
        byte,
        b' ' | b'\t' | b'\n' | b'\r' | 0xC2 | 0xE2 | b':' | b'?' | b',' | b'[' | b']' | b'{' | b'}'
    );
    !may_stop
}

impl Scanner<'_> {
    pub(super) fn block_scalar(&mut self, style: Style) -> Scan<()> {
        self.drop_key()?;
        self.key_allowed = true;
        let start = self.at;
        self.at += 1;
        let mut keep = false;
        let mut increment = None;
        for _ in 0..2 {
            match self.byte(0) {
                Some(sign @ (b'+' | b'-'))
                    if !matches!(self.bytes.get(start + 1..self.at), Some([b'+' | b'-', ..])) =>
                {
                    keep = sign == b'+';
                    self.at += 1;
                }
                Some(digit @ b'0'..=b'9') if increment.is_none() => {
                    if digit == b'0' {
                        return self.fault(Some(start), "found an indentation indicator equal to 0");
                    }
                    increment = Some(isize::from(digit - b'0'));
                    self.at += 1;
                }
                _ => break,
            }
        }
        self.blanks();
        let header_end = self.at;
        self.rest_of_line(start)?;
        let mut indent = increment.map_or(0, |n| (self.indent.max(0) + n).cast_unsigned());
        let header = self.text.get(start..header_end).unwrap_or("").trim_end();
        // Ends before the line break of its last line, so that an edit after it starts there.
        let mut end = start + header.len();
        let mut blank_end = self.block_breaks(start, &mut indent)?;
        if let Some(blank) = blank_end.filter(|_| keep) {
            end = blank;
        }
        while self.column() == indent && self.at < self.bytes.len() {
            self.skip_line();
            end = self.at;
            self.new_line();
            blank_end = self.block_breaks(start, &mut indent)?;
            if let Some(blank) = blank_end.filter(|_| keep) {
                end = blank;
            }
        }
        self.queue.push_back(Token {
            kind: TokenKind::Scalar(style),
            start,
            end,
            extra: indent,
        });
        Ok(())
    }

    /// Skips indentation and blank lines; finds the indentation if it is still 0. Returns the end
    /// of the last blank line before its line break, if there was one.
    fn block_breaks(&mut self, start: usize, indent: &mut usize) -> Scan<Option<usize>> {
        let mut widest = 0;
        let mut last = None;
        loop {
            while (*indent == 0 || self.column() < *indent) && self.byte(0) == Some(b' ') {
                self.at += 1;
            }
            widest = widest.max(self.column());
            if (*indent == 0 || self.column() < *indent) && self.byte(0) == Some(b'\t') {
                return self.fault(
                    Some(start),
                    "found a tab character where an indentation space is expected",
                );
            }
            if self.break_len(0) == 0 {
                break;
            }
            last = Some(self.at);
            self.new_line();
        }
        if *indent == 0 {
            *indent = widest.max((self.indent + 1).max(1).cast_unsigned());
        }
        Ok(last)
    }

    pub(super) fn quoted(&mut self, style: Style) -> Scan<()> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.at;
        let single = style == Style::SingleQuoted;
        let quote = if single { b'\'' } else { b'"' };
        self.at += 1;
        loop {
            if self.marker() {
                return self.fault(Some(start), "found unexpected document indicator");
            }
            match self.byte(0) {
                None => return self.fault(Some(start), "found unexpected end of stream"),
                Some(b) if b == quote => {
                    if single && self.byte(1) == Some(quote) {
                        self.at += 2;
                        continue;
                    }
                    break;
                }
                Some(b'\\') if !single => self.escape(start)?,
                _ if self.break_len(0) > 0 => self.new_line(),
                _ => self.at += 1,
            }
        }
        self.at += 1;
        self.push(TokenKind::Scalar(style), start);
        Ok(())
    }

    fn escape(&mut self, start: usize) -> Scan<()> {
        if self.break_len(1) > 0 {
            self.at += 1;
            self.new_line();
            return Ok(());
        }
        let digits = match self.byte(1) {
            Some(b'x') => 2,
            Some(b'u') => 4,
            Some(b'U') => 8,
            Some(b) if b"0abt\tnvfre \"'\\N_LP".contains(&b) => 0,
            Some(b'/') if self.is_new() => 0,
            _ => return self.fault(Some(start), "found unknown escape character"),
        };
        self.at += 2;
        if digits == 0 {
            return Ok(());
        }
        let hex = self
            .bytes
            .get(self.at..self.at + digits)
            .filter(|h| h.iter().all(u8::is_ascii_hexdigit));
        let Some(hex) = hex.and_then(|h| std::str::from_utf8(h).ok()) else {
            return self.fault(Some(start), "did not find expected hexdecimal number");
        };
        if u32::from_str_radix(hex, 16)
            .ok()
            .and_then(char::from_u32)
            .is_none()
        {
            return self.fault(Some(start), "found invalid Unicode character escape code");
        }
        self.at += digits;
        Ok(())
    }

    pub(super) fn plain(&mut self) -> Scan<()> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.at;
        let mut end = self.at;
        let flow = self.in_flow();
        let least = self.indent + 1;
        let mut broken = false;
        let mut lines = false;
        loop {
            if self.marker() || self.byte(0) == Some(b'#') {
                break;
            }
            let from = self.at;
            loop {
                self.at += run(self.bytes, self.at, goes_on);
                let Some(byte) = self.byte(0) else { break };
                if flow && byte == b':' && self.is_new() {
                    let next = self.byte(1);
                    if matches!(next, Some(b',' | b'?' | b'[' | b']' | b'{' | b'}')) {
                        return self.fault(Some(start), "found unexpected ':'");
                    }
                }
                let stop = match byte {
                    b' ' | b'\t' | b'\n' | b'\r' => true,
                    0xC2 | 0xE2 => self.break_len(0) > 0,
                    b':' => self.blank_or_end(1),
                    b'?' => flow && !self.is_new(),
                    b',' | b'[' | b']' | b'{' | b'}' => flow,
                    _ => false,
                };
                if stop {
                    break;
                }
                self.at += 1;
            }
            if self.at > from {
                end = self.at;
                lines |= broken;
                broken = false;
            }
            if !self.blank(0) && self.break_len(0) == 0 {
                break;
            }
            loop {
                if self.blank(0) {
                    if broken && self.column().cast_signed() < least && self.byte(0) == Some(b'\t') {
                        return self.fault(Some(start), "found a tab character that violates indentation");
                    }
                    self.at += 1;
                } else if self.break_len(0) > 0 {
                    self.new_line();
                    broken = true;
                } else {
                    break;
                }
            }
            if !flow && self.column().cast_signed() < least {
                break;
            }
        }
        self.queue.push_back(Token {
            kind: TokenKind::Scalar(Style::Plain),
            start,
            end,
            extra: usize::from(lines),
        });
        if broken {
            self.key_allowed = true;
        }
        Ok(())
    }
}
