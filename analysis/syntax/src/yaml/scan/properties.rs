//! Anchors, aliases, tags and directives.

use super::{Scan, Scanner, TagText, Token, TokenKind, is_word};
use crate::text::Span;
use crate::yaml::tree::Comment;

impl Scanner<'_> {
    pub(super) fn anchor(&mut self, kind: TokenKind) -> Scan<()> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.at;
        self.at += 1;
        while is_word(self.bytes.get(self.at)) {
            self.at += 1;
        }
        let ends = self.blank_or_end(0)
            || matches!(
                self.byte(0),
                Some(b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`')
            );
        if self.at == start + 1 || !ends {
            return self.fault(
                Some(start),
                "did not find expected alphabetic or numeric character",
            );
        }
        self.push(kind, start);
        Ok(())
    }

    pub(super) fn directive(&mut self) -> Scan<()> {
        self.unroll(-1);
        self.drop_key()?;
        self.key_allowed = false;
        let start = self.at;
        self.at += 1;
        while is_word(self.bytes.get(self.at)) {
            self.at += 1;
        }
        let name = self.text.get(start + 1..self.at).unwrap_or("");
        if name.is_empty() {
            return self.fault(Some(start), "could not find expected directive name");
        }
        if !self.blank_or_end(0) {
            return self.fault(Some(start), "found unexpected non-alphabetical character");
        }
        let mut token = Token {
            kind: TokenKind::VersionDirective,
            start,
            end: start,
            extra: 0,
        };
        match name {
            "YAML" => {
                self.blanks();
                self.version_number(start)?;
                if self.byte(0) != Some(b'.') {
                    return self.fault(Some(start), "did not find expected digit or '.' character");
                }
                self.at += 1;
                self.version_number(start)?;
            }
            "TAG" => {
                self.blanks();
                let handle = self.tag_handle(start, true)?;
                if !self.blank(0) {
                    return self.fault(Some(start), "did not find expected whitespace");
                }
                self.blanks();
                let suffix = self.tag_uri(start, None, true)?;
                if !self.blank_or_end(0) {
                    return self.fault(Some(start), "did not find expected whitespace or line break");
                }
                token.kind = TokenKind::TagDirective;
                token.extra = self.tags.len();
                self.tags.push(TagText { handle, suffix });
            }
            _ => return self.fault(Some(start), "found unknown directive name"),
        }
        token.end = self.at;
        self.rest_of_line(start)?;
        self.queue.push_back(token);
        Ok(())
    }

    pub(super) fn blanks(&mut self) {
        while self.blank(0) {
            self.at += 1;
        }
    }

    /// Blanks and a comment up to and including the end of the line.
    pub(super) fn rest_of_line(&mut self, context: usize) -> Scan<()> {
        self.blanks();
        if self.byte(0) == Some(b'#') {
            let start = self.at;
            self.skip_line();
            self.comments.push(Comment {
                span: Span::from_usize(start, self.at),
                trailing: true,
            });
        }
        if !self.break_or_end(0) {
            return self.fault(Some(context), "did not find expected comment or line break");
        }
        self.new_line();
        Ok(())
    }

    fn version_number(&mut self, start: usize) -> Scan<()> {
        let from = self.at;
        while self.byte(0).is_some_and(|b| b.is_ascii_digit()) {
            if self.at - from == 2 {
                return self.fault(Some(start), "found extremely long version number");
            }
            self.at += 1;
        }
        if self.at == from {
            return self.fault(Some(start), "did not find expected version number");
        }
        Ok(())
    }

    pub(super) fn tag(&mut self) -> Scan<()> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.at;
        let mut tag = TagText::default();
        if self.byte(1) == Some(b'<') {
            self.at += 2;
            tag.suffix = self.tag_uri(start, None, true)?;
            if self.byte(0) != Some(b'>') {
                return self.fault(Some(start), "did not find the expected '>'");
            }
            self.at += 1;
        } else {
            tag.handle = self.tag_handle(start, false)?;
            if tag.handle.len() > 1 && tag.handle.ends_with('!') {
                tag.suffix = self.tag_uri(start, None, false)?;
            } else {
                let head = tag.handle.split_off(1);
                tag.suffix = self.tag_uri(start, Some(head), false)?;
                if tag.suffix.is_empty() {
                    std::mem::swap(&mut tag.handle, &mut tag.suffix);
                }
            }
        }
        let is_entry = self.is_new() && self.in_flow() && self.byte(0) == Some(b',');
        if !self.blank_or_end(0) && !is_entry {
            return self.fault(Some(start), "did not find expected whitespace or line break");
        }
        self.queue.push_back(Token {
            kind: TokenKind::Tag,
            start,
            end: self.at,
            extra: self.tags.len(),
        });
        self.tags.push(tag);
        Ok(())
    }

    fn tag_handle(&mut self, start: usize, directive: bool) -> Scan<String> {
        if self.byte(0) != Some(b'!') {
            return self.fault(Some(start), "did not find expected '!'");
        }
        let from = self.at;
        self.at += 1;
        while is_word(self.bytes.get(self.at)) {
            self.at += 1;
        }
        if self.byte(0) == Some(b'!') {
            self.at += 1;
        } else if directive && self.at > from + 1 {
            return self.fault(Some(start), "did not find expected '!'");
        }
        Ok(self.text.get(from..self.at).unwrap_or("").to_owned())
    }

    /// The rest of a tag; must not be empty unless something precedes it. `is_whole`: for one in `<…>` or in a
    /// directive.
    fn tag_uri(&mut self, start: usize, head: Option<String>, is_whole: bool) -> Scan<String> {
        let has_brackets = is_whole || !self.is_new();
        let mut found = head.is_some();
        let mut uri = head.unwrap_or_default().into_bytes();
        while let Some(byte) = self.byte(0).filter(|b| {
            is_word(Some(b)) || b";/?:@&=+$.!~*'()%".contains(b) || has_brackets && b",[]".contains(b)
        }) {
            found = true;
            if byte != b'%' {
                uri.push(byte);
                self.at += 1;
                continue;
            }
            let mut width = 0;
            let mut read = 0;
            while read == 0 || read < width {
                let hex = self
                    .bytes
                    .get(self.at + 1..self.at + 3)
                    .filter(|h| h.iter().all(u8::is_ascii_hexdigit));
                let octet = hex
                    .and_then(|h| std::str::from_utf8(h).ok())
                    .and_then(|h| u8::from_str_radix(h, 16).ok());
                let Some(octet) = octet.filter(|_| self.byte(0) == Some(b'%')) else {
                    return self.fault(Some(start), "did not find URI escaped octet");
                };
                if read == 0 {
                    width = match octet {
                        0..=0x7F => 1,
                        0xC0..=0xDF => 2,
                        0xE0..=0xEF => 3,
                        0xF0..=0xF7 => 4,
                        _ => return self.fault(Some(start), "found an incorrect leading UTF-8 octet"),
                    };
                } else if octet & 0xC0 != 0x80 {
                    return self.fault(Some(start), "found an incorrect trailing UTF-8 octet");
                }
                uri.push(octet);
                self.at += 3;
                read += 1;
            }
        }
        if !found {
            return self.fault(Some(start), "did not find expected tag URI");
        }
        Ok(String::from_utf8_lossy(&uri).into_owned())
    }
}
