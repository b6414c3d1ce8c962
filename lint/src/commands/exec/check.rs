//! Lints what a command reads, on a separate thread, so that a panic or a timeout is reported too.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use applyorder_analysis::engine::Engines;
use applyorder_analysis::engine::invocation::{Invocation, Since};
use applyorder_analysis::files::{DiskFiles, Files};
use applyorder_analysis::workspace::Workspace;
use camino::Utf8PathBuf;

use super::inputs::Buffered;
use super::witness::Witness;
use super::{Reading, Stop};
use crate::args::Global;
use crate::configuration::load_configs;
use crate::escape;
use crate::place::Paths;
use crate::session::Session;
use crate::vcs::{self, GitRoots};

/// The result of checking.
pub(super) struct Checked {
    /// The project, resolved with nothing suppressed, and the user's own configuration.
    pub(super) session: Session,
    /// The recorded answers of the disk.
    pub(super) witness: Arc<Witness>,
}

/// The time limit for checking.
pub(super) struct Limit {
    /// As given by the user.
    pub(super) timeout: Duration,
    /// The remaining time.
    pub(super) left: Duration,
}

/// Lints what a command reads.
///
/// # Errors
/// When that takes too long or panics, or when something cannot be read.
pub(super) fn within(
    limit: &Limit,
    engines: Engines,
    global: &Global,
    reading: &Arc<Reading>,
    inputs: &[Buffered],
) -> Result<Checked, Stop> {
    let (global, reading, inputs) = (global.clone(), reading.clone(), inputs.to_vec());
    finished(limit, move || lint(engines, &global, &reading, &inputs))
}

/// Runs a function on a separate thread and returns its result if it finishes in time.
fn finished<T: Send + 'static>(
    limit: &Limit,
    run: impl FnOnce() -> Result<T, Stop> + Send + 'static,
) -> Result<T, Stop> {
    let (send, receive) = mpsc::channel();
    let spawned = std::thread::Builder::new()
        .name("check".to_owned())
        .spawn(move || {
            // The receiver may be gone.
            let _ = send.send(run());
        });
    spawned.map_err(|e| Stop::refused(format!("it cannot be checked: {e}")))?;
    match receive.recv_timeout(limit.left) {
        Ok(answer) => answer,
        Err(RecvTimeoutError::Timeout) => Err(Stop::refused(format!(
            "checking took longer than {} seconds (--timeout)",
            limit.timeout.as_secs()
        ))),
        Err(RecvTimeoutError::Disconnected) => Err(Stop::refused(
            "checking failed with an internal error: this is a bug in applyorder, please report it",
        )),
    }
}

fn lint(engines: Engines, global: &Global, reading: &Reading, inputs: &[Buffered]) -> Result<Checked, Stop> {
    let git = GitRoots::default();
    let witness = Arc::new(Witness::new(Arc::new(DiskFiles::new(move |dir| git.root(dir)))));
    let disk: Arc<dyn Files> = witness.clone();
    let invocation = &reading.invocation;
    let mut workspace = Workspace::new(engines, disk.clone(), invocation.options.clone());
    workspace.only_engine(reading.index);
    let dirs = directories(invocation);
    let configs = load_configs(engines, global, &dirs, &*disk, workspace.store(), &reading.cwd)?;
    if let Some(problem) = configs.diagnostics().first() {
        return Err(Stop::refused(format!(
            "{} ({})",
            problem.message,
            workspace.store().path(problem.place.file)
        )));
    }
    // No configured level changes what the engine rejects; the user's levels for the rest are applied afterwards.
    workspace.set_configs(configs.without_levels());
    for input in inputs {
        workspace.set_text(&input.path, input.text.clone());
    }
    workspace.only_command(reading.index, invocation)?;
    workspace.refresh();
    if let Some((path, error)) = witness.first_unreadable() {
        let paths = Paths {
            cwd: reading.cwd.clone(),
        };
        return Err(Stop::refused(format!(
            "{}: {error}",
            escape::line(&paths.show(&path))
        )));
    }
    let paths = Paths {
        cwd: reading.cwd.clone(),
    };
    let session = Session::of_command(workspace, disk, configs, paths, invocation.options.clone());
    Ok(Checked { session, witness })
}

/// Directories whose configurations may apply: the directory of the command and those of its inputs.
fn directories(invocation: &Invocation) -> Vec<Utf8PathBuf> {
    let inputs = invocation.inputs.iter().map(|given| {
        let path = crate::start::absolute(&invocation.cwd, given);
        path.parent().map_or_else(|| path.clone(), ToOwned::to_owned)
    });
    let mut dirs: Vec<Utf8PathBuf> = inputs.collect();
    dirs.push(invocation.cwd.clone());
    dirs.sort();
    dirs.dedup();
    dirs
}

/// Asks git what has changed, if the command is limited to that.
///
/// # Errors
/// When git cannot answer.
pub(super) fn resolve_changed(invocation: &mut Invocation) -> Result<(), Stop> {
    let Some(since) = &invocation.since else {
        return Ok(());
    };
    let git = GitRoots::default();
    let Some(root) = git.root(&invocation.cwd) else {
        return Err(Stop::refused(format!(
            "{} is not in a git work tree",
            escape::line(invocation.cwd.as_str())
        )));
    };
    let revision = match since {
        Since::Revision(revision) => revision.clone(),
        Since::Branch { remote, branch } => vcs::left_at(&root, remote, branch).map_err(Stop::refused)?,
    };
    let changed = vcs::changed_files(&root, &revision).map_err(Stop::refused)?;
    invocation.options.changed_files = Some(changed);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_breaks_down_or_takes_too_long_is_refused() {
        let long = Duration::from_secs(60);
        let limit = |left| Limit { timeout: long, left };
        assert!(finished(&limit(long), || Ok(1)).is_ok());
        let stop = finished::<()>(&limit(long), || panic!("on purpose")).unwrap_err();
        assert!(stop.because.contains("internal error") && stop.code == Stop::REFUSED);
        let (_open, waits) = mpsc::channel::<()>();
        let slow = move || {
            let _ = waits.recv();
            Ok(())
        };
        let stop = finished(&limit(Duration::from_millis(20)), slow).unwrap_err();
        assert!(
            stop.because.contains("took longer than 60 seconds"),
            "{}",
            stop.because
        );
    }
}
