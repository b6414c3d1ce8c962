//! `exec`: checks exactly what an engine's command will read, and starts the command only if no finding prevents it.
//!
//! It fails closed: anything that cannot be read, derived or finished in time prevents the start. Whether the engine
//! itself would reject is taken from its verdict, which no configuration, comment or flag can change.

mod check;
mod gate;
mod inputs;
mod program;
mod report;
mod secrets;
mod start;
mod version;
mod witness;

use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use applyorder_analysis::engine::invocation::{CommandLine, Invocation, Refusal};
use applyorder_analysis::engine::{Engine, EngineIx, Engines};
use applyorder_analysis::files::{DiskFiles, Files};
use camino::{Utf8Path, Utf8PathBuf};

use self::check::Checked;
use self::program::Program;
use self::report::Report;
pub(super) use self::secrets::shown;
use crate::args::{CheckArgs, ExecArgs, Global};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::session::engine_index;
use crate::start::current_dir;

/// Why an engine was not started: a sentence without its final period, and the exit code.
#[derive(Debug)]
pub(super) struct Stop {
    pub(super) because: String,
    pub(super) code: u8,
}

impl Stop {
    /// Refused, or findings.
    pub(super) const REFUSED: u8 = 125;
    /// The program exists but cannot be executed.
    const NOT_EXECUTABLE: u8 = 126;
    /// The program does not exist.
    const NOT_FOUND: u8 = 127;

    fn refused(because: impl Into<String>) -> Self {
        Self {
            because: because.into(),
            code: Self::REFUSED,
        }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::refused(match failure {
            Failure::Message(message) => message,
            Failure::BrokenPipe => "the findings cannot be printed".to_owned(),
        })
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::refused(escape::line(&refusal.0))
    }
}

/// A command to run.
pub(super) struct Command {
    /// Program and arguments.
    pub(super) argv: Vec<String>,
    /// The directory to start it in; `None` for the current one.
    pub(super) cwd: Option<Utf8PathBuf>,
    /// The engine that the user names.
    pub(super) engine: Option<String>,
}

/// Runs the command.
#[must_use]
pub fn run(engines: Engines, global: &Global, args: &ExecArgs, out: &mut Output) -> Exit {
    let text = |arg: &OsString| {
        arg.clone()
            .into_string()
            .map_err(|arg| Stop::refused(format!("the argument {} is not UTF-8", arg.display())))
    };
    let argv: Result<Vec<String>, Stop> = args.command.iter().map(text).collect();
    let command = argv.map(|argv| Command {
        argv,
        cwd: None,
        engine: args.engine.clone(),
    });
    hand_over(engines, global, command, &args.check, out)
}

/// Reports that no engine was started because the run itself failed, and returns the exit code.
pub(crate) fn not_started(failure: Failure, out: &mut Output) -> u8 {
    let stop = Stop::from(failure);
    let mut report = Report::default();
    report.stopped(&stop);
    out.closing(&report.last_line());
    stop.code
}

/// The last line and the exit code if a command line that was meant to start an engine cannot be parsed.
#[must_use]
pub fn not_understood() -> (String, u8) {
    let mut report = Report::default();
    report.stopped(&Stop::refused("the command line is not understood"));
    (report.last_line(), Stop::REFUSED)
}

/// Checks a command and starts it, or reports why not. The last line says whether it was started.
pub(super) fn hand_over(
    engines: Engines,
    global: &Global,
    command: Result<Command, Stop>,
    args: &CheckArgs,
    out: &mut Output,
) -> Exit {
    let mut report = Report::default();
    let ended = command.and_then(|command| attempt(engines, global, &command, args, &mut report, out));
    // The result of an engine that ran must not depend on whether the report can be written.
    let written = |report: &Report, out: &mut Output| {
        if let Err(e) = report.write(args.report_file.as_deref()) {
            out.error(&e);
        }
    };
    match ended {
        Ok(ended) => {
            let code = report.ended(ended);
            written(&report, out);
            out.closing(&report.last_line());
            Exit::Code(code)
        }
        Err(stop) => {
            report.stopped(&stop);
            written(&report, out);
            out.closing(&report.last_line());
            Exit::Code(stop.code)
        }
    }
}

/// An engine, the inputs of a command line, and its program.
struct Reading {
    engine: &'static dyn Engine,
    index: EngineIx,
    program: Program,
    invocation: Invocation,
    cwd: Utf8PathBuf,
}

fn attempt(
    engines: Engines,
    global: &Global,
    command: &Command,
    args: &CheckArgs,
    report: &mut Report,
    out: &mut Output,
) -> Result<start::Ended, Stop> {
    let mut reading = read(engines, command, report)?;
    let timeout = Duration::from_secs(args.timeout.unwrap_or(300));
    let began = Instant::now();
    let version = version::of(&reading, timeout, out)?;
    let left = timeout.saturating_sub(began.elapsed());
    if let Some(version) = version {
        version.clone_into(&mut report.engine_version);
        let fixed = applyorder_analysis::engine::options::ENGINE_VERSION.name;
        if reading.engine.meta().has_option(fixed) {
            reading.invocation.options.engine_version = Some(version);
        }
    }
    check::resolve_changed(&mut reading.invocation)?;
    let inputs = inputs::buffer(&reading.invocation)?;
    let reading = Arc::new(reading);
    let limit = check::Limit { timeout, left };
    let checked = check::within(&limit, engines, global, &reading, &inputs)?;
    gate::decide(&checked, &reading, args, report, out)?;
    unchanged(&checked)?;
    let started = start::Started {
        program: &reading.program,
        args: command.argv.get(1..).unwrap_or_default(),
        cwd: &reading.cwd,
        inputs,
        before: &|| unchanged(&checked),
    };
    report.started = true;
    report
        .write(args.report_file.as_deref())
        .map_err(Stop::refused)
        .inspect_err(|_| report.started = false)?;
    out.summary(&format!(
        "applyorder: starting {}",
        escape::line(&reading.program.name)
    ));
    out.flush()?;
    start::run(started).inspect_err(|_| report.started = false)
}

fn unchanged(checked: &Checked) -> Result<(), Stop> {
    match checked.witness.first_change() {
        None => Ok(()),
        Some(path) => Err(Stop::refused(format!(
            "{} changed while it was checked",
            escape::line(&checked.session.paths.show(&path))
        ))),
    }
}

/// Determines which engine a command starts, and what it reads.
fn read(engines: Engines, command: &Command, report: &mut Report) -> Result<Reading, Stop> {
    let cwd = match &command.cwd {
        Some(cwd) => cwd.clone(),
        None => current_dir()?,
    };
    let Some((name, args)) = command.argv.split_first() else {
        return Err(Stop::refused("no command is given"));
    };
    report.command = secrets::masked(&command.argv);
    report.program.clone_from(name);
    let file = Utf8Path::new(name).file_name().unwrap_or(name);
    let file = file.strip_suffix(".exe").unwrap_or(file);
    report.program = file.to_owned();
    let index = match &command.engine {
        Some(id) => engine_index(engines, id)?,
        None => of_program(engines, file)?,
    };
    let Some(engine) = engines.get(index) else {
        return Err(Stop::refused("unknown engine"));
    };
    report.engine = Some(engine.meta());
    let program = program::find(name, file, &cwd)?;
    let disk = DiskFiles::default();
    let line = CommandLine {
        program: file,
        args,
        cwd: &cwd,
        env: &|name| std::env::var(name).ok(),
        env_from: &env_from,
        canonical: &|path| disk.canonical(path),
    };
    let invocation = engine.read_command(&line)?;
    report.action = Some(invocation.action);
    Ok(Reading {
        engine,
        index,
        program,
        invocation,
        cwd,
    })
}

/// The environment variables whose names start with `start`, with their values, sorted.
fn env_from(start: &str) -> Vec<(String, String)> {
    let all = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.into_string().ok().filter(|name| name.starts_with(start))?;
        Some((name, value.to_string_lossy().into_owned()))
    });
    let mut found: Vec<(String, String)> = all.collect();
    found.sort();
    found
}

fn of_program(engines: Engines, file: &str) -> Result<EngineIx, Stop> {
    let mut all = engines.iter();
    if let Some((index, _)) = all.find(|(_, engine)| engine.programs().contains(&file)) {
        return Ok(index);
    }
    let known: Vec<&str> = engines
        .iter()
        .flat_map(|(_, engine)| engine.programs())
        .copied()
        .collect();
    Err(Stop::refused(format!(
        "`{}` is not a program of an engine (known: {}); specify --engine",
        escape::line(file),
        known.join(", ")
    )))
}
