//! State that one pass over a project leaves to the next.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::diagnostic::FileId;
use crate::memo::Memo;

/// A number that stays the same while only the contents of already read files change: the set of files and
/// directories, the configuration and the options are the same. Part of the key of what asked the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct World(u64);

impl World {
    fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The numbers that tell whether the result of loading can change, by file ([`crate::store::Facts::load_key`]).
/// `None`: any other content can change it.
pub(super) type LoadKeys = FxHashMap<FileId, Option<u64>>;

/// The result of the stage `load`, and the numbers of the files that it read.
#[derive(Clone)]
pub(super) struct KeptLoad {
    pub(super) value: Arc<dyn Any + Send + Sync>,
    pub(super) keys: Arc<LoadKeys>,
}

/// See the module. Not visible to engines: an engine uses the memo, and the layer tells it when to load.
pub struct Carried {
    pub(super) memo: Arc<Memo>,
    pub(super) world: World,
    load: Mutex<Option<KeptLoad>>,
}

impl Default for Carried {
    fn default() -> Self {
        Self {
            memo: Arc::default(),
            world: World::fresh(),
            load: Mutex::default(),
        }
    }
}

impl Carried {
    /// For a pass after which files or directories may have been added or removed.
    #[must_use]
    pub fn in_another_world(&self) -> Self {
        Self {
            memo: self.memo.clone(),
            ..Self::default()
        }
    }

    /// Whether a fresh start is cheaper than keeping what earlier texts left.
    #[must_use]
    pub fn is_worn(&self) -> bool {
        self.memo.is_worn()
    }

    pub(super) fn kept_load(&self) -> Option<KeptLoad> {
        self.load.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn keep_load(&self, load: KeptLoad) {
        *self.load.lock().unwrap_or_else(PoisonError::into_inner) = Some(load);
    }
}
