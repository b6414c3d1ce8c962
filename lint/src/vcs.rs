//! The root of a version-controlled tree, as determined by git.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use std::collections::HashMap;

/// Runs `git rev-parse --show-toplevel`, once per tree.
///
/// Git is started only if the directory or a parent has an entry `.git`; if git is not installed, that directory is the
/// answer.
#[derive(Debug, Default)]
pub struct GitRoots {
    known: Mutex<HashMap<Utf8PathBuf, Option<Utf8PathBuf>>>,
}

impl GitRoots {
    /// The root of the tree that contains a directory, with links resolved.
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

/// Git, configured to start none of the programs that a repository's own configuration can name. A repository is data
/// like everything that is linted: a query must not run programs that it names.
pub(crate) fn command(dir: &Utf8Path) -> Command {
    let mut git = Command::new("git");
    git.arg("--no-pager");
    for setting in [
        "core.fsmonitor=false",
        "core.hooksPath=/dev/null",
        "core.sshCommand=false",
        "core.askPass=",
        "credential.helper=",
        "diff.external=",
        // A directory laid out like a bare repository has no `.git`, and brings its own configuration.
        "safe.bareRepository=explicit",
    ] {
        git.args(["-c", setting]);
    }
    git.current_dir(dir)
        .env("LC_ALL", "C")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        // Objects missing from a partial clone are not fetched: that would start remote helpers.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env_remove("GIT_EXTERNAL_DIFF")
        .stdin(Stdio::null());
    git
}

/// The filters that a repository's own configuration defines, each disabled. To compare a changed file, git runs the
/// `clean` or `process` program of its filter; those of the user's own configuration may run.
fn without_filters(dir: &Utf8Path) -> Result<Vec<(String, &'static str)>, String> {
    let list = ["config", "--list", "--show-scope", "--name-only", "-z"];
    let listed = git(dir, &list, &[])?.map_err(|e| format!("git config: {e}"))?;
    let mut fields = listed.split(|b| *b == 0);
    let mut drivers = BTreeSet::new();
    while let (Some(scope), Some(key)) = (fields.next(), fields.next()) {
        let key = String::from_utf8_lossy(key);
        let name = key.strip_prefix("filter.").and_then(|k| k.rsplit_once('.'));
        if let (b"local" | b"worktree", Some((name, _))) = (scope, name) {
            drivers.insert(name.to_owned());
        }
    }
    let off = [
        ("clean", ""),
        ("smudge", ""),
        ("process", ""),
        ("required", "false"),
    ];
    Ok(drivers
        .iter()
        .flat_map(|name| off.map(|(key, value)| (format!("filter.{name}.{key}"), value)))
        .collect())
}

fn ask_git(dir: &Utf8Path) -> Option<Utf8PathBuf> {
    let answer = command(dir).args(["rev-parse", "--show-toplevel"]).output();
    let Ok(answer) = answer else {
        return Some(dir.to_owned());
    };
    if answer.status.success() {
        let top = String::from_utf8(answer.stdout).ok()?;
        return Some(Utf8PathBuf::from(top.trim_end_matches(['\r', '\n'])));
    }
    // A tree of another owner is still a tree; git only refuses to work in it.
    String::from_utf8_lossy(&answer.stderr)
        .contains("dubious ownership")
        .then(|| dir.to_owned())
}

/// The files that differ between a revision and the work tree, as absolute paths in byte order: changed by later
/// commits, not committed yet (staged or not, including deleted ones), and untracked but not ignored. `root` is the
/// root of the work tree.
///
/// # Errors
/// When git is not installed, or it does not know the revision; as a sentence.
pub fn changed_files(root: &Utf8Path, revision: &str) -> Result<Vec<Utf8PathBuf>, String> {
    let filters = without_filters(root)?;
    let commit = commit(root, revision)?;
    let diff = [
        "diff",
        "--name-only",
        "--no-renames",
        "--no-relative",
        "--no-ext-diff",
        "--no-textconv",
        // To find changes inside a submodule, git would run itself there with the submodule's configuration.
        "--ignore-submodules=dirty",
        "-z",
    ];
    let mut found: Vec<Utf8PathBuf> = Vec::new();
    let between = [&diff[..], &[&commit, "HEAD", "--"]].concat();
    let open = [&diff[..], &["HEAD", "--"]].concat();
    let untracked = ["ls-files", "--others", "--exclude-standard", "-z"];
    for args in [&between[..], &open, &untracked] {
        let names =
            git(root, args, &filters)?.map_err(|e| format!("git {}: {e}", args.first().unwrap_or(&"")))?;
        let names = names.split(|b| *b == 0).filter(|n| !n.is_empty());
        // A name that is not UTF-8 still tells its directory.
        found.extend(names.map(|n| root.join(&*String::from_utf8_lossy(n))));
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// The ID of the commit that a revision names.
///
/// # Errors
/// When git is not installed, or it does not know the revision; as a sentence.
pub fn commit(root: &Utf8Path, revision: &str) -> Result<String, String> {
    let commit = format!("{revision}^{{commit}}");
    let verify = ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit];
    match git(root, &verify, &[])? {
        Ok(commit) => Ok(String::from_utf8_lossy(&commit).trim().to_owned()),
        Err(_) => Err(format!(
            "unknown git revision {}{}",
            crate::escape::line(revision),
            shallow_hint(root)?
        )),
    }
}

/// Whether the current branch has no commit yet.
#[must_use]
pub fn is_before_the_first_commit(root: &Utf8Path) -> bool {
    let says = |args: &[&str]| matches!(git(root, args, &[]), Ok(Ok(_)));
    says(&["symbolic-ref", "--quiet", "HEAD"]) && !says(&["rev-parse", "--verify", "--quiet", "HEAD"])
}

/// The merge base of a revision and `HEAD`: where a branch started.
///
/// # Errors
/// When there is none, or git fails; as a sentence.
pub fn merge_base(root: &Utf8Path, revision: &str) -> Result<String, String> {
    let commit = commit(root, revision)?;
    match git(root, &["merge-base", &commit, "HEAD"], &[])? {
        Ok(base) => Ok(String::from_utf8_lossy(&base).trim().to_owned()),
        Err(_) => Err(format!(
            "{} and HEAD have no commit in common{}",
            crate::escape::line(revision),
            shallow_hint(root)?
        )),
    }
}

fn shallow_hint(root: &Utf8Path) -> Result<&'static str, String> {
    let shallow = git(root, &["rev-parse", "--is-shallow-repository"], &[])?;
    Ok(if shallow.is_ok_and(|s| s.trim_ascii() == b"true") {
        "; the clone is shallow: fetch more of it (in GitHub Actions, `fetch-depth: 0`)"
    } else {
        ""
    })
}

/// Runs git and returns its output.
///
/// # Errors
/// When it fails; as a sentence.
pub(crate) fn ask(dir: &Utf8Path, args: &[&str]) -> Result<Vec<u8>, String> {
    git(dir, args, &[])?.map_err(|e| format!("git {}: {e}", args.first().unwrap_or(&"")))
}

/// The commit at which the current work diverged from a branch of a remote, or from the local branch if the remote does
/// not have it; on the branch itself, the previous commit. Terramate 0.17.2 counts changes from there.
///
/// # Errors
/// When there is no such commit; as a sentence.
pub fn left_at(root: &Utf8Path, remote: &str, branch: &str) -> Result<String, String> {
    let ask = |args: &[&str]| -> Result<Option<String>, String> {
        let answer = git(root, args, &[])?;
        let text = answer
            .ok()
            .map(|text| String::from_utf8_lossy(&text).trim().to_owned());
        Ok(text.filter(|text| !text.is_empty()))
    };
    let commit = |of: &str| {
        ask(&[
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &format!("{of}^{{commit}}"),
        ])
    };
    let head = commit("HEAD")?;
    let local = format!("refs/heads/{branch}");
    let is_on_branch = match ask(&["symbolic-ref", "--quiet", "--short", "HEAD"])? {
        Some(current) => current == branch,
        None => head.is_some() && commit(&local)? == head,
    };
    let has_remote = ask(&["remote"])?.is_some_and(|all| all.lines().any(|name| name == remote));
    let tip = if has_remote {
        format!("refs/remotes/{remote}/{branch}")
    } else {
        local
    };
    let is_at_tip = is_on_branch && (!has_remote || commit(&tip)? == head);
    let found = if is_at_tip {
        commit("HEAD^")?
    } else {
        ask(&["merge-base", "HEAD", &tip])?
    };
    found.ok_or_else(|| {
        format!(
            "git does not know where the work left {}",
            crate::escape::line(
                tip.trim_start_matches("refs/heads/")
                    .trim_start_matches("refs/remotes/")
            )
        )
    })
}

/// The output of git, or its error message. `settings` take precedence over all configuration files.
fn git(
    dir: &Utf8Path,
    args: &[&str],
    settings: &[(String, &str)],
) -> Result<Result<Vec<u8>, String>, String> {
    let mut command = command(dir);
    // Unlike with `-c`, names may contain any character.
    let mut count = 0;
    for (key, value) in settings {
        command.env(format!("GIT_CONFIG_KEY_{count}"), key);
        command.env(format!("GIT_CONFIG_VALUE_{count}"), value);
        count += 1;
    }
    if count > 0 {
        command.env("GIT_CONFIG_COUNT", count.to_string());
    }
    let answer = command
        .args(args)
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
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_git_directory_is_not_a_tree() {
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

    #[test]
    fn changes_count_from_where_the_work_left_the_branch() {
        let temp = crate::temp::temporary();
        let dir = Utf8Path::from_path(temp.path()).unwrap().to_owned();
        let git = |args: &[&str]| {
            let identity = [
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b",
                "-c",
                "init.defaultBranch=main",
            ];
            let output = Command::new("git")
                .args(identity)
                .args(args)
                .current_dir(&dir)
                .output();
            output
                .ok()
                .filter(|o| o.status.success())
                .map(|o| String::from_utf8(o.stdout).unwrap().trim().to_owned())
        };
        if git(&["init", "-q"]).is_none() {
            return crate::skipped::skip("git", "it cannot be run");
        }
        let commit = |name: &str| {
            git(&["commit", "-q", "--allow-empty", "-m", name]).unwrap();
            git(&["rev-parse", "HEAD"]).unwrap()
        };
        let first = commit("first");
        assert!(left_at(&dir, "origin", "main").is_err(), "nothing was before");
        let second = commit("second");
        assert_eq!(left_at(&dir, "origin", "main").unwrap(), first);
        git(&["checkout", "-q", "-b", "work"]).unwrap();
        commit("third");
        assert_eq!(left_at(&dir, "origin", "main").unwrap(), second);
        git(&["remote", "add", "origin", "."]).unwrap();
        git(&["update-ref", "refs/remotes/origin/main", &first]).unwrap();
        assert_eq!(left_at(&dir, "origin", "main").unwrap(), first);
        git(&["checkout", "-q", "main"]).unwrap();
        assert_eq!(
            left_at(&dir, "origin", "main").unwrap(),
            first,
            "ahead of the remote"
        );
        git(&["update-ref", "refs/remotes/origin/main", &second]).unwrap();
        assert_eq!(left_at(&dir, "origin", "main").unwrap(), first, "at its tip");
        git(&["checkout", "-q", "--detach"]).unwrap();
        assert_eq!(left_at(&dir, "origin", "main").unwrap(), first);
    }

    /// Every way in which git can start a program for the queries made here, each creating its own file.
    #[cfg(unix)]
    #[test]
    fn no_program_of_a_repository_is_started() {
        use std::os::unix::fs::PermissionsExt;

        let temp = crate::temp::temporary();
        let dir = Utf8Path::from_path(temp.path())
            .unwrap()
            .canonicalize_utf8()
            .unwrap();
        let repo = dir.join("repo");
        let ran = dir.join("ran");
        std::fs::create_dir_all(&repo).unwrap();
        std::fs::create_dir_all(&ran).unwrap();
        let plain = |at: &Utf8Path, args: &[&str]| {
            let done = Command::new("git")
                .args([
                    "-c",
                    "user.name=a",
                    "-c",
                    "user.email=a@b",
                    "-c",
                    "protocol.file.allow=always",
                ])
                .args(args)
                .current_dir(at)
                .output();
            done.is_ok_and(|o| o.status.success())
        };
        if !plain(&repo, &["init", "-q"]) {
            eprintln!("SKIPPED: no git here");
            return;
        }
        let write = |path: &str, text: &str| {
            let path = repo.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for file in ["a.txt", "b.txt", "c.txt", "d.txt"] {
            write(file, "one\n");
        }
        let sub = dir.join("sub");
        std::fs::create_dir_all(&sub).unwrap();
        std::fs::write(sub.join("s.txt"), "one\n").unwrap();
        for args in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "s"]] {
            assert!(plain(&sub, args));
        }
        assert!(plain(
            &repo,
            &["submodule", "--quiet", "add", sub.as_str(), "sub"]
        ));
        assert!(plain(&repo, &["add", "."]) && plain(&repo, &["commit", "-qm", "1"]));

        let program = |name: &str| {
            let path = dir.join(format!("{name}.sh"));
            std::fs::write(&path, format!("#!/bin/sh\ntouch {ran}/{name}\ncat\n")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            path.into_string()
        };
        let hooks = repo.join(".git/hooks");
        std::fs::create_dir_all(&hooks).unwrap();
        for hook in ["post-index-change", "fsmonitor-watchman", "reference-transaction"] {
            std::fs::copy(program(hook), hooks.join(hook)).unwrap();
        }
        for (key, name) in [
            ("core.fsmonitor", "fsmonitor"),
            ("core.pager", "pager"),
            ("core.sshCommand", "ssh"),
            ("core.askPass", "ask"),
            ("core.editor", "editor"),
            ("credential.helper", "credential"),
            ("diff.external", "external"),
            ("diff.odd.command", "command"),
            ("diff.odd.textconv", "textconv"),
            ("filter.f.clean", "clean"),
            ("filter.f.smudge", "smudge"),
            ("filter.f.required", "true"),
            ("filter.a=b.clean", "clean-odd"),
            ("filter.p.process", "process"),
        ] {
            let value = if name == "true" {
                "true".to_owned()
            } else {
                program(name)
            };
            assert!(plain(&repo, &["config", key, &value]), "{key}");
        }
        let inside = repo.join("sub");
        assert!(plain(
            &inside,
            &["config", "core.fsmonitor", &program("submodule")]
        ));
        write(
            ".git/info/attributes",
            "a.txt diff=odd filter=f\nb.txt filter=p\nd.txt filter=a=b\n",
        );
        write(".gitattributes", "a.txt filter=f\nb.txt filter=p\n");
        // Written again with the same text: git then compares contents.
        for file in ["a.txt", "b.txt", "d.txt"] {
            write(file, "one\n");
        }
        write("c.txt", "two\n");
        write("new.txt", "");
        write("sub/s.txt", "two\n");

        let roots = GitRoots::default();
        assert_eq!(roots.root(&repo), Some(repo.clone()));
        let changed = changed_files(&repo, "HEAD").unwrap();
        let names: Vec<&str> = changed.iter().filter_map(|p| p.file_name()).collect();
        assert!(
            names.contains(&"c.txt") && names.contains(&"new.txt"),
            "{names:?}"
        );
        let started: Vec<String> = std::fs::read_dir(&ran)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(started, Vec::<String>::new());

        // Checks that the trap works: plain git starts some of them.
        let _ = plain(&repo, &["diff", "--name-only", "HEAD"]);
        let started = std::fs::read_dir(&ran).unwrap().count();
        assert!(started >= 2, "{started}");
    }
}
