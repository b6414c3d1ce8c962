//! The flags of the commands that are not about an order: they change files, or describe the program itself.

use camino::Utf8PathBuf;
use clap::{Args, Subcommand, ValueHint};

use super::values::{AnswerFormat, To};

/// `init`
#[derive(Clone, Debug, Args)]
pub struct InitArgs {
    /// Directory whose projects to declare and where to write the file
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub dir: Utf8PathBuf,
    /// Overwrite an existing configuration
    #[arg(long)]
    pub force: bool,
    /// Print what would be written, without writing it
    #[arg(long)]
    pub dry_run: bool,
}

/// `mv`
#[derive(Clone, Debug, Args)]
pub struct MvArgs {
    /// File or directory, or unit if the path does not exist (`ENGINE:PROJECT#NAME` is always a unit)
    #[arg(value_name = "OLD", value_hint = ValueHint::AnyPath)]
    pub old: Utf8PathBuf,
    /// New path or name; must not exist
    #[arg(value_name = "NEW", value_hint = ValueHint::AnyPath)]
    pub new: Utf8PathBuf,
    /// Print the changes as a diff instead of making them
    #[arg(long)]
    pub diff: bool,
}

/// `trust`
#[derive(Clone, Debug, Args)]
pub struct TrustArgs {
    /// Trust the commands of the configurations in this directory and below
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub dir: Utf8PathBuf,
    /// List trusted commands
    #[arg(long, conflicts_with = "dir")]
    pub list: bool,
    /// Revoke trust in the directory and below
    #[arg(long, conflicts_with = "list")]
    pub revoke: bool,
}

/// `rules`
#[derive(Clone, Debug, Default, Args)]
pub struct RulesArgs {
    /// Show only the rules of this engine
    #[arg(long, value_name = "ENGINE")]
    pub engine: Option<String>,
    /// Output format, optionally to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<AnswerFormat>::parser(), default_value = "human")]
    pub format: Vec<To<AnswerFormat>>,
}

/// `explain`
#[derive(Clone, Debug, Args)]
pub struct ExplainArgs {
    /// Rule ID
    #[arg(value_name = "RULE")]
    pub rule: String,
    /// Output format, optionally to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<AnswerFormat>::parser(), default_value = "human")]
    pub format: Vec<To<AnswerFormat>>,
}

/// `config`
#[derive(Clone, Debug, Subcommand)]
pub enum ConfigCommand {
    /// Show the configuration of a path and the origin of each value
    Show {
        /// File or directory
        #[arg(value_name = "PATH", default_value = ".", value_hint = ValueHint::AnyPath)]
        path: Utf8PathBuf,
    },
    /// Print the JSON Schema of applyorder.toml
    Schema,
}

/// `server`
#[derive(Clone, Debug, Args)]
pub struct ServerArgs {
    /// Ignored; accepted because some editors pass it
    #[arg(long)]
    pub stdio: bool,
}

/// `mcp`
#[derive(Clone, Debug, Args)]
pub struct McpArgs {
    /// Directories to allow reading in
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub dirs: Vec<Utf8PathBuf>,
}

/// `completions`
#[derive(Clone, Debug, Args)]
pub struct CompletionsArgs {
    /// Shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `man`
#[derive(Clone, Debug, Default, Args)]
pub struct ManArgs {
    /// Command to describe, such as config show [default: the program itself]
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
    /// Directory to write all manual pages to, such as share/man/man1
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "command")]
    pub dir: Option<Utf8PathBuf>,
}
