//! The errors of go-yaml's reader for bytes that are not text.

use crate::yaml::scan::bad_character;

/// The message of go-yaml (v2, `yaml_parser_update_buffer`) for the first bytes that it does not decode,
/// without its prefix; empty if it decodes all of them.
#[must_use]
pub fn invalid_utf8(bytes: &[u8]) -> &'static str {
    let Some(chunk) = bytes.utf8_chunks().find(|chunk| !chunk.invalid().is_empty()) else {
        return "";
    };
    if bad_character(chunk.valid()).is_some() {
        return "control characters are not allowed";
    }
    let rest = bytes.get(chunk.valid().len()..).unwrap_or_default();
    let width = match rest.first().copied().unwrap_or(0) {
        0x00..=0x7f => 1,
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => return "invalid leading UTF-8 octet",
    };
    let Some(octets) = rest.get(..width) else {
        return "incomplete UTF-8 octet sequence";
    };
    let mut trailing = octets.iter().skip(1);
    if trailing.any(|octet| octet & 0xc0 != 0x80) {
        return "invalid trailing UTF-8 octet";
    }
    match octets {
        [0xc0 | 0xc1, ..] | [0xe0, 0x80..=0x9f, ..] | [0xf0, 0x80..=0x8f, ..] => {
            "invalid length of a UTF-8 sequence"
        }
        _ => "invalid Unicode character",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As in `go.yaml.in/yaml/v2` 2.4.4.
    #[test]
    fn each_fault_has_its_words() {
        for (bytes, words) in [
            (&b"a: b"[..], ""),
            (b"a: \xff", "invalid leading UTF-8 octet"),
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
            assert_eq!(invalid_utf8(bytes), words, "{bytes:?}");
        }
    }
}
