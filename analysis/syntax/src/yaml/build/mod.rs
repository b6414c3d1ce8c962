//! Tokens to the arena of one piece: the grammar, without recursion.

mod flow;

use crate::text::Span;
use crate::yaml::node::{Kind, Style};
use crate::yaml::scan::{Fault, Scanner, Token, TokenKind, bad_character, decoded};
use crate::yaml::tree::{Piece, Props, Rec, SyntaxErrorKind};
use crate::yaml::{Libyaml, MAX_DEPTH, Reading};

/// A chunk of text read up to its first fault.
#[derive(Default)]
pub(in crate::yaml) struct Strict {
    /// The nodes; with a fault those that were read before it, possibly incomplete.
    pub(in crate::yaml) piece: Piece,
    /// Where reading ended: at the next document, or at the text's end.
    pub(in crate::yaml) end: usize,
    pub(in crate::yaml) fault: Option<Fault>,
    /// Start of the outermost brackets that were open at the fault.
    pub(in crate::yaml) open_flow: Option<usize>,
    /// How much of the text was examined.
    pub(in crate::yaml) reached: usize,
}

/// Reads the first document of a text.
pub(in crate::yaml) fn strict(text: &str, reading: Reading) -> Strict {
    let Some(at) = bad_character(text) else {
        return read(text, reading);
    };
    if let Some(strict) = before_the_character(text, at, reading) {
        return strict;
    }
    let fault = Fault {
        kind: SyntaxErrorKind::Character,
        at,
        context: None,
        at_end: false,
        message: "control characters are not allowed",
    };
    let mut strict = Strict {
        end: text.len(),
        fault: Some(fault),
        ..Strict::default()
    };
    strict.piece.head.exists = true;
    strict
}

/// What is parsed of a text before a character that is allowed nowhere, if go-yaml does not get further: it
/// decodes its input piece by piece, and ends at the first fault and after the first document.
fn before_the_character(text: &str, at: usize, reading: Reading) -> Option<Strict> {
    if !reading.first || reading.libyaml != Libyaml::Old {
        return None;
    }
    let strict = read(text.get(..at)?, reading);
    (decoded(text, strict.reached) <= at).then_some(strict)
}

/// Reads the first document of a text without such characters.
fn read(text: &str, reading: Reading) -> Strict {
    let mut builder = Builder::new(text, reading.libyaml);
    let fault = builder.document(reading.first).err();
    let flow = |o: &&Open| {
        !matches!(
            o.state,
            State::BlockEntry | State::IndentlessEntry | State::BlockKey | State::BlockValue
        )
    };
    let open_flow = builder.open.iter().find(flow).map(|o| o.start);
    let mut piece = builder.piece;
    piece.comments = std::mem::take(&mut builder.scanner.comments);
    piece.recs.shrink_to_fit();
    piece.head.exists |= fault.is_some();
    let noticed = fault.as_ref().map_or(0, |fault| fault.at);
    Strict {
        piece,
        end: builder.end,
        fault,
        open_flow,
        reached: builder.scanner.reached().max(noticed),
    }
}

/// Where the first item of the list that a text begins with ends, if that is not before `least`: at the next
/// dash, or at what follows the list. `None` if the item is broken.
pub(in crate::yaml) fn item_end(text: &str, least: usize, libyaml: Libyaml) -> Option<usize> {
    let mut builder = Builder::new(text, libyaml);
    builder.stop = Some(least);
    let done = builder.document(true);
    match done {
        Err(fault) if fault.kind != SyntaxErrorKind::Trailing => None,
        Err(fault) => Some(fault.at),
        Ok(()) => Some(builder.end),
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// What may come next in an open collection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    BlockEntry,
    /// A sequence at the indentation of the mapping it is a value of.
    IndentlessEntry,
    BlockKey,
    BlockValue,
    FlowEntry {
        first: bool,
    },
    FlowKey {
        first: bool,
    },
    FlowValue,
    /// The value of a key in braces that was not announced by `?` or `:`.
    FlowNoValue,
    PairKey,
    PairValue,
    PairEnd,
}

struct Open {
    idx: u32,
    state: State,
    start: usize,
}

struct Builder<'a> {
    scanner: Scanner<'a>,
    piece: Piece,
    open: Vec<Open>,
    /// Offset after the last token that belongs to a node.
    cursor: usize,
    /// Handles and prefixes of `%TAG` lines.
    handles: Vec<(String, String)>,
    end: usize,
    /// Stops at the first item of the outermost list from this offset on.
    stop: Option<usize>,
}

type Read<T> = Result<T, Fault>;

impl<'a> Builder<'a> {
    fn new(text: &'a str, libyaml: Libyaml) -> Self {
        Self {
            scanner: Scanner::new(text, MAX_DEPTH, libyaml),
            piece: Piece {
                recs: Vec::with_capacity(text.len() / 12),
                ..Piece::default()
            },
            open: Vec::new(),
            cursor: 0,
            handles: Vec::new(),
            end: text.len(),
            stop: None,
        }
    }

    fn fault<T>(&self, token: Token, context: Option<usize>, message: &'static str) -> Read<T> {
        Err(Fault {
            kind: SyntaxErrorKind::Parser,
            at: token.start,
            context,
            at_end: token.kind == TokenKind::StreamEnd,
            message,
        })
    }

    fn take(&mut self, token: Token) {
        self.cursor = token.end;
        self.scanner.take();
    }

    /// Takes a token and returns the one after it.
    fn after(&mut self, token: Token) -> Read<Token> {
        self.take(token);
        self.scanner.peek()
    }

    fn document(&mut self, first: bool) -> Read<()> {
        let mut token = self.scanner.peek()?;
        if token.kind == TokenKind::StreamEnd {
            return Ok(());
        }
        if token.kind == TokenKind::DocumentEnd {
            if first {
                self.piece.head.exists = true;
                return self.fault(token, None, "did not find expected node content");
            }
            // Only an end marker: no document.
            return self.document_end(token);
        }
        let mut explicit = token.kind == TokenKind::DocumentStart;
        let mut version = false;
        while matches!(token.kind, TokenKind::VersionDirective | TokenKind::TagDirective) {
            self.piece.head.exists = true;
            explicit = true;
            self.piece
                .head
                .directives
                .push(Span::from_usize(token.start, token.end));
            if token.kind == TokenKind::VersionDirective {
                if version {
                    return self.fault(token, None, "found duplicate %YAML directive");
                }
                version = true;
            } else {
                let tag = self.scanner.tags.get(token.extra).cloned().unwrap_or_default();
                if self.handles.iter().any(|(handle, _)| *handle == tag.handle) {
                    return self.fault(token, None, "found duplicate %TAG directive");
                }
                self.handles.push((tag.handle, tag.suffix));
            }
            token = self.after(token)?;
        }
        self.piece.head.exists = true;
        if explicit {
            if token.kind != TokenKind::DocumentStart {
                return self.fault(token, None, "did not find expected <document start>");
            }
            self.piece.head.marker = Some(Span::from_usize(token.start, token.end));
            token = self.after(token)?;
        }
        match token.kind {
            TokenKind::VersionDirective
            | TokenKind::TagDirective
            | TokenKind::DocumentStart
            | TokenKind::DocumentEnd
            | TokenKind::StreamEnd => self.absent(self.cursor),
            _ => self.node(true, false)?,
        }
        while let Some(top) = self.open.last() {
            let (state, start) = (top.state, top.start);
            self.step(state, start)?;
            if self.stop == Some(usize::MAX) {
                return Ok(());
            }
        }
        let token = self.scanner.peek()?;
        self.document_end(token)
    }

    /// What may follow a document: the next one, or directives after an end marker.
    fn document_end(&mut self, token: Token) -> Read<()> {
        self.end = token.start;
        match token.kind {
            TokenKind::StreamEnd | TokenKind::DocumentStart => Ok(()),
            TokenKind::DocumentEnd => {
                self.scanner.take();
                self.end = token.end;
                Ok(())
            }
            _ => {
                let message = "did not find expected <document start>";
                Err(Fault {
                    kind: SyntaxErrorKind::Trailing,
                    at: token.start,
                    context: None,
                    at_end: false,
                    message,
                })
            }
        }
    }

    fn set(&mut self, state: State) {
        if let Some(top) = self.open.last_mut() {
            top.state = state;
        }
    }

    fn push(&mut self, kind: Kind, style: Style, start: usize, end: usize, extra: usize) -> u32 {
        let idx = offset(self.piece.recs.len());
        let meta = Rec::meta(kind, style, extra);
        self.piece.recs.push(Rec {
            start: offset(start),
            end: offset(end),
            next: idx + 1,
            meta,
        });
        idx
    }

    /// The null scalar of a value that is not written.
    fn absent(&mut self, at: usize) {
        self.push(Kind::Scalar, Style::Plain, at, at, 0);
    }

    fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let next = offset(self.piece.recs.len());
        let end = offset(self.cursor);
        if let Some(rec) = self.piece.recs.get_mut(open.idx as usize) {
            rec.next = next;
            rec.end = end.max(rec.start);
        }
    }

    fn start(&mut self, kind: Kind, style: Style, token: Token, state: State) -> Read<u32> {
        let idx = self.push(kind, style, token.start, token.start, 0);
        self.open.push(Open {
            idx,
            state,
            start: token.start,
        });
        if self.open.len() > MAX_DEPTH {
            let message = "nested too deeply";
            return Err(Fault {
                kind: SyntaxErrorKind::Limit,
                at: token.start,
                context: None,
                at_end: false,
                message,
            });
        }
        Ok(idx)
    }

    fn step(&mut self, state: State, start: usize) -> Read<()> {
        let token = self.scanner.peek()?;
        match state {
            State::BlockEntry | State::IndentlessEntry => {
                self.block_entry(token, state == State::BlockEntry, start)
            }
            State::BlockKey => self.block_key(token, start),
            State::BlockValue => {
                self.set(State::BlockKey);
                if token.kind == TokenKind::Value {
                    let next = self.after(token)?;
                    if !matches!(next.kind, TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd) {
                        return self.node(true, true);
                    }
                }
                self.absent(self.cursor);
                Ok(())
            }
            State::FlowEntry { first } => self.flow_entry(token, first, start),
            State::FlowKey { first } => self.flow_key(token, first, start),
            State::FlowNoValue => {
                self.set(State::FlowKey { first: false });
                self.absent(self.cursor);
                Ok(())
            }
            State::FlowValue => {
                self.set(State::FlowKey { first: false });
                self.flow_value(token, TokenKind::FlowMappingEnd)
            }
            State::PairKey => {
                self.set(State::PairValue);
                if matches!(
                    token.kind,
                    TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd
                ) {
                    // The library drops this token, so that a value after it is an error.
                    self.take(token);
                    self.absent(token.start);
                    return Ok(());
                }
                self.node(false, false)
            }
            State::PairValue => {
                self.set(State::PairEnd);
                self.flow_value(token, TokenKind::FlowSequenceEnd)
            }
            State::PairEnd => {
                self.close();
                Ok(())
            }
        }
    }

    fn block_entry(&mut self, token: Token, indented: bool, start: usize) -> Read<()> {
        if token.kind == TokenKind::BlockEntry {
            if self.open.len() == 1 && self.stop.is_some_and(|stop| token.start >= stop) {
                self.end = token.start;
                self.stop = Some(usize::MAX);
                return Ok(());
            }
            let next = self.after(token)?;
            let empty = match next.kind {
                TokenKind::BlockEntry | TokenKind::BlockEnd => true,
                TokenKind::Key | TokenKind::Value => !indented,
                _ => false,
            };
            if empty {
                self.absent(token.end);
                return Ok(());
            }
            return self.node(true, false);
        }
        if !indented {
            self.close();
            return Ok(());
        }
        if token.kind == TokenKind::BlockEnd {
            self.close();
            self.scanner.take();
            return Ok(());
        }
        self.fault(token, Some(start), "did not find expected '-' indicator")
    }

    fn block_key(&mut self, token: Token, start: usize) -> Read<()> {
        match token.kind {
            TokenKind::Key => {
                // A key without `?` has an empty token at its start.
                if token.end > token.start {
                    self.take(token);
                } else {
                    self.scanner.take();
                }
                let next = self.scanner.peek()?;
                self.set(State::BlockValue);
                if matches!(next.kind, TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd) {
                    self.absent(token.end);
                    return Ok(());
                }
                self.node(true, true)
            }
            TokenKind::BlockEnd => {
                self.close();
                self.scanner.take();
                Ok(())
            }
            // Also a `:` without a key.
            _ => self.fault(token, Some(start), "did not find expected key"),
        }
    }

    fn tag_name(&self, token: Token) -> Read<String> {
        let Some(tag) = self.scanner.tags.get(token.extra) else {
            return Ok(String::new());
        };
        if tag.handle.is_empty() {
            return Ok(tag.suffix.clone());
        }
        let prefix = match self.handles.iter().find(|(handle, _)| *handle == tag.handle) {
            Some((_, prefix)) => prefix,
            None if tag.handle == "!" => "!",
            None if tag.handle == "!!" => "tag:yaml.org,2002:",
            None => "",
        };
        let name = if prefix.is_empty() {
            String::new()
        } else {
            format!("{prefix}{}", tag.suffix)
        };
        if name.is_empty() {
            return self.fault(token, None, "found undefined tag handle");
        }
        Ok(name)
    }

    /// One node: a scalar or alias as a whole, a collection up to its first child.
    fn node(&mut self, block: bool, indentless: bool) -> Read<()> {
        let mut token = self.scanner.peek()?;
        let start = token.start;
        if token.kind == TokenKind::Alias {
            self.piece.aliases = true;
            self.push(Kind::Alias, Style::Plain, token.start, token.end, 0);
            self.take(token);
            return Ok(());
        }
        let mut props = None;
        let mut tagged = None;
        for _ in 0..2 {
            let props = match token.kind {
                TokenKind::Anchor if props.as_ref().is_none_or(|p: &Props| p.anchor.is_none()) => {
                    props.get_or_insert_default()
                }
                TokenKind::Tag if props.as_ref().is_none_or(|p: &Props| p.tag.is_none()) => {
                    props.get_or_insert_default()
                }
                _ => break,
            };
            let span = Span::from_usize(token.start, token.end);
            if token.kind == TokenKind::Anchor {
                props.anchor = Some(span);
            } else {
                props.tag = Some(span);
                tagged = Some(token);
            }
            token = self.after(token)?;
        }
        // The handle of a tag is looked up once the token after the properties is known to be one.
        if let (Some(props), Some(tagged)) = (&mut props, tagged) {
            props.tag_name = Some(self.tag_name(tagged)?.into_boxed_str());
        }
        let idx = match token.kind {
            TokenKind::BlockEntry if indentless => {
                self.start(Kind::Sequence, Style::Block, token, State::IndentlessEntry)?
            }
            TokenKind::Scalar(style) => {
                self.take(token);
                self.push(Kind::Scalar, style, token.start, token.end, token.extra)
            }
            TokenKind::FlowSequenceStart => {
                self.take(token);
                self.start(
                    Kind::Sequence,
                    Style::Flow,
                    token,
                    State::FlowEntry { first: true },
                )?
            }
            TokenKind::FlowMappingStart => {
                self.take(token);
                self.start(Kind::Mapping, Style::Flow, token, State::FlowKey { first: true })?
            }
            TokenKind::BlockSequenceStart if block => {
                self.scanner.take();
                self.start(Kind::Sequence, Style::Block, token, State::BlockEntry)?
            }
            TokenKind::BlockMappingStart if block => {
                self.scanner.take();
                self.start(Kind::Mapping, Style::Block, token, State::BlockKey)?
            }
            _ if props.is_some() => self.push(Kind::Scalar, Style::Plain, self.cursor, self.cursor, 0),
            _ => return self.fault(token, Some(start), "did not find expected node content"),
        };
        if let Some(props) = props {
            if let Some(rec) = self.piece.recs.get_mut(idx as usize) {
                rec.set_props();
            }
            self.piece.props.push((idx, props));
        }
        Ok(())
    }
}
