//! The files of a commit or of the index, read from git's objects without a checkout.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use applyorder_analysis::files::{DirEntries, DirEntry, FileKind, Files, MAX_FILE_SIZE, ReadError};
use camino::{Utf8Path, Utf8PathBuf};

use crate::vcs;

/// How many links are followed to reach a file.
const MOST_LINKS: usize = 40;

/// Which tree of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TreeOf {
    /// That of a commit, by its ID.
    Commit(String),
    /// The index.
    Index,
    /// An empty tree: before the first commit.
    Nothing,
}

struct Entry {
    mode: String,
    id: String,
}

/// The files of a commit or of the index. Paths outside the repository are read from the disk.
pub(crate) struct GitTree {
    root: Utf8PathBuf,
    /// By path relative to the root.
    entries: BTreeMap<Utf8PathBuf, Entry>,
    dirs: BTreeMap<Utf8PathBuf, BTreeSet<DirEntry>>,
    objects: Mutex<Option<Objects>>,
    disk: Arc<dyn Files>,
}

/// `git cat-file --batch`.
struct Objects {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl GitTree {
    /// Lists the files of a repository with its work tree at `root`.
    ///
    /// # Errors
    /// When git fails; as a sentence.
    pub(crate) fn read(root: &Utf8Path, of: &TreeOf, disk: Arc<dyn Files>) -> Result<Self, String> {
        let listed = match of {
            TreeOf::Commit(id) => vcs::ask(root, &["ls-tree", "-r", "-z", "--full-tree", id])?,
            TreeOf::Index => vcs::ask(root, &["ls-files", "--stage", "-z", "--full-name"])?,
            TreeOf::Nothing => Vec::new(),
        };
        let mut tree = Self {
            root: root.to_owned(),
            entries: BTreeMap::new(),
            dirs: BTreeMap::from([(Utf8PathBuf::new(), BTreeSet::new())]),
            objects: Mutex::new(None),
            disk,
        };
        for line in listed.split(|b| *b == 0) {
            // Names that are not UTF-8 are skipped everywhere.
            let Ok(line) = std::str::from_utf8(line) else {
                continue;
            };
            let Some((head, path)) = line.split_once('\t') else {
                continue;
            };
            let mut words = head.split(' ');
            let mode = words.next().unwrap_or("").to_owned();
            let (second, third) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
            let id = match of {
                TreeOf::Commit(_) => third,
                // In a conflict, our side.
                TreeOf::Index if matches!(third, "0" | "2") => second,
                TreeOf::Index | TreeOf::Nothing => continue,
            };
            let id = id.to_owned();
            tree.add(Utf8PathBuf::from(path), Entry { mode, id });
        }
        Ok(tree)
    }

    /// The root of the repository.
    pub(crate) fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// The files as absolute paths, without hidden ones: what a walk over a work tree finds.
    pub(crate) fn found(&self) -> Vec<Utf8PathBuf> {
        let is_hidden = |path: &Utf8Path| path.components().any(|c| c.as_str().starts_with('.'));
        let files = self.entries.iter().filter(|(_, entry)| !entry.is_module());
        files
            .filter(|(path, _)| !is_hidden(path) || path.file_name() == Some(".applyorder.toml"))
            .map(|(path, _)| self.root.join(path))
            .collect()
    }

    /// The directories as absolute paths.
    pub(crate) fn dirs(&self) -> Vec<Utf8PathBuf> {
        self.dirs.keys().map(|dir| self.absolute(dir)).collect()
    }

    fn add(&mut self, path: Utf8PathBuf, entry: Entry) {
        let mut kind = entry.kind();
        let mut below = path.as_path();
        while let (Some(dir), Some(name)) = (below.parent(), below.file_name()) {
            let name = name.to_owned();
            let known = self.dirs.contains_key(dir);
            let entries = self.dirs.entry(dir.to_owned()).or_default();
            entries.insert(DirEntry { name, kind });
            if known {
                break;
            }
            (below, kind) = (dir, FileKind::Directory);
        }
        if entry.is_module() {
            self.dirs.entry(path.clone()).or_default();
        }
        self.entries.insert(path, entry);
    }

    fn absolute(&self, path: &Utf8Path) -> Utf8PathBuf {
        if path.as_str().is_empty() {
            self.root.clone()
        } else {
            self.root.join(path)
        }
    }

    fn inside<'p>(&self, path: &'p Utf8Path) -> Option<&'p Utf8Path> {
        path.strip_prefix(&self.root).ok()
    }

    /// Resolves links in the path, including the last component if `last`. `Err`: it leads out of the repository.
    fn resolve(&self, path: &Utf8Path, last: bool) -> Result<Option<Utf8PathBuf>, Utf8PathBuf> {
        let mut path = path.to_owned();
        for _ in 0..MOST_LINKS {
            let mut links = path.ancestors().filter(|at| last || *at != path);
            let Some(at) = links.find(|at| self.entries.get(*at).is_some_and(Entry::is_link)) else {
                return Ok(Some(path));
            };
            let Some(target) = self.entries.get(at).and_then(|e| self.object(&e.id).ok()) else {
                return Ok(None);
            };
            let target = String::from_utf8_lossy(&target).into_owned();
            let rest = path.strip_prefix(at).unwrap_or(Utf8Path::new(""));
            let dir = self.absolute(at.parent().unwrap_or(Utf8Path::new("")));
            let full = applyorder_analysis::files::clean(dir.join(target).join(rest).as_str());
            match self.inside(&full) {
                Some(inside) => path = inside.to_owned(),
                None => return Err(full),
            }
        }
        Ok(None)
    }

    fn object(&self, id: &str) -> Result<Arc<[u8]>, ReadError> {
        let mut objects = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = |e: std::io::Error| ReadError::Other(format!("git cat-file: {e}"));
        if objects.is_none() {
            *objects = Some(Objects::start(&self.root).map_err(failed)?);
        }
        let Some(reader) = objects.as_mut() else {
            return Err(ReadError::NotFound);
        };
        reader.read(id).map_err(failed)?
    }
}

impl Entry {
    fn is_link(&self) -> bool {
        self.mode == "120000"
    }

    /// A submodule, whose files do not belong to this repository.
    fn is_module(&self) -> bool {
        self.mode == "160000"
    }

    fn kind(&self) -> FileKind {
        match self.mode.as_str() {
            "120000" => FileKind::Symlink,
            "160000" => FileKind::Directory,
            _ => FileKind::File,
        }
    }
}

impl Objects {
    fn start(root: &Utf8Path) -> std::io::Result<Self> {
        let mut command = vcs::command(root);
        let mut child = command
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let gone = || std::io::Error::other("it cannot be started");
        let questions = child.stdin.take().ok_or_else(gone)?;
        let answers = BufReader::new(child.stdout.take().ok_or_else(gone)?);
        Ok(Self {
            child,
            questions,
            answers,
        })
    }

    fn read(&mut self, id: &str) -> std::io::Result<Result<Arc<[u8]>, ReadError>> {
        writeln!(self.questions, "{id}")?;
        self.questions.flush()?;
        let mut head = String::new();
        self.answers.read_line(&mut head)?;
        let size = head
            .trim_end()
            .rsplit(' ')
            .next()
            .and_then(|n| n.parse::<u64>().ok());
        let Some(size) = size else {
            let what = head.trim_end().rsplit(' ').next().unwrap_or("nothing").to_owned();
            return Ok(Err(ReadError::Other(format!("git has no such object: {what}"))));
        };
        // The line break after it.
        let mut bytes = (&mut self.answers).take(size + 1);
        if size > MAX_FILE_SIZE {
            std::io::copy(&mut bytes, &mut std::io::sink())?;
            return Ok(Err(ReadError::TooLarge(size)));
        }
        let mut text = Vec::new();
        bytes.read_to_end(&mut text)?;
        text.pop();
        Ok(Ok(text.into()))
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Files for GitTree {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        let Some(inside) = self.inside(path) else {
            return self.disk.read(path);
        };
        match self.resolve(inside, true) {
            Err(outside) => self.disk.read(&outside),
            Ok(None) => Err(ReadError::LinkLoop),
            Ok(Some(real)) => match self.entries.get(&real) {
                Some(entry) if !entry.is_module() => self.object(&entry.id),
                _ if self.dirs.contains_key(&real) => Err(ReadError::IsDirectory),
                _ => Err(ReadError::NotFound),
            },
        }
    }

    fn list(&self, dir: &Utf8Path) -> Result<DirEntries, ReadError> {
        let Some(inside) = self.inside(dir) else {
            return self.disk.list(dir);
        };
        match self.resolve(inside, true) {
            Err(outside) => self.disk.list(&outside),
            Ok(None) => Err(ReadError::LinkLoop),
            Ok(Some(real)) => match self.dirs.get(&real) {
                Some(entries) => Ok(entries.iter().cloned().collect()),
                None if self.entries.contains_key(&real) => Err(ReadError::NotDirectory),
                None => Err(ReadError::NotFound),
            },
        }
    }

    fn kind(&self, path: &Utf8Path, follow_links: bool) -> Option<FileKind> {
        let Some(inside) = self.inside(path) else {
            return self.disk.kind(path, follow_links);
        };
        match self.resolve(inside, follow_links) {
            Err(outside) => self.disk.kind(&outside, follow_links),
            Ok(real) => {
                let real = real?;
                let entry = self.entries.get(&real).map(Entry::kind);
                entry.or_else(|| self.dirs.contains_key(&real).then_some(FileKind::Directory))
            }
        }
    }

    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let Some(inside) = self.inside(path) else {
            return self.disk.canonical(path);
        };
        match self.resolve(inside, true) {
            Err(outside) => self.disk.canonical(&outside),
            Ok(real) => {
                let real = real?;
                let known = self.entries.contains_key(&real) || self.dirs.contains_key(&real);
                known.then(|| self.absolute(&real))
            }
        }
    }

    fn vcs_root(&self, dir: &Utf8Path) -> Option<Utf8PathBuf> {
        match self.inside(dir) {
            Some(_) => Some(self.root.clone()),
            None => self.disk.vcs_root(dir),
        }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use applyorder_analysis::files::DiskFiles;

    fn git(dir: &Utf8Path, args: &[&str]) -> bool {
        let done = std::process::Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(args)
            .current_dir(dir)
            .output();
        done.is_ok_and(|o| o.status.success())
    }

    #[cfg(unix)]
    #[test]
    fn a_commit_and_the_index_are_read_without_a_checkout() {
        let temp = crate::temp::temporary();
        let root = Utf8Path::from_path(temp.path())
            .unwrap()
            .canonicalize_utf8()
            .unwrap();
        if !git(&root, &["init", "-q"]) {
            return crate::skipped::skip("git", "it cannot be run");
        }
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("a/x", "one");
        write("a/ä b", "two\n");
        write(".hidden/y", "");
        std::os::unix::fs::symlink("a", root.join("link")).unwrap();
        std::os::unix::fs::symlink("loop", root.join("loop")).unwrap();
        assert!(git(&root, &["add", "-A"]) && git(&root, &["commit", "-qm", "1"]));
        write("a/x", "staged");
        assert!(git(&root, &["add", "-A"]));
        write("a/x", "disk");
        std::fs::remove_file(root.join("a/ä b")).unwrap();

        let commit = vcs::commit(&root, "HEAD").unwrap();
        let tree = |of: &TreeOf| GitTree::read(&root, of, Arc::new(DiskFiles::default())).unwrap();
        for (of, text) in [(TreeOf::Commit(commit), "one"), (TreeOf::Index, "staged")] {
            let tree = tree(&of);
            assert_eq!(&*tree.read(&root.join("a/x")).unwrap(), text.as_bytes());
            assert_eq!(&*tree.read(&root.join("link/x")).unwrap(), text.as_bytes());
            assert_eq!(&*tree.read(&root.join("a/ä b")).unwrap(), b"two\n");
            assert_eq!(tree.read(&root.join("a")), Err(ReadError::IsDirectory));
            assert_eq!(tree.read(&root.join("b")), Err(ReadError::NotFound));
            assert_eq!(tree.read(&root.join("loop")), Err(ReadError::LinkLoop));
            let names = |dir: &str| {
                let entries = tree.list(&root.join(dir)).unwrap();
                entries.iter().map(|e| e.name.clone()).collect::<Vec<_>>()
            };
            assert_eq!(names("a"), ["x", "ä b"]);
            assert_eq!(names("link"), ["x", "ä b"]);
            assert_eq!(tree.list(&root).unwrap().len(), 4);
            let kind = |path: &str, follow| tree.kind(&root.join(path), follow);
            assert_eq!(kind("link", false), Some(FileKind::Symlink));
            assert_eq!(kind("link", true), Some(FileKind::Directory));
            assert_eq!(kind("link/x", false), Some(FileKind::File));
            assert_eq!(kind("b", true), None);
            assert_eq!(tree.canonical(&root.join("link/x")), Some(root.join("a/x")));
            assert_eq!(tree.found().len(), 4);
        }
    }
}
