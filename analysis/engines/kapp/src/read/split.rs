//! Splits a text into the documents kapp parses one by one: lines that start with `---`, before any YAML is
//! parsed (kapp, reading files).

use memchr::memchr;

use applyorder_syntax::text::Span;

/// The documents of a file and the errors of its separators.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pieces {
    /// The documents, without separators except where one opens a document.
    pub(super) documents: Vec<(usize, usize)>,
    /// The first separator that kapp rejects: its line, and what follows the dashes.
    pub(super) bad: Vec<(Span, String)>,
}

pub(super) fn split(text: &str) -> Pieces {
    let bytes = text.as_bytes();
    let mut out = Pieces::default();
    let mut start: Option<usize> = None;
    let mut at = 0;
    while at < bytes.len() {
        let end = memchr(b'\n', bytes.get(at..).unwrap_or(&[])).map_or(bytes.len(), |i| at + i + 1);
        let line = text.get(at..end).unwrap_or("");
        if let Some(rest) = line.strip_prefix("---") {
            let rest = rest.trim();
            let refused = !rest.is_empty() && !rest.starts_with('#');
            if refused {
                let length = line.trim_end().len();
                out.bad.push((Span::from_usize(at, at + length), rest.to_owned()));
            }
            let from = start.take();
            out.documents.extend(from.map(|from| (from, at)));
            // A rejected separator is part of no document: it is one fault, and not one of the YAML as well.
            if from.is_some() || refused {
                at = end;
                continue;
            }
        }
        start.get_or_insert(at);
        at = end;
    }
    if let Some(from) = start {
        out.documents.push((from, bytes.len()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(text: &str) -> Vec<&str> {
        split(text).documents.iter().map(|(a, b)| &text[*a..*b]).collect()
    }

    #[test]
    fn a_separator_opens_an_empty_document_and_closes_another() {
        assert_eq!(documents("a\n---\n---\nb\n"), ["a\n", "---\nb\n"]);
        assert_eq!(documents("a\n---\n\n---\nb\n"), ["a\n", "\n", "b\n"]);
        assert_eq!(documents("---\na"), ["---\na"]);
        assert_eq!(documents("a\r\n--- # x\r\nb"), ["a\r\n", "b"]);
        assert_eq!(documents(""), [""; 0]);
    }

    #[test]
    fn text_after_the_dashes_is_rejected_even_in_a_scalar() {
        let found = split("a: |\n--- foo\n-----\n");
        let texts: Vec<&str> = found.bad.iter().map(|(_, t)| t.as_str()).collect();
        assert_eq!(texts, ["foo", "--"]);
        assert_eq!(found.bad[0].0, Span::new(5, 12));
    }
}
