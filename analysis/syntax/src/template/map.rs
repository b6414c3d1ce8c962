//! From rendered text back to its source, and the other way round.

use crate::text::Span;

/// Where a position of the rendered text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// In the source: the same bytes if `exact`, else the action that wrote the text.
    pub span: Span,
    /// Whether the text is in the source exactly as it was rendered.
    pub exact: bool,
}

/// A piece of rendered text: copied from the source byte by byte, or written by an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    rendered: u32,
    len: u32,
    source: Span,
    exact: bool,
}

/// Relates offsets in a rendered text to offsets in its source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceMap {
    /// In rendered order, without gaps; `None` if the rendered text is the source.
    pieces: Option<Vec<Piece>>,
    /// Indices of exact pieces by start in the source, then by rendered order.
    by_source: Vec<u32>,
}

impl SourceMap {
    /// The map of a text that renders to itself.
    #[must_use]
    pub const fn identity() -> Self {
        Self {
            pieces: None,
            by_source: Vec::new(),
        }
    }

    /// Whether the rendered text is the source.
    #[must_use]
    pub const fn is_identity(&self) -> bool {
        self.pieces.is_none()
    }

    /// Where the rendered byte at `offset` comes from; at the end of the text, where that comes from.
    #[must_use]
    pub fn origin(&self, offset: u32) -> Origin {
        let Some(pieces) = &self.pieces else {
            return Origin {
                span: Span::new(offset, offset.saturating_add(1)),
                exact: true,
            };
        };
        match piece_at(pieces, offset) {
            Some(p) if p.exact && offset >= p.rendered + p.len => Origin {
                span: Span::at(p.source.end),
                exact: true,
            },
            Some(p) if p.exact => {
                let at = p.source.start + (offset - p.rendered);
                Origin {
                    span: Span::new(at, at + 1),
                    exact: true,
                }
            }
            Some(p) => Origin {
                span: p.source,
                exact: false,
            },
            None => Origin {
                span: Span::at(0),
                exact: false,
            },
        }
    }

    /// The smallest span of the source that wrote all of `rendered`; exact if every byte of it was copied and
    /// the source span has the same length.
    #[must_use]
    pub fn source(&self, rendered: Span) -> Origin {
        if self.is_identity() {
            return Origin {
                span: rendered,
                exact: true,
            };
        }
        let first = self.origin(rendered.start);
        if rendered.is_empty() {
            let span = if first.exact {
                Span::at(first.span.start)
            } else {
                first.span
            };
            return Origin {
                span,
                exact: first.exact,
            };
        }
        let last = self.origin(rendered.end - 1);
        let span = first.span.cover(last.span);
        Origin {
            span,
            exact: first.exact && last.exact && span.len() == rendered.len(),
        }
    }

    /// Where the source byte at `offset` is in the rendered text, if it was copied there; the first position if
    /// it was copied more than once. The end of a copied text counts.
    #[must_use]
    pub fn rendered(&self, offset: u32) -> Option<u32> {
        let Some(pieces) = &self.pieces else {
            return Some(offset);
        };
        let piece = |i: &u32| pieces.get(*i as usize);
        let behind = self
            .by_source
            .partition_point(|i| piece(i).is_some_and(|p| p.source.start <= offset));
        let start = piece(self.by_source.get(behind.checked_sub(1)?)?)?.source.start;
        let first = self
            .by_source
            .partition_point(|i| piece(i).is_some_and(|p| p.source.start < start));
        let found = piece(self.by_source.get(first)?)?;
        found
            .source
            .touches(offset)
            .then(|| found.rendered + (offset - found.source.start))
    }
}

fn piece_at(pieces: &[Piece], offset: u32) -> Option<Piece> {
    let behind = pieces.partition_point(|p| p.rendered <= offset);
    pieces.get(behind.saturating_sub(1)).copied()
}

/// Collects a rendered text with its map.
#[derive(Debug, Default)]
pub(super) struct Writer {
    pub(super) text: String,
    pieces: Vec<Piece>,
}

impl Writer {
    /// Appends the text at `span` of `source`.
    pub(super) fn copy(&mut self, source: &str, span: Span) {
        self.push(span.slice(source), span, true);
    }

    /// Appends the output of the action at `span`.
    pub(super) fn write(&mut self, text: &str, span: Span) {
        self.push(text, span, false);
    }

    fn push(&mut self, text: &str, source: Span, exact: bool) {
        if text.is_empty() {
            return;
        }
        let rendered = Span::from_usize(self.text.len(), self.text.len() + text.len());
        self.text.push_str(text);
        self.pieces.push(Piece {
            rendered: rendered.start,
            len: rendered.len(),
            source,
            exact,
        });
    }

    pub(super) fn finish(self) -> (String, SourceMap) {
        let pieces = self.pieces;
        let mut by_source: Vec<u32> = (0u32..)
            .zip(&pieces)
            .filter(|(_, p)| p.exact)
            .map(|(i, _)| i)
            .collect();
        by_source.sort_by_key(|i| (pieces.get(*i as usize).map(|p| p.source.start), *i));
        (
            self.text,
            SourceMap {
                pieces: Some(pieces),
                by_source,
            },
        )
    }
}
