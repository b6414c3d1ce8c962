//! Starts an engine: no shell, its arguments unchanged, the same process group, terminal and streams.
//!
//! What the terminal sends (Ctrl-C) reaches the engine directly, because it is in our process group; forwarded, it
//! would arrive twice. Signals sent only to us are forwarded.

use std::io::Write;
use std::process::{Child, Command, Stdio};

use camino::Utf8Path;

use super::Stop;
use super::inputs::{Buffered, Way};
use super::program::Program;
use crate::escape;

#[cfg(unix)]
mod signals;

/// How an engine ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// With this exit code.
    Code(u8),
    /// By this signal.
    Signal(i32),
}

/// Everything needed for a start.
pub(super) struct Started<'a> {
    pub(super) program: &'a Program,
    pub(super) args: &'a [String],
    pub(super) cwd: &'a Utf8Path,
    pub(super) inputs: Vec<Buffered>,
    /// The last check before the start.
    pub(super) before: &'a dyn Fn() -> Result<(), Stop>,
}

/// Starts an engine and waits for its end.
pub(super) fn run(started: Started<'_>) -> Result<Ended, Stop> {
    let program = started.program;
    let mut command = Command::new(&program.path);
    command.args(started.args).current_dir(started.cwd);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, &program.given);
    let mut stdin = None;
    let mut pipes = Vec::new();
    for input in started.inputs {
        match input.way {
            Way::Stdin => {
                command.stdin(Stdio::piped());
                stdin = Some(input.text);
            }
            // While we hold the pipe that the engine inherits, its other end can be opened.
            Way::Inherited(path) => pipes.push((Some(refill(&path)?), path, input.text)),
            Way::Named(path) => pipes.push((None, path, input.text)),
        }
    }
    #[cfg(unix)]
    let mut guard =
        signals::Guard::new().map_err(|e| Stop::refused(format!("signals cannot be passed on: {e}")))?;
    (started.before)()?;
    #[cfg(unix)]
    if guard.was_asked_to_end() {
        return Err(Stop::refused("it was interrupted"));
    }
    let mut child = command.spawn().map_err(|e| failed(program, &e))?;
    #[cfg(unix)]
    let guard = guard.forwarding_to(&child);
    if let (Some(text), Some(mut pipe)) = (stdin, child.stdin.take()) {
        // An engine may ignore its standard input, so errors are ignored.
        std::thread::spawn(move || drop(pipe.write_all(text.as_bytes())));
    }
    for (pipe, path, text) in pipes {
        std::thread::spawn(move || {
            let pipe = pipe.map_or_else(|| std::fs::OpenOptions::new().write(true).open(path), Ok);
            drop(pipe.and_then(|mut pipe| pipe.write_all(text.as_bytes())));
        });
    }
    #[cfg(unix)]
    guard.wait_for_end(&child);
    end_of(&mut child)
}

fn end_of(child: &mut Child) -> Result<Ended, Stop> {
    let status = child
        .wait()
        .map_err(|e| Stop::refused(format!("its exit status is unknown: {e}")))?;
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ok(Ended::Signal(signal));
    }
    // Only systems other than Unix have codes larger than one byte.
    let code = status.code().unwrap_or(1);
    Ok(Ended::Code(u8::try_from(code).unwrap_or(1)))
}

fn failed(program: &Program, error: &std::io::Error) -> Stop {
    Stop {
        because: format!("`{}`: {error}", escape::line(program.path.as_str())),
        code: if error.kind() == std::io::ErrorKind::NotFound {
            Stop::NOT_FOUND
        } else {
            Stop::NOT_EXECUTABLE
        },
    }
}

fn refill(path: &Utf8Path) -> Result<std::fs::File, Stop> {
    std::fs::OpenOptions::new().write(true).open(path).map_err(|e| {
        Stop::refused(format!(
            "{}: the data read from it cannot be restored on this system ({e}): write it to a file",
            escape::line(path.as_str())
        ))
    })
}
