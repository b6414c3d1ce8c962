//! A fix as edits of the current texts.

use super::Analysis;
use crate::diagnostic::{At, FileId, Fix, FixStep};
use crate::engines;
use crate::syntax::Language;
use crate::syntax::hcl::{self, NodeRef};
use crate::syntax::text::{Span, TextEdit};

impl Analysis {
    /// The edits of a fix, by file in the order of its steps, without overlaps. Empty where the text has
    /// changed so that a step can't be done any more: a fix is done whole or not at all.
    #[must_use]
    pub fn edits(&self, fix: &Fix) -> Vec<(FileId, Vec<TextEdit>)> {
        let mut out: Vec<(FileId, Vec<TextEdit>)> = Vec::new();
        for step in &fix.steps {
            let file = step.place().file;
            let Some(edits) = self.step(step) else {
                return Vec::new();
            };
            let known = match out.iter().position(|(f, _)| *f == file) {
                Some(at) => at,
                None => {
                    out.push((file, Vec::new()));
                    out.len() - 1
                }
            };
            if let Some((_, known)) = out.get_mut(known) {
                for edit in edits {
                    if known.contains(&edit) {
                        continue;
                    }
                    if known.iter().any(|k| k.span.overlaps(edit.span)) {
                        return Vec::new();
                    }
                    known.push(edit);
                }
            }
        }
        for (_, edits) in &mut out {
            edits.sort_by_key(|e| (e.span.start, e.span.end));
        }
        out
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
        match self.language(step)? {
            Language::Yaml => in_yaml(text, span, step),
            Language::Hcl => in_hcl(text, span, step),
        }
    }

    /// The language of a file by its name, else that of the engine whose facts the place is in.
    fn language(&self, step: &FixStep) -> Option<Language> {
        let place = step.place();
        Language::of(self.path(place.file)).or_else(|| match place.at {
            At::Anchor(anchor) => Some(engines::all().get(anchor.engine as usize)?.meta().language),
            At::File | At::Span(_) => None,
        })
    }
}

fn one(edit: Option<TextEdit>) -> Option<Vec<TextEdit>> {
    edit.map(|edit| vec![edit])
}

fn in_yaml(_text: &str, _span: Span, _step: &FixStep) -> Option<Vec<TextEdit>> {
    None
}

fn in_hcl(text: &str, span: Span, step: &FixStep) -> Option<Vec<TextEdit>> {
    let tree = hcl::parse(text);
    // Inside of it, so that a node that ends where this one starts is not found.
    let inside = if span.len() > 1 {
        span.start + 1
    } else {
        span.start
    };
    let path = tree.node_at(inside);
    let expr = || {
        path.iter().rev().find_map(|node| match node {
            NodeRef::Expr(expr) if expr.span() == span => Some(*expr),
            _ => None,
        })
    };
    let list = || {
        path.iter().rev().find_map(|node| match node {
            NodeRef::Expr(expr) => {
                let at = expr.entries()?.iter().position(|e| e.span().contains(span))?;
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
            // A label, with its quotes or without.
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
        FixStep::InsertKeyBefore(_, key, value) | FixStep::InsertKeyAfter(_, key, value) => {
            one(hcl::edit::insert_attribute(text, block()?, key, value))
        }
        FixStep::AppendEntry(_, value) => {
            one(hcl::edit::append_entry(text, expr()?, &hcl::edit::quote(value)))
        }
        FixStep::WrapInList(_) => raw(format!("[{}]", span.slice(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Place;
    use crate::syntax::text::apply_edits;

    /// Does a step at the text between `<` and `>`.
    fn hcl(marked: &str, step: impl Fn(Place) -> FixStep) -> Option<String> {
        let start = marked.find('<').unwrap();
        let end = marked.find('>').unwrap() - 1;
        let text = marked.replacen('<', "", 1).replacen('>', "", 1);
        let span = Span::from_usize(start, end);
        let edits = in_hcl(&text, span, &step(Place::file(FileId(0))))?;
        Some(apply_edits(&text, &edits))
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
}
