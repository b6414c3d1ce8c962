//! One document: its main piece, and a piece for each item of the lists that were cut out of it.

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::build::{Strict, item_end, strict};
use super::node::{Kind, Style};
use super::recover::{place, recover};
use super::scan::Fault;
use super::split::{self, List, lists};
use super::tree::{Comment, Open, Piece, SyntaxError, SyntaxErrorKind};
use crate::syntax::text::Span;

/// Documents shorter than this are parsed in one piece unless they are broken.
const CUT_DOCUMENT: usize = 4096;
/// Lists shorter than this stay in the main piece unless the document is broken.
const CUT_LIST: usize = 1024;
/// What stands for a list in the main piece, at the list's column and with a line feed.
const STAND_IN: &str = "- ~\n";
/// Offset of the stand-in's value from its dash, and of its end.
const STAND_IN_VALUE: Range<usize> = 2..3;

/// What one chunk of the text holds; offsets count from the chunk's start.
#[derive(Debug, Default)]
pub(super) struct Doc {
    pub(super) len: u32,
    /// Everything but the lists cut out; its offsets are those of a text with stand-ins.
    pub(super) main: Arc<Piece>,
    /// The text of `main` if lists were cut out.
    main_text: Box<str>,
    pub(super) holes: Vec<Hole>,
    pub(super) items: Vec<Item>,
    pub(super) errors: Vec<SyntaxError>,
    /// Places of anchors, in the order of the text; the piece and node of each.
    pub(super) anchors: Vec<AnchorAt>,
}

/// Where a list was cut out of the main piece.
#[derive(Clone, Debug)]
pub(super) struct Hole {
    /// The stand-in's dash, in the main piece.
    dash: u32,
    /// Behind the stand-in's line, in the main piece.
    end: u32,
    /// How much what follows moves.
    shift: u32,
    /// Behind the value of the last item, in the document.
    last: u32,
    /// Its items.
    pub(super) items: Range<u32>,
}

/// An item cut out and where its chunk starts in the document.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) offset: u32,
    pub(super) piece: Arc<Piece>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct AnchorAt {
    pub(super) offset: u32,
    pub(super) part: u32,
    pub(super) idx: u32,
    /// Of the name, so that looking for one among many is quick.
    pub(super) hash: u64,
}

/// The hash of an anchor's name.
pub(super) fn name_hash(name: &str) -> u64 {
    FxBuildHasher.hash_one(name)
}

/// Finds pieces of an earlier tree that hold the same text.
pub(super) trait Memo {
    /// Tells where in the text the chunk starts that the ranges asked for are relative to.
    fn start(&mut self, at: usize);
    /// The piece of an item whose chunk is this range of the document's text.
    fn item(&mut self, chunk: Range<usize>) -> Option<Arc<Piece>>;
    /// The main piece with this text.
    fn main(&mut self, text: &str) -> Option<Arc<Piece>>;
}

/// Remembers nothing.
pub(super) struct NoMemo;

impl Memo for NoMemo {
    fn start(&mut self, _: usize) {}
    fn item(&mut self, _: Range<usize>) -> Option<Arc<Piece>> {
        None
    }
    fn main(&mut self, _: &str) -> Option<Arc<Piece>> {
        None
    }
}

fn small(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl Doc {
    /// Parses the first document of a text. `first` tells that nothing of the stream precedes it.
    pub(super) fn parse(text: &str, first: bool, memo: &mut impl Memo) -> Self {
        let may_cut =
            !(split::has_odd_breaks(text) || text.trim_start().starts_with('%') && text.contains("%TAG"));
        if text.len() >= CUT_DOCUMENT && may_cut {
            let mut cut = lists(text);
            cut.retain(|l| l.range.len() >= CUT_LIST);
            if let Some(doc) = Self::cut(text, first, cut, memo, false) {
                return doc;
            }
        }
        let whole = strict(text, first);
        if whole
            .fault
            .as_ref()
            .is_none_or(|f| f.kind == SyntaxErrorKind::Trailing)
        {
            return Self::whole(text, whole);
        }
        let cut = if may_cut { lists(text) } else { Vec::new() };
        // The whole is broken, so some piece must be.
        let found = Self::cut(text, first, cut, memo, true).filter(|doc| !doc.errors.is_empty());
        if let (Some(mut doc), Some(fault)) = (found, &whole.fault) {
            // A piece may be at fault in another way than the whole.
            if doc.errors.iter().all(|e| e.kind == SyntaxErrorKind::Trailing)
                && let Some(error) = doc.errors.first_mut()
            {
                error.kind = fault.kind;
            }
            return doc;
        }
        let recovered = recover(text, first, whole, 0, &[], |_, _| true);
        let mut doc = Self::whole(text, recovered.strict);
        doc.errors.push(recovered.error);
        doc.len = small(text.len());
        doc
    }

    fn whole(text: &str, strict: Strict) -> Self {
        let mut errors = Vec::new();
        if let Some(fault) = &strict.fault {
            let rest = text.get(fault.at..).unwrap_or("").trim_end();
            let blanked = vec![Span::from_usize(fault.at, fault.at + rest.len())];
            errors.push(SyntaxError::new(fault, place(fault, text), blanked));
        }
        let mut doc = Self {
            len: small(if strict.fault.is_some() {
                text.len()
            } else {
                strict.end
            }),
            main: Arc::new(strict.piece),
            errors,
            ..Self::default()
        };
        doc.find_anchors(text);
        doc
    }

    /// Parses with lists cut out. `None` if that does not work out: nothing to cut, a cut inside a
    /// scalar, or, unless `broken` is known, a fault outside the items.
    fn cut(text: &str, first: bool, mut cut: Vec<List>, memo: &mut impl Memo, broken: bool) -> Option<Self> {
        loop {
            if cut.is_empty() {
                return None;
            }
            let plan = Plan::new(text, &cut);
            let (main, found) = plan.main(first, memo, broken)?;
            if main.errors.is_empty() && found.contains(&false) {
                // Not lists after all, but lines in a scalar.
                let mut found = found.into_iter();
                cut.retain(|_| found.next().unwrap_or(false));
                continue;
            }
            return plan.fill(main, &found, memo, broken);
        }
    }

    /// The main piece if it was cut and has this text.
    pub(super) fn main_of(&self, text: &str) -> Option<Arc<Piece>> {
        (!self.holes.is_empty() && *self.main_text == *text).then(|| self.main.clone())
    }

    /// Maps an offset of a piece to the document.
    pub(super) fn place(&self, part: u32, at: u32) -> u32 {
        if part > 0 {
            return at + self.items.get(part as usize - 1).map_or(0, |i| i.offset);
        }
        let before = self.holes.partition_point(|hole| hole.dash < at);
        match before.checked_sub(1).and_then(|last| self.holes.get(last)) {
            None => at,
            Some(hole) if at < hole.end => hole.last,
            Some(hole) => at.wrapping_add(hole.shift),
        }
    }

    /// A piece: 0 is the main piece, then come the items.
    pub(super) fn piece(&self, part: u32) -> Option<&Piece> {
        match part.checked_sub(1) {
            None => Some(&self.main),
            Some(item) => self.items.get(item as usize).map(|i| &*i.piece),
        }
    }

    /// Every piece with the text that its offsets count in; `text` is that of the document.
    pub(super) fn pieces<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (&'a Piece, &'a str)> {
        let main = if self.holes.is_empty() {
            text
        } else {
            &*self.main_text
        };
        let items = self
            .items
            .iter()
            .map(move |i| (&*i.piece, text.get(i.offset as usize..).unwrap_or("")));
        std::iter::once((&*self.main, main)).chain(items)
    }

    /// All comments, piece by piece.
    pub(super) fn comments(&self) -> impl Iterator<Item = Comment> + '_ {
        (0..=small(self.items.len())).flat_map(move |part| {
            let comments = self.piece(part).map_or(&[][..], |p| &p.comments);
            comments.iter().map(move |c| {
                let span = Span::new(self.place(part, c.span.start), self.place(part, c.span.end));
                Comment { span, ..*c }
            })
        })
    }

    fn find_anchors(&mut self, text: &str) {
        let mut anchors = Vec::new();
        for part in 0..=small(self.items.len()) {
            for (idx, props) in self.piece(part).map_or(&[][..], |p| &p.props) {
                if let Some(anchor) = props.anchor {
                    let span = Span::new(self.place(part, anchor.start), self.place(part, anchor.end));
                    let hash = name_hash(span.slice(text).trim_start_matches('&'));
                    anchors.push(AnchorAt {
                        offset: span.start,
                        part,
                        idx: *idx,
                        hash,
                    });
                }
            }
        }
        anchors.sort_unstable_by_key(|a| a.offset);
        self.anchors = anchors;
    }
}

/// The main text of a document whose lists are cut out.
struct Plan<'a> {
    text: &'a str,
    cut: &'a [List],
    main: String,
    /// Where the dash of each stand-in is in `main`.
    dashes: Vec<usize>,
}

impl<'a> Plan<'a> {
    fn new(text: &'a str, cut: &'a [List]) -> Self {
        let mut main = String::new();
        let mut dashes = Vec::new();
        let mut at = 0;
        for list in cut {
            main.push_str(text.get(at..list.range.start).unwrap_or(""));
            main.extend(std::iter::repeat_n(' ', list.column));
            dashes.push(main.len());
            main.push_str(STAND_IN);
            at = list.range.end;
        }
        main.push_str(text.get(at..).unwrap_or(""));
        Self {
            text,
            cut,
            main,
            dashes,
        }
    }

    /// The node that stands for a list, if the parse made it one.
    fn stand_in(&self, piece: &Piece, hole: usize) -> Option<usize> {
        let dash = *self.dashes.get(hole)?;
        let (start, end) = (
            small(dash + STAND_IN_VALUE.start),
            small(dash + STAND_IN_VALUE.end),
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

    /// The main piece, and for each list whether its stand-in was found.
    fn main(&self, first: bool, memo: &mut impl Memo, broken: bool) -> Option<(Arc<Piece>, Vec<bool>)> {
        let piece = match memo.main(&self.main) {
            Some(piece) => piece,
            None => Arc::new(self.parse_main(first, broken)?),
        };
        if !broken && !piece.errors.is_empty() {
            return None;
        }
        let found = (0..self.cut.len())
            .map(|hole| self.stand_in(&piece, hole).is_some())
            .collect();
        Some((piece, found))
    }

    fn parse_main(&self, first: bool, broken: bool) -> Option<Piece> {
        let mut strict = strict(&self.main, first);
        if strict.fault.is_some() {
            if !broken {
                return None;
            }
            let lines = self.stand_in_lines();
            let recovered = recover(&self.main, first, strict, 0, &lines, |strict, left_out| {
                (0..).zip(&lines).all(|(hole, line)| {
                    left_out.get(*line) == Some(&true) || self.stand_in(&strict.piece, hole).is_some()
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
                .stand_in(&piece, hole)
                .and_then(|idx| piece.recs.get_mut(idx))
            {
                rec.set_hole(hole);
            }
        }
        Some(piece)
    }

    /// The line in `main` of each stand-in.
    fn stand_in_lines(&self) -> Vec<usize> {
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

    /// Parses the items and puts the document together. `None` if an item reaches out of its list.
    fn fill(&self, main: Arc<Piece>, found: &[bool], memo: &mut impl Memo, broken: bool) -> Option<Doc> {
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
            inserted += list.column + STAND_IN.len();
            doc.holes.push(Hole {
                dash: small(*dash),
                end: small(dash + STAND_IN.len()),
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
                .unwrap_or_else(|| Arc::new(parse_item(text)));
            if let Some(open) = piece.open {
                match self.reaches(list, &chunks, chunk.clone(), open) {
                    Reach::Item(next) => {
                        at = next;
                        let end = chunks.get(next).map_or(list.range.end, |c| c.start);
                        piece = Arc::new(parse_item(self.text.get(chunk.start..end).unwrap_or("")));
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

    /// Whether an item that its chunk does not close is closed further on.
    fn reaches(&self, list: &List, chunks: &[Range<usize>], chunk: Range<usize>, open: Open) -> Reach {
        if let Open::Quote(quote) = open
            && memchr::memchr(quote, self.text.as_bytes().get(chunk.end..).unwrap_or(&[])).is_none()
        {
            return Reach::Fault;
        }
        let rest = self.text.get(chunk.start..).unwrap_or("");
        let Some(end) = item_end(rest, chunk.len()).map(|end| chunk.start + end) else {
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
    /// Right before the item of this index, or at the list's end.
    Item(usize),
    /// Somewhere that was not expected.
    Beyond,
    /// Nowhere: it is broken.
    Fault,
}

/// What a fault at the end of a text says was left open.
fn open_at_end(fault: &Fault, text: &str) -> Option<Open> {
    if fault.at < text.trim_end().len() {
        return None;
    }
    let quote = fault.context.and_then(|at| text.as_bytes().get(at)).copied();
    let quote = quote.filter(|b| matches!(b, b'"' | b'\'') && fault.kind == SyntaxErrorKind::Scanner);
    Some(quote.map_or(Open::Other, Open::Quote))
}

/// The piece of one item, whose chunk begins with its dash or with comments above it.
fn parse_item(text: &str) -> Piece {
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
    let strict = strict(text, true);
    let mut piece = if strict.fault.is_none() && one_item(&strict) {
        strict.piece
    } else {
        let open = strict.fault.as_ref().and_then(|f| open_at_end(f, text));
        let comments = text
            .split_inclusive('\n')
            .take_while(|l| l.trim_start().starts_with('#') || l.trim().is_empty());
        let lead: usize = comments.map(str::len).sum();
        let dash = lead + text.get(lead..).unwrap_or("").find('-').unwrap_or(0);
        let recovered = recover(text, true, strict, dash + 1, &[], |strict, _| one_item(strict));
        let mut piece = recovered.strict.piece;
        piece.errors.push(recovered.error);
        piece.open = open;
        piece
    };
    piece.len = small(text.len());
    piece
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::yaml::Tree;
    use proptest::prelude::*;

    const TEXTS: [&str; 6] = [
        "spec:\n  list:\n    - name: a # c\n      deps: [x, \"y z\"]\n    # above\n    - name: 'b'\n      text: |+\n        one\n\n        two\n\n    - name: c\n  after: x\n",
        "list:\n- a: 1\n  b:\n  - c\n  - d\n- &x e\n- *x\nother:\n- f: >-\n    g\n   \n- h\n",
        "- a\n-\n- - b\n  - c: d\n    e: [f,\n  g]\n- \"h\n  i\"\n",
        "a: |\n  - x\n  - y\nb:\n  - z\n  - w: \"v\n  - u\"\n  - t\n",
        "k:\n  - a: [\n    b,\n  ]\n  - c\n  - 'd\n\n    e'\n",
        "---\nm:\n    - n: 1\n      p: 2\n    - n: 3\n    # low\nx:\n  - {q: r}\n  - ? s\n    : t\n...\n",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]
        #[test]
        fn cutting_lists_out_changes_nothing(
            text in prop::sample::select(&TEXTS[..]),
            edits in prop::collection::vec((0.0..1.0f64, 0..4usize, prop::sample::select(&["", " ", "\n", "\"", "'", "[", "]", "- ", "\n  - ", "\n    ", ": ", "#", "\t", "x", "|\n", "&y ", "~", "{", ","][..])), 0..4)
        ) {
            let mut text = text.to_owned();
            for (at, remove, insert) in edits {
                let start = (text.len() as f64 * at) as usize;
                text.replace_range(start..(start + remove).min(text.len()), insert);
            }
            let text = &text[split::documents(&text, 0)[0].clone()];
            let whole = strict(text, true);
            let cut = Doc::cut(text, true, lists(text), &mut NoMemo, false).filter(|d| d.errors.is_empty());
            if let Some(cut) = cut {
                prop_assert!(whole.fault.is_none(), "{text:?} {:?}", whole.fault);
                let outline = |doc: Doc| format!("{:?}", Tree::of(text, doc));
                prop_assert_eq!(outline(cut), outline(Doc::whole(text, whole)));
            }
        }
    }
}
