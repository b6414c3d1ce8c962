//! From tokens to the tree, with the checks that Go makes while parsing.

mod pipeline;

use super::ast::{Arm, Node, Program};
use super::format::quote;
use super::lex::{self, Kind, LEFT, RIGHT, Token, Tokens};
use super::literal::{self, Bad};
use super::{Stage, Stop, TemplateError};
use crate::text::Span;
use indexmap::IndexMap;

/// How deep actions and parentheses may nest.
const MAX_NESTING: usize = 200;
/// How many variables may be in scope.
const MAX_VARIABLES: usize = 1000;

type Parsed<T> = Result<T, Stop>;

pub(super) fn parse(text: &str) -> Parsed<Program<'_>> {
    let mut parser = Parser {
        text,
        tokens: lex::lex(text),
        at: 0,
        action: Span::default(),
        scope: Scope {
            variables: vec!["$"],
            ranges: 0,
        },
        nesting: 0,
        definitions: IndexMap::new(),
    };
    let root = parser.program()?;
    Ok(Program {
        root,
        definitions: parser.definitions,
    })
}

/// State that is new for each named template.
struct Scope<'a> {
    variables: Vec<&'a str>,
    ranges: usize,
}

struct Parser<'a> {
    text: &'a str,
    tokens: Tokens,
    at: usize,
    action: Span,
    scope: Scope<'a>,
    nesting: usize,
    definitions: IndexMap<String, Vec<Node<'a>>>,
}

/// What ends a list of nodes.
enum Closing {
    End,
    /// The token that follows may be `if` or `with`.
    Else,
}

enum Item<'a> {
    Node(Node<'a>),
    Closing(Closing, Span),
}

#[derive(Clone, Copy, PartialEq)]
enum Control {
    If,
    With,
    Range,
}

impl Control {
    const fn name(self) -> &'static str {
        match self {
            Self::If => "if",
            Self::With => "with",
            Self::Range => "range",
        }
    }
}

impl<'a> Parser<'a> {
    fn token(&self) -> Token {
        let eof = Token {
            kind: Kind::Eof,
            span: Span::from_usize(self.text.len(), self.text.len()),
        };
        self.tokens.list.get(self.at).copied().unwrap_or(eof)
    }

    fn next(&mut self) -> Token {
        let token = self.token();
        self.at += 1;
        token
    }

    fn next_solid(&mut self) -> Token {
        self.skip_space();
        self.next()
    }

    fn peek_solid(&mut self) -> Token {
        self.skip_space();
        self.token()
    }

    fn skip_space(&mut self) {
        while self.token().kind == Kind::Space {
            self.at += 1;
        }
    }

    fn slice(&self, token: Token) -> &'a str {
        token.span.slice(self.text)
    }

    fn fail<T>(&self, span: Span, message: impl Into<String>) -> Parsed<T> {
        let action = if self.action.contains(span) {
            self.action
        } else {
            span
        };
        Err(Stop::Error(TemplateError {
            span,
            action,
            stage: Stage::Parse,
            message: message.into(),
        }))
    }

    fn give_up<T>(&self, span: Span, reason: &'static str) -> Parsed<T> {
        Err(Stop::CannotAnalyse { span, reason })
    }

    fn unexpected<T>(&self, token: Token, context: &str) -> Parsed<T> {
        if token.kind == Kind::Error {
            return self.fail(token.span, self.tokens.error.clone());
        }
        self.fail(
            token.span,
            format!("unexpected {} in {context}", self.describe(token)),
        )
    }

    fn describe(&self, token: Token) -> String {
        let text = match token.kind {
            Kind::LeftDelim => LEFT,
            Kind::RightDelim => RIGHT,
            Kind::Eof => return "EOF".into(),
            kind if kind.is_keyword() => return format!("<{}>", self.slice(token)),
            _ => self.slice(token),
        };
        if text.len() > 10 {
            format!("{}...", quote(&text.chars().take(10).collect::<String>()))
        } else {
            quote(text)
        }
    }

    fn expect(&mut self, kind: Kind, context: &str) -> Parsed<Token> {
        let token = self.next_solid();
        if token.kind == kind {
            Ok(token)
        } else {
            self.unexpected(token, context)
        }
    }

    fn literal<T>(&self, token: Token, read: Result<T, Bad>) -> Parsed<T> {
        match read {
            Ok(value) => Ok(value),
            Err(Bad::Invalid(message)) => self.fail(token.span, message),
            Err(Bad::Unknown(reason)) => self.give_up(token.span, reason),
        }
    }

    fn deeper<T>(&mut self, span: Span, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            return self.give_up(span, "it nests too deeply (limit)");
        }
        self.nesting += 1;
        let result = inner(self);
        self.nesting -= 1;
        result
    }

    /// Records the action whose left delimiter was just read.
    fn enter_action(&mut self, delim: Token) -> Span {
        let closing = self.tokens.list.get(self.at..).unwrap_or(&[]).iter();
        let end = closing
            .take_while(|t| t.kind != Kind::LeftDelim)
            .find(|t| t.kind == Kind::RightDelim);
        self.action = match end {
            Some(end) => delim.span.cover(end.span),
            None => {
                let rest = self.text.get(delim.span.range().start..).unwrap_or("");
                let line = rest.lines().next().unwrap_or("");
                Span::from_usize(delim.span.range().start, delim.span.range().start + line.len())
            }
        };
        self.action
    }

    fn program(&mut self) -> Parsed<Vec<Node<'a>>> {
        let mut nodes = Vec::new();
        loop {
            let token = self.token();
            if token.kind == Kind::Eof {
                return Ok(nodes);
            }
            if token.kind == Kind::LeftDelim {
                let start = self.at;
                self.at += 1;
                if self.next_solid().kind == Kind::Define {
                    self.at = start;
                    let delim = self.next();
                    self.enter_action(delim);
                    self.next_solid();
                    self.definition()?;
                    continue;
                }
                self.at = start;
            }
            match self.item()? {
                Item::Node(node) => nodes.push(node),
                Item::Closing(Closing::End, span) => return self.fail(span, "unexpected {{end}}"),
                Item::Closing(Closing::Else, span) => return self.fail(span, "unexpected {{else}}"),
            }
        }
    }

    fn definition(&mut self) -> Parsed<()> {
        const CONTEXT: &str = "define clause";
        let token = self.next_solid();
        let name = self.template_name(token, CONTEXT)?;
        self.expect(Kind::RightDelim, CONTEXT)?;
        self.named_body(token, name, CONTEXT)
    }

    /// Reads the nodes of a named template up to its `end` and adds it to the definitions.
    fn named_body(&mut self, at: Token, name: String, context: &str) -> Parsed<()> {
        let fresh = Scope {
            variables: vec!["$"],
            ranges: 0,
        };
        let outer = std::mem::replace(&mut self.scope, fresh);
        let (nodes, closing, span) = self.list()?;
        if matches!(closing, Closing::Else) {
            return self.fail(span, format!("unexpected {{{{else}}}} in {context}"));
        }
        self.scope = outer;
        // The file itself is a template too, named by the path it is read from, which is unknown here.
        if looks_like_path(&name) && !is_empty(&nodes, self.text) {
            return self.give_up(at.span, "a template may have the file's own name");
        }
        match self.definitions.get(&name) {
            Some(old) if !is_empty(old, self.text) => {
                if !is_empty(&nodes, self.text) {
                    let message = format!("template: multiple definition of template {}", quote(&name));
                    return self.fail(at.span, message);
                }
            }
            _ => {
                self.definitions.insert(name, nodes);
            }
        }
        Ok(())
    }

    fn template_name(&mut self, token: Token, context: &str) -> Parsed<String> {
        if !matches!(token.kind, Kind::String | Kind::RawString) {
            return self.unexpected(token, context);
        }
        match literal::unquote(self.slice(token)) {
            Some(Some(name)) => Ok(name),
            Some(None) => self.give_up(token.span, "a name that is not valid UTF-8 is not supported"),
            None => self.fail(token.span, "invalid syntax"),
        }
    }

    /// Nodes up to `end` or `else`.
    fn list(&mut self) -> Parsed<(Vec<Node<'a>>, Closing, Span)> {
        let mut nodes = Vec::new();
        while self.peek_solid().kind != Kind::Eof {
            match self.item()? {
                Item::Node(node) => nodes.push(node),
                Item::Closing(closing, span) => return Ok((nodes, closing, span)),
            }
        }
        self.fail(self.token().span, "unexpected EOF")
    }

    fn item(&mut self) -> Parsed<Item<'a>> {
        let token = self.next_solid();
        match token.kind {
            Kind::Text => Ok(Item::Node(Node::Text(token.span))),
            Kind::LeftDelim => {
                let span = self.enter_action(token);
                self.action_body(span)
            }
            _ => self.unexpected(token, "input"),
        }
    }

    fn action_body(&mut self, span: Span) -> Parsed<Item<'a>> {
        let token = self.peek_solid();
        self.at += 1;
        let node = match token.kind {
            Kind::Block => self.deeper(span, |p| p.block(span))?,
            Kind::Break | Kind::Continue => self.jump(token)?,
            Kind::Else => return self.else_clause(span),
            Kind::End => {
                self.expect(Kind::RightDelim, "end")?;
                return Ok(Item::Closing(Closing::End, span));
            }
            Kind::If => self.deeper(span, |p| p.branch(Control::If, span))?,
            Kind::With => self.deeper(span, |p| p.branch(Control::With, span))?,
            Kind::Range => self.deeper(span, |p| p.range(span))?,
            Kind::Template => self.call(span)?,
            _ => {
                self.at -= 1;
                Node::Action {
                    span,
                    pipe: self.pipeline("command", Kind::RightDelim)?,
                }
            }
        };
        Ok(Item::Node(node))
    }

    fn else_clause(&mut self, span: Span) -> Parsed<Item<'a>> {
        if !matches!(self.peek_solid().kind, Kind::If | Kind::With) {
            self.expect(Kind::RightDelim, "else")?;
        }
        Ok(Item::Closing(Closing::Else, span))
    }

    fn jump(&mut self, keyword: Token) -> Parsed<Node<'a>> {
        let (name, node) = match keyword.kind {
            Kind::Break => ("{{break}}", Node::Break),
            _ => ("{{continue}}", Node::Continue),
        };
        self.expect(Kind::RightDelim, name)?;
        if self.scope.ranges == 0 {
            return self.fail(keyword.span, format!("{name} outside {{{{range}}}}"));
        }
        Ok(node)
    }

    fn branch(&mut self, control: Control, span: Span) -> Parsed<Node<'a>> {
        let declared = self.scope.variables.len();
        let keyword = if control == Control::If {
            Kind::If
        } else {
            Kind::With
        };
        let mut arms = Vec::new();
        let mut span = span;
        let otherwise = loop {
            let pipe = self.pipeline(control.name(), Kind::RightDelim)?;
            let (body, closing, at) = self.list()?;
            arms.push(Arm { span, pipe, body });
            match closing {
                Closing::End => break Vec::new(),
                Closing::Else if self.token().kind == keyword => {
                    self.at += 1;
                    span = at;
                }
                Closing::Else => break self.otherwise()?,
            }
        };
        self.scope.variables.truncate(declared);
        Ok(Node::Branch {
            sets_dot: control == Control::With,
            arms,
            otherwise,
        })
    }

    fn range(&mut self, span: Span) -> Parsed<Node<'a>> {
        let declared = self.scope.variables.len();
        let pipe = self.pipeline(Control::Range.name(), Kind::RightDelim)?;
        self.scope.ranges += 1;
        let (body, closing, _) = self.list()?;
        self.scope.ranges -= 1;
        let otherwise = match closing {
            Closing::End => Vec::new(),
            Closing::Else => self.otherwise()?,
        };
        self.scope.variables.truncate(declared);
        Ok(Node::Range {
            span,
            pipe,
            body,
            otherwise,
        })
    }

    fn otherwise(&mut self) -> Parsed<Vec<Node<'a>>> {
        let (nodes, closing, span) = self.list()?;
        match closing {
            Closing::End => Ok(nodes),
            Closing::Else => self.fail(span, "expected end; found {{else}}"),
        }
    }

    fn block(&mut self, span: Span) -> Parsed<Node<'a>> {
        const CONTEXT: &str = "block clause";
        let token = self.next_solid();
        let name = self.template_name(token, CONTEXT)?;
        let pipe = self.pipeline(CONTEXT, Kind::RightDelim)?;
        self.named_body(token, name.clone(), CONTEXT)?;
        Ok(Node::Call {
            span,
            name,
            name_span: token.span,
            pipe: Some(pipe),
        })
    }

    fn call(&mut self, span: Span) -> Parsed<Node<'a>> {
        const CONTEXT: &str = "template clause";
        let token = self.next_solid();
        let name = self.template_name(token, CONTEXT)?;
        let mut pipe = None;
        if self.peek_solid().kind == Kind::RightDelim {
            self.at += 1;
        } else {
            pipe = Some(self.pipeline(CONTEXT, Kind::RightDelim)?);
        }
        Ok(Node::Call {
            span,
            name,
            name_span: token.span,
            pipe,
        })
    }
}

/// Whether a template contains only blanks; such a definition never replaces another.
fn is_empty(nodes: &[Node<'_>], text: &str) -> bool {
    nodes
        .iter()
        .all(|n| matches!(n, Node::Text(span) if span.slice(text).trim().is_empty()))
}

pub(super) fn looks_like_path(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.ends_with(".yaml") || lower.ends_with(".yml")
}
