//! From and to the protocol: URIs, positions, ranges, edits.

use std::fmt::Write;
use std::str::FromStr;

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::files::clean;
use applyorder_analysis::ide::FileSpan;
use applyorder_analysis::syntax::text::{self, Encoding, LineCol, LineIndex, Span};
use applyorder_analysis::workspace::Analysis;
use camino::{Utf8Path, Utf8PathBuf};
use tower_lsp_server::ls_types::{
    DocumentChanges, Location, OneOf, OptionalVersionedTextDocumentIdentifier, Position, Range,
    TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

use crate::documents::OpenDocuments;

/// The absolute, clean path that a `file:` URI names, or the path that represents an unsaved document; `None` for other
/// schemes and for paths that are not UTF-8.
pub(crate) fn path_of(uri: &str) -> Option<Utf8PathBuf> {
    path_on(Paths::HERE, uri)
}

/// The root of the paths of all unsaved documents. It contains no files, and nothing is known about what it could
/// contain.
pub(crate) const NOWHERE: &str = "/untitled:";

/// The directory of unsaved documents: so deep that relative paths do not lead to existing files.
const UNTITLED: &str = "/untitled:/-/-/-/-/-/-/-/-/-/-/-/-";

/// A text for people that names documents without a directory by their names, if it names any.
pub(crate) fn without_nowhere(text: &str) -> Option<String> {
    text.contains(UNTITLED)
        .then(|| text.replace(&format!("{UNTITLED}/"), ""))
}

/// Whether a path represents an unsaved document.
pub(crate) fn is_untitled(path: &Utf8Path) -> bool {
    path.starts_with(NOWHERE)
}

/// The path that represents an unsaved document, based on the language that the client gives.
pub(crate) fn untitled_path(named: &Utf8Path, language: &str, text: &str) -> Utf8PathBuf {
    let language = language.to_ascii_lowercase();
    let is_hcl = ["hcl", "terra", "opentofu", "tf"]
        .iter()
        .any(|start| language.starts_with(start));
    named.join(if !is_hcl {
        "untitled.yaml"
    } else if text.lines().any(|line| line.starts_with("stack")) {
        "stack.tm.hcl"
    } else {
        "main.tf"
    })
}

/// How a system writes absolute paths.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paths {
    Unix,
    /// `c:/a`, `//host/share/a`.
    Windows,
}

impl Paths {
    const HERE: Self = if cfg!(windows) { Self::Windows } else { Self::Unix };
}

fn path_on(system: Paths, uri: &str) -> Option<Utf8PathBuf> {
    let (scheme, rest) = uri.split_once(':')?;
    let rest = rest.split(['?', '#']).next()?;
    // One with a path is that file, which is still to be saved.
    if scheme.eq_ignore_ascii_case("untitled") && !rest.starts_with('/') {
        let name = String::from_utf8(percent_decoded(rest)).ok()?;
        let name = name.replace(['/', '\\'], "-");
        let is_name = !matches!(name.as_str(), "" | "." | "..");
        return is_name.then(|| Utf8Path::new(UNTITLED).join(name));
    }
    if !["file", "untitled"]
        .iter()
        .any(|s| scheme.eq_ignore_ascii_case(s))
    {
        return None;
    }
    let (host, path) = match rest.strip_prefix("//") {
        Some(with_host) => with_host.split_at(with_host.find('/')?),
        None => ("", rest),
    };
    let host = if host.eq_ignore_ascii_case("localhost") {
        ""
    } else {
        host
    };
    let host = String::from_utf8(percent_decoded(host)).ok()?;
    let path = String::from_utf8(percent_decoded(path)).ok()?;
    match system {
        // A file of another machine is not the file of this one that has the same path.
        Paths::Unix => (host.is_empty() && path.starts_with('/')).then(|| clean(&path)),
        Paths::Windows => windows_path(&host, &path.replace('\\', "/")),
    }
}

/// The path of a URI's host and path: `..` does not remove what precedes the first directory.
fn windows_path(host: &str, path: &str) -> Option<Utf8PathBuf> {
    let below = |root: &str, rest: &str| {
        let rest = clean(&format!("/{rest}"));
        Utf8PathBuf::from(format!("{root}{rest}"))
    };
    // Some clients write a share as `file:////host/share`.
    let unc = match host {
        "" => path.strip_prefix("//").map(str::to_owned),
        host => Some(format!("{host}{path}")),
    };
    if let Some(unc) = unc {
        let (host, path) = unc.split_once('/')?;
        let (share, rest) = path.split_once('/').unwrap_or((path, ""));
        let is_named = !host.is_empty() && !share.is_empty();
        return is_named.then(|| below(&format!("//{host}/{share}"), rest));
    }
    let path = path.strip_prefix('/')?;
    let (drive, rest) = path.split_at_checked(1)?;
    let rest = rest.strip_prefix(':')?;
    let is_drive = drive.starts_with(|c: char| c.is_ascii_alphabetic());
    // The case of a drive tells nothing apart, and clients do not agree on it.
    let root = format!("{}:", drive.to_ascii_lowercase());
    (is_drive && (rest.is_empty() || rest.starts_with('/'))).then(|| below(&root, rest))
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
    let path = path.as_str();
    // A share has its host in front, and a drive is a directory of the root.
    let mut out = match path {
        _ if path.starts_with("//") => "file:",
        _ if path.starts_with('/') => "file://",
        _ => "file:///",
    }
    .to_owned();
    out.push_str(&percent_encoded(path));
    out
}

/// A text as a part of a URI; slashes stay.
pub(crate) fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// A URI in the protocol's type; an invalid one is encoded again from the path it names.
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

    /// The location of a span.
    pub(crate) fn location_of(&self, file: FileId, span: Span) -> Option<Location> {
        Some(Location::new(self.uri(file)?, self.range(file, span)))
    }

    /// The target of a Markdown link to a place.
    pub(crate) fn link_to(&self, at: FileSpan) -> Option<String> {
        let location = self.location_of(at.file, at.span)?;
        let (uri, start) = (location.uri.as_str(), location.range.start);
        // A parenthesis would end the link.
        let uri = uri.replace('(', "%28").replace(')', "%29");
        Some(format!("{uri}#L{},{}", start.line + 1, start.character + 1))
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
            ("file:///w/ba%C3%BCme/%c3%bc%20x.yaml", Some("/w/baüme/ü x.yaml")),
            ("file:///w/%61%2Fb.yaml", Some("/w/a/b.yaml")),
            ("file:///c%3A/x.yaml", Some("/c:/x.yaml")),
            ("file://server/share/a.yaml", None),
            ("file:relative.yaml", None),
            (
                "untitled:Untitled-1",
                Some("/untitled:/-/-/-/-/-/-/-/-/-/-/-/-/Untitled-1"),
            ),
            (
                "untitled:../a%2Fb",
                Some("/untitled:/-/-/-/-/-/-/-/-/-/-/-/-/..-a-b"),
            ),
            ("untitled:", None),
            ("untitled:/w/new.yaml", Some("/w/new.yaml")),
            ("git:/w/a.yaml", None),
            ("no uri", None),
        ] {
            assert_eq!(path_of(from).as_deref(), to.map(Utf8Path::new), "{from}");
        }
        assert!(uri("file:///w/a b.yaml").is_some());
    }
    #[test]
    fn drives_and_shares_are_read_as_clients_write_them() {
        for (from, to) in [
            ("file:///c%3A/Users/a%20b/t.yaml", Some("c:/Users/a b/t.yaml")),
            ("file:///C:/Users/a%20b/t.yaml", Some("c:/Users/a b/t.yaml")),
            ("file:///C%3A/a/../../../t.yaml", Some("c:/t.yaml")),
            ("file:///c:", Some("c:/")),
            ("file:///c%3A%5CUsers%5Ct.yaml", Some("c:/Users/t.yaml")),
            (
                "file://server/share/%C3%BC/t.yaml",
                Some("//server/share/ü/t.yaml"),
            ),
            ("file:////server/share/t.yaml", Some("//server/share/t.yaml")),
            ("file://server/share/../../t.yaml", Some("//server/share/t.yaml")),
            ("file://wsl%24/Debian/t.yaml", Some("//wsl$/Debian/t.yaml")),
            ("file://localhost/c:/t.yaml", Some("c:/t.yaml")),
            ("file://server/", None),
            ("file:///no/drive.yaml", None),
            ("file:///cc:/t.yaml", None),
            ("file:///c:t.yaml", None),
            ("file:///%C3%BC:/t.yaml", None),
        ] {
            let path = path_on(Paths::Windows, from);
            assert_eq!(path.as_deref(), to.map(Utf8Path::new), "{from}");
            if let Some(path) = path {
                let again = uri_of(&path);
                assert_eq!(path_on(Paths::Windows, &again), Some(path), "{again}");
                assert!(uri(&again).is_some(), "{again}");
            }
        }
        assert_eq!(uri_of(Utf8Path::new("c:/a b.yaml")), "file:///c%3A/a%20b.yaml");
        assert_eq!(uri_of(Utf8Path::new("//host/x/ü")), "file://host/x/%C3%BC");
    }
}
