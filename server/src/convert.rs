//! From and to the protocol: URIs, positions, ranges, edits.

use std::fmt::Write;
use std::str::FromStr;

use applyorder_analysis::diagnostic::{FileId, Place};
use applyorder_analysis::files::clean;
use applyorder_analysis::syntax::text::{self, Encoding, LineCol, LineIndex, Span};
use applyorder_analysis::workspace::Analysis;
use camino::{Utf8Path, Utf8PathBuf};
use tower_lsp_server::ls_types::{
    DocumentChanges, Location, OneOf, OptionalVersionedTextDocumentIdentifier, Position, Range,
    TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

use crate::documents::OpenDocuments;

/// The absolute, clean path that a `file:` URI names; `None` for other schemes and for paths that are not
/// UTF-8.
pub(crate) fn path_of(uri: &str) -> Option<Utf8PathBuf> {
    let (scheme, rest) = uri.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let rest = rest.split(['?', '#']).next()?;
    let path = match rest.strip_prefix("//") {
        Some(with_host) => with_host.get(with_host.find('/')?..)?,
        None => rest,
    };
    let path = String::from_utf8(percent_decoded(path)).ok()?;
    path.starts_with('/').then(|| clean(&path))
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let hex = |b: Option<&u8>| b.and_then(|b| char::from(*b).to_digit(16));
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let pair = (hex(bytes.get(at + 1)), hex(bytes.get(at + 2)));
        match (byte, pair) {
            (b'%', (Some(high), Some(low))) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or_default());
                at += 3;
            }
            (byte, _) => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    out
}

/// The `file:` URI of an absolute path.
pub(crate) fn uri_of(path: &Utf8Path) -> String {
    let mut out = "file://".to_owned();
    for byte in path.as_str().bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// A URI as the types want it; a text that is none is encoded anew from the path it names.
pub(crate) fn uri(text: &str) -> Option<Uri> {
    Uri::from_str(text)
        .ok()
        .or_else(|| Uri::from_str(&uri_of(&path_of(text)?)).ok())
}

/// The position of a byte offset.
pub(crate) fn position(text: &str, lines: &LineIndex, offset: u32, encoding: Encoding) -> Position {
    let LineCol { line, col } = lines.line_col(text, offset, encoding);
    Position::new(line, col)
}

/// The byte offset of a position, clamped to the text.
pub(crate) fn offset(text: &str, lines: &LineIndex, position: Position, encoding: Encoding) -> u32 {
    let at = LineCol {
        line: position.line,
        col: position.character,
    };
    lines.offset(text, at, encoding)
}

/// Converts with the texts of one snapshot.
pub(crate) struct Convert<'a> {
    pub(crate) analysis: &'a Analysis,
    pub(crate) encoding: Encoding,
    pub(crate) open: &'a OpenDocuments,
}

impl Convert<'_> {
    /// The URI of a file, as the client writes it where it has the file open.
    pub(crate) fn uri(&self, file: FileId) -> Option<Uri> {
        let path = self.analysis.path(file);
        match self.open.get(path) {
            Some(open) => uri(&open.uri),
            None => uri(&uri_of(path)),
        }
    }

    /// The range of a span. A file whose text is not known has only its start.
    pub(crate) fn range(&self, file: FileId, span: Span) -> Range {
        let Some(source) = self.analysis.source(file) else {
            return Range::default();
        };
        let at = |offset| position(&source.text, source.protocol_lines(), offset, self.encoding);
        Range::new(at(span.start), at(span.end.max(span.start)))
    }

    /// The position of a byte offset.
    pub(crate) fn position(&self, file: FileId, offset: u32) -> Position {
        self.range(file, Span::at(offset)).start
    }

    /// The byte offset of a position.
    pub(crate) fn offset(&self, file: FileId, position: Position) -> Option<u32> {
        let source = self.analysis.source(file)?;
        Some(offset(
            &source.text,
            source.protocol_lines(),
            position,
            self.encoding,
        ))
    }

    /// The span of a range.
    pub(crate) fn span(&self, file: FileId, range: Range) -> Option<Span> {
        let (a, b) = (self.offset(file, range.start)?, self.offset(file, range.end)?);
        Some(Span::new(a.min(b), a.max(b)))
    }

    /// The location of a place.
    pub(crate) fn location(&self, place: Place) -> Option<Location> {
        self.location_of(place.file, self.analysis.span(place))
    }

    /// The location of a span.
    pub(crate) fn location_of(&self, file: FileId, span: Span) -> Option<Location> {
        Some(Location::new(self.uri(file)?, self.range(file, span)))
    }

    fn edits(&self, file: FileId, edits: &[text::TextEdit]) -> Vec<TextEdit> {
        edits
            .iter()
            .map(|e| TextEdit::new(self.range(file, e.span), e.text.clone()))
            .collect()
    }

    /// Edits of several files; versioned where the client can take it.
    pub(crate) fn workspace_edit(
        &self,
        changes: &[(FileId, Vec<text::TextEdit>)],
        document_changes: bool,
    ) -> WorkspaceEdit {
        if !document_changes {
            let changes = changes
                .iter()
                .filter_map(|(file, edits)| Some((self.uri(*file)?, self.edits(*file, edits))))
                .collect();
            return WorkspaceEdit {
                changes: Some(changes),
                ..WorkspaceEdit::default()
            };
        }
        let changes = changes
            .iter()
            .filter_map(|(file, edits)| {
                Some(TextDocumentEdit {
                    text_document: OptionalVersionedTextDocumentIdentifier {
                        uri: self.uri(*file)?,
                        version: self
                            .open
                            .get(self.analysis.path(*file))
                            .and_then(|open| open.version),
                    },
                    edits: self.edits(*file, edits).into_iter().map(OneOf::Left).collect(),
                })
            })
            .collect();
        WorkspaceEdit {
            document_changes: Some(DocumentChanges::Edits(changes)),
            ..WorkspaceEdit::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_and_paths_correspond() {
        for path in [
            "/w/a b/tazuna.yaml",
            "/w/ü/%41.yaml",
            "/w/a#b?c.yaml",
            "/w/ä:[1].yaml",
        ] {
            let uri_text = uri_of(Utf8Path::new(path));
            assert_eq!(path_of(&uri_text).as_deref(), Some(Utf8Path::new(path)));
            assert!(uri(&uri_text).is_some(), "{uri_text}");
        }
    }

    #[test]
    fn uris_are_read_as_clients_write_them() {
        for (from, to) in [
            ("file:///w/a%20b.yaml", Some("/w/a b.yaml")),
            ("file:///w/a b.yaml", Some("/w/a b.yaml")),
            ("FILE://localhost/w/./x/../a.yaml", Some("/w/a.yaml")),
            ("file:/w/a.yaml", Some("/w/a.yaml")),
            ("file:///w/100%.yaml", Some("/w/100%.yaml")),
            ("file:///w/%FF.yaml", None),
            ("untitled:Untitled-1", None),
            ("git:/w/a.yaml", None),
            ("no uri", None),
        ] {
            assert_eq!(path_of(from).as_deref(), to.map(Utf8Path::new), "{from}");
        }
        assert!(uri("file:///w/a b.yaml").is_some());
    }
}
