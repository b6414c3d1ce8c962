//! Quoted templates and heredocs.

use super::super::arena::{Data, ForDirectiveNode, Id, SyntaxError};
use super::super::lex::{Kind, Token};
use super::{Parsed, Parser};
use crate::text::Span;

/// A template before its directives are matched.
enum Part {
    Literal {
        text: String,
        span: Span,
    },
    Interpolation {
        value: Id,
        span: Span,
    },
    If {
        condition: Id,
        span: Span,
    },
    Else(Span),
    EndIf(Span),
    For {
        key_var: Option<Span>,
        value_var: Span,
        collection: Id,
        span: Span,
    },
    EndFor(Span),
}

/// A directive whose end was not read yet.
enum Open {
    If {
        condition: Id,
        span: Span,
        then: Option<Vec<Id>>,
    },
    For {
        key_var: Option<Span>,
        value_var: Span,
        collection: Id,
        span: Span,
    },
}

impl Parser<'_> {
    pub(super) fn template(&mut self) -> Parsed<Id> {
        let open = self.bump();
        let heredoc = open.kind == Kind::OpenHeredoc;
        let close = if heredoc {
            Kind::CloseHeredoc
        } else {
            Kind::CloseQuote
        };
        let mut parts = self.scoped(true, |p| p.template_parts(close))?;
        if heredoc && self.word(open).starts_with("<<-") {
            strip_indentation(&mut parts);
        }
        let content = Span::new(open.span.end, self.previous_end());
        let parts = self.template_tree(parts, content)?;
        let parts = self.out.list(&parts);
        Ok(self.out.add(
            Span::new(open.span.start, self.previous_end()),
            Data::Template { parts, heredoc },
        ))
    }

    /// The parts up to and including `close`.
    fn template_parts(&mut self, close: Kind) -> Parsed<Vec<Part>> {
        let mut parts = Vec::new();
        let mut trim_next = false;
        loop {
            let token = self.bump();
            if token.kind == close {
                return Ok(parts);
            }
            let trim = std::mem::take(&mut trim_next);
            match token.kind {
                Kind::Quoted | Kind::Heredoc => {
                    let quoted = token.kind == Kind::Quoted;
                    let mut text = unescape(self.word(token), token.span.start, quoted)?;
                    if trim {
                        text = text.trim_start().to_owned();
                    }
                    parts.push(Part::Literal {
                        text,
                        span: token.span,
                    });
                }
                Kind::Interpolation | Kind::Directive => {
                    if self.word(token).ends_with('~')
                        && let Some(Part::Literal { text, .. }) = parts.last_mut()
                    {
                        text.truncate(text.trim_end().len());
                    }
                    let part = self.scoped(false, |p| {
                        let mut part = if token.kind == Kind::Interpolation {
                            Part::Interpolation {
                                value: p.expression()?,
                                span: token.span,
                            }
                        } else {
                            p.directive(token)?
                        };
                        let end = p.expect(Kind::SequenceEnd, "`}` to end this part of the text")?;
                        trim_next = p.word(end).starts_with('~');
                        part.extend_to(end.span);
                        Ok(part)
                    })?;
                    parts.push(part);
                }
                _ => return self.fail(token.span, "this text is not closed"),
            }
        }
    }

    /// What follows `%{`.
    fn directive(&mut self, token: Token) -> Parsed<Part> {
        let keyword = self.expect(Kind::Ident, "`if`, `else`, `endif`, `for` or `endfor` after `%{`")?;
        let span = token.span;
        Ok(match self.word(keyword) {
            "if" => Part::If {
                condition: self.expression()?,
                span,
            },
            "else" => Part::Else(span),
            "endif" => Part::EndIf(span),
            "for" => {
                let (key_var, value_var) = self.for_variables()?;
                Part::For {
                    key_var,
                    value_var,
                    collection: self.expression()?,
                    span,
                }
            }
            "endfor" => Part::EndFor(span),
            _ => {
                return self.fail(
                    keyword.span,
                    "expected `if`, `else`, `endif`, `for` or `endfor` after `%{`",
                );
            }
        })
    }

    /// Matches directives with their ends and joins adjacent literals.
    fn template_tree(&mut self, parts: Vec<Part>, content: Span) -> Parsed<Vec<Id>> {
        let mut open: Vec<(Open, Vec<Id>)> = Vec::new();
        let mut current: Vec<Id> = Vec::new();
        if parts.is_empty() {
            let span = Span::at(content.start);
            let text = self.out.text("", span, self.text);
            return Ok(vec![self.out.add(span, Data::Literal(text))]);
        }
        let mut parts = parts.into_iter().peekable();
        while let Some(part) = parts.next() {
            match part {
                Part::Literal { mut text, mut span } => {
                    while let Some(Part::Literal {
                        text: more,
                        span: next_span,
                    }) = parts.peek()
                    {
                        text.push_str(more);
                        span = span.cover(*next_span);
                        parts.next();
                    }
                    let text = self.out.text(&text, span, self.text);
                    current.push(self.out.add(span, Data::Literal(text)));
                }
                Part::Interpolation { value, span } => {
                    current.push(self.out.add(span, Data::Interpolation(value)));
                }
                Part::If { condition, span } => {
                    self.guard_depth(open.len(), span)?;
                    open.push((
                        Open::If {
                            condition,
                            span,
                            then: None,
                        },
                        std::mem::take(&mut current),
                    ));
                }
                Part::For {
                    key_var,
                    value_var,
                    collection,
                    span,
                } => {
                    self.guard_depth(open.len(), span)?;
                    let directive = Open::For {
                        key_var,
                        value_var,
                        collection,
                        span,
                    };
                    open.push((directive, std::mem::take(&mut current)));
                }
                Part::Else(span) => match open.last_mut() {
                    Some((
                        Open::If {
                            then: then @ None, ..
                        },
                        _,
                    )) => *then = Some(std::mem::take(&mut current)),
                    _ => return self.fail(span, "this `else` has no `if` before it"),
                },
                Part::EndIf(end) => match open.pop() {
                    Some((
                        Open::If {
                            condition,
                            span,
                            then,
                        },
                        outer,
                    )) => {
                        let body = std::mem::replace(&mut current, outer);
                        let (then, otherwise) = match then {
                            Some(then) => (then, body),
                            None => (body, Vec::new()),
                        };
                        let (then, otherwise) = (self.out.list(&then), self.out.list(&otherwise));
                        let data = Data::If {
                            condition,
                            then,
                            otherwise,
                        };
                        current.push(self.out.add(span.cover(end), data));
                    }
                    _ => return self.fail(end, "this `endif` has no `if` before it"),
                },
                Part::EndFor(end) => match open.pop() {
                    Some((
                        Open::For {
                            key_var,
                            value_var,
                            collection,
                            span,
                        },
                        outer,
                    )) => {
                        let body = std::mem::replace(&mut current, outer);
                        let body = self.out.list(&body);
                        let data = Data::ForDirective(Box::new(ForDirectiveNode {
                            key_var,
                            value_var,
                            collection,
                            body,
                        }));
                        current.push(self.out.add(span.cover(end), data));
                    }
                    _ => return self.fail(end, "this `endfor` has no `for` before it"),
                },
            }
        }
        match open.pop() {
            Some((Open::If { span, .. }, _)) => self.fail(span, "this `if` has no `endif`"),
            Some((Open::For { span, .. }, _)) => self.fail(span, "this `for` has no `endfor`"),
            None => Ok(current),
        }
    }

    fn guard_depth(&self, open: usize, span: Span) -> Parsed<()> {
        let depth = usize::try_from(self.depth)
            .unwrap_or(usize::MAX)
            .saturating_add(open);
        if depth >= super::MAX_DEPTH as usize {
            Err(SyntaxError::limit(span))
        } else {
            Ok(())
        }
    }
}

impl Part {
    fn extend_to(&mut self, end: Span) {
        let span = match self {
            Self::Literal { span, .. }
            | Self::Interpolation { span, .. }
            | Self::If { span, .. }
            | Self::Else(span)
            | Self::EndIf(span)
            | Self::For { span, .. }
            | Self::EndFor(span) => span,
        };
        *span = span.cover(end);
    }
}

/// Removes from every line of a `<<-` heredoc the indentation that all its lines share. Lines of only space are
/// ignored; a line that starts with an interpolation counts as not indented.
fn strip_indentation(parts: &mut [Part]) {
    let mut shared = usize::MAX;
    let mut line_start = true;
    let mut starts = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        if std::mem::take(&mut line_start) {
            match part {
                Part::Literal { text, .. } => {
                    let body = text.trim_start();
                    if !body.is_empty() || !text.ends_with('\n') {
                        let indent = text.get(..text.len() - body.len()).unwrap_or("");
                        shared = shared.min(indent.chars().count());
                        starts.push(at);
                    }
                }
                _ => shared = 0,
            }
        }
        line_start = matches!(part, Part::Literal { text, .. } if text.ends_with('\n'));
    }
    for at in starts {
        if let Some(Part::Literal { text, .. }) = parts.get_mut(at) {
            *text = text.chars().skip(shared).collect();
        }
    }
}

/// The text that a literal denotes: `$${` and `%%{` everywhere, backslash escapes if quoted. `start` is the
/// literal's offset, for errors.
pub(super) fn unescape(raw: &str, start: u32, quoted: bool) -> Result<String, SyntaxError> {
    let special = |c: char| c == '$' || c == '%' || (quoted && c == '\\');
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find(special) {
        out.push_str(rest.get(..at).unwrap_or(""));
        rest = rest.get(at..).unwrap_or("");
        if !rest.starts_with('\\') {
            let escaped = rest.starts_with("$${") || rest.starts_with("%%{");
            let (keep, skip) = if escaped {
                (rest.get(1..3), 3)
            } else {
                (rest.get(..1), 1)
            };
            out.push_str(keep.unwrap_or(""));
            rest = rest.get(skip..).unwrap_or("");
            continue;
        }
        let offset = start + u32::try_from(raw.len() - rest.len()).unwrap_or(0);
        let selector = rest.get(1..).and_then(|r| r.chars().next());
        let (c, length) = match selector {
            Some('n') => ('\n', 2),
            Some('r') => ('\r', 2),
            Some('t') => ('\t', 2),
            Some('"') => ('"', 2),
            Some('\\') => ('\\', 2),
            Some(u @ ('u' | 'U')) => {
                let length = if u == 'u' { 6 } else { 10 };
                let digits = rest
                    .get(2..length)
                    .filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
                let Some(code) = digits.and_then(|d| u32::from_str_radix(d, 16).ok()) else {
                    let wanted = length - 2;
                    let message = format!("`\\{u}` needs {wanted} hexadecimal digits");
                    return Err(SyntaxError::new(Span::new(offset, offset + 2), &message));
                };
                let Some(c) = char::from_u32(code) else {
                    let end = offset + u32::try_from(length).unwrap_or(0);
                    return Err(SyntaxError::new(
                        Span::new(offset, end),
                        "invalid character number",
                    ));
                };
                (c, length)
            }
            Some(c) => {
                let end = offset + 1 + u32::try_from(c.len_utf8()).unwrap_or(1);
                let message = format!(
                    "`\\{}` is not an escape: write a backslash as `\\\\`",
                    c.escape_debug()
                );
                return Err(SyntaxError::new(Span::new(offset, end), &message));
            }
            None => {
                return Err(SyntaxError::new(
                    Span::new(offset, offset + 1),
                    "nothing follows this backslash",
                ));
            }
        };
        out.push(c);
        rest = rest.get(length..).unwrap_or("");
    }
    out.push_str(rest);
    Ok(out)
}
