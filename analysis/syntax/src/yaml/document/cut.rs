//! A document read in pieces: its long lists are cut out, and each of their items is a piece of its own.

use std::ops::Range;
use std::sync::Arc;

use super::{Doc, Hole, Item, Memo, small};
use crate::text::Span;
use crate::yaml::build::{Strict, item_end, strict};
use crate::yaml::node::{Kind, Style};
use crate::yaml::recover::recover;
use crate::yaml::scan::Fault;
use crate::yaml::split::List;
use crate::yaml::tree::{Open, Piece, SyntaxError, SyntaxErrorKind};
use crate::yaml::{Libyaml, Reading};

/// The stand-in for a list in the main piece, at the list's column and with a line feed.
const PLACEHOLDER: &str = "- ~\n";
/// Offset of the stand-in's value from its dash, and of its end.
const PLACEHOLDER_VALUE: Range<usize> = 2..3;

/// The main text of a document whose lists are cut out.
pub(super) struct Plan<'a> {
    text: &'a str,
    cut: &'a [List],
    main: String,
    libyaml: Libyaml,
    /// Where the dash of each placeholder is in `main`.
    dashes: Vec<usize>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(text: &'a str, cut: &'a [List], libyaml: Libyaml) -> Self {
        let mut main = String::new();
        let mut dashes = Vec::new();
        let mut at = 0;
        for list in cut {
            main.push_str(text.get(at..list.range.start).unwrap_or(""));
            main.extend(std::iter::repeat_n(' ', list.column));
            dashes.push(main.len());
            main.push_str(PLACEHOLDER);
            at = list.range.end;
        }
        main.push_str(text.get(at..).unwrap_or(""));
        Self {
            text,
            cut,
            main,
            libyaml,
            dashes,
        }
    }

    /// The node of a list's stand-in, if the parse made it one.
    fn placeholder(&self, piece: &Piece, hole: usize) -> Option<usize> {
        let dash = *self.dashes.get(hole)?;
        let (start, end) = (
            small(dash + PLACEHOLDER_VALUE.start),
            small(dash + PLACEHOLDER_VALUE.end),
        );
        let from = piece.recs.partition_point(|r| r.start < start);
        let found = piece
            .recs
            .iter()
            .skip(from)
            .take_while(|r| r.start == start)
            .position(|r| r.is_scalar() && r.style() == Style::Plain && r.end == end);
        found.map(|i| from + i)
    }

    /// The main piece, and for each list whether its placeholder was found.
    pub(super) fn main(
        &self,
        first: bool,
        memo: &mut impl Memo,
        broken: bool,
    ) -> Option<(Arc<Piece>, Vec<bool>)> {
        let piece = match memo.main(&self.main) {
            Some(piece) => piece,
            None => Arc::new(self.parse_main(first, broken)?),
        };
        if !broken && !piece.errors.is_empty() {
            return None;
        }
        let found = (0..self.cut.len())
            .map(|hole| self.placeholder(&piece, hole).is_some())
            .collect();
        Some((piece, found))
    }

    fn parse_main(&self, first: bool, broken: bool) -> Option<Piece> {
        let reading = Reading {
            first,
            libyaml: self.libyaml,
        };
        let mut strict = strict(&self.main, reading);
        if strict.fault.is_some() {
            if !broken {
                return None;
            }
            let lines = self.placeholder_lines();
            let recovered = recover(&self.main, reading, strict, 0, &lines, |strict, left_out| {
                (0..).zip(&lines).all(|(hole, line)| {
                    left_out.get(*line) == Some(&true) || self.placeholder(&strict.piece, hole).is_some()
                })
            });
            strict = recovered.strict;
            strict.piece.errors.push(recovered.error);
        } else if strict.end != self.main.len() {
            return None;
        }
        let mut piece = strict.piece;
        piece.len = small(self.main.len());
        for hole in 0..self.cut.len() {
            if let Some(rec) = self
                .placeholder(&piece, hole)
                .and_then(|idx| piece.recs.get_mut(idx))
            {
                rec.set_hole(hole);
            }
        }
        Some(piece)
    }

    /// The line in `main` of each placeholder.
    fn placeholder_lines(&self) -> Vec<usize> {
        let mut breaks = memchr::memchr_iter(b'\n', self.main.as_bytes()).peekable();
        let mut line = 0;
        let line_of = |dash: &usize| {
            while breaks.next_if(|at| at < dash).is_some() {
                line += 1;
            }
            line
        };
        self.dashes.iter().map(line_of).collect()
    }

    /// Parses the items and assembles the document. `None` if an item reaches out of its list.
    pub(super) fn fill(
        &self,
        main: Arc<Piece>,
        found: &[bool],
        memo: &mut impl Memo,
        broken: bool,
    ) -> Option<Doc> {
        let mut doc = Doc {
            len: small(self.text.len()),
            main_text: self.main.clone().into_boxed_str(),
            ..Doc::default()
        };
        let (mut inserted, mut removed) = (0usize, 0usize);
        for ((list, dash), found) in self.cut.iter().zip(&self.dashes).zip(found) {
            let from = doc.items.len();
            let region = self.text.get(list.range.clone()).unwrap_or("");
            let mut last = small(list.range.start + region.trim_end().len());
            if *found {
                self.items(list, memo, broken, &mut doc.items)?;
                if let Some(item) = doc.items.last()
                    && let Some(root) = item.piece.recs.first()
                {
                    last = item.offset + root.end;
                }
            }
            removed += region.len();
            inserted += list.column + PLACEHOLDER.len();
            doc.holes.push(Hole {
                dash: small(*dash),
                end: small(dash + PLACEHOLDER.len()),
                shift: small(removed).wrapping_sub(small(inserted)),
                last,
                items: small(from)..small(doc.items.len()),
            });
        }
        doc.main = main;
        let placed = |error: &SyntaxError, part: u32| {
            error.map(|span| Span::new(doc.place(part, span.start), doc.place(part, span.end)))
        };
        let parts = (0..=small(doc.items.len())).filter_map(|part| Some((part, doc.piece(part)?)));
        let mut errors: Vec<_> = parts
            .flat_map(|(part, p)| p.errors.iter().map(move |e| (e, part)))
            .map(|(e, part)| placed(e, part))
            .collect();
        errors.sort_by_key(|e| e.span.start);
        doc.errors = errors;
        doc.find_anchors(self.text);
        Some(doc)
    }

    fn items(&self, list: &List, memo: &mut impl Memo, broken: bool, out: &mut Vec<Item>) -> Option<()> {
        let chunks: Vec<Range<usize>> = list.chunks().collect();
        let mut at = 0;
        while let Some(chunk) = chunks.get(at).cloned() {
            at += 1;
            let text = self.text.get(chunk.clone()).unwrap_or("");
            let mut piece = memo
                .item(chunk.clone())
                .unwrap_or_else(|| Arc::new(parse_item(text, self.libyaml)));
            if let Some(open) = piece.open {
                match self.reaches(list, &chunks, chunk.clone(), open) {
                    Reach::Item(next) => {
                        at = next;
                        let end = chunks.get(next).map_or(list.range.end, |c| c.start);
                        piece = Arc::new(parse_item(
                            self.text.get(chunk.start..end).unwrap_or(""),
                            self.libyaml,
                        ));
                    }
                    Reach::Beyond if !broken => return None,
                    Reach::Beyond | Reach::Fault => {}
                }
            }
            out.push(Item {
                offset: small(chunk.start),
                piece,
            });
        }
        Some(())
    }

    /// Whether an item that its chunk does not close is closed later.
    fn reaches(&self, list: &List, chunks: &[Range<usize>], chunk: Range<usize>, open: Open) -> Reach {
        if let Open::Quote(quote) = open
            && memchr::memchr(quote, self.text.as_bytes().get(chunk.end..).unwrap_or(&[])).is_none()
        {
            return Reach::Fault;
        }
        let rest = self.text.get(chunk.start..).unwrap_or("");
        let Some(end) = item_end(rest, chunk.len(), self.libyaml).map(|end| chunk.start + end) else {
            return Reach::Fault;
        };
        let quiet = |range: Range<usize>| {
            let between = self.text.get(range).unwrap_or("");
            between
                .lines()
                .all(|l| l.trim_start().is_empty() || l.trim_start().starts_with('#'))
        };
        if end >= list.range.end {
            return if quiet(list.range.end..end) {
                Reach::Item(chunks.len())
            } else {
                Reach::Beyond
            };
        }
        let next = chunks.partition_point(|c| c.start <= end);
        match next.checked_sub(1).and_then(|n| Some((n, chunks.get(n)?))) {
            Some((n, found)) if found.start > chunk.start && quiet(found.start..end) => Reach::Item(n),
            _ => Reach::Beyond,
        }
    }
}

/// Where an item that does not end with its chunk ends.
enum Reach {
    /// Directly before the item of this index, or at the list's end.
    Item(usize),
    /// At an unexpected position.
    Beyond,
    /// Nowhere: it is broken.
    Fault,
}

/// What was left open, according to a fault at the end of a text.
fn open_at_end(fault: &Fault, text: &str) -> Option<Open> {
    if fault.at < text.trim_end().len() {
        return None;
    }
    let quote = fault.context.and_then(|at| text.as_bytes().get(at)).copied();
    let quote = quote.filter(|b| matches!(b, b'"' | b'\'') && fault.kind == SyntaxErrorKind::Scanner);
    Some(quote.map_or(Open::Other, Open::Quote))
}

/// The piece of one item, whose chunk begins with its dash or with comments above it.
fn parse_item(text: &str, libyaml: Libyaml) -> Piece {
    let reading = Reading { first: true, libyaml };
    let one_item = |strict: &Strict| {
        let recs = &strict.piece.recs;
        let item = recs.get(1);
        strict.end == text.len()
            && strict.piece.head.marker.is_none()
            && recs
                .first()
                .is_some_and(|r| r.kind() == Kind::Sequence && r.style() == Style::Block)
            && item.is_some_and(|i| i.next as usize == recs.len())
    };
    let strict = strict(text, reading);
    let mut piece = if strict.fault.is_none() && one_item(&strict) {
        strict.piece
    } else {
        let open = strict.fault.as_ref().and_then(|f| open_at_end(f, text));
        let comments = text
            .split_inclusive('\n')
            .take_while(|l| l.trim_start().starts_with('#') || l.trim().is_empty());
        let lead: usize = comments.map(str::len).sum();
        let dash = lead + text.get(lead..).unwrap_or("").find('-').unwrap_or(0);
        let recovered = recover(text, reading, strict, dash + 1, &[], |strict, _| one_item(strict));
        let mut piece = recovered.strict.piece;
        piece.errors.push(recovered.error);
        piece.open = open;
        piece
    };
    piece.len = small(text.len());
    piece
}
