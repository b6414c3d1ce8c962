//! `diff`: the differences in the order between two revisions, or a revision and the working tree. Both are read from
//! git's objects, without a checkout. Nothing is rendered on either side: what depends on it is unknown.

mod compare;
mod edges;
mod human;
mod markdown;
mod moves;
mod renames;
mod sections;
mod sides;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use applyorder_analysis::engine::{Engines, Operation};
use applyorder_analysis::files::Files;
use applyorder_analysis::workspace::{Project, ProjectIx};
use camino::{Utf8Path, Utf8PathBuf};

use self::sides::State;
use super::since;
use crate::args::{DiffArgs, DiffFormat, Global, RunArgs};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::formats::json::diff::{Diff, Revision};
use crate::formats::json::{self, model};
use crate::git_tree::{GitTree, TreeOf};
use crate::output::Output;
use crate::session::{Session, disk_files};
use crate::start::{absolute, current_dir};
use crate::vcs;

/// Runs the command.
///
/// # Errors
/// When git cannot read a revision, or when no answer can be given.
pub fn run(engines: Engines, global: &Global, args: &DiffArgs, out: &mut Output) -> Result<Exit, Failure> {
    if args.run.selection.render {
        return Err(Failure::new(
            "diff: --render: revisions are never rendered, so the files compared with them are not rendered either",
        ));
    }
    let failed = |e: String| Failure::new(format!("diff {}: {e}", escape::line(&args.revision)));
    let root = since::root(&args.run.paths).map_err(failed)?;
    let (before, after) = revisions(&root, &args.revision).map_err(failed)?;
    let tree = |commit: &str| {
        let of = TreeOf::Commit(commit.to_owned());
        GitTree::read(&root, &of, Arc::new(disk_files())).map(Arc::new)
    };
    let old = tree(before.commit.as_deref().unwrap_or_default()).map_err(failed)?;
    let new = match (&after.revision, &after.commit) {
        (Some(_), Some(commit)) => Some(tree(commit).map_err(failed)?),
        _ => None,
    };
    let look = Look {
        engines,
        global,
        args,
    };
    let mut silent = Output::silent();
    let paths = &args.run.paths;
    let there = |side: Option<&Arc<GitTree>>| present(paths, side, &absolute_paths(paths)?);
    let (in_old, in_new) = (there(Some(&old))?, there(new.as_ref())?);
    if let Some(path) = paths.iter().find(|p| !in_old.contains(p) && !in_new.contains(p)) {
        let shown = escape::line(path.as_str());
        return Err(Failure::new(format!("{shown}: does not exist, now or before")));
    }
    let mut one = look.open(Some(&old), &in_old, &mut silent)?;
    let mut other = look.open(new.as_ref(), &in_new, out)?;
    let asked: BTreeSet<Key> = keys(one.as_ref()).chain(keys(other.as_ref())).collect();
    // If one side lacks a path, the other side tells which projects it belongs to.
    if in_old.len() < paths.len() {
        one = look.open(Some(&old), std::slice::from_ref(&root), &mut silent)?;
    }
    if in_new.len() < paths.len() {
        other = look.open(new.as_ref(), std::slice::from_ref(&root), &mut silent)?;
    }
    if one.as_ref().is_some_and(|session| session.failed()) {
        out.warning(&format!(
            "some files of {} cannot be read; the others are compared",
            words::revision(&before)
        ));
    }
    let has_failed = other.as_ref().is_some_and(|session| session.failed());
    let operation = Operation::from(args.operation);
    let (states, others) = (states(one.as_ref(), &asked), states(other.as_ref(), &asked));
    let projects: Vec<_> = asked
        .iter()
        .filter_map(|key| compare::project(states.get(key).copied(), others.get(key).copied(), operation))
        .collect();
    if projects.is_empty() {
        out.warning("no project found, now or before");
    }
    let diff = Diff {
        version: model::VERSION,
        before,
        after,
        operation: match operation {
            Operation::Apply => "apply",
            Operation::Delete => "delete",
        },
        changed: projects.iter().any(|p| p.changed),
        projects,
    };
    let whole = out.is_verbose();
    for to in &args.format {
        out.answer_looking(to, |w, look| match to.format {
            DiffFormat::Human => human::write(w, &diff, look, whole),
            DiffFormat::Json => json::write_value(w, &diff),
            DiffFormat::Markdown => {
                let links = markdown::Links::new(args.source_url.as_deref(), &root);
                let question = markdown::Question::of(args, &root);
                w.write_all(markdown::comment(&diff, &question, &links).as_bytes())
            }
        })?;
    }
    Ok(match (has_failed, args.exit_code && diff.changed) {
        (true, _) => Exit::Failed,
        (false, false) => Exit::Yes,
        (false, true) => Exit::No,
    })
}

/// The two states to compare: `REV` (at its merge base with `HEAD`) and the working tree, or `REV..REV2`.
fn revisions(root: &Utf8Path, asked: &str) -> Result<(Revision, Revision), String> {
    let exactly = |revision: &str| {
        let revision = if revision.is_empty() { "HEAD" } else { revision };
        Ok::<_, String>(Revision {
            commit: Some(vcs::commit(root, revision)?),
            revision: Some(revision.to_owned()),
        })
    };
    if asked.contains("...") {
        return Err("expected REV or REV..REV2".to_owned());
    }
    match asked.split_once("..") {
        Some((before, after)) => Ok((exactly(before)?, exactly(after)?)),
        None => Ok((
            Revision {
                commit: Some(vcs::merge_base(root, asked)?),
                revision: Some(asked.to_owned()),
            },
            Revision {
                commit: vcs::commit(root, "HEAD").ok(),
                revision: None,
            },
        )),
    }
}

/// How the projects of a state are found.
struct Look<'a> {
    engines: Engines,
    global: &'a Global,
    args: &'a DiffArgs,
}

impl Look<'_> {
    /// The projects of a state; `None` if nothing that was asked about exists there.
    fn open(
        &self,
        tree: Option<&Arc<GitTree>>,
        paths: &[Utf8PathBuf],
        out: &mut Output,
    ) -> Result<Option<Session>, Failure> {
        if paths.is_empty() && !self.args.run.paths.is_empty() {
            return Ok(None);
        }
        let run = RunArgs {
            paths: paths.to_vec(),
            ..self.args.run.clone()
        };
        let nothing = |_: &_, _: &_| false;
        Ok(Some(match tree {
            Some(tree) => Session::open_tree(self.engines, self.global, &run, tree.clone(), &nothing, out)?,
            None => Session::open_sources(self.engines, self.global, &run, out)?,
        }))
    }
}

fn absolute_paths(paths: &[Utf8PathBuf]) -> Result<Vec<Utf8PathBuf>, Failure> {
    let cwd = current_dir()?;
    Ok(paths.iter().map(|path| absolute(&cwd, path)).collect())
}

/// The paths that exist in a state.
fn present(
    paths: &[Utf8PathBuf],
    tree: Option<&Arc<GitTree>>,
    full: &[Utf8PathBuf],
) -> Result<Vec<Utf8PathBuf>, Failure> {
    let is_there = |path: &Utf8Path| match tree {
        Some(tree) => tree.kind(path, true).is_some(),
        None => disk_files().kind(path, true).is_some(),
    };
    let both = paths.iter().zip(full).filter(|(_, full)| is_there(full));
    Ok(both.map(|(path, _)| path.clone()).collect())
}

/// What identifies a project in both states.
type Key = (&'static str, Utf8PathBuf, Option<String>);

fn key(project: &Project) -> Key {
    let seed = &project.seed;
    (project.engine().meta().id, seed.root.clone(), seed.name.clone())
}

fn keys(session: Option<&Session>) -> impl Iterator<Item = Key> + '_ {
    let projects = session.into_iter().flat_map(Session::projects);
    projects.map(|(_, project)| key(project))
}

fn states<'a>(session: Option<&'a Session>, asked: &BTreeSet<Key>) -> BTreeMap<Key, State<'a>> {
    let all = session.into_iter().flat_map(|session| {
        let projects = session.analysis.projects();
        projects.map(move |(ix, project): (ProjectIx, &Arc<Project>)| State { session, ix, project })
    });
    all.map(|state| (key(state.project), state))
        .filter(|(key, _)| asked.contains(key))
        .collect()
}
