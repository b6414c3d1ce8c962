//! The arguments of the command line.
//!
//! Every flag has an environment variable: `APPLYORDER_` and the flag's name in capitals with `_` for `-`.

mod answers;
mod env;
mod exec;
mod lint;
mod run;
mod selection;
mod tools;
mod values;

use std::ffi::OsString;

use applyorder_analysis::engine::Engines;
use clap::parser::ValueSource;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};

pub use self::answers::{DepsArgs, DiffArgs, ExpectArgs, GraphArgs, OrderArgs, SimulateArgs, WhyArgs};
pub use self::env::name as env_name;
pub use self::exec::{ApplyArgs, CheckArgs, ExecArgs};
pub use self::lint::LintArgs;
use self::run::{add_options, read_options};
pub use self::selection::{RunArgs, SelectionArgs};
pub use self::tools::{
    CompletionsArgs, ConfigCommand, ExplainArgs, InitArgs, ManArgs, McpArgs, MvArgs, RulesArgs, ServerArgs,
    TrustArgs,
};
pub use self::values::{
    AnswerFormat, DepsFormat, DiffFormat, EdgesArg, GraphFormat, LintFormat, OperationArg, OrderFormat, To,
};
use crate::reach::Reach;

/// The command line of applyorder.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "applyorder",
    version,
    about = "Lint and explain the order in which infrastructure is applied",
    after_help = "Every flag can be set by an environment variable: --min-severity by APPLYORDER_MIN_SEVERITY.",
    propagate_version = true,
    max_term_width = 100
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// What holds for every command.
    #[command(flatten)]
    pub global: Global,
}

/// Flags that every command takes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// When to use colors; NO_COLOR and FORCE_COLOR are honored
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    pub color: Color,
    /// Print results only
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Print which files are read and why
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Configuration file, or KEY=VALUE override
    #[arg(long, global = true, value_name = "FILE|KEY=VALUE", value_hint = ValueHint::FilePath)]
    pub config: Vec<String>,
    /// Ignore configuration files
    #[arg(long, global = true)]
    pub isolated: bool,
    /// Enable preview rules
    #[arg(long, global = true)]
    pub preview: bool,
    /// Log steps and their times to standard error: TARGET=LEVEL,... (applyorder=debug)
    #[arg(long, global = true, value_name = "FILTER")]
    pub log: Option<String>,
    /// What may be read, where that is not the whole disk. Then no command of a configuration is run either.
    #[arg(skip)]
    pub reach: Option<Reach>,
}

/// When output is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// Only on a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A command.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Check for problems
    Lint(Box<LintArgs>),
    /// Show the apply or delete order
    Order(Box<OrderArgs>),
    /// Draw the order
    Graph(Box<GraphArgs>),
    /// Predict a partial run
    Simulate(Box<SimulateArgs>),
    /// Check the order against the expectations of the configuration
    Check(Box<ExpectArgs>),
    /// Explain why one unit waits for another
    Why(Box<WhyArgs>),
    /// Show dependencies or dependents
    Deps(Box<DepsArgs>),
    /// Show how the order differs from a git revision
    Diff(Box<DiffArgs>),
    /// Write the inferred projects to applyorder.toml, for review
    Init(InitArgs),
    /// Check what an engine command will read, then run it
    Exec(ExecArgs),
    /// Check a project, then run its engine's default command
    Apply(Box<ApplyArgs>),
    /// Move a file or directory, or rename a unit, and rewrite all references to it
    Mv(MvArgs),
    /// Allow the commands of a configuration to run
    Trust(TrustArgs),
    /// List the rules
    Rules(RulesArgs),
    /// Explain a rule
    Explain(ExplainArgs),
    /// Show the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Run the language server on standard input and output
    #[command(alias = "lsp")]
    Server(ServerArgs),
    /// Run a read-only MCP server for coding agents on standard input and output
    Mcp(McpArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print a manual page, or write all manual pages
    Man(ManArgs),
}

impl Command {
    fn selection(&mut self) -> Option<&mut SelectionArgs> {
        let run = match self {
            Self::Lint(args) => &mut args.run,
            Self::Order(args) => &mut args.run,
            Self::Graph(args) => &mut args.run,
            Self::Simulate(args) => &mut args.run,
            Self::Check(args) => &mut args.run,
            Self::Why(args) => &mut args.run,
            Self::Deps(args) => &mut args.run,
            Self::Diff(args) => &mut args.run,
            Self::Apply(args) => &mut args.run,
            _ => return None,
        };
        Some(&mut run.selection)
    }

    /// Whether it may start an engine, whose exit code then becomes its own.
    #[must_use]
    pub const fn hands_over(&self) -> bool {
        matches!(self, Self::Exec(_) | Self::Apply(_))
    }

    /// The command as it is written.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Lint(_) => "lint",
            Self::Order(_) => "order",
            Self::Graph(_) => "graph",
            Self::Simulate(_) => "simulate",
            Self::Check(_) => "check",
            Self::Why(_) => "why",
            Self::Deps(_) => "deps",
            Self::Diff(_) => "diff",
            Self::Init(_) => "init",
            Self::Exec(_) => "exec",
            Self::Apply(_) => "apply",
            Self::Mv(_) => "mv",
            Self::Trust(_) => "trust",
            Self::Rules(_) => "rules",
            Self::Explain(_) => "explain",
            Self::Config(_) => "config",
            Self::Server(_) => "server",
            Self::Mcp(_) => "mcp",
            Self::Completions(_) => "completions",
            Self::Man(_) => "man",
        }
    }
}

/// The command with the options of the engines, and an environment variable for every flag.
#[must_use]
pub fn command(engines: Engines) -> clap::Command {
    env::everywhere(add_options(Cli::command(), engines))
}

/// Parses arguments, the first being the program's name. Environment variables are used where they apply.
///
/// # Errors
/// The errors of clap; these include help and version.
pub fn parse(engines: Engines, args: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let args: Vec<OsString> = args.into_iter().collect();
    let plain = add_options(Cli::command(), engines);
    if !env::is_used() {
        return parse_with(engines, plain, args);
    }
    let given = plain.clone().try_get_matches_from(&args)?;
    parse_with(
        engines,
        env::applied(plain, &given, &|name| std::env::var_os(name)),
        args,
    )
}

/// Whether a command line that cannot be parsed was meant to start an engine.
pub fn was_to_hand_over(engines: Engines, args: impl IntoIterator<Item = OsString>) -> bool {
    let lenient = add_options(Cli::command(), engines).ignore_errors(true);
    let found = lenient.try_get_matches_from(args);
    found.is_ok_and(|found| matches!(found.subcommand_name(), Some("exec" | "apply")))
}

/// The same, ignoring environment variables.
///
/// # Errors
/// As [`parse`].
pub fn parse_exactly(engines: Engines, args: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    parse_with(engines, add_options(Cli::command(), engines), args)
}

fn parse_with(
    engines: Engines,
    mut command: clap::Command,
    args: impl IntoIterator<Item = OsString>,
) -> Result<Cli, clap::Error> {
    let matches = command.try_get_matches_from_mut(args)?;
    let mut cli = Cli::from_arg_matches(&matches).map_err(|e| e.format(&mut command))?;
    let Some((_, matches)) = matches.subcommand() else {
        return Ok(cli);
    };
    if let Some(selection) = cli.command.selection() {
        selection.options = read_options(engines, matches);
        let is_lenient = |name: &&'static str| matches.value_source(name) == Some(ValueSource::EnvVariable);
        let names = selection.options.iter().map(|(option, _)| option.name);
        selection.lenient = names.filter(is_lenient).collect();
    }
    if let Command::Lint(args) = &mut cli.command {
        args.is_format_given = matches.value_source("format") != Some(ValueSource::DefaultValue);
    }
    Ok(cli)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engines() -> Engines {
        Engines::new(&[])
    }

    fn lint(args: &[&str]) -> LintArgs {
        let args = ["applyorder", "lint"].iter().chain(args).map(OsString::from);
        match parse(engines(), args).unwrap().command {
            Command::Lint(args) => *args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_definition_is_valid() {
        command(engines()).debug_assert();
    }

    #[test]
    fn every_flag_has_a_variable() {
        fn visit(command: &clap::Command) {
            for arg in command.get_arguments() {
                if let Some(long) = arg.get_long().filter(|l| !matches!(*l, "help" | "version")) {
                    let name = env_name(long);
                    assert_eq!(arg.get_env(), Some(name.as_ref()), "--{long}");
                }
            }
            command.get_subcommands().for_each(visit);
        }
        visit(&command(engines()));
    }

    #[test]
    fn a_command_is_taken_as_it_is() {
        let args = [
            "applyorder",
            "exec",
            "--require-complete",
            "--",
            "kapp",
            "--quiet",
            "--",
            "x",
        ];
        let Command::Exec(args) = parse(engines(), args.map(OsString::from)).unwrap().command else {
            panic!("another command");
        };
        assert!(args.check.require_complete);
        assert_eq!(args.command, ["kapp", "--quiet", "--", "x"]);
        assert!(parse(engines(), ["applyorder", "exec"].map(OsString::from)).is_err());
    }

    #[test]
    fn a_format_may_name_its_file() {
        let args = lint(&["--format", "json=out.json", "--format", "concise"]);
        assert_eq!(args.format[0].file.as_deref(), Some("out.json".into()));
        assert_eq!(args.format[1].format, LintFormat::Concise);
        assert_eq!(lint(&[]).format[0].format, LintFormat::Human);
        let bad = parse(
            engines(),
            ["applyorder", "lint", "--format", "xml"].map(OsString::from),
        )
        .unwrap_err();
        assert!(bad.to_string().contains("human, concise, grouped, json"), "{bad}");
    }
}
