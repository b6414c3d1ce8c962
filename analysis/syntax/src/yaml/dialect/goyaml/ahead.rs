//! How far go-yaml reads after the document it parses.

use super::refusal::stop;
use super::{DialectError, DialectErrorKind};
use crate::text::Span;
use crate::yaml::Tree;
use crate::yaml::scan::{bad_character, decoded};

/// A character after the first document that go-yaml still rejects, before anything that converting the document
/// rejects: it decodes its input piece by piece, and does not notice anything else in what it does not parse.
#[must_use]
pub fn beyond_the_first(tree: &Tree) -> Option<DialectError> {
    let text = tree.text();
    let document = tree.first_document()?;
    // One in the document itself comes first, or is not reached either.
    if bad_character(document.span().slice(text)).is_some() {
        return None;
    }
    let end = document.span().end as usize;
    let seen = decoded(text, end);
    let at = end + bad_character(text.get(end..seen)?)?;
    if stop(document).is_some_and(|stop| decoded(text, stop) <= at) {
        return None;
    }
    let at = u32::try_from(at).ok()?;
    let width = text.get(at as usize..)?.chars().next().map_or(1, char::len_utf8);
    Some(DialectError {
        span: Span::new(at, at.saturating_add(u32::try_from(width).unwrap_or(1))),
        related: None,
        kind: DialectErrorKind::Character,
        message: "control characters are not allowed".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_decoded_with_the_first_document_has_to_be_text() {
        let noticed = |text: &str| beyond_the_first(&crate::yaml::parse(text)).map(|e| e.span.start as usize);
        assert_eq!(noticed("a: 1\n---\nb: \u{1}\n"), Some(12));
        assert_eq!(noticed("a:\n...\n- {b:\u{0}[]}\n"), Some(12));
        assert_eq!(noticed("a: \u{1}\n---\nb: 2\n"), None);
        assert_eq!(noticed("a: 1\n---\nb: 2\n"), None);
        assert_eq!(noticed("a: \u{1}\n---\nb: \u{1}\n"), None);
        // One byte further, and go-yaml does not reach it.
        let padded = |n: usize| format!("a: 1\n---\n{}\u{1}\n", "#".repeat(n));
        assert_eq!(noticed(&padded(512 - 10)), Some(511));
        assert_eq!(noticed(&padded(512 - 9)), None);
        // The first piece ends before the two bytes of the character that it would cut.
        let cut = |n: usize| format!("a: 1\n---\n{}é\u{1}\n", "#".repeat(n));
        assert_eq!(noticed(&cut(511 - 9)), None);
    }
    /// Observed with the model of Tazuna, which has go-yaml v2.
    #[test]
    fn what_ends_the_reading_before_a_character_is_decoded_counts() {
        let refused = |text: String| {
            let tree = crate::yaml::parse(text);
            crate::yaml::dialect::goyaml::refusal(tree.first_document().unwrap()).map(|r| r.message)
        };
        let behind = |directive: &str, padding: usize| {
            refused(format!("spec: {{}}\n{directive}\n{}\n\u{7}", "#".repeat(padding)))
        };
        assert_eq!(behind("%YAML 1.1", 600), None);
        assert_eq!(
            behind("%X", 600).as_deref(),
            Some("yaml: line 2: found unknown directive name")
        );
        let character = Some("yaml: control characters are not allowed");
        assert_eq!(behind("%YAML 1.1", 300).as_deref(), character);
        assert_eq!(behind("%X", 300).as_deref(), character);
        assert_eq!(behind("a: 1", 600).as_deref(), character);
        assert_eq!(
            refused(format!("a: b: c\n{}\u{7}", "#".repeat(1600))).as_deref(),
            Some("yaml: mapping values are not allowed in this context")
        );
    }
}
