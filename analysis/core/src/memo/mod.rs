//! Results of earlier passes over a project that need not be computed again.
//!
//! There is one memo per project. It knows no engine and no edit: a value is found by a key that contains
//! everything it was made from. What a pass does not request is dropped when the pass ends, unless the pass
//! requested nothing from the same table: then it did not get to that point.

mod budget;
mod fingerprint;
mod names;
mod stop;

use std::any::{Any, TypeId};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indexmap::IndexMap;
use indexmap::map::Entry as Keyed;
use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::background::drop_in_background;
pub use budget::Budget;
pub use fingerprint::{Fingerprint, Mix};
pub use names::{NameIndex, Names, Sym};
pub use stop::{Stop, Stopped};

/// The number of names that may be added to those after the last fresh start before the memo starts over: names
/// of earlier texts are never removed one by one.
const SPARE_NAMES: usize = 1 << 16;

/// Up to this many values are computed on the calling thread.
const MADE_AT_ONCE: usize = 16;

/// See the module.
#[derive(Default)]
pub struct Memo {
    tables: Mutex<FxHashMap<TypeId, Arc<dyn AnyTable>>>,
    names: Names,
    /// The number of names after the first pass.
    first_names: Mutex<Option<usize>>,
    stop: PassStop,
}

/// Cancels the current pass: only one runs at a time over a project.
type PassStop = Arc<Mutex<Stop>>;

trait AnyTable: Any + Send + Sync {
    fn end_pass(&self);
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

struct Entry<V> {
    value: Arc<V>,
    /// The number of the last pass that requested it.
    asked_in: u32,
}

/// The values of one type, by keys of one type.
pub struct MemoTable<K, V> {
    inner: Mutex<Inner<K, V>>,
    stop: PassStop,
}

/// A pass requests keys in the order of the previous pass, with few exceptions: the entries are kept in that
/// order, and the one after the last that was found is mostly the next, so that most keys are not hashed.
struct Inner<K, V> {
    entries: IndexMap<K, Entry<V>, FxBuildHasher>,
    /// The position after the last entry that was found.
    next: usize,
    /// The number of this pass.
    pass: u32,
    /// How many entries this pass requested.
    used: usize,
}

impl<K, V> Default for Inner<K, V> {
    fn default() -> Self {
        Self {
            entries: IndexMap::default(),
            next: 0,
            pass: 0,
            used: 0,
        }
    }
}

impl<K: Eq + Hash, V> Inner<K, V> {
    fn find(&mut self, key: &K) -> Option<Arc<V>> {
        let at = match self.entries.get_index(self.next) {
            Some((known, _)) if known == key => self.next,
            _ => self.entries.get_index_of(key)?,
        };
        self.ask(at)
    }

    /// The value at a position, marked as requested by this pass.
    fn ask(&mut self, at: usize) -> Option<Arc<V>> {
        self.next = at + 1;
        let (_, entry) = self.entries.get_index_mut(at)?;
        self.used += usize::from(entry.asked_in != self.pass);
        entry.asked_in = self.pass;
        Some(entry.value.clone())
    }

    /// Removes what this pass did not request, from the end: the last entry, mostly the newest, is moved to the
    /// position of the removed one, which mostly is the one that it replaces.
    fn take_unasked(&mut self) -> Vec<(K, Entry<V>)> {
        let mut taken = Vec::new();
        for at in (0..self.entries.len()).rev() {
            let is_unasked = |entry: &Entry<V>| entry.asked_in != self.pass;
            if self
                .entries
                .get_index(at)
                .is_some_and(|(_, entry)| is_unasked(entry))
            {
                taken.extend(self.entries.swap_remove_index(at));
            }
        }
        taken
    }

    /// Keeps the value that came first if two threads made one each.
    fn keep(&mut self, key: K, value: Arc<V>) -> Arc<V> {
        let at = match self.entries.entry(key) {
            Keyed::Occupied(known) => known.index(),
            Keyed::Vacant(free) => {
                self.used += 1;
                let asked_in = self.pass;
                free.insert(Entry {
                    value: value.clone(),
                    asked_in,
                });
                return value;
            }
        };
        self.ask(at).unwrap_or(value)
    }
}

impl<K: Eq + Hash, V> MemoTable<K, V> {
    fn lock(&self) -> MutexGuard<'_, Inner<K, V>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value for a key, computed by `make` if it is not known.
    pub fn get(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        if let Some(known) = self.lock().find(&key) {
            return known;
        }
        let value = Arc::new(make());
        self.lock().keep(key, value)
    }

    /// The value for a key, if it is known.
    pub fn find(&self, key: &K) -> Option<Arc<V>> {
        self.lock().find(key)
    }
}

impl<K: Eq + Hash + Send + Sync, V: Send + Sync> MemoTable<K, V> {
    /// The values for many keys, in their order; missing ones are computed on all processors. `make` receives
    /// the position of the key. A canceled pass stops between two of them; the next one finds what was
    /// computed.
    pub fn get_all(&self, keys: Vec<K>, make: impl Fn(usize, &K) -> V + Sync) -> Vec<Arc<V>> {
        self.get_each(keys.into_iter().enumerate(), make)
    }

    /// The same; `make` also receives the value paired with the key. The table is locked while the keys are
    /// looked up.
    pub fn get_each<S: Send>(
        &self,
        asked: impl IntoIterator<Item = (S, K)>,
        make: impl Fn(S, &K) -> V + Sync,
    ) -> Vec<Arc<V>> {
        let asked = asked.into_iter();
        let mut found: Vec<Option<Arc<V>>> = Vec::with_capacity(asked.size_hint().0);
        let mut missing: Vec<(usize, S, K)> = Vec::new();
        let mut inner = self.lock();
        for (extra, key) in asked {
            let known = inner.find(&key);
            if known.is_none() {
                missing.push((found.len(), extra, key));
            }
            found.push(known);
        }
        drop(inner);
        let stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let one = |(at, extra, key): (usize, S, K)| {
            let value = (!stop.is_requested()).then(|| Arc::new(make(extra, &key)));
            (at, key, value)
        };
        // Switching to another thread and back costs more than computing a few.
        let made: Vec<(usize, K, Option<Arc<V>>)> = if missing.len() <= MADE_AT_ONCE {
            missing.into_iter().map(one).collect()
        } else {
            let missing = missing.into_par_iter().with_min_len(MADE_AT_ONCE);
            missing.map(one).collect()
        };
        if !made.is_empty() {
            let mut inner = self.lock();
            inner.entries.reserve(made.len());
            for (at, key, value) in made {
                if let Some(slot) = found.get_mut(at) {
                    *slot = value.map(|value| inner.keep(key, value));
                }
            }
        }
        stop.obey();
        found.into_iter().flatten().collect()
    }
}

impl<K: Eq + Hash + Send + Sync + 'static, V: Send + Sync + 'static> AnyTable for MemoTable<K, V> {
    fn end_pass(&self) {
        let mut inner = self.lock();
        // A pass that ends early because of a broken text does not use some tables; the text is often valid
        // again after the next edit.
        if inner.used > 0 && inner.used < inner.entries.len() {
            let unasked = inner.take_unasked();
            drop_in_background(unasked.len(), unasked);
        }
        inner.pass = inner.pass.wrapping_add(1);
        (inner.used, inner.next) = (0, 0);
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

impl Memo {
    /// The table of one pair of types. A pair belongs to one purpose: give keys a type of their own.
    #[must_use]
    pub fn table<K, V>(&self) -> Arc<MemoTable<K, V>>
    where
        K: Eq + Hash + Send + Sync + 'static,
        V: Send + Sync + 'static,
    {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = || -> Arc<MemoTable<K, V>> {
            Arc::new(MemoTable {
                inner: Mutex::default(),
                stop: self.stop.clone(),
            })
        };
        let table = tables
            .entry(TypeId::of::<(K, V)>())
            .or_insert_with(|| fresh())
            .clone();
        table.into_any().downcast().unwrap_or_else(|_| fresh())
    }

    /// The value for a key; see [`MemoTable::get`].
    pub fn get<K, V>(&self, key: K, make: impl FnOnce() -> V) -> Arc<V>
    where
        K: Eq + Hash + Send + Sync + 'static,
        V: Send + Sync + 'static,
    {
        self.table().get(key, make)
    }

    /// Sets what cancels the pass that begins.
    pub fn begin_pass(&self, stop: &Stop) {
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner) = stop.clone();
    }

    /// The names of the project.
    #[must_use]
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Whether there are so many names of earlier texts that a fresh start is cheaper than keeping them.
    #[must_use]
    pub fn is_worn(&self) -> bool {
        let first = self.first_names.lock().unwrap_or_else(PoisonError::into_inner);
        first.is_some_and(|first| self.names.len() > first * 2 + SPARE_NAMES)
    }

    /// Drops what the pass did not request.
    pub fn end_pass(&self) {
        let mut first = self.first_names.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| self.names.len());
        drop(first);
        let tables: Vec<Arc<dyn AnyTable>> = {
            let tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
            tables.values().cloned().collect()
        };
        for table in tables {
            table.end_pass();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[derive(PartialEq, Eq, Hash)]
    struct Key(u32);

    #[test]
    fn a_value_is_made_once_and_dropped_when_a_pass_does_not_ask_for_it() {
        let memo = Memo::default();
        let made = AtomicU32::new(0);
        let ask = |key| {
            *memo.get(Key(key), || {
                made.fetch_add(1, Ordering::Relaxed);
                key * 2
            })
        };
        assert_eq!((ask(1), ask(1), ask(2)), (2, 2, 4));
        assert_eq!(made.load(Ordering::Relaxed), 2);
        memo.end_pass();
        assert_eq!(ask(1), 2);
        assert_eq!(made.load(Ordering::Relaxed), 2);
        memo.end_pass();
        assert_eq!(ask(2), 4);
        assert_eq!(made.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn what_no_pass_comes_to_waits_for_the_next_that_does() {
        let memo = Memo::default();
        let made = AtomicU32::new(0);
        let ask = || {
            *memo.get(Key(1), || {
                made.fetch_add(1, Ordering::Relaxed);
                1u32
            })
        };
        ask();
        memo.end_pass();
        memo.end_pass();
        ask();
        assert_eq!(made.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn many_are_given_in_the_order_of_their_keys() {
        let memo = Memo::default();
        let table = memo.table::<Key, u32>();
        table.get(Key(500), || 7);
        let all = table.get_all((0..1000).map(Key).collect(), |at, key| {
            assert_eq!(at, key.0 as usize);
            key.0
        });
        let all: Vec<u32> = all.iter().map(|v| **v).collect();
        let expected: Vec<u32> = (0..1000).map(|i| if i == 500 { 7 } else { i }).collect();
        assert_eq!(all, expected);
    }

    #[test]
    fn what_replaces_another_takes_its_place() {
        let memo = Memo::default();
        let table = memo.table::<Key, u32>();
        let mut keys: Vec<u32> = (0..100).collect();
        for (at, other) in [(3, 1003), (50, 1050), (99, 1099), (50, 50), (0, 1000)] {
            table.get_all(keys.iter().copied().map(Key).collect(), |_, key| key.0);
            memo.end_pass();
            keys[at] = other;
            let all = table.get_all(keys.iter().copied().map(Key).collect(), |_, key| key.0);
            assert!(all.iter().map(|v| **v).eq(keys.iter().copied()));
            memo.end_pass();
            let inner = table.lock();
            assert!(inner.entries.keys().map(|key| key.0).eq(keys.iter().copied()));
        }
    }

    #[test]
    fn a_pass_stops_between_two_values_and_the_next_has_what_was_made_before() {
        let memo = Memo::default();
        let made = AtomicU32::new(0);
        let ask = |stop: &Stop| {
            memo.begin_pass(stop);
            let keys: Vec<Key> = (0..1000).map(Key).collect();
            let first = memo.table::<Key, u32>().get_all(vec![Key(0)], |_, key| key.0);
            let make = |_: usize, key: &Key| {
                if made.fetch_add(1, Ordering::Relaxed) == 100 {
                    stop.request();
                }
                key.0
            };
            first.len() + memo.table::<Key, u32>().get_all(keys, make).len()
        };
        let stop = Stop::default();
        let stopped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| ask(&stop)));
        assert!(stopped.is_err_and(|e| e.is::<Stopped>()));
        let made_by_then = made.load(Ordering::Relaxed);
        assert!((101..999).contains(&made_by_then), "{made_by_then}");
        assert_eq!(ask(&Stop::default()), 1001);
        assert_eq!(made.load(Ordering::Relaxed), 999);
        assert!(Stop::after(std::time::Duration::ZERO).is_requested());
        assert!(!Stop::after(std::time::Duration::MAX).is_requested());
    }
}
