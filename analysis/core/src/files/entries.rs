//! What a directory contains, with what follows from that alone.

use std::any::Any;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHasher;

use super::DirEntry;

/// The entries of a directory. Copies are the same list, so that what follows from a list is computed once however
/// many projects ask for it.
#[derive(Clone, Default)]
pub struct DirEntries(Arc<Shared>);

#[derive(Default)]
struct Shared {
    list: Box<[DirEntry]>,
    fingerprint: OnceLock<u64>,
    derived: Mutex<Option<Arc<dyn Any + Send + Sync>>>,
}

impl DirEntries {
    /// A hash of all entries.
    pub(super) fn fingerprint(&self) -> u64 {
        *self.0.fingerprint.get_or_init(|| {
            let mut hasher = FxHasher::default();
            self.hash(&mut hasher);
            hasher.finish()
        })
    }

    /// What `compute` makes of the entries: for each list, the last type that was asked for is remembered.
    pub fn derived<T: Any + Send + Sync>(&self, compute: impl FnOnce(&[DirEntry]) -> T) -> Arc<T> {
        let derived = || self.0.derived.lock().unwrap_or_else(PoisonError::into_inner);
        let known = derived().clone().and_then(|known| known.downcast::<T>().ok());
        known.unwrap_or_else(|| {
            let computed = Arc::new(compute(&self.0.list));
            *derived() = Some(computed.clone());
            computed
        })
    }
}

impl Deref for DirEntries {
    type Target = [DirEntry];

    fn deref(&self) -> &[DirEntry] {
        &self.0.list
    }
}

impl From<Vec<DirEntry>> for DirEntries {
    fn from(list: Vec<DirEntry>) -> Self {
        Self(Arc::new(Shared {
            list: list.into(),
            ..Shared::default()
        }))
    }
}

impl FromIterator<DirEntry> for DirEntries {
    fn from_iter<I: IntoIterator<Item = DirEntry>>(entries: I) -> Self {
        entries.into_iter().collect::<Vec<_>>().into()
    }
}

impl PartialEq for DirEntries {
    fn eq(&self, other: &Self) -> bool {
        self.0.list == other.0.list
    }
}

impl Eq for DirEntries {}

impl Hash for DirEntries {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.list.hash(state);
    }
}

impl std::fmt::Debug for DirEntries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.list.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::FileKind;

    #[test]
    fn what_follows_from_a_list_is_computed_once_for_all_its_copies() {
        let kind = FileKind::File;
        let entries: DirEntries = ["a", "b"]
            .map(|name| DirEntry {
                name: name.to_owned(),
                kind,
            })
            .into_iter()
            .collect();
        let copy = entries.clone();
        assert_eq!(*entries.derived(<[DirEntry]>::len), 2);
        assert_eq!(*copy.derived::<usize>(|_| 0), 2);
        assert!(!*copy.derived(<[DirEntry]>::is_empty));
        let fingerprint = entries.fingerprint();
        assert_eq!(copy.0.fingerprint.get(), Some(&fingerprint));
        assert_ne!(entries.fingerprint(), DirEntries::default().fingerprint());
        assert_eq!(entries, copy);
    }
}
