//! The errors of go-yaml's reader for bytes that are not text.

use super::{beyond_the_first, syntax_fault};
use crate::yaml::parse;
use crate::yaml::scan::bad_character;

/// The message of go-yaml (v2) for bytes that are not UTF-8, without its prefix; `None` if it may read a document
/// before it gets to the first of them. Like a control character they are noticed when their piece of the input is
/// decoded (`yaml_parser_update_buffer`), and an error in a piece before is reported instead.
#[must_use]
pub fn invalid_utf8(bytes: &[u8]) -> Option<String> {
    let chunk = bytes.utf8_chunks().find(|chunk| !chunk.invalid().is_empty())?;
    let valid = chunk.valid();
    let text = [valid, "\u{1}"].concat();
    let noticed = |at: u32| at as usize == valid.len() && bad_character(valid).is_none();
    let tree = parse(text);
    let document = tree.first_document()?;
    let (at, message) = match beyond_the_first(&tree) {
        Some(error) => (error.span.start, error.message),
        None => match syntax_fault(document)? {
            fault if fault.before.is_none() => (fault.span.start, fault.message),
            fault => (0, fault.before?.message),
        },
    };
    Some(if noticed(at) {
        octets(bytes.get(valid.len()..).unwrap_or_default()).0.to_owned()
    } else {
        message
    })
}

/// The message of libyaml and its ports for the bytes with which a text that is not UTF-8 goes on, and how far behind
/// the first of them they place it.
#[must_use]
pub fn octets(rest: &[u8]) -> (&'static str, usize) {
    let width = match rest.first().copied().unwrap_or(0) {
        0x00..=0x7f => 1,
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => return ("invalid leading UTF-8 octet", 0),
    };
    let Some(octets) = rest.get(..width) else {
        return ("incomplete UTF-8 octet sequence", 0);
    };
    if let Some(at) = octets.iter().skip(1).position(|octet| octet & 0xc0 != 0x80) {
        return ("invalid trailing UTF-8 octet", at + 1);
    }
    let words = match octets {
        [0xc0 | 0xc1, ..] | [0xe0, 0x80..=0x9f, ..] | [0xf0, 0x80..=0x8f, ..] => {
            "invalid length of a UTF-8 sequence"
        }
        _ => "invalid Unicode character",
    };
    (words, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As in `go.yaml.in/yaml/v2` 2.4.4.
    #[test]
    fn each_fault_has_its_words() {
        for (bytes, words) in [
            (&b"a: \xff"[..], "invalid leading UTF-8 octet"),
            (b"\xff", "invalid leading UTF-8 octet"),
            (b"a: \x80", "invalid leading UTF-8 octet"),
            (b"a: \xc3(", "invalid trailing UTF-8 octet"),
            (b"a: \xe2(\xa1", "invalid trailing UTF-8 octet"),
            (b"a: \xe2\x82", "incomplete UTF-8 octet sequence"),
            (b"a: \xc0\x80", "invalid length of a UTF-8 sequence"),
            (b"a: \xe0\x80\x80", "invalid length of a UTF-8 sequence"),
            (b"a: \xed\xa0\x80", "invalid Unicode character"),
            (b"a: \xf7\xbf\xbf\xbf", "invalid Unicode character"),
            (b"a: \x01\xff", "control characters are not allowed"),
        ] {
            assert_eq!(invalid_utf8(bytes).as_deref(), Some(words), "{bytes:?}");
        }
        assert_eq!(invalid_utf8(b"a: b"), None);
    }

    /// Observed with the model of Tazuna, which has go-yaml v2.
    #[test]
    fn what_ends_the_reading_before_the_bytes_are_decoded_counts() {
        let behind = |start: &str, padding: usize| {
            let text = format!("{start}\n{}\n", "#".repeat(padding));
            invalid_utf8(&[text.as_bytes(), b"\xff\n"].concat())
        };
        let octet = Some("invalid leading UTF-8 octet");
        let syntax = Some("mapping values are not allowed in this context");
        assert_eq!(behind("a: b: c", 300).as_deref(), octet);
        assert_eq!(behind("a: b: c", 1600).as_deref(), syntax);
        assert_eq!(
            behind("a: [*x, b: c: d]", 1600).as_deref(),
            Some("unknown anchor 'x' referenced")
        );
        assert_eq!(behind("a: 1", 1600).as_deref(), octet);
        assert_eq!(behind("a: 1\n---", 300).as_deref(), octet);
        assert_eq!(behind("a: 1\n---", 1600), None);
        assert_eq!(behind("a: b: c\n---", 1600).as_deref(), syntax);
    }
}
