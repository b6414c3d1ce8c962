//! Annotations of a resource, and the parts of rules and groups in them.

use super::places::Places;
use super::{Text, text_of};
use crate::{grammar, names};
use applyorder_syntax::yaml::dialect::goyaml::{Field, Value};
use applyorder_syntax::yaml::{Node, ScalarMap};

/// The meaning of an annotation's key for kapp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// `kapp.k14s.io/change-group`, with or without a suffix.
    Group,
    /// `kapp.k14s.io/change-rule`, with or without a suffix.
    Rule,
    /// `kapp.k14s.io/disable-default-change-group-and-rules`.
    OptOut,
    /// `kapp.k14s.io/exists`.
    Exists,
    /// `kapp.k14s.io/noop`.
    Noop,
    /// `kapp.k14s.io/versioned`.
    Versioned,
    /// `kapp.k14s.io/versioned-keep-original`.
    KeepOriginal,
    /// `kapp.k14s.io/num-versions`.
    NumVersions,
    /// `kapp.k14s.io/disable-wait`.
    DisableWait,
    /// `kapp.k14s.io/renew-duration`.
    RenewDuration,
    /// Another key of kapp's.
    OtherOfKapp,
    /// A key of another tool.
    Foreign,
}

/// The prefix of kapp's own keys.
pub(crate) const PREFIX: &str = "kapp.k14s.io/";

impl Key {
    pub(crate) fn of(key: &str) -> Self {
        let Some(name) = key.strip_prefix(PREFIX) else {
            return Self::Foreign;
        };
        match name {
            "change-group" => Self::Group,
            "change-rule" => Self::Rule,
            "disable-default-change-group-and-rules" => Self::OptOut,
            "exists" => Self::Exists,
            "noop" => Self::Noop,
            "versioned" => Self::Versioned,
            "versioned-keep-original" => Self::KeepOriginal,
            "num-versions" => Self::NumVersions,
            "disable-wait" => Self::DisableWait,
            "renew-duration" => Self::RenewDuration,
            _ if name.starts_with("change-group.") => Self::Group,
            _ if name.starts_with("change-rule.") => Self::Rule,
            _ => Self::OtherOfKapp,
        }
    }

    /// Whether it is a group or a rule.
    pub(crate) fn orders(self) -> bool {
        matches!(self, Self::Group | Self::Rule)
    }

    /// Whether the key is one of kapp's.
    pub(crate) fn is_kapps(self) -> bool {
        self != Self::Foreign
    }
}

/// The maximum number of placeholders of a text with places of their own: finding one takes time proportional
/// to the text. Errors in others are reported at the text.
const MAX_PLACEHOLDERS: usize = 64;

/// A placeholder in a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placeholder {
    /// With its braces.
    pub(crate) text: Text,
    /// Whether it is in one of the first three words.
    pub(crate) in_verb: bool,
}

/// The text of a rule or group with the places of its parts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RuleText {
    /// Before placeholders are replaced.
    pub(crate) value: Box<str>,
    /// The whole scalar.
    pub(crate) place: u32,
    /// The four words of a rule, if it has four.
    pub(crate) words: Option<[u32; 4]>,
    /// The placeholders.
    pub(crate) placeholders: Vec<Placeholder>,
    /// Whether the scalar is a block whose last line break belongs to it; the header's place.
    pub(crate) trailing_break: Option<u32>,
    /// The first wrong white space, if there would be four words without it.
    pub(crate) odd_space: Option<u32>,
    /// What looks like a placeholder of another tool, else the faulty part of the group's name.
    pub(crate) odd_part: Option<u32>,
}

/// The first run of white space in a text that is not one space between two words.
fn odd_space(text: &str) -> Option<std::ops::Range<usize>> {
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), 'x')]) {
        match (start, c.is_whitespace()) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                start = None;
                let inside = from > 0 && at < text.len();
                match text.get(from..at) {
                    Some(" ") if inside => {}
                    // Of several spaces the first is correct.
                    Some(run) if inside && run.starts_with(' ') => return Some(from + 1..at),
                    _ => return Some(from..at),
                }
            }
            _ => {}
        }
    }
    None
}

/// The part of a text that is suspicious in itself, whatever resource it is on; the group's name starts at
/// `group`.
fn odd_part(value: &str, group: usize) -> Option<std::ops::Range<usize>> {
    if let Some((range, _)) = grammar::lookalike(value) {
        return Some(range);
    }
    let name = value.get(group..)?;
    if name.contains('{') && grammar::placeholders(name).next().is_some() {
        return None;
    }
    let (_, part) = names::check(name).err()?;
    let slash = name.find('/');
    let part = match (part, slash) {
        (names::Part::Prefix, Some(slash)) if slash > 0 => group..group + slash,
        (names::Part::Name, Some(slash)) if slash + 1 < name.len() => group + slash + 1..value.len(),
        _ => group..value.len(),
    };
    (!part.is_empty()).then_some(part)
}

impl RuleText {
    /// A rule.
    pub(super) fn read(value: &str, node: Node<'_>, places: &mut Places<'_>) -> Self {
        let map = node.source_map();
        let mut read = Self::text(value, node, &map, places);
        let group = value.rfind(' ').map_or(value.len(), |at| at + 1);
        read.odd_part = odd_part(value, group).map(|range| places.add(map.span_of(range)));
        let mut ranges = Vec::with_capacity(4);
        let mut at = 0;
        for word in value.split(' ') {
            ranges.push(at..at + word.len());
            at += word.len() + 1;
            if ranges.len() > 4 {
                break;
            }
        }
        if ranges.len() != 4 && value.split_whitespace().count() == 4 {
            read.odd_space = odd_space(value).map(|range| places.add(map.span_of(range)));
        }
        if let [a, b, c, d] = ranges.as_slice() {
            let mut add = |r: &std::ops::Range<usize>| places.add(map.span_of(r.clone()));
            read.words = Some([add(a), add(b), add(c), add(d)]);
            let last = d.start;
            for (placeholder, range) in read.placeholders.iter_mut().zip(grammar::placeholders(value)) {
                placeholder.in_verb = range.start < last;
            }
        }
        read
    }

    /// A group's name.
    pub(super) fn group(value: &str, node: Node<'_>, places: &mut Places<'_>) -> Self {
        let map = node.source_map();
        let mut read = Self::text(value, node, &map, places);
        read.odd_part = odd_part(value, 0).map(|range| places.add(map.span_of(range)));
        read
    }

    /// The empty text of a missing key.
    pub(super) fn absent(place: u32) -> Self {
        Self {
            value: "".into(),
            place,
            words: None,
            placeholders: Vec::new(),
            trailing_break: None,
            odd_space: None,
            odd_part: None,
        }
    }

    fn text(value: &str, node: Node<'_>, map: &ScalarMap, places: &mut Places<'_>) -> Self {
        let place = places.add(node.span());
        places.spend(value.len() as u64);
        let placeholders = grammar::placeholders(value)
            .take(MAX_PLACEHOLDERS)
            .map(|range| Placeholder {
                text: text_of(
                    value.get(range.clone()).unwrap_or(""),
                    places.add(map.span_of(range)),
                ),
                in_verb: false,
            })
            .collect();
        let block = matches!(
            node.style(),
            applyorder_syntax::yaml::Style::Literal | applyorder_syntax::yaml::Style::Folded
        );
        let trailing_break = (block && value.ends_with('\n')).then(|| {
            let header = node.source().split(['\r', '\n']).next().unwrap_or("").len();
            let start = node.span().start;
            let end = applyorder_syntax::text::Span::from_usize(0, header).end;
            places.add(applyorder_syntax::text::Span::new(start, start + end))
        });
        Self {
            value: value.into(),
            place,
            words: None,
            placeholders,
            trailing_break,
            odd_space: None,
            odd_part: None,
        }
    }
}

/// One annotation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Annotation {
    /// The key as it is written.
    pub(crate) name: Text,
    /// Its meaning.
    pub(crate) key: Key,
    /// The value of a key of kapp, empty for others; the source of a scalar that is not a string.
    pub(crate) value: Text,
    /// The parts of a group or rule.
    pub(crate) text: Option<Box<RuleText>>,
    /// The kind of the value if it is not a string.
    pub(crate) not_a_string: Option<&'static str>,
    /// Earlier entries of the same key, which this one replaced.
    pub(crate) replaced: Vec<u32>,
}

impl Annotation {
    /// Whether a rule has to check it.
    pub(super) fn is_notable(&self) -> bool {
        let odd = |text: &RuleText| text.odd_part.is_some() || text.placeholders.iter().any(|p| p.in_verb);
        !self.key.orders()
            || !self.replaced.is_empty()
            || self.not_a_string.is_some()
            || self.text.as_deref().is_some_and(odd)
    }

    pub(super) fn read(field: &Field<'_>, places: &mut Places<'_>) -> Self {
        let key = Key::of(&field.name);
        let name = text_of(&field.name, places.add(field.key.span()));
        let decoded = field.decoded();
        let mut read = Self {
            name,
            key,
            value: Text::default(),
            text: None,
            not_a_string: None,
            replaced: Vec::new(),
        };
        match &decoded {
            Value::Str(text) => {
                let node = field.value.resolve().unwrap_or(field.value);
                match key {
                    Key::Rule => read.text = Some(Box::new(RuleText::read(text, node, places))),
                    Key::Group => read.text = Some(Box::new(RuleText::group(text, node, places))),
                    _ => {}
                }
                let place = match &read.text {
                    Some(text) => text.place,
                    None => places.add(field.value.span()),
                };
                // Annotations of other tools have no part in any order.
                read.value = text_of(if key.is_kapps() { text } else { "" }, place);
            }
            other => {
                read.not_a_string = Some(match other {
                    Value::Null => "null",
                    Value::Bool(_) => "a boolean",
                    Value::Int(_) | Value::Uint(_) | Value::Float(_) => "a number",
                    Value::Seq(_) => "a list",
                    Value::Map(_) | Value::Str(_) => "a mapping",
                });
                let source = match other {
                    Value::Seq(_) | Value::Map(_) => "",
                    _ => field.value.source(),
                };
                read.value = text_of(source, places.add(field.value.span()));
            }
        }
        for loser in &field.losers {
            if loser.via.is_none() {
                read.replaced.push(places.add(loser.key.span()));
            }
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_space_too_many_is_found() {
        for (text, expected) in [
            ("upsert  after upserting g", Some(7..8)),
            (" upsert after upserting g", Some(0..1)),
            ("upsert after upserting g ", Some(24..25)),
            ("upsert after\tupserting g", Some(12..13)),
            ("upsert after upserting g", None),
            ("", None),
            ("  ", Some(0..2)),
        ] {
            assert_eq!(odd_space(text), expected, "{text:?}");
        }
    }
}
