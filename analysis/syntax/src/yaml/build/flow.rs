//! Collections in brackets.

use super::{Builder, Read, State};
use crate::yaml::node::{Kind, Style};
use crate::yaml::scan::{Token, TokenKind};

impl Builder<'_> {
    pub(super) fn flow_entry(&mut self, mut token: Token, first: bool, start: usize) -> Read<()> {
        if token.kind != TokenKind::FlowSequenceEnd && !first {
            if token.kind != TokenKind::FlowEntry {
                return self.fault(token, Some(start), "did not find expected ',' or ']'");
            }
            token = self.after(token)?;
        }
        match token.kind {
            TokenKind::FlowSequenceEnd => {
                self.take(token);
                self.close();
                Ok(())
            }
            TokenKind::Key => {
                self.set(State::FlowEntry { first: false });
                self.start(Kind::Mapping, Style::Flow, token, State::PairKey)?;
                if token.end > token.start {
                    self.take(token);
                } else {
                    self.scanner.take();
                }
                Ok(())
            }
            _ => {
                self.set(State::FlowEntry { first: false });
                self.node(false, false)
            }
        }
    }

    pub(super) fn flow_key(&mut self, mut token: Token, first: bool, start: usize) -> Read<()> {
        if token.kind != TokenKind::FlowMappingEnd && !first {
            if token.kind != TokenKind::FlowEntry {
                return self.fault(token, Some(start), "did not find expected ',' or '}'");
            }
            token = self.after(token)?;
        }
        match token.kind {
            TokenKind::FlowMappingEnd => {
                self.take(token);
                self.close();
                Ok(())
            }
            TokenKind::Key => {
                if token.end > token.start {
                    self.take(token);
                } else {
                    self.scanner.take();
                }
                let next = self.scanner.peek()?;
                self.set(State::FlowValue);
                if matches!(
                    next.kind,
                    TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd
                ) {
                    self.absent(token.end);
                    return Ok(());
                }
                self.node(false, false)
            }
            _ => {
                self.set(State::FlowNoValue);
                self.node(false, false)
            }
        }
    }

    pub(super) fn flow_value(&mut self, token: Token, end: TokenKind) -> Read<()> {
        if token.kind == TokenKind::Value {
            let next = self.after(token)?;
            if next.kind != TokenKind::FlowEntry && next.kind != end {
                return self.node(false, false);
            }
        }
        self.absent(self.cursor);
        Ok(())
    }
}
