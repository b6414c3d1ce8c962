//! Which paths are excluded: no project is searched for there and no finding is shown. Which files belong to a
//! found project is decided by its engine.

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

use super::globs::{Glob, Globs};
use super::{Configs, file_in};
use crate::files::Files;

/// What a command line says about exclusion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Patterns in addition to those of the configuration, relative to [`Self::dir`].
    pub exclude: Vec<Glob>,
    /// The directory of the patterns.
    pub dir: Utf8PathBuf,
    /// Paths that are read with everything in them, even if excluded.
    pub named: Vec<Utf8PathBuf>,
    /// Whether nothing is excluded, whatever is configured.
    pub everything: bool,
}

/// What the command line adds to the exclusions of the configurations.
#[derive(Clone, Default)]
pub(super) struct Exclusion {
    globs: Globs,
    dir: Utf8PathBuf,
    named: FxHashSet<Utf8PathBuf>,
    everything: bool,
}

impl Exclusion {
    pub(super) fn new(choice: &Choice) -> Self {
        Self {
            globs: Globs::new(&choice.exclude),
            dir: choice.dir.clone(),
            named: choice.named.iter().cloned().collect(),
            everything: choice.everything,
        }
    }
}

impl Configs {
    /// Whether anything is excluded.
    #[must_use]
    pub fn excludes_some(&self) -> bool {
        let configured = || self.all().any(|config| !config.excluded().is_empty());
        !self.exclusion.everything && (!self.exclusion.globs.is_empty() || configured())
    }

    /// Whether a file is excluded: `exclude` of the configuration of its directory, or of a parent, matches it
    /// or a parent directory. What the user named is not excluded.
    #[must_use]
    pub fn is_excluded(&self, file: &Utf8Path) -> bool {
        self.excludes_some() && self.leaves_out(file, false)
    }

    /// Like [`Self::is_excluded`], for a directory.
    #[must_use]
    pub fn is_excluded_dir(&self, dir: &Utf8Path) -> bool {
        self.excludes_some() && self.leaves_out(dir, true)
    }

    /// Whether a directory can be skipped, as far as these configurations know: one in between may say
    /// otherwise.
    #[must_use]
    pub fn prunes(&self, dir: &Utf8Path, files: &dyn Files) -> bool {
        self.is_excluded_dir(dir)
            && !dir
                .ancestors()
                .skip(1)
                .take_while(|above| !self.by_dir.contains_key(*above))
                .any(|above| file_in(above, files).is_some())
    }

    pub(super) fn leaves_out(&self, path: &Utf8Path, is_dir: bool) -> bool {
        if self.exclusion.everything || !self.hits(path, is_dir, Globs::matches) {
            return false;
        }
        let named = &self.exclusion.named;
        let mut around = path.ancestors().filter(|above| named.contains(*above));
        !around.any(|named| self.hits(named, named != path || is_dir, Globs::matches_whole))
    }

    /// Whether a path or a parent directory matches the patterns that apply where it is listed.
    fn hits(&self, path: &Utf8Path, is_dir: bool, means: fn(&Globs, &Utf8Path, bool) -> bool) -> bool {
        path.ancestors().any(|at| {
            let Some(dir) = at.parent() else { return false };
            let is_dir = is_dir || at != path;
            let config = self.nearest(dir);
            let is_meant = |globs: &Globs, from: &Utf8Path| {
                let below = at.strip_prefix(from).ok().filter(|p| !p.as_str().is_empty());
                below.is_some_and(|path| means(globs, path, is_dir))
            };
            // The command line decides what no file does.
            let own = if config.dir.as_str().is_empty() {
                &self.exclusion.dir
            } else {
                &config.dir
            };
            is_meant(config.excluded(), own) || is_meant(&self.exclusion.globs, &self.exclusion.dir)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigSource, Known};
    use crate::files::MemoryFiles;
    use crate::store::Store;

    fn configs(files: &[(&str, &str)], choice: Choice) -> Configs {
        let mut memory = MemoryFiles::new();
        for (path, text) in files {
            memory.insert(*path, text);
        }
        let source = ConfigSource {
            choice,
            ..ConfigSource::default()
        };
        let dirs = ["/w", "/w/a", "/w/vendor/x", "/w/a/vendor"].map(Utf8PathBuf::from);
        source
            .load(&dirs, &memory, &Store::default(), &Known::default())
            .unwrap()
    }

    fn named(paths: &[&str]) -> Choice {
        Choice {
            named: paths.iter().map(Utf8PathBuf::from).collect(),
            ..Choice::default()
        }
    }

    const ROOT: (&str, &str) = (
        "/w/applyorder.toml",
        "exclude = [\"vendor/**\", \"*.gen.yaml\"]\n",
    );

    #[test]
    fn what_is_left_out_is_relative_to_the_file() {
        let configs = configs(&[ROOT], Choice::default());
        assert!(configs.excludes_some());
        for (path, is_out) in [
            ("/w/vendor/a.yaml", true),
            ("/w/vendor/x/y/a.yaml", true),
            ("/w/a/vendor/a.yaml", false),
            ("/w/a/b.gen.yaml", true),
            ("/vendor/a.yaml", false),
        ] {
            assert_eq!(configs.is_excluded(path.into()), is_out, "{path}");
        }
        assert!(configs.is_excluded_dir("/w/vendor/x".into()));
        assert!(!Configs::new().excludes_some());
    }

    #[test]
    fn the_nearest_file_is_used_unless_it_is_excluded() {
        let (own, vendored) = (
            ("/w/a/applyorder.toml", "exclude = [\"b\"]\n"),
            ("/w/vendor/x/applyorder.toml", "fail-on = \"nothing\"\n"),
        );
        let found = configs(&[ROOT, own, vendored], Choice::default());
        assert!(found.diagnostics().is_empty(), "{:?}", found.diagnostics());
        assert!(found.is_excluded("/w/vendor/x/a.yaml".into()));
        assert!(found.is_excluded("/w/a/b/c.yaml".into()));
        assert!(!found.is_excluded("/w/a/b.gen.yaml".into()));
        let read = configs(&[ROOT, own, vendored], named(&["/w/vendor/x"]));
        assert_eq!(read.diagnostics().len(), 1);
    }

    #[test]
    fn what_is_named_is_read() {
        let excluded = |choice: Choice, path: &str| configs(&[ROOT], choice).is_excluded(path.into());
        assert!(!excluded(named(&["/w/vendor/x/a.yaml"]), "/w/vendor/x/a.yaml"));
        assert!(excluded(named(&["/w/vendor/x/a.yaml"]), "/w/vendor/x/b.yaml"));
        assert!(!excluded(named(&["/w/vendor"]), "/w/vendor/x/a.yaml"));
        assert!(!excluded(named(&["/w/vendor/x"]), "/w/vendor/x/a.yaml"));
        // A directory that is not excluded itself includes nothing again.
        assert!(excluded(named(&["/w"]), "/w/vendor/x/a.yaml"));
        assert!(excluded(named(&["/w/a"]), "/w/a/b.gen.yaml"));
        let everything = Choice {
            everything: true,
            ..Choice::default()
        };
        assert!(!excluded(everything, "/w/vendor/a.yaml"));
    }

    #[test]
    fn a_command_line_leaves_out_more() {
        let choice = Choice {
            exclude: vec![Glob::try_from("b/".to_owned()).unwrap()],
            dir: "/w/a".into(),
            ..Choice::default()
        };
        let configs = configs(&[ROOT], choice);
        assert!(configs.is_excluded("/w/a/b/c.yaml".into()));
        assert!(!configs.is_excluded("/w/b/c.yaml".into()));
        assert!(configs.is_excluded("/w/vendor/c.yaml".into()));
    }

    #[test]
    fn a_directory_is_looked_into_where_another_file_may_say_otherwise() {
        let mut files = MemoryFiles::new();
        files.insert("/w/a/applyorder.toml", "");
        let configs = configs(
            &[("/w/applyorder.toml", "exclude = [\"out\"]")],
            Choice::default(),
        );
        assert!(configs.prunes("/w/b/out".into(), &files));
        assert!(!configs.prunes("/w/a/out".into(), &files));
        assert!(!configs.prunes("/w/b".into(), &files));
    }
}
