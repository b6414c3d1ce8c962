//! Why a text cannot be read into a generic value.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::super::goyaml::octets;
use super::{Marks, Scalar, float_text, local_tag, scalar, start};
use crate::text::Span;
use crate::yaml::scan::bad_character;
use crate::yaml::{Kind, Node, Style, SyntaxError, SyntaxErrorKind, Tree, parse};

/// The deepest nesting that the library reads.
const MAX_DEPTH: usize = 128;
/// The message about a character that is allowed nowhere.
const CHARACTER: &str = "control characters are not allowed";
/// How many bytes the library decodes before it parses anything.
const PIECE: u32 = 16_384;
/// Aliases may be followed this many times the number of events.
const MAX_JUMPS: usize = 100;
/// The nodes that we visit through aliases; past that, how often they are followed is not reported.
const BUDGET: usize = 4_000_000;

/// Why a text is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is at fault.
    pub span: Span,
    /// The place it conflicts with: the first of two equal keys, the first document.
    pub related: Option<Span>,
    /// What kind of fault.
    pub kind: RefusalKind,
    /// The library's message, with its path and position. For syntax errors only as far as it is always the
    /// same.
    pub message: String,
}

/// The kinds of [`Refusal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefusalKind {
    /// The text is not YAML.
    Syntax,
    /// Two equal keys in one mapping.
    DuplicateKey,
    /// More than one document.
    SeveralDocuments,
    /// A byte-order mark that the library treats as a document of its own.
    ByteOrderMark,
    /// A byte-order mark that turns the document marker or directive next to it into text.
    BesideMark,
    /// An alias without an earlier anchor with its name.
    UnknownAnchor,
    /// Nested too deeply, also by an alias that contains itself.
    TooDeep,
    /// Aliases are followed too often.
    TooManyAliases,
    /// A value that its tag does not fit, or a number beyond 64 bits.
    BadScalar,
}

/// The message of the library for bytes that are not UTF-8; `None` if they are. It decodes more than most files have
/// before it parses anything.
#[must_use]
pub fn invalid_utf8(bytes: &[u8]) -> Option<String> {
    let chunk = bytes.utf8_chunks().find(|chunk| !chunk.invalid().is_empty())?;
    let valid = chunk.valid();
    let (words, at) = match bad_character(valid) {
        Some(at) => (CHARACTER, at),
        None => {
            let (words, behind) = octets(bytes.get(valid.len()..).unwrap_or_default());
            (words, valid.len() + behind)
        }
    };
    Some(format!("{words}{}", at_position(at)))
}

/// The end of a message of the reader, which knows no lines.
fn at_position(at: usize) -> String {
    match at {
        0 => String::new(),
        _ => format!(" at position {at}"),
    }
}

/// Everything for which the library rejects a text, in the order in which it would notice: it reports the
/// first.
#[must_use]
pub fn refusals(tree: &Tree) -> Vec<Refusal> {
    if let Some(found) = after_byte_order_mark(tree.text()) {
        return found;
    }
    let marks = Marks::new(tree.text());
    let mut found: Vec<(u32, Refusal)> = Vec::new();
    let message = || "deserializing from YAML containing more than one document is not supported".to_owned();
    if let Some(at) = cut_by_mark(tree) {
        let mark = refusal(Span::new(0, 3), None, RefusalKind::ByteOrderMark, message());
        found.push((at, mark));
    }
    let character = bad_character(tree.text());
    if let Some(at) = character {
        let width = tree
            .text()
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8);
        let span = Span::from_usize(at, at + width);
        let message = format!("{CHARACTER}{}", at_position(at));
        found.push((span.start, refusal(span, None, RefusalKind::Syntax, message)));
    }
    for error in tree.errors() {
        if error.document == 0
            && error.kind != SyntaxErrorKind::Character
            && error.kind != SyntaxErrorKind::Trailing
            && error.kind != SyntaxErrorKind::Limit
        {
            let at = error.noticed.start;
            let suffix = match error.kind {
                // The end of a last line without its break is the start of the next one.
                _ if at as usize == tree.text().len() && is_of_the_end(error) => match marks.of(at) {
                    (line, column) if column > 0 => format!(" at line {} column 1", line + 2),
                    _ => marks.suffix(at),
                },
                _ => marks.suffix(at),
            };
            let message = format!("{}{suffix}", error.message);
            found.push((at, refusal(error.span, None, RefusalKind::Syntax, message)));
        }
    }
    for directive in tree.first_document().iter().flat_map(|d| d.directives()) {
        if is_other_version(directive.slice(tree.text())) {
            let message = format!(
                "found incompatible YAML document{}",
                marks.suffix(directive.start)
            );
            found.push((
                directive.start,
                refusal(directive, None, RefusalKind::Syntax, message),
            ));
        }
    }
    if let Some(root) = tree.first_document().and_then(|d| d.root()) {
        values(root, &marks, &mut found);
    }
    // The library decodes a piece before it parses anything of it.
    let is_decoded_first = |at: u32| at < PIECE && character == Some(at as usize);
    found.sort_by_key(|(at, _)| (!is_decoded_first(*at), *at));
    let mut found: Vec<Refusal> = found.into_iter().map(|(_, r)| r).collect();
    let mut documents = tree.documents();
    let first = documents.next();
    if let Some(second) = documents.next() {
        let span = second.marker().unwrap_or_else(|| Span::at(second.span().start));
        let related = first
            .and_then(|d| d.root())
            .map(|r| Span::at(r.full_span().start));
        found.push(refusal(span, related, RefusalKind::SeveralDocuments, message()));
    } else if let Some(error) = tree
        .errors()
        .iter()
        .find(|e| e.kind == SyntaxErrorKind::Trailing || e.document > 0)
    {
        found.push(refusal(
            error.span,
            None,
            RefusalKind::SeveralDocuments,
            message(),
        ));
    }
    found
}

/// Whether an error at the end of a text is noticed after its last line has ended.
fn is_of_the_end(error: &SyntaxError) -> bool {
    error.kind == SyntaxErrorKind::Parser || error.message == "could not find expected ':'"
}

/// A byte-order mark counts as a column, like a blank: a document marker or a directive next to it is read as
/// text. `None`: the text has neither.
fn after_byte_order_mark(text: &str) -> Option<Vec<Refusal>> {
    let rest = text.strip_prefix('\u{feff}')?;
    if !["---", "...", "%"].iter().any(|mark| rest.starts_with(mark)) {
        return None;
    }
    let read = parse(format!(" {rest}"));
    let mut found = refusals(&read);
    let moved = |span: Span| Span::new(span.start + 2, span.end + 2);
    for refusal in &mut found {
        refusal.span = moved(refusal.span);
        refusal.related = refusal.related.map(moved);
    }
    if let Some(first) = found.first_mut() {
        first.span = Span::new(0, 3);
        first.kind = RefusalKind::BesideMark;
    }
    Some(found)
}

/// A byte-order mark counts as a column: what begins next to it is deeper than the lines below, which then form
/// a document of their own.
fn cut_by_mark(tree: &Tree) -> Option<u32> {
    let text = tree.text().strip_prefix('\u{feff}')?;
    let line = text.lines().next().unwrap_or("").trim_start();
    if line.is_empty() || line.starts_with(['#', '{', '[']) {
        return None;
    }
    let root = tree.first_document().and_then(|d| d.root())?;
    let second = root.entries().nth(1).map(|entry| entry.key);
    Some(second.or_else(|| root.items().nth(1))?.full_span().start)
}

/// Whether a `%YAML` line has a version that the library does not read.
fn is_other_version(directive: &str) -> bool {
    let mut words = directive.split_whitespace();
    words.next() == Some("%YAML") && !matches!(words.next(), Some("1.1" | "1.2"))
}

fn refusal(span: Span, related: Option<Span>, kind: RefusalKind, message: String) -> Refusal {
    Refusal {
        span,
        related,
        kind,
        message,
    }
}

/// A step of the path from the root to a value.
enum Segment<'t> {
    Key(Node<'t>),
    Index(usize),
    Unknown,
}

struct Open<'t> {
    node: Node<'t>,
    path: usize,
    depth: usize,
}

fn values(root: Node<'_>, marks: &Marks<'_>, found: &mut Vec<(u32, Refusal)>) {
    // The first entry is the root's, and its own parent.
    let mut paths: Vec<(usize, Segment<'_>)> = vec![(0, Segment::Unknown)];
    let mut stack = vec![Open {
        node: root,
        path: 0,
        depth: 0,
    }];
    let mut has_aliases = false;
    let mut events = 0;
    while let Some(Open { node, path, depth }) = stack.pop() {
        events += 1 + usize::from(!matches!(node.kind(), Kind::Scalar | Kind::Alias));
        let collection = matches!(node.kind(), Kind::Mapping | Kind::Sequence);
        if collection && depth >= MAX_DEPTH {
            let at = start(node);
            let message = format!("recursion limit exceeded{}", marks.suffix(at));
            found.push((at, refusal(Span::at(at), None, RefusalKind::TooDeep, message)));
            continue;
        }
        let first = stack.len();
        match node.kind() {
            Kind::Scalar => {
                // What is neither unquoted nor tagged is a string.
                let may_fail = node.style() == Style::Plain || node.tag().is_some();
                if may_fail
                    && local_tag(node).is_none()
                    && let Err(words) = scalar(node)
                {
                    let at = start(node);
                    let message = format!("{}{words}{}", shown(&paths, path), marks.suffix(at));
                    found.push((at, refusal(node.span(), None, RefusalKind::BadScalar, message)));
                }
            }
            Kind::Alias => match node.anchored() {
                None => {
                    let at = node.span().start;
                    let message = format!("unknown anchor{}", marks.suffix(at));
                    found.push((
                        at,
                        refusal(node.span(), None, RefusalKind::UnknownAnchor, message),
                    ));
                }
                Some(target) if target.encloses(node) => {
                    let at = start(target);
                    let message = format!("recursion limit exceeded{}", marks.suffix(at));
                    let anchor = target.anchor().map(|a| a.span);
                    let noticed = node.span().start;
                    found.push((
                        noticed,
                        refusal(node.span(), anchor, RefusalKind::TooDeep, message),
                    ));
                }
                Some(_) => has_aliases = true,
            },
            Kind::Sequence => {
                for (index, item) in node.items().enumerate() {
                    paths.push((path, Segment::Index(index)));
                    stack.push(Open {
                        node: item,
                        path: paths.len() - 1,
                        depth: depth + 1,
                    });
                }
            }
            Kind::Mapping => mapping(node, path, depth, marks, &mut paths, &mut stack, found),
        }
        stack.get_mut(first..).unwrap_or_default().reverse();
    }
    if has_aliases {
        aliases(root, events, marks, found);
    }
}

fn mapping<'t>(
    node: Node<'t>,
    path: usize,
    depth: usize,
    marks: &Marks<'_>,
    paths: &mut Vec<(usize, Segment<'t>)>,
    stack: &mut Vec<Open<'t>>,
    found: &mut Vec<(u32, Refusal)>,
) {
    let mut seen = Seen::default();
    for entry in node.entries() {
        let full = entry.key.full_span();
        if let Some(first) = seen.insert(key(entry.key), full) {
            let at = start(node);
            let message = format!(
                "{}duplicate entry {}{}",
                shown(paths, path),
                words(entry.key),
                marks.suffix(at)
            );
            found.push((
                full.start,
                refusal(full, Some(first), RefusalKind::DuplicateKey, message),
            ));
        }
        let segment = if entry.key.is_scalar() {
            Segment::Key(entry.key)
        } else {
            Segment::Unknown
        };
        stack.push(Open {
            node: entry.key,
            path,
            depth: depth + 1,
        });
        paths.push((path, segment));
        stack.push(Open {
            node: entry.value,
            path: paths.len() - 1,
            depth: depth + 1,
        });
    }
}

/// What identifies a key.
#[derive(PartialEq, Eq, Hash)]
enum Key<'t> {
    Null,
    Bool(bool),
    Int(i128),
    Float(u64),
    Str(Cow<'t, str>),
    /// A collection, or a value with a tag.
    Source(&'t str),
    /// An alias without a target.
    Nowhere(Cow<'t, str>),
}

fn key(node: Node<'_>) -> Key<'_> {
    let Some(node) = node.resolve() else {
        return Key::Nowhere(node.value());
    };
    if !node.is_scalar() || local_tag(node).is_some() {
        return Key::Source(node.source());
    }
    match scalar(node) {
        Ok(Scalar::Null) | Err(_) => Key::Null,
        Ok(Scalar::Bool(b)) => Key::Bool(b),
        Ok(Scalar::Int(n)) => Key::Int(n),
        // All NaNs are the same key.
        Ok(Scalar::Float(f)) => Key::Float(if f.is_nan() { f64::NAN } else { f }.to_bits()),
        Ok(Scalar::Str(text)) => Key::Str(text),
    }
}

/// How the library names a key.
fn words(node: Node<'_>) -> String {
    match key(node) {
        Key::Null => "with null key".to_owned(),
        Key::Bool(b) => format!("with key `{b}`"),
        Key::Int(n) => format!("with key {n}"),
        Key::Float(bits) => format!("with key {}", float_text(f64::from_bits(bits))),
        Key::Str(text) => format!("with key {text:?}"),
        Key::Source(_) | Key::Nowhere(_) => "in YAML map".to_owned(),
    }
}

/// This many keys are compared one by one.
const FEW: usize = 8;

/// The keys of a mapping, each at its first occurrence.
#[derive(Default)]
struct Seen<'t> {
    few: Vec<(Key<'t>, Span)>,
    /// All of them, once there are more.
    many: FxHashMap<Key<'t>, Span>,
}

impl<'t> Seen<'t> {
    /// Adds a key; returns its earlier place.
    fn insert(&mut self, key: Key<'t>, span: Span) -> Option<Span> {
        if self.many.is_empty() {
            if let Some((_, first)) = self.few.iter().find(|(known, _)| *known == key) {
                return Some(*first);
            }
            if self.few.len() < FEW {
                self.few.push((key, span));
                return None;
            }
            self.many.extend(self.few.drain(..));
        }
        match self.many.entry(key) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(new) => {
                new.insert(span);
                None
            }
        }
    }
}

/// The path to a value in the library's notation, with the colon that follows it; empty for the root.
fn shown(paths: &[(usize, Segment<'_>)], path: usize) -> String {
    let mut steps = Vec::new();
    let mut at = path;
    while at != 0 {
        let Some((parent, segment)) = paths.get(at) else {
            break;
        };
        steps.push(segment);
        at = *parent;
    }
    let mut text = String::new();
    for (number, step) in steps.iter().rev().enumerate() {
        let dot = if number == 0 { "" } else { "." };
        let written = match step {
            Segment::Key(key) => write!(text, "{dot}{}", key.value()),
            Segment::Index(index) if number == 0 => write!(text, ".[{index}]"),
            Segment::Index(index) => write!(text, "[{index}]"),
            Segment::Unknown => write!(text, "{dot}?"),
        };
        debug_assert!(written.is_ok(), "a string takes everything");
    }
    if !text.is_empty() {
        text.push_str(": ");
    }
    text
}

/// How often aliases are followed, and how deep their targets are nested.
fn aliases(root: Node<'_>, events: usize, marks: &Marks<'_>, found: &mut Vec<(u32, Refusal)>) {
    let mut stack: Vec<(Node<'_>, usize, Option<Node<'_>>)> = vec![(root, 0, None)];
    let (mut jumps, mut looked_at) = (0, 0);
    while let Some((node, depth, via)) = stack.pop() {
        looked_at += 1;
        if looked_at > BUDGET {
            return;
        }
        let first = stack.len();
        match node.kind() {
            Kind::Scalar => {}
            Kind::Alias => {
                jumps += 1;
                let outer = via.unwrap_or(node);
                if jumps > events * MAX_JUMPS {
                    let at = outer.span().start;
                    let message = "repetition limit exceeded".to_owned();
                    found.push((
                        at,
                        refusal(outer.span(), None, RefusalKind::TooManyAliases, message),
                    ));
                    return;
                }
                stack.extend(node.resolve().map(|target| (target, depth, Some(outer))));
            }
            Kind::Mapping | Kind::Sequence => {
                if depth >= MAX_DEPTH {
                    let Some(alias) = via else { continue };
                    let at = alias.span().start;
                    let message = format!("recursion limit exceeded{}", marks.suffix(start(node)));
                    found.push((at, refusal(alias.span(), None, RefusalKind::TooDeep, message)));
                    return;
                }
                stack.extend(node.children().map(|c| (c, depth + 1, via)));
            }
        }
        stack.get_mut(first..).unwrap_or_default().reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::parse;

    fn said(text: &str) -> Vec<(RefusalKind, String, String)> {
        let tree = parse(text);
        let refusals = refusals(&tree);
        let of = |r: Refusal| (r.kind, r.span.slice(text).to_owned(), r.message);
        refusals.into_iter().map(of).collect()
    }

    fn one(text: &str, kind: RefusalKind, span: &str, message: &str) {
        assert_eq!(
            said(text),
            [(kind, span.to_owned(), message.to_owned())],
            "{text}"
        );
    }

    #[test]
    fn equal_keys_are_named_with_the_start_of_their_mapping() {
        let d = RefusalKind::DuplicateKey;
        one("a: 1\na: 2\n", d, "a", "duplicate entry with key \"a\"");
        one(
            "x:\n  b: {c: 1, c: 2}\n",
            d,
            "c",
            "x.b: duplicate entry with key \"c\" at line 2 column 6",
        );
        one(
            "x: [{1: a, 0x1: b}]\n",
            d,
            "0x1",
            "x[0]: duplicate entry with key 1 at line 1 column 5",
        );
        assert_eq!(said("{1: a, \"1\": b, on: c, true: d}"), []);
    }

    /// Observed with serde_yaml 0.9.34.
    #[test]
    fn errors_have_the_place_of_the_library() {
        let new = |text: &str| {
            let tree = crate::yaml::parse_as(text, crate::yaml::Libyaml::New);
            refusals(&tree).into_iter().map(|r| r.message).collect::<Vec<_>>()
        };
        assert_eq!(new("\u{1}a"), ["control characters are not allowed"]);
        assert_eq!(
            new("a:\n  \u{7f}b: 1\n"),
            ["control characters are not allowed at position 5"]
        );
        assert_eq!(new("a: {{}: 1, []: 2}\n{}: 1\n[]: 2\n"), <[&str; 0]>::default());
        let character = "control characters are not allowed at position 7";
        assert_eq!(new("a: 1\n- \u{1}\n")[0], character);
        assert_eq!(new("- x\n\n- \u{1}\n")[0], character);
        assert_eq!(new("a: *x\n---\n")[0], "unknown anchor at line 1 column 4");
        assert_eq!(new("a: 1\nb"), ["could not find expected ':' at line 3 column 1"]);
        let end = "did not find expected ',' or '}' at line 2 column 1";
        assert_eq!(new("{a: b"), [end]);
        assert_eq!(new("{a: b\n"), [end]);
        for (bytes, words) in [
            (&b"\xff"[..], "invalid leading UTF-8 octet"),
            (b"a: \xff", "invalid leading UTF-8 octet at position 3"),
            (b"a: \xc3(", "invalid trailing UTF-8 octet at position 4"),
            (b"a: \xe2\x82(", "invalid trailing UTF-8 octet at position 5"),
            (b"a: \xe2\x82", "incomplete UTF-8 octet sequence at position 3"),
            (b"a: \xc0\x80", "invalid length of a UTF-8 sequence at position 3"),
            (b"a: \xed\xa0\x80", "invalid Unicode character at position 3"),
            (b"a\x01\xff", "control characters are not allowed at position 1"),
        ] {
            assert_eq!(invalid_utf8(bytes).as_deref(), Some(words), "{bytes:?}");
        }
    }

    #[test]
    fn one_document_without_a_mark_is_read() {
        let several = "deserializing from YAML containing more than one document is not supported";
        one("a: 1\n---\n", RefusalKind::SeveralDocuments, "---", several);
        one(
            "\u{feff}a: 1\nb: 2\n",
            RefusalKind::ByteOrderMark,
            "\u{feff}",
            several,
        );
        // Next to it nothing is a marker or a directive. Observed in serde_yaml 0.9.34.
        for (text, message) in [
            (
                "\u{feff}---\napiVersion: v1\nworkloads: {}\n",
                "mapping values are not allowed in this context at line 2 column 11",
            ),
            (
                "\u{feff}...\na: b\n",
                "mapping values are not allowed in this context at line 2 column 2",
            ),
            (
                "\u{feff}%YAML 1.1\na: b\n",
                "found character that cannot start any token at line 1 column 2",
            ),
        ] {
            one(text, RefusalKind::BesideMark, "\u{feff}", message);
        }
        for text in [
            "\u{feff}\n---\na: 1\nb: 2\n",
            "\u{feff}# x\n---\na: 1\nb: 2\n",
            "\u{feff}\na: 1\nb: 2\n",
            "\u{feff}# x\na: 1\nb: 2\n",
            "\u{feff}{a: 1, b: 2}",
        ] {
            assert_eq!(said(text), [], "{text}");
        }
        assert_eq!(said("%YAML 1.3\n---\na: 1\n")[0].0, RefusalKind::Syntax);
        assert_eq!(said("---\na: 1\n...\n"), []);
        assert_eq!(said(""), []);
    }

    #[test]
    fn aliases_lead_somewhere_and_not_too_often() {
        one(
            "a: *x\n",
            RefusalKind::UnknownAnchor,
            "*x",
            "unknown anchor at line 1 column 4",
        );
        assert_eq!(said("a: &x [*x]\n")[0].0, RefusalKind::TooDeep);
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for i in 1..9 {
            let item = format!("*a{}", i - 1);
            bomb.push_str(&format!("a{i}: &a{i} [{}]\n", vec![item; 10].join(", ")));
        }
        assert_eq!(said(&bomb)[0].0, RefusalKind::TooManyAliases);
        let deep = format!("{}{}", "[".repeat(129), "]".repeat(129));
        assert_eq!(said(&deep)[0].0, RefusalKind::TooDeep);
        assert_eq!(said(deep.get(1..257).unwrap()), []);
    }
}
