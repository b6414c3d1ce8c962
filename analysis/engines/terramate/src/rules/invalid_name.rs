//! `invalid-name` in Terramate's files: ids and tags of stacks, names of bundles.

use super::with_new_id;
use crate::model::stacks::is_id;
use crate::model::tags::check as check_tag;
use crate::names::better_tag;
use crate::read::instance::InstanceFaultKind;
use crate::scope::{Directory, StackTurn, Whole, replace};
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::invalid_name::RULE;
use applyorder_syntax::go;

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    found.extend(of_id(dir));
    for (at, place, tag) in dir.tags() {
        let Err(words) = check_tag(tag) else { continue };
        if tag.is_empty() {
            continue;
        }
        let message = format!(
            "invalid tag `{tag}`: use lowercase letters and digits, in between also `.`, `_`, `/` and `-`"
        );
        let mut d = Diagnostic::new(&RULE, place, message).engine_message(words);
        d.fixes
            .extend(better_tag(tag).map(|better| replace(place, &better)));
        let finding = dir.rejected(StackTurn::Tag(at), d);
        found.push(finding.detail("value", tag.to_owned()));
    }
}

fn of_id(dir: &Directory<'_>) -> Option<Finding> {
    let (_, node) = dir.stack?;
    let id = node.stack()?.id.known()?;
    let written = node.written_id().filter(|id| !is_id(id))?;
    let quoted = go::quote(written.as_bytes());
    let words = format!("\"stack.id\" {quoted} doesn't match \"^[a-zA-Z0-9_-]{{1,64}}$\"");
    let message = format!("invalid stack id `{written}`: use 1 to 64 letters, digits, `_` and `-`");
    let place = dir.scope.at(node.file, id.at);
    let d = Diagnostic::new(&RULE, place, message).engine_message(words);
    Some(dir.rejected(StackTurn::Id, with_new_id(d, &node.path)))
}

/// In instances of bundles.
pub(super) fn check_instances(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    whole.tell_of_instances(&RULE, found, |kind| match kind {
        InstanceFaultKind::Name(name, why) => Some(format!("invalid bundle name `{name}`: it {why}")),
        _ => None,
    });
}
