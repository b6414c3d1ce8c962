//! The instances of a resource or a call, and what `each` and `count` mean in them.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_core::nearest::Signature;
use applyorder_syntax::hcl::eval::Value;
use rustc_hash::FxHashMap;

use super::super::key::Key;
use super::super::module::Spot;

/// What `each` and `count` mean.
#[derive(Clone, Debug, Default)]
pub(crate) enum Each {
    /// None exists.
    #[default]
    None,
    Count(Value),
    Item(Value, Value),
    /// Something that is unknown.
    Open(Arc<str>),
}

/// The instances of a resource or a call.
#[derive(Debug)]
pub(crate) enum Expansion {
    Single,
    Known {
        /// Whether by `count`.
        counted: bool,
        /// In the order of their keys.
        keys: Vec<(Key, Value)>,
        by_key: FxHashMap<Key, usize>,
        heuristic: bool,
        /// `count` or `for_each`.
        place: Spot,
        /// Of the keys, where one was looked for in vain.
        signatures: OnceCell<Vec<Signature>>,
    },
    Unknown {
        counted: bool,
        why: Arc<str>,
        place: Spot,
    },
}

impl Expansion {
    /// The instances: their keys, and what `each` and `count` mean in them.
    pub(crate) fn instances(&self) -> Vec<(Key, Each)> {
        match self {
            Self::Single => vec![(Key::None, Each::None)],
            Self::Known { counted, keys, .. } => keys
                .iter()
                .map(|(key, value)| {
                    let own = self.key_value(key);
                    let each = if *counted {
                        Each::Count(own)
                    } else {
                        Each::Item(own, value.clone())
                    };
                    (key.clone(), each)
                })
                .collect(),
            Self::Unknown { .. } => Vec::new(),
        }
    }

    /// The value of a key: that of the entry of a set is the entry itself, with its place.
    pub(crate) fn key_value(&self, key: &Key) -> Value {
        let entry = match (self, key) {
            (Self::Known { keys, by_key, .. }, Key::Str(text)) => {
                let entry = by_key.get(key).and_then(|at| keys.get(*at));
                entry.filter(|(_, value)| value.as_str() == Some(text))
            }
            _ => None,
        };
        let value = entry.map_or_else(|| key.value(), |(_, value)| value.clone());
        value.likely(self.is_heuristic())
    }

    /// Whether it is unknown which instances there are.
    pub(crate) const fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown { .. })
    }

    pub(crate) const fn is_heuristic(&self) -> bool {
        matches!(self, Self::Known { heuristic: true, .. })
    }
}

/// Whether a value of `for_each` is known to make nothing.
pub(crate) fn makes_none(value: &Value) -> bool {
    value.elements().is_some_and(<[_]>::is_empty) || value.members().is_some_and(BTreeMap::is_empty)
}
