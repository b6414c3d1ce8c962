//! Texts that engines pass to Go parsers: URLs, durations, version constraints. Each module gives the result
//! and the messages of its parser, and is compared with it on random texts if Go is installed.

pub mod case;
pub mod constraint;
pub mod duration;
mod ip;
pub mod required;
pub mod url;
pub mod version;

use crate::template;

/// Bytes as Go's `strconv.Quote` writes them; invalid UTF-8 becomes `\x` and two digits.
#[must_use]
pub fn quote(bytes: &[u8]) -> String {
    let mut out = String::from('"');
    for chunk in bytes.utf8_chunks() {
        let valid = template::quote(chunk.valid());
        out.push_str(valid.get(1..valid.len().saturating_sub(1)).unwrap_or(""));
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    out.push('"');
    out
}
