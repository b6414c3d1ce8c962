//! `--watch`: runs again whenever something changes that the run read. Each pass is a complete run, so its result
//! equals that of a new run; only the difference to the previous pass is printed.

use std::collections::BTreeSet;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use applyorder_analysis::engine::Engines;
use camino::{Utf8Path, Utf8PathBuf};
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

use super::seen::Seen;
use super::summary::plural;
use crate::args::{Global, LintArgs};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::look::Look as Terminal;
use crate::output::{Output, is_stdin};
use crate::place::Paths;
use crate::session::Watched;
use crate::start::{absolute, current_dir};

/// A single save causes several events: they are collected until none has arrived for this long...
const QUIET: Duration = Duration::from_millis(80);
/// ... but at most for this long.
const PATIENCE: Duration = Duration::from_secs(1);

/// How many changed files are named.
const MOST_NAMED: usize = 3;

/// The maximum number of watched directories; systems allow at least this many per user.
const MOST_DIRS: usize = 8_192;

enum Event {
    Changed(Vec<Utf8PathBuf>),
    /// Ctrl-C.
    Stop,
}

/// What a pass is compared with, and what has changed since.
pub(super) struct Since<'a> {
    pub(super) seen: &'a Seen,
    changed: &'a BTreeSet<Utf8PathBuf>,
}

/// The result of a pass.
pub(super) struct Look {
    pub(super) exit: Exit,
    pub(super) seen: Seen,
    pub(super) watched: Watched,
}

impl Look {
    /// A result to compare nothing with.
    pub(super) fn of(exit: Exit) -> Self {
        Self {
            exit,
            seen: Seen::default(),
            watched: Watched::default(),
        }
    }
}

impl Since<'_> {
    /// The line on what has changed; `None` if nothing has.
    pub(super) fn line(&self, now: &Seen, paths: &Paths, terminal: Terminal) -> Option<String> {
        let parts = now.differences(self.seen, terminal);
        let rule = terminal.glyph("──");
        if parts.is_empty() && self.changed.is_empty() {
            return None;
        }
        let mut line = format!("{rule} {}", chrono::Local::now().format("%H:%M:%S"));
        let named = self.changed.iter().take(MOST_NAMED);
        let named: Vec<_> = named
            .map(|path| escape::line(&paths.show(path)).into_owned())
            .collect();
        if !named.is_empty() {
            line.push_str(&format!(" {}", named.join(", ")));
        }
        let more = self.changed.len().saturating_sub(MOST_NAMED);
        if more > 0 {
            line.push_str(&format!(" and {more} more"));
        }
        let parts = if parts.is_empty() {
            vec!["no change".to_owned(), now.now()]
        } else {
            parts
        };
        Some(format!("{line} {rule} {}", parts.join(&format!(" {rule} "))))
    }
}

/// Runs passes until Ctrl-C. The exit code is that of the last one.
///
/// # Errors
/// When the first pass gives no answer, or nothing can be watched.
pub(super) fn run(
    engines: Engines,
    global: &Global,
    args: &LintArgs,
    out: &mut Output,
) -> Result<Exit, Failure> {
    if args.run.paths.iter().any(|path| is_stdin(path)) {
        return Err(Failure::new("--watch looks at files, not at standard input"));
    }
    if args
        .format
        .iter()
        .any(|to| to.file.is_none() && !to.format.is_for_people())
    {
        return Err(Failure::new(
            "--watch needs a human-readable format; write others to a file (--format json=FILE)",
        ));
    }
    let (send, receive) = mpsc::channel();
    let stop = send.clone();
    let failed = |e: &dyn std::fmt::Display| Failure::new(format!("--watch: {e}"));
    ctrlc::set_handler(move || drop(stop.send(Event::Stop))).map_err(|e| failed(&e))?;
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let paths = match event {
            Ok(event) if event.kind.is_access() => return,
            Ok(event) => event.paths,
            Err(_) => Vec::new(),
        };
        let paths = paths
            .into_iter()
            .filter_map(|path| Utf8PathBuf::from_path_buf(path).ok());
        // The receiver may be gone.
        drop(send.send(Event::Changed(paths.collect())));
    });
    let mut dirs = Dirs {
        watcher: watcher.map_err(|e| failed(&e))?,
        watched: BTreeSet::new(),
        is_told: false,
    };
    let cwd = current_dir()?;
    let own: Vec<Utf8PathBuf> = args
        .format
        .iter()
        .filter_map(|to| Some(absolute(&cwd, to.file.as_ref()?)))
        .collect();
    let mut now = super::look(engines, global, args, None, out)?;
    let mut exit = now.exit;
    let mut is_behind = dirs.update(&now.watched, out);
    let mut is_told = false;
    loop {
        if !is_behind && !std::mem::replace(&mut is_told, true) {
            let dirs = plural(dirs.watched.len(), ["directory", "directories"]);
            out.summary(&format!("watching {dirs}; press Ctrl-C to stop"));
        }
        let matters = |path: &Utf8Path| now.watched.concerns(path) && !is_output(path, &own);
        // Changes before a directory was watched sent no event.
        let Some(changed) = wait(&receive, matters, is_behind) else {
            return Ok(exit);
        };
        dirs.forget(&changed);
        let since = Since {
            seen: &now.seen,
            changed: &changed,
        };
        match super::look(engines, global, args, Some(&since), out) {
            Ok(next) => {
                exit = next.exit;
                now = next;
            }
            Err(Failure::BrokenPipe) => return Err(Failure::BrokenPipe),
            Err(Failure::Message(message)) => {
                out.error(&message);
                exit = Exit::Failed;
            }
        }
        is_behind = dirs.update(&now.watched, out);
    }
}

/// Whether a path is one of our own reports, or a temporary file for one.
fn is_output(path: &Utf8Path, own: &[Utf8PathBuf]) -> bool {
    let name = path.file_name().unwrap_or("");
    let is_of = |own: &Utf8PathBuf| {
        own.parent() == path.parent() && own.file_name().is_some_and(|file| name.contains(file))
    };
    own.iter().any(is_of)
}

/// The changed paths that matter; `None` at the end. `is_due`: returns even if nothing changes.
fn wait(
    events: &Receiver<Event>,
    matters: impl Fn(&Utf8Path) -> bool,
    is_due: bool,
) -> Option<BTreeSet<Utf8PathBuf>> {
    let mut changed: BTreeSet<Utf8PathBuf> = BTreeSet::new();
    let mut first: Option<Instant> = is_due.then(Instant::now);
    loop {
        let event = match first {
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(first) => events.recv_timeout(QUIET.min(PATIENCE.saturating_sub(first.elapsed()))),
        };
        match event {
            Ok(Event::Changed(paths)) => {
                changed.extend(paths.into_iter().filter(|path| matters(path)));
                if !changed.is_empty() {
                    first = first.or(Some(Instant::now()));
                }
            }
            Err(RecvTimeoutError::Timeout) => return Some(changed),
            Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// The directories that are watched.
struct Dirs {
    watcher: RecommendedWatcher,
    watched: BTreeSet<Utf8PathBuf>,
    /// Whether the user was told that not everything is watched.
    is_told: bool,
}

impl Dirs {
    /// The watch of a deleted directory does not apply to a new directory with the same name.
    fn forget(&mut self, changed: &BTreeSet<Utf8PathBuf>) {
        self.watched
            .retain(|dir| !dir.ancestors().any(|above| changed.contains(above)));
    }

    /// Watches what has to be watched now. Returns whether a directory was not watched before.
    fn update(&mut self, places: &Watched, out: &mut Output) -> bool {
        let wanted = places.dirs();
        for gone in self.watched.difference(&wanted) {
            // It may have been deleted, and then is no longer watched.
            drop(self.watcher.unwatch(gone.as_std_path()));
        }
        self.watched.retain(|dir| wanted.contains(dir));
        let mut refused = None;
        let mut is_new = false;
        for dir in wanted {
            if self.watched.contains(&dir) {
                continue;
            }
            if self.watched.len() >= MOST_DIRS {
                refused = Some(format!("more than {MOST_DIRS} directories"));
                break;
            }
            match self.watcher.watch(dir.as_std_path(), RecursiveMode::NonRecursive) {
                Ok(()) => is_new |= self.watched.insert(dir),
                Err(e) if dir.is_dir() => refused = Some(e.to_string()),
                Err(_) => {}
            }
        }
        if let Some(why) = refused.filter(|_| !self.is_told) {
            self.is_told = true;
            out.warning(&format!("some changes are not detected: {}", escape::line(&why)));
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_taken_together_and_what_does_not_matter_is_left() {
        let (send, receive) = mpsc::channel();
        for path in ["/w/a", "/w/b", "/other", "/w/a"] {
            send.send(Event::Changed(vec![path.into()])).unwrap();
        }
        let mine = |path: &Utf8Path| path.starts_with("/w");
        let changed = wait(&receive, mine, false).unwrap();
        assert_eq!(changed.into_iter().collect::<Vec<_>>(), ["/w/a", "/w/b"]);
        assert_eq!(wait(&receive, mine, true), Some(BTreeSet::new()));
        send.send(Event::Changed(vec!["/other".into()])).unwrap();
        send.send(Event::Stop).unwrap();
        assert_eq!(wait(&receive, mine, false), None);
    }

    #[test]
    fn our_own_report_is_not_a_change() {
        let own = ["/w/out.json".into()];
        assert!(is_output("/w/out.json".into(), &own));
        assert!(is_output("/w/.out.json.applyorder-new".into(), &own));
        assert!(!is_output("/w/a/out.json".into(), &own) && !is_output("/w/out".into(), &own));
    }
}
