//! `limit-reached` in Terramate's files: files, values, imports and evaluations that are too large.

use crate::model::imports::{ImportFault, Rejected};
use crate::problems::{Fault, Problem};
use crate::run_env;
use crate::scope::loading::LoadFault;
use crate::scope::{Directory, InFile, Whole};
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::limit_reached::RULE;
use applyorder_syntax::hcl::SyntaxErrorKind;

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell(found, |problem| {
        let message = match &problem.fault {
            LoadFault::Unreadable(error) if error.is_limit() => {
                let d = super::unreadable_file::worded(&RULE, problem.place, error);
                return Some(d);
            }
            LoadFault::Import(Rejected {
                fault: ImportFault::Unreadable(_, error),
                ..
            }) if error.is_limit() => {
                let message = error.unread("the imported file");
                return Some(Diagnostic::new(&RULE, problem.place, message));
            }
            LoadFault::Import(rejected) if rejected.is_limit() => "too many imports: not all are followed",
            LoadFault::Generated(error) if error.kind == SyntaxErrorKind::Limit => &error.message,
            _ => return None,
        };
        Some(Diagnostic::new(&RULE, problem.place, message))
    });
    dir.tell_of_files(found, worded);
}

pub(super) fn worded(problem: &Problem, file: InFile) -> Option<Diagnostic> {
    let message = match &problem.fault {
        Fault::Truncated(limit) => format!("{limit}: the rest is not analyzed"),
        Fault::TooLong(limit) => limit.clone(),
        _ => return None,
    };
    Some(Diagnostic::new(&RULE, file.place(problem.at), message))
}

/// In what a run evaluates.
pub(super) fn check_run(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    let limit = whole.run.limit;
    found.extend(limit.map(|place| Finding::new(Diagnostic::new(&RULE, place, run_env::STOPPED))));
}
