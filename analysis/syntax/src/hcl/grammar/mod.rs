//! The strict grammar over the tokens of one item: attributes and blocks here, expressions and
//! templates in the submodules. The first error ends it; `recover` decides what to do then.
//! Recursion is bounded by [`MAX_DEPTH`].

mod expr;
mod template;

use super::arena::{BlockNode, Builder, Data, Id, SyntaxError};
use super::lex::{Kind, Lexed, MAX_DEPTH, Token, invalid_character};
use crate::text::Span;

/// A parse error and the start of the innermost attribute or block that contains it.
pub(super) struct Failure {
    pub(super) error: SyntaxError,
    pub(super) item: u32,
}

type Parsed<T> = Result<T, SyntaxError>;

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    next: usize,
    /// Whether line ends are tokens here; inside brackets they are only space.
    newlines: bool,
    depth: u32,
    /// Start of the innermost item.
    item: u32,
    out: &'a mut Builder,
}

/// Parses the items of a lexed stretch of a body. On failure nothing is left in `out`.
pub(super) fn parse_items(text: &str, lexed: &Lexed, out: &mut Builder) -> Result<Vec<Id>, Failure> {
    let mark = out.mark();
    let mut parser = Parser {
        text,
        tokens: &lexed.tokens,
        next: 0,
        newlines: true,
        depth: 0,
        item: 0,
        out,
    };
    match parser.body(Kind::End, Span::at(0)) {
        Ok((items, _)) => Ok(items),
        Err(error) => {
            let item = parser.item;
            out.rewind(mark);
            Err(Failure { error, item })
        }
    }
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token {
        self.peek_from(self.next).0
    }

    /// The next significant token from index `at` on, and its index.
    fn peek_from(&self, mut at: usize) -> (Token, usize) {
        loop {
            match self.tokens.get(at) {
                Some(token) if token.kind == Kind::Newline && !self.newlines => at += 1,
                Some(token) => return (*token, at),
                None => {
                    let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
                    let last = self.tokens.last().map_or(Span::at(end), |t| Span::at(t.span.end));
                    return (
                        Token {
                            kind: Kind::End,
                            span: last,
                        },
                        at,
                    );
                }
            }
        }
    }

    fn bump(&mut self) -> Token {
        let (token, at) = self.peek_from(self.next);
        self.next = at + 1;
        token
    }

    fn eat(&mut self, kind: Kind) -> Option<Token> {
        (self.peek().kind == kind).then(|| self.bump())
    }

    fn word(&self, token: Token) -> &'a str {
        token.span.slice(self.text)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let token = self.peek();
        let found = token.kind == Kind::Ident && self.word(token) == word;
        if found {
            self.bump();
        }
        found
    }

    /// Offset after the token read last.
    fn previous_end(&self) -> u32 {
        self.next
            .checked_sub(1)
            .and_then(|at| self.tokens.get(at))
            .map_or(0, |t| t.span.end)
    }

    fn fail<T>(&self, span: Span, message: &str) -> Parsed<T> {
        Err(SyntaxError::new(span, message))
    }

    /// An error at the next token, which is named.
    fn unexpected<T>(&self, wanted: &str) -> Parsed<T> {
        let token = self.peek();
        if let (Kind::Invalid, Some(c)) = (token.kind, self.word(token).chars().next()) {
            return self.fail(token.span, &invalid_character(c));
        }
        let found = match token.kind {
            Kind::End => "the end of the text".to_owned(),
            Kind::Newline => "the end of the line".to_owned(),
            Kind::CloseQuote | Kind::OpenQuote => "a quote".to_owned(),
            Kind::Quoted | Kind::Heredoc => "text".to_owned(),
            _ => format!("`{}`", self.word(token).trim_end()),
        };
        let span = if token.span.is_empty() || token.kind == Kind::Newline {
            Span::at(token.span.start)
        } else {
            token.span
        };
        self.fail(span, &format!("expected {wanted}, found {found}"))
    }

    fn expect(&mut self, kind: Kind, wanted: &str) -> Parsed<Token> {
        match self.eat(kind) {
            Some(token) => Ok(token),
            None => self.unexpected(wanted),
        }
    }

    /// Runs `inner` with line ends as tokens or as space.
    fn scoped<T>(&mut self, newlines: bool, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let before = std::mem::replace(&mut self.newlines, newlines);
        let result = inner(self);
        self.newlines = before;
        result
    }

    /// Runs `inner` one level deeper.
    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(SyntaxError::limit(self.peek().span));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Items up to `close`, which is read as well; returns its span. `header` is what opened the body.
    fn body(&mut self, close: Kind, header: Span) -> Parsed<(Vec<Id>, Span)> {
        let mut items = Vec::new();
        loop {
            let token = self.peek();
            if token.kind == close {
                self.bump();
                return Ok((items, token.span));
            }
            match token.kind {
                Kind::Newline => {
                    self.bump();
                }
                Kind::Ident => {
                    let outer = std::mem::replace(&mut self.item, token.span.start);
                    items.push(self.item(false)?);
                    self.item = outer;
                }
                _ => {
                    self.item = token.span.start;
                    return match token.kind {
                        Kind::End => self.fail(header, "unterminated block: missing `}`"),
                        Kind::OpenQuote => {
                            self.fail(token.span, "an attribute's name must not be quoted here")
                        }
                        Kind::CloseBrace | Kind::CloseBracket | Kind::CloseParen => {
                            let text = format!("unexpected `{}`", self.word(token));
                            self.fail(token.span, &text)
                        }
                        _ => self.unexpected("an attribute or a block"),
                    };
                }
            }
        }
    }

    /// One attribute or block. In a block of one line only an attribute is allowed, and its line end is the
    /// block's.
    fn item(&mut self, single: bool) -> Parsed<Id> {
        let ident = self.bump();
        match self.peek().kind {
            Kind::Assign => self.attribute(ident, single),
            Kind::OpenQuote | Kind::OpenBrace | Kind::Ident if single => {
                self.fail(ident.span, "a block on one line can only contain one attribute")
            }
            Kind::OpenQuote | Kind::OpenBrace | Kind::Ident => self.block(ident),
            _ => self.unexpected("`=` for an attribute, or labels and `{` for a block"),
        }
    }

    fn attribute(&mut self, ident: Token, single: bool) -> Parsed<Id> {
        self.bump();
        let value = self.expression()?;
        let end = self.out.span(value).end.max(self.previous_end());
        if !single {
            match self.peek().kind {
                Kind::Newline => {
                    self.bump();
                }
                Kind::End => {}
                Kind::Comma => {
                    return self.fail(
                        self.peek().span,
                        "attributes end with their line, not with a comma",
                    );
                }
                _ => return self.unexpected("the end of the line after this attribute"),
            }
        }
        let span = Span::new(ident.span.start, end);
        Ok(self.out.add(
            span,
            Data::Attribute {
                name: ident.span,
                value,
            },
        ))
    }

    fn block(&mut self, ident: Token) -> Parsed<Id> {
        let mut labels = Vec::new();
        let mut header = ident.span;
        let open = loop {
            let token = self.peek();
            match token.kind {
                Kind::OpenBrace => break self.bump(),
                Kind::OpenQuote => labels.push(self.quoted_label()?),
                Kind::Ident => {
                    self.bump();
                    let text = self.out.text(self.word(token), token.span, self.text);
                    labels.push(self.out.add(token.span, Data::Label(text)));
                }
                Kind::Newline | Kind::End => {
                    return self.fail(header, "a block needs its opening brace on the line of its name");
                }
                _ => return self.unexpected("a label or `{`"),
            }
            header.end = self.previous_end();
        };
        let labels = self.out.list(&labels);
        let (items, close) = self.deeper(|p| match p.peek().kind {
            // An unclosed block is reported at its opening, which is more helpful than the file's end.
            Kind::Newline | Kind::End | Kind::CloseBrace => p.body(Kind::CloseBrace, header.cover(open.span)),
            Kind::Ident => {
                let start = p.peek().span.start;
                let outer = std::mem::replace(&mut p.item, start);
                let item = p.item(true)?;
                p.item = outer;
                let close = p.expect(
                    Kind::CloseBrace,
                    "`}` after the one attribute of a block on one line",
                )?;
                Ok((vec![item], close.span))
            }
            _ => p.unexpected("an attribute, or the end of the line"),
        })?;
        match self.peek().kind {
            Kind::Newline => {
                self.bump();
            }
            Kind::End => {}
            _ => return self.unexpected("the end of the line after this block"),
        }
        let items = self.out.list(&items);
        let data = Data::Block(Box::new(BlockNode {
            ident: ident.span,
            labels,
            header,
            body: Span::new(open.span.end, close.start),
            items,
            closed: true,
        }));
        Ok(self.out.add(Span::new(ident.span.start, close.end), data))
    }

    fn quoted_label(&mut self) -> Parsed<Id> {
        let open = self.bump();
        let mut text = String::new();
        let mut content = Span::at(open.span.end);
        loop {
            let token = self.bump();
            match token.kind {
                Kind::CloseQuote => {
                    let span = open.span.cover(token.span);
                    let text = self.out.text(&text, content, self.text);
                    return Ok(self.out.add(span, Data::Label(text)));
                }
                Kind::Quoted => {
                    content = token.span;
                    text.push_str(&template::unescape(self.word(token), token.span.start, true)?);
                }
                _ => return self.fail(token.span, "expected plain text as label: write `$${` for `${`"),
            }
        }
    }
}
