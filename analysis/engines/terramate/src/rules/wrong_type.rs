//! `wrong-type` in Terramate's files: attributes of stacks and of other blocks, environments, instances of bundles.

use super::{evaluation, noting_crash, replaced};
use crate::model::environments::EnvironmentFaultKind;
use crate::problems::{Fault, NULL_STRING, Problem, no_set, no_text_in_set};
use crate::read::instance::InstanceFaultKind;
use crate::scope::{Directory, InFile, Whole};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::wrong_type::RULE;
use applyorder_syntax::hcl::eval::EvalErrorKind;

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell_of_files(found, worded);
}

pub(super) fn worded(problem: &Problem, file: InFile) -> Option<Diagnostic> {
    let at = file.place(problem.at);
    let new = |message: String, words: String| Diagnostic::new(&RULE, at, message).engine_message(words);
    let d = match &problem.fault {
        Fault::Evaluation { kind, .. } => match kind {
            EvalErrorKind::Access | EvalErrorKind::Type | EvalErrorKind::Duplicate | EvalErrorKind::Limit => {
                return evaluation(&RULE, problem, file);
            }
            EvalErrorKind::Variable
            | EvalErrorKind::Function
            | EvalErrorKind::Call
            | EvalErrorKind::Missing { .. } => return None,
        },
        Fault::NoText { path, found, source } => {
            let words = match &**path {
                _ if is_null(found) => NULL_STRING.to_owned(),
                "stack.name" => format!("field {path} must be a string but given \"{found}\""),
                "stack.description" => {
                    format!("field stack.\"description\" must be a \"string\" but given \"{found}\"")
                }
                _ => format!("field {path} must be a string but is \"{found}\""),
            };
            let d = new(
                format!("expected a string as `{path}`, found {}", shown(found)),
                words,
            );
            quoted(d, source.as_deref())
        }
        Fault::NoList {
            name,
            found,
            source,
            is_text,
            is_set,
        } => {
            let d = new(
                format!("expected a list of strings as `{name}`, found {found}"),
                no_set(name, found),
            );
            if *is_text {
                d.fix("wrap it in a list", Safety::Unsafe, vec![FixStep::WrapInList(at)])
            } else if *is_set {
                replaced(d, "convert to a list".to_owned(), format!("tm_tolist({source})"))
            } else {
                d
            }
        }
        Fault::NoTextInList {
            name,
            index,
            found,
            source,
        } => {
            let words = if is_null(found) {
                NULL_STRING.to_owned()
            } else {
                no_text_in_set(name, *index, found)
            };
            let d = new(
                format!("expected a string in `{name}`, found {}", shown(found)),
                words,
            );
            quoted(d, source.as_deref())
        }
        Fault::Value {
            name,
            wanted,
            found,
            is_type: true,
            words,
        } => new(
            format!("expected {wanted} as `{name}`, found {found}"),
            words.clone(),
        ),
        _ => return None,
    };
    Some(noting_crash(d))
}

/// Whether a value that is not a string, of this type, is null.
fn is_null(found: &str) -> bool {
    found == "string"
}

fn shown(found: &str) -> &str {
    if is_null(found) { "null" } else { found }
}

fn quoted(d: Diagnostic, source: Option<&str>) -> Diagnostic {
    match source {
        Some(source) => replaced(d, "quote the value".to_owned(), format!("\"{source}\"")),
        None => d,
    }
}

/// In environments and in instances of bundles.
pub(super) fn check_whole(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    whole.tell_of_environments(found, |place, kind| match kind {
        EnvironmentFaultKind::NoText(name, words) => {
            let message = format!("expected a string as `{name}`");
            let d = Diagnostic::new(&RULE, place, message).engine_message(words.to_string());
            Some(noting_crash(d))
        }
        _ => None,
    });
    whole.tell_of_instances(&RULE, found, |kind| match kind {
        InstanceFaultKind::NoText(name) => Some(format!("expected a string as `{name}`")),
        InstanceFaultKind::NoMapping(name) => Some(format!("expected a mapping as `{name}`")),
        _ => None,
    });
}
