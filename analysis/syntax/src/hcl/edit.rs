//! Text edits that follow the tree: the basis of fixes, renames and quick actions.
//!
//! Every function gives edits for the text the tree was parsed from. None reformats anything it need not touch.

use super::cursor::{Attribute, Block, Expr, ExprKind, Exprs};
use crate::text::{Span, TextEdit, line_break};

/// Removes the entry at `index` from a list, with its comma, and with its line if it has its own. `None` if the
/// entry does not exist.
#[must_use]
pub fn remove_entry(text: &str, list: Expr<'_>, index: usize) -> Option<TextEdit> {
    let entries = list.entries()?;
    let entry = entries.get(index)?.span();
    let list = list.without_parens().span();
    let behind = entries.get(index + 1).map(|e| e.span().start);
    let comma = find_comma(text, entry.end, behind.unwrap_or(list.end));
    let (line_start, line_end) = line_around(text, entry);
    let before = slice(text, line_start, entry.start);
    let tail_start = comma.map_or(entry.end, |c| c + 1);
    let tail = slice(text, tail_start.min(line_end), line_end);
    let alone =
        before.trim().is_empty() && line_start > list.start && tail_start <= line_end && is_trivia(tail);
    if alone {
        // The last entry's predecessor keeps its comma, which HCL allows.
        return Some(TextEdit {
            span: Span::new(line_start, line_end),
            text: String::new(),
        });
    }
    let span = match (comma, index.checked_sub(1).and_then(|i| entries.get(i))) {
        (Some(comma), Some(previous)) if behind.is_some() && is_trivia(tail) => {
            // The last on its line: the space before it is removed, the line end stays.
            let from =
                find_comma(text, previous.span().end, entry.start).map_or(previous.span().end, |c| c + 1);
            Span::new(
                if slice(text, from, entry.start).trim().is_empty() {
                    from
                } else {
                    entry.start
                },
                comma + 1,
            )
        }
        (Some(comma), _) if behind.is_some() => {
            let rest = slice(text, comma + 1, behind.unwrap_or(list.end));
            let space = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            Span::new(entry.start, comma + 1 + length(space))
        }
        (comma, Some(previous)) => {
            let end = comma.map_or(entry.end, |c| c + 1);
            Span::new(
                find_comma(text, previous.span().end, entry.start).unwrap_or(previous.span().end),
                end,
            )
        }
        (comma, None) => Span::new(entry.start, comma.map_or(entry.end, |c| c + 1)),
    };
    Some(TextEdit {
        span,
        text: String::new(),
    })
}

/// Replaces a quoted string without interpolation by another text; its quotes and escapes are rewritten. `None`
/// for a heredoc or any other expression.
#[must_use]
pub fn replace_text(expr: Expr<'_>, value: &str) -> Option<TextEdit> {
    match expr.kind() {
        ExprKind::Template(template) if !template.is_heredoc() && template.as_text().is_some() => {
            Some(TextEdit {
                span: expr.span(),
                text: quote(value),
            })
        }
        _ => None,
    }
}

/// Appends an entry, given as HCL source, to a list that is written as one.
#[must_use]
pub fn append_entry(text: &str, list: Expr<'_>, source: &str) -> Option<TextEdit> {
    let entries = list.entries()?;
    let list = list.without_parens().span();
    let close = list.end.checked_sub(1)?;
    let Some(last) = entries.len().checked_sub(1).and_then(|i| entries.get(i)) else {
        let inside = slice(text, list.start + 1, close);
        if is_blank(inside) {
            return Some(TextEdit {
                span: Span::new(list.start + 1, close),
                text: source.to_owned(),
            });
        }
        return Some(TextEdit {
            span: Span::at(close),
            text: source.to_owned(),
        });
    };
    let last = last.span();
    let comma = find_comma(text, last.end, close);
    let (line_start, _) = line_around(text, last);
    let before = slice(text, line_start, last.start);
    if before.trim().is_empty() && line_start > list.start {
        let new_line = line_break(text, line_start as usize);
        let (at, lead) = match comma {
            Some(comma) => (comma + 1, ""),
            None => (last.end, ","),
        };
        let trailing = if comma.is_some() || entries.len() == 1 {
            ","
        } else {
            ""
        };
        if comma.is_some() {
            // After a comment on the entry's line, not before it.
            let (_, line_end) = line_around(text, Span::at(at));
            let at = (line_end.min(close)).max(at);
            let in_own_line = slice(text, at.saturating_sub(1), at) == "\n";
            let text_in = if in_own_line {
                format!("{before}{source}{trailing}{new_line}")
            } else {
                format!("{new_line}{before}{source}{trailing}")
            };
            return Some(TextEdit {
                span: Span::at(at),
                text: text_in,
            });
        }
        return Some(TextEdit {
            span: Span::at(at),
            text: format!("{lead}{new_line}{before}{source}{trailing}"),
        });
    }
    match comma {
        Some(comma) => Some(TextEdit {
            span: Span::at(comma + 1),
            text: format!(" {source}"),
        }),
        None => Some(TextEdit {
            span: Span::at(last.end),
            text: format!(", {source}"),
        }),
    }
}

/// Puts `name = source` at the end of a block, indented as its other items are.
#[must_use]
pub fn insert_attribute(text: &str, block: Block<'_>, name: &str, source: &str) -> Option<TextEdit> {
    if !block.is_closed() {
        return None;
    }
    let body = block.body_span();
    let new_line = line_break(text, body.start as usize);
    let (header_line, _) = line_around(text, block.header_span());
    let outer = indentation(text, header_line);
    let last = block.body().items().map(|item| item.span()).last();
    let indent = match last {
        Some(item) => {
            let (line, _) = line_around(text, Span::at(item.start));
            let own = indentation(text, line);
            if line > block.span().start {
                own.to_owned()
            } else {
                format!("{outer}  ")
            }
        }
        None => format!("{outer}  "),
    };
    let inside = body.slice(text);
    if !inside.contains('\n') {
        // A block on one line becomes one on several.
        let kept = inside.trim();
        let first = if kept.is_empty() {
            String::new()
        } else {
            format!("{new_line}{indent}{kept}")
        };
        return Some(TextEdit {
            span: body,
            text: format!("{first}{new_line}{indent}{name} = {source}{new_line}{outer}"),
        });
    }
    let (close_line, _) = line_around(text, Span::at(body.end));
    if slice(text, close_line, body.end).trim().is_empty() {
        return Some(TextEdit {
            span: Span::at(close_line),
            text: format!("{indent}{name} = {source}{new_line}"),
        });
    }
    Some(TextEdit {
        span: Span::at(body.end),
        text: format!("{new_line}{indent}{name} = {source}{new_line}{outer}"),
    })
}

/// Removes an attribute with its line or lines, and with a comment after it.
#[must_use]
pub fn remove_attribute(text: &str, attribute: Attribute<'_>) -> TextEdit {
    let span = attribute.span();
    let (start, _) = line_around(text, Span::at(span.start));
    let (_, end) = line_around(text, Span::at(span.end));
    let before = slice(text, start, span.start);
    let behind = slice(text, span.end, end);
    if before.trim().is_empty() && is_trivia(behind) {
        TextEdit {
            span: Span::new(start, end),
            text: String::new(),
        }
    } else {
        TextEdit {
            span,
            text: String::new(),
        }
    }
}

/// Removes a block with its lines and with a comment after it. If blank lines are on both sides, one is removed
/// as well.
#[must_use]
pub fn remove_block(text: &str, block: Block<'_>) -> TextEdit {
    let span = block.span();
    let removal = |span| TextEdit {
        span,
        text: String::new(),
    };
    let (start, _) = line_around(text, Span::at(span.start));
    let (_, end) = line_around(text, Span::at(span.end));
    if !is_blank(slice(text, start, span.start)) || !is_trivia(slice(text, span.end, end)) {
        return removal(span);
    }
    let (line_before, _) = line_around(text, Span::at(start.saturating_sub(1)));
    let (_, line_behind) = line_around(text, Span::at(end));
    let before = slice(text, line_before, start);
    let behind = slice(text, end, line_behind);
    let is_first = before.is_empty() || before.trim_end().ends_with('{');
    let is_last = behind.is_empty() || behind.trim_start().starts_with('}');
    let blank = |line: &str| !line.is_empty() && is_blank(line);
    let span = if blank(behind) && (is_first || blank(before)) {
        Span::new(start, line_behind)
    } else if blank(before) && is_last {
        Span::new(line_before, end)
    } else {
        Span::new(start, end)
    };
    removal(span)
}

/// A text as an HCL literal: in double quotes, with escapes and template openings escaped.
#[must_use]
pub fn quote(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    out.push('"');
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '$' | '%' if chars.peek() == Some(&'{') => {
                out.push(c);
                out.push(c);
            }
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The text between the quotes of a quoted string: what a rename replaces.
#[must_use]
pub fn inside_quotes(expr: Expr<'_>) -> Option<Span> {
    match expr.kind() {
        ExprKind::Template(template) if !template.is_heredoc() => {
            let span = expr.span();
            (span.len() >= 2).then(|| Span::new(span.start + 1, span.end - 1))
        }
        _ => None,
    }
}

/// The index of the entry of `list` that contains a cursor at `offset`.
#[must_use]
pub fn entry_at(list: Exprs<'_>, offset: u32) -> Option<usize> {
    list.iter().position(|entry| entry.span().touches(offset))
}

fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

fn slice(text: &str, start: u32, end: u32) -> &str {
    Span::new(start, end).slice(text)
}

/// Offset of the comma between two places, skipping comments.
fn find_comma(text: &str, start: u32, end: u32) -> Option<u32> {
    let between = slice(text, start, end);
    let mut rest = between;
    loop {
        rest = rest.trim_start();
        let at = start + length(between.len() - rest.len());
        if rest.starts_with(',') {
            return Some(at);
        }
        let skip = if rest.starts_with('#') || rest.starts_with("//") {
            rest.find('\n')?
        } else if rest.starts_with("/*") {
            rest.find("*/")? + 2
        } else {
            return None;
        };
        rest = rest.get(skip..)?;
    }
}

/// Start of the line in which `span` starts, and offset after the line in which it ends.
fn line_around(text: &str, span: Span) -> (u32, u32) {
    let start = slice(text, 0, span.start).rfind('\n').map_or(0, |at| at + 1);
    let rest = text.get(span.end as usize..).unwrap_or("");
    let end = rest
        .find('\n')
        .map_or(text.len(), |at| span.end as usize + at + 1);
    (length(start), length(end))
}

fn indentation(text: &str, line_start: u32) -> &str {
    let rest = text.get(line_start as usize..).unwrap_or("");
    rest.get(..rest.len() - rest.trim_start_matches([' ', '\t']).len())
        .unwrap_or("")
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Only space, or space and one line comment.
fn is_trivia(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || text.starts_with('#') || text.starts_with("//")
}
