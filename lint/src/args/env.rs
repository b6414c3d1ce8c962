//! Environment variables that mirror flags: `APPLYORDER_` and the flag's long name.

use std::ffi::OsString;

use clap::builder::{FalseyValueParser, ValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

const PREFIX: &str = "APPLYORDER_";

/// The environment variable of a flag, by the flag's long name.
#[must_use]
pub fn name(long: &str) -> String {
    format!("{PREFIX}{}", long.replace('-', "_").to_uppercase())
}

/// Whether any such variable is set.
pub(super) fn is_used() -> bool {
    std::env::vars_os().any(|(name, _)| name.to_string_lossy().starts_with(PREFIX))
}

fn of(arg: &Arg) -> Option<String> {
    let long = arg
        .get_long()
        .filter(|long| !matches!(*long, "help" | "version"))?;
    Some(name(long))
}

fn with(arg: Arg, name: String) -> Arg {
    let arg = arg.env(name).hide_env(true);
    if matches!(arg.get_action(), ArgAction::SetTrue) {
        arg.value_parser(ValueParser::from(FalseyValueParser::new()))
    } else {
        arg
    }
}

/// The command with a variable for every flag.
pub(super) fn everywhere(command: Command) -> Command {
    command
        .mut_args(|arg| match of(&arg) {
            Some(name) => with(arg, name),
            None => arg,
        })
        .mut_subcommands(everywhere)
}

/// The command with a variable for each flag of the given subcommand, unless the value is a format that only other
/// commands support, or an explicit argument conflicts with the flag.
pub(super) fn applied(
    command: Command,
    given: &ArgMatches,
    value: &dyn Fn(&str) -> Option<OsString>,
) -> Command {
    let formats = formats(&command);
    let mut built = command.clone();
    built.build();
    let mut names: Vec<(Option<&str>, String)> = Vec::new();
    let sub = given.subcommand();
    let levels = [(None, Some(&built), Some(given))];
    let below = sub.map(|(name, matches)| (Some(name), built.find_subcommand(name), Some(matches)));
    for (level, command, matches) in levels.into_iter().chain(below) {
        let (Some(command), Some(matches)) = (command, matches) else {
            continue;
        };
        let is_written = |arg: &Arg| {
            let source = matches.try_contains_id(arg.get_id().as_str()).ok();
            let source = source.and_then(|_| matches.value_source(arg.get_id().as_str()));
            source == Some(ValueSource::CommandLine)
        };
        let written: Vec<&Arg> = command.get_arguments().filter(|arg| is_written(arg)).collect();
        for arg in command.get_arguments() {
            let contradicts = |other: &&Arg| {
                let is_in = |a: &Arg, b: &Arg| {
                    let conflicts = command.get_arg_conflicts_with(a);
                    conflicts.iter().any(|c| c.get_id() == b.get_id())
                };
                is_in(arg, other) || is_in(other, arg)
            };
            let Some(value) = of(arg).and_then(|name| value(&name)) else {
                continue;
            };
            let is_of_others = arg.get_id() == "format" && {
                let word = value.to_string_lossy();
                let word = word.split('=').next().unwrap_or("").to_owned();
                formats.contains(&word) && !possible(arg).contains(&word)
            };
            if !is_of_others && !written.iter().any(contradicts) {
                names.push((level, arg.get_id().to_string()));
            }
        }
    }
    let env = |command: Command, level: Option<&str>| {
        let mine = |arg: &Arg| {
            names
                .iter()
                .any(|(l, id)| *l == level && arg.get_id() == id.as_str())
        };
        command.mut_args(|arg| match of(&arg).filter(|_| mine(&arg)) {
            Some(name) => with(arg, name),
            None => arg,
        })
    };
    let command = env(command, None);
    match sub {
        Some((name, _)) => command.mut_subcommand(name, |sub| env(sub, Some(name))),
        None => command,
    }
}

/// The formats of all commands.
fn formats(command: &Command) -> Vec<String> {
    let subs = command.get_subcommands().flat_map(Command::get_arguments);
    subs.filter(|arg| arg.get_id() == "format")
        .flat_map(possible)
        .collect()
}

fn possible(arg: &Arg) -> Vec<String> {
    let values = arg.get_possible_values();
    let names = values.iter().flat_map(|value| value.get_name_and_aliases());
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use clap::{Arg, ArgAction, Command};

    use super::*;

    fn command() -> Command {
        let format = |values: &'static [&'static str]| {
            Arg::new("format")
                .long("format")
                .value_parser(clap::builder::PossibleValuesParser::new(values))
        };
        let switch = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
        Command::new("x")
            .arg(switch("quiet").global(true))
            .arg(switch("verbose").global(true).conflicts_with("quiet"))
            .subcommand(Command::new("a").arg(format(&["one", "two"])).arg(switch("fix")))
            .subcommand(Command::new("b").arg(format(&["one"])))
    }

    /// The arguments that take the given variables.
    #[track_caller]
    fn check(args: &[&str], env: &[(&str, &str)], counts: &str) {
        let given = command().try_get_matches_from(args).unwrap();
        let value = |name: &str| {
            env.iter()
                .find(|(n, _)| *n == name)
                .map(|(_, v)| OsString::from(v))
        };
        let command = applied(command(), &given, &value);
        let sub = given.subcommand().unwrap().0.to_owned();
        let names = |command: &Command| {
            let args = command.get_arguments().filter(|arg| arg.get_env().is_some());
            args.map(|arg| arg.get_id().to_string()).collect::<Vec<_>>()
        };
        let mut all = names(&command);
        all.extend(names(command.find_subcommand(&sub).unwrap()));
        all.sort();
        assert_eq!(all.join(" "), counts);
    }

    #[test]
    fn a_variable_is_used_where_it_applies() {
        let format = [("APPLYORDER_FORMAT", "two")];
        check(&["x", "a"], &format, "format");
        check(&["x", "b"], &format, "");
        check(&["x", "b"], &[("APPLYORDER_FORMAT", "one=file")], "format");
        // What no command accepts is an error everywhere.
        check(&["x", "b"], &[("APPLYORDER_FORMAT", "three")], "format");
        check(&["x", "b"], &[("APPLYORDER_FIX", "1")], "");
        check(&["x", "a"], &[("APPLYORDER_FIX", "1")], "fix");
    }

    #[test]
    fn what_is_written_wins() {
        let quiet = [("APPLYORDER_QUIET", "1")];
        check(&["x", "a"], &quiet, "quiet");
        check(&["x", "a", "--verbose"], &quiet, "");
        check(&["x", "--verbose", "a"], &quiet, "");
        check(&["x", "a", "--quiet"], &[("APPLYORDER_VERBOSE", "1")], "");
    }
}
