//! `missing-field` in Terramate's files: attributes and labels of blocks, environments, instances of bundles.

use crate::model::environments::EnvironmentFaultKind;
use crate::problems::{Fault, Problem};
use crate::read::instance::InstanceFaultKind;
use crate::scope::{Directory, InFile, Whole};
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::missing_field::RULE;

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell_of_files(found, worded);
}

pub(super) fn worded(problem: &Problem, file: InFile) -> Option<Diagnostic> {
    let (message, words) = match &problem.fault {
        Fault::Missing { name, block, words } if **block != *"import" => {
            (format!("missing field `{name}` in `{block}`"), words)
        }
        Fault::LabelCount {
            block,
            takes,
            count,
            words,
        } => {
            let wanted = match takes {
                (0, 0) => "no label".to_owned(),
                (1, 1) => "exactly one label".to_owned(),
                (1, usize::MAX) => "at least one label".to_owned(),
                (least, usize::MAX) => format!("at least {least} labels"),
                (_, most) => format!("at most {most} labels"),
            };
            (format!("`{block}` requires {wanted}, found {count}"), words)
        }
        _ => return None,
    };
    Some(Diagnostic::new(&RULE, file.place(problem.at), message).engine_message(words.clone()))
}

/// In environments and in instances of bundles.
pub(super) fn check_whole(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    whole.tell_of_environments(found, |place, kind| match kind {
        EnvironmentFaultKind::Missing(name) => {
            let words = format!("environment block is missing required attribute '{name}'");
            let message = format!("missing field `{name}` in `environment`");
            Some(Diagnostic::new(&RULE, place, message).engine_message(words))
        }
        _ => None,
    });
    whole.tell_of_instances(&RULE, found, |kind| match kind {
        InstanceFaultKind::Missing(name, Some(wanted)) => {
            Some(format!("missing field `{name}`: expected `{wanted}`"))
        }
        InstanceFaultKind::Missing(name, None) => Some(format!("missing field `{name}`")),
        _ => None,
    });
}
