//! `terramate/stack-duplicate`: duplicate `stack` block in one directory.

use crate::read::{Stack, Text, Value};
use crate::scope::loading::LoadFault;
use crate::scope::{Directory, Scope};
use applyorder_core::diagnostic::{Diagnostic, FileId, Fix, FixStep, Place, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};
use applyorder_syntax::hcl::edit::quote;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/stack-duplicate",
    severity: Severity::Error,
    summary: "Duplicate `stack` block in one directory",
    docs: include_str!("../../../../../docs/rules/terramate/stack-duplicate.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// Terramate's message about it.
pub(super) const WORDS: &str = "duplicated stack blocks across configs";

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell(found, |problem| match problem.fault {
        LoadFault::SecondStack { first, second, .. } => {
            Some(duplicate(&dir.scope, problem.place, first, second))
        }
        _ => None,
    });
}

/// A second `stack` block of a directory, with the first one.
fn duplicate(
    scope: &Scope<'_>,
    place: Place,
    first: (FileId, &Stack),
    second: (FileId, &Stack),
) -> Diagnostic {
    let block = scope.at(second.0, second.1.block);
    let mut d = Diagnostic::new(&RULE, place, "duplicate `stack` block in this directory")
        .related(scope.at(first.0, first.1.header), "first defined here")
        .engine_message(WORDS)
        .fix(
            "remove this block",
            Safety::Unsafe,
            vec![FixStep::RemoveBlock(block)],
        );
    d.fixes.extend(merged(scope, first, second));
    d
}

/// Moves the contents of the second block into the first. `None` if they contradict each other, or a value in
/// one of them is unknown.
fn merged(scope: &Scope<'_>, first: (FileId, &Stack), second: (FileId, &Stack)) -> Option<Fix> {
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
        steps.push(if into.name.is_some() {
            FixStep::Replace(scope.at(file, into.at), all)
        } else {
            insert(name, all)
        });
    }
    steps.push(FixStep::RemoveBlock(scope.at(other, from.block)));
    Some(Fix {
        title: "merge into the first block".to_owned(),
        safety: Safety::Unsafe,
        steps,
    })
}

/// The string of a value, if it has one. The outer `None`: it is unknown.
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

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn the_second_block_can_go() {
        let checked = check(
            &RULE,
            "//- /w/a/a.tm\nstack {\n}\n//- /w/a/b.tm\nstack {\n  name = \"b\"\n}\n# end\n",
        );
        assert_eq!(
            checked.found(),
            ["/a/b.tm:1 stack: duplicate `stack` block in this directory"]
        );
        assert_eq!(checked.related(), ["/a/a.tm:1 stack"]);
        assert_eq!(checked.fixed(0), "//- /w/a/b.tm\n# end\n");
    }

    #[test]
    fn two_blocks_become_one() {
        let files = "//- /w/a/a.tm\nstack {\n  tags = [\"x\"]\n}\n//- /w/a/b.tm\nstack {\n  id = \"b\"\n  tags = [\"x\", \"y\"]\n  after = [\"/b\"]\n}\n//- /w/b/s.tm\nstack {\n}\n";
        assert_eq!(
            check(&RULE, files).fixed(1),
            "//- /w/a/a.tm\nstack {\n  tags = [\"x\", \"y\"]\n  id = \"b\"\n  after = [\"/b\"]\n}\n//- /w/a/b.tm\n"
        );
        let contrary = files.replace("  tags = [\"x\"]", "  id = \"a\"");
        assert_eq!(check(&RULE, &contrary).fixes(), 1, "which id is the right one?");
        let more = files.replace("id = \"b\"", "description = \"b\"");
        assert_eq!(check(&RULE, &more).fixes(), 1, "nothing gets lost");
    }

    #[test]
    fn what_is_wrong_in_the_second_terramate_does_not_see() {
        let files = "//- /w/a/a.tm\nstack {\n}\n//- /w/a/b.tm\nstack {\n  foo {\n  }\n}\n";
        assert_eq!(
            check(&RULE, files).said(),
            ["duplicated stack blocks across configs"]
        );
    }
}
