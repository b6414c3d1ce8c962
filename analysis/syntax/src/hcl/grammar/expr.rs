//! Expressions.

use super::super::arena::{BinaryOp, Data, ForNode, Id, UnaryOp};
use super::super::decimal::{Magnitude, magnitude};
use super::super::lex::{Kind, Token};
use super::{Parsed, Parser};
use crate::text::Span;

/// The operator of a token and how tightly it binds.
fn binary(kind: Kind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        Kind::Or => (BinaryOp::Or, 1),
        Kind::And => (BinaryOp::And, 2),
        Kind::Equal => (BinaryOp::Equal, 3),
        Kind::NotEqual => (BinaryOp::NotEqual, 3),
        Kind::Greater => (BinaryOp::Greater, 4),
        Kind::GreaterEqual => (BinaryOp::GreaterEqual, 4),
        Kind::Less => (BinaryOp::Less, 4),
        Kind::LessEqual => (BinaryOp::LessEqual, 4),
        Kind::Plus => (BinaryOp::Add, 5),
        Kind::Minus => (BinaryOp::Subtract, 5),
        Kind::Star => (BinaryOp::Multiply, 6),
        Kind::Slash => (BinaryOp::Divide, 6),
        Kind::Percent => (BinaryOp::Modulo, 6),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Id> {
        self.deeper(Self::conditional)
    }

    fn conditional(&mut self) -> Parsed<Id> {
        let condition = self.operators()?;
        if self.eat(Kind::Question).is_none() {
            return Ok(condition);
        }
        let then = self.expression()?;
        self.expect(Kind::Colon, "`:` and the value for the other case")?;
        let otherwise = self.expression()?;
        let span = self.out.span(condition).cover(self.out.span(otherwise));
        Ok(self.out.add(
            span,
            Data::Conditional {
                condition,
                then,
                otherwise,
            },
        ))
    }

    /// A chain of operators. Pending operands are on a stack, so its length costs no recursion.
    fn operators(&mut self) -> Parsed<Id> {
        let mut pending: Vec<(Id, BinaryOp, u8)> = Vec::new();
        let mut operand = self.operand()?;
        loop {
            let next = binary(self.peek().kind);
            let binds = next.map_or(0, |(_, binds)| binds);
            while let Some((left, op, strength)) = pending.pop() {
                if strength < binds {
                    pending.push((left, op, strength));
                    break;
                }
                let span = self.out.span(left).cover(self.out.span(operand));
                operand = self.out.add(
                    span,
                    Data::Binary {
                        op,
                        left,
                        right: operand,
                    },
                );
            }
            let Some((op, binds)) = next else {
                return Ok(operand);
            };
            self.bump();
            pending.push((operand, op, binds));
            operand = self.operand()?;
        }
    }

    fn operand(&mut self) -> Parsed<Id> {
        let term = self.term()?;
        self.steps(term)
    }

    /// `.name`, `.0`, `.*`, `[key]` and `[*]` after a term.
    fn steps(&mut self, mut source: Id) -> Parsed<Id> {
        loop {
            match self.peek().kind {
                Kind::Dot => {
                    self.bump();
                    let token = self.peek();
                    match token.kind {
                        Kind::Ident => {
                            self.bump();
                            let span = self.out.span(source).cover(token.span);
                            source = self.out.add(
                                span,
                                Data::GetAttr {
                                    source,
                                    name: token.span,
                                },
                            );
                        }
                        Kind::Number => source = self.legacy_index(source)?,
                        Kind::Star => {
                            self.bump();
                            source = self.attribute_splat(source, token)?;
                        }
                        _ => return self.unexpected("an attribute's name after the dot"),
                    }
                }
                Kind::OpenBracket => {
                    let open = self.bump();
                    if self.peek().kind == Kind::Star {
                        self.bump();
                        let close = self.expect(Kind::CloseBracket, "`]` after `[*`")?;
                        let item = self.out.add(open.span.cover(close.span), Data::SplatItem);
                        // What follows belongs to each entry. It nests like an expression.
                        let each = self.deeper(|p| p.steps(item))?;
                        let span = self.out.span(source).cover(Span::at(self.previous_end()));
                        source = self.out.add(
                            span,
                            Data::Splat {
                                source,
                                each,
                                full: true,
                            },
                        );
                    } else {
                        let key = self.scoped(false, |p| {
                            let key = p.expression()?;
                            p.expect(Kind::CloseBracket, "`]`")?;
                            Ok(key)
                        })?;
                        let span = self.out.span(source).cover(Span::at(self.previous_end()));
                        source = self.out.add(span, Data::Index { source, key });
                    }
                }
                _ => return Ok(source),
            }
        }
    }

    fn legacy_index(&mut self, source: Id) -> Parsed<Id> {
        let token = self.bump();
        let digits = self.word(token);
        if digits.contains('.') {
            return self.fail(token.span, "two consecutive numbers need brackets, as in [0][1]");
        }
        if !is_number(digits) {
            return self.fail(token.span, "this is not a number");
        }
        let span = self.out.span(source).cover(token.span);
        Ok(self.out.add(
            span,
            Data::LegacyIndex {
                source,
                number: token.span,
            },
        ))
    }

    /// The names and numbers after `.*` belong to each entry; `[…]` belongs to the whole result.
    fn attribute_splat(&mut self, source: Id, star: Token) -> Parsed<Id> {
        let mut each = self.out.add(star.span, Data::SplatItem);
        while self.eat(Kind::Dot).is_some() {
            let token = self.peek();
            match token.kind {
                Kind::Ident => {
                    self.bump();
                    let span = self.out.span(each).cover(token.span);
                    each = self.out.add(
                        span,
                        Data::GetAttr {
                            source: each,
                            name: token.span,
                        },
                    );
                }
                Kind::Number => each = self.legacy_index(each)?,
                Kind::Star => {
                    return self.fail(token.span, "nested attribute splats are not allowed");
                }
                _ => return self.unexpected("an attribute's name after the dot"),
            }
        }
        let span = self.out.span(source).cover(Span::at(self.previous_end()));
        Ok(self.out.add(
            span,
            Data::Splat {
                source,
                each,
                full: false,
            },
        ))
    }

    fn term(&mut self) -> Parsed<Id> {
        let token = self.peek();
        match token.kind {
            Kind::OpenParen => {
                self.bump();
                self.scoped(false, |p| {
                    let inner = p.expression()?;
                    let close = p.expect(Kind::CloseParen, "`)`")?;
                    Ok(p.out.add(token.span.cover(close.span), Data::Paren(inner)))
                })
            }
            Kind::Number => {
                self.bump();
                if !is_number(self.word(token)) {
                    return self.fail(token.span, "this is not a number");
                }
                if magnitude(self.word(token)) == Magnitude::Rejected {
                    return self.fail(token.span, "the exponent of this number is out of range");
                }
                Ok(self.out.add(token.span, Data::Number))
            }
            Kind::Ident => {
                self.bump();
                if matches!(self.peek().kind, Kind::OpenParen | Kind::DoubleColon) {
                    return self.call(token);
                }
                let data = match self.word(token) {
                    "true" => Data::Bool(true),
                    "false" => Data::Bool(false),
                    "null" => Data::Null,
                    _ => Data::Variable,
                };
                Ok(self.out.add(token.span, data))
            }
            Kind::OpenQuote | Kind::OpenHeredoc => self.template(),
            Kind::Minus | Kind::Not => {
                self.bump();
                let operand = self.deeper(Self::operand)?;
                let op = if token.kind == Kind::Minus {
                    UnaryOp::Negate
                } else {
                    UnaryOp::Not
                };
                let span = token.span.cover(self.out.span(operand));
                Ok(self.out.add(span, Data::Unary { op, operand }))
            }
            Kind::OpenBracket => self.tuple(),
            Kind::OpenBrace => self.object(),
            _ => self.unexpected("a value"),
        }
    }

    fn call(&mut self, first: Token) -> Parsed<Id> {
        let mut name = first.span;
        while self.eat(Kind::DoubleColon).is_some() {
            name.end = self.expect(Kind::Ident, "a function's name after `::`")?.span.end;
        }
        self.expect(Kind::OpenParen, "`(`")?;
        let mut args = Vec::new();
        let expand = self.scoped(false, |p| {
            loop {
                if p.eat(Kind::CloseParen).is_some() {
                    return Ok(false);
                }
                args.push(p.expression()?);
                if p.eat(Kind::Ellipsis).is_some() {
                    p.expect(Kind::CloseParen, "`)` after `...`")?;
                    return Ok(true);
                }
                if p.eat(Kind::CloseParen).is_some() {
                    return Ok(false);
                }
                p.expect(Kind::Comma, "a comma or `)` after this argument")?;
            }
        })?;
        let args = self.out.list(&args);
        Ok(self.out.add(
            Span::new(name.start, self.previous_end()),
            Data::Call { name, args, expand },
        ))
    }

    fn tuple(&mut self) -> Parsed<Id> {
        let open = self.bump();
        self.scoped(false, |p| {
            if p.eat_word("for") {
                return p.for_expression(open, Kind::CloseBracket);
            }
            let mut entries = Vec::new();
            loop {
                if p.eat(Kind::CloseBracket).is_some() {
                    break;
                }
                entries.push(p.expression()?);
                if p.eat(Kind::CloseBracket).is_some() {
                    break;
                }
                p.expect(Kind::Comma, "a comma or `]` after this entry")?;
            }
            let entries = p.out.list(&entries);
            Ok(p.out
                .add(Span::new(open.span.start, p.previous_end()), Data::Tuple(entries)))
        })
    }

    fn object(&mut self) -> Parsed<Id> {
        let open = self.bump();
        let outer = std::mem::replace(&mut self.newlines, false);
        let is_for = self.eat_word("for");
        self.newlines = outer;
        if is_for {
            return self.scoped(false, |p| p.for_expression(open, Kind::CloseBrace));
        }
        self.scoped(true, |p| {
            let mut items = Vec::new();
            loop {
                if p.eat(Kind::Newline).is_some() {
                    continue;
                }
                if p.eat(Kind::CloseBrace).is_some() {
                    break;
                }
                items.push(p.object_item()?);
                if p.eat(Kind::CloseBrace).is_some() {
                    break;
                }
                if p.eat(Kind::Comma).is_none() && p.eat(Kind::Newline).is_none() {
                    return p.unexpected("a comma, a new line or `}` after this value");
                }
            }
            let items = p.out.list(&items);
            Ok(p.out
                .add(Span::new(open.span.start, p.previous_end()), Data::Object(items)))
        })
    }

    fn object_item(&mut self) -> Parsed<Id> {
        let first = self.peek();
        let key = self.expression()?;
        let bare = first.kind == Kind::Ident && self.out.span(key) == first.span;
        if self.eat(Kind::Assign).is_none() && self.eat(Kind::Colon).is_none() {
            return self.unexpected("`=` and a value after this key");
        }
        let value = self.expression()?;
        let span = self.out.span(key).cover(self.out.span(value));
        Ok(self.out.add(span, Data::ObjectItem { key, value, bare }))
    }

    /// What follows `[for` or `{for`.
    fn for_expression(&mut self, open: Token, close: Kind) -> Parsed<Id> {
        let (key_var, value_var) = self.for_variables()?;
        let collection = self.expression()?;
        self.expect(Kind::Colon, "`:` after the collection")?;
        let mut value = self.expression()?;
        let mut key = None;
        if self.eat(Kind::Arrow).is_some() {
            key = Some(value);
            value = self.expression()?;
        }
        let ellipsis = self.eat(Kind::Ellipsis);
        let condition = if self.eat_word("if") {
            Some(self.expression()?)
        } else {
            None
        };
        let wanted = if close == Kind::CloseBracket { "`]`" } else { "`}`" };
        self.expect(close, wanted)?;
        match (close == Kind::CloseBracket, key, ellipsis) {
            (true, Some(key), _) => {
                return self.fail(
                    self.out.span(key),
                    "a `for` in brackets gives a list, which has no keys",
                );
            }
            (true, None, Some(ellipsis)) => {
                return self.fail(ellipsis.span, "only a `for` in braces can group with `...`");
            }
            (false, None, _) => {
                return self.fail(self.out.span(value), "a `for` in braces needs `key => value`");
            }
            _ => {}
        }
        let node = ForNode {
            key_var,
            value_var,
            collection,
            key,
            value,
            condition,
            group: ellipsis.is_some(),
        };
        Ok(self.out.add(
            Span::new(open.span.start, self.previous_end()),
            Data::For(Box::new(node)),
        ))
    }

    /// `value in` or `key, value in`.
    pub(super) fn for_variables(&mut self) -> Parsed<(Option<Span>, Span)> {
        let mut value = self.expect(Kind::Ident, "a variable's name after `for`")?.span;
        let mut key = None;
        if self.eat(Kind::Comma).is_some() {
            key = Some(value);
            value = self.expect(Kind::Ident, "a second variable's name")?.span;
        }
        if !self.eat_word("in") {
            return self.unexpected("`in` and a collection");
        }
        Ok((key, value))
    }
}

/// Whether the characters that the lexer scans as one number are one.
fn is_number(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let mantissa_fits = match mantissa.split_once('.') {
        // `1.` is not a number, but `1.e5` is one.
        Some((whole, fraction)) => {
            digits(whole) && (digits(fraction) || (fraction.is_empty() && exponent.is_some()))
        }
        None => digits(mantissa),
    };
    mantissa_fits && exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}
