//! What variables stand for.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use applyorder_core::layer::Budget;

use super::Configs;
use crate::read::template::Path;
use crate::read::{Item, Manifest, Workload};

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Value<'a> {
    /// All configs of the workload.
    Root,
    /// An item of a manifest's configs.
    Item(&'a Manifest, u32),
    Text(&'a str),
    Number(&'a str),
    /// A number of ours: the index of a loop.
    Index(usize),
    Bool(bool),
    Null,
    /// There is none.
    Missing,
    /// It is not among these files.
    Unknown,
}

/// What names are looked up in.
#[derive(Clone)]
pub(super) struct Scope<'a> {
    base: Base<'a>,
    /// The variables of a loop.
    locals: Option<Locals<'a>>,
}

#[derive(Clone)]
enum Base<'a> {
    Root(Configs<'a>, Arc<FxHashMap<&'a str, &'a str>>),
    Item(&'a Manifest, u32),
}

#[derive(Clone)]
struct Locals<'a> {
    index: usize,
    is_last: bool,
    key: Option<&'a str>,
}

impl<'a> Scope<'a> {
    pub(super) fn root(configs: Configs<'a>, workload: &'a Workload) -> Self {
        let aliases = workload
            .configs
            .iter()
            .map(|c| (&*c.alias.value, &*c.config.value));
        Self {
            base: Base::Root(configs, Arc::new(aliases.collect())),
            locals: None,
        }
    }

    fn local(&self, name: &str) -> Value<'a> {
        let Some(locals) = &self.locals else {
            return Value::Missing;
        };
        match (name, locals.key) {
            ("first", _) => Value::Bool(locals.index == 0),
            ("last", _) => Value::Bool(locals.is_last),
            ("index", _) => Value::Index(locals.index),
            ("key", Some(key)) => Value::Text(key),
            _ => Value::Missing,
        }
    }
}

/// What a path leads to from the innermost of some scopes; a name that is not a number where a list is entered is an
/// error.
pub(super) fn of_path<'a>(
    scopes: &[Scope<'a>],
    path: &Path,
    budget: &mut Budget,
) -> Result<Value<'a>, Box<str>> {
    let innermost = scopes.last();
    let up = scopes
        .len()
        .checked_sub(path.ups + 1)
        .and_then(|at| scopes.get(at));
    if let Some(local) = &path.local {
        return Ok(up.map_or(Value::Missing, |scope| scope.local(local)));
    }
    let scope = if path.is_root {
        scopes.first()
    } else {
        up.or(innermost)
    };
    let Some(scope) = scope else {
        return Ok(Value::Missing);
    };
    let mut names = path.names.iter();
    let mut value = match &scope.base {
        Base::Item(manifest, item) => Value::Item(manifest, *item),
        Base::Root(configs, aliases) => match names.next() {
            None => return Ok(Value::Root),
            Some(alias) => {
                let Some(used) = aliases.get(&**alias) else {
                    return Ok(Value::Missing);
                };
                match configs.find(used) {
                    Some((manifest, item)) => Value::Item(manifest, item),
                    None => Value::Unknown,
                }
            }
        },
    };
    for name in names {
        value = match value {
            Value::Item(manifest, item) => match manifest.items.get(item as usize) {
                Some(Item::Map(entries)) if !budget.spend(entries.len() as u64) => Value::Unknown,
                Some(Item::Map(entries)) => entries
                    .iter()
                    .find(|(key, _)| key == name)
                    .map_or(Value::Missing, |(_, item)| Value::Item(manifest, *item)),
                Some(Item::List(items)) => match name.parse::<usize>() {
                    Ok(n) => items
                        .get(n)
                        .map_or(Value::Missing, |item| Value::Item(manifest, *item)),
                    Err(_) => return Err(name.clone()),
                },
                Some(Item::Text(_)) => Value::Missing,
                Some(Item::Leaf) | None => Value::Unknown,
            },
            other => other,
        };
    }
    Ok(value)
}

impl<'a> Value<'a> {
    fn item(&self) -> Option<&'a Item> {
        match self {
            Self::Item(manifest, item) => manifest.items.get(*item as usize),
            _ => None,
        }
    }

    /// As it is printed; `None` where that is not followed.
    pub(super) fn shown(&self) -> Option<String> {
        Some(match self {
            Self::Root => "[object]".to_owned(),
            Self::Text(text) | Self::Number(text) => (*text).to_owned(),
            Self::Index(n) => n.to_string(),
            Self::Bool(b) => b.to_string(),
            Self::Null => String::new(),
            Self::Missing | Self::Unknown => return None,
            Self::Item(manifest, _) => match self.item()? {
                Item::Text(text) => text.to_string(),
                Item::Map(_) => "[object]".to_owned(),
                Item::List(items) => list(manifest, items)?,
                Item::Leaf => return None,
            },
        })
    }

    /// The text that it is, if it is one.
    fn text(&self) -> Option<&'a str> {
        match (self, self.item()) {
            (Self::Text(text), _) => Some(text),
            (_, Some(Item::Text(text))) => Some(text),
            _ => None,
        }
    }

    /// Whether a condition on it holds; `None` where that is not known.
    pub(super) fn is_truthy(&self) -> Option<bool> {
        Some(match self {
            Self::Root => true,
            Self::Text(text) => !text.is_empty(),
            Self::Number(number) => number.bytes().any(|b| matches!(b, b'1'..=b'9')),
            Self::Index(n) => *n > 0,
            Self::Bool(b) => *b,
            Self::Null | Self::Missing => false,
            Self::Unknown => return None,
            Self::Item(..) => match self.item()? {
                Item::Text(text) => !text.is_empty(),
                Item::List(items) => !items.is_empty(),
                Item::Map(entries) => !entries.is_empty(),
                Item::Leaf => return None,
            },
        })
    }

    pub(super) fn equals(&self, other: &Self) -> Option<bool> {
        match (self.text(), other.text()) {
            (Some(a), Some(b)) => Some(a == b),
            (Some(_), None) if !matches!(other, Self::Unknown) => Some(false),
            (None, Some(_)) if !matches!(self, Self::Unknown) => Some(false),
            _ => None,
        }
    }

    /// What `lookup` finds in it.
    pub(super) fn entry(&self, key: &Self) -> Self {
        let (Self::Item(manifest, _), Some(item)) = (self, self.item()) else {
            return match self {
                Self::Unknown | Self::Root => Self::Unknown,
                _ => Self::Missing,
            };
        };
        let found = match (item, key) {
            (Item::Leaf, _) | (_, Self::Unknown) => return Self::Unknown,
            (Item::List(items), Self::Index(n)) => items.get(*n).copied(),
            (Item::List(items), Self::Number(n)) => n.parse().ok().and_then(|n: usize| items.get(n)).copied(),
            (Item::Map(entries), key) => key
                .text()
                .and_then(|text| entries.iter().find(|(k, _)| **k == *text))
                .map(|(_, item)| *item),
            _ => None,
        };
        found.map_or(Self::Missing, |item| Self::Item(manifest, item))
    }

    /// How many entries or characters it has, as far as that is known.
    pub(super) fn len(&self) -> Option<usize> {
        match self.item()? {
            Item::Text(text) => Some(text.len()),
            Item::List(items) => Some(items.len()),
            Item::Map(entries) => Some(entries.len()),
            Item::Leaf => None,
        }
    }

    /// Names in it, where it is entered.
    pub(super) fn scope(&self) -> Option<Scope<'a>> {
        match self {
            Self::Item(manifest, item) => Some(Scope {
                base: Base::Item(manifest, *item),
                locals: None,
            }),
            _ => None,
        }
    }

    /// Whether its entries have no order.
    pub(super) fn is_unordered(&self) -> bool {
        matches!(self.item(), Some(Item::Map(_)))
    }

    /// Its entries as what a loop goes through; `None` where it has none.
    pub(super) fn items(&self) -> Option<Vec<Scope<'a>>> {
        let Self::Item(manifest, _) = self else {
            return None;
        };
        let scope = |index: usize, count: usize, key: Option<&'a str>, item: u32| Scope {
            base: Base::Item(manifest, item),
            locals: Some(Locals {
                index,
                is_last: index + 1 == count,
                key,
            }),
        };
        match self.item()? {
            Item::List(items) => {
                let all = items.iter().enumerate();
                Some(all.map(|(i, item)| scope(i, items.len(), None, *item)).collect())
            }
            Item::Map(entries) => {
                let all = entries.iter().enumerate();
                Some(
                    all.map(|(i, (key, item))| scope(i, entries.len(), Some(key), *item))
                        .collect(),
                )
            }
            Item::Text(_) | Item::Leaf => None,
        }
    }
}

/// A list as it is printed, lists in it as well.
fn list(manifest: &Manifest, items: &[u32]) -> Option<String> {
    let mut out = String::from("[");
    let mut open = vec![items.iter().enumerate()];
    while let Some(rest) = open.last_mut() {
        let Some((number, item)) = rest.next() else {
            open.pop();
            out.push(']');
            continue;
        };
        if number > 0 {
            out.push_str(", ");
        }
        match manifest.items.get(*item as usize)? {
            Item::Text(text) => out.push_str(text),
            Item::Map(_) => out.push_str("[object]"),
            Item::List(items) => {
                out.push('[');
                open.push(items.iter().enumerate());
            }
            Item::Leaf => return None,
        }
    }
    Some(out)
}
