//! The errors of the library's reader, for bytes and characters that are allowed nowhere.

use super::super::goyaml::octets;
use crate::yaml::scan::bad_character;

/// The message about a character that is allowed nowhere.
pub(super) const CHARACTER: &str = "control characters are not allowed";

/// The message of the library for bytes that are not UTF-8; `None` if they are. It decodes more than most files have
/// before it parses anything.
#[must_use]
pub fn invalid_utf8(bytes: &[u8]) -> Option<String> {
    let chunk = bytes.utf8_chunks().find(|chunk| !chunk.invalid().is_empty())?;
    let valid = chunk.valid();
    let (words, at) = match bad_character(valid) {
        Some(at) => (CHARACTER, at),
        None => {
            let (words, behind) = octets(bytes.get(valid.len()..).unwrap_or_default());
            (words, valid.len() + behind)
        }
    };
    Some(format!("{words}{}", at_position(at)))
}

/// The end of a message of the reader, which knows no lines.
pub(super) fn at_position(at: usize) -> String {
    match at {
        0 => String::new(),
        _ => format!(" at position {at}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Observed with serde_yaml 0.9.34.
    #[test]
    fn each_fault_has_its_words_and_position() {
        for (bytes, words) in [
            (&b"\xff"[..], "invalid leading UTF-8 octet"),
            (b"a: \xff", "invalid leading UTF-8 octet at position 3"),
            (b"a: \xc3(", "invalid trailing UTF-8 octet at position 4"),
            (b"a: \xe2\x82(", "invalid trailing UTF-8 octet at position 5"),
            (b"a: \xe2\x82", "incomplete UTF-8 octet sequence at position 3"),
            (b"a: \xc0\x80", "invalid length of a UTF-8 sequence at position 3"),
            (b"a: \xed\xa0\x80", "invalid Unicode character at position 3"),
            (b"a\x01\xff", "control characters are not allowed at position 1"),
        ] {
            assert_eq!(invalid_utf8(bytes).as_deref(), Some(words), "{bytes:?}");
        }
    }
}
