//! `unresolved` in Terramate's files: values that are computed only when Terramate runs.

use crate::problems::{Fault, Problem};
use crate::scope::{Directory, InFile};
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::unresolved::RULE;

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell_of_files(found, worded);
}

pub(super) fn worded(problem: &Problem, file: InFile) -> Option<Diagnostic> {
    let message = match problem.fault {
        Fault::Unresolved => "unknown value: computed only when Terramate runs",
        _ => return None,
    };
    Some(Diagnostic::new(&RULE, file.place(problem.at), message))
}
