//! How far go-yaml reads behind the document it wants.

use super::{DialectError, DialectErrorKind};
use crate::text::Span;
use crate::yaml::Tree;
use crate::yaml::scan::bad_character;

/// The bytes that go-yaml decodes at a time.
const PIECE: usize = 512;
/// The characters that it looks at to know a marker.
const MARKER: usize = 4;

/// A character behind the first document that go-yaml refuses all the same: it decodes its input piece by piece,
/// and does not notice anything else of what it does not parse.
#[must_use]
pub fn beyond_the_first(tree: &Tree) -> Option<DialectError> {
    let text = tree.text();
    let end = tree.first_document()?.span().end as usize;
    let seen = decoded(text, end + MARKER);
    let at = end + bad_character(text.get(end..seen)?)?;
    let at = u32::try_from(at).ok()?;
    let width = text.get(at as usize..)?.chars().next().map_or(1, char::len_utf8);
    Some(DialectError {
        span: Span::new(at, at.saturating_add(u32::try_from(width).unwrap_or(1))),
        related: None,
        kind: DialectErrorKind::Character,
        message: "control characters are not allowed".to_owned(),
    })
}

/// Where the piece ends that holds the byte before `wanted`. A character that a piece cuts belongs to the next.
fn decoded(text: &str, wanted: usize) -> usize {
    let (mut read, mut done) = (0, 0);
    while done < wanted && read < text.len() {
        read = text.len().min(done + PIECE);
        done = text.floor_char_boundary(read);
    }
    done
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
        // One byte further, and go-yaml does not come to it.
        let padded = |n: usize| format!("a: 1\n---\n{}\u{1}\n", "#".repeat(n));
        assert_eq!(noticed(&padded(512 - 10)), Some(511));
        assert_eq!(noticed(&padded(512 - 9)), None);
        // The first piece ends before the two bytes of the character that it would cut.
        let cut = |n: usize| format!("a: 1\n---\n{}é\u{1}\n", "#".repeat(n));
        assert_eq!(noticed(&cut(511 - 9)), None);
    }
}
