//! What an item is, judged by its first line.

use super::super::arena::{Builder, Data, Kids};
use super::super::lex::{Absent, Kind, is_ident_part, is_ident_start, lex_item};
use super::len;
use super::lines::{Line, outside_quotes};
use crate::text::Span;

/// Whether only space and a comment follow the line's first character.
pub(super) fn only_comment_follows(line: &str) -> bool {
    let rest = line.get(1..).unwrap_or("").trim_start();
    rest.is_empty() || rest.starts_with('#') || rest.starts_with("//") || rest.starts_with("/*")
}

/// Length of the name if a line starts with `name =`.
pub(super) fn attribute_name(line: &str) -> Option<u32> {
    let length = line.find(|c| !is_ident_part(c))?;
    let name = line.get(..length)?;
    let behind = line.get(length..)?.trim_start();
    (name.starts_with(is_ident_start) && behind.starts_with('=')).then(|| len(name))
}

pub(super) struct Header {
    pub(super) ident: Span,
    pub(super) labels: Kids,
    /// From the block's type to its last label.
    pub(super) span: Span,
    pub(super) open: Span,
}

/// A line that consists of a block's name, its labels and an opening brace.
pub(super) fn block_header(text: &str, line: Line, out: &mut Builder) -> Option<Header> {
    let content = line.content(text);
    let mut absent = Absent::default();
    // The brace is left to the caller: lexing up to it leaves nothing open.
    let brace = content.start as usize + find_open_brace(content.slice(text))?;
    let lexed = lex_item(text, line.start, brace, &mut absent).ok()?;
    let mut tokens = lexed.tokens.iter().filter(|t| t.kind != Kind::End);
    let ident = tokens.next().filter(|t| t.kind == Kind::Ident)?.span;
    let mut labels = Vec::new();
    let mut span = ident;
    while let Some(token) = tokens.next() {
        let (label, value) = match token.kind {
            Kind::Ident => (token.span, token.span),
            Kind::OpenQuote => {
                let inner = tokens.next()?;
                match inner.kind {
                    Kind::CloseQuote => (token.span.cover(inner.span), Span::at(inner.span.start)),
                    Kind::Quoted => {
                        let close = tokens.next().filter(|t| t.kind == Kind::CloseQuote)?;
                        (token.span.cover(close.span), inner.span)
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        let text = out.text(value.slice(text), value, text);
        labels.push(out.add(label, Data::Label(text)));
        span = span.cover(label);
    }
    let labels = out.list(&labels);
    Some(Header {
        ident,
        labels,
        span,
        open: Span::from_usize(brace, brace + 1),
    })
}

/// Offset of a `{` that is followed only by space or a comment.
pub(super) fn find_open_brace(line: &str) -> Option<usize> {
    let braces = outside_quotes(line).filter(|(_, byte)| *byte == b'{');
    braces
        .map(|(at, _)| at)
        .find(|at| line.get(*at..).is_some_and(only_comment_follows))
}
