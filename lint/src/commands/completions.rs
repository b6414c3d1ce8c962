//! `completions`: a script that makes a shell ask this program for completions, and the answers: flags, and values that
//! are only known after reading the projects.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use applyorder_analysis::engine::Engines;
use applyorder_analysis::engine::options::ENV;
use applyorder_analysis::workspace::ProjectIx;
use clap::{Arg, Command, ValueEnum as _};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::Shells;

use crate::args::{self, CompletionsArgs, Global, RunArgs};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::reach::Reach;
use crate::session::Session;
use crate::start::current_dir;
use crate::vcs::GitRoots;

const NAME: &str = "applyorder";

/// The environment variable that the script sets: the name of its shell.
const ASKS: &str = "_APPLYORDER_COMPLETE";

/// The longest time a user should wait for a completion.
const PATIENCE: Duration = Duration::from_secs(2);

/// Runs the command.
///
/// # Errors
/// When the output cannot be written.
pub fn run(args: &CompletionsArgs, out: &mut Output) -> Result<Exit, Failure> {
    let shell = args.shell.to_possible_value();
    let shell = shell.as_ref().map_or("", |value| value.get_name());
    let shells = Shells::builtins();
    let Some(completer) = shells.completer(shell) else {
        return Err(Failure::new(format!("completions for {shell} are not supported")));
    };
    let mut script = Vec::new();
    completer.write_registration(ASKS, NAME, NAME, NAME, &mut script)?;
    out.print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Yes)
}

/// Answers a shell that asks for completions; returns the exit code if one did.
#[must_use]
pub fn answer(engines: Engines, args: impl Iterator<Item = OsString>) -> Option<u8> {
    let shell = std::env::var(ASKS).ok().filter(|shell| !shell.is_empty())?;
    // The words typed so far follow `--`.
    let typed: Vec<OsString> = args.skip_while(|arg| arg != "--").skip(1).collect();
    let shells = Shells::builtins();
    let completer = shells.completer(&shell)?;
    let mut command = with_values(args::command(engines), engines);
    command.build();
    let dir = std::env::current_dir().ok();
    let mut answer = Vec::new();
    let written = completer
        .write_complete(&mut command, typed, dir.as_deref(), &mut answer)
        .and_then(|()| io::stdout().write_all(&answer));
    Some(if written.is_ok() { Exit::Yes } else { Exit::Failed }.code())
}

/// The command with dynamic values for its arguments, in addition to the static ones.
fn with_values(command: Command, engines: Engines) -> Command {
    command
        .mut_args(|arg| match candidates(&arg, engines) {
            Some(candidates) => arg.add(candidates),
            None => arg,
        })
        .mut_subcommands(|sub| with_values(sub, engines))
}

fn candidates(arg: &Arg, engines: Engines) -> Option<ArgValueCandidates> {
    let is_unit = || {
        let names = arg.get_value_names().unwrap_or_default();
        names.iter().any(|name| matches!(name.as_str(), "UNIT" | "UNITS"))
    };
    Some(match arg.get_id().as_str() {
        "select" | "ignore" => ArgValueCandidates::new(move || selectors(engines)),
        "rule" => ArgValueCandidates::new(move || rules(engines)),
        "engine" => ArgValueCandidates::new(move || ids(engines)),
        "from" | "to" => ArgValueCandidates::new(move || units(engines)),
        name if name == ENV.name => ArgValueCandidates::new(move || environments(engines)),
        _ if is_unit() => ArgValueCandidates::new(move || units(engines)),
        _ => return None,
    })
}

fn rules(engines: Engines) -> Vec<CompletionCandidate> {
    let rules = engines.rules().into_iter();
    let candidate = |rule: &'static applyorder_analysis::rules::Rule| {
        CompletionCandidate::new(rule.id).help(Some(rule.summary.into()))
    };
    rules.map(candidate).collect()
}

fn ids(engines: Engines) -> Vec<CompletionCandidate> {
    let metas = engines.iter().map(|(_, engine)| engine.meta());
    metas
        .map(|meta| CompletionCandidate::new(meta.id).help(Some(meta.title.into())))
        .collect()
}

/// Rules, engines, all rules specific to one engine, severities.
fn selectors(engines: Engines) -> Vec<CompletionCandidate> {
    let mut all = rules(engines);
    all.extend(ids(engines));
    all.extend(
        engines
            .ids()
            .map(|id| CompletionCandidate::new(format!("{id}/*"))),
    );
    all.extend(["error", "warning", "info", "hint"].map(CompletionCandidate::new));
    all
}

/// The projects below the current directory, read without running commands and within the time limit.
fn session(engines: Engines) -> Option<Session> {
    let cwd = current_dir().ok()?;
    let top = GitRoots::default().root(&cwd).unwrap_or_else(|| cwd.clone());
    let deadline = Instant::now() + PATIENCE;
    let reach = Reach::below(&[top, cwd])
        .ok()?
        .until(move || Instant::now() > deadline);
    let global = Global {
        reach: Some(reach),
        ..Global::default()
    };
    Session::open(engines, &global, &RunArgs::default(), &mut Output::silent()).ok()
}

fn units(engines: Engines) -> Vec<CompletionCandidate> {
    let Some(session) = session(engines) else {
        return Vec::new();
    };
    let mut projects: BTreeMap<&str, BTreeSet<ProjectIx>> = BTreeMap::new();
    for (ix, project) in session.projects() {
        for unit in project.resolution.variants.iter().flat_map(|v| &v.units) {
            projects.entry(&*unit.name).or_default().insert(ix);
        }
    }
    // A name that only one project has needs no qualification, whatever other names that project has.
    let mut names: BTreeSet<String> = BTreeSet::new();
    for (name, projects) in &projects {
        let name = escape::line(name);
        match projects.len() {
            1 => drop(names.insert(name.into_owned())),
            _ => names.extend(projects.iter().map(|ix| format!("{}#{name}", session.key(*ix)))),
        }
    }
    names.into_iter().map(CompletionCandidate::new).collect()
}

fn environments(engines: Engines) -> Vec<CompletionCandidate> {
    let Some(session) = session(engines) else {
        return Vec::new();
    };
    let variants = session
        .projects()
        .flat_map(|(_, project)| &project.resolution.variants);
    let names = variants.flat_map(|variant| variant.environments.iter().flatten());
    let mut names: BTreeSet<Arc<str>> = names.cloned().collect();
    names.insert("all".into());
    names
        .iter()
        .map(|name| CompletionCandidate::new(&**name))
        .collect()
}
