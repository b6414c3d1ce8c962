//! Cuts a text into the chunks that are parsed on their own.

use memchr::memchr;

/// Ranges of the text that hold one document each, markers and directives included. A chunk may
/// hold no document at all (only comments). `---` and `...` at column 0 cut everywhere, also inside
/// scalars, as YAML demands; a `---` that only directives and comments precede belongs to them.
pub(super) fn documents(text: &str, from: usize) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut chunks = Vec::new();
    let mut start = from;
    let mut at = from;
    let mut content = false;
    while at < bytes.len() {
        let end = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |i| at + i + 1);
        let line = &bytes[at..end];
        if is_marker(line, b"---") {
            if content {
                chunks.push((start, at));
                start = at;
            }
            content = true;
        } else if is_marker(line, b"...") {
            chunks.push((start, end));
            start = end;
            content = false;
        } else if !content {
            content = match line.iter().find(|b| !matches!(b, b' ' | b'\t' | b'\r' | b'\n')) {
                None | Some(b'#') => false,
                Some(b'%') => line.first() != Some(&b'%'),
                Some(_) => true,
            };
        }
        at = end;
    }
    if start < bytes.len() || chunks.is_empty() {
        chunks.push((start, bytes.len()));
    }
    chunks
}

/// Whether a line is a document marker: the three characters, then white space or the line's end.
pub(super) fn is_marker(line: &[u8], marker: &[u8; 3]) -> bool {
    line.starts_with(marker)
        && line
            .get(3)
            .is_none_or(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n'))
}
