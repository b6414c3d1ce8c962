//! `mv`: moves a file or directory, and rewrites every path that names it.

use std::collections::BTreeMap;
use std::fs;
use std::io;

use applyorder_analysis::files::{DiskFiles, Files};
use applyorder_analysis::syntax::text::apply_edits;
use camino::{Utf8Path, Utf8PathBuf};

use crate::args::{Global, MvArgs, RunArgs};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::place::Position;
use crate::session::{Session, absolute, current_dir};

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
pub fn run(global: &Global, args: &MvArgs, out: &mut Output) -> Result<Exit, Failure> {
    let cwd = current_dir()?;
    let (old, new) = (absolute(&cwd, &args.old), absolute(&cwd, &args.new));
    let disk = DiskFiles::new(|_| None);
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
    let session = Session::open(global, &run, out)?;
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
        carry_out(&old, &new, &changes).map_err(|e| Failure::new(format!("nothing was moved: {e}")))?;
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

/// Every file that changes, in the byte order of paths.
fn changes(
    session: &Session,
    old: &Utf8Path,
    new: &Utf8Path,
    out: &mut Output,
) -> Result<Vec<Change>, Failure> {
    let mut edits = BTreeMap::new();
    let mut left = false;
    for (_, project) in session.analysis.projects() {
        let Some(engine) = project.engine() else { continue };
        let moved = engine.moved(&session.analysis, project, old, new);
        for (place, why) in moved.left {
            left = true;
            let at = Position::of(&session.analysis, place).show(&session.paths);
            out.error(&format!("{at}: {}", escape::line(&why)));
        }
        for (file, found) in moved.edits {
            let known: &mut Vec<_> = edits.entry(file).or_default();
            known.extend(found);
            known.sort_by_key(|e: &applyorder_analysis::syntax::text::TextEdit| e.span);
            known.dedup();
            if known
                .iter()
                .zip(known.iter().skip(1))
                .any(|(a, b)| a.span.overlaps(b.span))
            {
                return Err(Failure::new(format!(
                    "{}: two projects want different paths in it",
                    escape::line(session.analysis.path(file).as_str())
                )));
            }
        }
    }
    if left {
        return Err(Failure::new(
            "nothing was moved, as not every path can be rewritten",
        ));
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

/// Moves and writes; on an error everything is put back.
fn carry_out(old: &Utf8Path, new: &Utf8Path, changes: &[Change]) -> io::Result<()> {
    let mut created: Vec<&Utf8Path> = Vec::new();
    let missing: Vec<&Utf8Path> = new
        .ancestors()
        .skip(1)
        .take_while(|dir| !dir.as_str().is_empty() && !dir.exists())
        .collect();
    let undo_dirs = |created: &[&Utf8Path]| {
        for dir in created.iter().rev() {
            // Best effort: what somebody else put in meanwhile stays.
            let _ = fs::remove_dir(dir);
        }
    };
    for dir in missing.into_iter().rev() {
        if let Err(e) = fs::create_dir(dir) {
            undo_dirs(&created);
            return Err(e);
        }
        created.push(dir);
    }
    if let Err(e) = fs::rename(old, new) {
        undo_dirs(&created);
        return Err(e);
    }
    for (n, change) in changes.iter().enumerate() {
        if let Err(e) = fs::write(&change.new, &change.after) {
            for written in changes.iter().take(n + 1) {
                let _ = fs::write(&written.new, &written.before);
            }
            let _ = fs::rename(new, old);
            undo_dirs(&created);
            return Err(io::Error::new(e.kind(), format!("{}: {e}", change.new)));
        }
    }
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
