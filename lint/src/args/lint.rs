//! The flags of `lint`.

use applyorder_analysis::diagnostic::Severity;
use camino::Utf8PathBuf;
use clap::{Args, ValueHint};

use super::selection::RunArgs;
use super::values::{LintFormat, To, severity};

/// `lint`
#[derive(Clone, Debug, Default, Args)]
pub struct LintArgs {
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Output format, optionally to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<LintFormat>::parser(), default_value = "human")]
    pub format: Vec<To<LintFormat>>,
    /// Whether a format was given.
    #[arg(skip)]
    pub is_format_given: bool,
    /// Rules to report: rule IDs, `ENGINE`, `ENGINE/*`, severities
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub select: Vec<String>,
    /// Rules not to report: rule IDs, `ENGINE`, `ENGINE/*`, severities
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// Lowest severity that fails [default: error]
    #[arg(long, value_name = "SEVERITY", value_parser = severity())]
    pub fail_on: Option<Severity>,
    /// Lowest severity to report [default: warning]
    #[arg(long, value_name = "SEVERITY", value_parser = severity())]
    pub min_severity: Option<Severity>,
    /// Apply safe fixes to files
    #[arg(long)]
    pub fix: bool,
    /// With --fix or --diff: include unsafe fixes, which may change the order
    #[arg(long)]
    pub unsafe_fixes: bool,
    /// Show what --fix would change, without changing it
    #[arg(long)]
    pub diff: bool,
    /// Report only findings that are new since the merge base of a revision and HEAD
    #[arg(long, value_name = "REV", conflicts_with = "staged")]
    pub since: Option<String>,
    /// Check the git index, and report only findings that are new since HEAD
    #[arg(long, conflicts_with_all = ["fix", "diff", "add_ignores"])]
    pub staged: bool,
    /// Add a comment that ignores it to each reported finding
    #[arg(long, value_name = "REASON", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub add_ignores: Option<String>,
    /// Report only findings that are not in this baseline
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub baseline: Option<Utf8PathBuf>,
    /// Write all findings to a baseline instead of reporting them
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "baseline")]
    pub write_baseline: Option<Utf8PathBuf>,
    /// Maximum number of findings to show, 0 for all [default: 1000 in human-readable formats, else all]
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
    /// Show the number of findings and fixes of each rule instead of the findings
    #[arg(long, conflicts_with_all = ["show_files", "diff"])]
    pub statistics: bool,
    /// Check again whenever a file changes, and show new findings, until Ctrl-C
    #[arg(long, conflicts_with_all = ["show_files", "diff", "staged", "add_ignores", "write_baseline", "statistics"])]
    pub watch: bool,
}
