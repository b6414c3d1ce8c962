//! `lint --since` and `--staged`: the findings of an earlier state, which are excluded.

use std::collections::BTreeSet;
use std::sync::Arc;

use applyorder_analysis::engine::Engines;
use applyorder_analysis::files::Files as _;
use camino::{Utf8Path, Utf8PathBuf};

use crate::args::{Global, LintArgs, RunArgs};
use crate::escape;
use crate::exit::Failure;
use crate::fingerprint::Fingerprints;
use crate::git_tree::{GitTree, TreeOf};
use crate::output::{Output, is_stdin};
use crate::repository::Repository;
use crate::session::{Session, disk_files};
use crate::start::{absolute, current_dir};
use crate::vcs;

/// What a run is compared with.
pub(super) struct Before {
    /// What is read instead of the disk.
    pub(super) now: Option<Arc<GitTree>>,
    earlier: Arc<GitTree>,
}

/// What was found in the earlier state.
#[derive(Default)]
pub(super) struct Earlier {
    /// The fingerprints of all findings.
    pub(super) fingerprints: BTreeSet<String>,
    /// The keys of the projects that the paths named; `None` if all paths still exist, because then they select the
    /// projects now.
    pub(super) projects: Option<BTreeSet<String>>,
}

impl Before {
    /// The trees that the flags name; `None` without these flags.
    ///
    /// # Errors
    /// When git cannot read them.
    pub(super) fn of(args: &LintArgs) -> Result<Option<Self>, Failure> {
        let flag = match (&args.since, args.staged) {
            (Some(revision), _) => format!("--since {}", escape::line(revision)),
            (None, true) => "--staged".to_owned(),
            (None, false) => return Ok(None),
        };
        let failed = |e: String| Failure::new(format!("{flag}: {e}"));
        let root = root(&args.run.paths).map_err(failed)?;
        let tree = |of: &TreeOf| {
            let tree = GitTree::read(&root, of, Arc::new(disk_files()));
            tree.map(Arc::new).map_err(failed)
        };
        let (now, earlier) = match &args.since {
            Some(revision) => (None, vcs::merge_base(&root, revision)),
            None => (Some(tree(&TreeOf::Index)?), vcs::commit(&root, "HEAD")),
        };
        let earlier = match earlier {
            Ok(commit) => TreeOf::Commit(commit),
            Err(_) if args.staged && vcs::is_before_the_first_commit(&root) => TreeOf::Nothing,
            Err(e) => return Err(failed(e)),
        };
        let earlier = tree(&earlier)?;
        Ok(Some(Self { now, earlier }))
    }

    /// The arguments for the current state. Only the earlier state tells which projects a deleted path belonged to, so
    /// for such a path the whole repository is read.
    ///
    /// # Errors
    /// When the current directory cannot be determined.
    pub(super) fn run(&self, run: &RunArgs) -> Result<RunArgs, Failure> {
        let cwd = current_dir()?;
        let there = |path: &Utf8PathBuf| {
            if self.is_gone(&absolute(&cwd, path)) {
                self.earlier.root().to_owned()
            } else {
                path.clone()
            }
        };
        Ok(RunArgs {
            paths: run.paths.iter().map(there).collect(),
            ..run.clone()
        })
    }

    fn is_gone(&self, path: &Utf8Path) -> bool {
        let now = match &self.now {
            Some(tree) => tree.kind(path, true),
            None => disk_files().kind(path, true),
        };
        now.is_none() && self.earlier.kind(path, true).is_some()
    }

    /// What is found in the earlier state.
    ///
    /// # Errors
    /// When it cannot be read at all.
    pub(super) fn look(
        &self,
        engines: Engines,
        global: &Global,
        run: &RunArgs,
        repository: &Repository,
    ) -> Result<Earlier, Failure> {
        let cwd = current_dir()?;
        let is_there = |path: &&Utf8PathBuf| self.earlier.kind(&absolute(&cwd, path), true).is_some();
        let paths: Vec<Utf8PathBuf> = run.paths.iter().filter(is_there).cloned().collect();
        if paths.is_empty() && !run.paths.is_empty() {
            return Ok(Earlier::default());
        }
        let gone = run.paths.iter().any(|path| self.is_gone(&absolute(&cwd, path)));
        let run = RunArgs { paths, ..run.clone() };
        let mut out = Output::silent();
        let everything = |_: &_, _: &_| true;
        let earlier = self.earlier.clone();
        let session = Session::open_tree(engines, global, &run, earlier, &everything, &mut out)?;
        let analysis = session.analysis.clone();
        let mut fingerprints = Fingerprints::new(&session, repository);
        let findings = analysis.findings().into_iter();
        Ok(Earlier {
            fingerprints: findings.flat_map(|f| fingerprints.add(f).fingerprints).collect(),
            projects: gone.then(|| session.projects().map(|(ix, _)| session.key(ix)).collect()),
        })
    }
}

/// The work tree that contains all paths.
///
/// # Errors
/// When there is none, or more than one; as a sentence.
pub(super) fn root(paths: &[Utf8PathBuf]) -> Result<Utf8PathBuf, String> {
    if paths.iter().any(|path| is_stdin(path)) {
        return Err("standard input has no earlier revision".to_owned());
    }
    let cwd = current_dir().map_err(|_| "the current directory no longer exists".to_owned())?;
    let git = vcs::GitRoots::default();
    let mut found: Option<Utf8PathBuf> = None;
    let own = [Utf8PathBuf::from(".")];
    for path in if paths.is_empty() { &own[..] } else { paths } {
        let full = absolute(&cwd, path);
        let dir = full
            .ancestors()
            .find(|dir| dir.is_dir())
            .unwrap_or(Utf8Path::new("/"));
        let shown = escape::line(path.as_str());
        let Some(root) = git.root(dir) else {
            return Err(format!("{shown} is not in a git work tree"));
        };
        match &found {
            Some(known) if *known != root => return Err(format!("{shown} is in another repository")),
            _ => found = Some(root),
        }
    }
    found.ok_or_else(|| "no git work tree found".to_owned())
}
