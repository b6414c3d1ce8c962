//! The top of a version-controlled tree, as git itself sees it.

use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use std::collections::HashMap;

/// Asks `git rev-parse --show-toplevel`, once per tree.
///
/// Git is started only where a directory upwards has an entry `.git`; without git on the machine that
/// directory is the answer.
#[derive(Debug, Default)]
pub struct GitRoots {
    known: Mutex<HashMap<Utf8PathBuf, Option<Utf8PathBuf>>>,
}

impl GitRoots {
    /// The top of the tree that a directory lies in, links resolved.
    #[must_use]
    pub fn root(&self, dir: &Utf8Path) -> Option<Utf8PathBuf> {
        let dir = dir.canonicalize_utf8().ok()?;
        let near = dir
            .ancestors()
            .find(|d| d.join(".git").as_std_path().symlink_metadata().is_ok())?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(root) = known.get(near) {
            return root.clone();
        }
        let root = ask_git(near);
        known.insert(near.to_owned(), root.clone());
        root
    }
}

fn ask_git(dir: &Utf8Path) -> Option<Utf8PathBuf> {
    let answer = Command::new("git")
        .args(["rev-parse", "--show-toplevel"])
        .current_dir(dir)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output();
    let Ok(answer) = answer else {
        return Some(dir.to_owned());
    };
    if answer.status.success() {
        let top = String::from_utf8(answer.stdout).ok()?;
        return Some(Utf8PathBuf::from(top.trim_end_matches(['\r', '\n'])));
    }
    // A tree of another owner is a tree all the same; git only declines to act in it.
    String::from_utf8_lossy(&answer.stderr)
        .contains("dubious ownership")
        .then(|| dir.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_git_directory_is_no_tree() {
        let temp = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(temp.path())
            .unwrap()
            .canonicalize_utf8()
            .unwrap();
        std::fs::create_dir_all(dir.join("repo/sub")).unwrap();
        std::fs::create_dir_all(dir.join("fake/.git")).unwrap();
        let git = |args: &[&str]| {
            Command::new("git")
                .args(args)
                .current_dir(dir.join("repo"))
                .stdout(Stdio::null())
                .status()
        };
        if !git(&["init", "-q"]).is_ok_and(|s| s.success()) {
            eprintln!("SKIPPED: no git here");
            return;
        }
        let roots = GitRoots::default();
        assert_eq!(roots.root(&dir.join("repo/sub")), Some(dir.join("repo")));
        assert_eq!(roots.root(&dir.join("fake")), None);
        assert_eq!(roots.root(&dir), None);
    }
}
