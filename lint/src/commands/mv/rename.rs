//! `mv` of a unit: its name, and every reference to it, as the editor renames it.

use applyorder_analysis::engine::Engines;
use applyorder_analysis::files::{DiskFiles, Files};
use applyorder_analysis::ide::FileSpan;
use applyorder_analysis::ide::rename::{prepare, rename};
use applyorder_analysis::syntax::text::apply_edits;
use camino::Utf8PathBuf;

use super::{Change, Journal, everything, ready, show_diff};
use crate::args::{Global, MvArgs};
use crate::commands::lint::plural;
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::session::Session;
use crate::start::current_dir;
use crate::units::{self, Found};
use crate::write::{self, Disk, Machine};

/// Renames the unit `OLD`.
///
/// # Errors
/// When the unit is unknown or cannot be renamed everywhere; then nothing is changed.
pub(super) fn run(
    engines: Engines,
    global: &Global,
    args: &MvArgs,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let session = Session::open(engines, global, &everything(vec![current_dir()?]), out)?;
    if session.failed() {
        return Err(Failure::new(
            "nothing was renamed, as not everything could be read",
        ));
    }
    let unit = units::find_declared(&session, args.old.as_str(), "unknown path or unit")?;
    let changes = changes(&session, &unit, args.new.as_str())
        .map_err(|why| Failure::new(format!("{}: {why}", escape::line(args.old.as_str()))))?;
    if args.diff {
        show_diff(&session, &changes, out)?;
    } else {
        carry_out(&Machine, &DiskFiles::new(|_| None), &changes).map_err(Failure::new)?;
    }
    let [old, new] = [&args.old, &args.new].map(|name| escape::line(name.as_str()).into_owned());
    out.summary(&format!(
        "{} {old} to {new}; {}",
        if args.diff { "would rename" } else { "renamed" },
        plural(changes.len(), ["file rewritten", "files rewritten"])
    ));
    Ok(Exit::Yes)
}

/// Every file that changes; the one that declares the unit is last. If the command is interrupted, the unit still has
/// its old name, and running the command again renames the rest.
fn changes(session: &Session, found: &Found<'_>, new: &str) -> Result<Vec<Change>, String> {
    let analysis = &session.analysis;
    let unit = found
        .variant
        .units
        .get(found.unit.0 as usize)
        .ok_or("unknown unit")?;
    if unit.name_place.is_none() {
        let file = session.paths.show(analysis.path(unit.header.file));
        return Err(format!(
            "this name comes from the path of {}: move its directory instead",
            escape::line(&file)
        ));
    }
    let declared = FileSpan::of(analysis, unit.place());
    let (file, offset) = (declared.file, declared.span.start);
    let written = prepare(analysis, file, offset)?.name;
    let edits = rename(analysis, file, offset, new_name(&unit.name, &written, new))?;
    let change = |(file, edits): (_, Vec<_>)| {
        let path: Utf8PathBuf = analysis.path(file).to_owned();
        let before = analysis.source(file)?.text.to_string();
        Some(Change {
            new: path.clone(),
            old: path,
            after: apply_edits(&before, &edits),
            before,
        })
    };
    let mut changes: Vec<Change> = edits.into_iter().filter_map(change).collect();
    let last = analysis.path(file);
    changes.sort_by(|a, b| (a.old == *last, &a.old).cmp(&(b.old == *last, &b.old)));
    Ok(changes)
}

/// The replacement for `written`, which is all of a unit's name or a part of it: `NEW` is that part, or the whole name
/// with a new part in it.
fn new_name<'a>(name: &str, written: &str, new: &'a str) -> &'a str {
    let Some((before, behind)) = name.rsplit_once(written) else {
        return new;
    };
    let part = new
        .strip_prefix(before)
        .and_then(|rest| rest.strip_suffix(behind));
    part.filter(|part| !part.is_empty()).unwrap_or(new)
}

/// Writes the files one after the other; on an error, restores the old text of those that were written.
fn carry_out(disk: &dyn Disk, files: &dyn Files, changes: &[Change]) -> Result<(), String> {
    let stopped = |change: &Change, why: &dyn std::fmt::Display| {
        format!(
            "{}: {why}; nothing was renamed",
            escape::line(change.old.as_str())
        )
    };
    for change in changes {
        ready(change, files).map_err(|e| stopped(change, &e))?;
    }
    for (i, change) in changes.iter().enumerate() {
        let (before, after) = (change.before.as_bytes(), change.after.as_bytes());
        let Err(e) = write::replace(disk, &change.old, before, after) else {
            continue;
        };
        let written = Journal::of(&change.new, changes.get(..i).unwrap_or_default());
        let left = written.put_back(disk);
        if left.is_empty() {
            return Err(stopped(change, &e));
        }
        let names: Vec<_> = left.iter().map(|p| escape::line(p.as_str())).collect();
        return Err(format!(
            "{}: {e}; already renamed, run the command again to rename the rest: {}",
            escape::line(change.old.as_str()),
            names.join(", ")
        ));
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use std::fs;

    use camino::Utf8Path;

    use super::*;
    use crate::write::tests::Failing;

    #[test]
    fn the_whole_name_can_be_written_or_what_is_written_of_it() {
        assert_eq!(new_name("web", "web", "shop"), "shop");
        assert_eq!(new_name("Job/web@prod", "web", "Job/shop@prod"), "shop");
        assert_eq!(new_name("Job/web@prod", "web", "shop"), "shop");
        assert_eq!(new_name("Job/web@prod", "web", "Pod/shop@prod"), "Pod/shop@prod");
    }

    #[test]
    fn a_step_that_fails_leaves_all_files_as_they_were() {
        let temp = crate::temp::temporary();
        let dir = Utf8Path::from_path(temp.path()).unwrap();
        let changes = ["a", "b"].map(|name| Change {
            old: dir.join(name),
            new: dir.join(name),
            before: "before".to_owned(),
            after: "after".to_owned(),
        });
        let texts = || ["a", "b"].map(|name| fs::read_to_string(dir.join(name)).unwrap());
        for step in 0.. {
            for change in &changes {
                fs::write(&change.old, "before").unwrap();
            }
            let failing = Failing::at(step, false);
            let done = carry_out(&failing, &DiskFiles::new(|_| None), &changes);
            if !failing.has_failed() {
                assert_eq!((done, texts()), (Ok(()), ["after"; 2].map(str::to_owned)));
                break;
            }
            if let Err(error) = done {
                assert!(error.contains("nothing was renamed"), "{error}");
                assert_eq!(texts(), ["before"; 2].map(str::to_owned), "{step}");
            }
        }
    }
}
