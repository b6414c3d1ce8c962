//! Where a key can begin, and how deep a block is indented.

use super::{Fault, MAX_SIMPLE_KEY, Scan, Scanner, SimpleKey, Token, TokenKind};

impl Scanner<'_> {
    pub(super) fn key_is_valid(&mut self, level: usize) -> Scan<bool> {
        let Some(key) = self.keys.get(level).copied().filter(|k| k.possible) else {
            return Ok(false);
        };
        let far = || {
            self.at - key.at > MAX_SIMPLE_KEY
                && self.text.get(key.at..self.at).map_or(0, |s| s.chars().count()) > MAX_SIMPLE_KEY
        };
        if key.line < self.line || far() {
            if key.required {
                return self
                    .fault(Some(key.at), "could not find expected ':'")
                    .map_err(|fault| Fault {
                        at_end: self.has_ended,
                        ..fault
                    });
            }
            if let Some(key) = self.keys.get_mut(level) {
                key.possible = false;
            }
            return Ok(false);
        }
        Ok(true)
    }

    pub(super) fn save_key(&mut self) -> Scan<()> {
        if self.key_allowed {
            self.drop_key()?;
            let key = SimpleKey {
                possible: true,
                forgotten: false,
                required: !self.in_flow() && self.indent == self.column().cast_signed(),
                token: self.taken + self.queue.len(),
                at: self.at,
                line: self.line,
                column: self.column(),
            };
            if let Some(last) = self.keys.last_mut() {
                *last = key;
            }
        }
        Ok(())
    }

    pub(super) fn drop_key(&mut self) -> Scan<()> {
        if let Some(key) = self.keys.last().copied().filter(|k| k.possible) {
            if key.required {
                return self.fault(Some(key.at), "could not find expected ':'");
            }
            if let Some(key) = self.keys.last_mut() {
                key.possible = false;
            }
        }
        Ok(())
    }

    pub(super) fn roll(
        &mut self,
        column: usize,
        kind: TokenKind,
        token: Option<usize>,
        at: usize,
    ) -> Scan<()> {
        let column = column.cast_signed();
        if self.in_flow() || self.indent >= column {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = column;
        if self.indents.len() > self.max_depth {
            return self.limit();
        }
        let start = Token {
            kind,
            start: at,
            end: at,
            extra: 0,
        };
        match token {
            Some(number) => self.insert(number, start),
            None => self.queue.push_back(start),
        }
        Ok(())
    }

    pub(super) fn unroll(&mut self, column: isize) {
        if self.in_flow() {
            return;
        }
        while self.indent > column {
            self.push(TokenKind::BlockEnd, self.at);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }
}
