//! A fix as edits of the current texts.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Analysis;
use super::aliases::{Aliases, is_shared};
use super::parsed::Parsed;
use applyorder_core::diagnostic::{At, FileId, Fix, FixStep};
use applyorder_syntax::Language;
use applyorder_syntax::hcl::{self, NodeRef};
use applyorder_syntax::text::{Span, TextEdit};
use applyorder_syntax::yaml;
use applyorder_syntax::yaml::index::{Index, Parts};

impl Analysis {
    /// The edits of a fix, by file in the order of its steps, without overlaps. Empty if the text has changed
    /// so that a step is no longer possible: a fix is applied completely or not at all.
    #[must_use]
    pub fn edits(&self, fix: &Fix) -> Vec<(FileId, Vec<TextEdit>)> {
        let mut out: Vec<(FileId, Vec<TextEdit>)> = Vec::new();
        let mut numbers = FxHashMap::default();
        for step in &fix.steps {
            let file = step.place().file;
            let Some(edits) = self.step(step) else {
                return Vec::new();
            };
            let number = *numbers.entry(file).or_insert(out.len());
            match out.get_mut(number) {
                Some((_, known)) => known.extend(edits),
                None => out.push((file, edits)),
            }
        }
        let is_possible = out.iter_mut().all(|(_, edits)| {
            let mut known = FxHashSet::default();
            edits.retain(|edit| known.insert((edit.span, edit.text.clone())));
            edits.sort_by_key(|e| (e.span.start, e.span.end));
            is_apart(edits)
        });
        if is_possible { out } else { Vec::new() }
    }

    fn step(&self, step: &FixStep) -> Option<Vec<TextEdit>> {
        let place = step.place();
        let text: &str = &self.source(place.file)?.text;
        let span = self.span(place);
        text.get(span.range())?;
        if let FixStep::Replace(_, new) = step {
            return Some(vec![TextEdit {
                span,
                text: new.clone(),
            }]);
        }
        let tree = self.tree(place.file, self.language(step)?, text);
        match (&*tree, step) {
            (Parsed::Yaml(tree, index, _), FixStep::MoveEntryAfter(_, target))
                if target.file == place.file =>
            {
                moved_entry(tree, index, span, self.span(*target))
            }
            (_, FixStep::MoveEntryAfter(..)) => None,
            (Parsed::Yaml(tree, index, aliases), step) => in_yaml((tree, index, aliases), text, span, step),
            (Parsed::Hcl(tree), step) => in_hcl(tree, text, span, step),
        }
    }

    /// The language of a file by its name, else that of the engine whose facts the place is in.
    fn language(&self, step: &FixStep) -> Option<Language> {
        let place = step.place();
        Language::of(self.path(place.file)).or_else(|| match place.at {
            At::Anchor(anchor) => Some(self.engines().get(anchor.engine)?.meta().language),
            At::File | At::Span(_) => None,
        })
    }
}

/// Whether sorted edits do not overlap.
fn is_apart(edits: &[TextEdit]) -> bool {
    let mut end = 0;
    edits.iter().all(|edit| {
        let is_behind = edit.span.start >= end;
        end = edit.span.end.max(end);
        is_behind
    })
}

fn one(edit: Option<TextEdit>) -> Option<Vec<TextEdit>> {
    edit.map(|edit| vec![edit])
}

fn in_yaml(
    (tree, index, aliases): (&yaml::Tree, &Index, &Aliases),
    text: &str,
    span: Span,
    step: &FixStep,
) -> Option<Vec<TextEdit>> {
    use yaml::edit::{insert_entry, insert_item, quoted_if_needed, remove};
    let path = index.node_at(tree, inside(span));
    let node = || path.iter().rev().find(|node| node.span() == span).copied();
    let part = |kind: yaml::Kind| {
        let parents = path.iter().rev().filter(|node| node.kind() == kind);
        parents.into_iter().find_map(|parent| {
            let parts = index.parts(*parent);
            let at = parts.holding(span)?;
            Some((*parent, parts, at))
        })
    };
    let item = || part(yaml::Kind::Sequence);
    let entry = || part(yaml::Kind::Mapping);
    let removed = |(parent, parts, at): (_, Arc<Parts>, _)| {
        let edit = remove(parent, &parts, at);
        one(edit.filter(|_| !is_shared(aliases, text, &path, &parts, at)))
    };
    match step {
        FixStep::Replace(_, new) => Some(vec![TextEdit {
            span,
            text: new.clone(),
        }]),
        FixStep::SetValue(_, value) => match node() {
            Some(node) => one(yaml::edit::replace_scalar(node, value)),
            None => one(replace_literal(text, span, value)),
        },
        FixStep::RemoveEntry(_) => item().and_then(removed),
        FixStep::RemoveKey(_) => entry().and_then(removed),
        FixStep::InsertKeyBefore(_, key, value) => {
            let (mapping, parts, at) = entry()?;
            one(insert_entry(mapping, &parts, at, key, value))
        }
        FixStep::InsertKeyAfter(_, key, value) => {
            let (mapping, parts, at) = entry()?;
            one(insert_entry(mapping, &parts, at + 1, key, value))
        }
        FixStep::AppendEntry(_, value) => {
            let list = node().filter(yaml::Node::is_sequence)?;
            let parts = index.parts(list);
            let count = parts.spans().len();
            one(insert_item(list, &parts, count, &quoted_if_needed(value)))
        }
        FixStep::WrapInList(_) => one(yaml::edit::wrap_in_list(node()?)),
        FixStep::InsertEntryAfter(_, source) => {
            let (list, parts, at) = item()?;
            match list.style() {
                yaml::Style::Flow => one(insert_item(list, &parts, at + 1, &format!("{{{source}}}"))),
                _ => one(insert_item(list, &parts, at + 1, source)),
            }
        }
        // Needs the text of two places; see `step`.
        FixStep::MoveEntryAfter(..) | FixStep::RemoveBlock(_) => None,
        FixStep::MoveKeyFirst(_) => {
            let (mapping, parts, at) = entry()?;
            yaml::edit::move_entry_first(mapping, &parts, at)
        }
    }
}

/// An offset inside a span, so that a neighbor that ends at its start is not found.
fn inside(span: Span) -> u32 {
    if span.len() > 1 {
        span.start + 1
    } else {
        span.start
    }
}

fn moved_entry(tree: &yaml::Tree, index: &Index, span: Span, target: Span) -> Option<Vec<TextEdit>> {
    let path = index.node_at(tree, inside(span));
    // The list that contains both: an entry can be named by a place deep inside it.
    let lists = path.iter().rev().filter(|node| node.is_sequence());
    let (list, parts, from, to): (_, Arc<Parts>, _, _) = lists.into_iter().find_map(|list| {
        let parts = index.parts(*list);
        let (from, to) = (parts.holding(span)?, parts.holding(target)?);
        Some((*list, parts, from, to))
    })?;
    yaml::edit::move_item_after(list, &parts, from, to)
}

/// A scalar that the tree does not have, because the text around it is broken or a template: replaced if it is
/// on one line and plain text.
fn replace_literal(text: &str, span: Span, value: &str) -> Option<TextEdit> {
    let old = span.slice(text);
    let is_text = !old.is_empty()
        && !old.contains(['\n', '\r', '{'])
        && !old.starts_with(['*', '&', '!', '|', '>', '[', '-']);
    let quoted = old.starts_with(['"', '\'']);
    is_text.then(|| TextEdit {
        span,
        text: if quoted {
            yaml::edit::double_quoted(value)
        } else {
            yaml::edit::quoted_if_needed(value)
        },
    })
}

fn in_hcl(tree: &hcl::Tree, text: &str, span: Span, step: &FixStep) -> Option<Vec<TextEdit>> {
    let path = tree.node_at(inside(span));
    let expr = || {
        path.iter().rev().find_map(|node| match node {
            NodeRef::Expr(expr) if expr.span() == span => Some(*expr),
            _ => None,
        })
    };
    let list = || {
        path.iter().rev().find_map(|node| match node {
            NodeRef::Expr(expr) => {
                let at = expr.entries()?.holding(span)?;
                Some((*expr, at))
            }
            _ => None,
        })
    };
    let attribute = || {
        path.iter().rev().find_map(|node| match node {
            NodeRef::Attribute(attribute) if attribute.name_span() == span => Some(*attribute),
            _ => None,
        })
    };
    let block = || {
        path.iter().rev().find_map(|node| match node {
            NodeRef::Block(block) => Some(*block),
            _ => None,
        })
    };
    let raw = |text: String| Some(vec![TextEdit { span, text }]);
    match step {
        FixStep::Replace(_, new) => raw(new.clone()),
        FixStep::SetValue(_, value) => match expr() {
            Some(expr) => one(hcl::edit::replace_text(expr, value)),
            // A label, with or without quotes.
            None if span.slice(text).starts_with('"') => raw(hcl::edit::quote(value)),
            None => {
                let quoted = hcl::edit::quote(value);
                raw(quoted.trim_matches('"').to_owned())
            }
        },
        FixStep::RemoveEntry(_) => {
            let (list, at) = list()?;
            one(hcl::edit::remove_entry(text, list, at))
        }
        FixStep::RemoveKey(_) => one(Some(hcl::edit::remove_attribute(text, attribute()?))),
        FixStep::RemoveBlock(_) => {
            let block = block().filter(|block| block.span() == span)?;
            one(Some(hcl::edit::remove_block(text, block)))
        }
        FixStep::InsertKeyBefore(_, key, value) | FixStep::InsertKeyAfter(_, key, value) => {
            one(hcl::edit::insert_attribute(text, block()?, key, value))
        }
        FixStep::AppendEntry(_, value) => {
            one(hcl::edit::append_entry(text, expr()?, &hcl::edit::quote(value)))
        }
        FixStep::WrapInList(_) => raw(format!("[{}]", span.slice(text))),
        FixStep::InsertEntryAfter(..) | FixStep::MoveEntryAfter(..) | FixStep::MoveKeyFirst(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use applyorder_core::diagnostic::Place;
    use applyorder_syntax::text::apply_edits;

    type Edit = fn(&str, Span, &FixStep) -> Option<Vec<TextEdit>>;

    fn hcl(marked: &str, step: impl Fn(Place) -> FixStep) -> Option<String> {
        done(
            |text, span, step| in_hcl(&hcl::parse(text), text, span, step),
            marked,
            step,
        )
    }

    fn yaml(marked: &str, step: impl Fn(Place) -> FixStep) -> Option<String> {
        done(
            |text, span, step| {
                in_yaml(
                    (&yaml::parse(text), &Index::default(), &Aliases::default()),
                    text,
                    span,
                    step,
                )
            },
            marked,
            step,
        )
    }

    /// Applies a step at the text between `<` and `>`.
    fn done(edit: Edit, marked: &str, step: impl Fn(Place) -> FixStep) -> Option<String> {
        let start = marked.find('<').unwrap();
        let end = marked.find('>').unwrap() - 1;
        let text = marked.replacen('<', "", 1).replacen('>', "", 1);
        let span = Span::from_usize(start, end);
        let edits = edit(&text, span, &step(Place::file(FileId(0))))?;
        Some(apply_edits(&text, &edits))
    }

    #[test]
    fn what_aliases_share_is_not_removed() {
        let remove = |marked: &str| yaml(marked, FixStep::RemoveEntry);
        for shared in [
            "a: [<&x b>]\nc: [*x]\n",
            "a: &l [<b>, c]\nd: *l\n",
            "a: &m\n  l: [<b>]\nc:\n  <<: *m\n",
        ] {
            assert_eq!(remove(shared), None, "{shared}");
        }
        for (own, after) in [
            ("a: &l [<b>, c]\n", "a: &l [c]\n"),
            ("a: [<b>, &x c]\nd: *x\n", "a: [&x c]\nd: *x\n"),
            ("a: &l [<b>, c]\nd: *lx\n", "a: &l [c]\nd: *lx\n"),
        ] {
            assert_eq!(remove(own).as_deref(), Some(after));
        }
    }

    #[test]
    fn hcl_steps_follow_the_tree() {
        let name = || "x".to_owned();
        for (before, step, after) in [
            (
                "a = [<\"b\">, \"c\"]\n",
                FixStep::RemoveEntry as fn(Place) -> FixStep,
                "a = [\"c\"]\n",
            ),
            ("<a> = 1\nb = 2\n", FixStep::RemoveKey, "b = 2\n"),
            ("a = <\"b\">\n", FixStep::WrapInList, "a = [\"b\"]\n"),
            ("a {\n}\n\n<b {\n}>\n", FixStep::RemoveBlock, "a {\n}\n"),
        ] {
            assert_eq!(hcl(before, step).as_deref(), Some(after));
        }
        assert_eq!(
            hcl("a = <\"b\">\n", |p| FixStep::SetValue(p, name())).as_deref(),
            Some("a = \"x\"\n")
        );
        assert_eq!(
            hcl("r \"t\" <\"b\"> {\n}\n", |p| FixStep::SetValue(p, name())).as_deref(),
            Some("r \"t\" \"x\" {\n}\n")
        );
        assert_eq!(
            hcl("a = <[\"b\"]>\n", |p| FixStep::AppendEntry(p, name())).as_deref(),
            Some("a = [\"b\", \"x\"]\n")
        );
        assert_eq!(
            hcl("s {\n  <a> = 1\n}\n", |p| FixStep::InsertKeyAfter(
                p,
                name(),
                "2".to_owned()
            ))
            .as_deref(),
            Some("s {\n  a = 1\n  x = 2\n}\n")
        );
    }

    #[test]
    fn yaml_steps_follow_the_tree() {
        let name = || "x".to_owned();
        for (before, step, after) in [
            (
                "a: [<b>, c]\n",
                FixStep::RemoveEntry as fn(Place) -> FixStep,
                Some("a: [c]\n"),
            ),
            (
                "a:\n  - path: <b>\n  - path: c\n",
                FixStep::RemoveEntry,
                Some("a:\n  - path: c\n"),
            ),
            (
                "m:\n  - <a>: 1\n    b: 2\n",
                FixStep::RemoveKey,
                Some("m:\n  - b: 2\n"),
            ),
            ("a: <b>\n", FixStep::WrapInList, Some("a: [b]\n")),
            ("a: <b>\n", FixStep::RemoveEntry, None),
        ] {
            assert_eq!(yaml(before, step).as_deref(), after, "{before}");
        }
        for (before, after) in [
            ("a: <b> # c\n", Some("a: x # c\n")),
            ("a: <'b'>\n", Some("a: 'x'\n")),
            ("b: &b b\na: <*b>\n", None),
            ("{{ if }}\na: <b>\n", Some("{{ if }}\na: x\n")),
        ] {
            let set = |p| FixStep::SetValue(p, name());
            assert_eq!(yaml(before, set).as_deref(), after, "{before}");
        }
        assert_eq!(
            yaml("m:\n  - <type>: t\n", |p| FixStep::InsertKeyBefore(
                p,
                name(),
                "1".to_owned()
            ))
            .as_deref(),
            Some("m:\n  - x: 1\n    type: t\n")
        );
        assert_eq!(
            yaml("m:\n  - <type>: t\n", |p| FixStep::InsertKeyAfter(
                p,
                name(),
                "1".to_owned()
            ))
            .as_deref(),
            Some("m:\n  - type: t\n    x: 1\n")
        );
        assert_eq!(
            yaml("a: <[b]>\n", |p| FixStep::AppendEntry(p, "y: z".to_owned())).as_deref(),
            Some("a: [b, \"y: z\"]\n")
        );
        let inserted = |text| yaml(text, |p| FixStep::InsertEntryAfter(p, "path: y".to_owned()));
        assert_eq!(
            inserted("a:\n  - path: <x>\n").as_deref(),
            Some("a:\n  - path: x\n  - path: y\n")
        );
        assert_eq!(
            yaml("m:\n  - a: 1\n    <b>: 2\n", FixStep::MoveKeyFirst).as_deref(),
            Some("m:\n  - b: 2\n    a: 1\n")
        );
        let text = "m:\n  - n: a\n    d: [b]\n  - n: b\n";
        let at = |word: &str| {
            let start = text.find(word).unwrap();
            Span::from_usize(start, start + word.len())
        };
        let edits = moved_entry(&yaml::parse(text), &Index::default(), at("n: a"), at("n: b")).unwrap();
        assert_eq!(apply_edits(text, &edits), "m:\n  - n: b\n  - n: a\n    d: [b]\n");
    }
}
