//! Names of groups that can be inserted, and what a rule would order with each.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::hover::plan;
use crate::defaults::Defaults;
use crate::grammar::PLACEHOLDERS;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Completion, CompletionKind, Joins, Operation, UnitIx, View};
use applyorder_syntax::text::Span;

/// Adds to each group what a rule of a resource would order with it; for a group that is generated for each
/// resource, and for a rule of many resources, that is only known once it is inserted.
pub(super) fn add_joins(
    analysis: &dyn View,
    file: FileId,
    found: &mut [Completion],
    owner: Option<&Arc<str>>,
    (operation, reversed): (Operation, bool),
) {
    for completion in found {
        let members = members(analysis, file, completion, operation);
        completion.joins = Some(Joins {
            unit: owner.filter(|_| members.is_some()).cloned(),
            others: members.unwrap_or_default(),
            reversed,
            operation,
            place: None,
        });
    }
}

/// The members of a group that a user wrote, in an order: `kapp delete` reads no Configs, which may add
/// members.
fn members(
    analysis: &dyn View,
    file: FileId,
    group: &Completion,
    operation: Operation,
) -> Option<Vec<Arc<str>>> {
    let projects = analysis.projects_of(file);
    projects.iter().find_map(|project| {
        let mut symbols = project.resolution.symbols.iter();
        let symbol = symbols.find(|symbol| *symbol.name == *group.label)?;
        let plan = plan(project.resolution)?;
        let uses = match operation {
            Operation::Apply => &plan.deploy.uses,
            Operation::Delete => &plan.delete.uses,
        };
        let number = uses.names.iter().position(|name| **name == *symbol.name);
        let is_in = |unit: &UnitIx| {
            let own = uses.changes.get(unit.0 as usize);
            let mut groups = own.into_iter().flat_map(|own| own.groups.iter());
            number.is_some() && groups.any(|group| uses.position(group.group) == number)
        };
        let units = &project.resolution.variants.first()?.units;
        let members = symbol.units.iter().filter(|unit| is_in(unit));
        Some(
            members
                .filter_map(|u| Some(units.get(u.0 as usize)?.name.clone()))
                .collect(),
        )
    })
}

/// The groups that the projects of a file know, kapp's own, and placeholders where a brace is open before the cursor.
pub(super) fn groups(
    analysis: &dyn View,
    file: FileId,
    (text, offset): (&str, u32),
    word: Span,
) -> Vec<Completion> {
    let mut seen: FxHashSet<String> = FxHashSet::default();
    let mut found = Vec::new();
    let mut add = |label: String, detail: String, kind: CompletionKind| {
        if seen.insert(label.clone()) {
            found.push(Completion {
                label,
                span: word,
                insert: None,
                detail: Some(detail),
                kind,
                joins: None,
            });
        }
    };
    for project in analysis.projects_of(file) {
        for symbol in &project.resolution.symbols {
            // The text being typed is referred to, and nothing else.
            if symbol.units.is_empty() && symbol.definitions.is_empty() {
                continue;
            }
            let detail = match symbol.units.len() {
                1 => "1 member".to_owned(),
                n => format!("{n} members"),
            };
            add(symbol.name.to_string(), detail, CompletionKind::Symbol);
        }
    }
    // The names of others are generated for each resource.
    let named = |name: &str| !name.contains('{');
    for group in Defaults::newest().groups.iter().filter(|group| named(group.name)) {
        add(
            group.name.to_owned(),
            "one of kapp's own".to_owned(),
            CompletionKind::Symbol,
        );
    }
    if let Some(span) = placeholder_at(text, word, offset) {
        for placeholder in PLACEHOLDERS {
            found.push(Completion {
                label: placeholder.to_owned(),
                span,
                insert: None,
                detail: Some("placeholder".to_owned()),
                kind: CompletionKind::Word,
                joins: None,
            });
        }
    }
    found
}

/// The placeholder that a cursor is in: from its brace to the one that closes it, or to the cursor.
fn placeholder_at(text: &str, word: Span, offset: u32) -> Option<Span> {
    let before = text.get(word.start as usize..offset as usize)?;
    let open = before.rfind('{')?;
    if before.get(open..)?.contains('}') {
        return None;
    }
    let behind = text.get(offset as usize..word.end as usize)?;
    let close = behind.find(['{', '}']);
    let close = close.filter(|at| behind.get(*at..).is_some_and(|rest| rest.starts_with('}')));
    let start = word.start as usize + open;
    Some(Span::from_usize(
        start,
        offset as usize + close.map_or(0, |at| at + 1),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_is_put_in_where_the_cursor_is() {
        let span = |marked: &str| {
            let at = u32::try_from(marked.find('|').unwrap()).unwrap();
            let text = marked.replacen('|', "", 1);
            let word = Span::from_usize(0, text.len());
            placeholder_at(&text, word, at).map(|span| span.slice(&text).to_owned())
        };
        assert_eq!(span("a-{na|"), Some("{na".to_owned()));
        assert_eq!(span("a-{na|me}-{kind}"), Some("{name}".to_owned()));
        assert_eq!(span("{|-{kind}"), Some("{".to_owned()));
        assert_eq!(span("a|-{name}"), None);
        assert_eq!(span("{name}|"), None);
    }
}
