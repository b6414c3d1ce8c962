//! Lists of large directories, so that an event in one of them does not list it again.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use camino::Utf8Path;
use rustc_hash::FxHashMap;

use super::{DirEntries, ReadError};

/// A directory with at least this many entries is large.
const LARGE: usize = 256;

/// Times that are not older than this when a directory is listed may also be those of a later change: some file
/// systems have a resolution of two seconds.
const SETTLED: Duration = Duration::from_secs(3);

/// The entries of large directories when they were listed.
#[derive(Debug)]
pub(super) struct LargeLists {
    settled: Duration,
    /// `None` for a directory that is known to be large and was not listed since.
    lists: Mutex<FxHashMap<String, Option<Kept>>>,
}

impl Default for LargeLists {
    fn default() -> Self {
        Self {
            settled: SETTLED,
            lists: Mutex::default(),
        }
    }
}

#[derive(Clone, Debug)]
struct Kept {
    times: Times,
    entries: DirEntries,
}

/// Indicates whether the entries of a directory may have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Times {
    /// When an entry was last added or removed.
    pub(super) modified: SystemTime,
    /// When anything of the directory itself was changed, in seconds and nanoseconds: it cannot be set back.
    pub(super) changed: (i64, i64),
    /// Another directory may have replaced it.
    pub(super) inode: (u64, u64),
}

impl Times {
    fn are_before(&self, time: SystemTime) -> bool {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
        self.modified < time && self.changed < (seconds, i64::from(since.subsec_nanos()))
    }
}

impl LargeLists {
    /// The entries of a directory: the list from before, if it is large and no entry can have been added or
    /// removed. `times`: the current times of the directory, if the system has them.
    ///
    /// # Errors
    /// Those of `list`.
    pub(super) fn list(
        &self,
        dir: &Utf8Path,
        times: impl Fn(&Utf8Path) -> Option<Times>,
        list: impl Fn(&Utf8Path) -> Result<DirEntries, ReadError>,
    ) -> Result<DirEntries, ReadError> {
        let known = self.with(|lists| lists.get(dir.as_str()).cloned());
        // Small ones are listed as quickly as their times are queried.
        let times = known.as_ref().and_then(|_| times(dir));
        if let (Some(times), Some(Some(kept))) = (times, &known)
            && kept.times == times
        {
            return Ok(kept.entries.clone());
        }
        let limit = SystemTime::now().checked_sub(self.settled);
        let listed = list(dir);
        match &listed {
            Ok(entries) if entries.len() >= LARGE => {
                let settled = times.filter(|times| limit.is_some_and(|limit| times.are_before(limit)));
                let kept = settled.map(|times| Kept {
                    times,
                    entries: entries.clone(),
                });
                self.with(|lists| lists.insert(dir.as_str().to_owned(), kept));
            }
            _ if known.is_some() => drop(self.with(|lists| lists.remove(dir.as_str()))),
            _ => {}
        }
        listed
    }

    fn with<T>(&self, f: impl FnOnce(&mut FxHashMap<String, Option<Kept>>) -> T) -> T {
        f(&mut self.lists.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::files::{DiskFiles, Files};

    /// Longer than a clock tick of the file system.
    const TICK: Duration = Duration::from_millis(40);

    #[test]
    #[cfg(unix)]
    fn a_large_directory_is_listed_again_only_when_something_came_or_went() {
        let temp = crate::temp::temporary();
        let dir = Utf8Path::from_path(temp.path()).unwrap();
        for i in 0..LARGE {
            std::fs::write(dir.join(format!("f{i}")), "").unwrap();
        }
        let (large, disk) = (
            LargeLists {
                settled: TICK,
                lists: Mutex::default(),
            },
            DiskFiles::default(),
        );
        let count = Cell::new(0);
        let listed = || {
            let list = |dir: &Utf8Path| {
                count.set(count.get() + 1);
                disk.list(dir)
            };
            assert_eq!(large.list(dir, super::super::disk::times, list), disk.list(dir));
            count.take()
        };
        // Changes within a clock tick have the same times.
        assert_eq!([listed(), listed(), listed()], [1, 1, 1]);
        std::thread::sleep(2 * TICK);
        assert_eq!([listed(), listed(), listed()], [1, 0, 0]);
        std::fs::write(dir.join("f1"), "another text").unwrap();
        assert_eq!(listed(), 0);
        for change in [
            &|| std::fs::write(dir.join("new"), "").unwrap() as (),
            &|| std::fs::rename(dir.join("new"), dir.join("other")).unwrap(),
            &|| {
                std::fs::remove_file(dir.join("other")).unwrap();
                std::fs::create_dir(dir.join("other")).unwrap();
            },
        ] as [&dyn Fn(); 3]
        {
            change();
            assert_eq!([listed(), listed()], [1, 1]);
            std::thread::sleep(2 * TICK);
            assert_eq!([listed(), listed()], [1, 0]);
        }
        std::fs::remove_dir_all(dir).unwrap();
        assert_eq!(listed(), 1);
        std::fs::create_dir(dir).unwrap();
        std::fs::write(dir.join("one"), "").unwrap();
        std::thread::sleep(2 * TICK);
        assert_eq!([listed(), listed()], [1, 1]);
    }
}
