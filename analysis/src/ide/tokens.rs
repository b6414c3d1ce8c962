//! What the words of a file mean to an engine: names of units, references to them, tags and groups. Nothing else is
//! colored: what YAML and HCL mean by themselves their own servers know.

use super::FileSpan;
use crate::workspace::Analysis;
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_syntax::text::Span;

/// What a word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meaning {
    /// The name of a unit, where it is declared.
    Unit,
    /// A reference that leads to a unit.
    Reference,
    /// A reference that leads nowhere.
    Dangling,
    /// A tag, a group or another name.
    Symbol,
}

/// A word with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Token {
    /// The word, on one line.
    pub span: Span,
    /// What it means.
    pub meaning: Meaning,
}

/// The words in a range of a file, in order and apart from each other.
#[must_use]
pub fn tokens(analysis: &Analysis, file: FileId, range: Span) -> Vec<Token> {
    let Some(source) = analysis.source(file) else {
        return Vec::new();
    };
    let mut found: Vec<Token> = Vec::new();
    let mut add = |place: Place, meaning: Meaning| {
        if place.file != file {
            return;
        }
        let FileSpan { span, .. } = FileSpan::of(analysis, place);
        let span = without_quotes(span, &source.text);
        let is_here = span.start <= range.end && range.start <= span.end;
        if is_here && !span.is_empty() && !span.slice(&source.text).contains(['\n', '\r']) {
            found.push(Token { span, meaning });
        }
    };
    for (_, project) in analysis.projects_of(file) {
        for variant in &project.resolution.variants {
            for place in variant.units.iter().filter_map(|unit| unit.name_place) {
                add(place, Meaning::Unit);
            }
            for written in &variant.dependencies {
                let leads = !written.targets.is_empty() || written.unknown;
                let meaning = if leads {
                    Meaning::Reference
                } else {
                    Meaning::Dangling
                };
                add(written.place, meaning);
            }
        }
        for symbol in &project.resolution.symbols {
            for place in symbol.definitions.iter().chain(&symbol.references) {
                add(*place, Meaning::Symbol);
            }
        }
    }
    // Of several at one place the first meaning counts, and of words inside each other the outer one.
    found.sort_by_key(|token| (token.span.start, std::cmp::Reverse(token.span.end), token.meaning));
    let mut end = 0;
    found.retain(|token| {
        let is_apart = token.span.start >= end;
        if is_apart {
            end = token.span.end;
        }
        is_apart
    });
    found
}

fn without_quotes(span: Span, text: &str) -> Span {
    let written = span.slice(text);
    let is_quoted = |mark: char| written.len() >= 2 && written.starts_with(mark) && written.ends_with(mark);
    if is_quoted('"') || is_quoted('\'') {
        Span::new(span.start + 1, span.end - 1)
    } else {
        span
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn names_and_references_are_distinguished() {
        let fixture = Fixture::new(
            applyorder_engines::all(),
            "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: ./x, tags: [t]}\n    - {name: \
             \"b\", type: kustomize, path: ./x, dependsOn: [a, gone]}\n",
        );
        let text = fixture.text(fixture.file);
        let all = Span::from_usize(0, text.len());
        let found = tokens(&fixture.analysis, fixture.file, all);
        let shown: Vec<(&str, Meaning)> = found.iter().map(|t| (t.span.slice(text), t.meaning)).collect();
        assert_eq!(
            shown,
            [
                ("a", Meaning::Unit),
                ("t", Meaning::Symbol),
                ("b", Meaning::Unit),
                ("a", Meaning::Reference),
                ("gone", Meaning::Dangling),
            ]
        );
        let none = tokens(&fixture.analysis, fixture.file, Span::at(0));
        assert!(none.is_empty());
    }
}
