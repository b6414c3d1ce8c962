//! Runs a command for a tool, with its own outputs and within limits.

use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use applyorder_analysis::engine::Engines;
use applyorder_lint::args::{self, Global};
use applyorder_lint::exit::{Exit, Failure};
use applyorder_lint::output::Output;
use applyorder_lint::reach::Reach;

/// The time limit of a call.
pub(crate) const MOST_TIME: Duration = Duration::from_secs(60);

/// The number of concurrent calls. A cancelled call continues until it notices.
pub(crate) const MOST_CALLS: usize = 2;

/// The largest answer that is given, in bytes of JSON.
pub(crate) const MOST_ANSWER: usize = 1 << 20;

/// The largest report that is read for an answer, in bytes.
const MOST_REPORT: usize = 64 << 20;

/// The limit of the notes kept with an answer, in bytes.
const MOST_NOTES: usize = 16 << 10;

/// The context of a call.
#[derive(Clone)]
pub(crate) struct Cx {
    pub(crate) engines: Engines,
    /// The flags that the server was started with.
    pub(crate) global: Global,
    pub(crate) reach: Reach,
    /// Whether no one is waiting for the answer any more.
    pub(crate) stop: Arc<AtomicBool>,
}

/// The output of a command.
pub(crate) struct CommandOutput {
    /// The report.
    pub(crate) report: Vec<u8>,
    /// Errors, warnings and the closing line, as on the command line.
    pub(crate) notes: Vec<String>,
    /// Whether every input could be read.
    pub(crate) complete: bool,
}

/// Why a tool gives no answer.
#[derive(Debug)]
pub(crate) struct ToolError {
    pub(crate) message: String,
    pub(crate) notes: Vec<String>,
}

impl From<String> for ToolError {
    fn from(message: String) -> Self {
        Self {
            message,
            notes: Vec::new(),
        }
    }
}

/// Runs a command line, without the program's name.
pub(crate) fn run(cx: &Cx, args: &[String]) -> Result<CommandOutput, ToolError> {
    let program = [OsString::from("applyorder")].into_iter();
    let mut cli = args::parse_exactly(cx.engines, program.chain(args.iter().map(OsString::from)))
        .map_err(|e| sentence(&e.to_string()))?;
    let stop = cx.stop.clone();
    let reach = cx.reach.clone().until(move || stop.load(Ordering::Relaxed));
    cli.global.config.clone_from(&cx.global.config);
    cli.global.isolated = cx.global.isolated;
    cli.global.preview |= cx.global.preview;
    cli.global.reach = Some(reach);
    let report = Kept::new(MOST_REPORT, cx.stop.clone());
    let notes = Kept::new(MOST_NOTES, cx.stop.clone());
    let mut out = Output::to(Box::new(report.clone()), Box::new(notes.clone()));
    let result = applyorder_lint::run_into(cx.engines, &cli, &mut out);
    let notes = lines(&notes.take());
    let fails = |message: String| ToolError {
        message,
        notes: notes.clone(),
    };
    if report.is_over.load(Ordering::Relaxed) {
        let limit = MOST_REPORT >> 20;
        return Err(fails(format!(
            "the report is larger than {limit} MiB: narrow `paths`, or name an `engine`"
        )));
    }
    let exit = match result {
        Ok(exit) => exit,
        Err(Failure::Message(message)) => return Err(fails(message)),
        Err(Failure::BrokenPipe) => return Err(fails("given up".to_owned())),
    };
    let report = report.take();
    if report.is_empty() {
        let message = notes.first().map_or("no answer", String::as_str);
        let message = message.strip_prefix("error: ").unwrap_or(message).to_owned();
        return Err(ToolError {
            message,
            notes: notes.get(1..).unwrap_or_default().to_vec(),
        });
    }
    Ok(CommandOutput {
        report,
        complete: exit != Exit::Failed,
        notes,
    })
}

fn lines(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    text.lines()
        .filter(|l| !l.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The error in the arguments, without the usage text, which agents do not need.
fn sentence(error: &str) -> String {
    let first = error.lines().next().unwrap_or_default();
    first.strip_prefix("error: ").unwrap_or(first).to_owned()
}

/// Keeps what is written, up to a limit.
#[derive(Clone)]
struct Kept {
    bytes: Arc<Mutex<Vec<u8>>>,
    limit: usize,
    is_over: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
}

impl Kept {
    fn new(limit: usize, stop: Arc<AtomicBool>) -> Self {
        Self {
            bytes: Arc::default(),
            limit,
            is_over: Arc::default(),
            stop,
        }
    }

    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Kept {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        if bytes.len() + text.len() > self.limit {
            self.is_over.store(true, Ordering::Relaxed);
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        bytes.extend_from_slice(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_limit_is_not_kept() {
        let mut kept = Kept::new(4, Arc::default());
        assert_eq!(kept.write(b"abc").unwrap(), 3);
        assert!(kept.write(b"de").is_err());
        assert!(kept.is_over.load(Ordering::Relaxed));
        assert_eq!(kept.take(), b"abc");
    }

    #[test]
    fn nothing_is_written_for_a_client_that_has_gone() {
        let stop = Arc::new(AtomicBool::new(true));
        assert!(Kept::new(4, stop).write(b"a").is_err());
    }
}
