//! Reading a piece of text that breaks the grammar: the intended structure is derived from the indentation.
//!
//! An unclosed bracket, quote or brace ends at the first line at or left of the column of its item, because
//! that is how people lay out what they have not finished. Lines that cannot be read are dropped and reported
//! as such.

use super::arena::{BlockNode, Builder, Chunk, Comment, Data, Id, MAX_ERRORS, SyntaxError, SyntaxErrorKind};
use super::grammar::{Failure, parse_items};
mod header;
mod lines;

use super::lex::{Absent, Lexed, MAX_DEPTH, lex_item};
use crate::text::Span;
use header::{attribute_name, block_header, only_comment_follows};
use lines::{Line, Lines, cut};

/// How often lines are blanked for another strict attempt, per item.
const TRIES: usize = 16;

/// Reads the first item of `text`, which is known to break the grammar with `failure`; `strict_end` is where it
/// ends by its brackets, if that is known.
pub(super) fn recover(
    text: &str,
    failure: Failure,
    strict_end: Option<usize>,
    examined: usize,
    absent: &Absent,
) -> Chunk {
    let limit = SyntaxErrorKind::Limit;
    let is_limit = failure.error.kind == limit;
    if let Some(end) = strict_end.filter(|_| !is_limit)
        && let Some(mut chunk) = without_stray_lines(text.get(..end).unwrap_or(text), &failure, absent)
    {
        chunk.examined = u32::try_from(examined.max(end)).unwrap_or(u32::MAX);
        return chunk;
    }
    let cut = cut(text, 0, text.len(), absent);
    // What is nested too deep is closed correctly.
    let end = strict_end.filter(|_| is_limit).unwrap_or(cut.end);
    let own = text.get(..end).unwrap_or(text);
    let mut recovery = Recovery::new(own, absent);
    let mut items = Vec::new();
    recovery.item(0, own.len(), 0, &mut items);
    if is_limit {
        // The grammar is not broken up to the limit: what seems to break it afterwards is where the text was cut.
        recovery.errors.retain(|e| e.kind == limit);
    }
    if recovery.errors.is_empty() {
        let error = failure.error;
        let span = if error.span.end as usize <= own.len() {
            error.span
        } else {
            first_line(own)
        };
        recovery.errors.push(SyntaxError { span, ..error });
    }
    recovery.finish(own, items, examined.max(cut.examined).max(end))
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

/// The strict parse of `text` without lines that break it at their start, at or left of the column of their
/// block: a half-typed word, a conflict marker.
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
    /// What is known not to occur in the text from this chunk on.
    absent: &'a Absent,
    /// The text, with dropped lines replaced by spaces.
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
            unread: false,
            examined: u32::try_from(examined).unwrap_or(u32::MAX),
        }
    }

    /// Replaces a line by spaces and records it as dropped.
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

    /// Reads the one item that covers `start..end`, as far as it can be read.
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
        // The value exists, but its content is unknown.
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

    /// If the first line is a block's header: the block, its body read item by item.
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
                .push(SyntaxError::new(header_span, "unterminated block: missing `}`"));
        }
        let body = self.body(first.end, body_end, depth);
        let mut block_end = body.last().map_or(header.open.end, |id| self.out.span(*id).end);
        if let Some(close) = close {
            let content = close.content(&self.work);
            block_end = content.start + 1;
            if content.len() > 1 && !only_comment_follows(content.slice(&self.work)) {
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
        let data = Data::Block(Box::new(BlockNode {
            ident: header.ident,
            labels: header.labels,
            header: header.span,
            body: body_span,
            items: body_items,
            closed: close.is_some(),
        }));
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
            if self.errors.len() > MAX_ERRORS {
                self.skipped.push(Span::from_usize(at, end));
                break;
            }
            let piece = cut(&self.work, at, end, self.absent);
            let stop = piece.end.clamp(at + 1, end);
            self.item(at, stop, depth + 1, &mut items);
            at = stop;
        }
        items
    }

    /// If the first line is valid by itself, what is indented below it was not part of it.
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

    /// Drops the lines of an attribute's value that have errors, if the rest is then valid.
    fn without_error_lines(
        &mut self,
        first: Line,
        end: usize,
        failure: &Failure,
        items: &mut Vec<Id>,
    ) -> bool {
        let own = first.start..end;
        let kept = self.work.get(own.clone()).unwrap_or("").to_owned();
        let before = (self.skipped.len(), self.errors.len());
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
        self.work.replace_range(own, &kept);
        self.skipped.truncate(before.0);
        self.errors.truncate(before.1);
        false
    }
}

fn len(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

/// The error, limited to the range it was found in, which is padded with space up to `end`.
fn within(mut error: SyntaxError, stretch: Span, end: usize) -> SyntaxError {
    let region = stretch.cover(Span::at(u32::try_from(end).unwrap_or(u32::MAX)));
    if !region.contains(error.span) {
        error.span = stretch;
    }
    error
}
