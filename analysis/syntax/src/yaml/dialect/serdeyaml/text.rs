//! What the library rejects in a text, in the order in which it notices it.

use super::Marks;
use super::refusal::{Refusal, RefusalKind, refusal};
use super::utf8::{CHARACTER, at_position};
use super::values::values;
use crate::text::Span;
use crate::yaml::scan::bad_character;
use crate::yaml::{SyntaxError, SyntaxErrorKind, Tree, parse};

/// How many bytes the library decodes before it parses anything.
const PIECE: u32 = 16_384;

/// Everything for which the library rejects a text, in the order in which it would notice: it reports the
/// first.
#[must_use]
pub fn refusals(tree: &Tree) -> Vec<Refusal> {
    if let Some(found) = after_byte_order_mark(tree.text()) {
        return found;
    }
    let marks = Marks::new(tree.text());
    let mut found: Vec<(u32, Refusal)> = Vec::new();
    let message = || "deserializing from YAML containing more than one document is not supported".to_owned();
    if let Some(at) = cut_by_mark(tree) {
        let mark = refusal(Span::new(0, 3), None, RefusalKind::ByteOrderMark, message());
        found.push((at, mark));
    }
    let character = bad_character(tree.text());
    if let Some(at) = character {
        let width = tree
            .text()
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8);
        let span = Span::from_usize(at, at + width);
        let message = format!("{CHARACTER}{}", at_position(at));
        found.push((span.start, refusal(span, None, RefusalKind::Syntax, message)));
    }
    for error in tree.errors() {
        if error.document == 0
            && error.kind != SyntaxErrorKind::Character
            && error.kind != SyntaxErrorKind::Trailing
            && error.kind != SyntaxErrorKind::Limit
        {
            let at = error.noticed.start;
            let is_at_end = at as usize == tree.text().len() && is_of_the_end(error);
            let suffix = match marks.of(at) {
                // The end of a last line without its break is the start of the next one.
                (line, column) if is_at_end && column > 0 => format!(" at line {} column 1", line + 2),
                _ => marks.suffix(at),
            };
            let message = format!("{}{suffix}", error.message);
            found.push((at, refusal(error.span, None, RefusalKind::Syntax, message)));
        }
    }
    for directive in tree.first_document().iter().flat_map(|d| d.directives()) {
        if is_other_version(directive.slice(tree.text())) {
            let message = format!(
                "found incompatible YAML document{}",
                marks.suffix(directive.start)
            );
            found.push((
                directive.start,
                refusal(directive, None, RefusalKind::Syntax, message),
            ));
        }
    }
    if let Some(root) = tree.first_document().and_then(|d| d.root()) {
        values(root, &marks, &mut found);
    }
    // The library decodes a piece before it parses anything of it.
    let is_decoded_first = |at: u32| at < PIECE && character == Some(at as usize);
    found.sort_by_key(|(at, _)| (!is_decoded_first(*at), *at));
    let mut found: Vec<Refusal> = found.into_iter().map(|(_, r)| r).collect();
    let mut documents = tree.documents();
    let first = documents.next();
    if let Some(second) = documents.next() {
        let span = second.marker().unwrap_or_else(|| Span::at(second.span().start));
        let related = first
            .and_then(|d| d.root())
            .map(|r| Span::at(r.full_span().start));
        found.push(refusal(span, related, RefusalKind::SeveralDocuments, message()));
    } else if let Some(error) = tree
        .errors()
        .iter()
        .find(|e| e.kind == SyntaxErrorKind::Trailing || e.document > 0)
    {
        found.push(refusal(
            error.span,
            None,
            RefusalKind::SeveralDocuments,
            message(),
        ));
    }
    found
}

/// Whether an error at the end of a text is noticed after its last line has ended.
fn is_of_the_end(error: &SyntaxError) -> bool {
    error.kind == SyntaxErrorKind::Parser || error.message == "could not find expected ':'"
}

/// A byte-order mark counts as a column, like a blank: a document marker or a directive next to it is read as
/// text. `None`: the text has neither.
fn after_byte_order_mark(text: &str) -> Option<Vec<Refusal>> {
    let rest = text.strip_prefix('\u{feff}')?;
    if !["---", "...", "%"].iter().any(|mark| rest.starts_with(mark)) {
        return None;
    }
    let read = parse(format!(" {rest}"));
    let mut found = refusals(&read);
    let moved = |span: Span| Span::new(span.start + 2, span.end + 2);
    for refusal in &mut found {
        refusal.span = moved(refusal.span);
        refusal.related = refusal.related.map(moved);
    }
    if let Some(first) = found.first_mut() {
        first.span = Span::new(0, 3);
        first.kind = RefusalKind::BesideMark;
    }
    Some(found)
}

/// A byte-order mark counts as a column: what begins next to it is deeper than the lines below, which then form
/// a document of their own.
fn cut_by_mark(tree: &Tree) -> Option<u32> {
    let text = tree.text().strip_prefix('\u{feff}')?;
    let line = text.lines().next().unwrap_or("").trim_start();
    if line.is_empty() || line.starts_with(['#', '{', '[']) {
        return None;
    }
    let root = tree.first_document().and_then(|d| d.root())?;
    let second = root.entries().nth(1).map(|entry| entry.key);
    Some(second.or_else(|| root.items().nth(1))?.full_span().start)
}

/// Whether a `%YAML` line has a version that the library does not read.
fn is_other_version(directive: &str) -> bool {
    let mut words = directive.split_whitespace();
    words.next() == Some("%YAML") && !matches!(words.next(), Some("1.1" | "1.2"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::parse;

    fn said(text: &str) -> Vec<(RefusalKind, String, String)> {
        let tree = parse(text);
        let refusals = refusals(&tree);
        let of = |r: Refusal| (r.kind, r.span.slice(text).to_owned(), r.message);
        refusals.into_iter().map(of).collect()
    }

    fn one(text: &str, kind: RefusalKind, span: &str, message: &str) {
        assert_eq!(
            said(text),
            [(kind, span.to_owned(), message.to_owned())],
            "{text}"
        );
    }

    #[test]
    fn equal_keys_are_named_with_the_start_of_their_mapping() {
        let d = RefusalKind::DuplicateKey;
        one("a: 1\na: 2\n", d, "a", "duplicate entry with key \"a\"");
        one(
            "x:\n  b: {c: 1, c: 2}\n",
            d,
            "c",
            "x.b: duplicate entry with key \"c\" at line 2 column 6",
        );
        one(
            "x: [{1: a, 0x1: b}]\n",
            d,
            "0x1",
            "x[0]: duplicate entry with key 1 at line 1 column 5",
        );
        assert_eq!(said("{1: a, \"1\": b, on: c, true: d}"), []);
    }

    /// Observed with serde_yaml 0.9.34.
    #[test]
    fn errors_have_the_place_of_the_library() {
        let new = |text: &str| {
            let tree = crate::yaml::parse_as(text, crate::yaml::Libyaml::New);
            refusals(&tree).into_iter().map(|r| r.message).collect::<Vec<_>>()
        };
        assert_eq!(new("\u{1}a"), ["control characters are not allowed"]);
        assert_eq!(
            new("a:\n  \u{7f}b: 1\n"),
            ["control characters are not allowed at position 5"]
        );
        assert_eq!(new("a: {{}: 1, []: 2}\n{}: 1\n[]: 2\n"), <[&str; 0]>::default());
        let character = "control characters are not allowed at position 7";
        assert_eq!(new("a: 1\n- \u{1}\n")[0], character);
        assert_eq!(new("- x\n\n- \u{1}\n")[0], character);
        assert_eq!(new("a: *x\n---\n")[0], "unknown anchor at line 1 column 4");
        assert_eq!(new("a: 1\nb"), ["could not find expected ':' at line 3 column 1"]);
        let end = "did not find expected ',' or '}' at line 2 column 1";
        assert_eq!(new("{a: b"), [end]);
        assert_eq!(new("{a: b\n"), [end]);
    }

    #[test]
    fn one_document_without_a_mark_is_read() {
        let several = "deserializing from YAML containing more than one document is not supported";
        one("a: 1\n---\n", RefusalKind::SeveralDocuments, "---", several);
        one(
            "\u{feff}a: 1\nb: 2\n",
            RefusalKind::ByteOrderMark,
            "\u{feff}",
            several,
        );
        // Next to it nothing is a marker or a directive. Observed in serde_yaml 0.9.34.
        for (text, message) in [
            (
                "\u{feff}---\napiVersion: v1\nworkloads: {}\n",
                "mapping values are not allowed in this context at line 2 column 11",
            ),
            (
                "\u{feff}...\na: b\n",
                "mapping values are not allowed in this context at line 2 column 2",
            ),
            (
                "\u{feff}%YAML 1.1\na: b\n",
                "found character that cannot start any token at line 1 column 2",
            ),
        ] {
            one(text, RefusalKind::BesideMark, "\u{feff}", message);
        }
        for text in [
            "\u{feff}\n---\na: 1\nb: 2\n",
            "\u{feff}# x\n---\na: 1\nb: 2\n",
            "\u{feff}\na: 1\nb: 2\n",
            "\u{feff}# x\na: 1\nb: 2\n",
            "\u{feff}{a: 1, b: 2}",
        ] {
            assert_eq!(said(text), [], "{text}");
        }
        assert_eq!(said("%YAML 1.3\n---\na: 1\n")[0].0, RefusalKind::Syntax);
        assert_eq!(said("---\na: 1\n...\n"), []);
        assert_eq!(said(""), []);
    }

    #[test]
    fn aliases_lead_somewhere_and_not_too_often() {
        one(
            "a: *x\n",
            RefusalKind::UnknownAnchor,
            "*x",
            "unknown anchor at line 1 column 4",
        );
        assert_eq!(said("a: &x [*x]\n")[0].0, RefusalKind::TooDeep);
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for i in 1..9 {
            let item = format!("*a{}", i - 1);
            bomb.push_str(&format!("a{i}: &a{i} [{}]\n", vec![item; 10].join(", ")));
        }
        assert_eq!(said(&bomb)[0].0, RefusalKind::TooManyAliases);
        let deep = format!("{}{}", "[".repeat(129), "]".repeat(129));
        assert_eq!(said(&deep)[0].0, RefusalKind::TooDeep);
        assert_eq!(said(deep.get(1..257).unwrap()), []);
    }
}
