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
