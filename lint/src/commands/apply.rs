//! `apply`: the engine's usual command for the project found, run as `exec` runs it.

use applyorder_analysis::engine::invocation::CommandLine;
use applyorder_analysis::engine::options::ENGINE_VERSION;
use applyorder_analysis::engine::{Engines, Handoff, Operation, RunOptions};

use super::exec::{Command, Stop, hand_over, shown};
use crate::args::{ApplyArgs, Global, RunArgs};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::session::Session;
use crate::start::current_dir;
use camino::Utf8PathBuf;

/// Runs the command.
///
/// # Errors
/// When the command cannot be printed; then it is not started either.
pub fn run(engines: Engines, global: &Global, args: &ApplyArgs, out: &mut Output) -> Result<Exit, Failure> {
    let made = make(engines, global, args, out);
    let handoff = match made {
        Ok(handoff) => handoff,
        Err(because) => {
            let stop = Stop {
                because,
                code: Stop::REFUSED,
            };
            return Ok(hand_over(engines, global, Err(stop), &args.check, out));
        }
    };
    let here = current_dir()?;
    let cd = if handoff.cwd == here {
        String::new()
    } else {
        let dir = [String::from("cd"), handoff.cwd.to_string()];
        format!("{} && ", shown(&dir))
    };
    out.print(&format!("{cd}{}\n", shown(&handoff.argv)))?;
    out.flush()?;
    if args.print_command {
        return Ok(Exit::Yes);
    }
    let command = Command {
        argv: handoff.argv,
        cwd: Some(handoff.cwd),
        engine: None,
    };
    Ok(hand_over(engines, global, Ok(command), &args.check, out))
}

/// The usual command of the one selected project.
fn make(engines: Engines, global: &Global, args: &ApplyArgs, out: &mut Output) -> Result<Handoff, String> {
    let message = |failure: Failure| match failure {
        Failure::Message(message) => message,
        Failure::BrokenPipe => "the findings cannot be printed".to_owned(),
    };
    // The path or the name selects the project, and no configuration excludes it.
    let is_name = |path: &&Utf8PathBuf| path.as_str().contains(':') && !path.as_std_path().exists();
    let names: Vec<&str> = args
        .run
        .paths
        .iter()
        .filter(is_name)
        .map(|p| p.as_str())
        .collect();
    let run = RunArgs {
        exclude_nothing: true,
        paths: args
            .run
            .paths
            .iter()
            .filter(|path| !is_name(path))
            .cloned()
            .collect(),
        ..args.run.clone()
    };
    let session = Session::open(engines, global, &run, out).map_err(message)?;
    let mut projects: Vec<_> = session.projects().collect();
    for name in names {
        projects.retain(|(ix, _)| session.key(*ix) == name);
        if projects.is_empty() {
            return Err(format!("unknown project `{}`", escape::line(name)));
        }
    }
    let (ix, project) = match projects.as_slice() {
        [] => return Err("no project was found".to_owned()),
        [one] => *one,
        several => {
            let names: Vec<String> = several.iter().map(|(ix, _)| session.key(*ix)).collect();
            return Err(format!(
                "found {} projects; specify one of {}",
                several.len(),
                names.join(", ")
            ));
        }
    };
    let engine = project.engine();
    let title = engine.meta().title;
    let render = engine
        .renders(&session.configs)
        .into_iter()
        .find(|render| Some(&render.name) == project.seed.name.as_ref());
    if let Some(render) = render {
        return Err(format!(
            "{} is rendered by `{}`: pipe that into `applyorder exec`",
            session.key(ix),
            escape::line(&shown(&render.argv))
        ));
    }
    if let Some(because) = engine.runs_elsewhere(&*session.analysis, project.view())
        && !args.local
    {
        return Err(format!("{because} (--local runs it here)"));
    }
    let operation = Operation::from(args.operation);
    let options = engine.options_of(
        &*session.analysis,
        &session.configs,
        project.view(),
        &session.options,
    );
    let Some(handoff) = engine.handoff(&project.seed, operation, &options) else {
        return Err(format!("{title} has no usual command for {}", session.key(ix)));
    };
    refuse_lost_options(engine, &options, &handoff)?;
    Ok(handoff)
}

/// The command must contain the options that the user gave; otherwise something else would run.
fn refuse_lost_options(
    engine: &dyn applyorder_analysis::engine::Engine,
    options: &RunOptions,
    handoff: &Handoff,
) -> Result<(), String> {
    let Some((program, args)) = handoff.argv.split_first() else {
        return Err("the usual command is empty".to_owned());
    };
    let line = CommandLine {
        program,
        args,
        cwd: &handoff.cwd,
        env: &|_| None,
        env_from: &|_| Vec::new(),
        canonical: &|_| None,
    };
    let read = engine.read_command(&line).map_err(|e| e.to_string())?;
    let given = options.given();
    let mut carried = given.iter().filter(|o| o.name != ENGINE_VERSION.name);
    match carried.find(|option| read.options.values(option) != options.values(option)) {
        None => Ok(()),
        Some(option) => Err(format!(
            "the usual command of {} does not take --{}",
            engine.meta().title,
            option.name
        )),
    }
}
