//! A mapping as go-yaml fills it: merges in file order, the last of equal keys.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::{Value, value};
use crate::syntax::text::Span;
use crate::syntax::yaml::{Entry, Kind, Node, Style};

/// One effective key of a mapping.
#[derive(Clone, Debug, PartialEq)]
pub struct Field<'t> {
    /// The key as text.
    pub name: Cow<'t, str>,
    /// The key's node; in the merged mapping for a merged key.
    pub key: Node<'t>,
    /// The value's node as written, possibly an alias; see [`value`].
    pub value: Node<'t>,
    /// The merge that the entry came through, if any.
    pub via: Option<Via>,
    /// What this entry replaced, in the order in which it was read.
    pub losers: Vec<Loser<'t>>,
}

impl<'t> Field<'t> {
    /// The value, decoded.
    #[must_use]
    pub fn decoded(&self) -> Value<'t> {
        value(self.value)
    }

    /// Where to point at for this field's value: the value if it stands in the mapping itself, the
    /// alias or `<<` if it came through one.
    #[must_use]
    pub fn place(&self) -> Span {
        self.via.map_or(self.value.span(), |v| v.span)
    }
}

/// A merge that an entry came through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Via {
    /// The alias in the merge's value, or the `<<` if the merged mapping is written out.
    pub span: Span,
    /// The `<<` key.
    pub merge: Span,
}

/// An entry that another one of the same key replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loser<'t> {
    /// The key's node.
    pub key: Node<'t>,
    /// The value's node.
    pub value: Node<'t>,
    /// The merge that it came through, if any.
    pub via: Option<Via>,
}

/// Whether a key is the merge key: a plain `<<` or one tagged `!!merge`.
#[must_use]
pub fn is_merge(key: Node<'_>) -> bool {
    key.is_scalar()
        && match key.tag() {
            None => key.style() == Style::Plain,
            Some(tag) => tag == "!" || tag == "tag:yaml.org,2002:merge",
        }
        && key.value() == "<<"
}

/// Steps that merges may take in one mapping before the rest is left out; go-yaml refuses such a
/// text as excessive aliasing long before.
const MERGE_STEPS: usize = 100_000;

/// The keys of a mapping as they end up, in the order in which they first appear. Keys that go-yaml
/// refuses are left out. Empty if the node is not a mapping; an alias is followed.
#[must_use]
pub fn fields(node: Node<'_>) -> Vec<Field<'_>> {
    let Some(node) = node.resolve().filter(Node::is_mapping) else {
        return Vec::new();
    };
    let mut out: Vec<Field<'_>> = Vec::new();
    let mut index: FxHashMap<Cow<'_, str>, usize> = FxHashMap::default();
    let mut steps = 0;
    // Each level: the entries still to read, and the outermost merge they come through.
    let mut stack: Vec<(Vec<Entry<'_>>, Option<Via>)> = vec![(reversed(node), None)];
    while let Some((entries, via)) = stack.last_mut() {
        let via = *via;
        let Some(entry) = entries.pop() else {
            stack.pop();
            continue;
        };
        steps += 1;
        if steps > MERGE_STEPS {
            break;
        }
        if is_merge(entry.key) {
            // The first of a list wins, so it is read last; the stack reverses.
            for source in merge_sources(entry.value) {
                let written = entry.value;
                let place = if source.kind() == Kind::Alias {
                    source.span()
                } else {
                    entry.key.span()
                };
                let place = if written.kind() == Kind::Alias {
                    written.span()
                } else {
                    place
                };
                let via = via.unwrap_or(Via {
                    span: place,
                    merge: entry.key.span(),
                });
                if let Some(mapping) = source.resolve().filter(Node::is_mapping) {
                    stack.push((reversed(mapping), Some(via)));
                }
            }
            continue;
        }
        let Some(name) = key_text(entry.key) else { continue };
        match index.get(&name).and_then(|i| out.get_mut(*i)) {
            Some(field) => {
                field.losers.push(Loser {
                    key: field.key,
                    value: field.value,
                    via: field.via,
                });
                (field.key, field.value, field.via) = (entry.key, entry.value, via);
            }
            None => {
                index.insert(name.clone(), out.len());
                out.push(Field {
                    name,
                    key: entry.key,
                    value: entry.value,
                    via,
                    losers: Vec::new(),
                });
            }
        }
    }
    out
}

fn reversed(mapping: Node<'_>) -> Vec<Entry<'_>> {
    let mut entries: Vec<_> = mapping.entries().collect();
    entries.reverse();
    entries
}

fn merge_sources(value: Node<'_>) -> Vec<Node<'_>> {
    if value.is_sequence() {
        value.items().collect()
    } else {
        vec![value]
    }
}

/// A key as text; `None` for a key that go-yaml refuses.
#[must_use]
pub fn key_text(key: Node<'_>) -> Option<Cow<'_, str>> {
    match value(key) {
        Value::Float(f) if f.is_nan() => Some(Cow::Borrowed(".nan")),
        Value::Float(f) if f.is_infinite() => Some(Cow::Borrowed(if f > 0.0 { ".inf" } else { "-.inf" })),
        Value::Uint(_) => None,
        other => other.into_text(),
    }
}
