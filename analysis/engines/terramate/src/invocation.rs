//! The commands of Terramate that a project is handed to.
//!
//! Source: Terramate 0.17.2, "Hand-off commands".

use applyorder_core::engine::{Handoff, Operation, ProjectSeed, RunOptions};

/// `terramate run` with the selection of the options; `--reverse` for deleting. What it runs in each stack
/// is for the user to say.
pub(super) fn usual(seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Handoff {
    let mut argv = vec!["terramate".to_owned(), "run".to_owned()];
    if operation == Operation::Delete {
        argv.push("--reverse".to_owned());
    }
    for tag in &options.tags {
        argv.extend(["--tags".to_owned(), tag.clone()]);
    }
    for tag in &options.no_tags {
        argv.extend(["--no-tags".to_owned(), tag.clone()]);
    }
    let tool = match operation {
        Operation::Apply => "apply",
        Operation::Delete => "destroy",
    };
    argv.extend(["--".to_owned(), "terraform".to_owned(), tool.to_owned()]);
    Handoff {
        argv,
        cwd: options.cwd.clone().unwrap_or_else(|| seed.root.clone()),
    }
}
