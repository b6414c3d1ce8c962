//! Pipelines: declarations, commands, words and their fields.

use super::super::ast::{Command, Operand, Pipe, Term};
use super::super::format::quote;
use super::super::lex::{Kind, Token};
use super::super::{funcs, literal};
use super::{MAX_VARIABLES, Parsed, Parser};

impl<'a> Parser<'a> {
    pub(super) fn pipeline(&mut self, context: &str, end: Kind) -> Parsed<Pipe<'a>> {
        let start = self.peek_solid().span;
        let mut pipe = Pipe {
            span: start,
            variables: Vec::new(),
            assigns: false,
            commands: Vec::new(),
        };
        self.declarations(&mut pipe, context)?;
        loop {
            let token = self.next_solid();
            match token.kind {
                kind if kind == end => {
                    self.check_pipeline(&pipe, token, context)?;
                    return Ok(pipe);
                }
                Kind::Bool
                | Kind::CharConstant
                | Kind::Complex
                | Kind::Dot
                | Kind::Field
                | Kind::Identifier
                | Kind::Number
                | Kind::Nil
                | Kind::RawString
                | Kind::String
                | Kind::Variable
                | Kind::LeftParen => {
                    self.at -= 1;
                    let command = self.command()?;
                    pipe.span = pipe.span.cover(command.span);
                    pipe.commands.push(command);
                }
                _ => return self.unexpected(token, context),
            }
        }
    }

    /// `$x :=`, `$x =`, and in a range `$i, $x :=`.
    fn declarations(&mut self, pipe: &mut Pipe<'a>, context: &str) -> Parsed<()> {
        loop {
            let variable = self.peek_solid();
            if variable.kind != Kind::Variable {
                return Ok(());
            }
            let back = self.at;
            self.at += 1;
            let after = self.peek_solid();
            match after.kind {
                Kind::Assign | Kind::Declare => {
                    self.at += 1;
                    pipe.assigns = after.kind == Kind::Assign;
                    self.declare(variable, pipe)?;
                    return Ok(());
                }
                Kind::Char if self.slice(after) == "," => {
                    self.at += 1;
                    self.declare(variable, pipe)?;
                    if context != "range" || pipe.variables.len() >= 2 {
                        return self.fail(after.span, format!("too many declarations in {context}"));
                    }
                    let next = self.peek_solid();
                    if !matches!(next.kind, Kind::Variable | Kind::RightDelim | Kind::RightParen) {
                        return self.fail(next.span, "range can only initialize variables");
                    }
                }
                _ => {
                    self.at = back;
                    return Ok(());
                }
            }
        }
    }

    fn declare(&mut self, variable: Token, pipe: &mut Pipe<'a>) -> Parsed<()> {
        if self.scope.variables.len() >= MAX_VARIABLES {
            return self.give_up(variable.span, "it declares too many variables (limit)");
        }
        pipe.variables.push(self.slice(variable));
        self.scope.variables.push(self.slice(variable));
        Ok(())
    }

    fn check_pipeline(&self, pipe: &Pipe<'_>, end: Token, context: &str) -> Parsed<()> {
        if pipe.commands.is_empty() {
            return self.fail(end.span, format!("missing value for {context}"));
        }
        for (i, command) in pipe.commands.iter().enumerate().skip(1) {
            let first = command.words.first().map(|w| &w.kind);
            if !matches!(
                first,
                Some(
                    Term::Field(_) | Term::Variable(..) | Term::Function(_) | Term::Pipe(_) | Term::Chain(..)
                )
            ) {
                let message = format!("non executable command in pipeline stage {}", i + 1);
                return self.fail(command.span, message);
            }
        }
        Ok(())
    }

    fn command(&mut self) -> Parsed<Command<'a>> {
        let mut span = self.peek_solid().span;
        let mut words = Vec::new();
        loop {
            self.skip_space();
            if let Some(word) = self.operand()? {
                span = span.cover(word.span);
                words.push(word);
            }
            let token = self.next();
            match token.kind {
                Kind::Space => {}
                Kind::RightDelim | Kind::RightParen => {
                    self.at -= 1;
                    break;
                }
                Kind::Pipe => break,
                _ => return self.unexpected(token, "operand"),
            }
        }
        if words.is_empty() {
            return self.fail(span, "empty command");
        }
        Ok(Command { span, words })
    }

    /// A term with its fields.
    fn operand(&mut self) -> Parsed<Option<Operand<'a>>> {
        let Some(term) = self.term()? else { return Ok(None) };
        let mut fields = Vec::new();
        let mut span = term.span;
        while self.token().kind == Kind::Field {
            let token = self.next();
            span = span.cover(token.span);
            fields.push(self.field_name(token));
        }
        if fields.is_empty() {
            return Ok(Some(term));
        }
        let kind = match term.kind {
            Term::Field(mut names) => {
                names.append(&mut fields);
                Term::Field(names)
            }
            Term::Variable(name, mut names) => {
                names.append(&mut fields);
                Term::Variable(name, names)
            }
            kind @ (Term::Function(_) | Term::Pipe(_) | Term::Chain(..)) => Term::Chain(
                Box::new(Operand {
                    span: term.span,
                    kind,
                }),
                fields,
            ),
            _ => {
                let written = quote(term.span.slice(self.text));
                return self.fail(span, format!("unexpected . after term {written}"));
            }
        };
        Ok(Some(Operand { span, kind }))
    }

    fn field_name(&self, token: Token) -> &'a str {
        let text = self.slice(token);
        text.strip_prefix('.').unwrap_or(text)
    }

    fn term(&mut self) -> Parsed<Option<Operand<'a>>> {
        let token = self.next_solid();
        let mut span = token.span;
        let text = self.slice(token);
        let kind = match token.kind {
            Kind::Identifier if funcs::is_known(text) => Term::Function(text),
            Kind::Identifier => {
                return self.fail(token.span, format!("function {} not defined", quote(text)));
            }
            Kind::Dot => Term::Dot,
            Kind::Nil => Term::Nil,
            Kind::Variable if self.scope.variables.contains(&text) => Term::Variable(text, Vec::new()),
            Kind::Variable => {
                return self.fail(token.span, format!("undefined variable {}", quote(text)));
            }
            Kind::Field => Term::Field(vec![self.field_name(token)]),
            Kind::Bool => Term::Bool(text == "true"),
            Kind::CharConstant => self.literal(token, literal::character(text))?,
            Kind::Complex => self.literal(token, literal::complex())?,
            Kind::Number => self.literal(token, literal::number(text))?,
            Kind::String | Kind::RawString => self.literal(token, literal::string(text))?,
            Kind::LeftParen => {
                let pipe = self.deeper(span, |p| p.pipeline("parenthesized pipeline", Kind::RightParen))?;
                let close = self
                    .tokens
                    .list
                    .get(self.at.saturating_sub(1))
                    .map_or(span, |t| t.span);
                span = span.cover(close);
                Term::Pipe(Box::new(pipe))
            }
            _ => {
                self.at -= 1;
                return Ok(None);
            }
        };
        Ok(Some(Operand { span, kind }))
    }
}
