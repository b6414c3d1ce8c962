//! The version of the engine that will be started, which verdicts have to be for.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use applyorder_analysis::engine::invocation::{VersionFit, version_in};

use super::{Reading, Stop};
use crate::escape;
use crate::output::Output;

/// How long a program may take to say which version it is.
const PATIENCE: Duration = Duration::from_secs(20);

/// So many bytes are read of what a program says of its version.
const MOST: u64 = 1 << 16;

/// The version that verdicts have to be made for. `None` where it is not known, or newer than what is known of the
/// engine: then they are for the newest known, which is said aloud.
pub(super) fn of(reading: &Reading, out: &mut Output) -> Result<Option<String>, Stop> {
    let program = escape::line(&reading.program.name);
    let newest = reading.engine.newest_version(&reading.program.name);
    let Some(version) = ask(reading) else {
        out.warning(&format!(
            "the version of {program} is not known: what is said is for {newest}"
        ));
        return Ok(None);
    };
    match reading.engine.version_fit(&reading.program.name, &version) {
        VersionFit::Known => Ok(Some(version)),
        VersionFit::Newer => {
            out.warning(&format!(
                "{program} {} is newer than what is known: what is said is for {newest}",
                escape::line(&version)
            ));
            Ok(None)
        }
        VersionFit::Other(what) => Err(Stop::refused(format!(
            "{program} {} is not what verdicts are for: {what}",
            escape::line(&version)
        ))),
    }
}

fn ask(reading: &Reading) -> Option<String> {
    let arguments = reading.engine.version_args(&reading.program.name);
    let mut child = Command::new(&reading.program.path)
        .args(arguments)
        .current_dir(&reading.cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let stdout = child.stdout.take()?;
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.take(MOST).read_to_end(&mut bytes);
        // Nobody may wait for it any more.
        let _ = send.send(read.map(|_| bytes));
    });
    let said = receive.recv_timeout(PATIENCE);
    let _ = child.kill();
    let _ = child.wait();
    let bytes = said.ok()?.ok()?;
    version_in(&String::from_utf8_lossy(&bytes)).map(str::to_owned)
}
