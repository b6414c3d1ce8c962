//! The arguments of the command line.
//!
//! Every flag has an environment variable: `APPLYORDER_` and the flag's name in capitals with `_` for `-`.

mod env;
mod exec;
mod run;
mod values;

use std::ffi::OsString;

use applyorder_analysis::diagnostic::Severity;
use applyorder_analysis::engine::{Engines, RunOption};
use camino::Utf8PathBuf;
use clap::parser::ValueSource;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};

pub use self::env::name as env_name;
pub use self::exec::{ApplyArgs, CheckArgs, ExecArgs};
use self::run::{ENGINE_OPTIONS, add_options, read_options};
use self::values::severity;
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
    /// Print which files are read, and why
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
    /// On a terminal.
    #[default]
    Auto,
    /// Whatever the output is.
    Always,
    /// Not at all.
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
    /// Check what the configuration expects of the order
    Check(Box<ExpectArgs>),
    /// Explain why one unit waits for another
    Why(Box<WhyArgs>),
    /// Show dependencies or dependents
    Deps(Box<DepsArgs>),
    /// Show what differs in the order since a git revision
    Diff(Box<DiffArgs>),
    /// Write what was inferred into applyorder.toml, to be corrected
    Init(InitArgs),
    /// Check what an engine's command will read, then run it
    Exec(ExecArgs),
    /// Check a project, then run its engine's usual command
    Apply(Box<ApplyArgs>),
    /// Move a file or directory and rewrite all paths to it
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
    /// Answer coding agents on standard input and output (Model Context Protocol), read-only
    Mcp(McpArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
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

    /// Whether it may start an engine, whose exit code is then its own.
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
            Self::Man => "man",
        }
    }
}

/// The heading of the flags that say which files are looked at.
const CHOOSING: &str = "Choosing files";

/// Which files are looked at, and which run of the engine is asked about.
#[derive(Clone, Debug, Default, Args)]
pub struct RunArgs {
    /// Directories (the projects below them), files (the projects they belong to), or - for standard input
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<Utf8PathBuf>,
    /// Look for no projects here and show no findings: patterns as in a .gitignore, beside those of the configuration
    #[arg(long, value_name = "PATTERNS", value_delimiter = ',', help_heading = CHOOSING)]
    pub exclude: Vec<String>,
    /// Leave out what is excluded even where it is named as a PATH
    #[arg(long, help_heading = CHOOSING)]
    pub force_exclude: bool,
    /// Whether everything is looked at, whatever is excluded.
    #[arg(skip)]
    pub exclude_nothing: bool,
    /// What the run is limited to.
    #[command(flatten)]
    pub selection: SelectionArgs,
}

/// What a run is limited to and run with.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = ENGINE_OPTIONS)]
pub struct SelectionArgs {
    /// Only this engine
    #[arg(long, value_name = "ENGINE")]
    pub engine: Option<String>,
    /// Path of standard input
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub stdin_filename: Option<Utf8PathBuf>,
    /// Run the commands that the configuration names to render sources
    #[arg(long)]
    pub render: bool,
    /// The options that the engines have, each with its values.
    #[arg(skip)]
    pub options: Vec<(&'static RunOption, Vec<String>)>,
    /// Those of them that the environment gives, so that they count only where an engine has them.
    #[arg(skip)]
    pub lenient: Vec<&'static str>,
}

impl SelectionArgs {
    /// Whether an option is given.
    #[must_use]
    pub fn has(&self, option: &RunOption) -> bool {
        self.options.iter().any(|(given, _)| given.name == option.name)
    }
}

/// `lint`
#[derive(Clone, Debug, Default, Args)]
pub struct LintArgs {
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Output format, optionally to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<LintFormat>::parser(), default_value = "human")]
    pub format: Vec<To<LintFormat>>,
    /// Whether somebody asked for a format.
    #[arg(skip)]
    pub is_format_given: bool,
    /// Report only these: rule IDs, `ENGINE`, `ENGINE/*`, severities
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub select: Vec<String>,
    /// Do not report these: rule IDs, `ENGINE`, `ENGINE/*`, severities
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// Lowest severity that fails [default: error]
    #[arg(long, value_name = "SEVERITY", value_parser = severity())]
    pub fail_on: Option<Severity>,
    /// Lowest severity that is reported [default: warning]
    #[arg(long, value_name = "SEVERITY", value_parser = severity())]
    pub min_severity: Option<Severity>,
    /// Rewrite files with the safe fixes of what is found
    #[arg(long)]
    pub fix: bool,
    /// With --fix or --diff: unsafe fixes too, which may change the order
    #[arg(long)]
    pub unsafe_fixes: bool,
    /// Show what --fix would change, and change nothing
    #[arg(long)]
    pub diff: bool,
    /// Report only what is new since the commit that a revision and HEAD have in common
    #[arg(long, value_name = "REV", conflicts_with = "staged")]
    pub since: Option<String>,
    /// Look at what is staged in git, and report only what is new in it since HEAD
    #[arg(long, conflicts_with_all = ["fix", "diff", "add_ignores"])]
    pub staged: bool,
    /// Write a comment beside each finding that is shown, so that it is ignored from now on
    #[arg(long, value_name = "REASON", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub add_ignores: Option<String>,
    /// Report only what is not in this baseline
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub baseline: Option<Utf8PathBuf>,
    /// Write what is found to a baseline, and report nothing of it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "baseline")]
    pub write_baseline: Option<Utf8PathBuf>,
    /// So many findings are shown at most, 0 for all [default: 1000 for people, all for programs]
    #[arg(long, value_name = "N")]
    pub max_findings: Option<usize>,
    /// Exit 0 despite findings
    #[arg(long)]
    pub exit_zero: bool,
    /// Report whole projects
    #[arg(long)]
    pub whole: bool,
    /// List files with their projects instead of linting
    #[arg(long)]
    pub show_files: bool,
    /// Show how often each rule reports, and how much of it can be fixed, instead of the findings
    #[arg(long, conflicts_with_all = ["show_files", "diff"])]
    pub statistics: bool,
    /// Look again whenever a file changes, and show what is new, until Ctrl-C
    #[arg(long, conflicts_with_all = ["show_files", "diff", "staged", "add_ignores", "write_baseline", "statistics"])]
    pub watch: bool,
}

/// `order`
#[derive(Clone, Debug, Default, Args)]
pub struct OrderArgs {
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Treat files changed since a git revision as changed, uncommitted and untracked ones too
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
    /// The operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Output format, optionally to a file; may be repeated [default: human on a terminal, else table]
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<OrderFormat>::parser())]
    pub format: Vec<To<OrderFormat>>,
    /// Separate names by NUL
    #[arg(short = '0', long = "null")]
    pub null: bool,
    /// Which edges to show: relations of groups as one each (in JSON), or every edge of two units
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    pub edges: EdgesArg,
}

/// `graph`
#[derive(Clone, Debug, Default, Args)]
pub struct GraphArgs {
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Treat files changed since a git revision as changed, uncommitted and untracked ones too
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
    /// The operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Only this unit, and what runs before and after it
    #[arg(long, value_name = "UNIT")]
    pub focus: Option<String>,
    /// With --focus: maximum distance
    #[arg(long, value_name = "N", requires = "focus", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Output format, optionally to a file; may be repeated [default: what --output is named, else mermaid]
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<GraphFormat>::parser())]
    pub format: Vec<To<GraphFormat>>,
    /// File to write to
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<Utf8PathBuf>,
    /// Where a place opens: a URL with {path}, {line} and {column}, or off [default: the forge in CI, else VS Code from HTML]
    #[arg(long, value_name = "URL")]
    pub source_url: Option<String>,
}

/// `simulate`
#[derive(Clone, Debug, Default, Args)]
pub struct SimulateArgs {
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Treat files changed since a git revision as changed, uncommitted and untracked ones too
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
    /// Treat these units as failed in the previous run
    #[arg(long, value_name = "UNITS", value_delimiter = ',')]
    pub failed: Vec<String>,
    /// The operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Output format, optionally to a file; may be repeated [default: human on a terminal, else table]
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<OrderFormat>::parser())]
    pub format: Vec<To<OrderFormat>>,
}

/// `check`
#[derive(Clone, Debug, Default, Args)]
pub struct ExpectArgs {
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// The operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Output format, optionally to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<AnswerFormat>::parser(), default_value = "human")]
    pub format: Vec<To<AnswerFormat>>,
}

/// `why`
#[derive(Clone, Debug, Default, Args)]
pub struct WhyArgs {
    /// A unit
    #[arg(value_name = "A", required_unless_present = "selected")]
    pub from: Option<String>,
    /// Another unit
    #[arg(value_name = "B", required_unless_present = "selected")]
    pub to: Option<String>,
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Instead: why this unit is part of the run that the options describe, or is not
    #[arg(long, value_name = "UNIT")]
    pub selected: Option<String>,
    /// Treat files changed since a git revision as changed, uncommitted and untracked ones too
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
    /// The operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Output format, optionally to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<AnswerFormat>::parser(), default_value = "human")]
    pub format: Vec<To<AnswerFormat>>,
}

/// `deps`
#[derive(Clone, Debug, Default, Args)]
pub struct DepsArgs {
    /// The unit
    #[arg(value_name = "UNIT")]
    pub unit: String,
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Show dependents instead of dependencies
    #[arg(long)]
    pub reverse: bool,
    /// Maximum distance
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// The operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Output format, optionally to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<DepsFormat>::parser(), default_value = "tree")]
    pub format: Vec<To<DepsFormat>>,
}

/// `diff`
#[derive(Clone, Debug, Default, Args)]
pub struct DiffArgs {
    /// What to compare with: the commit that REV and HEAD have in common. REV..REV2 compares exactly these two
    #[arg(value_name = "REV|REV..REV2")]
    pub revision: String,
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// The operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Output format, optionally to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<DiffFormat>::parser(), default_value = "human")]
    pub format: Vec<To<DiffFormat>>,
    /// Exit 1 when something differs
    #[arg(long)]
    pub exit_code: bool,
    /// Where places in Markdown lead: an address with {commit}, {path} and {line}
    #[arg(long, value_name = "TEMPLATE")]
    pub source_url: Option<String>,
}

/// `init`
#[derive(Clone, Debug, Args)]
pub struct InitArgs {
    /// The directory whose projects are declared, and where the file is written
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub dir: Utf8PathBuf,
    /// Replace the configuration that is there
    #[arg(long)]
    pub force: bool,
    /// Print what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `mv`
#[derive(Clone, Debug, Args)]
pub struct MvArgs {
    /// The file or directory
    #[arg(value_name = "OLD", value_hint = ValueHint::AnyPath)]
    pub old: Utf8PathBuf,
    /// The new path; must not exist
    #[arg(value_name = "NEW", value_hint = ValueHint::AnyPath)]
    pub new: Utf8PathBuf,
    /// Print the changes as a diff instead of making them
    #[arg(long)]
    pub diff: bool,
}

/// `trust`
#[derive(Clone, Debug, Args)]
pub struct TrustArgs {
    /// Trust the commands that the configuration of this directory, and those below it, name
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub dir: Utf8PathBuf,
    /// List the commands that are trusted
    #[arg(long, conflicts_with = "dir")]
    pub list: bool,
    /// Trust no command in the directory and below any more
    #[arg(long, conflicts_with = "list")]
    pub revoke: bool,
}

/// `rules`
#[derive(Clone, Debug, Default, Args)]
pub struct RulesArgs {
    /// Only the rules that this engine reports
    #[arg(long, value_name = "ENGINE")]
    pub engine: Option<String>,
    /// Output format, optionally to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<AnswerFormat>::parser(), default_value = "human")]
    pub format: Vec<To<AnswerFormat>>,
}

/// `explain`
#[derive(Clone, Debug, Args)]
pub struct ExplainArgs {
    /// The rule's id
    #[arg(value_name = "RULE")]
    pub rule: String,
    /// Output format, optionally to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<AnswerFormat>::parser(), default_value = "human")]
    pub format: Vec<To<AnswerFormat>>,
}

/// `config`
#[derive(Clone, Debug, Subcommand)]
pub enum ConfigCommand {
    /// Show the configuration that holds for a path, and where it comes from
    Show {
        /// A file or directory
        #[arg(value_name = "PATH", default_value = ".", value_hint = ValueHint::AnyPath)]
        path: Utf8PathBuf,
    },
    /// Print the JSON Schema of applyorder.toml
    Schema,
}

/// `server`
#[derive(Clone, Debug, Args)]
pub struct ServerArgs {
    /// Accepted for editors that insist on it: the server always speaks on standard input and output
    #[arg(long)]
    pub stdio: bool,
}

/// `mcp`
#[derive(Clone, Debug, Args)]
pub struct McpArgs {
    /// Directories below which files may be read
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub dirs: Vec<Utf8PathBuf>,
}

/// `completions`
#[derive(Clone, Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// The command with the options of the engines, and an environment variable for every flag.
#[must_use]
pub fn command(engines: Engines) -> clap::Command {
    env::everywhere(add_options(Cli::command(), engines))
}

/// Parses arguments, the first being the program's name. What the environment says counts where it applies.
///
/// # Errors
/// What clap has to say: also help and version.
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

/// Whether a command line that is not understood was to start an engine.
pub fn was_to_hand_over(engines: Engines, args: impl IntoIterator<Item = OsString>) -> bool {
    let lenient = add_options(Cli::command(), engines).ignore_errors(true);
    let found = lenient.try_get_matches_from(args);
    found.is_ok_and(|found| matches!(found.subcommand_name(), Some("exec" | "apply")))
}

/// The same, whatever variables there are in the environment.
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
    fn the_definition_holds_together() {
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
