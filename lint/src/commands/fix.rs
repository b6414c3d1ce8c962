//! `lint --fix` and `--diff`: fixes for findings, applied in rounds until no applicable fix is left. Cycles are not cut
//! here: which of its edges to remove is a decision for a person, in the editor.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use applyorder_analysis::diagnostic::{Diagnostic, FileId, Fix, Safety};
use applyorder_analysis::ide::closing::{self, Outcome};
use applyorder_analysis::ide::code_actions::Edits;
use applyorder_analysis::rules::cycle;
use applyorder_analysis::syntax::text::{Span, TextEdit, apply_edits};
use applyorder_analysis::workspace::Analysis;
use camino::{Utf8Path, Utf8PathBuf};

use super::lint::plural;
use crate::diff::unified;
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::fingerprint::Reported;
use crate::output::Output;
use crate::session::Session;
use crate::write::{self, Disk};

/// The maximum number of rounds. In the worst case, one round halves the number of overlapping fixes.
const MOST_ROUNDS: usize = 40;

/// The result of fixing.
#[derive(Default)]
pub(super) struct Fixed {
    /// How many fixes were applied.
    pub(super) applied: usize,
    /// The files that change.
    pub(super) files: BTreeMap<Utf8PathBuf, Texts>,
    /// Whether it stopped with fixes left.
    pub(super) gave_up: bool,
    /// The fingerprints of findings whose fix would close a cycle.
    closing: BTreeSet<String>,
    /// The same for findings whose fix was not checked, because too many others close one.
    unknown: BTreeSet<String>,
}

/// A file's text.
pub(super) struct Texts {
    /// On the disk.
    pub(super) before: String,
    /// With the fixes.
    pub(super) after: String,
}

/// Applies fixes to the texts that a run sees; nothing is written to disk. `findings` provides the findings to fix.
pub(super) fn apply(
    session: &mut Session,
    with_unsafe: bool,
    mut findings: impl FnMut(&Session, &Analysis, &mut dyn FnMut(&Reported<'_>)),
) -> Fixed {
    let mut fixed = Fixed::default();
    // If a text repeats, the fixes would loop forever.
    let mut seen: BTreeSet<Vec<(Utf8PathBuf, String)>> = BTreeSet::new();
    for _ in 0..MOST_ROUNDS {
        let analysis = session.analysis.clone();
        let mut round = Round::default();
        findings(session, &analysis, &mut |reported| {
            if let Some(fix) = chosen(reported.finding.diagnostic, with_unsafe)
                && !fixed.skips(reported)
            {
                round.add(session, &analysis, reported, fix);
            }
        });
        let skipped = round.skip_closing(&analysis, &mut fixed);
        if round.fixes.is_empty() {
            // The skipped fixes no longer block others.
            if skipped {
                continue;
            }
            return fixed;
        }
        let texts = round.texts(&analysis);
        if !seen.insert(texts.clone()) {
            break;
        }
        for (path, after) in &texts {
            let file = analysis.file(path);
            let before = file.and_then(|f| analysis.source(f)).map_or("", |s| &*s.text);
            let entry = fixed.files.entry(path.clone()).or_insert_with(|| Texts {
                before: before.to_owned(),
                after: String::new(),
            });
            entry.after.clone_from(after);
        }
        fixed.applied += round.fixes.len();
        session.set_texts(&texts);
    }
    fixed.gave_up = true;
    fixed
}

/// The fix to apply for a finding: the best one, if it is safe or `with_unsafe` is set. A lesser fix that is safe would
/// only silence the finding.
pub(super) fn chosen(d: &Diagnostic, with_unsafe: bool) -> Option<&Fix> {
    if d.rule == &cycle::RULE {
        return None;
    }
    let best = d.fixes.first()?;
    (best.safety == Safety::Safe || with_unsafe).then_some(best)
}

/// The numbers of findings with a safe fix and with an unsafe one.
fn count<'a>(findings: impl Iterator<Item = &'a Reported<'a>>) -> (usize, usize) {
    let chosen = findings.filter_map(|r| chosen(r.finding.diagnostic, true));
    let (safe, others): (Vec<_>, Vec<_>) = chosen.partition(|fix| fix.safety == Safety::Safe);
    (safe.len(), others.len())
}

/// Prints what fixes would change. Returns [`Exit::No`] if they would change something.
pub(super) fn show_diff(session: &Session, fixed: &Fixed, out: &mut Output) -> Result<Exit, Failure> {
    for (path, texts) in &fixed.files {
        let shown = session.paths.show(path);
        let shown = escape::line(&shown);
        out.print(&unified(&shown, &shown, &texts.before, &texts.after, out.color()))?;
    }
    if fixed.applied == 0 {
        out.summary("nothing to fix");
    } else {
        out.summary(&format!("would fix {}", in_files(fixed)));
    }
    for line in fixed.skipped() {
        out.summary(&line);
    }
    Ok(match (session.failed(), fixed.applied) {
        (true, _) => Exit::Failed,
        (false, 0) => Exit::Yes,
        (false, _) => Exit::No,
    })
}

fn in_files(fixed: &Fixed) -> String {
    format!(
        "{} in {}",
        plural(fixed.applied, ["finding", "findings"]),
        plural(fixed.files.len(), ["file", "files"])
    )
}

/// Lines on what was fixed, and what else can be fixed.
pub(super) fn lines(fixed: Option<&Fixed>, findings: &[Reported<'_>]) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(fixed) = fixed.filter(|fixed| fixed.applied > 0) {
        lines.push(format!("fixed {}", in_files(fixed)));
    }
    if fixed.is_some_and(|fixed| fixed.gave_up) {
        lines.push("stopped because fixes undo each other; run again to continue".to_owned());
    }
    lines.extend(fixed.into_iter().flat_map(Fixed::skipped));
    let is_open = |reported: &&Reported<'_>| !fixed.is_some_and(|fixed| fixed.skips(reported));
    let (safe, others) = count(findings.iter().filter(is_open));
    if safe > 0 && fixed.is_none() {
        let fixes = plural(safe, ["safe fix", "safe fixes"]);
        lines.push(format!("{fixes}: preview with --diff, apply with --fix"));
    }
    if others > 0 {
        let fixes = plural(others, ["unsafe fix", "unsafe fixes"]);
        lines.push(format!("{fixes}: preview with --diff --unsafe-fixes"));
    }
    lines
}

impl Fixed {
    /// Whether the fix of a finding must not be applied.
    fn skips(&self, reported: &Reported<'_>) -> bool {
        [&self.closing, &self.unknown]
            .iter()
            .any(|skipped| skipped.contains(reported.fingerprint()))
    }

    /// What was not applied, and why.
    fn skipped(&self) -> impl Iterator<Item = String> {
        let said = [
            (&self.closing, "would close a cycle"),
            (&self.unknown, "may close a cycle; run again to continue"),
        ];
        said.into_iter()
            .filter(|(some, _)| !some.is_empty())
            .map(|(some, why)| {
                let fixes = plural(some.len(), ["fix", "fixes"]);
                format!("skipped {fixes} that {why}")
            })
    }
}

/// The fixes of one round; they do not overlap.
#[derive(Default)]
struct Round {
    fixes: Vec<Taken>,
    edits: BTreeMap<FileId, Vec<TextEdit>>,
    /// The name under which each file is edited: links can give it several names.
    names: BTreeMap<Utf8PathBuf, FileId>,
    /// Whether a text is the one on the disk: not standard input, not the output of a command, and not outside the
    /// trees that were asked about.
    on_disk: BTreeMap<FileId, bool>,
}

/// A fix that is part of a round.
struct Taken {
    fingerprint: String,
    edits: Edits,
    may_close: bool,
}

impl Round {
    fn add(&mut self, session: &Session, analysis: &Analysis, reported: &Reported<'_>, fix: &Fix) {
        let edits = analysis.edits(fix);
        let mut is_on_disk = |file: FileId| {
            let text = analysis.source(file).map_or("", |s| &*s.text);
            let path = analysis.path(file);
            let of_disk = || session.may_quote(path) && session.is_on_disk(path, text);
            *self.on_disk.entry(file).or_insert_with(of_disk)
        };
        if edits.is_empty() || !edits.iter().all(|(file, _)| is_on_disk(*file)) {
            return;
        }
        let mut names = Vec::new();
        for (file, edits) in &edits {
            let canonical = session.canonical(analysis.path(*file));
            if self.names.get(&canonical).is_some_and(|known| known != file) {
                return;
            }
            names.push((canonical, *file));
            let known = self.edits.get(file).map_or(&[][..], Vec::as_slice);
            if edits.iter().any(|edit| conflicts(known, edit.span)) {
                return;
            }
        }
        self.names.extend(names);
        self.change(&edits);
        self.fixes.push(Taken {
            fingerprint: reported.fingerprint().to_owned(),
            edits,
            may_close: closing::may_close(fix),
        });
    }

    fn change(&mut self, edits: &Edits) {
        for (file, new) in edits {
            let known = self.edits.entry(*file).or_default();
            for edit in new {
                let key = |edit: &TextEdit| (edit.span.start, edit.span.end);
                let at = known.partition_point(|before| key(before) <= key(edit));
                known.insert(at, edit.clone());
            }
        }
    }

    /// Removes the fixes that would close a cycle. Returns whether there were any.
    fn skip_closing(&mut self, analysis: &Analysis, fixed: &mut Fixed) -> bool {
        let fixes: Vec<_> = self.fixes.iter().map(|fix| (&fix.edits, fix.may_close)).collect();
        let outcomes = closing::outcomes(analysis, &fixes);
        if outcomes.iter().all(|outcome| *outcome == Outcome::Open) {
            return false;
        }
        self.edits.clear();
        for (fix, outcome) in std::mem::take(&mut self.fixes).into_iter().zip(outcomes) {
            match outcome {
                Outcome::Open => {
                    self.change(&fix.edits);
                    self.fixes.push(fix);
                }
                Outcome::Closes => drop(fixed.closing.insert(fix.fingerprint)),
                Outcome::Unknown => drop(fixed.unknown.insert(fix.fingerprint)),
            }
        }
        true
    }

    fn texts(&self, analysis: &Analysis) -> Vec<(Utf8PathBuf, String)> {
        let text = |(file, edits): (&FileId, &Vec<TextEdit>)| {
            let source = analysis.source(*file)?;
            Some((analysis.path(*file).to_owned(), apply_edits(&source.text, edits)))
        };
        self.edits.iter().filter_map(text).collect()
    }
}

/// Whether a range touches any of the edits, which are sorted by position.
fn conflicts(known: &[TextEdit], span: Span) -> bool {
    let from = known.partition_point(|edit| edit.span.end < span.start);
    known
        .get(from..)
        .is_some_and(|rest| rest.first().is_some_and(|edit| edit.span.start <= span.end))
}

/// Writes the files, each completely or not at all, and none if one was modified in the meantime.
///
/// # Errors
/// When one cannot be written; the message names it and those that were written.
pub(super) fn write(
    disk: &dyn Disk,
    fixed: &Fixed,
    show: &dyn Fn(&Utf8Path) -> String,
) -> Result<(), Failure> {
    let failed = |path: &Utf8Path, e: &io::Error, written: &[String]| {
        let rest = match written {
            [] => "nothing was fixed".to_owned(),
            some => format!("already fixed: {}", some.join(", ")),
        };
        Failure::new(format!("{}: {e}; {rest}", escape::line(&show(path))))
    };
    for (path, texts) in &fixed.files {
        let is_same = write::read(path).and_then(|(now, _)| match now == texts.before.as_bytes() {
            true => Ok(()),
            false => Err(io::Error::other("modified in the meantime")),
        });
        is_same.map_err(|e| failed(path, &e, &[]))?;
    }
    let mut written: Vec<String> = Vec::new();
    for (path, texts) in &fixed.files {
        write::replace(disk, path, texts.before.as_bytes(), texts.after.as_bytes())
            .map_err(|e| failed(path, &e, &written))?;
        written.push(escape::line(&show(path)).into_owned());
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use std::fs;

    use super::*;
    use crate::write::Machine;
    use crate::write::tests::Failing;

    fn fixed(dir: &Utf8Path, files: &[&str]) -> Fixed {
        let mut fixed = Fixed::default();
        for file in files {
            fs::write(dir.join(file), "before").unwrap();
            let texts = Texts {
                before: "before".to_owned(),
                after: "after".to_owned(),
            };
            fixed.files.insert(dir.join(file), texts);
        }
        fixed
    }

    fn message(done: Result<(), Failure>) -> String {
        match done {
            Err(Failure::Message(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_interruption_leaves_whole_files_and_the_error_names_them() {
        for killed in [false, true] {
            let mut stopped = 0;
            for step in 0.. {
                let temp = crate::temp::temporary();
                let dir = Utf8Path::from_path(temp.path()).unwrap();
                let fixed = fixed(dir, &["a", "b"]);
                let disk = Failing::at(step, killed);
                let done = write(&disk, &fixed, &|path| path.file_name().unwrap().to_owned());
                let text = |file: &str| fs::read_to_string(dir.join(file)).unwrap();
                let (a, b) = (text("a"), text("b"));
                if !disk.has_failed() {
                    done.unwrap();
                    assert_eq!((&*a, &*b), ("after", "after"));
                    break;
                }
                stopped += 1;
                let Err(Failure::Message(said)) = done else {
                    // Only the final step of the last file was left.
                    assert_eq!((&*a, &*b), ("after", "after"));
                    continue;
                };
                for (file, text) in [("a", &a), ("b", &b)] {
                    assert!(text == "before" || text == "after", "{file}: {text}");
                }
                assert_eq!(said.contains("nothing was fixed"), a == "before", "{said}");
                assert_eq!(said.contains("already fixed: a"), a == "after", "{said}");
            }
            assert!(stopped >= 4, "{stopped}");
        }
    }

    #[test]
    fn nothing_is_written_if_one_file_changed_in_the_meantime() {
        let temp = crate::temp::temporary();
        let dir = Utf8Path::from_path(temp.path()).unwrap();
        let fixed = fixed(dir, &["a", "b"]);
        fs::write(dir.join("b"), "another").unwrap();
        let said = message(write(&Machine, &fixed, &|path| path.to_string()));
        assert!(
            said.contains("modified in the meantime; nothing was fixed"),
            "{said}"
        );
        assert_eq!(fs::read_to_string(dir.join("a")).unwrap(), "before");
    }

    #[test]
    fn edits_that_touch_wait_for_the_next_round() {
        let edit = |start, end| TextEdit {
            span: Span::from_usize(start, end),
            text: String::new(),
        };
        let known = [edit(2, 4), edit(8, 8)];
        for (span, touches) in [
            ((0, 1), false),
            ((0, 2), true),
            ((3, 3), true),
            ((4, 5), true),
            ((5, 7), false),
            ((5, 9), true),
            ((8, 8), true),
            ((9, 9), false),
        ] {
            assert_eq!(
                conflicts(&known, Span::from_usize(span.0, span.1)),
                touches,
                "{span:?}"
            );
        }
    }
}
