//! Templates.

use super::super::EvalErrorKind;
use super::super::convert::convert;
use super::super::functions::BYTES_OF_STEP;
use super::super::known::Start;
use super::super::marks::Marks;
use super::super::ops::{derived, of_known};
use super::super::types::Type;
use super::super::value::{Data, Unknown, Value};
use super::{Evaluator, FAILED};
use crate::hcl::{Expr, Template, TemplatePart, TemplateParts};
use crate::text::Span;

impl Evaluator<'_> {
    pub(super) fn template(&mut self, template: Template<'_>, span: Span) -> Value {
        if let Some(inner) = template.as_wrapped() {
            return self.eval(inner);
        }
        self.parts(template.parts(), span)
    }

    pub(super) fn parts(&mut self, parts: TemplateParts<'_>, span: Span) -> Value {
        let mut joined = Joined::default();
        for part in parts.iter() {
            let before = joined.text.len();
            let (value, at) = match part {
                TemplatePart::Literal(text, _) => {
                    if !self.spend(text.len() / BYTES_OF_STEP, span) {
                        return self.broken(span, "a limit was reached");
                    }
                    joined.text.push_str(text);
                    continue;
                }
                TemplatePart::Interpolation(expr, at) => (self.eval(expr), at),
                TemplatePart::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    let at = condition.span();
                    let value = self.conditional(
                        condition,
                        span,
                        |e| e.parts(then, span),
                        |e| e.parts(otherwise, span),
                    );
                    (value, at)
                }
                TemplatePart::For {
                    key_var,
                    value_var,
                    collection,
                    body,
                } => (
                    self.for_directive(key_var, value_var, collection, body, span),
                    collection.span(),
                ),
            };
            if value.is_null() {
                self.error(
                    EvalErrorKind::Type,
                    at,
                    "The value is null, which cannot be part of a text.",
                );
                joined.fail(self.unknown_text(at));
                continue;
            }
            if let Some(unknown) = value.as_unknown()
                && (self.scope().is_exact() || !unknown.is_read)
            {
                // The engine checks whether it can be in a string once it knows the value.
                let mut unknown = unknown.clone();
                unknown.ty = Type::String;
                let text = Value::from(unknown).likely(value.heuristic);
                joined.add(&text.marked(value.marks));
                continue;
            }
            match convert(&value, &Type::String) {
                Ok(text) => joined.add(&text),
                Err(reason) => {
                    self.error(
                        EvalErrorKind::Type,
                        at,
                        format!("The value cannot be part of a text: {reason}."),
                    );
                    joined.fail(self.unknown_text(at));
                }
            }
            let added = joined.text.len().saturating_sub(before);
            if !self.spend(added / BYTES_OF_STEP, span) {
                return self.broken(span, "a limit was reached");
            }
        }
        joined.value()
    }

    pub(super) fn unknown_text(&self, span: Span) -> Unknown {
        Unknown {
            place: Some(self.place(span)),
            ..Unknown::new(FAILED, Type::String)
        }
    }

    pub(super) fn for_directive(
        &mut self,
        key_var: Option<&str>,
        value_var: &str,
        collection: Expr<'_>,
        body: TemplateParts<'_>,
        span: Span,
    ) -> Value {
        if self.in_parts {
            let message = "A directive `for` is not evaluated in a result of \"ternary\".";
            return self.error(EvalErrorKind::Call, span, message);
        }
        let source = self.eval(collection);
        let entries = match self.entries(&source, collection.span()) {
            Ok(entries) => entries,
            Err(value) => return value,
        };
        let mut joined = Joined::default();
        for (key, value) in entries {
            if !self.spend(1, span) {
                return self.broken(span, "a limit was reached");
            }
            let text = self.with_variables(key_var, value_var, key, value, |e| e.parts(body, span));
            joined.add(&text);
            if !self.spend(text.text_len() / BYTES_OF_STEP, span) {
                return self.broken(span, "a limit was reached");
            }
        }
        // If an entry is unknown, HCL does not collect the marks of the others.
        let is_known = joined.unknown.is_none();
        let marks = if is_known { joined.marks } else { Marks::NONE };
        let text = Joined {
            marks: Marks::NONE,
            ..joined
        };
        text.whole().marked(source.marks | marks)
    }
}

/// Text concatenated from parts, unknown once one of them is.
#[derive(Default)]
struct Joined {
    text: String,
    unknown: Option<Unknown>,
    /// Whether there is more than one.
    is_mixed: bool,
    /// How much of the text is before it.
    before: usize,
    heuristic: bool,
    marks: Marks,
}

impl Joined {
    fn add(&mut self, part: &Value) {
        self.heuristic |= part.heuristic;
        self.marks = self.marks | part.marks;
        match &part.data {
            Data::String(text) => self.text.push_str(text),
            Data::Unknown(_) if self.unknown.is_some() => self.is_mixed = true,
            Data::Unknown(unknown) => {
                self.before = self.text.len();
                self.unknown = Some((**unknown).clone());
            }
            _ => {}
        }
    }

    fn fail(&mut self, unknown: Unknown) {
        self.is_mixed |= self.unknown.is_some();
        self.unknown.get_or_insert(unknown);
    }

    fn value(self) -> Value {
        let start = Start::of_template(self.text.get(..self.before).unwrap_or(""));
        self.with(start)
    }

    /// The same for a directive: the engine treats its result as a whole.
    fn whole(self) -> Value {
        self.with(Start::full(""))
    }

    fn with(self, start: Start) -> Value {
        match self.unknown {
            Some(unknown) => {
                let known = match unknown.known.is_shared() {
                    true => start.known(),
                    false => start.of_open(),
                };
                // If it is the only part, it is the string.
                let symbol = unknown.symbol.filter(|_| !self.is_mixed && self.text.is_empty());
                let mut whole = derived(&unknown, Type::String, self.heuristic);
                if let Data::Unknown(whole) = &mut whole.data {
                    whole.symbol = symbol;
                }
                of_known(whole, known)
            }
            None => Value::string(&self.text).likely(self.heuristic),
        }
        .marked(self.marks)
    }
}
