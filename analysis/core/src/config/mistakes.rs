//! All errors in one configuration file: after an error, the rest is checked without the faulty part.

use std::borrow::Cow;

use applyorder_syntax::text::Span;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue, ValueDeserializer};

use super::Known;
use super::levels::unknown_rules;
use super::schema::{OWN_KEYS, Own};
use super::words;

/// The maximum number of errors reported for one part of a file.
const MOST: usize = 100;

/// The errors in a file, in text order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Mistakes {
    pub(super) all: Vec<Mistake>,
    /// Whether the file can still be used: it only names rules that do not exist.
    pub(super) is_usable: bool,
}

/// An error in a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    pub(super) span: Span,
    pub(super) message: String,
    /// The name that was probably meant instead of the one at the place.
    pub(super) meant: Option<String>,
}

impl Mistake {
    pub(super) const fn new(span: Span, message: String) -> Self {
        Self {
            span,
            message,
            meant: None,
        }
    }

    /// A name, at its place, that is none of those known.
    pub(super) fn unknown<'a>(
        span: Span,
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let (message, meant) = words::unknown(what, name, known);
        Self { span, message, meant }
    }
}

/// A step from a table or list to what is in it.
#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Element(usize),
}

/// The errors of a file that is valid TOML.
pub(super) fn of_file(text: &str, root: &DeTable<'_>, known: &Known) -> Mistakes {
    let mut all = Vec::new();
    for (key, value) in root {
        let name: &str = key.get_ref();
        if let Some(section) = known.sections.iter().find(|s| s.name() == name) {
            of_part(text, with_key(key, value.clone()), &mut all, |part| {
                section.check(part)
            });
        } else if OWN_KEYS.contains(&name) {
            for value in one_by_one(value) {
                of_part(text, with_key(key, value), &mut all, read::<Own>);
            }
        } else {
            let names = OWN_KEYS
                .into_iter()
                .chain(known.sections.iter().map(|s| s.name()));
            all.push(Mistake::unknown(span_of(key), "key", name, names));
        }
    }
    let is_usable = all.is_empty();
    all.extend(unknown_rules(root, known));
    all.sort_by_key(|mistake| mistake.span);
    Mistakes { all, is_usable }
}

/// A table with one key: without it, an error in its value has no name.
fn with_key<'i>(key: &Spanned<Cow<'i, str>>, value: Spanned<DeValue<'i>>) -> DeTable<'i> {
    std::iter::once((key.clone(), value)).collect()
}

/// A value, or each table of a list of tables as a list of its own: an error about a whole table is reported at
/// the list.
fn one_by_one<'i>(value: &Spanned<DeValue<'i>>) -> Vec<Spanned<DeValue<'i>>> {
    match value.get_ref() {
        DeValue::Array(list) if !list.is_empty() && list.iter().all(|one| one.get_ref().is_table()) => {
            let alone = |one: &Spanned<DeValue<'i>>| {
                let list = std::iter::once(one.clone()).collect();
                Spanned::new(one.span(), DeValue::Array(list))
            };
            list.iter().map(alone).collect()
        }
        _ => vec![value.clone()],
    }
}

/// Reads a value as a `T`, and drops it.
fn read<T: DeserializeOwned>(value: ValueDeserializer<'_>) -> Result<(), toml::de::Error> {
    T::deserialize(value).map(drop)
}

/// Reads a part of a file until it has no errors, each time without the faulty parts found before.
fn of_part<'i>(
    text: &str,
    part: DeTable<'i>,
    all: &mut Vec<Mistake>,
    check: impl Fn(ValueDeserializer<'i>) -> Result<(), toml::de::Error>,
) {
    let whole = 0..text.len();
    let mut root = DeValue::Table(part);
    // A key that is missing only because it was removed here is not an error of the file.
    let mut changed: Vec<std::ops::Range<usize>> = Vec::new();
    for _ in 0..MOST {
        let Err(error) = check(Spanned::new(whole.clone(), root.clone()).into()) else {
            return;
        };
        let at = error.span().unwrap_or_else(|| whole.clone());
        let steps = error.span().and_then(|at| steps_to(&root, &at));
        if !changed.contains(&at) {
            let names = steps.iter().flatten().filter_map(|step| match step {
                Step::Key(name) => Some(name.as_str()),
                Step::Element(_) => None,
            });
            let names: Vec<&str> = names.collect();
            let value = steps.as_ref().and_then(|steps| value_at(&root, steps));
            let (message, meant) = words::reworded(error.message(), &names, value);
            let span = Span::from_usize(at.start, at.end);
            all.push(Mistake { span, message, meant });
        }
        match steps.and_then(|steps| take_out(&mut root, &steps)) {
            Some(container) => changed.push(container),
            None => return,
        }
    }
}

/// The step to a value inside another, the place of its key if it has one, and the value.
type Inner<'a, 'i> = (Step, Option<std::ops::Range<usize>>, &'a Spanned<DeValue<'i>>);

/// The innermost entry whose key or value is at a place, else the innermost that contains it.
fn steps_to(root: &DeValue<'_>, at: &std::ops::Range<usize>) -> Option<Vec<Step>> {
    let mut best: Option<(bool, usize, Vec<Step>)> = None;
    let mut open = vec![(root, Vec::new())];
    while let Some((value, steps)) = open.pop() {
        let inner: Vec<Inner<'_, '_>> = match value {
            DeValue::Table(table) => {
                let entries = table.iter();
                let entry = |(key, value)| {
                    let key: &Spanned<_> = key;
                    let name: &Cow<'_, str> = key.get_ref();
                    (Step::Key(name.to_string()), Some(key.span()), value)
                };
                entries.map(entry).collect()
            }
            DeValue::Array(array) => {
                let elements = array.iter().enumerate();
                elements
                    .map(|(i, value)| (Step::Element(i), None, value))
                    .collect()
            }
            _ => Vec::new(),
        };
        for (step, key, value) in inner {
            let mut steps = steps.clone();
            steps.push(step);
            let span = value.span();
            let is_it = key.as_ref() == Some(at) || span == *at;
            if is_it || span.start <= at.start && at.end <= span.end {
                let rank = (is_it, steps.len());
                if best
                    .as_ref()
                    .is_none_or(|(is_it, depth, _)| (*is_it, *depth) < rank)
                {
                    best = Some((is_it, steps.len(), steps.clone()));
                }
            }
            open.push((value.get_ref(), steps));
        }
    }
    best.map(|(_, _, steps)| steps)
}

fn value_at<'a, 'i>(root: &'a DeValue<'i>, steps: &[Step]) -> Option<&'a DeValue<'i>> {
    let mut at = root;
    for step in steps {
        at = match (at, step) {
            (DeValue::Table(table), Step::Key(key)) => table.get(key.as_str())?.get_ref(),
            (DeValue::Array(array), Step::Element(i)) => array.get(*i)?.get_ref(),
            _ => return None,
        };
    }
    Some(at)
}

/// Removes an entry; returns where its container is.
fn take_out(root: &mut DeValue<'_>, steps: &[Step]) -> Option<std::ops::Range<usize>> {
    let (last, above) = steps.split_last()?;
    let mut at = root;
    let mut span = 0..0;
    for step in above {
        let inner = match (at, step) {
            (DeValue::Table(table), Step::Key(key)) => table.get_mut(key.as_str())?,
            (DeValue::Array(array), Step::Element(i)) => array.get_mut(*i)?,
            _ => return None,
        };
        span = inner.span();
        at = inner.get_mut();
    }
    match (at, last) {
        (DeValue::Table(table), Step::Key(key)) => {
            table.remove(key.as_str())?;
        }
        (DeValue::Array(array), Step::Element(out)) => {
            let elements = std::mem::replace(array, DeArray::new()).into_iter().enumerate();
            *array = elements
                .filter_map(|(i, value)| (i != *out).then_some(value))
                .collect();
        }
        _ => return None,
    }
    Some(span)
}

/// The location of something.
pub(super) fn span_of<T>(spanned: &Spanned<T>) -> Span {
    let span = spanned.span();
    Span::from_usize(span.start, span.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Section;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
    enum Gear {
        G1,
        G2,
        G3,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
    struct Toy {
        gear: Option<Gear>,
        speed: Option<u32>,
        roots: Vec<String>,
        part: Vec<Part>,
        on: bool,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Part {
        name: String,
        #[serde(default)]
        files: Vec<String>,
    }

    static TOY: Section = Section::of::<Toy>("toy");

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let known = Known {
            rules: vec!["cycle"],
            engines: vec!["toy"],
            sections: vec![&TOY],
        };
        let root = DeTable::parse(text).unwrap();
        let found = of_file(text, root.get_ref(), &known).all;
        let found: Vec<(&str, &str)> = found.iter().map(|m| (m.span.slice(text), &*m.message)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_wrong_hides_nothing_else() {
        check(
            "fail-on = \"eror\"\nrots = 1\n[toy]\ngear = \"G9\"\nsped = 2\nroots = [1, \"a\", true]\n[rules]\n\
             \"cycl\" = \"off\"\ncycle = \"offf\"\n",
            &[
                (
                    "\"eror\"",
                    "invalid fail-on `eror`: expected `hint`, `info`, `warning` or `error`",
                ),
                ("rots", "unknown key `rots`"),
                ("\"G9\"", "invalid gear `G9`: expected `G1`, `G2` or `G3`"),
                ("sped", "unknown key `sped`; did you mean `speed`?"),
                ("1", "invalid roots: expected a string, found an integer"),
                ("true", "invalid roots: expected a string, found a boolean"),
                ("\"cycl\"", "unknown rule `cycl`; did you mean `cycle`?"),
                (
                    "\"offf\"",
                    "invalid severity `offf`: expected `off`, `hint`, `info`, `warning` or `error`",
                ),
            ],
        );
    }

    #[test]
    fn a_wrong_type_is_described_in_terms_of_toml() {
        check(
            "baseline = 3\npreview = \"x\"\n[toy]\ngear = 3\nspeed = -1\nroots = \"a\"\non = 1\npart = 2\n",
            &[
                ("3", "invalid baseline: expected a string, found an integer"),
                (
                    "\"x\"",
                    "invalid preview: expected `true` or `false`, found a string",
                ),
                ("3", "invalid gear: expected a string, found an integer"),
                ("-1", "invalid speed `-1`: expected an integer of 0 or more"),
                ("\"a\"", "invalid roots: expected a list, found a string"),
                ("1", "invalid on: expected `true` or `false`, found an integer"),
                ("2", "invalid part: expected a list, found an integer"),
            ],
        );
        check(
            "toy = 1\n",
            &[("1", "invalid toy: expected a table, found an integer")],
        );
        check(
            "rules = 1\n",
            &[("1", "invalid rules: expected a table, found an integer")],
        );
    }

    #[test]
    fn what_a_mistake_leaves_incomplete_is_not_reported_again() {
        let text = "[[toy.part]]\nname = 1\nfils = []\n[[toy.part]]\nfiles = [\"x\"]\n[[expect]]\nfrst = \"a\"\nthen = \
                    \"b\"\n[[expect]]\nthen = \"b\"\n";
        let known = Known {
            sections: vec![&TOY],
            ..Known::default()
        };
        let root = DeTable::parse(text).unwrap();
        let found = of_file(text, root.get_ref(), &known).all;
        let found: Vec<&str> = found.iter().map(|m| &*m.message).collect();
        assert_eq!(
            found,
            [
                "invalid name: expected a string, found an integer",
                "unknown key `fils`; did you mean `files`?",
                "missing key `name`",
                "unknown key `frst`; did you mean `first`?",
                "invalid expect: expected one of `first` with `then`, `max-layers`, `no-edges`",
            ]
        );
    }
}
