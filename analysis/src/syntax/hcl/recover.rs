//! Reading a piece of text that breaks the grammar: what was meant is taken from the indentation.
//!
//! An unclosed bracket, quote or brace ends at the first line at or left of the column of the item
//! it stands in, because that is how people lay out what they have not finished. Lines that can't be
//! read are left out, and said to be.

use super::arena::{Builder, Chunk, Comment, Data, Id, SyntaxError, SyntaxErrorKind};
use super::grammar::{Failure, parse_items};
use super::lex::{Absent, Kind, Lexed, MAX_DEPTH, heredoc_marker, is_ident_part, is_ident_start, lex_item};
use crate::syntax::text::Span;

/// How often lines are blanked for another strict try, for each item.
const TRIES: usize = 16;

/// How far behind a heredoc's or comment's opening its end is looked for in broken text.
const LOOKAHEAD: usize = 256 * 1024;

/// Reads the first item of `text`, which is known to break the grammar with `failure`; `strict_end` is
/// where it ends by its brackets, if that was found out.
pub(super) fn recover(
    text: &str,
    failure: Failure,
    strict_end: Option<usize>,
    examined: usize,
    absent: &Absent,
) -> Chunk {
    if let Some(end) = strict_end
        && let Some(mut chunk) = without_stray_lines(text.get(..end).unwrap_or(text), &failure, absent)
    {
        chunk.examined = u32::try_from(examined.max(end)).unwrap_or(u32::MAX);
        return chunk;
    }
    let cut = cut(text, 0, text.len(), absent);
    let own = text.get(..cut.end).unwrap_or(text);
    let mut recovery = Recovery::new(own, absent);
    let mut items = Vec::new();
    recovery.item(0, cut.end, 0, &mut items);
    let limit = SyntaxErrorKind::Limit;
    let lost = failure.error.kind == limit && recovery.errors.iter().all(|e| e.kind != limit);
    if recovery.errors.is_empty() || lost {
        let error = failure.error;
        let span = if error.span.end as usize <= own.len() {
            error.span
        } else {
            first_line(own)
        };
        recovery.errors.push(SyntaxError { span, ..error });
    }
    recovery.finish(own, items, examined.max(cut.examined))
}

fn first_line(text: &str) -> Span {
    let lines = Lines {
        text,
        at: 0,
        limit: text.len(),
    };
    lines
        .into_iter()
        .find(|l| l.significant())
        .map_or(Span::at(0), |l| l.content(text))
}

/// One line of a text.
#[derive(Clone, Copy)]
struct Line {
    start: usize,
    /// Offset behind the line end.
    end: usize,
    /// Bytes of leading space.
    indent: usize,
    /// The first byte that is no space; 0 for an empty line.
    first: u8,
    comment: bool,
}

impl Line {
    fn significant(self) -> bool {
        self.first != 0 && !self.comment
    }

    /// The line without indentation and trailing space.
    fn content(self, text: &str) -> Span {
        let start = self.start + self.indent;
        let line = text.get(start..self.end).unwrap_or("");
        Span::from_usize(start, start + line.trim_end().len())
    }

    fn closes(self) -> bool {
        matches!(self.first, b'}' | b']' | b')')
    }
}

#[derive(Clone, Copy)]
struct Lines<'a> {
    text: &'a str,
    at: usize,
    limit: usize,
}

impl Iterator for Lines<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        if self.at >= self.limit {
            return None;
        }
        let start = self.at;
        let rest = self.text.get(start..self.limit)?;
        let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
        let body = rest.get(..length)?.trim_end();
        let content = body.trim_start();
        self.at = start + length;
        Some(Line {
            start,
            end: self.at,
            indent: body.len() - content.len(),
            first: content.bytes().next().unwrap_or(0),
            comment: content.starts_with('#') || content.starts_with("//"),
        })
    }
}

struct Cut {
    end: usize,
    examined: usize,
}

/// Where the first item in `start..limit` ends, going by indentation.
fn cut(text: &str, start: usize, limit: usize, absent: &Absent) -> Cut {
    let mut lines = Lines {
        text,
        at: start,
        limit,
    };
    let Some(first) = lines.by_ref().find(|l| l.significant()) else {
        return Cut {
            end: limit,
            examined: usize::MAX,
        };
    };
    let mut end = first.end;
    let mut examined = first.end;
    let mut tail = follow(text, first, limit, absent);
    loop {
        if let Some((behind, looked)) = tail.take() {
            lines.at = lines.at.max(behind);
            end = end.max(behind);
            examined = examined.max(looked);
        }
        let Some(line) = lines.next() else {
            return Cut {
                end: limit.max(end),
                examined: usize::MAX,
            };
        };
        examined = examined.max(line.end);
        if line.end == limit && !text.get(..limit).is_some_and(|t| t.ends_with('\n')) {
            examined = usize::MAX;
        }
        if !line.significant() {
            continue;
        }
        if line.indent <= first.indent {
            if !line.closes() {
                return Cut { end, examined };
            }
            // `}, {` goes on; `}` is the end.
            let goes_on = line.content(text).slice(text).ends_with(['{', '[', '(', ',']);
            if !goes_on {
                return Cut {
                    end: line.end,
                    examined,
                };
            }
        }
        end = line.end;
        tail = follow(text, line, limit, absent);
    }
}

/// Where a heredoc or a comment that a line opens ends, and how far it was looked for.
fn follow(text: &str, line: Line, limit: usize, absent: &Absent) -> Option<(usize, usize)> {
    let content = line.content(text).slice(text);
    if let Some(marker) = heredoc_marker(content)
        && !content
            .rfind("<<")
            .and_then(|at| content.get(..at))
            .is_some_and(ends_inside_quotes)
    {
        if !absent.may_close(marker, line.end) {
            return Some((line.end, usize::MAX));
        }
        let stop = floor_char_boundary(text, limit.min(line.end.saturating_add(LOOKAHEAD)));
        let lines = Lines {
            text,
            at: line.end,
            limit: stop,
        };
        for inner in lines {
            let content = inner.content(text).slice(text);
            if content == marker && text.get(..inner.end).is_some_and(|t| t.ends_with('\n')) {
                return Some((inner.end, inner.end));
            }
            // The end that follows belongs to the heredoc that opens here.
            if heredoc_marker(content) == Some(marker) {
                return Some((line.end, inner.end));
            }
        }
        return Some((line.end, usize::MAX));
    }
    let open = unclosed_comment(content)?;
    let from = line.start + line.indent + open;
    if !absent.comment_may_end(from) {
        return Some((line.end, usize::MAX));
    }
    let stop = floor_char_boundary(text, limit.min(from.saturating_add(LOOKAHEAD)));
    match text.get(from..stop).and_then(|t| t.find("*/")) {
        Some(at) => {
            let behind = from + at + 2;
            let rest = text.get(behind..limit).unwrap_or("");
            let end = behind + rest.find('\n').map_or(rest.len(), |at| at + 1);
            Some((end, end))
        }
        None => Some((line.end, usize::MAX)),
    }
}

fn floor_char_boundary(text: &str, mut at: usize) -> usize {
    while at > 0 && !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Offset of a `/*` outside of quotes that the line does not close.
fn unclosed_comment(line: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = line.get(from..).and_then(|l| l.find("/*")) {
        let open = from + at;
        if ends_inside_quotes(line.get(..open)?) {
            return None;
        }
        match line.get(open + 2..).and_then(|l| l.find("*/")) {
            Some(length) => from = open + 2 + length + 2,
            None => return Some(open),
        }
    }
    None
}

fn ends_inside_quotes(line: &str) -> bool {
    let mut inside = false;
    let mut bytes = line.bytes();
    while let Some(b) = bytes.next() {
        match b {
            b'\\' if inside => {
                bytes.next();
            }
            b'"' => inside = !inside,
            b'#' if !inside => return true,
            _ => {}
        }
    }
    inside
}

/// The strict reading of `text` without lines that break it where they start, at or left of the block
/// they stand in: a half-typed word, a conflict marker.
fn without_stray_lines(text: &str, failure: &Failure, absent: &Absent) -> Option<Chunk> {
    let mut recovery = Recovery::new(text, absent);
    let top = Lines {
        text,
        at: 0,
        limit: text.len(),
    }
    .find(|l| l.significant())?;
    let mut current = Failure {
        error: failure.error.clone(),
        item: failure.item,
    };
    for _ in 0..TRIES {
        let at = current.error.span.start as usize;
        let line = Lines {
            text,
            at: 0,
            limit: text.len(),
        }
        .find(|l| l.start <= at && at < l.end)?;
        let starts_item = line.start + line.indent >= current.item as usize;
        if !starts_item || line.start <= top.start || line.indent > top.indent || line.closes() {
            return None;
        }
        recovery.blank(line);
        recovery.errors.push(current.error);
        match recovery.strict(0, text.len()) {
            Ok(items) => return Some(recovery.finish(text, items, text.len())),
            Err(failure) => current = failure,
        }
    }
    None
}

struct Recovery<'a> {
    /// What the text from this chunk on is known not to hold.
    absent: &'a Absent,
    /// The text, lines that were left out replaced by spaces.
    work: String,
    out: Builder,
    comments: Vec<Comment>,
    errors: Vec<SyntaxError>,
    skipped: Vec<Span>,
}

impl<'a> Recovery<'a> {
    fn new(text: &str, absent: &'a Absent) -> Self {
        Self {
            absent,
            work: text.to_owned(),
            out: Builder::default(),
            comments: Vec::new(),
            errors: Vec::new(),
            skipped: Vec::new(),
        }
    }

    fn finish(mut self, text: &str, items: Vec<Id>, examined: usize) -> Chunk {
        self.errors.sort_by_key(|e| e.span);
        self.skipped.sort();
        self.comments.sort_by_key(|c| c.span);
        self.comments.dedup();
        Chunk {
            text: text.into(),
            nodes: self.out.nodes,
            kids: self.out.kids,
            pool: self.out.pool,
            items,
            comments: self.comments,
            errors: self.errors,
            skipped: self.skipped,
            examined: u32::try_from(examined).unwrap_or(u32::MAX),
        }
    }

    /// Replaces a line by spaces and notes it as left out.
    fn blank(&mut self, line: Line) {
        let content = line.content(&self.work);
        self.work
            .replace_range(content.range(), &" ".repeat(content.len() as usize));
        self.skipped.push(content);
    }

    /// Parses all items in `start..end` strictly.
    fn strict(&mut self, start: usize, end: usize) -> Result<Vec<Id>, Failure> {
        let mut items = Vec::new();
        let mut comments = Vec::new();
        let mark = self.out.mark();
        let mut at = start;
        let mut absent = Absent::default();
        while at < end {
            let lexed: Result<Lexed, Failure> =
                lex_item(&self.work, at, end, &mut absent).map_err(|e| Failure {
                    item: e.error.span.start,
                    error: e.error,
                });
            let parsed = lexed.and_then(|lexed| {
                let items = parse_items(&self.work, &lexed, &mut self.out)?;
                Ok((items, lexed))
            });
            match parsed {
                Ok((found, lexed)) => {
                    items.extend(found);
                    comments.extend(lexed.comments);
                    at = lexed.end.max(at + 1);
                }
                Err(failure) => {
                    self.out.rewind(mark);
                    return Err(failure);
                }
            }
        }
        self.comments.extend(comments);
        Ok(items)
    }

    /// Reads the one item that fills `start..end`, as far as it can be read.
    fn item(&mut self, start: usize, end: usize, depth: u32, items: &mut Vec<Id>) {
        let failure = match self.strict(start, end) {
            Ok(found) => {
                items.extend(found);
                return;
            }
            Err(failure) => failure,
        };
        let Some(first) = (Lines {
            text: &self.work,
            at: start,
            limit: end,
        })
        .find(|l| l.significant()) else {
            return;
        };
        if depth < MAX_DEPTH && self.block(first, end, depth, items) {
            return;
        }
        if first.end < end && depth < MAX_DEPTH && self.first_line_alone(first, end, depth, items) {
            return;
        }
        let all = Span::from_usize(first.start + first.indent, end);
        let all = Span::new(all.start, all.start + len(all.slice(&self.work).trim_end()));
        let content = first.content(&self.work);
        let Some(name) =
            attribute_name(content.slice(&self.work)).map(|n| Span::new(content.start, content.start + n))
        else {
            self.errors.push(within(failure.error, all, end));
            self.skipped.push(all);
            return;
        };
        if self.without_error_lines(first, end, &failure, items) {
            return;
        }
        // The value is there, but what it is can't be said.
        self.errors.push(within(failure.error, all, end));
        self.skipped.push(all);
        let assign = self
            .work
            .get(name.end as usize..)
            .and_then(|t| t.find('='))
            .unwrap_or(0);
        let value_start = name.end + u32::try_from(assign).unwrap_or(0) + 1;
        let value_text = self
            .work
            .get(value_start as usize..all.end as usize)
            .unwrap_or("");
        let value_start = value_start + len(value_text) - len(value_text.trim_start());
        let value = self
            .out
            .add(Span::new(value_start.min(all.end), all.end), Data::Broken);
        items.push(self.out.add(all, Data::Attribute { name, value }));
    }

    /// Where the first line is a block's header: the block, its body read item by item.
    fn block(&mut self, first: Line, end: usize, depth: u32, items: &mut Vec<Id>) -> bool {
        let mark = self.out.mark();
        let Some(header) = block_header(&self.work, first, &mut self.out) else {
            self.out.rewind(mark);
            return false;
        };
        let mut body_end = end;
        let mut close = None;
        let last = Lines {
            text: &self.work,
            at: first.end,
            limit: end,
        }
        .filter(|l| l.significant())
        .last();
        if let Some(last) = last
            && last.first == b'}'
            && last.indent <= first.indent
        {
            body_end = last.start;
            close = Some(last);
        }
        let header_span = Span::new(header.ident.start, header.open.end);
        if close.is_none() {
            self.errors
                .push(SyntaxError::new(header_span, "this block has no closing brace"));
        }
        let body = self.body(first.end, body_end, depth);
        let mut block_end = body.last().map_or(header.open.end, |id| self.out.span(*id).end);
        if let Some(close) = close {
            let content = close.content(&self.work);
            block_end = content.start + 1;
            if content.len() > 1 && !comment_behind(content.slice(&self.work)) {
                let rest = Span::new(content.start + 1, content.end);
                self.errors.push(SyntaxError::new(
                    rest,
                    "expected the end of the line after this block",
                ));
                self.skipped.push(rest);
            }
        }
        let body_items = self.out.list(&body);
        let body_span = Span::new(
            header.open.end,
            if close.is_some() {
                block_end - 1
            } else {
                block_end.max(header.open.end)
            },
        );
        let data = Data::Block {
            ident: header.ident,
            labels: header.labels,
            header: header.span,
            body: body_span,
            items: body_items,
            closed: close.is_some(),
        };
        items.push(self.out.add(
            Span::new(header.ident.start, block_end.max(header.open.end)),
            data,
        ));
        true
    }

    fn body(&mut self, start: usize, end: usize, depth: u32) -> Vec<Id> {
        let mut items = Vec::new();
        let mut at = start;
        while at < end {
            let piece = cut(&self.work, at, end, self.absent);
            let stop = piece.end.clamp(at + 1, end);
            self.item(at, stop, depth + 1, &mut items);
            at = stop;
        }
        items
    }

    /// Where the first line reads well by itself, what is indented below it was no part of it.
    fn first_line_alone(&mut self, first: Line, end: usize, depth: u32, items: &mut Vec<Id>) -> bool {
        match self.strict(first.start, first.end) {
            Ok(found) if !found.is_empty() => {
                items.extend(found);
                let rest = self.body(first.end, end, depth);
                items.extend(rest);
                true
            }
            _ => false,
        }
    }

    /// Leaves out the lines of an attribute's value that hold errors, if the rest then reads well.
    fn without_error_lines(
        &mut self,
        first: Line,
        end: usize,
        failure: &Failure,
        items: &mut Vec<Id>,
    ) -> bool {
        let before = (self.work.clone(), self.skipped.len(), self.errors.len());
        let mut current = failure.error.clone();
        for _ in 0..TRIES {
            let at = current.span.start as usize;
            let line = Lines {
                text: &self.work,
                at: first.end,
                limit: end,
            }
            .find(|l| l.start <= at && at < l.end);
            let Some(line) = line.filter(|l| l.significant() && l.indent > first.indent && !l.closes())
            else {
                break;
            };
            self.blank(line);
            self.errors.push(current);
            match self.strict(first.start, end) {
                Ok(found) => {
                    items.extend(found);
                    return true;
                }
                Err(failure) => current = failure.error,
            }
        }
        self.work = before.0;
        self.skipped.truncate(before.1);
        self.errors.truncate(before.2);
        false
    }
}

fn len(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

/// The error, held inside of the stretch it was found in, which ends with space up to `end`.
fn within(mut error: SyntaxError, stretch: Span, end: usize) -> SyntaxError {
    let region = stretch.cover(Span::at(u32::try_from(end).unwrap_or(u32::MAX)));
    if !region.contains(error.span) {
        error.span = stretch;
    }
    error
}

/// Whether only space and a comment stand behind the line's first character.
fn comment_behind(line: &str) -> bool {
    let rest = line.get(1..).unwrap_or("").trim_start();
    rest.is_empty() || rest.starts_with('#') || rest.starts_with("//") || rest.starts_with("/*")
}

/// Length of the name where a line starts with `name =`.
fn attribute_name(line: &str) -> Option<u32> {
    let length = line.find(|c| !is_ident_part(c))?;
    let name = line.get(..length)?;
    let behind = line.get(length..)?.trim_start();
    (name.starts_with(is_ident_start) && behind.starts_with('=')).then(|| len(name))
}

struct Header {
    ident: Span,
    labels: super::arena::Kids,
    /// From the block's type to its last label.
    span: Span,
    open: Span,
}

/// A line that is a block's name, its labels and an opening brace.
fn block_header(text: &str, line: Line, out: &mut Builder) -> Option<Header> {
    let content = line.content(text);
    let mut absent = Absent::default();
    // The brace is left to the caller: lexing up to it leaves nothing open.
    let brace = content.start as usize + find_open_brace(content.slice(text))?;
    let lexed = lex_item(text, line.start, brace, &mut absent).ok()?;
    let mut tokens = lexed.tokens.iter().filter(|t| t.kind != Kind::End);
    let ident = tokens.next().filter(|t| t.kind == Kind::Ident)?.span;
    let mut labels = Vec::new();
    let mut span = ident;
    while let Some(token) = tokens.next() {
        let (label, value) = match token.kind {
            Kind::Ident => (token.span, token.span),
            Kind::OpenQuote => {
                let inner = tokens.next()?;
                match inner.kind {
                    Kind::CloseQuote => (token.span.cover(inner.span), Span::at(inner.span.start)),
                    Kind::Quoted => {
                        let close = tokens.next().filter(|t| t.kind == Kind::CloseQuote)?;
                        (token.span.cover(close.span), inner.span)
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        let text = out.text(value.slice(text), value, text);
        labels.push(out.add(label, Data::Label(text)));
        span = span.cover(label);
    }
    let labels = out.list(&labels);
    Some(Header {
        ident,
        labels,
        span,
        open: Span::from_usize(brace, brace + 1),
    })
}

/// Offset of a `{` behind which only space or a comment stands.
fn find_open_brace(line: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = line.get(from..).and_then(|l| l.find('{')) {
        let brace = from + at;
        if !ends_inside_quotes(line.get(..brace)?) && comment_behind(line.get(brace..)?) {
            return Some(brace);
        }
        from = brace + 1;
    }
    None
}
