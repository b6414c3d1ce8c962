//! `duplicate-dependency` in lists of stacks, all of which are sets to Terramate.

use crate::problems::{Fault, Problem, duplicate_in_set};
use crate::scope::{Directory, InFile};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::duplicate_dependency::RULE;

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell_of_files(found, worded);
}

pub(super) fn worded(problem: &Problem, file: InFile) -> Option<Diagnostic> {
    let Fault::DuplicateEntry {
        name,
        index,
        text,
        first,
    } = &problem.fault
    else {
        return None;
    };
    let at = file.place(problem.at);
    let words = duplicate_in_set(name, *index, text);
    let d = Diagnostic::new(&RULE, at, format!("duplicate entry `{text}` in `{name}`"));
    Some(
        d.severity(Severity::Error)
            .related(file.place(*first), "first listed here")
            .engine_message(words)
            .fix("remove the entry", Safety::Unsafe, vec![FixStep::RemoveEntry(at)]),
    )
}
