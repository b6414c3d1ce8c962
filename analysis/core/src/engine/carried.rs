//! What one pass over a project leaves to the next.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::diagnostic::FileId;
use crate::memo::Memo;

/// A number that stays as long as only contents of files change that were read before: which files and directories
/// there are, the configuration and the options are as they were. Part of the key of what asked the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct World(u64);

impl World {
    fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The numbers that tell whether the result of loading can be another, by file ([`crate::store::Facts::load_key`]).
/// `None`: any other content can make it another.
pub(super) type LoadKeys = FxHashMap<FileId, Option<u64>>;

/// What the stage `load` made, and the numbers of the files that it read.
#[derive(Clone)]
pub(super) struct KeptLoad {
    pub(super) value: Arc<dyn Any + Send + Sync>,
    pub(super) keys: Arc<LoadKeys>,
}

/// See the module. No engine sees it: an engine asks the memo, and the layer tells it when to load.
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
    /// For a pass after which other files or directories may be there.
    #[must_use]
    pub fn in_another_world(&self) -> Self {
        Self {
            memo: self.memo.clone(),
            ..Self::default()
        }
    }

    /// Whether a fresh start is cheaper than to keep what earlier texts left.
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
