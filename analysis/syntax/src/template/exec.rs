//! Runs a parsed template.

use super::ast::{Arm, Command, Node, Operand, Pipe, Program, Term};
use super::format::{self, quote};
use super::funcs::{self, Failed};
use super::map::Writer;
use super::parse::looks_like_path;
use super::value::{Data, Value};
use super::{Stage, Stop, TemplateError};
use crate::text::Span;
use std::borrow::Cow;
use std::rc::Rc;

/// How many nodes, commands and words a run may visit; long strings count more than once.
const MAX_STEPS: usize = 1_000_000;
/// How long the rendered text may get, in bytes.
const MAX_OUTPUT: usize = 64 << 20;
/// How deep nodes, templates and parentheses may be entered.
const MAX_DEPTH: usize = 400;
/// How many bytes of a computed string count as one step.
const BYTES_PER_STEP: usize = 64;

type Run<T> = Result<T, Stop>;

pub(super) fn run(text: &str, program: &Program<'_>, data: &Data<'_>) -> Run<Writer> {
    let mut exec = Exec {
        text,
        program,
        data,
        variables: vec![("$", Value::Data)],
        out: Writer::default(),
        action: Span::default(),
        steps: 0,
        depth: 0,
    };
    exec.nodes(&Value::Data, &program.root)?;
    Ok(exec.out)
}

/// How a list of nodes ended.
#[derive(Clone, Copy, PartialEq)]
enum Flow {
    On,
    Break,
    Continue,
}

/// The type that a function requires of an argument.
#[derive(Clone, Copy, PartialEq)]
enum Want {
    Any,
    Text,
}

struct Exec<'r, 't> {
    text: &'t str,
    program: &'r Program<'t>,
    data: &'r Data<'r>,
    /// Declared variables, the innermost last.
    variables: Vec<(&'t str, Value)>,
    out: Writer,
    action: Span,
    steps: usize,
    depth: usize,
}

impl<'r, 't> Exec<'r, 't> {
    fn fail<T>(&self, span: Span, message: impl Into<String>) -> Run<T> {
        let message = message.into();
        Err(Stop::Error(TemplateError {
            span,
            action: self.action,
            stage: Stage::Render,
            message,
        }))
    }

    fn give_up<T>(&self, span: Span, reason: &'static str) -> Run<T> {
        Err(Stop::CannotAnalyse { span, reason })
    }

    fn count(&mut self, span: Span, steps: usize) -> Run<()> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > MAX_STEPS {
            return self.give_up(span, "it runs for too long (limit)");
        }
        Ok(())
    }

    fn deeper<T>(&mut self, span: Span, inner: impl FnOnce(&mut Self) -> Run<T>) -> Run<T> {
        if self.depth >= MAX_DEPTH {
            return self.give_up(span, "it calls itself too deeply (limit)");
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn emit(&mut self, span: Span, text: Option<&str>) -> Run<()> {
        match text {
            Some(text) => self.out.write(text, span),
            None => self.out.copy(self.text, span),
        }
        if self.out.text.len() > MAX_OUTPUT {
            return self.give_up(span, "its output is too long (limit)");
        }
        Ok(())
    }

    fn nodes(&mut self, dot: &Value, nodes: &'r [Node<'t>]) -> Run<Flow> {
        for node in nodes {
            let flow = self.node(dot, node)?;
            if flow != Flow::On {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    fn node(&mut self, dot: &Value, node: &'r Node<'t>) -> Run<Flow> {
        match node {
            Node::Text(span) => {
                self.count(*span, 1 + span.range().len() / BYTES_PER_STEP)?;
                self.emit(*span, None)?;
            }
            Node::Action { span, pipe } => {
                self.action = *span;
                let value = self.pipeline(dot, pipe)?;
                if pipe.variables.is_empty() {
                    let shown = match &value {
                        Value::Nil => "<no value>".into(),
                        value => format::plain(value, self.data),
                    };
                    self.count(*span, shown.len() / BYTES_PER_STEP)?;
                    self.emit(*span, Some(&shown))?;
                }
            }
            Node::Branch {
                sets_dot,
                arms,
                otherwise,
            } => {
                let declared = self.variables.len();
                let at = arms.first().map_or(self.action, |a| a.span);
                let flow = self.deeper(at, |e| e.branch(dot, *sets_dot, arms, otherwise))?;
                self.variables.truncate(declared);
                return Ok(flow);
            }
            Node::Range {
                span,
                pipe,
                body,
                otherwise,
            } => {
                let declared = self.variables.len();
                self.action = *span;
                let flow = self.deeper(*span, |e| e.range(dot, pipe, body, otherwise))?;
                self.variables.truncate(declared);
                return Ok(flow);
            }
            Node::Call {
                span,
                name,
                name_span,
                pipe,
            } => {
                self.action = *span;
                self.deeper(*span, |e| e.call(dot, name, *name_span, pipe.as_ref()))?;
            }
            Node::Break => return Ok(Flow::Break),
            Node::Continue => return Ok(Flow::Continue),
        }
        Ok(Flow::On)
    }

    fn branch(
        &mut self,
        dot: &Value,
        sets_dot: bool,
        arms: &'r [Arm<'t>],
        otherwise: &'r [Node<'t>],
    ) -> Run<Flow> {
        for arm in arms {
            self.action = arm.span;
            let value = self.pipeline(dot, &arm.pipe)?;
            if value.is_true() {
                return self.nodes(if sets_dot { &value } else { dot }, &arm.body);
            }
        }
        self.nodes(dot, otherwise)
    }

    fn range(
        &mut self,
        dot: &Value,
        pipe: &'r Pipe<'t>,
        body: &'r [Node<'t>],
        otherwise: &'r [Node<'t>],
    ) -> Run<Flow> {
        let value = self.pipeline(dot, pipe)?;
        let (end, element): (i64, fn(i64) -> Value) = match value {
            Value::Nil => (0, Value::Int),
            Value::Int(n) => (n, Value::Int),
            Value::Byte(n) => (i64::from(n), |i| Value::Byte(u8::try_from(i).unwrap_or(u8::MAX))),
            value => {
                let shown = format::plain(&value, self.data);
                return self.fail(pipe.span, format!("range can't iterate over {shown}"));
            }
        };
        if pipe.variables.len() > 1 && !matches!(value, Value::Nil) {
            let message = format!("can't use {end} to iterate over more than one variable");
            return self.fail(pipe.span, message);
        }
        let declared = self.variables.len();
        for i in 0..end {
            self.count(pipe.span, 1)?;
            if let Some(name) = pipe.variables.first() {
                if pipe.assigns {
                    self.assign(pipe.span, name, element(i))?;
                } else if let Some((_, top)) = self.variables.last_mut() {
                    *top = element(i);
                }
            }
            let flow = self.nodes(&element(i), body)?;
            self.variables.truncate(declared);
            if flow == Flow::Break {
                break;
            }
        }
        if end > 0 {
            Ok(Flow::On)
        } else {
            self.nodes(dot, otherwise)
        }
    }

    fn call(&mut self, dot: &Value, name: &str, at: Span, pipe: Option<&'r Pipe<'t>>) -> Run<()> {
        let Some(nodes) = self.program.definitions.get(name) else {
            if looks_like_path(name) {
                return self.give_up(at, "a template may have the file's own name");
            }
            return self.fail(at, format!("template {} not defined", quote(name)));
        };
        let dot = match pipe {
            Some(pipe) => self.pipeline(dot, pipe)?,
            None => Value::Nil,
        };
        let outer = std::mem::replace(&mut self.variables, vec![("$", dot.clone())]);
        self.nodes(&dot, nodes)?;
        self.variables = outer;
        Ok(())
    }

    fn assign(&mut self, span: Span, name: &str, value: Value) -> Run<()> {
        match self.variables.iter_mut().rev().find(|(n, _)| *n == name) {
            Some((_, slot)) => {
                *slot = value;
                Ok(())
            }
            None => self.fail(span, format!("undefined variable: {name}")),
        }
    }

    fn pipeline(&mut self, dot: &Value, pipe: &'r Pipe<'t>) -> Run<Value> {
        self.count(pipe.span, 1)?;
        let mut value = None;
        for command in &pipe.commands {
            value = Some(self.command(dot, command, value)?);
        }
        let value = value.unwrap_or(Value::Nil);
        for name in &pipe.variables {
            if pipe.assigns {
                self.assign(pipe.span, name, value.clone())?;
            } else {
                self.variables.push((name, value.clone()));
            }
        }
        Ok(value)
    }

    /// Runs a command; `last` is the result of the previous command in the pipeline.
    fn command(&mut self, dot: &Value, command: &'r Command<'t>, last: Option<Value>) -> Run<Value> {
        let Some((first, args)) = command.words.split_first() else {
            return self.give_up(command.span, "an empty command");
        };
        let alone = args.is_empty() && last.is_none();
        match &first.kind {
            Term::Function(name) => return self.function(dot, name, command.span, args, last),
            Term::Field(names) => return self.fields(first.span, dot.clone(), names, alone),
            Term::Chain(inner, names) => {
                let value = self.value(dot, inner)?;
                return self.fields(first.span, value, names, alone);
            }
            Term::Variable(name, names) if !names.is_empty() => {
                let value = self.variable(first.span, name)?;
                return self.fields(first.span, value, names, alone);
            }
            _ => {}
        }
        if !alone {
            let written = first.span.slice(self.text);
            return self.fail(
                first.span,
                format!("can't give argument to non-function {written}"),
            );
        }
        if matches!(first.kind, Term::Nil) {
            return self.fail(first.span, "nil is not a command");
        }
        self.value(dot, first)
    }

    /// The value of a word that takes no arguments.
    fn value(&mut self, dot: &Value, word: &'r Operand<'t>) -> Run<Value> {
        self.count(word.span, 1)?;
        match &word.kind {
            Term::Dot => Ok(dot.clone()),
            Term::Nil => Ok(Value::Nil),
            Term::Bool(b) => Ok(Value::Bool(*b)),
            Term::Int(i) => Ok(Value::Int(*i)),
            Term::Float(f) => Ok(Value::Float(*f)),
            Term::TooLarge => self.fail(word.span, format!("{} overflows int", word.span.slice(self.text))),
            Term::Text(t) => Ok(Value::Text(Rc::from(t.as_str()))),
            Term::Opaque(reason) => self.give_up(word.span, reason),
            Term::Field(names) => self.fields(word.span, dot.clone(), names, true),
            Term::Variable(name, names) => {
                let value = self.variable(word.span, name)?;
                self.fields(word.span, value, names, true)
            }
            Term::Function(name) => self.function(dot, name, word.span, &[], None),
            Term::Pipe(pipe) => self.deeper(word.span, |e| e.pipeline(dot, pipe)),
            Term::Chain(inner, names) => {
                let value = self.deeper(word.span, |e| e.value(dot, inner))?;
                self.fields(word.span, value, names, true)
            }
        }
    }

    fn variable(&self, span: Span, name: &str) -> Run<Value> {
        match self.variables.iter().rev().find(|(n, _)| *n == name) {
            Some((_, value)) => Ok(value.clone()),
            None => self.fail(span, format!("undefined variable: {name}")),
        }
    }

    /// Reads fields of a value; `alone` says that no argument is given to the last of them.
    fn fields(&self, span: Span, mut value: Value, names: &[&str], alone: bool) -> Run<Value> {
        for (i, name) in names.iter().enumerate() {
            value = match value {
                Value::Nil => return self.fail(span, format!("nil data; no entry for key {}", quote(name))),
                Value::Data => match self.data.field(name) {
                    Some(_) if !alone && i + 1 == names.len() => {
                        let message = format!("{name} has arguments but cannot be invoked as function");
                        return self.fail(span, message);
                    }
                    Some(text) => Value::Text(Rc::from(text)),
                    None => return self.no_field(span, name, &Value::Data),
                },
                other => return self.no_field(span, name, &other),
            };
        }
        Ok(value)
    }

    fn no_field<T>(&self, span: Span, name: &str, value: &Value) -> Run<T> {
        let type_name = value.type_name(self.data);
        self.fail(span, format!("can't evaluate field {name} in type {type_name}"))
    }

    fn function(
        &mut self,
        dot: &Value,
        name: &str,
        span: Span,
        args: &'r [Operand<'t>],
        last: Option<Value>,
    ) -> Run<Value> {
        let Some(signature) = funcs::signature(name) else {
            return self.fail(span, format!("{} is not a defined function", quote(name)));
        };
        let given = args.len() + usize::from(last.is_some());
        if signature.variadic && given < signature.least {
            let (least, got) = (signature.least, args.len());
            let message = format!("wrong number of args for {name}: want at least {least} got {got}");
            return self.fail(span, message);
        }
        if !signature.variadic && given != signature.least {
            let message = format!(
                "wrong number of args for {name}: want {} got {given}",
                signature.least
            );
            return self.fail(span, message);
        }
        if name == "and" || name == "or" {
            return self.short_circuit(dot, name == "or", args, last);
        }
        let mut values = Vec::with_capacity(given);
        for (i, word) in args.iter().enumerate() {
            let want = if i == 0 && signature.text_first {
                Want::Text
            } else {
                Want::Any
            };
            values.push(self.argument(dot, want, word)?);
        }
        if let Some(last) = last {
            if args.is_empty() && signature.text_first {
                self.check_text(span, &last)?;
            }
            values.push(last);
        }
        if name == "call" {
            return self.fail(span, self.not_callable(args.first(), values.first()));
        }
        let result = funcs::call(name, &values, self.data);
        if let Ok(Value::Text(text)) = &result {
            self.count(span, text.len() / BYTES_PER_STEP)?;
        }
        match result {
            Ok(value) => Ok(value),
            Err(Failed::Error(message)) => self.fail(span, format!("error calling {name}: {message}")),
            Err(Failed::Unknown(reason)) => self.give_up(span, reason),
        }
    }

    /// Go's message for `call`: none of the values that a template can have here is a function. Go names what is
    /// written, without its parentheses; of a value that comes through a pipe, its content if it is a text.
    fn not_callable(&self, word: Option<&Operand<'t>>, value: Option<&Value>) -> String {
        let Some(value) = value.filter(|value| !matches!(value, Value::Nil)) else {
            return "error calling call: call of nil".into();
        };
        let type_name = value.type_name(self.data);
        let named: Cow<'_, str> = match (word.map(|word| (&word.kind, word.span)), value) {
            (Some((Term::Pipe(pipe), _)), _) => pipe.span.slice(self.text).trim().into(),
            (Some((_, span)), _) => span.slice(self.text).into(),
            (None, Value::Text(text)) => text.as_ref().into(),
            (None, _) => format!("<{type_name} Value>").into(),
        };
        format!("error calling call: non-function {named} of type {type_name}")
    }

    fn short_circuit(
        &mut self,
        dot: &Value,
        stops_at: bool,
        args: &'r [Operand<'t>],
        last: Option<Value>,
    ) -> Run<Value> {
        let mut value = Value::Nil;
        for word in args {
            value = self.argument(dot, Want::Any, word)?;
            if value.is_true() == stops_at {
                return Ok(value);
            }
        }
        Ok(last.unwrap_or(value))
    }

    fn argument(&mut self, dot: &Value, want: Want, word: &'r Operand<'t>) -> Run<Value> {
        if want == Want::Any {
            return self.value(dot, word);
        }
        match &word.kind {
            Term::Nil => self.fail(word.span, "cannot assign nil to string"),
            Term::Bool(_) | Term::Int(_) | Term::Float(_) | Term::TooLarge => {
                let written = word.span.slice(self.text);
                self.fail(word.span, format!("expected string; found {written}"))
            }
            _ => {
                let value = self.value(dot, word)?;
                self.check_text(word.span, &value)?;
                Ok(value)
            }
        }
    }

    fn check_text(&self, span: Span, value: &Value) -> Run<()> {
        match value {
            Value::Text(_) => Ok(()),
            Value::Nil => self.fail(span, "invalid value; expected string"),
            value => {
                let got = value.type_name(self.data);
                self.fail(span, format!("wrong type for value; expected string; got {got}"))
            }
        }
    }
}
