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

/// The files that differ between a revision and the work tree, absolute, in byte order: what commits since
/// then changed, what is not committed yet (staged or not, deleted too), and what git does not track and does
/// not ignore. `root` is the top of the work tree.
///
/// # Errors
/// When there is no git, or it does not know the revision; a sentence.
pub fn changed_files(root: &Utf8Path, revision: &str) -> Result<Vec<Utf8PathBuf>, String> {
    let commit = format!("{revision}^{{commit}}");
    let verify = ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit];
    let Ok(commit) = git(root, &verify)? else {
        let shallow = git(root, &["rev-parse", "--is-shallow-repository"])?;
        let hint = if shallow.is_ok_and(|s| s.trim_ascii() == b"true") {
            "; the clone is shallow: fetch more of it (in GitHub Actions, `fetch-depth: 0`)"
        } else {
            ""
        };
        return Err(format!(
            "git knows no revision {}{hint}",
            crate::escape::line(revision)
        ));
    };
    let commit = String::from_utf8_lossy(&commit).trim().to_owned();
    let diff = [
        "diff",
        "--name-only",
        "--no-renames",
        "--no-relative",
        "--no-ext-diff",
        "-z",
    ];
    let mut found: Vec<Utf8PathBuf> = Vec::new();
    let between = [&diff[..], &[&commit, "HEAD", "--"]].concat();
    let open = [&diff[..], &["HEAD", "--"]].concat();
    let untracked = ["ls-files", "--others", "--exclude-standard", "-z"];
    for args in [&between[..], &open, &untracked] {
        let names = git(root, args)?.map_err(|e| format!("git {}: {e}", args.first().unwrap_or(&"")))?;
        let names = names.split(|b| *b == 0).filter(|n| !n.is_empty());
        // A name that is no text still says which directory it is in.
        found.extend(names.map(|n| root.join(&*String::from_utf8_lossy(n))));
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// What git prints, or what it complains of.
fn git(dir: &Utf8Path, args: &[&str]) -> Result<Result<Vec<u8>, String>, String> {
    let answer = Command::new("git")
        .args(args)
        .current_dir(dir)
        .env("LC_ALL", "C")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("git cannot be started: {e}"))?;
    Ok(if answer.status.success() {
        Ok(answer.stdout)
    } else {
        let text = String::from_utf8_lossy(&answer.stderr);
        Err(crate::escape::line(text.trim()).into_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_git_directory_is_no_tree() {
        let temp = crate::temp::temporary();
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
            return crate::skipped::skip("git", "it cannot be run");
        }
        let roots = GitRoots::default();
        assert_eq!(roots.root(&dir.join("repo/sub")), Some(dir.join("repo")));
        assert_eq!(roots.root(&dir.join("fake")), None);
        assert_eq!(roots.root(&dir), None);
    }
}
