//! Which files are Terramate's, and where the root of their project is.
//!
//! Source: Terramate 0.17.2, "Project root" and "What is read".

use std::cmp::Ordering;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

use super::config::TerramateConfig;
use super::read::FileFacts;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Cx, Declaration, ProjectSeed, ProjectView};
use applyorder_core::files::{FileKind, ReadError, path_order};
use applyorder_syntax::hcl;

/// Why a project whose root was not found is shown anyway; its only finding says what is missing.
pub(super) const NO_ROOT: &str = "no root was found for its files";

/// Why a directory is the root if there is a git repository.
pub(super) const BY_GIT: &str = "it is the top of the git work tree";

/// Why a directory is the root if our own configuration says so.
pub(super) const BY_CONFIG: &str = "`terramate.root` is set in the configuration";

/// The attribute that makes a directory the root.
const VERSION: &str = "required_version";

/// The end of the names of files that are generated from, if that experiment is enabled.
pub(crate) const GENERATED: &str = ".tmgen";

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
    let mut signs = Signs::new(cx, candidates);
    let mut seeds: Vec<ProjectSeed> = Vec::new();
    let mut known: FxHashSet<String> = FxHashSet::default();
    // The directories above come first, and what is below one follows it: one finding for the topmost.
    let mut topmost: Option<Utf8PathBuf> = None;
    for dir in &dirs {
        let (root, why) = finder.root(dir);
        let root = match (root, &topmost) {
            (Some(root), _) => root,
            (None, Some(topmost)) if dir.starts_with(topmost) => continue,
            (None, _) => dir.clone(),
        };
        let is_certain = ![BY_GIT, NO_ROOT].contains(&why);
        if !known.contains(root.as_str()) && (is_certain || signs.are_below(&root)) {
            known.insert(root.as_str().to_owned());
            if why == NO_ROOT {
                topmost = Some(root.clone());
            }
            seeds.push(ProjectSeed {
                engine: cx.engine_index(),
                inputs: vec![root.clone()],
                excluded: Vec::new(),
                is_part: false,
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

/// The root of a repository may be elsewhere if nothing here shows it.
pub(super) fn declare(project: ProjectView<'_>, dir: &Utf8Path) -> Option<Declaration> {
    (project.seed.inferred && project.seed.root == dir).then(|| Declaration::Perhaps {
        when: "No root was found. Where this directory is a repository of its own elsewhere, say so",
        lines: "[terramate]\nroot = true\n".to_owned(),
        item: None,
    })
}

/// The project that a command started in a directory is about. What our configuration says about roots also
/// applies to trees other than the one in which Terramate is started.
pub(super) fn of_command(cx: &Cx<'_>, dir: &Utf8Path) -> Option<ProjectSeed> {
    let mut finder = Finder {
        cx,
        dirs: &[],
        roots: FxHashMap::default(),
        versioned: FxHashMap::default(),
    };
    let (root, why) = finder.own_root(dir);
    let root = root?;
    Some(ProjectSeed {
        engine: cx.engine_index(),
        inputs: vec![root.clone()],
        excluded: Vec::new(),
        is_part: false,
        root,
        name: None,
        why: why.to_owned(),
        inferred: false,
    })
}

/// What shows that a tree is Terramate's: others use `.tm` as well, for modules of Tcl and documents of TeXmacs.
struct Signs<'a, 'b> {
    cx: &'a Cx<'b>,
    /// The candidates, until one of them is needed.
    candidates: &'a [FileId],
    /// The files that show it, in the order of [`path_order`].
    found: Option<Vec<Arc<Utf8Path>>>,
    /// The directories below which no file does.
    without: FxHashSet<String>,
}

impl<'a, 'b> Signs<'a, 'b> {
    fn new(cx: &'a Cx<'b>, candidates: &'a [FileId]) -> Self {
        Self {
            cx,
            candidates,
            found: None,
            without: FxHashSet::default(),
        }
    }

    /// Whether a file below a directory shows it; if no candidate does, any other file that Terramate would
    /// load.
    fn are_below(&mut self, root: &Utf8Path) -> bool {
        let cx = self.cx;
        let found = self.found.get_or_insert_with(|| {
            let paths = self.candidates.iter().map(|file| cx.path(*file));
            let mut found: Vec<_> = paths.filter(|path| is_sign(cx, path)).collect();
            found.sort_by(|a, b| path_order(a, b));
            found
        });
        let first = found.partition_point(|path| path_order(path, root) == Ordering::Less);
        if found.get(first).is_some_and(|path| path.starts_with(root)) {
            return true;
        }
        if root.ancestors().any(|dir| self.without.contains(dir.as_str())) {
            return false;
        }
        let is_found = self.is_in_tree(root);
        if !is_found {
            self.without.insert(root.as_str().to_owned());
        }
        is_found
    }

    fn is_in_tree(&self, root: &Utf8Path) -> bool {
        let mut open = vec![root.to_owned()];
        while let Some(dir) = open.pop() {
            for entry in self.cx.list(&dir).unwrap_or_default().iter() {
                let path = dir.join(&entry.name);
                match entry.kind {
                    FileKind::Directory if !entry.name.starts_with('.') => open.push(path),
                    FileKind::Directory => {}
                    _ if is_config(&entry.name) && is_sign(self.cx, &path) => return true,
                    _ => {}
                }
            }
        }
        false
    }
}

fn is_sign(cx: &Cx<'_>, path: &Utf8Path) -> bool {
    // A file extension that only Terramate uses.
    path.as_str().ends_with(".tm.hcl")
        || cx
            .facts::<FileFacts>(path)
            .is_ok_and(|read| read.facts.is_terramates)
}

struct Finder<'a, 'b> {
    cx: &'a Cx<'b>,
    /// The directories of candidates, in the order of [`path_order`].
    dirs: &'a [Utf8PathBuf],
    /// The top of the version-controlled tree for the directories looked up so far.
    roots: FxHashMap<String, Option<Arc<Utf8Path>>>,
    versioned: FxHashMap<String, bool>,
}

impl Finder<'_, '_> {
    fn root(&mut self, dir: &Utf8Path) -> (Option<Utf8PathBuf>, &'static str) {
        if let Some(root) = self.declared_root(dir) {
            return (Some(root), BY_CONFIG);
        }
        self.own_root(dir)
    }

    /// The root that Terramate itself finds.
    fn own_root(&mut self, dir: &Utf8Path) -> (Option<Utf8PathBuf>, &'static str) {
        if let Some(root) = self.vcs_root(dir) {
            return (Some(root.to_path_buf()), BY_GIT);
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

    /// Looks it up once for a whole tree: below a directory whose root is known, only a directory with an entry
    /// `.git` can have another root.
    fn vcs_root(&mut self, dir: &Utf8Path) -> Option<Arc<Utf8Path>> {
        let mut without: Vec<&Utf8Path> = Vec::new();
        let mut known = None;
        for above in dir.ancestors() {
            if let Some(root) = self.roots.get(above.as_str()) {
                known = Some(root.clone());
                break;
            }
            without.push(above);
            if self.holds_git(above) {
                break;
            }
        }
        let root = known.unwrap_or_else(|| self.cx.vcs_root(dir).map(Arc::from));
        for dir in without {
            let below = root
                .as_ref()
                .is_none_or(|root| dir.starts_with(&**root) || self.canonical(dir).starts_with(&**root));
            if below {
                self.roots.insert(dir.as_str().to_owned(), root.clone());
            }
        }
        root
    }

    /// Whether a directory has an entry `.git`. What candidates are in is listed anyway.
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
        if let Some(known) = self.versioned.get(dir.as_str()) {
            return *known;
        }
        let found = self.cx.list(dir).unwrap_or_default().iter().any(|entry| {
            is_config(&entry.name)
                && entry.kind != FileKind::Directory
                && names_version(self.cx, &dir.join(&entry.name))
        });
        self.versioned.insert(dir.as_str().to_owned(), found);
        found
    }
}

fn names_version(cx: &Cx<'_>, path: &Utf8Path) -> bool {
    match cx.facts::<FileFacts>(path) {
        Ok(read) => {
            let mut settings = read.facts.shape.root.iter();
            settings.any(|a| &*a.path == VERSION)
        }
        // In comments, Terramate accepts any bytes.
        Err(ReadError::NotUtf8(_)) => cx.bytes(path).is_ok_and(|bytes| {
            let tree = hcl::parse(&String::from_utf8_lossy(&bytes));
            let mut blocks = tree.body().blocks();
            blocks.any(|b| b.kind() == "terramate" && b.body().attribute(VERSION).is_some())
        }),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use applyorder_analysis::fixture::Fixture;

    fn projects(files: &str) -> usize {
        Fixture::new(crate::ALONE, files).analysis.projects().count()
    }

    #[test]
    fn files_of_others_are_not_a_project() {
        let tex = "//- /w/a.tm\n<TeXmacs|1.99.2>\n\n<style|article>\n\n<\\body>\n  stack { x }\n</body>\n";
        let tcl = "//- /w/b-1.0.tm\npackage require Tcl 8.6\nnamespace eval ::b {\n  variable x 1\n}\nproc ::b::go {} {\n  puts $x\n}\n";
        assert_eq!(projects(tex), 0);
        assert_eq!(projects(tcl), 0);
        assert_eq!(projects(&format!("{tex}{tcl}")), 0);
        // Empty files and comments do not show it either.
        assert_eq!(projects("//- /w/a.tm\n# stack {\n"), 0);
    }

    #[test]
    fn one_block_of_terramates_own_shows_whose_a_tree_is() {
        let broken = "//- /w/a.tm\n%%%\n";
        for sign in [
            "stack {\n}\n",
            "globals {\n}\n",
            "import {\n  source = \"/x\"\n}\n",
            "stack {\n  after = [\n",
        ] {
            assert_eq!(projects(&format!("{broken}//- /w/b/x.tm\n{sign}")), 1, "{sign}");
        }
        assert_eq!(
            projects("//- /w/b/x.tm.hcl\n%%%\n"),
            1,
            "nobody else has this ending"
        );
        // A block of a name that others may have, in a file that is not HCL.
        assert_eq!(projects("//- /w/a.tm\nimport {\n%%%\n"), 0);
    }
}
