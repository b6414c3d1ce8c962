//! What can be inserted at a cursor: keys of annotations, each word of a rule, names of groups.

use std::sync::Arc;

use applyorder_core::engine::EngineIx;

use super::fields::{self, Field};
use super::groups::{add_joins, groups};
use super::signature::meaning;
use super::spot::{Of, Slot, Spot, slot, spot, value_before, word_of};
use crate::grammar::WORDS;
use crate::read::KappFacts;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::View;
use applyorder_core::engine::{Completion, CompletionKind, Operation};
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::context::{self, Context, Dash};

pub(crate) fn complete(analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32) -> Vec<Completion> {
    let Some(source) = analysis.source(file) else {
        return Vec::new();
    };
    let found = in_tree(analysis, engine, file, offset);
    let found = found.or_else(|| half_typed(analysis, engine, file, offset));
    let mut found = found.unwrap_or_default();
    for completion in &mut found {
        let before = source.text.get(..completion.span.start as usize).unwrap_or("");
        let line = before.rsplit('\n').next().unwrap_or("");
        let is_joined = line.ends_with(':') || line.trim_start() == "-";
        let text = completion.insert.as_ref().unwrap_or(&completion.label);
        if is_joined && !text.starts_with('\n') {
            completion.insert = Some(format!(" {text}"));
        }
    }
    found
}

/// The candidates for a key or a value that is valid YAML.
fn in_tree(analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32) -> Option<Vec<Completion>> {
    let facts = analysis.facts_as::<KappFacts>(file, engine)?;
    let (base, document) = facts.document_at(offset)?;
    let local = offset.saturating_sub(base);
    let path = document.tree().node_at(local);
    let mut found = match spot(&path)? {
        Spot::Key(node) => fields(&fields::ANNOTATIONS, node.span(), &[], ""),
        // What the list still lacks is found without the tree.
        Spot::Rule(node, Of::Binding) if node.span().start == node.span().end => return None,
        Spot::Rule(node, of) => {
            let value = node.value();
            let word = word_of(document.text(), node, local);
            let owner = || owner(analysis, file, of, (local, base));
            rule(analysis, file, (document.text(), local), word, &value, owner)
        }
        Spot::Group(node) => {
            let (_, word) = word_of(document.text(), node, local);
            groups(analysis, file, (document.text(), local), word)
        }
    };
    for completion in &mut found {
        completion.span = completion.span.shifted(base);
    }
    Some(found)
}

/// The candidates where no key or value exists yet, or none that is valid YAML.
fn half_typed(analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32) -> Option<Vec<Completion>> {
    let facts = analysis.facts_as::<KappFacts>(file, engine)?;
    let text = &analysis.source(file)?.text;
    let context = context::at(text, offset)?;
    if let Some(keys) = fields::around(facts, &context, offset) {
        let rest = text.get(context.word.end as usize..)?;
        let colon = if rest.starts_with(':') { "" } else { ": " };
        let mut found = fields(keys.known, context.word, &context.siblings, colon);
        // The first key of an item.
        if keys.of_item && context.siblings.is_empty() && context.dash == Dash::Missing {
            found
                .iter_mut()
                .for_each(|completion| completion.enclose("- ", ""));
        }
        return Some(found);
    }
    let keys: Vec<&str> = context.path.iter().map(String::as_str).collect();
    let of = match slot(&keys)? {
        Slot::Group => return Some(groups(analysis, file, (text, offset), context.word)),
        Slot::Rule(of) => of,
    };
    let typed = value_before(text, context.word.start)?;
    let (base, _) = facts.document_at(offset)?;
    let owner = || owner(analysis, file, of, (offset.saturating_sub(base), base));
    let word = (typed.matches(' ').count(), context.word);
    let mut found = rule(analysis, file, (text, offset), word, typed, owner);
    if of == Of::Binding {
        as_entries(text, &context, word.0, &mut found)?;
    }
    Some(found)
}

/// Turns the proposals for a word of a rule into entries of a list; `None` if they would not be entries.
fn as_entries(text: &str, context: &Context, number: usize, found: &mut [Completion]) -> Option<()> {
    let (before, behind) = if !context.value {
        match context.dash {
            Dash::NoRoom => return None,
            // The dash precedes all words of the rule.
            Dash::Missing if number == 0 => ("- ".to_owned(), ""),
            Dash::Missing | Dash::Written => return Some(()),
        }
    } else if context.bare {
        let line = text.get(..context.word.start as usize)?.rsplit('\n').next()?;
        let key = line.len() - line.trim_start_matches([' ', '-']).len();
        // Further words are typed after the first: the cursor stays within the entry.
        if line.contains('{') {
            ("[".to_owned(), "]")
        } else {
            (format!("\n{}- ", " ".repeat(key)), "")
        }
    } else {
        return Some(());
    };
    found
        .iter_mut()
        .for_each(|completion| completion.enclose(&before, behind));
    Some(())
}

/// The resource that contains a rule.
fn owner(analysis: &dyn View, file: FileId, of: Of, (offset, base): (u32, u32)) -> Option<Arc<str>> {
    if of == Of::Binding {
        return None;
    }
    let at = base.saturating_add(offset);
    let projects = analysis.projects_of(file);
    let variants = projects.iter().filter_map(|p| p.resolution.variants.first());
    let here = variants.flat_map(|v| &v.units).filter(|u| u.header.file == file);
    let starts = here.map(|unit| (analysis.span(unit.header).start, &unit.name));
    // The header of a resource is its first key.
    let (start, owner) = starts
        .filter(|(start, _)| *start <= at)
        .max_by_key(|(start, _)| *start)?;
    (start >= base).then(|| owner.clone())
}

/// The order that a rule is part of, as far as it is typed, and whether the members of its group wait for the
/// resource. `None`: it applies only in runs that both apply and delete.
fn order_of(value: &str) -> Option<(Operation, bool)> {
    let mut words = value.split(' ');
    let (action, order, target) = (words.next()?, words.next()?, words.next()?);
    let operation = match (action, target) {
        ("upsert", "upserting") => Operation::Apply,
        ("delete", "deleting") => Operation::Delete,
        _ => return None,
    };
    match order {
        "after" => Some((operation, false)),
        "before" => Some((operation, true)),
        _ => None,
    }
}

/// What is allowed at a word of a rule. `value` is the rule as far as it is typed.
fn rule(
    analysis: &dyn View,
    file: FileId,
    at: (&str, u32),
    (number, word): (usize, Span),
    value: &str,
    owner: impl FnOnce() -> Option<Arc<str>>,
) -> Vec<Completion> {
    let Some(words) = WORDS.get(number) else {
        return if number == WORDS.len() {
            let mut found = groups(analysis, file, at, word);
            if let Some(order) = order_of(value) {
                add_joins(analysis, file, &mut found, owner().as_ref(), order);
            }
            found
        } else {
            Vec::new()
        };
    };
    words
        .iter()
        .map(|w| Completion {
            label: (*w).to_owned(),
            span: word,
            insert: None,
            detail: Some(meaning(w).to_owned()),
            kind: CompletionKind::Word,
            joins: None,
        })
        .collect()
}

/// Keys that do not exist yet; rules and groups may be repeated, with a suffix after a dot.
fn fields(known: &[Field], span: Span, siblings: &[String], colon: &str) -> Vec<Completion> {
    let is_there = |field: &Field| siblings.iter().any(|key| key.eq_ignore_ascii_case(field.name));
    let completion = |field: &Field| {
        let (label, end) = match is_there(field) {
            false => (field.name.to_owned(), colon),
            // The suffix is up to the user.
            true if field.may_continue() => (format!("{}.", field.name), ""),
            true => return None,
        };
        Some(Completion {
            insert: (!end.is_empty()).then(|| format!("{label}{end}")),
            label,
            span,
            detail: Some(field.meaning.to_owned()),
            kind: CompletionKind::Field,
            joins: None,
        })
    };
    known.iter().filter_map(completion).collect()
}
