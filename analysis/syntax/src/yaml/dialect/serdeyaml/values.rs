//! What the library rejects in the values of a text: equal keys, aliases, tags, depth.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::refusal::{Refusal, RefusalKind, refusal};
use super::{Marks, Scalar, float_text, local_tag, scalar, start};
use crate::text::Span;
use crate::yaml::{Kind, Node, Style};

/// The deepest nesting that the library reads.
const MAX_DEPTH: usize = 128;
/// Aliases may be followed this many times the number of events.
const MAX_JUMPS: usize = 100;
/// The nodes that we visit through aliases; past that, how often they are followed is not reported.
const BUDGET: usize = 4_000_000;

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

/// Adds what is rejected in the values of a document, each with the offset at which the library notices it.
pub(super) fn values(root: Node<'_>, marks: &Marks<'_>, found: &mut Vec<(u32, Refusal)>) {
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
