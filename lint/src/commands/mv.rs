//! `mv`: moves a file or directory, and rewrites every path that names it.

use applyorder_analysis::engine::Engines;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::files::{DiskFiles, Files, ReadError};
use applyorder_analysis::syntax::text::{TextEdit, apply_edits};
use camino::{Utf8Path, Utf8PathBuf};

use crate::args::{Global, MvArgs, RunArgs};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::place::Position;
use crate::session::Session;
use crate::start::{absolute, current_dir};

/// Lines shown around a change.
const CONTEXT: usize = 3;

/// A file that changes.
struct Change {
    /// Where it is, and where it is after the move.
    old: Utf8PathBuf,
    new: Utf8PathBuf,
    before: String,
    after: String,
}

/// Runs the command.
///
/// # Errors
/// When the move cannot be done whole; then nothing is changed.
pub fn run(engines: Engines, global: &Global, args: &MvArgs, out: &mut Output) -> Result<Exit, Failure> {
    let cwd = current_dir()?;
    let disk = DiskFiles::new(|_| None);
    let old = real_place(&absolute(&cwd, &args.old), &disk);
    let new = real_place(&absolute(&cwd, &args.new), &disk);
    let refuse =
        |path: &Utf8Path, why: &str| Err(Failure::new(format!("{}: {why}", escape::line(path.as_str()))));
    if disk.kind(&old, false).is_none() {
        return refuse(&args.old, "is not there");
    }
    if disk.kind(&new, false).is_some() {
        return refuse(&args.new, "is there already");
    }
    if new.starts_with(&old) {
        return refuse(&args.new, "lies inside of what is moved");
    }
    let run = RunArgs {
        paths: vec![cwd.clone(), old.clone()],
        ..RunArgs::default()
    };
    let session = Session::open(engines, global, &run, out)?;
    if session.failed {
        return Err(Failure::new("nothing was moved, as not everything could be read"));
    }
    let changes = changes(&session, &old, &new, out)?;
    let show = |path: &Utf8Path| escape::line(&session.paths.show(path)).into_owned();
    if args.diff {
        let mut diff = String::new();
        for change in &changes {
            write_diff(&mut diff, &show(&change.old), &show(&change.new), change);
        }
        out.print(&diff)?;
    } else {
        carry_out(&disk, &old, &new, &changes).map_err(Failure::new)?;
    }
    out.summary(&format!(
        "{} {} to {}; {}",
        if args.diff { "would move" } else { "moved" },
        show(&old),
        show(&new),
        super::lint::plural(changes.len(), ["file rewritten", "files rewritten"])
    ));
    Ok(Exit::Yes)
}

/// A path with the links in its directory resolved, as far as the directory is there.
fn real_place(path: &Utf8Path, disk: &dyn Files) -> Utf8PathBuf {
    let real = path.ancestors().skip(1).find_map(|dir| {
        let below = path.strip_prefix(dir).ok()?;
        Some(disk.canonical(dir)?.join(below))
    });
    real.unwrap_or_else(|| path.to_owned())
}

/// Every file that changes, in the byte order of paths.
fn changes(
    session: &Session,
    old: &Utf8Path,
    new: &Utf8Path,
    out: &mut Output,
) -> Result<Vec<Change>, Failure> {
    let mut edits: BTreeMap<FileId, Vec<TextEdit>> = BTreeMap::new();
    let mut known = false;
    let mut left: BTreeSet<String> = BTreeSet::new();
    for (ix, project) in session.analysis.projects() {
        let Some(moved) = project
            .engine()
            .moved(&*session.analysis, project.view(), old, new)
        else {
            let reaches_in = project
                .files_and_links(&session.analysis)
                .any(|path| path.starts_with(old));
            if reaches_in {
                left.insert(format!(
                    "{}: paths in files of {} can't be rewritten yet",
                    session.key(ix),
                    project.engine().meta().title
                ));
            }
            continue;
        };
        known = true;
        for (place, why) in moved.left {
            let why = escape::line(&why);
            left.insert(match place {
                Some(place) => format!(
                    "{}: {why}",
                    Position::of(&session.analysis, place).show(&session.paths)
                ),
                None => why.into_owned(),
            });
        }
        for (file, found) in moved.edits {
            let known = edits.entry(file).or_default();
            known.extend(found);
            known.sort_by_key(|e| e.span);
            known.dedup();
            let overlap = |(a, b): (&TextEdit, &TextEdit)| a.span.overlaps(b.span);
            if known.iter().zip(known.iter().skip(1)).any(overlap) {
                left.insert(format!(
                    "{}: two projects want different paths in it",
                    escape::line(&session.paths.show(session.analysis.path(file)))
                ));
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
            "{}: lies in no project whose paths can be rewritten; nothing was moved",
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

/// Moves and writes; on an error everything is put back, and the error says so.
fn carry_out(disk: &dyn Files, old: &Utf8Path, new: &Utf8Path, changes: &[Change]) -> Result<(), String> {
    let stopped = |what: &Utf8Path, why: &dyn std::fmt::Display| {
        format!("{}: {why}; nothing was moved", escape::line(what.as_str()))
    };
    for change in changes {
        ready(change, disk).map_err(|e| stopped(&change.old, &e))?;
    }
    let missing: Vec<&Utf8Path> = new
        .ancestors()
        .skip(1)
        .take_while(|dir| !dir.as_str().is_empty() && !dir.exists())
        .collect();
    let mut created: Vec<&Utf8Path> = Vec::new();
    let remove = |created: &[&Utf8Path]| {
        for dir in created.iter().rev() {
            // What somebody else put in meanwhile stays.
            let _ = fs::remove_dir(dir);
        }
    };
    for dir in missing.into_iter().rev() {
        if let Err(e) = fs::create_dir(dir) {
            remove(&created);
            return Err(stopped(dir, &e));
        }
        created.push(dir);
    }
    if let Err(e) = fs::rename(old, new) {
        remove(&created);
        return Err(stopped(new, &e));
    }
    for (n, change) in changes.iter().enumerate() {
        let Err(e) = fs::write(&change.new, &change.after) else {
            continue;
        };
        let mut not_restored: Vec<&Utf8Path> = Vec::new();
        for written in changes.iter().take(n + 1) {
            // A write that failed early has left nothing, or what was there.
            let untouched = match disk.read(&written.new) {
                Ok(now) => *now == *written.before.as_bytes(),
                Err(e) => e == ReadError::NotFound,
            };
            if !untouched && fs::write(&written.new, &written.before).is_err() {
                not_restored.push(&written.new);
            }
        }
        if fs::rename(new, old).is_err() {
            not_restored.push(new);
        }
        remove(&created);
        if not_restored.is_empty() {
            return Err(stopped(&change.new, &e));
        }
        let names: Vec<_> = not_restored.iter().map(|p| escape::line(p.as_str())).collect();
        return Err(format!(
            "{}: {e}; these could not be put back: {}",
            escape::line(change.new.as_str()),
            names.join(", ")
        ));
    }
    Ok(())
}

/// Whether a file still is what was read, and can be written.
fn ready(change: &Change, disk: &dyn Files) -> io::Result<()> {
    if fs::symlink_metadata(&change.old)?.is_symlink() {
        return Err(io::Error::other(
            "is a symbolic link, and its text may stand for several paths",
        ));
    }
    let now = disk
        .read(&change.old)
        .map_err(|e| io::Error::other(e.to_string()))?;
    if *now != *change.before.as_bytes() {
        return Err(io::Error::other("was changed meanwhile"));
    }
    fs::OpenOptions::new().write(true).open(&change.old)?;
    Ok(())
}

/// A unified diff. Paths hold no line breaks, so line `n` before is line `n` after.
fn write_diff(out: &mut String, old: &str, new: &str, change: &Change) {
    out.push_str(&format!("--- a/{old}\n+++ b/{new}\n"));
    let before: Vec<&str> = change.before.split_inclusive('\n').collect();
    let after: Vec<&str> = change.after.split_inclusive('\n').collect();
    let pairs: Vec<(&str, &str)> = before.into_iter().zip(after).collect();
    let changed = |n: &usize| pairs.get(*n).is_some_and(|(a, b)| a != b);
    let mut at = 0;
    while let Some(first) = (at..pairs.len()).find(changed) {
        let start = first.saturating_sub(CONTEXT);
        let mut last = first;
        while let Some(next) = (last + 1..pairs.len().min(last + 2 * CONTEXT + 2)).find(changed) {
            last = next;
        }
        let end = pairs.len().min(last + CONTEXT + 1);
        let (from, count) = (start + 1, end - start);
        out.push_str(&format!("@@ -{from},{count} +{from},{count} @@\n"));
        let mut n = start;
        while n < end {
            let run = (n..end).take_while(changed).count();
            if run == 0 {
                if let Some((line, _)) = pairs.get(n) {
                    write_line(out, ' ', line);
                }
                n += 1;
                continue;
            }
            let lines = || pairs.iter().skip(n).take(run);
            for (line, _) in lines() {
                write_line(out, '-', line);
            }
            for (_, line) in lines() {
                write_line(out, '+', line);
            }
            n += run;
        }
        at = end;
    }
}

fn write_line(out: &mut String, sign: char, line: &str) {
    out.push(sign);
    out.push_str(line);
    if !line.ends_with('\n') {
        out.push_str("\n\\ No newline at end of file\n");
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;

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

    #[test]
    fn one_write_that_fails_undoes_all() {
        let temp = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(temp.path()).unwrap();
        fs::create_dir_all(dir.join("old")).unwrap();
        for file in ["a.tm", "old/b.tm"] {
            fs::write(dir.join(file), "before").unwrap();
        }
        // The second file is not where it is expected after the move.
        let changes = [
            change(dir, "a.tm", "a.tm"),
            change(dir, "old/b.tm", "new/deep/none/b.tm"),
        ];
        let error = carry_out(&disk(), &dir.join("old"), &dir.join("new/deep"), &changes).unwrap_err();
        assert!(error.contains("nothing was moved"), "{error}");
        assert_eq!(fs::read_to_string(dir.join("a.tm")).unwrap(), "before");
        assert_eq!(fs::read_to_string(dir.join("old/b.tm")).unwrap(), "before");
        assert!(!dir.join("new").exists());
    }

    #[test]
    fn what_changed_meanwhile_is_not_overwritten() {
        let temp = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(temp.path()).unwrap();
        fs::create_dir(dir.join("old")).unwrap();
        fs::write(dir.join("a.tm"), "another").unwrap();
        let error = carry_out(
            &disk(),
            &dir.join("old"),
            &dir.join("new"),
            &[change(dir, "a.tm", "a.tm")],
        )
        .unwrap_err();
        assert!(error.contains("changed meanwhile"), "{error}");
        assert!(dir.join("old").exists());
    }

    #[test]
    fn a_difference_shows_lines_around() {
        let mut diff = String::new();
        let change = Change {
            before: "1\n2\n3\n4\n5\n6\n7\n8\nlast".to_owned(),
            after: "1\n2\n3\n4\n5\nsix\n7\n8\nend".to_owned(),
            ..change(Utf8Path::new("/"), "a", "a")
        };
        write_diff(&mut diff, "a", "b", &change);
        assert_eq!(
            diff,
            "--- a/a\n+++ b/b\n@@ -3,7 +3,7 @@\n 3\n 4\n 5\n-6\n+six\n 7\n 8\n-last\n\\ No newline at end of file\n\
             +end\n\\ No newline at end of file\n"
        );
    }
}
