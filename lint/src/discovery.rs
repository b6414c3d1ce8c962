//! Finds the files that are offered to the engines.
//!
//! Ignored (by git) and hidden paths are not searched; the engine decides which files belong to a project that was
//! found. A path that the user names is always read. Paths that the configuration excludes are not searched either.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::sync::{Arc, Mutex, PoisonError};

use applyorder_analysis::config::Configs;
use applyorder_analysis::files::{FileKind, Files, MAX_DIR_DEPTH, bad_ignores, named, path_order};
use camino::{Utf8Path, Utf8PathBuf};
use ignore::gitignore::Gitignore;
use ignore::{WalkBuilder, WalkState};

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Files, and directories named like a file, in the order of [`path_order`].
    pub files: Vec<Utf8PathBuf>,
    /// Directories that were searched, in the same order.
    pub dirs: Vec<Utf8PathBuf>,
    /// Files and directories whose names are not UTF-8, as displayed.
    pub unnamed: Vec<Utf8PathBuf>,
    /// Errors, as sentences.
    pub problems: Vec<String>,
}

impl Found {
    fn merge(&mut self, other: Self) {
        self.files.extend(other.files);
        self.dirs.extend(other.dirs);
        self.unnamed.extend(other.unnamed);
        self.problems.extend(other.problems);
    }

    fn finish(mut self) -> Self {
        for list in [&mut self.files, &mut self.dirs, &mut self.unnamed] {
            list.sort_unstable_by(|a, b| path_order(a, b));
            list.dedup();
        }
        self.problems.sort_unstable();
        self.problems.dedup();
        self
    }
}

/// Searches for files. `dirs` are directories whose projects are requested; `files` are files that projects anywhere in
/// their repository may read.
///
/// Above a directory, up to the root of its repository (or `cwd` without one), the files in each parent directory are
/// found as well: a project with its root above may contain the directory.
#[must_use]
pub fn discover(
    dirs: &[Utf8PathBuf],
    files: &[Utf8PathBuf],
    cwd: &Utf8Path,
    disk: &Arc<dyn Files>,
    configs: &Configs,
) -> Found {
    let configs = configs.excludes_some().then(|| Arc::new(configs.clone()));
    let (shared, disk) = (disk, &**disk);
    let _span = tracing::debug_span!("walk").entered();
    let mut found = Found::default();
    let mut walked: BTreeSet<Utf8PathBuf> = dirs.iter().cloned().collect();
    let mut above: BTreeSet<Utf8PathBuf> = BTreeSet::new();
    let way_up = |dir: &Utf8Path, top: &Utf8Path| {
        let way = dir.ancestors().take_while(|d| d.starts_with(top));
        way.map(Utf8Path::to_owned).collect::<Vec<_>>()
    };
    for file in files {
        let dir = file.parent().unwrap_or(Utf8Path::new("/"));
        match disk.vcs_root(dir).filter(|root| dir.starts_with(root)) {
            Some(root) => {
                walked.insert(root);
            }
            None => {
                above.insert(dir.to_owned());
                above.extend(way_up(dir, cwd));
            }
        }
    }
    for dir in dirs {
        let root = disk.vcs_root(dir).filter(|root| dir.starts_with(root));
        above.extend(way_up(dir, root.as_deref().unwrap_or(cwd)).into_iter().skip(1));
    }
    for dir in &walked {
        // A directory below another one is searched with it, unless git ignores it there.
        let inside = dir.ancestors().skip(1).any(|d| walked.contains(d));
        let ignored = is_ignored(dir, disk);
        if !inside || ignored || is_hidden_below(dir, &walked) {
            found.merge(walk(dir, !ignored, configs.as_ref(), shared));
        }
    }
    for dir in above {
        if !walked.contains(&dir) {
            found.merge(list(&dir, disk));
        }
    }
    found.finish()
}

fn is_hidden_below(dir: &Utf8Path, walked: &BTreeSet<Utf8PathBuf>) -> bool {
    dir.ancestors()
        .take_while(|d| *d == dir || !walked.contains(*d))
        .any(|d| d.file_name().is_some_and(|n| n.starts_with('.')))
}

fn list(dir: &Utf8Path, disk: &dyn Files) -> Found {
    let entries = disk.list(dir).map(named).unwrap_or_default();
    Found {
        files: entries
            .iter()
            .filter(|e| e.kind != FileKind::Directory || looks_like_file(OsStr::new(&e.name)))
            .map(|e| dir.join(&e.name))
            .collect(),
        dirs: vec![dir.to_owned()],
        ..Found::default()
    }
}

/// A directory named like a file may be a mistake that an engine should report.
fn looks_like_file(name: &OsStr) -> bool {
    std::path::Path::new(name).extension().is_some()
}

/// Whether git ignores a directory or one of its parents within its repository.
fn is_ignored(dir: &Utf8Path, disk: &dyn Files) -> bool {
    let Some(root) = disk.vcs_root(dir).filter(|root| dir.starts_with(root)) else {
        return false;
    };
    dir.ancestors()
        .skip(1)
        .take_while(|d| d.starts_with(&root))
        .map(|d| d.join(".gitignore"))
        .filter(|file| disk.kind(file, true) == Some(FileKind::File))
        .filter(|file| file.parent().is_some_and(|dir| bad_ignores(disk, dir).is_none()))
        .any(|file| {
            let (rules, _) = Gitignore::new(file);
            rules.matched_path_or_any_parents(dir, true).is_ignore()
        })
}

/// Searches a directory on all processors. `parents`: whether ignore files above it apply. `configs`: configurations
/// that exclude something.
fn walk(dir: &Utf8Path, parents: bool, configs: Option<&Arc<Configs>>, disk: &Arc<dyn Files>) -> Found {
    if let Some(bad) = bad_ignores(&**disk, dir) {
        return Found {
            problems: vec![bad],
            ..Found::default()
        };
    }
    let mut above = dir.ancestors().skip(1);
    let parents = parents && above.all(|dir| bad_ignores(&**disk, dir).is_none());
    let found = Mutex::new(Found::default());
    let problems: Arc<Mutex<Vec<String>>> = Arc::default();
    let mut builder = WalkBuilder::new(dir);
    let (configs, disk, told) = (configs.cloned(), disk.clone(), problems.clone());
    builder.filter_entry(move |entry| {
        let is_dir = entry.file_type().is_some_and(|t| t.is_dir());
        let Some(dir) = Utf8Path::from_path(entry.path()).filter(|_| is_dir && entry.depth() > 0) else {
            return true;
        };
        if configs
            .as_ref()
            .is_some_and(|configs| configs.prunes(dir, &*disk))
        {
            return false;
        }
        // Most later questions about a directory are answered from its entries.
        drop(disk.list(dir));
        let Some(bad) = bad_ignores(&*disk, dir) else {
            return true;
        };
        told.lock().unwrap_or_else(PoisonError::into_inner).push(bad);
        false
    });
    builder
        .git_global(false)
        .parents(parents)
        .max_depth(Some(MAX_DIR_DEPTH + 1))
        .threads(std::thread::available_parallelism().map_or(1, |n| n.get().min(8)))
        .build_parallel()
        .run(|| {
            let mut own = Batch {
                found: &found,
                own: Found::default(),
            };
            Box::new(move |entry| {
                own.take(entry);
                WalkState::Continue
            })
        });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut problems = problems.lock().unwrap_or_else(PoisonError::into_inner);
    found.problems.append(&mut problems);
    found
}

/// How much of a path that is too long is shown.
const MAX_SHOWN: usize = 16;

/// What one thread found; merged when the thread ends.
struct Batch<'a> {
    found: &'a Mutex<Found>,
    own: Found,
}

impl Batch<'_> {
    fn take(&mut self, entry: Result<ignore::DirEntry, ignore::Error>) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(e) => {
                self.own.problems.push(e.to_string());
                return;
            }
        };
        let Some(path) = Utf8Path::from_path(entry.path()) else {
            self.own
                .unnamed
                .push(entry.path().to_string_lossy().into_owned().into());
            return;
        };
        let is_dir = entry.file_type().is_some_and(|t| t.is_dir());
        if is_dir && entry.depth() > MAX_DIR_DEPTH {
            let above = Utf8PathBuf::from_iter(path.components().take(MAX_SHOWN));
            let text =
                format!("nested deeper than {MAX_DIR_DEPTH} directories, and not searched for projects");
            self.own.problems.push(format!("{above}/...: {text}"));
            return;
        }
        if is_dir || entry.depth() == 0 {
            self.own.dirs.push(path.to_owned());
        }
        if entry.depth() > 0 && (!is_dir || looks_like_file(entry.file_name())) {
            self.own.files.push(path.to_owned());
        }
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        self.found
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .merge(std::mem::take(&mut self.own));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use applyorder_analysis::files::DiskFiles;

    #[test]
    #[cfg(unix)]
    fn pipes_and_deep_directories_are_reported_and_not_searched() {
        let deep = "d/".repeat(MAX_DIR_DEPTH + 2);
        let (_temp, root) = tree(&["a/x.yaml", "pipe/y.yaml", &format!("{deep}z.yaml")]);
        let pipe = root.join("pipe/.gitignore");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let found = looked(std::slice::from_ref(&root), &[], &root, &disk());
        assert_eq!(names(&found, &root), ["a/x.yaml"]);
        let [said, too_deep] = &found.problems[..] else {
            panic!("{:?}", found.problems)
        };
        let mut both = [said, too_deep];
        both.sort_by_key(|p| p.contains("nested"));
        assert_eq!(*both[0], format!("{pipe}: is not a regular file"));
        assert!(
            both[1].contains("not searched for projects") && both[1].len() < 400,
            "{}",
            both[1]
        );
        let found = looked(&[root.join("pipe")], &[], &root, &disk());
        assert_eq!(found.problems, [format!("{pipe}: is not a regular file")]);
    }

    #[test]
    fn a_huge_list_of_ignored_files_is_reported_and_not_read() {
        let (_temp, root) = tree(&["a/x.yaml", "huge/.gitignore", "huge/y.yaml"]);
        let huge = root.join("huge/.gitignore");
        std::fs::write(&huge, "a".repeat(9 << 20)).unwrap();
        for dirs in [root.clone(), root.join("huge")] {
            let found = looked(&[dirs], &[], &root, &disk());
            assert!(names(&found, &root).iter().all(|name| *name == "a/x.yaml"));
            assert_eq!(
                found.problems,
                [format!("{huge}: is larger than our limit of 8 MiB")]
            );
        }
    }

    fn tree(files: &[&str]) -> (tempfile::TempDir, Utf8PathBuf) {
        let temp = crate::temp::temporary();
        let root = Utf8Path::from_path(temp.path())
            .unwrap()
            .canonicalize_utf8()
            .unwrap();
        for file in files {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(
                path,
                if file.ends_with(".gitignore") {
                    "out/\n"
                } else {
                    ""
                },
            )
            .unwrap();
        }
        (temp, root)
    }

    fn disk() -> Arc<dyn Files> {
        Arc::new(DiskFiles::default())
    }

    fn looked(dirs: &[Utf8PathBuf], files: &[Utf8PathBuf], cwd: &Utf8Path, disk: &Arc<dyn Files>) -> Found {
        discover(dirs, files, cwd, disk, &Configs::new())
    }

    fn names(found: &Found, root: &Utf8Path) -> Vec<String> {
        let strip = |p: &Utf8PathBuf| p.strip_prefix(root).unwrap().to_string();
        found.files.iter().map(strip).collect()
    }

    #[test]
    fn ignored_and_hidden_files_are_found_only_where_they_are_named() {
        let files = [
            ".git/HEAD",
            ".gitignore",
            "a/x.yaml",
            "out/y.yaml",
            ".hid/z.yaml",
            "top.yaml",
        ];
        let (_temp, root) = tree(&files);
        let disk = disk();
        let all = looked(std::slice::from_ref(&root), &[], &root, &disk);
        assert_eq!(names(&all, &root), ["a/x.yaml", "top.yaml"]);
        let out = looked(&[root.join("out")], &[], &root, &disk);
        assert_eq!(names(&out, &root), [".gitignore", "out/y.yaml", "top.yaml"]);
        let both = looked(
            &[root.clone(), root.join("out"), root.join(".hid")],
            &[],
            &root,
            &disk,
        );
        assert_eq!(
            names(&both, &root),
            [".hid/z.yaml", "a/x.yaml", "out/y.yaml", "top.yaml"]
        );
    }

    #[test]
    fn for_a_file_its_whole_repository_is_looked_through() {
        let (_temp, root) = tree(&[".git/HEAD", "a/x.yaml", "b/y.yaml"]);
        let disk = disk();
        let found = looked(&[], &[root.join("a/x.yaml")], &root, &disk);
        assert_eq!(names(&found, &root), ["a/x.yaml", "b/y.yaml"]);
    }

    #[test]
    fn without_a_repository_the_way_up_to_the_current_directory_is_looked_at() {
        let (_temp, root) = tree(&["up.yaml", "cwd/top.yaml", "cwd/a/b/x.yaml", "cwd/c/y.yaml"]);
        let disk = disk();
        let file = root.join("cwd/a/b/x.yaml");
        let below = |files: &Found| names(files, &root);
        let found = looked(&[], std::slice::from_ref(&file), &root.join("cwd"), &disk);
        assert_eq!(below(&found), ["cwd/a/b/x.yaml", "cwd/top.yaml"]);
        let found = looked(&[root.join("cwd/a")], &[], &root.join("cwd"), &disk);
        assert_eq!(below(&found), ["cwd/a/b/x.yaml", "cwd/top.yaml"]);
        let found = looked(&[], &[file], &root.join("cwd/c"), &disk);
        assert_eq!(below(&found), ["cwd/a/b/x.yaml"]);
    }

    #[test]
    fn a_directory_with_the_name_of_a_file_is_found() {
        let (_temp, root) = tree(&["x.yaml/keep", "dir/keep"]);
        let found = looked(std::slice::from_ref(&root), &[], &root, &disk());
        assert_eq!(names(&found, &root), ["dir/keep", "x.yaml", "x.yaml/keep"]);
        assert_eq!(found.dirs.len(), 3);
    }

    #[test]
    fn what_is_excluded_is_not_looked_into() {
        let (_temp, root) = tree(&["out/b/x.yaml", "a/out/y.yaml", "a/z.yaml"]);
        let known = applyorder_analysis::config::Known::default();
        let config: toml::Table = "exclude = [\"out\", \"z.yaml\"]".parse().unwrap();
        let config = applyorder_analysis::config::Config::read(config, &known).unwrap();
        let configs = Configs::fixed(config.at(root.clone()));
        let found = discover(std::slice::from_ref(&root), &[], &root, &disk(), &configs);
        // Files are excluded later, by the caller that knows all configurations.
        assert_eq!(names(&found, &root), ["a/z.yaml"]);
        assert_eq!(found.dirs, [root.clone(), root.join("a")]);
    }
}
