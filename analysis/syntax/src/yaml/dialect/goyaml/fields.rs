//! A mapping as go-yaml fills it: merges in file order, the last of equal keys.

use std::borrow::Cow;
use std::mem::{Discriminant, discriminant};

use rustc_hash::FxHashMap;

use super::{Value, float_text, value};
use crate::text::Span;
use crate::yaml::{Kind, Node, Style};

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
    /// Whether the entries have keys that are two for go-yaml and one in JSON, as `1` and `"1"`, and other values: the
    /// conversion goes through them in the order of a Go map, so that another value wins from run to run.
    #[must_use]
    pub fn is_random(&self) -> bool {
        // Of keys that are one for go-yaml, the last wins.
        let mut last: Vec<(Discriminant<Value<'_>>, Node<'_>)> = Vec::new();
        let written = self.losers.iter().map(|l| (l.key, l.value));
        for (key, value) in written.chain([(self.key, self.value)]) {
            let kind = discriminant(&super::value(key));
            match last.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, kept)) => *kept = value,
                None => last.push((kind, value)),
            }
        }
        last.windows(2).any(|pair| match pair {
            [(_, value), (_, other)] => value.source() != other.source(),
            _ => false,
        })
    }

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
    if let Some(text) = key.bare() {
        return text == "<<";
    }
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

/// Up to so many keys are compared one by one.
const FEW: usize = 16;

/// The keys of a mapping as they end up, in the order in which they first appear. Keys that go-yaml
/// refuses are left out. Empty if the node is not a mapping; an alias is followed.
#[must_use]
pub fn fields(node: Node<'_>) -> Vec<Field<'_>> {
    let Some(node) = node.resolve().filter(Node::is_mapping) else {
        return Vec::new();
    };
    let mut out: Vec<Field<'_>> = Vec::with_capacity(FEW / 2);
    let mut index: FxHashMap<Cow<'_, str>, usize> = FxHashMap::default();
    let mut steps = 0;
    // Each level: the entries still to read, and the outermost merge they come through.
    let mut level: (_, Option<Via>) = (node.entries(), None);
    let mut levels = Vec::new();
    loop {
        let via = level.1;
        let Some(entry) = level.0.next() else {
            match levels.pop() {
                Some(outer) => level = outer,
                None => break,
            }
            continue;
        };
        steps += 1;
        if steps > MERGE_STEPS {
            break;
        }
        if is_merge(entry.key) {
            // The first of a list wins, so it is read last; the stack reverses.
            levels.push(level);
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
                    levels.push((mapping.entries(), Some(via)));
                }
            }
            // What was pushed last, at least the level itself.
            match levels.pop() {
                Some(next) => level = next,
                None => break,
            }
            continue;
        }
        let Some(name) = key_text(entry.key) else { continue };
        let known = if out.len() <= FEW {
            out.iter().position(|f| f.name == name)
        } else {
            if index.is_empty() {
                index.extend(out.iter().enumerate().map(|(i, f)| (f.name.clone(), i)));
            }
            index.get(&name).copied()
        };
        match known.and_then(|i| out.get_mut(i)) {
            Some(field) => {
                field.losers.push(Loser {
                    key: field.key,
                    value: field.value,
                    via: field.via,
                });
                (field.key, field.value, field.via) = (entry.key, entry.value, via);
            }
            None => {
                if !index.is_empty() {
                    index.insert(name.clone(), out.len());
                }
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
        // Written with 32 bits, more of them are infinite.
        Value::Float(f) => Some(match float_text(f).as_str() {
            "NaN" => Cow::Borrowed(".nan"),
            "+Inf" => Cow::Borrowed(".inf"),
            "-Inf" => Cow::Borrowed("-.inf"),
            finite => Cow::Owned(finite.to_owned()),
        }),
        Value::Uint(_) => None,
        other => other.into_text(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::parse;

    /// Each field of the value of `k`: name, value, where it is to be pointed at, what it replaced.
    fn seen(text: &str) -> Vec<String> {
        let tree = parse(text);
        let node = tree.first_document().unwrap().root().unwrap().get("k").unwrap();
        let show = |f: &Field<'_>| {
            let losers: Vec<_> = f.losers.iter().map(|l| l.value.source()).collect();
            format!(
                "{}={} at {} {losers:?}",
                f.name,
                f.value.source(),
                f.place().slice(text)
            )
        };
        fields(node).iter().map(show).collect()
    }

    #[test]
    fn the_last_of_equal_keys_wins() {
        assert_eq!(
            seen("k: {a: 1, b: 2, a: 3}\n"),
            ["a=3 at 3 [\"1\"]", "b=2 at 2 []"]
        );
        assert_eq!(seen("k: {1: x, 01: y, \"1\": z}\n"), ["1=z at z [\"x\", \"y\"]"]);
        assert_eq!(
            seen("k: {on: x, 1.0: y, ~: z}\n"),
            ["true=x at x []", "1=y at y []"]
        );
    }

    #[test]
    fn two_keys_that_are_one_in_json_have_no_certain_value() {
        let random = |text: &str| {
            let tree = parse(text);
            let node = tree.first_document().unwrap().root().unwrap();
            fields(node)
                .iter()
                .map(|f| (f.name.to_string(), f.is_random()))
                .collect::<Vec<_>>()
        };
        let one = |name: &str, is_random| [(name.to_owned(), is_random)];
        assert_eq!(random("{1: x, \"1\": y}\n"), one("1", true));
        assert_eq!(random("{1: x, 1.0: y}\n"), one("1", true));
        assert_eq!(random("{on: x, \"true\": y}\n"), one("true", true));
        assert_eq!(random("{1: x, 01: y}\n"), one("1", false));
        assert_eq!(random("{on: x, true: y}\n"), one("true", false));
        assert_eq!(random("{1: x, \"1\": y, 0x1: y}\n"), one("1", false));
        assert_eq!(random("{a: x, a: y}\n"), one("a", false));
    }

    #[test]
    fn merges_apply_where_they_are() {
        let anchors = "x: &x {a: 1, b: 2}\ny: &y {a: 3}\n";
        let k = |rest: &str| seen(&format!("{anchors}k: {rest}\n"));
        assert_eq!(k("{a: 0, <<: *x}"), ["a=1 at *x [\"0\"]", "b=2 at *x []"]);
        assert_eq!(k("{<<: *x, a: 0}"), ["a=0 at 0 [\"1\"]", "b=2 at *x []"]);
        // The first of a list wins, the later of two merges too.
        assert_eq!(k("{<<: [*y, *x]}"), ["a=3 at *y [\"1\"]", "b=2 at *x []"]);
        assert_eq!(k("{<<: *x, <<: *y}"), ["a=3 at *y [\"1\"]", "b=2 at *x []"]);
        assert_eq!(k("{<<: {c: 5}}"), ["c=5 at << []"]);
        assert_eq!(k("{\"<<\": *x}"), ["<<=*x at *x []"]);
    }

    #[test]
    fn a_merge_reaches_through_merges() {
        let text = "x: &x {a: 1}\ny: &y\n  <<: *x\n  b: 2\nk:\n  <<: *y\n";
        assert_eq!(seen(text), ["a=1 at *y []", "b=2 at *y []"]);
    }

    #[test]
    fn keys_that_are_no_finite_numbers_of_32_bits_have_names() {
        let keys = |text: &str| {
            let tree = parse(text);
            let node = tree.first_document().unwrap().root().unwrap();
            let names: Vec<String> = fields(node).iter().map(|f| f.name.to_string()).collect();
            names
        };
        assert_eq!(keys("{1e39: a, -1e39: b}"), [".inf", "-.inf"]);
        assert_eq!(
            keys("{.inf: a, -.inf: b, .nan: c, 1.5: d}"),
            [".inf", "-.inf", ".nan", "1.5"]
        );
    }
}
