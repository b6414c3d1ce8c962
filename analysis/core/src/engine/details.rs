//! Further keys of an engine's error.

use std::sync::Arc;

use serde_json::Value;

/// Keys with their values, sorted by key. Shared: a finding and the errors of all commands derived from it have
/// the same ones, and there may be a million findings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Details(Option<Arc<Vec<(&'static str, Value)>>>);

impl Details {
    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.iter().find(|(k, _)| *k == key).map(|(_, value)| value)
    }

    /// The keys with their values, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().flat_map(|all| all.iter()).map(|(k, v)| (*k, v))
    }

    /// Adds a key, or replaces its value.
    pub fn insert(&mut self, key: &'static str, value: Value) {
        let all = Arc::make_mut(self.0.get_or_insert_default());
        match all.binary_search_by_key(&key, |(k, _)| k) {
            Ok(at) => {
                if let Some(known) = all.get_mut(at) {
                    known.1 = value;
                }
            }
            Err(at) => {
                all.reserve_exact(1);
                all.insert(at, (key, value));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted_and_have_one_value() {
        let mut details = Details::default();
        details.insert("b", 1.into());
        details.insert("a", 2.into());
        let shared = details.clone();
        details.insert("b", 3.into());
        let keys: Vec<&str> = details.iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["a", "b"]);
        assert_eq!(details.get("b"), Some(&3.into()));
        assert_eq!((shared.get("b"), shared.get("c")), (Some(&1.into()), None));
    }
}
