//! Two `stack` blocks of a directory made one.

use super::Scope;
use crate::read::{List, Stack, Text, Value};
use applyorder_core::diagnostic::{FileId, Fix, FixStep, Safety};
use applyorder_syntax::hcl::edit::quote;

/// Moves what the second block says into the first. `None` where they contradict each other, or what one of
/// them says is unknown.
pub(super) fn fix(scope: &Scope<'_>, first: (FileId, &Stack), second: (FileId, &Stack)) -> Option<Fix> {
    let ((file, into), (other, from)) = (first, second);
    if into.rejected || from.rejected || into.gap || from.gap || from.has_more {
        return None;
    }
    let header = scope.at(file, into.header);
    let insert = |name: &str, value: String| FixStep::InsertKeyBefore(header, name.to_owned(), value);
    let mut steps = Vec::new();
    for (name, into, from) in [("id", &into.id, &from.id), ("name", &into.name, &from.name)] {
        match (text(into)?, text(from)?) {
            (_, None) => {}
            (None, Some(new)) => steps.push(insert(name, quote(new))),
            (Some(old), Some(new)) if old == new => {}
            _ => return None,
        }
    }
    for (name, into, from) in [
        ("tags", &into.tags, &from.tags),
        ("after", &into.after, &from.after),
        ("before", &into.before, &from.before),
        ("wants", &into.wants, &from.wants),
        ("wanted_by", &into.wanted_by, &from.wanted_by),
        ("watch", &into.watch, &from.watch),
    ] {
        if into.unknown || from.unknown || !into.is_plain || !from.is_plain {
            return None;
        }
        let more: Vec<&Text> = from
            .entries
            .iter()
            .filter(|new| into.entries.iter().all(|old| old.value != new.value))
            .collect();
        if more.is_empty() {
            continue;
        }
        let all = listed(into.entries.iter().chain(more));
        steps.push(match into {
            List {
                name: Some(_), at, ..
            } => FixStep::Replace(scope.at(file, *at), all),
            _ => insert(name, all),
        });
    }
    steps.push(FixStep::RemoveBlock(scope.at(other, from.block)));
    Some(Fix {
        title: "merge into the first block".to_owned(),
        safety: Safety::Unsafe,
        steps,
    })
}

/// The text of a value, where it has one. The outer `None`: it is unknown.
fn text(value: &Value<Text>) -> Option<Option<&str>> {
    match value {
        Value::Absent => Some(None),
        Value::Known(text) => Some(Some(&text.value)),
        Value::Unknown | Value::Invalid => None,
    }
}

fn listed<'a>(entries: impl Iterator<Item = &'a Text>) -> String {
    let entries: Vec<String> = entries.map(|e| quote(&e.value)).collect();
    format!("[{}]", entries.join(", "))
}
