//! The flags of a run that the engines declare.

use applyorder_analysis::engine::{Engines, RunOption, Takes};
use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, ValueHint};

/// The heading of these flags in help.
pub(super) const ENGINE_OPTIONS: &str = "Engine options";

/// The argument of the commands that take the options of a run.
const SELECTION: &str = "engine";

/// Adds the engines' options to each command that takes a selection.
pub(super) fn add_options(command: clap::Command, engines: Engines) -> clap::Command {
    command.mut_subcommands(|mut command| {
        let has = |command: &clap::Command, id: &str| command.get_arguments().any(|a| a.get_id() == id);
        if !has(&command, "stdin_filename") || !has(&command, SELECTION) {
            return command;
        }
        for option in engines.options().into_iter().filter(|option| option.flag) {
            // Some units may change and others fail in one run.
            let others = ["changed_since"].into_iter().filter(|id| has(&command, id));
            let conflicts: Vec<&str> = others.filter(|_| option.name == "changed").collect();
            command = command.arg(flag(option, engines).conflicts_with_all(conflicts));
        }
        // The project to apply is the one that is named: no option excludes it.
        if command.get_name() == "apply" {
            for name in ["exclude", "force_exclude"] {
                command = command.mut_arg(name, |arg| arg.hide(true));
            }
        }
        command
    })
}

fn flag(option: &'static RunOption, engines: Engines) -> Arg {
    let knows = |e: &'static dyn applyorder_analysis::engine::Engine| {
        e.meta().has_option(option.name).then_some(e.meta().title)
    };
    let titles: Vec<&str> = engines.iter().filter_map(|(_, e)| knows(e)).collect();
    let arg = Arg::new(option.name)
        .long(option.name)
        .value_name(option.value)
        .help(format!("{} [{}]", option.help, titles.join(", ")))
        .help_heading(ENGINE_OPTIONS)
        .action(if option.takes.is_single() {
            ArgAction::Set
        } else {
            ArgAction::Append
        });
    let arg = match option.takes {
        Takes::One | Takes::Many => arg,
        Takes::List => arg.value_delimiter(','),
        Takes::File | Takes::Files => arg.value_hint(ValueHint::FilePath),
        Takes::Directory => arg.value_hint(ValueHint::DirPath),
        Takes::Pairs => arg.value_parser(ValueParser::new(pair)),
    };
    match option.short {
        Some(short) => arg.short(short),
        None => arg,
    }
}

fn pair(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some((key, _)) if !key.is_empty() => Ok(text.to_owned()),
        _ => Err("expected KEY=VALUE".to_owned()),
    }
}

/// The given options, each with its values.
pub(super) fn read_options(engines: Engines, matches: &ArgMatches) -> Vec<(&'static RunOption, Vec<String>)> {
    let options = engines.options().into_iter().filter(|option| option.flag);
    options
        .filter_map(|option| {
            let values = matches.try_get_many::<String>(option.name).ok().flatten()?;
            Some((option, values.cloned().collect()))
        })
        .collect()
}
