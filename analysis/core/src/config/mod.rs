//! `applyorder.toml` or `.applyorder.toml`: the nearest one upwards is used, `extend` names one to start from.
//!
//! Unknown keys are errors with the nearest known name; a broken file is reported and the defaults apply.

mod engine_version;
mod exclusion;
pub mod expect;
mod globs;
pub mod invalid_config;
mod levels;
mod links;
mod mistakes;
mod once;
mod origin;
mod places;
mod required;
mod schema;
mod section;
mod source;
pub mod unmet_expectation;
pub mod unused_ignore;
mod words;

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::{Diagnostic, Rule};
use crate::files::{FileKind, Files};
use crate::store::Store;
use applyorder_syntax::text::Span;
use mistakes::Mistake;

pub use engine_version::EngineVersion;
pub(crate) use engine_version::numbers_in;
pub use exclusion::Choice;
pub use expect::Expect;
pub use globs::Glob;
pub use links::{Hyperlinks, LinkTemplate};
pub use once::{Named, named_once};
pub use origin::Origin;
pub use places::in_place_of;
pub use required::RequiredVersion;
pub use schema::{Ci, Config, Override, Own, RuleLevel, json_schema};
pub use section::{Section, Settings};

pub use source::{ConfigSource, SourceError};

/// The rules that belong to no engine: they are about what is written for applyorder itself.
pub const OWN_RULES: [&Rule; 3] = [
    &invalid_config::RULE,
    &unmet_expectation::RULE,
    &unused_ignore::RULE,
];

/// What a configuration can name.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The ids of all rules.
    pub rules: Vec<&'static str>,
    /// The ids of all engines.
    pub engines: Vec<&'static str>,
    /// The tables of the engines.
    pub sections: Vec<&'static Section>,
}

/// The largest configuration file that is read, in bytes.
const LIMIT: usize = 4 << 20;

/// The names a configuration file can have, by precedence.
pub const FILE_NAMES: [&str; 2] = ["applyorder.toml", ".applyorder.toml"];

/// The configurations that apply to the directories of a workspace.
#[derive(Clone, Default)]
pub struct Configs {
    /// By directory. A path uses the nearest one upwards.
    by_dir: FxHashMap<Utf8PathBuf, Arc<Config>>,
    fallback: Arc<Config>,
    /// Problems in the files, by path.
    problems: Vec<(Utf8PathBuf, Mistake)>,
    diagnostics: Vec<Diagnostic>,
    /// The files that were read, or could not be.
    files: Vec<Utf8PathBuf>,
    /// Whether [`Self::fallback`] applies everywhere (`--config FILE`, `--isolated`).
    fixed: bool,
    exclusion: exclusion::Exclusion,
}

/// What differs between two sets of configurations.
#[derive(Clone, Debug)]
pub struct ConfigChange {
    /// The directories in which, and below which, another configuration applies; `None`: possibly anywhere.
    pub dirs: Option<FxHashSet<Utf8PathBuf>>,
    /// Whether engines may find other projects.
    pub finds_others: bool,
}

/// The configuration file in a directory.
#[must_use]
pub fn file_in(dir: &Utf8Path, files: &dyn Files) -> Option<Utf8PathBuf> {
    let mut paths = FILE_NAMES.iter().map(|name| dir.join(name));
    paths.find(|path| !matches!(files.kind(path, true), None | Some(FileKind::Other)))
}

impl Configs {
    /// No configuration file: the defaults apply.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One configuration for everything, whatever files there are.
    #[must_use]
    pub fn fixed(config: Config) -> Self {
        Self {
            fallback: Arc::new(config),
            fixed: true,
            ..Self::default()
        }
    }

    /// The configuration file read from `path`, for everything.
    #[must_use]
    pub fn from_file(path: &Utf8Path, files: &dyn Files, store: &Store, known: &Known) -> Self {
        let mut configs = Self {
            fixed: true,
            ..Self::default()
        };
        let mut seen = FxHashSet::default();
        configs.fallback = Arc::new(configs.load(path, files, known, &mut seen, None));
        configs.finish(files, store);
        configs
    }

    /// Looks for configuration files in `dirs` and everywhere upwards from them. One in an excluded directory
    /// is used only if the user named that directory.
    #[must_use]
    pub fn discover(dirs: &[Utf8PathBuf], files: &dyn Files, store: &Store, known: &Known) -> Self {
        Self::discover_for(&Choice::default(), dirs, files, store, known)
    }

    fn discover_for(
        choice: &Choice,
        dirs: &[Utf8PathBuf],
        files: &dyn Files,
        store: &Store,
        known: &Known,
    ) -> Self {
        let mut configs = Self {
            exclusion: exclusion::Exclusion::new(choice),
            ..Self::default()
        };
        let mut asked: FxHashSet<&Utf8Path> = FxHashSet::default();
        let all = dirs.iter().flat_map(|d| d.ancestors());
        let all: Vec<&Utf8Path> = all.filter(|dir| asked.insert(dir)).collect();
        let found = all.par_iter().with_min_len(64).map(|dir| file_in(dir, files));
        let found: Vec<Option<Utf8PathBuf>> = found.collect();
        let found = all.iter().zip(found);
        let mut found: Vec<(&Utf8Path, Utf8PathBuf)> =
            found.filter_map(|(dir, path)| Some((*dir, path?))).collect();
        // Each after those above it.
        found.sort_unstable();
        for (dir, path) in found {
            if !configs.leaves_out(dir, true) {
                let mut seen = FxHashSet::default();
                let config = configs.load(&path, files, known, &mut seen, None);
                configs.by_dir.insert(dir.to_owned(), Arc::new(config));
            }
        }
        configs.finish(files, store);
        configs
    }

    /// The configuration of a path: the nearest one upwards.
    #[must_use]
    pub fn of(&self, path: &Utf8Path) -> Arc<Config> {
        self.nearest(path).clone()
    }

    fn nearest(&self, path: &Utf8Path) -> &Arc<Config> {
        if self.fixed || self.by_dir.is_empty() {
            return &self.fallback;
        }
        path.ancestors()
            .find_map(|dir| self.by_dir.get(dir))
            .unwrap_or(&self.fallback)
    }

    /// What differs from `before`.
    #[must_use]
    pub fn change_since(&self, before: &Self, known: &Known) -> ConfigChange {
        let same = |a: &Arc<Config>, b: &Arc<Config>| {
            Arc::ptr_eq(a, b) || a.file == b.file && a.show(known) == b.show(known)
        };
        let is_excluding = self.excludes_some() || before.excludes_some();
        if self.fixed != before.fixed || !same(&self.fallback, &before.fallback) || is_excluding {
            return ConfigChange {
                dirs: None,
                finds_others: true,
            };
        }
        let dirs = self.by_dir.keys().chain(before.by_dir.keys());
        let dirs: FxHashSet<Utf8PathBuf> = dirs
            .filter(|dir| !same(self.nearest(dir), before.nearest(dir)))
            .cloned()
            .collect();
        let finds_alike = |dir: &Utf8PathBuf| self.nearest(dir).finds_as(before.nearest(dir), known);
        ConfigChange {
            finds_others: !dirs.iter().all(finds_alike),
            dirs: Some(dirs),
        }
    }

    /// Where a configuration file in a directory or a parent would be found, down to the first directory that
    /// is not known.
    #[must_use]
    pub fn first_file(
        dirs: &[Utf8PathBuf],
        is_known: impl Fn(&Utf8Path) -> bool,
        files: &dyn Files,
    ) -> Option<Utf8PathBuf> {
        let mut asked: FxHashSet<&Utf8Path> = FxHashSet::default();
        let all = dirs.iter().flat_map(|dir| dir.ancestors());
        let mut new = all.filter(|dir| !is_known(dir) && asked.insert(dir));
        new.find_map(|dir| file_in(dir, files))
    }

    /// Every configuration in use: those of the files and the fallback.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Config>> {
        self.by_dir.values().chain(std::iter::once(&self.fallback))
    }

    /// Applies one `KEY=VALUE` of the command line to every configuration.
    ///
    /// # Errors
    /// When the key is unknown or the value has the wrong type.
    pub fn override_with(&mut self, key: &str, value: &str, known: &Known) -> Result<(), toml::de::Error> {
        for config in self
            .by_dir
            .values_mut()
            .chain(std::iter::once(&mut self.fallback))
        {
            *config = Arc::new(config.with_override(key, value, known)?);
        }
        Ok(())
    }

    /// Sets the directory of the configuration that applies where no file does.
    pub(super) fn place_fallback(&mut self, dir: &Utf8Path) {
        if self.fallback.file.is_none() {
            self.fallback = Arc::new(Config::clone(&self.fallback).at(dir));
        }
    }

    /// The same without the settings that decide which findings are reported, and at which severity: the rest
    /// describes the engines and their environment.
    #[must_use]
    pub fn without_levels(&self) -> Self {
        let stripped = |config: &Arc<Config>| Arc::new(config.without_levels());
        Self {
            by_dir: self
                .by_dir
                .iter()
                .map(|(dir, config)| (dir.clone(), stripped(config)))
                .collect(),
            fallback: stripped(&self.fallback),
            exclusion: exclusion::Exclusion::default(),
            ..self.clone()
        }
    }

    /// The problems in the files.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The files that were looked at, including those that others extend.
    #[must_use]
    pub fn files(&self) -> &[Utf8PathBuf] {
        &self.files
    }

    /// Reads a file, and the one it extends. `from`: where another file names it.
    fn load(
        &mut self,
        path: &Utf8Path,
        files: &dyn Files,
        known: &Known,
        seen: &mut FxHashSet<Utf8PathBuf>,
        from: Option<(&Utf8Path, Span)>,
    ) -> Config {
        let dir = path.parent().unwrap_or(Utf8Path::new("/"));
        let unread = |what: String| match from {
            Some((from, span)) => (from.to_owned(), Mistake::new(span, format!("`{path}` {what}"))),
            None => (path.to_owned(), Mistake::new(Span::default(), what)),
        };
        if !seen.insert(path.to_owned()) {
            self.problems.push(unread("extends itself".to_owned()));
            return Config::default();
        }
        self.files.push(path.to_owned());
        let bytes = match files.read(path) {
            Ok(bytes) if bytes.len() > LIMIT => {
                self.problems
                    .push(unread(format!("is larger than {} MiB", LIMIT >> 20)));
                return Config::default();
            }
            Ok(bytes) => bytes,
            Err(e) => {
                self.problems.push(match from {
                    Some(_) => unread(format!("cannot be read: {e}")),
                    None => unread(e.to_string()),
                });
                return Config::default();
            }
        };
        let Ok(text) = std::str::from_utf8(&bytes) else {
            self.problems.push(unread("is not UTF-8".to_owned()));
            return Config::default();
        };
        if let Some((span, wrong)) = required::mismatch(text) {
            let span = Span::from_usize(span.start, span.end);
            self.problems.push((path.to_owned(), Mistake::new(span, wrong)));
            return Config::default();
        }
        let root = match toml::de::DeTable::parse(text) {
            Ok(root) => root,
            Err(e) => {
                self.problem(path, &e);
                return Config::default();
            }
        };
        let mistakes = mistakes::of_file(text, root.get_ref(), known);
        let all = mistakes.all.into_iter();
        self.problems
            .extend(all.map(|mistake| (path.to_owned(), mistake)));
        let mut own: toml::Table = text.parse().unwrap_or_default();
        let mut base = Config::default().at(dir);
        if let Some(toml::Value::String(parent)) = own.remove("extend") {
            let parent = crate::files::clean(&dir.join(parent).into_string());
            let named = root.get_ref().get("extend");
            let span = named.map_or(Span::default(), mistakes::span_of);
            base = self.load(&parent, files, known, seen, Some((path, span)));
        }
        if !mistakes.is_usable {
            return Config::default();
        }
        match base.merged(own, &Origin::File(path.to_owned()), known) {
            Ok(config) => {
                let mut config = config.at(dir);
                config.file = Some(path.to_owned());
                config
            }
            Err(e) => {
                let (message, _) = words::reworded(e.message(), &[], None);
                self.problems
                    .push((path.to_owned(), Mistake::new(Span::default(), message)));
                base
            }
        }
    }

    fn problem(&mut self, path: &Utf8Path, error: &toml::de::Error) {
        let span = error
            .span()
            .map_or(Span::default(), |r| Span::from_usize(r.start, r.end));
        self.problems
            .push((path.to_owned(), Mistake::new(span, error.message().to_owned())));
    }

    fn finish(&mut self, files: &dyn Files, store: &Store) {
        // Their content is needed when files move.
        for path in &self.files {
            drop(store.source(store.intern(path), files));
        }
        self.diagnostics = self
            .problems
            .iter()
            .map(|(path, mistake)| {
                let file = store.intern(path);
                // The report of the finding needs the text; that it cannot be read is the finding itself.
                let source = store.source(file, files).ok();
                let text = source.as_ref().map_or("", |source| &source.text);
                invalid_config::diagnostic(file, mistake, text)
            })
            .collect();
    }
}
