//! A file as one environment and one decoder read it.

use applyorder_core::engine::EngineIx;
use std::sync::Arc;

use super::decode::{LIST, Manifests, Reader};
use super::fault::{Fault, FaultKind};
use super::header::{self, Header};
use super::manifest::{self, Manifest};
use super::places::Pen;
use crate::schema::{ROOT, SPEC};
use applyorder_core::diagnostic::{At, FileId, Place};
use applyorder_syntax::template::{self, Outcome, Rendered, SourceMap};
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::dialect::goyaml::{self, DialectErrorKind};
use applyorder_syntax::yaml::{Node, SyntaxError, SyntaxErrorKind, Tree};

/// How many bits of a place's number are for entries; the others are for the view.
pub(super) const LOCAL_BITS: u32 = 26;

/// Whether what was read is what Tazuna reads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Certainty {
    /// It is.
    Certain,
    /// The template does not render; what was read is the text without its actions.
    Rejected(Box<Fault>),
    /// It is unknown what the template renders to.
    Open(Box<Fault>, String),
}

/// A manifest, with the table of its places.
#[derive(Debug)]
pub(crate) struct Item {
    /// The content. Its places start at the item's own first one.
    pub(crate) manifest: Manifest,
    spans: Box<[Span]>,
    /// What the spans are relative to: the item's start, or the text's.
    relative: bool,
    /// Whether an equal text elsewhere in the file has the same meaning.
    portable: bool,
}

/// A file as one environment and one decoder read it.
#[derive(Debug)]
pub(crate) struct View {
    /// Which of the file's views it is.
    pub(super) number: u32,
    /// Everything except the manifests.
    pub(crate) head: Header,
    /// Whether it is what Tazuna reads.
    pub(crate) certainty: Certainty,
    head_spans: Box<[Span]>,
    items: Vec<Listed>,
}

/// An item in its list.
#[derive(Debug)]
struct Listed {
    item: Arc<Item>,
    /// The number of its first place.
    base: u32,
    /// Where it starts, and where the next one does.
    range: Span,
    /// Its span in the source.
    extent: Span,
}

/// The inputs of a view.
pub(super) struct Input {
    pub(super) file: FileId,
    pub(super) engine: EngineIx,
    pub(super) number: u32,
    pub(super) strict: bool,
}

/// After two byte-order marks, go-yaml loses the first character of some lines: which, depends on its buffer
/// boundaries.
pub(super) const MARKS: &str = "\u{feff}\u{feff}";

/// Whether what Tazuna's library notices first of the first document starts at a place.
fn is_noticed_at(tree: &Tree, place: Span) -> bool {
    let fault = tree.first_document().and_then(goyaml::syntax_fault);
    fault.is_some_and(|fault| fault.span.start == place.start)
}

impl View {
    /// Reads a tree. `previous` is the view of the text before an edit, with that text.
    pub(super) fn read(
        input: &Input,
        tree: &Tree,
        rendered: Option<&Rendered<'_>>,
        previous: Option<(&View, &str)>,
    ) -> Self {
        let identity = SourceMap::identity();
        let map = rendered.map_or(&identity, |r| &r.map);
        let mut pen = Pen::new(input.file, input.engine, map, 0);
        let mut certainty = rendered.map_or(Certainty::Certain, |r| certainty(&mut pen, r));
        if certainty == Certainty::Certain && tree.text().starts_with(MARKS) {
            certainty = repeated_mark(&mut pen);
        }
        let mut reader = Reader::new(&mut pen, input.strict, ROOT.go, &[]);
        let mut dialect = Vec::from_iter(goyaml::beyond_the_first(tree));
        dialect.extend(tree.first_document().into_iter().flat_map(goyaml::check));
        // What Tazuna's library refuses to expand is not expanded here either.
        let expandable = dialect
            .iter()
            .all(|e| e.kind != DialectErrorKind::ExcessiveAliasing);
        let (head, list, alias) = header::read(&mut reader, tree, expandable);
        let mut non_finite = std::mem::take(&mut reader.non_finite);
        let mut view = Self {
            number: input.number,
            head,
            certainty,
            head_spans: Box::default(),
            items: Vec::new(),
        };
        let broken = broken_places(tree, rendered);
        if let Some(list) = list {
            view.read_items(input, tree, map, &list, &broken, previous, &mut non_finite);
        }
        // Tazuna's library reaches these before the first syntax error. The tree may lack the alias, with the
        // line that is broken.
        dialect.extend(alias.clone().filter(|alias| !dialect.contains(alias)));
        let (before, behind) = dialect.into_iter().partition(|e| match e.kind {
            DialectErrorKind::Character => true,
            // A character that is decoded together with the directive comes before it.
            DialectErrorKind::Directive => is_noticed_at(tree, e.span),
            _ => alias.as_ref().is_some_and(|a| a.span == e.span),
        });
        let before = header::dialect(&mut pen, before, &non_finite);
        view.head.syntax.splice(..0, before);
        let behind = header::dialect(&mut pen, behind, &non_finite);
        view.head.syntax.extend(behind);
        view.head_spans = pen.finish();
        let mut base = u32::try_from(view.head_spans.len()).unwrap_or(u32::MAX);
        for listed in &mut view.items {
            listed.base = base;
            base = base.saturating_add(u32::try_from(listed.item.spans.len()).unwrap_or(u32::MAX));
        }
        if base >> LOCAL_BITS != 0 {
            view.head.open = Some("the file is too large".to_owned());
        }
        view
    }

    /// The shared view of all environments beyond our limits, whose templates are not rendered.
    pub(super) fn unread(file: FileId, number: u32, environments: Vec<Arc<str>>) -> Self {
        let reason = format!("more than {} environments", super::VIEWS);
        let fault = Fault::new(Place::file(file), FaultKind::Limit(reason.clone()));
        Self {
            number,
            head: Header {
                environments,
                ..Header::default()
            },
            certainty: Certainty::Open(Box::new(fault), reason),
            head_spans: Box::default(),
            items: Vec::new(),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "all of it is the state of one reading")]
    fn read_items(
        &mut self,
        input: &Input,
        tree: &Tree,
        map: &SourceMap,
        manifests: &Manifests<'_>,
        broken: &Broken,
        previous: Option<(&View, &str)>,
        non_finite: &mut Vec<Span>,
    ) {
        let text = tree.text();
        let list = manifests.list;
        let re_use = previous.map(|(view, old)| ReUse::new(view, old, text));
        self.items.reserve_exact(list.items().count());
        let mut items = list.items().enumerate().peekable();
        let mut from = self
            .head
            .broken
            .then(|| list.span().start.min(first_line(text, list)));
        while let Some((number, item)) = items.next() {
            let start = item.full_span().start;
            let extent = map.source(item.full_span()).span;
            let end = items
                .peek()
                .map_or(Span::from_usize(0, text.len()).end, |(_, n)| n.full_span().start);
            let range = Span::new(start, end.max(start));
            let near = Span::new(from.take().unwrap_or(start), range.end);
            let of = Joined {
                item,
                before: manifests.before(number),
                via: manifests.via,
            };
            // A part that is missing in an earlier list may be in the item as well.
            let is_broken = broken.meets(near) || self.head.broken && !of.before.is_empty();
            let known = re_use
                .as_ref()
                .filter(|_| !is_broken && of.is_alone())
                .and_then(|r| r.find(range, text));
            let item = match known {
                Some(known) => known,
                None => Arc::new(read_item(input, map, of, is_broken, non_finite)),
            };
            self.items.push(Listed {
                item,
                base: 0,
                range,
                extent,
            });
        }
    }

    /// Which of the file's views it is.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Whether it is what Tazuna reads.
    pub(crate) fn is_certain(&self) -> bool {
        self.certainty == Certainty::Certain
    }

    /// Whether only its manifests may have findings.
    pub(crate) fn is_quiet(&self) -> bool {
        let head = &self.head;
        let mut drafts = (head.syntax.iter())
            .chain(head.errors.iter().flatten())
            .chain(&head.header)
            .chain(head.spec.iter().flatten())
            .chain(&head.lints);
        self.is_certain() && drafts.next().is_none() && head.own.is_empty() && head.open.is_none()
    }

    /// Every manifest, with its number.
    pub(crate) fn items(&self) -> impl ExactSizeIterator<Item = (usize, &Arc<Item>)> {
        self.items.iter().map(|listed| &listed.item).enumerate()
    }

    /// A manifest by its number.
    pub(crate) fn item(&self, index: usize) -> Option<&Arc<Item>> {
        self.items.get(index).map(|listed| &listed.item)
    }

    /// What is added to the places of an item.
    pub(crate) fn base(&self, index: usize) -> u32 {
        self.items.get(index).map_or(0, |listed| listed.base) | (self.number << LOCAL_BITS)
    }

    /// What is added to the places of the head.
    pub(crate) fn head_base(&self) -> u32 {
        self.number << LOCAL_BITS
    }

    /// The span of an item in the source.
    pub(crate) fn extent(&self, index: usize) -> Option<Span> {
        self.items.get(index).map(|listed| listed.extent)
    }

    /// The span of an entry of an item's own table.
    pub(crate) fn span_of(&self, index: usize, place: Place) -> Option<Span> {
        let At::Anchor(anchor) = place.at else {
            return None;
        };
        self.span(self.items.get(index)?.base.checked_add(anchor.index)?)
    }

    pub(super) fn span(&self, index: u32) -> Option<Span> {
        if let Some(span) = self.head_spans.get(index as usize) {
            return Some(*span);
        }
        let after = self.items.partition_point(|listed| listed.base <= index);
        let Listed {
            item, base, range, ..
        } = self.items.get(after.checked_sub(1)?)?;
        let span = item.spans.get((index - base) as usize)?;
        if !item.relative {
            return Some(*span);
        }
        let start = range.start;
        Some(Span::new(
            span.start.wrapping_add(start),
            span.end.wrapping_add(start),
        ))
    }

    /// Whether both are the same apart from positions.
    pub(super) fn same_shape(&self, other: &View) -> bool {
        self.number == other.number
            && self.items.len() == other.items.len()
            && self.certainty == other.certainty
            && self.head == other.head
            && self
                .items()
                .zip(other.items())
                .all(|((_, a), (_, b))| Arc::ptr_eq(a, b) || a.manifest == b.manifest)
    }

    /// Whether both views of one text have the same content at the same places.
    pub(super) fn reads_as(&self, other: &View) -> bool {
        self.items.len() == other.items.len()
            && self.certainty == other.certainty
            && self.head == other.head
            && self.head_spans == other.head_spans
            && self.items.iter().zip(&other.items).all(|(a, b)| {
                a.extent == b.extent && a.item.manifest == b.item.manifest && a.item.spans == b.item.spans
            })
    }
}

fn first_line(text: &str, list: Node<'_>) -> u32 {
    // Text that was dropped between the key and the first item may have been an item.
    let before = text.get(..list.span().start as usize).unwrap_or("");
    let key = before.rfind("manifests").unwrap_or(before.len());
    Span::from_usize(key, key).start
}

/// An item of the list of manifests, and what other places contribute to it.
#[derive(Clone, Copy)]
struct Joined<'a, 't> {
    item: Node<'t>,
    /// The items under other spellings of the list that are decoded into the same memory before it.
    before: &'a [Node<'t>],
    /// The alias that the list comes from.
    via: Option<Span>,
}

impl Joined<'_, '_> {
    /// Whether only its own text contributes to it.
    fn is_alone(&self) -> bool {
        self.via.is_none() && self.before.is_empty()
    }
}

fn read_item(
    input: &Input,
    map: &SourceMap,
    of: Joined<'_, '_>,
    broken: bool,
    non_finite: &mut Vec<Span>,
) -> Item {
    let relative = map.is_identity() && of.is_alone();
    let base = if relative { of.item.full_span().start } else { 0 };
    let mut pen = Pen::new(input.file, input.engine, map, base);
    let mut reader = Reader::new(&mut pen, input.strict, SPEC.go, &LIST);
    let manifest = manifest::read(&mut reader, of.item, of.before, broken);
    let portable = relative && !reader.aliases && !broken && reader.non_finite.is_empty();
    non_finite.append(&mut reader.non_finite);
    Item {
        manifest,
        spans: pen.finish(),
        relative,
        portable,
    }
}

fn certainty(pen: &mut Pen<'_>, rendered: &Rendered<'_>) -> Certainty {
    match &rendered.outcome {
        Outcome::Rendered => Certainty::Certain,
        Outcome::Error(error) => {
            let place = pen.place(error.span);
            let verb = match error.stage {
                template::Stage::Parse => "parse",
                template::Stage::Render => "render",
            };
            let before = rendered.text.get(..error.action.start as usize).unwrap_or("");
            let line = before.rsplit('\n').next().unwrap_or("");
            let braces = line.contains(['#', '"', '\'']).then(|| {
                let start = error.action.start;
                pen.place(Span::new(start, start.saturating_add(2)))
            });
            let kind = FaultKind::Template {
                verb,
                message: error.message.clone(),
                braces,
            };
            Certainty::Rejected(Box::new(Fault::new(place, kind)))
        }
        Outcome::CannotAnalyse { span, reason } => {
            let place = pen.place(*span);
            let because = format!("unsupported template: {reason}");
            unresolved(place, because)
        }
    }
}

fn repeated_mark(pen: &mut Pen<'_>) -> Certainty {
    let place = pen.place(Span::from_usize(0, MARKS.len()));
    let because = "the file starts with two byte order marks, after which Tazuna misreads lines".to_owned();
    unresolved(place, because)
}

fn unresolved(place: Place, because: String) -> Certainty {
    let fault = Fault::new(place, FaultKind::Unresolved(because.clone()));
    Certainty::Open(Box::new(fault), because)
}

/// Places that are broken, by their starts, each with the furthest end of those up to it.
struct Broken(Vec<(u32, u32)>);

impl Broken {
    fn new(mut places: Vec<Span>) -> Self {
        places.sort_unstable_by_key(|place| place.start);
        let mut furthest = 0;
        let reach = |place: Span| {
            furthest = place.end.max(furthest);
            (place.start, furthest)
        };
        Self(places.into_iter().map(reach).collect())
    }

    /// Whether one overlaps or touches a range.
    fn meets(&self, range: Span) -> bool {
        let before = self.0.partition_point(|(start, _)| *start < range.end);
        let last = before.checked_sub(1).and_then(|last| self.0.get(last));
        last.is_some_and(|(_, furthest)| range.start <= *furthest)
    }
}

/// The parts missing in the tree: its errors with the dropped lines, and blanked template actions.
fn broken_places(tree: &Tree, rendered: Option<&Rendered<'_>>) -> Broken {
    let mut places: Vec<Span> = Vec::new();
    let index = tree.first_document().map_or(0, |d| d.index());
    let broken = |e: &&SyntaxError| e.document == index && e.kind != SyntaxErrorKind::Trailing;
    for error in tree.errors().iter().filter(broken) {
        places.push(error.span);
        places.extend(&error.blanked);
    }
    places.extend(rendered.into_iter().flat_map(|r| &r.holes));
    Broken::new(places)
}

/// Finds the items that an edit did not change.
struct ReUse<'a> {
    view: &'a View,
    /// The text up to here is the same.
    prefix: u32,
    /// The text from here on is the same, in the new text and in the old.
    suffix: (u32, u32),
}

impl<'a> ReUse<'a> {
    fn new(view: &'a View, old: &str, new: &str) -> Self {
        let prefix = common(old.as_bytes(), new.as_bytes());
        let rest = old.len().min(new.len()) - prefix;
        let suffix = common_end(old.as_bytes(), new.as_bytes()).min(rest);
        let new_from = Span::from_usize(new.len() - suffix, 0).start;
        let old_from = Span::from_usize(old.len() - suffix, 0).start;
        Self {
            view,
            prefix: Span::from_usize(prefix, 0).start,
            suffix: (new_from, old_from),
        }
    }

    fn find(&self, range: Span, text: &str) -> Option<Arc<Item>> {
        let old = if range.end < self.prefix {
            range
        } else if range.start > self.suffix.0 && own_line(text, self.suffix.0, range.start) {
            let moved = |at: u32| at - self.suffix.0 + self.suffix.1;
            Span::new(moved(range.start), moved(range.end))
        } else {
            return None;
        };
        let items = &self.view.items;
        let at = items.binary_search_by_key(&old, |listed| listed.range).ok()?;
        items
            .get(at)
            .map(|listed| &listed.item)
            .filter(|i| i.portable)
            .cloned()
    }
}

/// Whether the line that contains `at` starts at or after `from`: then its indentation is the same too.
fn own_line(text: &str, from: u32, at: u32) -> bool {
    let low = at.saturating_sub(64).max(from);
    Span::new(low, at).slice(text).contains('\n')
}

const STEP: usize = 1024;

fn common(a: &[u8], b: &[u8]) -> usize {
    let chunks = a.chunks(STEP).zip(b.chunks(STEP));
    let at = chunks
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len())
        .sum::<usize>();
    let (a, b) = (a.get(at..).unwrap_or_default(), b.get(at..).unwrap_or_default());
    at + a.iter().zip(b).take(STEP).take_while(|(a, b)| a == b).count()
}

fn common_end(a: &[u8], b: &[u8]) -> usize {
    let chunks = a.rchunks(STEP).zip(b.rchunks(STEP));
    let at = chunks
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len())
        .sum::<usize>();
    let rest = |s: &'_ [u8]| s.len() - at;
    let (a, b) = (
        a.get(..rest(a)).unwrap_or_default(),
        b.get(..rest(b)).unwrap_or_default(),
    );
    at + a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take(STEP)
        .take_while(|(a, b)| a == b)
        .count()
}
