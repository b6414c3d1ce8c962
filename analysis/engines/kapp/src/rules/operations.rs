//! The operations of an app whose cycles are reported, and how the commands that run them react to a cycle.

use super::rejected;
use super::scope::{By, Project};
use crate::judge;
use crate::relate::Operation;
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;

/// A command with its operation.
pub(super) type Rejecting<'a> = (&'static str, &'a Operation);

/// The operations whose cycles are reported, with the command that rejects them.
pub(super) fn operations<'a>(project: &Project<'a>) -> Vec<Rejecting<'a>> {
    let mut out = judge::operations(project.related);
    out.retain(|(_, operation)| operation.is_cyclic());
    out
}

fn words(command: &str) -> &'static str {
    match command {
        judge::DEPLOY => "kapp deploy",
        judge::DELETE => "kapp delete",
        _ => "a deploy that removes them",
    }
}

/// How a command reacts to a cycle; `is_reported` says whether this is the cycle that kapp reports.
pub(super) fn by(
    project: &Project<'_>,
    rejecting: Rejecting<'_>,
    is_reported: impl Fn(&[u32]) -> bool,
) -> By {
    let (command, operation) = rejecting;
    let reported = operation.reported_cycle();
    let about = reported
        .filter(|cycle| project.related.failed.is_none() && is_reported(cycle))
        .and_then(|cycle| project.related.name(*cycle.first()?));
    (command, "graph", about.cloned())
}

/// A finding with what some commands reject because of a cycle.
pub(super) fn with_commands(mut d: Diagnostic, commands: Vec<By>) -> Finding {
    if commands.iter().all(|(command, ..)| *command != judge::DEPLOY) {
        let which: Vec<&str> = commands.iter().map(|(command, ..)| words(command)).collect();
        d = d.note(format!(
            "a deploy is not affected: only {} is rejected",
            which.join(" and ")
        ));
    }
    rejected(d, commands)
}

/// Whether a cycle, as kapp reports it, consists of a single change.
pub(super) fn is_own(cycle: &[u32]) -> bool {
    matches!(cycle, [.., a, b] if a == b)
}
