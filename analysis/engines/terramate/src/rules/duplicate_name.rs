//! `duplicate-name` in Terramate's files: ids of stacks, scripts of a directory, environments.

use super::with_new_id;
use crate::loading::LoadFault;
use crate::model::environments::EnvironmentFaultKind;
use crate::model::stacks::is_id;
use crate::scope::{Directory, StackTurn, Whole};
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::duplicate_name::RULE;

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell(found, |problem| match problem.fault {
        LoadFault::ScriptTwice(labels, earlier) => {
            let message = format!("duplicate script `{}` in this directory", labels.join(" "));
            let words = "(script): multiple script blocks with same labels in the same directory";
            let d = Diagnostic::new(&RULE, problem.place, message);
            Some(d.related(earlier, "first defined here").engine_message(words))
        }
        _ => None,
    });
    found.extend(of_id(dir));
}

/// A stack with the id of an earlier one.
fn of_id(dir: &Directory<'_>) -> Option<Finding> {
    let (scope, (stack, node)) = (dir.scope, dir.stack?);
    let id = node.stack()?.id.known()?;
    let written = node.written_id().filter(|id| is_id(id))?;
    let (other, earlier) = scope.first_with_id(stack, node)?;
    let place = scope.at(node.file, id.at);
    let words = format!(
        "duplicated ID found on stacks: stack \"{}\" and \"{other}\" have same ID \"{written}\"",
        node.path
    );
    let message = format!("duplicate id `{written}`: also the id of stack `{other}`");
    let d = Diagnostic::new(&RULE, place, message)
        .related(earlier, format!("the id of `{other}`"))
        .note("ids are compared case-insensitively")
        .engine_message(words);
    let finding = dir.rejected(StackTurn::Id, with_new_id(d, &node.path));
    Some(finding.detail("other", other.to_string()))
}

/// In environments.
pub(super) fn check_environments(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    whole.tell_of_environments(found, |place, kind| match kind {
        EnvironmentFaultKind::Duplicate(id, (file, header)) => {
            let earlier = whole.scope.at(*file, *header);
            let d = Diagnostic::new(&RULE, place, format!("duplicate environment `{id}`"));
            let words = format!("environment '{id}' already defined");
            Some(d.related(earlier, "first defined here").engine_message(words))
        }
        _ => None,
    });
}
