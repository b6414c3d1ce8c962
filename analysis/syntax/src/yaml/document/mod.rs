//! One document: its main piece, and a piece for each item of the lists that were cut out of it.

mod cut;

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use self::cut::Plan;
use crate::text::Span;
use crate::yaml::Reading;
use crate::yaml::build::{Strict, strict};
use crate::yaml::recover::{place, recover};
use crate::yaml::split::{self, List, lists};
use crate::yaml::tree::{Comment, Piece, SyntaxError, SyntaxErrorKind};

/// Documents shorter than this are parsed in one piece unless they are broken.
const CUT_DOCUMENT: usize = 4096;
/// Lists shorter than this stay in the main piece unless the document is broken.
const CUT_LIST: usize = 1024;
/// The content of one chunk of the text; offsets are relative to the chunk's start.
#[derive(Debug, Default)]
pub(in crate::yaml) struct Doc {
    pub(in crate::yaml) len: u32,
    /// Everything but the lists cut out; its offsets are those of a text with stand-ins.
    pub(in crate::yaml) main: Arc<Piece>,
    /// The text of `main` if lists were cut out.
    main_text: Box<str>,
    pub(in crate::yaml) holes: Vec<Hole>,
    pub(in crate::yaml) items: Vec<Item>,
    pub(in crate::yaml) errors: Vec<SyntaxError>,
    /// Places of anchors, in the order of the text; the piece and node of each.
    pub(in crate::yaml) anchors: Vec<AnchorAt>,
}

/// Where a list was cut out of the main piece.
#[derive(Clone, Debug)]
pub(in crate::yaml) struct Hole {
    /// The stand-in's dash, in the main piece.
    dash: u32,
    /// After the stand-in's line, in the main piece.
    end: u32,
    /// By how much the following text moves.
    shift: u32,
    /// After the value of the last item, in the document.
    last: u32,
    /// Its items.
    pub(in crate::yaml) items: Range<u32>,
}

/// An item cut out and where its chunk starts in the document.
#[derive(Clone, Debug)]
pub(in crate::yaml) struct Item {
    pub(in crate::yaml) offset: u32,
    pub(in crate::yaml) piece: Arc<Piece>,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::yaml) struct AnchorAt {
    pub(in crate::yaml) offset: u32,
    pub(in crate::yaml) part: u32,
    pub(in crate::yaml) idx: u32,
    /// The hash of the name, so that finding one among many is fast.
    pub(in crate::yaml) hash: u64,
}

/// The hash of an anchor's name.
pub(in crate::yaml) fn name_hash(name: &str) -> u64 {
    FxBuildHasher.hash_one(name)
}

/// Finds pieces of an earlier tree with the same text.
pub(in crate::yaml) trait Memo {
    /// Sets the start in the text of the chunk that the requested ranges are relative to.
    fn start(&mut self, at: usize);
    /// The piece of an item whose chunk is this range of the document's text.
    fn item(&mut self, chunk: Range<usize>) -> Option<Arc<Piece>>;
    /// The main piece with this text.
    fn main(&mut self, text: &str) -> Option<Arc<Piece>>;
}

/// Remembers nothing.
pub(in crate::yaml) struct NoMemo;

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
    /// Parses the first document of a text.
    pub(in crate::yaml) fn parse(text: &str, reading: Reading, memo: &mut impl Memo) -> Self {
        let may_cut =
            !(split::has_odd_breaks(text) || text.trim_start().starts_with('%') && text.contains("%TAG"));
        if text.len() >= CUT_DOCUMENT && may_cut {
            let mut cut = lists(text);
            cut.retain(|l| l.range.len() >= CUT_LIST);
            if let Some(doc) = Self::cut(text, reading, cut, memo, false) {
                return doc;
            }
        }
        let whole = strict(text, reading);
        if whole
            .fault
            .as_ref()
            .is_none_or(|f| f.kind == SyntaxErrorKind::Trailing)
        {
            return Self::whole(text, whole);
        }
        let cut = if may_cut { lists(text) } else { Vec::new() };
        // The whole is broken, so some piece must be.
        let found = Self::cut(text, reading, cut, memo, true).filter(|doc| !doc.errors.is_empty());
        if let (Some(mut doc), Some(fault)) = (found, &whole.fault) {
            // A piece may be broken in another way than the whole.
            if doc.errors.iter().all(|e| e.kind == SyntaxErrorKind::Trailing)
                && let Some(error) = doc.errors.first_mut()
            {
                error.kind = fault.kind;
            }
            return doc;
        }
        let recovered = recover(text, reading, whole, 0, &[], |_, _| true);
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

    /// Parses with lists cut out. `None` if that fails: nothing to cut, a cut inside a scalar, or, unless
    /// `broken` is known, a fault outside the items.
    fn cut(
        text: &str,
        reading: Reading,
        mut cut: Vec<List>,
        memo: &mut impl Memo,
        broken: bool,
    ) -> Option<Self> {
        loop {
            if cut.is_empty() {
                return None;
            }
            let plan = Plan::new(text, &cut, reading.libyaml);
            let (main, found) = plan.main(reading.first, memo, broken)?;
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
    pub(in crate::yaml) fn main_of(&self, text: &str) -> Option<Arc<Piece>> {
        (!self.holes.is_empty() && *self.main_text == *text).then(|| self.main.clone())
    }

    /// Maps an offset of a piece to the document.
    pub(in crate::yaml) fn place(&self, part: u32, at: u32) -> u32 {
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
    pub(in crate::yaml) fn piece(&self, part: u32) -> Option<&Piece> {
        match part.checked_sub(1) {
            None => Some(&self.main),
            Some(item) => self.items.get(item as usize).map(|i| &*i.piece),
        }
    }

    /// Every piece with the text that its offsets refer to; `text` is that of the document.
    pub(in crate::yaml) fn pieces<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (&'a Piece, &'a str)> {
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
    pub(in crate::yaml) fn comments(&self) -> impl Iterator<Item = Comment> + '_ {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::{Libyaml, Tree};
    use proptest::prelude::*;

    const READING: Reading = Reading {
        first: true,
        libyaml: Libyaml::Old,
    };

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
            let whole = strict(text, READING);
            let cut = Doc::cut(text, READING, lists(text), &mut NoMemo, false).filter(|d| d.errors.is_empty());
            if let Some(cut) = cut {
                prop_assert!(whole.fault.is_none(), "{text:?} {:?}", whole.fault);
                let outline = |doc: Doc| format!("{:?}", Tree::of(text, doc));
                prop_assert_eq!(outline(cut), outline(Doc::whole(text, whole)));
            }
        }
    }
}
