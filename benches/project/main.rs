//! From a keystroke to its diagnostics, for every shape of every engine, next to a floor in the same run.
//!
//! `cargo bench --workspace --bench project`; `-- --help` lists the options. It drives a server over its standard input
//! and output and knows nothing else about it, so that any build can be measured.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::unwrap_used
)]

mod args;
mod cold;
mod floor;
mod session;
mod shapes;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use args::Args;
use floor::{Echo, Numbers};
use session::{Document, Session, Took};
use shapes::{Effect, Kind, Project, Shape, Start};
use table::{Row, Table};

/// How many pairs of edits are traced step by step if an aim is missed.
const EXPLAINED: usize = 5;
/// How often the floor is measured before a shape, and again after it.
const FLOORS: usize = 25;
/// How many files are opened, and how many disk events are sent.
const OUTSIDE: usize = 40;
/// The size at which what happens outside documents is measured.
const OUTSIDE_UNITS: usize = 2_000;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(Echo::FLAG) {
        Echo::serve();
        return ExitCode::SUCCESS;
    }
    let args = match Args::read() {
        Ok(Some(args)) => args,
        Ok(None) => return ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            return ExitCode::from(2);
        }
    };
    let mut table = Table::new(&args);
    table.print_head();
    let mut failed = 0;
    for shape in shapes::all() {
        for units in shape.sizes.iter().copied() {
            if args.wants(shape.name, units) {
                let result = measure(&args, &shape, units, &mut table);
                failed += usize::from(result.is_err());
                if let Err(e) = result {
                    println!("FAILED: {} with {units} units: {e}", shape.name);
                }
            }
        }
    }
    for project in cold::all() {
        if !args.quick && args.wants(project.name, cold::UNITS) {
            let result = cold::measure(&args.server, &project).map(|row| table.cold(row));
            failed += usize::from(result.is_err());
            if let Err(e) = result {
                println!("FAILED: {}: {e}", project.name);
            }
        }
    }
    table.print_end();
    if failed > 0 {
        println!("{failed} could not be measured");
        return ExitCode::FAILURE;
    }
    match args.write.map(|path| table.write(&path)) {
        Some(Err(e)) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// A directory for a project: in memory if the system supports it, so that the disk is not measured.
fn directory() -> Result<tempfile::TempDir, String> {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .map_err(|e| e.to_string())
}

/// Measures all kinds of edits of one shape in one size.
fn measure(args: &Args, shape: &Shape, units: usize, table: &mut Table) -> Result<(), String> {
    let dir = directory()?;
    let folder = dir.path().canonicalize().map_err(|e| e.to_string())?;
    let project = (shape.write)(&folder, units);
    let mut floor = Floor::start(units)?;
    floor.measure()?;
    // The floor so far; the table uses the measurements from before and after.
    let before = floor.median();
    let mut session = Session::start(&args.server, &folder)?;
    check_start(&session, &project)?;
    let mut rows = Vec::new();
    let row = |edit: &str, times: Vec<Took>, aim: Option<f64>| Row {
        shape: shape.name,
        units,
        edit: edit.to_owned(),
        times,
        aim,
        floor: before,
        spans: Vec::new(),
    };
    let mut documents: Vec<(PathBuf, Document)> = Vec::new();
    for kind in project.kinds.iter().filter(|kind| args.wants_edit(kind.name)) {
        let times = measure_kind(args, &mut session, &project, kind, &mut documents)
            .map_err(|e| format!("{}: {e}", kind.name))?;
        let mut row = row(kind.name, times, kind.aim.of(units));
        row.print();
        if row.is_missed() {
            row.spans = explain(&mut session, kind, &mut documents)?;
            row.print_spans();
        }
        rows.push(row);
    }
    if shape.outside && units == OUTSIDE_UNITS && args.wants_edit("outside") {
        let quiet: Vec<PathBuf> = {
            let is_open = |path: &PathBuf| documents.iter().any(|(open, _)| open == path);
            project.files.iter().filter(|p| !is_open(p)).cloned().collect()
        };
        for (name, times, aim) in outside(&mut session, &project, &quiet)? {
            let row = row(name, times, aim);
            row.print();
            rows.push(row);
        }
    }
    floor.measure()?;
    for mut row in rows {
        row.floor = floor.median();
        table.rows.push(row);
    }
    table.floor(units, &floor.numbers, &floor.echoes);
    Ok(())
}

/// Checks that a shape is what its name says.
fn check_start(session: &Session, project: &Project) -> Result<(), String> {
    let (files, first) = session.files_with_findings();
    match (project.start, first) {
        (Start::Clean, Some(first)) => Err(format!("{files} files have findings: {first}")),
        (Start::Findings, None) => Err("nothing is found".to_owned()),
        _ => Ok(()),
    }
}

fn measure_kind(
    args: &Args,
    session: &mut Session,
    project: &Project,
    kind: &Kind,
    documents: &mut Vec<(PathBuf, Document)>,
) -> Result<Vec<Took>, String> {
    for path in &kind.files {
        if !documents.iter().any(|(open, _)| open == path) {
            let (document, _) = session.open(path, project.language)?;
            documents.push((path.clone(), document));
        }
    }
    let mut times = Vec::new();
    let started = Instant::now();
    // The first pair is not counted.
    for round in 0..=args.most / 2 {
        let path = &kind.files[round % kind.files.len()];
        let document = documents.iter_mut().find(|(open, _)| open == path);
        let document = &mut document.ok_or("not open")?.1;
        // Effects of the previous edit on other files have been reported by then.
        session.settle()?;
        let pair = edit_and_back(session, kind, document, round)?;
        if round > 0 {
            times.extend(pair);
        }
        if round > 0 && started.elapsed() > args.budget {
            break;
        }
    }
    Ok(times)
}

/// Where the time of an edit goes according to the server's own trace: the median of each step, in order, and the time
/// outside all steps.
fn explain(
    session: &mut Session,
    kind: &Kind,
    documents: &mut [(PathBuf, Document)],
) -> Result<Vec<(String, Duration)>, String> {
    session.trace(true)?;
    for round in 0..EXPLAINED {
        let path = &kind.files[round % kind.files.len()];
        let document = documents.iter_mut().find(|(open, _)| open == path);
        let document = &mut document.ok_or("not open")?.1;
        edit_and_back(session, kind, document, round)?;
        session.settle()?;
    }
    session.trace(false)?;
    let traces = session.traced();
    let mut names: Vec<String> = Vec::new();
    for (name, _) in traces.iter().flat_map(|trace| &trace.steps) {
        // It contains the steps after it.
        if name != "resolve" && !names.contains(name) {
            names.push(name.clone());
        }
    }
    let of = |trace: &session::Trace, name: &str| -> Duration {
        let steps = trace.steps.iter().filter(|(step, _)| step == name);
        steps.map(|(_, time)| *time).sum()
    };
    let median = |times: Vec<Duration>| table::percentile(&times, 50);
    let rest = traces.iter().map(|trace| {
        let known: Duration = names.iter().map(|name| of(trace, name)).sum();
        trace.whole.saturating_sub(known)
    });
    let rest = ("the rest".to_owned(), median(rest.collect()));
    let spans = names.iter().map(|name| {
        let times = traces.iter().map(|trace| of(trace, name));
        (name.clone(), median(times.collect()))
    });
    Ok(spans.chain([rest]).collect())
}

/// Types something and reverts it, and checks that both edits were seen.
fn edit_and_back(
    session: &mut Session,
    kind: &Kind,
    document: &mut Document,
    round: usize,
) -> Result<[Took; 2], String> {
    let (at, typed) = (kind.place)(&document.text, round).ok_or("there is nothing to edit")?;
    let before = session.found(document).to_vec();
    let forth = session.edit(document, at, 0, typed)?;
    let between = session.found(document).to_vec();
    let back = session.edit(document, at, typed.len(), "")?;
    let after = session.found(document).to_vec();
    let is_wrong = match kind.effect {
        Effect::None => between != before,
        Effect::Other => between == before,
        Effect::Elsewhere => false,
    };
    if is_wrong || after != before {
        return Err(format!(
            "{before:?}, with `{typed}` {between:?}, without it {after:?}"
        ));
    }
    Ok([forth, back])
}

type Outside = (&'static str, Vec<Took>, Option<f64>);

/// Opening files, and disk events.
fn outside(session: &mut Session, project: &Project, quiet: &[PathBuf]) -> Result<Vec<Outside>, String> {
    let mut rows = Vec::new();
    let (opened, quiet) = quiet.split_at(OUTSIDE);
    let open = |path: &PathBuf| Ok(session.open(path, project.language)?.1);
    let times: Result<Vec<Took>, String> = opened.iter().map(open).collect();
    rows.push(("opening a file", times?, Some(4.0)));
    let times: Result<Vec<Took>, String> = (0..OUTSIDE).map(|_| session.nothing()).collect();
    rows.push(("a question alone", times?, None));
    let mut events = |name, groups: &mut dyn Iterator<Item = &[PathBuf]>, change, aim| {
        let mut times = Vec::new();
        for paths in groups {
            for path in paths.iter().filter(|_| change) {
                let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
                let text = match text.strip_suffix("# a\n") {
                    Some(text) => text.to_owned(),
                    None => text + "# a\n",
                };
                std::fs::write(path, text).map_err(|e| e.to_string())?;
            }
            times.push(session.changed_on_disk(paths)?);
        }
        rows.push((name, times, aim));
        Ok::<(), String>(())
    };
    let single = || quiet.chunks(1).step_by(7).take(OUTSIDE);
    let all = || std::iter::repeat_n(quiet, 4);
    events("event of the disk, no change", &mut single(), false, Some(1.0))?;
    events("event of the disk, a comment more", &mut single(), true, None)?;
    events("event for each file, no change", &mut all(), false, None)?;
    events(
        "event for each file, a comment more or less",
        &mut all(),
        true,
        None,
    )?;
    Ok(rows)
}

/// The floor of one size.
struct Floor {
    project: Numbers,
    echo: Echo,
    numbers: Vec<Duration>,
    echoes: Vec<Duration>,
}

impl Floor {
    fn start(units: usize) -> Result<Self, String> {
        let bench = std::env::current_exe().map_err(|e| e.to_string())?;
        Ok(Self {
            project: Numbers::new(units),
            echo: Echo::start(&bench)?,
            numbers: Vec::new(),
            echoes: Vec::new(),
        })
    }

    fn measure(&mut self) -> Result<(), String> {
        for _ in 0..FLOORS {
            self.numbers.push(self.project.run());
            self.echoes.push(self.echo.run()?);
        }
        Ok(())
    }

    fn median(&self) -> Duration {
        table::percentile(&self.numbers, 50) + table::percentile(&self.echoes, 50)
    }
}
