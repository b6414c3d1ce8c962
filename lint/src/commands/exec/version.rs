//! The version of the engine that will be started; verdicts must be for that version.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use applyorder_analysis::engine::invocation::{VersionFit, version_in};

use super::{Reading, Stop};
use crate::commands::lint::plural;
use crate::escape;
use crate::output::Output;

/// How long a program may take to report its version.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many bytes of the version output are read.
const MOST: u64 = 1 << 16;

/// The version that verdicts must be for. `None` if it is unknown, or newer than the newest version that we know: then
/// they are for the newest known version, and a message says so.
///
/// # Errors
/// When verdicts for that version are not possible, or when the program does not answer within `timeout`.
pub(super) fn of(reading: &Reading, timeout: Duration, out: &mut Output) -> Result<Option<String>, Stop> {
    let program = escape::line(&reading.program.name);
    let newest = reading.engine.newest_version(&reading.program.name);
    let asked = ask(reading, timeout.min(PATIENCE));
    if asked == VersionReply::TooSlow && timeout <= PATIENCE {
        return Err(Stop::refused(format!(
            "{program} did not print its version within {} (--timeout)",
            plural(
                usize::try_from(timeout.as_secs()).unwrap_or(usize::MAX),
                ["second", "seconds"]
            )
        )));
    }
    let VersionReply::Version(version) = asked else {
        out.warning(&format!(
            "the version of {program} is unknown: checked as {newest}"
        ));
        return Ok(None);
    };
    match reading.engine.version_fit(&reading.program.name, &version) {
        VersionFit::Known => Ok(Some(version)),
        VersionFit::Newer => {
            out.warning(&format!(
                "{program} {} is newer than any known version: checked as {newest}",
                escape::line(&version)
            ));
            Ok(None)
        }
        VersionFit::Other(what) => Err(Stop::refused(format!(
            "{program} {} is not supported: {what}",
            escape::line(&version)
        ))),
    }
}

/// The outcome of asking for the version.
#[derive(PartialEq, Eq)]
enum VersionReply {
    Version(String),
    /// The program could not be started, or did not print a version.
    Unknown,
    TooSlow,
}

fn ask(reading: &Reading, patience: Duration) -> VersionReply {
    let arguments = reading.engine.version_args(&reading.program.name);
    let child = Command::new(&reading.program.path)
        .args(arguments)
        .current_dir(&reading.cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else {
        return VersionReply::Unknown;
    };
    let (send, receive) = mpsc::channel();
    let stdout = child.stdout.take();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.map(|stdout| stdout.take(MOST).read_to_end(&mut bytes));
        // The receiver may be gone.
        let _ = send.send(read.map(|read| read.map(|_| bytes)));
    });
    let said = receive.recv_timeout(patience);
    let _ = child.kill();
    let _ = child.wait();
    match said {
        Ok(Some(Ok(bytes))) => match version_in(&String::from_utf8_lossy(&bytes)) {
            Some(version) => VersionReply::Version(version.to_owned()),
            None => VersionReply::Unknown,
        },
        Ok(_) | Err(RecvTimeoutError::Disconnected) => VersionReply::Unknown,
        Err(RecvTimeoutError::Timeout) => VersionReply::TooSlow,
    }
}
