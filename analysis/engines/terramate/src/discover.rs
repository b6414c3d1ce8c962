//! Which files are Terramate's, and where the root of their project is.
//!
//! Source: Terramate 0.17.2, "Project root" and "What is read".

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use super::config::TerramateConfig;
use super::read::FileFacts;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Cx, ProjectSeed};
use applyorder_core::files::{FileKind, path_order};

/// Why a project whose root was not found is one all the same; its only finding says what is missing.
pub(super) const NO_ROOT: &str = "no root was found for its files";

/// Why a directory is the root where there is git.
pub(super) const BY_GIT: &str = "it is the top of the git work tree";

/// Why a directory is the root where our own configuration says so.
pub(super) const BY_CONFIG: &str = "`terramate.root` in the configuration says so";

/// Whether a file of this name is configuration.
pub(crate) fn is_config(name: &str) -> bool {
    name.len() > 3 && !name.starts_with('.') && (name.ends_with(".tm") || name.ends_with(".tm.hcl"))
}

/// One project per root that a candidate's directory leads to.
pub(super) fn projects(cx: &Cx<'_>, candidates: &[FileId]) -> Vec<ProjectSeed> {
    let mut dirs: Vec<Utf8PathBuf> = candidates
        .iter()
        .filter_map(|f| cx.path(*f).parent().map(Utf8Path::to_owned))
        .collect();
    dirs.sort_by(|a, b| path_order(a, b));
    dirs.dedup();
    cx.prefetch_lists(&dirs);
    let files: Vec<Utf8PathBuf> = candidates.iter().map(|f| cx.path(*f).to_path_buf()).collect();
    cx.prefetch(&files);
    let mut finder = Finder {
        cx,
        dirs: &dirs,
        roots: FxHashMap::default(),
        versioned: FxHashMap::default(),
    };
    let mut seeds: Vec<ProjectSeed> = Vec::new();
    for dir in &dirs {
        let (root, why) = finder.root(dir);
        let root = match root {
            Some(root) => root,
            // The directories above come first: one finding for the topmost.
            None => match seeds
                .iter()
                .find(|s| s.why == NO_ROOT && dir.starts_with(&s.root))
            {
                Some(seed) => seed.root.clone(),
                None => dir.clone(),
            },
        };
        if !seeds.iter().any(|s| s.root == root) {
            seeds.push(ProjectSeed {
                engine: cx.engine_index(),
                inputs: vec![root.clone()],
                excluded: Vec::new(),
                root,
                name: None,
                why: why.to_owned(),
                inferred: why == NO_ROOT,
            });
        }
    }
    seeds.sort_by(|a, b| a.root.cmp(&b.root));
    seeds
}

struct Finder<'a, 'b> {
    cx: &'a Cx<'b>,
    /// The directories of candidates, in the order of [`path_order`].
    dirs: &'a [Utf8PathBuf],
    /// The top of the version-controlled tree of directories that were asked about.
    roots: FxHashMap<Utf8PathBuf, Option<Utf8PathBuf>>,
    versioned: FxHashMap<Utf8PathBuf, bool>,
}

impl Finder<'_, '_> {
    fn root(&mut self, dir: &Utf8Path) -> (Option<Utf8PathBuf>, &'static str) {
        if let Some(root) = self.declared_root(dir) {
            return (Some(root), BY_CONFIG);
        }
        if let Some(root) = self.vcs_root(dir) {
            return (Some(root), BY_GIT);
        }
        for above in dir.ancestors() {
            if self.requires_version(above) {
                return (
                    Some(above.to_owned()),
                    "it is the nearest directory with `terramate.required_version`",
                );
            }
        }
        (None, NO_ROOT)
    }

    /// The nearest directory upwards whose configuration says that it is a root.
    fn declared_root(&self, dir: &Utf8Path) -> Option<Utf8PathBuf> {
        let mut at = dir.to_owned();
        loop {
            let config = self.cx.config(&at);
            config.file.as_ref()?;
            if config.section::<TerramateConfig>().root && dir.starts_with(&config.dir) {
                return Some(config.dir.clone());
            }
            if !at.starts_with(&config.dir) {
                return None;
            }
            at = config.dir.parent()?.to_owned();
        }
    }

    /// Asks once for a whole tree: below a directory whose root is known only one with an entry `.git`
    /// can have another.
    fn vcs_root(&mut self, dir: &Utf8Path) -> Option<Utf8PathBuf> {
        let mut without: Vec<&Utf8Path> = Vec::new();
        let mut known = None;
        for above in dir.ancestors() {
            if let Some(root) = self.roots.get(above) {
                known = Some(root.clone());
                break;
            }
            without.push(above);
            if self.holds_git(above) {
                break;
            }
        }
        let root = known.unwrap_or_else(|| self.cx.vcs_root(dir));
        for dir in without {
            let below = root
                .as_ref()
                .is_none_or(|root| dir.starts_with(root) || self.canonical(dir).starts_with(root));
            if below {
                self.roots.insert(dir.to_owned(), root.clone());
            }
        }
        root
    }

    /// Whether a directory has an entry `.git`. What candidates stand in is listed anyway.
    fn holds_git(&self, dir: &Utf8Path) -> bool {
        if self.dirs.binary_search_by(|d| path_order(d, dir)).is_err() {
            return self.cx.kind(&dir.join(".git"), false).is_some();
        }
        let entries = self.cx.list(dir).unwrap_or_default();
        entries.binary_search_by(|e| e.name.as_str().cmp(".git")).is_ok()
    }

    fn canonical(&self, dir: &Utf8Path) -> Utf8PathBuf {
        self.cx.canonical(dir).unwrap_or_else(|| dir.to_owned())
    }

    fn requires_version(&mut self, dir: &Utf8Path) -> bool {
        if let Some(known) = self.versioned.get(dir) {
            return *known;
        }
        let found = self.cx.list(dir).unwrap_or_default().iter().any(|entry| {
            is_config(&entry.name)
                && entry.kind != FileKind::Directory
                && self
                    .cx
                    .facts::<FileFacts>(&dir.join(&entry.name))
                    .is_ok_and(|read| {
                        read.facts
                            .shape
                            .root
                            .iter()
                            .any(|a| &*a.path == "required_version")
                    })
        });
        self.versioned.insert(dir.to_owned(), found);
        found
    }
}
