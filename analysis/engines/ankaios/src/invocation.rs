//! The commands of Ankaios that a project is handed to.
//!
//! Source: `ank` 1.0.1. Without `--no-wait` it waits for workloads that may never start.

use applyorder_core::engine::{Handoff, Operation, ProjectSeed, RunOptions};

use crate::config::AGENT;
use crate::discover::STARTUP_ONLY;

/// `ank apply --no-wait FILES`, or `ank apply -d FILES`.
pub(crate) fn usual(seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Handoff {
    let is_file = seed.inputs.first() == Some(&seed.root);
    let cwd = match seed.root.parent() {
        Some(parent) if is_file => parent.to_owned(),
        _ => seed.root.clone(),
    };
    let file = |path: &camino::Utf8PathBuf| path.strip_prefix(&cwd).unwrap_or(path).to_string();
    let mut argv: Vec<String>;
    if is_file && seed.name.as_deref() == Some(STARTUP_ONLY) {
        argv = vec!["ank-server".to_owned(), "-m".to_owned()];
    } else {
        argv = ["ank", "--no-wait", "apply"].map(str::to_owned).to_vec();
        if operation == Operation::Delete {
            argv.push("-d".to_owned());
        }
        if let Some(agent) = options.one(&AGENT) {
            argv.extend(["--agent".to_owned(), agent.to_owned()]);
        }
    }
    argv.extend(seed.inputs.iter().map(file));
    Handoff { argv, cwd }
}
