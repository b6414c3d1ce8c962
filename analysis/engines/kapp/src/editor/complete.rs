//! What can be put in at a cursor: keys of annotations, each word of a rule, names of groups.

use std::borrow::Cow;
use std::sync::Arc;

use applyorder_core::engine::EngineIx;
use rustc_hash::FxHashSet;

use super::fields::{self, Field};
use crate::defaults::Defaults;
use crate::grammar::{PLACEHOLDERS, WORDS};
use crate::read::KappFacts;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::View;
use applyorder_core::engine::{Completion, CompletionKind, Joins, Signature, SignaturePart};
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::Node;
use applyorder_syntax::yaml::context;

/// What the cursor is in.
enum Spot<'t> {
    /// A key under `metadata.annotations`.
    Key(Node<'t>),
    /// The text of a rule.
    Rule(Node<'t>),
    /// The name of a group.
    Group(Node<'t>),
}

pub(crate) fn complete(analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32) -> Vec<Completion> {
    let Some(source) = analysis.source(file) else {
        return Vec::new();
    };
    let found = in_tree(analysis, engine, file, offset);
    let found = found.or_else(|| half_typed(analysis, engine, file, offset));
    let mut found = found.unwrap_or_default();
    for completion in &mut found {
        let before = source.text.get(..completion.span.start as usize);
        if before.is_some_and(|text| text.ends_with(':')) {
            let text = completion.insert.as_ref().unwrap_or(&completion.label);
            completion.insert = Some(format!(" {text}"));
        }
    }
    found
}

/// The candidates for a key or a value that YAML takes.
fn in_tree(analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32) -> Option<Vec<Completion>> {
    let facts = analysis.facts_as::<KappFacts>(file, engine)?;
    let (base, document) = facts.document_at(offset)?;
    let local = offset.saturating_sub(base);
    let path = document.tree().node_at(local);
    let mut found = match spot(&path)? {
        Spot::Key(node) => fields(&fields::ANNOTATIONS, node.span(), &[], ""),
        Spot::Rule(node) => {
            let value = node.value();
            let word = word_of(document.text(), node, local);
            let owner = || on_upsert(analysis, file, &value, (local, base));
            rule(analysis, file, (document.text(), local), word, owner)
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

/// The candidates where no key or value is yet, or none that YAML takes.
fn half_typed(analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32) -> Option<Vec<Completion>> {
    let facts = analysis.facts_as::<KappFacts>(file, engine)?;
    let text = &analysis.source(file)?.text;
    let context = context::at(text, offset)?;
    if let Some(known) = fields::around(facts, &context, offset) {
        let rest = text.get(context.word.end as usize..)?;
        let colon = if rest.starts_with(':') { "" } else { ": " };
        return Some(fields(known, context.word, &context.siblings, colon));
    }
    let keys: Vec<&str> = context.path.iter().map(String::as_str).collect();
    if let Slot::Group = slot(&keys)? {
        return Some(groups(analysis, file, (text, offset), context.word));
    }
    let typed = value_before(text, context.word.start)?;
    let (base, _) = facts.document_at(offset)?;
    let local = (offset.saturating_sub(base), base);
    let owner = || on_upsert(analysis, file, typed, local);
    let word = (typed.matches(' ').count(), context.word);
    Some(rule(analysis, file, (text, offset), word, owner))
}

/// What is typed of a value on the line of a place that no tree knows, in front of the place.
fn value_before(text: &str, place: u32) -> Option<&str> {
    let line = text.get(..place as usize)?.rsplit('\n').next()?;
    let mut value = line.trim_start();
    while let Some(entry) = value.strip_prefix("- ") {
        value = entry.trim_start();
    }
    let mut value = value.split_once(": ").map_or(value, |(_, value)| value);
    if let Some((_, entry)) = value.rsplit_once(['[', ',', '{']) {
        value = entry;
    }
    let value = value.trim_start().trim_start_matches(['"', '\'']);
    // A key or a dash without its space, and nothing behind it.
    Some(value.strip_suffix([':', '-']).map_or(value, |_| ""))
}

/// The rule that is being typed: four words, each with what may stand there.
pub(crate) fn signature(
    analysis: &dyn View,
    engine: EngineIx,
    file: FileId,
    offset: u32,
) -> Option<Signature> {
    let facts = analysis.facts_as::<KappFacts>(file, engine)?;
    let (base, document) = facts.document_at(offset)?;
    let local = offset.saturating_sub(base);
    let path = document.tree().node_at(local);
    let (active, value) = match spot(&path) {
        Some(Spot::Rule(node)) => (word_of(document.text(), node, local).0, node.value()),
        Some(_) => return None,
        // Behind the last word the value has ended.
        None => {
            let text = &analysis.source(file)?.text;
            let context = context::at(text, offset)?;
            let keys: Vec<&str> = context.path.iter().map(String::as_str).collect();
            let Slot::Rule = slot(&keys)? else { return None };
            let typed = value_before(text, context.word.start)?;
            (typed.matches(' ').count(), Cow::Borrowed(typed))
        }
    };
    let written: Vec<&str> = value.split(' ').collect();
    let one = |words: &[&str]| {
        let said = words.iter().map(|word| format!("{word}: {}", meaning(word)));
        SignaturePart {
            label: words.join("|"),
            meaning: said.collect::<Vec<_>>().join("; "),
        }
    };
    let group = SignaturePart {
        label: "GROUP".to_owned(),
        meaning: "the name of a change group".to_owned(),
    };
    Some(Signature {
        meaning: sentence(&written),
        parts: WORDS.iter().map(|words| one(words)).chain([group]).collect(),
        active: active.min(WORDS.len()),
    })
}

/// The keys on the way to the innermost node, and that node.
fn spot<'t>(path: &[Node<'t>]) -> Option<Spot<'t>> {
    let node = *path.last()?;
    if !node.is_scalar() {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    let mut is_key = false;
    for pair in path.windows(2) {
        let [outer, inner] = pair else { continue };
        for entry in outer.entries() {
            if entry.value == *inner {
                names.push(entry.key.value().into_owned());
            } else if entry.key == *inner {
                is_key = true;
            }
        }
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if is_key {
        return matches!(names.as_slice(), [.., "metadata", "annotations"]).then_some(Spot::Key(node));
    }
    Some(match slot(&names)? {
        Slot::Rule => Spot::Rule(node),
        Slot::Group => Spot::Group(node),
    })
}

/// What the value under some keys is.
enum Slot {
    Rule,
    Group,
}

fn slot(keys: &[&str]) -> Option<Slot> {
    match keys {
        [.., "metadata", "annotations", key] if key.starts_with("kapp.k14s.io/change-rule") => {
            Some(Slot::Rule)
        }
        [.., "metadata", "annotations", key] if key.starts_with("kapp.k14s.io/change-group") => {
            Some(Slot::Group)
        }
        [.., "changeRuleBindings", "rules"] => Some(Slot::Rule),
        [.., "changeGroupBindings", "name"] => Some(Slot::Group),
        _ => None,
    }
}

/// Keys that are not there yet; rules and groups may stand several times, with something behind a dot.
fn fields(known: &[Field], span: Span, siblings: &[String], colon: &str) -> Vec<Completion> {
    let is_missing = |field: &&Field| {
        let is_there = |key: &String| key.eq_ignore_ascii_case(field.name);
        !siblings.iter().any(is_there)
    };
    let completion = |field: &Field| Completion {
        label: field.name.to_owned(),
        span,
        insert: (!colon.is_empty()).then(|| format!("{}{colon}", field.name)),
        detail: Some(field.meaning.to_owned()),
        kind: CompletionKind::Field,
        joins: None,
    };
    known.iter().filter(is_missing).map(completion).collect()
}

/// The word around a cursor inside a scalar, quotes left out.
fn word_at(text: &str, scalar: Span, offset: u32) -> Span {
    let source = scalar.slice(text);
    let at = (offset.saturating_sub(scalar.start) as usize).min(source.len());
    let ends = |c: char| c == ' ' || c == '"' || c == '\'' || c == '\n';
    let before = source.get(..at).unwrap_or("");
    let start = before.rfind(ends).map_or(0, |i| i + 1);
    let after = source.get(at..).unwrap_or("");
    let end = at + after.find(ends).unwrap_or(after.len());
    Span::from_usize(start, end).shifted(scalar.start)
}

/// The word of a text that a cursor is in, counted from 0, however the text is written.
fn word_of(text: &str, node: Node<'_>, offset: u32) -> (usize, Span) {
    let value = node.value();
    let mut at = 0;
    for (number, word) in value.split(' ').enumerate() {
        let span = node.source_span_of(at..at + word.trim_end().len());
        at += word.len() + 1;
        if span.start <= offset && offset <= span.end {
            return (number, span);
        }
    }
    // Behind the last word there is no value yet.
    let word = word_at(text, node.span(), offset);
    let before = Span::new(node.span().start, word.start).slice(text);
    (before.trim_start_matches(['"', '\'']).matches(' ').count(), word)
}

/// The resource of a rule that orders what is applied, and whether the members of its group wait for it. `value` is the
/// rule as far as it is typed.
fn on_upsert(
    analysis: &dyn View,
    file: FileId,
    value: &str,
    (offset, base): (u32, u32),
) -> Option<(Arc<str>, bool)> {
    let mut words = value.split(' ');
    let (Some("upsert"), Some(order), Some("upserting")) = (words.next(), words.next(), words.next()) else {
        return None;
    };
    let reversed = match order {
        "after" => false,
        "before" => true,
        _ => return None,
    };
    let at = base.saturating_add(offset);
    let projects = analysis.projects_of(file);
    let variants = projects.iter().filter_map(|p| p.resolution.variants.first());
    let here = variants.flat_map(|v| &v.units).filter(|u| u.header.file == file);
    let starts = here.map(|unit| (analysis.span(unit.header).start, &unit.name));
    // The header of a resource is its first key.
    let (start, owner) = starts
        .filter(|(start, _)| *start <= at)
        .max_by_key(|(start, _)| *start)?;
    (start >= base).then(|| (owner.clone(), reversed))
}

/// What the rule would order with a group.
fn joins(
    analysis: &dyn View,
    file: FileId,
    group: &Completion,
    owner: &Arc<str>,
    reversed: bool,
) -> Option<Joins> {
    let projects = analysis.projects_of(file);
    projects.iter().find_map(|project| {
        let mut symbols = project.resolution.symbols.iter();
        let symbol = symbols.find(|symbol| *symbol.name == *group.label)?;
        let units = &project.resolution.variants.first()?.units;
        let members = symbol
            .units
            .iter()
            .filter_map(|u| Some(units.get(u.0 as usize)?.name.clone()));
        Some(Joins {
            unit: Some(owner.clone()),
            others: members.collect(),
            reversed,
        })
    })
}

fn rule(
    analysis: &dyn View,
    file: FileId,
    at: (&str, u32),
    (number, word): (usize, Span),
    owner: impl FnOnce() -> Option<(Arc<str>, bool)>,
) -> Vec<Completion> {
    let Some(words) = WORDS.get(number) else {
        return if number == WORDS.len() {
            let mut found = groups(analysis, file, at, word);
            if let Some((owner, reversed)) = owner() {
                for completion in &mut found {
                    completion.joins = joins(analysis, file, completion, &owner, reversed);
                }
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

/// What the words that are written mean together.
fn sentence(written: &[&str]) -> String {
    let word = |at: usize| {
        let words = WORDS.get(at)?;
        written.get(at).filter(|word| words.contains(word)).copied()
    };
    let which = word(2)
        .map(meaning)
        .and_then(|which| which.strip_prefix("members"));
    let members = format!("the members of the group{}", which.unwrap_or_default());
    let waits = match (word(1), word(2)) {
        (Some("before"), _) => Some(format!("{members} wait for it")),
        (Some(_), _) => Some(format!("it waits for {members}")),
        (None, which) => which.map(|which| meaning(which).to_owned()),
    };
    let when = word(0).map(|word| meaning(word).to_owned());
    when.into_iter().chain(waits).collect::<Vec<_>>().join(", ")
}

fn meaning(word: &str) -> &'static str {
    match word {
        "upsert" => "when this resource is created or updated",
        "delete" => "when this resource is deleted",
        "before" => "the members of the group wait for it",
        "after" => "it waits for the members of the group",
        "upserting" => "members that are created or updated",
        _ => "members that are deleted",
    }
}

/// The groups that the projects of a file know, kapp's own, and placeholders where a brace is open before the cursor.
fn groups(analysis: &dyn View, file: FileId, (text, offset): (&str, u32), word: Span) -> Vec<Completion> {
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
            // What is being typed right now is referred to, and nothing else.
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
    // The names of others are made for each resource.
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
    use applyorder_syntax::yaml;

    fn spot_of(marked: &str) -> (String, Span) {
        let at = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        let tree = yaml::parse(text.as_str());
        let offset = u32::try_from(at).unwrap();
        let path = tree.node_at(offset);
        let (name, node) = match spot(&path).unwrap() {
            Spot::Key(n) => ("key", n),
            Spot::Rule(n) => ("rule", n),
            Spot::Group(n) => ("group", n),
        };
        let word = word_at(&text, node.span(), offset);
        (format!("{name} {}", word.slice(&text)), word)
    }

    #[test]
    fn the_word_under_the_cursor_is_found() {
        let rule =
            |value: &str| format!("metadata:\n  annotations:\n    kapp.k14s.io/change-rule: {value}\n");
        assert_eq!(spot_of(&rule("upsert aft|er upserting g")).0, "rule after");
        assert_eq!(spot_of(&rule("\"ups|\"")).0, "rule ups");
        assert_eq!(spot_of("metadata:\n  annotations:\n    kapp|: x\n").0, "key kapp");
        assert_eq!(
            spot_of("changeRuleBindings:\n- rules: [upsert|]\n").0,
            "rule upsert"
        );
        assert_eq!(
            spot_of("changeGroupBindings:\n- name: big.co/|x\n").0,
            "group big.co/x"
        );
    }

    #[test]
    fn what_is_typed_of_a_rule_is_found_without_a_tree() {
        let typed = |line: &str| {
            value_before(line, u32::try_from(line.len()).unwrap())
                .unwrap()
                .to_owned()
        };
        let key = "    kapp.k14s.io/change-rule";
        assert_eq!(typed(&format!("{key}: upsert after ")), "upsert after ");
        assert_eq!(
            typed(&format!("{key}: \"upsert after upserting my-group ")),
            "upsert after upserting my-group "
        );
        assert_eq!(typed(&format!("{key}:")), "");
        assert_eq!(typed("  - upsert "), "upsert ");
        assert_eq!(typed("  -"), "");
        assert_eq!(
            typed("- rules: [\"upsert before deleting a\", \"delete "),
            "delete "
        );
    }

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
