//! The places where a change may affect a run.

use std::collections::BTreeSet;
use std::ops::Bound;

use applyorder_analysis::config::FILE_NAMES;
use camino::{Utf8Path, Utf8PathBuf};

use super::Session;

/// The places that a run has read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    /// Directories that were searched: anything new in them may matter.
    walked: BTreeSet<Utf8PathBuf>,
    /// Other paths that were queried.
    asked: BTreeSet<Utf8PathBuf>,
    /// Directories in which a configuration may be created.
    above: BTreeSet<Utf8PathBuf>,
}

impl Session {
    /// The places that were read.
    pub(crate) fn watched(&mut self) -> Watched {
        let asked = self.workspace.asking().run().places().into_iter();
        let configs = self.configs.files().iter().cloned();
        let above = self.targets.directories(&self.paths.cwd);
        let above = above
            .iter()
            .flat_map(|dir| dir.ancestors())
            .map(Utf8Path::to_owned);
        Watched {
            walked: self.found.dirs.iter().cloned().collect(),
            asked: asked
                .chain(configs)
                .chain(self.targets.files.iter().cloned())
                .chain(self.targets.dirs.iter().cloned())
                .chain(self.targets.gone.iter().cloned())
                .collect(),
            above: above.collect(),
        }
    }
}

impl Watched {
    /// The directories to watch for all relevant changes.
    pub(crate) fn dirs(&self) -> BTreeSet<Utf8PathBuf> {
        let parents = self.asked.iter().filter_map(|path| path.parent());
        let existing = parents.filter_map(|dir| dir.ancestors().find(|dir| dir.is_dir()));
        let others = existing.map(Utf8Path::to_owned).chain(self.above.iter().cloned());
        self.walked.iter().cloned().chain(others).collect()
    }

    /// Whether a change at a path may matter.
    pub(crate) fn concerns(&self, path: &Utf8Path) -> bool {
        let is_in = |dirs: &BTreeSet<Utf8PathBuf>| path.parent().is_some_and(|dir| dirs.contains(dir));
        let is_config = || path.file_name().is_some_and(|name| FILE_NAMES.contains(&name));
        let is_above = || {
            let from = (Bound::Included(path), Bound::Unbounded);
            let mut below = self.asked.range::<Utf8Path, _>(from);
            below.next().is_some_and(|asked| asked.starts_with(path))
        };
        self.walked.contains(path) || is_in(&self.walked) || is_above() || (is_config() && is_in(&self.above))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_is_what_was_looked_at() {
        let set = |paths: &[&str]| paths.iter().map(Utf8PathBuf::from).collect();
        let watched = Watched {
            walked: set(&["/w/a", "/w/a/b"]),
            asked: set(&["/w/o/p/file", "/w/o-x"]),
            above: set(&["/", "/w", "/w/a"]),
        };
        for (path, matters) in [
            ("/w/a/new", true),
            ("/w/a/b", true),
            ("/w/a/b/c/d", false),
            ("/w/o", true),
            ("/w/o/p/file", true),
            ("/w/o/p/other", false),
            ("/w/applyorder.toml", true),
            ("/w/other.toml", false),
            ("/tmp", false),
        ] {
            assert_eq!(watched.concerns(path.into()), matters, "{path}");
        }
    }
}
