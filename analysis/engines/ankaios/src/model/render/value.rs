//! The values of variables.

use std::cmp::Ordering;
use std::sync::Arc;

use applyorder_core::layer::Budget;
use rustc_hash::FxHashMap;
use serde_json::{Map, Number, Value as Json};

use super::Configs;
use crate::read::{Item, Manifest, Workload};

/// A value.
#[derive(Clone)]
pub(super) enum Value<'a> {
    /// All configs of the workload, by their aliases.
    Root(Configs<'a>, Arc<FxHashMap<&'a str, &'a str>>),
    /// An item of a manifest's configs.
    Item(&'a Manifest, u32),
    /// Written in the template, or returned by a helper.
    Json(Arc<Json>),
    /// The context of a partial: a value, and its arguments.
    Merged(Arc<(Value<'a>, Vec<(&'a str, Value<'a>)>)>),
    /// It does not exist.
    Missing,
    /// It is not in these files, or not text.
    Unknown,
}

/// The kind of a value.
enum Shape<'v> {
    Text(&'v str),
    Number(&'v Number),
    Bool(bool),
    Null,
    List(usize),
    Object(usize),
}

/// A name, used on a list, that is not a number.
pub(super) struct NoIndex;

/// The nesting depth up to which a value is compared.
const MAX_DEPTH: usize = 128;

impl<'a> Value<'a> {
    pub(super) fn root(configs: Configs<'a>, workload: &'a Workload) -> Self {
        let uses = workload.configs.iter();
        let aliases = uses.map(|c| (&*c.alias.value, &*c.config.value));
        Self::Root(configs, Arc::new(aliases.collect()))
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Json(Arc::new(Json::String(text.into())))
    }

    pub(super) fn number(number: usize) -> Self {
        Self::Json(Arc::new(Json::from(number)))
    }

    pub(super) fn bool(value: bool) -> Self {
        Self::Json(Arc::new(Json::Bool(value)))
    }

    /// `None` if it is unknown.
    fn shape(&self) -> Option<Shape<'_>> {
        Some(match self {
            Self::Root(_, aliases) => Shape::Object(aliases.len()),
            Self::Item(manifest, item) => match manifest.items.get(*item as usize)? {
                Item::Text(text) => Shape::Text(text),
                Item::List(items) => Shape::List(items.len()),
                Item::Map(entries) => Shape::Object(entries.len()),
                Item::Leaf => return None,
            },
            Self::Json(json) => match &**json {
                Json::String(text) => Shape::Text(text),
                Json::Number(number) => Shape::Number(number),
                Json::Bool(value) => Shape::Bool(*value),
                Json::Null => Shape::Null,
                Json::Array(items) => Shape::List(items.len()),
                Json::Object(entries) => Shape::Object(entries.len()),
            },
            Self::Merged(_) => Shape::Object(self.keys()?.len()),
            Self::Missing => Shape::Null,
            Self::Unknown => return None,
        })
    }

    /// Its text, if it is a string.
    pub(super) fn as_text(&self) -> Option<&str> {
        match self.shape()? {
            Shape::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether it is `true`.
    pub(super) fn as_bool(&self) -> bool {
        matches!(self.shape(), Some(Shape::Bool(true)))
    }

    /// The value of a name in it.
    pub(super) fn get(&self, name: &str, budget: &mut Budget) -> Result<Self, NoIndex> {
        Ok(match self {
            Self::Root(configs, aliases) => match aliases.get(name).map(|config| configs.find(config)) {
                Some(Some((manifest, item))) => Self::Item(manifest, item),
                Some(None) => Self::Unknown,
                None => Self::Missing,
            },
            Self::Item(manifest, item) => match manifest.items.get(*item as usize) {
                Some(Item::Map(entries)) if !budget.spend(entries.len() as u64) => Self::Unknown,
                Some(Item::Map(entries)) => {
                    let found = entries.iter().find(|(key, _)| **key == *name);
                    found.map_or(Self::Missing, |(_, item)| Self::Item(manifest, *item))
                }
                Some(Item::List(items)) => {
                    let found = items.get(name.parse::<usize>().map_err(|_| NoIndex)?);
                    found.map_or(Self::Missing, |item| Self::Item(manifest, *item))
                }
                Some(Item::Text(_)) => Self::Missing,
                Some(Item::Leaf) | None => Self::Unknown,
            },
            Self::Json(json) => match &**json {
                Json::Array(items) => {
                    let found = items.get(name.parse::<usize>().map_err(|_| NoIndex)?);
                    found.map_or(Self::Missing, Self::json)
                }
                Json::Object(entries) => entries.get(name).map_or(Self::Missing, Self::json),
                _ => Self::Missing,
            },
            Self::Merged(merged) => {
                let (base, more) = &**merged;
                match more.iter().find(|(known, _)| *known == name) {
                    Some((_, value)) => value.or_null(),
                    None => match base.shape() {
                        // Its characters, by index.
                        Some(Shape::Text(text)) => {
                            let number = name.parse::<usize>().ok().filter(|n| n.to_string() == name);
                            let found = number.and_then(|n| text.chars().nth(n));
                            found.map_or(Self::Missing, Self::text)
                        }
                        Some(Shape::List(_))
                            if name.parse::<usize>().is_ok_and(|n| n.to_string() != name) =>
                        {
                            Self::Missing
                        }
                        Some(Shape::List(_)) => base.get(name, budget).unwrap_or(Self::Missing),
                        Some(Shape::Object(_)) => base.get(name, budget)?,
                        Some(_) => Self::Missing,
                        None => Self::Unknown,
                    },
                }
            }
            Self::Missing => Self::Missing,
            Self::Unknown => Self::Unknown,
        })
    }

    fn json(json: &Json) -> Self {
        Self::Json(Arc::new(json.clone()))
    }

    /// A missing value is passed on as null.
    pub(super) fn or_null(&self) -> Self {
        match self {
            Self::Missing => Self::Json(Arc::new(Json::Null)),
            other => other.clone(),
        }
    }

    /// The context of a partial: this value, and others by their names.
    pub(super) fn with(&self, more: Vec<(&'a str, Value<'a>)>) -> Self {
        if more.is_empty() {
            return self.or_null();
        }
        Self::Merged(Arc::new((self.or_null(), more)))
    }

    /// The entry that `lookup` finds in it.
    pub(super) fn entry(&self, key: &Self, budget: &mut Budget) -> Self {
        let (Some(shape), Some(key)) = (self.shape(), key.shape()) else {
            return Self::Unknown;
        };
        let name = match (shape, key) {
            (Shape::List(_), Shape::Number(number)) => number.as_u64().map(|n| n.to_string()),
            (Shape::Object(_), Shape::Text(text)) => Some(text.to_owned()),
            _ => None,
        };
        let found = name.map(|name| self.get(&name, budget));
        found.and_then(Result::ok).unwrap_or(Self::Missing)
    }

    /// The names in it, in iteration order; `None` if it has none.
    fn keys(&self) -> Option<Vec<Box<str>>> {
        let mut keys: Vec<Box<str>> = match self {
            Self::Root(_, aliases) => aliases.keys().map(|k| Box::from(*k)).collect(),
            Self::Item(manifest, item) => match manifest.items.get(*item as usize)? {
                Item::Map(entries) => entries.iter().map(|(key, _)| key.clone()).collect(),
                _ => return None,
            },
            Self::Json(json) => json.as_object()?.keys().map(|k| k.as_str().into()).collect(),
            Self::Merged(merged) => {
                let (base, more) = &**merged;
                let count = match base.shape()? {
                    Shape::Text(text) => text.chars().count(),
                    Shape::List(count) => count,
                    _ => 0,
                };
                let own = base.keys().unwrap_or_default().into_iter();
                let numbers = (0..count).map(|n| n.to_string().into());
                own.chain(numbers)
                    .chain(more.iter().map(|(key, _)| Box::from(*key)))
                    .collect()
            }
            Self::Missing | Self::Unknown => return None,
        };
        keys.sort_unstable();
        keys.dedup();
        Some(keys)
    }

    /// Its entries as a loop iterates over them, those of an object with their keys; `None` if it has none.
    pub(super) fn items(&self, budget: &mut Budget) -> Option<Vec<(Option<Box<str>>, Self)>> {
        match self.shape()? {
            Shape::List(count) => {
                let all =
                    (0..count).map(|n| (None, self.get(&n.to_string(), budget).unwrap_or(Self::Unknown)));
                Some(all.collect())
            }
            Shape::Object(_) if let Self::Item(manifest, item) = self => {
                let Some(Item::Map(entries)) = manifest.items.get(*item as usize) else {
                    return None;
                };
                let all = entries.iter();
                let mut all: Vec<_> = all
                    .map(|(key, item)| (Some(key.clone()), Self::Item(manifest, *item)))
                    .collect();
                all.sort_by(|(a, _), (b, _)| a.cmp(b));
                Some(all)
            }
            Shape::Object(count) => {
                // Each one is searched for.
                let is_small = budget.spend((count * count) as u64);
                let keys = self.keys()?.into_iter();
                let all = keys.map(|key| {
                    let value = self.get(&key, budget).ok().filter(|_| is_small);
                    (Some(key), value.unwrap_or(Self::Unknown))
                });
                Some(all.collect())
            }
            _ => None,
        }
    }

    /// Whether the value is known.
    pub(super) fn is_known(&self) -> bool {
        self.shape().is_some()
    }

    /// Its printed text; `None` if that is not evaluated.
    pub(super) fn shown(&self, budget: &mut Budget) -> Option<String> {
        let mut out = String::new();
        let mut open: Vec<(Self, usize, usize)> = Vec::new();
        let mut next = Some(self.clone());
        while let Some(value) = next.take() {
            if !budget.spend(1) {
                return None;
            }
            match value.shape()? {
                Shape::Text(text) => out.push_str(text),
                Shape::Number(number) => out.push_str(&number.to_string()),
                Shape::Bool(value) => out.push_str(if value { "true" } else { "false" }),
                Shape::Null => {}
                Shape::Object(_) => out.push_str("[object]"),
                Shape::List(count) => {
                    out.push('[');
                    open.push((value.clone(), 0, count));
                }
            }
            while let Some((list, at, count)) = open.last_mut() {
                if *at == *count {
                    out.push(']');
                    open.pop();
                    continue;
                }
                if *at > 0 {
                    out.push_str(", ");
                }
                next = list.get(&at.to_string(), budget).ok();
                *at += 1;
                break;
            }
        }
        Some(out)
    }

    /// Whether it is true as a condition; `None` if that is unknown.
    pub(super) fn is_truthy(&self, includes_zero: bool) -> Option<bool> {
        Some(match self.shape()? {
            Shape::Text(text) => !text.is_empty(),
            Shape::Number(number) => {
                let number = number.as_f64();
                number.is_some_and(|n| if includes_zero { !n.is_nan() } else { n.is_normal() })
            }
            Shape::Bool(value) => value,
            Shape::Null => false,
            Shape::List(count) | Shape::Object(count) => count > 0,
        })
    }

    /// The number of its entries or bytes; `None` if that is unknown.
    pub(super) fn len(&self) -> Option<usize> {
        Some(match self.shape()? {
            Shape::Text(text) => text.len(),
            Shape::List(count) | Shape::Object(count) => count,
            _ => 0,
        })
    }

    /// The complete JSON value; `None` if it is not completely known.
    fn whole(&self, depth: usize, budget: &mut Budget) -> Option<Json> {
        if depth > MAX_DEPTH || !budget.spend(1) {
            return None;
        }
        Some(match self.shape()? {
            Shape::Text(text) => Json::String(text.to_owned()),
            Shape::Number(number) => Json::Number(number.clone()),
            Shape::Bool(value) => Json::Bool(value),
            Shape::Null => Json::Null,
            Shape::List(_) => {
                let items = self.items(budget)?.into_iter();
                let all: Option<Vec<Json>> = items.map(|(_, item)| item.whole(depth + 1, budget)).collect();
                Json::Array(all?)
            }
            Shape::Object(_) => {
                let items = self.items(budget)?.into_iter();
                let all = items.map(|(key, item)| {
                    let key = key.unwrap_or_default().into_string();
                    Some((key, item.whole(depth + 1, budget)?))
                });
                Json::Object(all.collect::<Option<Map<String, Json>>>()?)
            }
        })
    }

    /// Whether two values are equal; `None` if that is unknown.
    pub(super) fn equals(&self, other: &Self, budget: &mut Budget) -> Option<bool> {
        if let (Some(a), Some(b)) = (self.as_text(), other.as_text()) {
            return Some(a == b);
        }
        let is_text = |value: &Self| value.is_known().then(|| value.as_text().is_some());
        if is_text(self)? != is_text(other)? {
            return Some(false);
        }
        Some(self.whole(0, budget)? == other.whole(0, budget)?)
    }

    /// Which of two values is greater, if they can be compared; `None` if that is unknown.
    pub(super) fn compare(&self, other: &Self) -> Option<Option<Ordering>> {
        let number = |text: &str| text.parse::<Number>().ok();
        Some(match (self.shape()?, other.shape()?) {
            (Shape::Number(a), Shape::Number(b)) => numbers(a, b),
            (Shape::Text(a), Shape::Text(b)) => Some(a.cmp(b)),
            (Shape::Bool(a), Shape::Bool(b)) => Some(a.cmp(&b)),
            (Shape::Number(a), Shape::Text(b)) => number(b).and_then(|b| numbers(a, &b)),
            (Shape::Text(a), Shape::Number(b)) => number(a).and_then(|a| numbers(&a, b)),
            _ => None,
        })
    }
}

/// Compares numbers without rounding them.
fn numbers(a: &Number, b: &Number) -> Option<Ordering> {
    let whole = |n: &Number| n.as_i64().map(i128::from).or(n.as_u64().map(i128::from));
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        (Some(a), None) => mixed(a, b.as_f64()?),
        (None, Some(b)) => mixed(b, a.as_f64()?).map(Ordering::reverse),
        (None, None) => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

fn mixed(a: i128, b: f64) -> Option<Ordering> {
    // Beyond these every float is larger or smaller than all JSON integers.
    const FAR: f64 = 1e20;
    if b.is_nan() {
        return None;
    }
    if b.abs() >= FAR {
        return Some(if b > 0.0 {
            Ordering::Less
        } else {
            Ordering::Greater
        });
    }
    let floor = b.floor();
    // Within the range above this is lossless.
    #[expect(clippy::cast_possible_truncation, reason = "whole, and smaller than 1e20")]
    let whole = floor as i128;
    Some(a.cmp(&whole).then(if floor < b {
        Ordering::Less
    } else {
        Ordering::Equal
    }))
}
