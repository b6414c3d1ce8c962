//! From the tokeniser's events to the arena of one piece.

use granit_parser::{Event, Parser, Placement, ScalarStyle, StructureStyle, options};

use super::MAX_DEPTH;
use super::node::{Kind, Style};
use super::split::is_marker;
use super::tree::{Comment, Doc, Piece, Props, Rec, SyntaxError, SyntaxErrorKind};
use crate::syntax::text::Span;

/// A piece parsed strictly, and the first error if it is not valid. The arena then holds what was
/// read before.
pub(super) struct Strict {
    pub(super) piece: Piece,
    pub(super) exists: bool,
    pub(super) marker: Option<Span>,
    pub(super) error: Option<SyntaxError>,
}

/// Parses the chunk of text of one document.
pub(super) fn document(text: &str) -> Doc {
    let strict = strict(text);
    let failed = strict.error.is_some();
    Doc {
        len: offset(text.len()),
        exists: strict.exists || failed,
        directives: directives(text, strict.marker),
        marker: strict.marker,
        main: std::sync::Arc::new(if failed { Piece::default() } else { strict.piece }),
        errors: strict.error.into_iter().collect(),
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn directives(text: &str, marker: Option<Span>) -> Vec<Span> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if marker.is_some_and(|m| at >= m.start as usize) || is_marker(line.as_bytes(), b"---") {
            break;
        }
        if line.starts_with('%') {
            found.push(Span::from_usize(at, at + line.trim_end().len()));
        }
        at += line.len();
    }
    found
}

struct Open {
    idx: u32,
    mapping: bool,
    flow: bool,
    /// A mapping without brackets inside a bracketed sequence.
    pair: bool,
    /// Whether the next child is a value.
    value: bool,
}

struct Builder<'a> {
    text: &'a str,
    piece: Piece,
    open: Vec<Open>,
    /// Offset behind the last thing consumed.
    cursor: usize,
}

/// Parses one text strictly, up to its first error.
pub(super) fn strict(text: &str) -> Strict {
    let options = options! {
        emit_unresolved_aliases: true,
        emit_anchor_events: true,
        max_buffered_comment_events: usize::MAX,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let mut parser = Parser::new_from_str_with_options(text, options);
    let mut builder = Builder {
        text,
        piece: Piece::default(),
        open: Vec::new(),
        cursor: 0,
    };
    let mut exists = false;
    let mut marker = None;
    let mut error = None;
    while let Some(next) = parser.next_event() {
        let (event, span) = match next {
            Ok(next) => next,
            Err(fault) => {
                let at = fault.marker().byte_offset().unwrap_or(text.len()).min(text.len());
                let limit = matches!(fault.kind(), granit_parser::ErrorKind::RecursionLimitExceeded);
                error = Some(syntax_error(at, limit, fault.kind().to_string()));
                break;
            }
        };
        let range = span.byte_range().unwrap_or_default();
        let tag = span.tag_span().and_then(|t| t.byte_range());
        match event {
            Event::DocumentStart(explicit, _) => {
                exists = true;
                if explicit {
                    marker = Some(Span::from_usize(range.start, range.end));
                    builder.cursor = range.end;
                }
            }
            Event::Scalar(value, style, _, tag_name) => {
                let tag = tag.zip(tag_name.as_deref());
                builder.scalar(range.start, range.end, &value, style, tag);
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                builder.before_child(range.start, range.is_empty());
                builder.cursor = range.end;
                builder.push(
                    Rec::meta(Kind::Alias, Style::Plain, 0),
                    range.start,
                    range.end,
                    None,
                );
            }
            Event::SequenceStart(style, _, tag_name) => {
                let tag = tag.zip(tag_name.as_deref());
                builder.start(false, style, range.start, range.end, tag);
            }
            Event::MappingStart(style, _, tag_name) => {
                let tag = tag.zip(tag_name.as_deref());
                builder.start(true, style, range.start, range.end, tag);
            }
            Event::SequenceEnd | Event::MappingEnd => builder.end(range.end),
            Event::Anchor(_, _) => builder.anchor(range.start, range.end),
            Event::Comment(_, placement) => builder.piece.comments.push(Comment {
                span: Span::from_usize(range.start, range.end),
                trailing: placement == Placement::Right,
            }),
            _ => {}
        }
        if builder.open.len() > MAX_DEPTH {
            error = Some(syntax_error(range.start, true, String::new()));
            break;
        }
    }
    builder.piece.comments.sort_unstable_by_key(|c| c.span.start);
    Strict {
        piece: builder.piece,
        exists,
        marker,
        error,
    }
}

fn syntax_error(at: usize, limit: bool, message: String) -> SyntaxError {
    SyntaxError {
        span: Span::from_usize(at, at),
        kind: if limit {
            SyntaxErrorKind::Limit
        } else {
            SyntaxErrorKind::Syntax
        },
        message: if limit {
            format!("nested deeper than {MAX_DEPTH} levels")
        } else {
            message
        },
        document: 0,
        blanked: Vec::new(),
    }
}

type TagAt<'a> = Option<(std::ops::Range<usize>, &'a granit_parser::Tag)>;

impl Builder<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// The first offset from `at` on that is neither white space nor comment.
    fn skip(&self, mut at: usize) -> usize {
        loop {
            match self.byte(at) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => at += 1,
                Some(b'#') => {
                    let rest = self.text.as_bytes().get(at..).unwrap_or(&[]);
                    at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                }
                _ => return at,
            }
        }
    }

    /// Moves the cursor over the indicator (`-`, `?`, `:`, `,`) in front of the next child, whose
    /// own text starts at `start` unless it is `empty`.
    fn before_child(&mut self, start: usize, empty: bool) {
        let at = self.skip(self.cursor);
        let Some(parent) = self.open.last_mut() else {
            return;
        };
        let (mapping, flow, value) = (parent.mapping, parent.flow, parent.value);
        parent.value = mapping && !value;
        let mut take = |at: usize, wanted: u8| {
            if self.text.as_bytes().get(at) == Some(&wanted) && (empty || at < start) {
                self.cursor = at + 1;
                return true;
            }
            false
        };
        match (mapping, value) {
            (false, _) if !flow => {
                take(at, b'-');
            }
            (true, true) => {
                take(at, b':');
            }
            _ => {
                if flow && take(at, b',') {
                    let at = self.skip(self.cursor);
                    if mapping {
                        self.question_mark(at, start, empty);
                    }
                } else if mapping {
                    self.question_mark(at, start, empty);
                }
            }
        }
    }

    fn question_mark(&mut self, at: usize, start: usize, empty: bool) {
        let separated = self
            .byte(at + 1)
            .is_none_or(|b| b.is_ascii_whitespace() || b",]}:".contains(&b));
        if self.byte(at) == Some(b'?') && separated && (empty || at < start) {
            self.cursor = at + 1;
        }
    }

    fn push(&mut self, meta: u32, start: usize, end: usize, tag: TagAt<'_>) -> u32 {
        let idx = offset(self.piece.recs.len());
        let mut rec = Rec {
            start: offset(start),
            end: offset(end),
            next: idx + 1,
            meta,
        };
        if let Some((range, tag)) = tag {
            rec.set_props();
            let tag_name = format!("{}{}", tag.handle(), tag.suffix()).into_boxed_str();
            let props = Props {
                tag: Some(Span::from_usize(range.start, range.end)),
                tag_name: Some(tag_name),
                anchor: None,
            };
            self.piece.props.push((idx, props));
        }
        self.piece.recs.push(rec);
        idx
    }

    fn scalar(&mut self, start: usize, end: usize, value: &str, style: ScalarStyle, tag: TagAt<'_>) {
        let empty = start == end && style == ScalarStyle::Plain;
        self.before_child(tag.as_ref().map_or(start, |t| t.0.start), empty && tag.is_none());
        let (style, start, end, indent) = match style {
            ScalarStyle::Plain if empty => {
                let at = tag.as_ref().map_or(self.cursor, |t| t.0.end);
                (Style::Plain, at, at, 0)
            }
            ScalarStyle::Plain => (Style::Plain, start, end, 0),
            ScalarStyle::SingleQuoted => (Style::SingleQuoted, start, end, 0),
            ScalarStyle::DoubleQuoted => (Style::DoubleQuoted, start, end, 0),
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let folded = style == ScalarStyle::Folded;
                let (start, end, indent) =
                    self.block_scalar(tag.as_ref().map_or(self.cursor, |t| t.0.end), end, value);
                (
                    if folded { Style::Folded } else { Style::Literal },
                    start,
                    end,
                    indent,
                )
            }
        };
        self.cursor = end;
        self.push(Rec::meta(Kind::Scalar, style, indent), start, end, tag);
    }

    /// Start (at the header), end (before the last line break) and content indentation of a block
    /// scalar. The events tell the end behind its trailing lines and the decoded text.
    fn block_scalar(&self, from: usize, end: usize, value: &str) -> (usize, usize, usize) {
        let bytes = self.text.as_bytes();
        let mut start = self.skip(from);
        if self.byte(start) == Some(b'&') || self.byte(start) == Some(b'!') {
            // The anchor's event comes later; it is the only thing that may stand here.
            while self.byte(start).is_some_and(|b| !b.is_ascii_whitespace()) {
                start += 1;
            }
            start = self.skip(start);
        }
        let header = self.text.get(start..end).unwrap_or("");
        let header_len = memchr::memchr2(b'\n', b'\r', header.as_bytes()).unwrap_or(header.len());
        let indicators = header.split([' ', '\t', '#', '\r', '\n']).next().unwrap_or("");
        let keep = indicators.contains('+');
        let body = header.get(header_len..).unwrap_or("");
        let body = body.strip_prefix("\r\n").or_else(|| body.get(1..)).unwrap_or("");
        let body_start = end - body.len();
        let indent = block_indent(body, value);
        let mut last = start + header_len;
        let mut at = body_start;
        for line in body.split_inclusive('\n') {
            let content = line.trim_end_matches(['\r', '\n']);
            if keep && line.len() > content.len() || content.len() > indent {
                last = at + content.len();
            }
            at += line.len();
        }
        debug_assert!(last <= bytes.len());
        (start, last, indent)
    }

    fn start(&mut self, mapping: bool, style: StructureStyle, start: usize, end: usize, tag: TagAt<'_>) {
        let flow = style == StructureStyle::Flow;
        let bracket = flow && end > start;
        self.before_child(tag.as_ref().map_or(start, |t| t.0.start), false);
        let from = if bracket {
            start
        } else {
            self.skip(tag.as_ref().map_or(self.cursor, |t| t.0.end.max(self.cursor)))
        };
        self.cursor = if bracket { end } else { from };
        let kind = if mapping { Kind::Mapping } else { Kind::Sequence };
        let idx = self.push(
            Rec::meta(kind, if flow { Style::Flow } else { Style::Block }, 0),
            from,
            from,
            tag,
        );
        self.open.push(Open {
            idx,
            mapping,
            flow,
            pair: flow && !bracket,
            value: false,
        });
    }

    fn end(&mut self, end: usize) {
        let Some(open) = self.open.pop() else { return };
        let next = offset(self.piece.recs.len());
        if open.flow && !open.pair {
            self.cursor = end;
        }
        let end = offset(self.cursor);
        if let Some(rec) = self.piece.recs.get_mut(open.idx as usize) {
            rec.next = next;
            rec.end = end.max(rec.start);
        }
    }

    /// The anchor of the node just pushed.
    fn anchor(&mut self, start: usize, end: usize) {
        let idx = offset(self.piece.recs.len().saturating_sub(1));
        let span = Span::from_usize(start, end);
        match self.piece.props.last_mut() {
            Some((last, props)) if *last == idx => props.anchor = Some(span),
            _ => self.piece.props.push((
                idx,
                Props {
                    anchor: Some(span),
                    ..Props::default()
                },
            )),
        }
        let tag_end = self
            .piece
            .props
            .last()
            .and_then(|(_, p)| p.tag)
            .map_or(0, |t| t.end as usize);
        let behind = tag_end.max(end);
        let opened = self
            .open
            .last()
            .filter(|o| o.idx == idx)
            .map(|o| o.flow && !o.pair);
        let skipped = self.skip(behind);
        let Some(rec) = self.piece.recs.get_mut(idx as usize) else {
            return;
        };
        rec.set_props();
        if opened == Some(false) {
            rec.start = offset(skipped);
            self.cursor = skipped;
        } else if rec.start == rec.end {
            rec.start = offset(behind);
            rec.end = rec.start;
            self.cursor = behind;
        }
    }
}

fn spaces(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The content indentation of a block scalar: what its first line with content lost when decoded.
fn block_indent(body: &str, value: &str) -> usize {
    let mut decoded = value.split('\n');
    for line in body.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let text = decoded.next().unwrap_or("");
        if !text.is_empty() {
            return spaces(line).saturating_sub(spaces(text));
        }
        if spaces(line) < line.len() {
            return spaces(line);
        }
    }
    body.split('\n')
        .map(|l| l.trim_end_matches('\r').len())
        .max()
        .unwrap_or(0)
}
