//! The names in texts: where in a place one is, and what prevents writing another one there.

use super::FileSpan;
use super::unit_hover::short_path;
use crate::workspace::Analysis;
use applyorder_syntax::text::Span;

pub(super) fn declared_text(analysis: &Analysis, at: FileSpan) -> &str {
    analysis.source(at.file).map_or("", |s| at.span.slice(&s.text))
}

/// The number of aliases of the anchor of a text; 0 without one.
pub(super) fn aliases_of(analysis: &Analysis, at: FileSpan) -> usize {
    let Some(source) = analysis.source(at.file) else {
        return 0;
    };
    let before = source.text.get(..at.span.start as usize).unwrap_or("");
    let line = before.rsplit('\n').next().unwrap_or("").trim_end();
    let ends_word = |c: char| c.is_whitespace() || ",[]{}".contains(c);
    let start = line.rfind(ends_word).map_or(0, |i| i + 1);
    let Some(anchor) = line.get(start..).and_then(|word| word.strip_prefix('&')) else {
        return 0;
    };
    source
        .text
        .match_indices(&format!("*{anchor}"))
        .filter(|(i, found)| {
            let next = source.text.get(i + found.len()..).and_then(|t| t.chars().next());
            next.is_none_or(ends_word)
        })
        .count()
}

/// The part of a unit's name that is written at its place: all of it, or the text there.
pub(super) fn written_name(analysis: &Analysis, at: FileSpan, unit_name: &str) -> Option<String> {
    if name_in(analysis, at, unit_name).is_some() {
        return Some(unit_name.to_owned());
    }
    let source = analysis.source(at.file)?;
    let written = at.span.slice(&source.text).trim_matches(['"', '\'']);
    (!written.is_empty() && holds_name(unit_name, written)).then(|| written.to_owned())
}

/// Whether a text is a name, or contains it as a whole word.
pub(super) fn holds_name(text: &str, name: &str) -> bool {
    text == name || word_in(text, name).is_some()
}

fn word_in(text: &str, name: &str) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(name)
        .find(|(at, _)| {
            let before = text.get(..*at).and_then(|t| t.chars().next_back());
            let after = text.get(at + name.len()..).and_then(|t| t.chars().next());
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
        .map(|(at, _)| at)
}

/// The span of a name inside a place's text; `None` if the text does not contain it, because the value comes
/// from an alias, a template or an escape.
pub(super) fn name_in(analysis: &Analysis, at: FileSpan, name: &str) -> Option<Span> {
    let source = analysis.source(at.file)?;
    let text = at.span.slice(&source.text);
    if text.starts_with('*') || text.contains("{{") || name.is_empty() {
        return None;
    }
    let start = word_in(text, name)?;
    let inner = Span::from_usize(start, start + name.len());
    Some(inner.shifted(at.span.start))
}

/// Whether a place's text is only a name in quotes.
pub(super) fn is_quoted(analysis: &Analysis, at: FileSpan, inner: Span) -> bool {
    let Some(source) = analysis.source(at.file) else {
        return false;
    };
    let before = Span::new(at.span.start, inner.start).slice(&source.text);
    let after = Span::new(inner.end, at.span.end).slice(&source.text);
    matches!((before, after), ("\"", "\"") | ("'", "'"))
}

/// Why a name is not in a place's text.
pub(super) fn not_literal(analysis: &Analysis, at: FileSpan, name: &str) -> String {
    let place = place_text(analysis, at);
    let written = declared_text(analysis, at);
    let is_template = written.contains("{{") || written.contains("${") || written.contains("%{");
    if written.is_empty() || written.starts_with('*') || is_template || holds_name(written, name) {
        return format!(
            "{name} is not at {place} as text: it comes from an alias or a template; change it at its \
             source"
        );
    }
    if written.contains('\\') {
        return format!("{name} is written with escapes at {place}: write it without them first");
    }
    format!("{written} at {place} is read as {name}: quote the intended name first")
}

/// A place as hovers name it: relative to its project.
pub(super) fn place_text(analysis: &Analysis, at: FileSpan) -> String {
    let line = analysis
        .source(at.file)
        .map_or(0, |s| s.lines().line(at.span.start));
    let path = match analysis.projects_of(at.file).first() {
        Some((_, project)) => short_path(analysis, project, at.file),
        None => analysis.path(at.file).to_string(),
    };
    format!("{path}:{}", line.saturating_add(1))
}
