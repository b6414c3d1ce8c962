//! `mv`: moves a file or directory, and rewrites every path that names it; or renames a unit.

mod after;
mod rename;

use applyorder_analysis::engine::{Engines, Move};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;

use applyorder_analysis::config_file;
use applyorder_analysis::diagnostic::{FileId, Place};
use applyorder_analysis::files::{DiskFiles, Files};
use applyorder_analysis::ide::moved;
use applyorder_analysis::syntax::text::{TextEdit, apply_edits};
use camino::{Utf8Path, Utf8PathBuf};

use crate::args::{Global, MvArgs, RunArgs};
use crate::diff::unified;
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::place::Position;
use crate::session::Session;
use crate::start::{absolute, current_dir};
use crate::write::{self, Disk, Machine};

/// A file that changes.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
struct Change {
    /// Its path before and after the move.
    old: Utf8PathBuf,
    new: Utf8PathBuf,
    before: String,
    after: String,
}

/// Runs the command.
///
/// # Errors
/// When the move cannot be completed; then nothing is changed.
pub fn run(engines: Engines, global: &Global, args: &MvArgs, out: &mut Output) -> Result<Exit, Failure> {
    let written = args.old.as_str().split_once(':');
    let is_of_project =
        |(engine, rest): (&str, &str)| engines.ids().any(|id| id == engine) && rest.contains('#');
    if written.is_some_and(is_of_project) {
        return rename::run(engines, global, args, out);
    }
    let cwd = current_dir()?;
    let disk = DiskFiles::new(|_| None);
    let old = real_place(&absolute(&cwd, &args.old), &disk);
    let new = real_place(&absolute(&cwd, &args.new), &disk);
    let refuse =
        |path: &Utf8Path, why: &str| Err(Failure::new(format!("{}: {why}", escape::line(path.as_str()))));
    if args.diff && Journal::path(&old).exists() {
        return refuse(
            &args.old,
            "its move was interrupted; run it again without `--diff`",
        );
    }
    if !args.diff && resume(&Machine, &old, &new).map_err(Failure::new)? {
        let [old, new] = [&args.old, &args.new].map(|path| escape::line(path.as_str()).into_owned());
        out.summary(&format!(
            "moved {old} to {new}; the interrupted move was complete"
        ));
        return Ok(Exit::Yes);
    }
    if disk.kind(&old, false).is_none() {
        return rename::run(engines, global, args, out);
    }
    if disk.kind(&new, false).is_some() {
        return refuse(&args.new, "already exists");
    }
    if new.starts_with(&old) {
        return refuse(&args.new, "is inside OLD");
    }
    let run = everything(vec![cwd.clone(), old.clone()]);
    let session = Session::open(engines, global, &run, out)?;
    if session.failed() {
        return Err(Failure::new("nothing was moved, as not everything could be read"));
    }
    let changes = changes(&session, &old, &new, out)?;
    let show = |path: &Utf8Path| escape::line(&session.paths.show(path)).into_owned();
    if args.diff {
        show_diff(&session, &changes, out)?;
    } else {
        carry_out(&Machine, &disk, &old, &new, &changes).map_err(Failure::new)?;
    }
    out.summary(&format!(
        "{} {} to {}; {}",
        if args.diff { "would move" } else { "moved" },
        show(&old),
        show(&new),
        super::lint::plural(changes.len(), ["file rewritten", "files rewritten"])
    ));
    if !args.diff {
        after::compare(engines, global, &session, &everything(vec![cwd, new]), out);
    }
    Ok(Exit::Yes)
}

/// Reads everything in some paths: excluded files may refer to what is renamed or moved too.
fn everything(paths: Vec<Utf8PathBuf>) -> RunArgs {
    RunArgs {
        paths,
        exclude_nothing: true,
        ..RunArgs::default()
    }
}

fn show_diff(session: &Session, changes: &[Change], out: &mut Output) -> Result<(), Failure> {
    let show = |path: &Utf8Path| escape::line(&session.paths.show(path)).into_owned();
    for change in changes {
        let (old, new) = (show(&change.old), show(&change.new));
        out.print(&unified(&old, &new, &change.before, &change.after, out.color()))?;
    }
    Ok(())
}

/// A path with the links in its directory resolved, as far as the directory exists.
fn real_place(path: &Utf8Path, disk: &dyn Files) -> Utf8PathBuf {
    let real = path.ancestors().skip(1).find_map(|dir| {
        let below = path.strip_prefix(dir).ok()?;
        Some(disk.canonical(dir)?.join(below))
    });
    real.unwrap_or_else(|| path.to_owned())
}

/// Every file that changes, in byte order of paths.
fn changes(
    session: &Session,
    old: &Utf8Path,
    new: &Utf8Path,
    out: &mut Output,
) -> Result<Vec<Change>, Failure> {
    let analysis = &session.analysis;
    let change = Move { from: old, to: new };
    let mut edits: BTreeMap<FileId, Vec<TextEdit>> = BTreeMap::new();
    let mut left: BTreeSet<String> = BTreeSet::new();
    let mut say = |place: Option<Place>, why: &str| {
        let why = escape::line(why);
        left.insert(match place {
            Some(place) => format!("{}: {why}", Position::of(analysis, place).show(&session.paths)),
            None => why.into_owned(),
        });
    };
    let named = config_file::named(analysis);
    let of_config = config_file::moved(analysis, change);
    let mut known = named.iter().any(|path| path.starts_with(old)) || !of_config.edits.is_empty();
    let mut all = vec![of_config];
    for (_, project) in analysis.projects() {
        let moved = moved::moved(analysis, project, old, new);
        let reaches_in = analysis
            .files_and_links(project)
            .any(|path| path.starts_with(old));
        known |= reaches_in || !moved.edits.is_empty() || !moved.left.is_empty();
        // An engine that computes itself what a move changes also reports what would be lost.
        if reaches_in
            && project
                .engine()
                .moved(&**analysis, project.view(), old, new)
                .is_none()
        {
            for (place, why) in moved::lost(analysis, project, change, &named) {
                say(place, &why);
            }
        }
        all.push(moved);
    }
    for moved in all {
        for (place, why) in moved.left {
            say(place, &why);
        }
        for (file, found) in moved.edits {
            let known = edits.entry(file).or_default();
            known.extend(found);
            known.sort_by_key(|e| e.span);
            known.dedup();
            let overlap = |(a, b): (&TextEdit, &TextEdit)| a.span.overlaps(b.span);
            if known.iter().zip(known.iter().skip(1)).any(overlap) {
                say(Some(Place::file(file)), "two projects need different paths in it");
            }
        }
    }
    for why in &left {
        out.error(why);
    }
    if !left.is_empty() {
        return Err(Failure::new("nothing was moved"));
    }
    if !known {
        return Err(Failure::new(format!(
            "{}: not part of a project whose paths can be rewritten; nothing was moved",
            escape::line(&session.paths.show(old))
        )));
    }
    let mut changes: Vec<Change> = edits
        .into_iter()
        .filter_map(|(file, edits)| {
            let path = session.analysis.path(file).to_owned();
            let before = session.analysis.source(file)?.text.to_string();
            Some(Change {
                new: match path.strip_prefix(old) {
                    Ok(below) if below.as_str().is_empty() => new.to_owned(),
                    Ok(below) => new.join(below),
                    Err(_) => path.clone(),
                },
                old: path,
                after: apply_edits(&before, &edits),
                before,
            })
        })
        .collect();
    changes.sort_by(|a, b| a.old.cmp(&b.old));
    Ok(changes)
}

/// Writes and moves; on an error everything is restored, and the message says so. An interrupted run leaves a journal,
/// with which the next run restores what was written.
fn carry_out(
    disk: &dyn Disk,
    files: &dyn Files,
    old: &Utf8Path,
    new: &Utf8Path,
    changes: &[Change],
) -> Result<(), String> {
    let stopped = |what: &Utf8Path, why: &dyn std::fmt::Display| {
        format!("{}: {why}; nothing was moved", escape::line(what.as_str()))
    };
    for change in changes {
        ready(change, files).map_err(|e| stopped(&change.old, &e))?;
    }
    let journal = Journal::path(old);
    let recorded = Journal::of(new, changes);
    recorded
        .write(disk, &journal)
        .map_err(|e| stopped(&journal, &e))?;
    let missing: Vec<&Utf8Path> = new
        .ancestors()
        .skip(1)
        .take_while(|dir| !dir.as_str().is_empty() && !dir.exists())
        .collect();
    let mut created: Vec<&Utf8Path> = Vec::new();
    let edits = changes.iter().try_for_each(|change| {
        write::replace(
            disk,
            &change.old,
            change.before.as_bytes(),
            change.after.as_bytes(),
        )
        .map_err(|e| (change.old.as_path(), e))
    });
    let moved = edits.and_then(|()| {
        for dir in missing.into_iter().rev() {
            disk.create_dir(dir).map_err(|e| (dir, e))?;
            created.push(dir);
        }
        disk.rename(old, new).map_err(|e| (new, e))
    });
    let Err((what, e)) = moved else {
        // Everything is done; a leftover journal would only say so.
        let _ = disk.remove_file(&journal);
        return Ok(());
    };
    for dir in created.iter().rev() {
        // A directory in which another program put files meanwhile stays.
        let _ = disk.remove_dir(dir);
    }
    let left = recorded.put_back(disk);
    if left.is_empty() && disk.remove_file(&journal).is_ok() {
        return Err(stopped(what, &e));
    }
    let names: Vec<_> = left.iter().map(|p| escape::line(p.as_str())).collect();
    Err(format!(
        "{}: {e}; could not be restored, run the command again: {}",
        escape::line(what.as_str()),
        names.join(", ")
    ))
}

/// The planned changes of a move, stored next to the moved path while it is in progress.
#[derive(serde::Serialize, serde::Deserialize)]
struct Journal {
    new: Utf8PathBuf,
    changes: Vec<Change>,
}

impl Journal {
    fn path(old: &Utf8Path) -> Utf8PathBuf {
        old.with_file_name(format!(".{}.applyorder-mv", old.file_name().unwrap_or("move")))
    }

    fn of(new: &Utf8Path, changes: &[Change]) -> Self {
        Self {
            new: new.to_owned(),
            changes: changes.to_vec(),
        }
    }

    fn write(&self, disk: &dyn Disk, path: &Utf8Path) -> io::Result<()> {
        write::put(disk, path, &serde_json::to_vec(self)?)
    }

    /// Restores the old text of files; returns those that could not be restored. A file that was written since is kept.
    fn put_back(&self, disk: &dyn Disk) -> Vec<&Utf8Path> {
        let is_written =
            |change: &&Change| write::read(&change.old).is_ok_and(|(now, _)| now == change.after.as_bytes());
        let restore = |change: &Change| {
            write::replace(
                disk,
                &change.old,
                change.after.as_bytes(),
                change.before.as_bytes(),
            )
        };
        self.changes
            .iter()
            .filter(is_written)
            .filter(|change| restore(change).is_err())
            .map(|change| change.old.as_path())
            .collect()
    }
}

/// Finishes an interrupted move from `old` to `new`: restores what it wrote, or, if everything was done, reports that.
fn resume(disk: &dyn Disk, old: &Utf8Path, new: &Utf8Path) -> Result<bool, String> {
    let path = Journal::path(old);
    let Ok((text, _)) = write::read(&path) else {
        return Ok(false);
    };
    let failed = |why: &dyn std::fmt::Display| Err(format!("{}: {why}", escape::line(path.as_str())));
    let journal: Journal = match serde_json::from_slice(&text) {
        Ok(journal) => journal,
        Err(e) => return failed(&e),
    };
    let is_done = !old.exists() && journal.new.exists();
    if is_done && journal.new != new {
        return failed(&format!("was moved to {}", escape::line(journal.new.as_str())));
    }
    if !is_done {
        let left = journal.put_back(disk);
        if let Some(left) = left.first() {
            return failed(&format!("{} could not be restored", escape::line(left.as_str())));
        }
    }
    match disk.remove_file(&path) {
        Ok(()) => Ok(is_done),
        Err(e) => failed(&e),
    }
}

/// Whether a file is still as read, and can be written.
fn ready(change: &Change, files: &dyn Files) -> io::Result<()> {
    if fs::symlink_metadata(&change.old)?.is_symlink() {
        return Err(io::Error::other(
            "is a symbolic link, whose text may be shared by several paths",
        ));
    }
    let now = files
        .read(&change.old)
        .map_err(|e| io::Error::other(e.to_string()))?;
    if *now != *change.before.as_bytes() {
        return Err(io::Error::other("modified in the meantime"));
    }
    fs::OpenOptions::new().write(true).open(&change.old)?;
    Ok(())
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use crate::write::tests::Failing;

    fn disk() -> DiskFiles {
        DiskFiles::new(|_| None)
    }

    fn change(dir: &Utf8Path, old: &str, new: &str) -> Change {
        Change {
            old: dir.join(old),
            new: dir.join(new),
            before: "before".to_owned(),
            after: "after".to_owned(),
        }
    }

    /// Files in and next to `old`, and changes to two of them.
    fn prepared(dir: &Utf8Path) -> [Change; 2] {
        fs::create_dir_all(dir.join("old")).unwrap();
        for file in ["a.tm", "old/b.tm"] {
            fs::write(dir.join(file), "before").unwrap();
        }
        [
            change(dir, "a.tm", "a.tm"),
            change(dir, "old/b.tm", "new/deep/b.tm"),
        ]
    }

    /// Every file below a directory, with its text.
    fn all(dir: &Utf8Path) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut dirs = vec![dir.to_owned()];
        while let Some(next) = dirs.pop() {
            for entry in next.read_dir_utf8().unwrap() {
                let path = entry.unwrap().into_path();
                if path.is_dir() {
                    dirs.push(path);
                } else {
                    let name = path.strip_prefix(dir).unwrap().to_string();
                    found.insert(name, fs::read_to_string(&path).unwrap());
                }
            }
        }
        found
    }

    fn tree(files: &[(&str, &str)]) -> BTreeMap<String, String> {
        files
            .iter()
            .map(|(p, t)| ((*p).to_owned(), (*t).to_owned()))
            .collect()
    }

    #[test]
    fn one_step_that_fails_undoes_all() {
        let mut failed = 0;
        for step in 0.. {
            let temp = crate::temp::temporary();
            let dir = Utf8Path::from_path(temp.path()).unwrap();
            let changes = prepared(dir);
            let failing = Failing::at(step, false);
            let (old, new) = (dir.join("old"), dir.join("new/deep"));
            let done = carry_out(&failing, &disk(), &old, &new, &changes);
            if !failing.has_failed() {
                done.unwrap();
                break;
            }
            failed += 1;
            let Err(error) = done else {
                // Only the cleanup failed.
                assert!(all(dir).contains_key("new/deep/b.tm"));
                continue;
            };
            assert!(error.contains("nothing was moved"), "{error}");
            assert_eq!(fs::read_to_string(dir.join("a.tm")).unwrap(), "before");
            assert_eq!(fs::read_to_string(dir.join("old/b.tm")).unwrap(), "before");
            assert!(!dir.join("new").exists());
            assert_eq!(all(dir), tree(&[("a.tm", "before"), ("old/b.tm", "before")]));
        }
        assert!(failed > 6, "{failed}");
    }

    #[test]
    fn a_run_killed_at_any_step_is_completed_by_the_next() {
        let mut killed = 0;
        for step in 0.. {
            let temp = crate::temp::temporary();
            let dir = Utf8Path::from_path(temp.path()).unwrap();
            let changes = prepared(dir);
            let failing = Failing::at(step, true);
            let (old, new) = (dir.join("old"), dir.join("new/deep"));
            let _ = carry_out(&failing, &disk(), &old, &new, &changes);
            if !failing.has_failed() {
                break;
            }
            killed += 1;
            if !resume(&Machine, &old, &new).unwrap() && old.exists() {
                assert_eq!(fs::read_to_string(dir.join("a.tm")).unwrap(), "before");
                assert_eq!(fs::read_to_string(dir.join("old/b.tm")).unwrap(), "before");
                carry_out(&Machine, &disk(), &old, &new, &changes).unwrap();
            }
            assert_eq!(
                all(dir),
                tree(&[("a.tm", "after"), ("new/deep/b.tm", "after")]),
                "{step}"
            );
        }
        assert!(killed > 6, "{killed}");
    }

    #[test]
    fn files_changed_in_the_meantime_are_not_overwritten() {
        let temp = crate::temp::temporary();
        let dir = Utf8Path::from_path(temp.path()).unwrap();
        fs::create_dir(dir.join("old")).unwrap();
        fs::write(dir.join("a.tm"), "another").unwrap();
        let error = carry_out(
            &Machine,
            &disk(),
            &dir.join("old"),
            &dir.join("new"),
            &[change(dir, "a.tm", "a.tm")],
        )
        .unwrap_err();
        assert!(error.contains("modified in the meantime"), "{error}");
        assert!(dir.join("old").exists());
    }
}
