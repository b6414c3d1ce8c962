//! The flags of the commands that are not about an order: they change files, or describe the program itself.

use camino::Utf8PathBuf;
use clap::{Args, Subcommand, ValueHint};

use super::values::{AnswerFormat, To};

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
    /// The file or directory, or the unit if the path does not exist (`ENGINE:PROJECT#NAME` is always a unit)
    #[arg(value_name = "OLD", value_hint = ValueHint::AnyPath)]
    pub old: Utf8PathBuf,
    /// The new path or name; must not exist
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

/// `man`
#[derive(Clone, Debug, Default, Args)]
pub struct ManArgs {
    /// The command that the page is about, as it is written: config show [default: the program itself]
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
    /// Write the pages of the program and of every command into this directory, as share/man/man1
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "command")]
    pub dir: Option<Utf8PathBuf>,
}
