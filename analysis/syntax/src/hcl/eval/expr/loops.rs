//! Objects and `for`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::EvalErrorKind;
use super::super::convert::convert;
use super::super::marks::Marks;
use super::super::number::Number;
use super::super::ops::derived;
use super::super::types::Type;
use super::super::value::{Data, Unknown, Value};
use super::steps::is_traversal;
use super::{Evaluator, FAILED};
use crate::hcl::{Expr, For, Object, ObjectKey};
use crate::text::Span;

/// Whether a condition is true, and whether that is only likely; else the value of what depends on it.
pub(super) type Condition = Result<(bool, bool), Value>;

impl Evaluator<'_> {
    pub(super) fn object(&mut self, object: Object<'_>) -> Value {
        let mut values = BTreeMap::new();
        let mut unknown = None;
        let mut marks = Marks::NONE;
        for item in object.items() {
            let key = match item.key {
                ObjectKey::Name(name, _) => Some(Arc::from(name)),
                ObjectKey::Expr(expr) => self.object_key(expr, &mut unknown, &mut marks),
            };
            let value = self.eval(item.value);
            if let Some(key) = key {
                values.insert(key, value);
            }
        }
        unknown.unwrap_or_else(|| Value::object(values).marked(marks))
    }

    /// The key of an object's item; `None`, with `unknown` set, if it cannot be known. Its marks are added to
    /// `marks`.
    fn object_key(
        &mut self,
        expr: Expr<'_>,
        unknown: &mut Option<Value>,
        marks: &mut Marks,
    ) -> Option<Arc<str>> {
        let span = expr.span();
        if is_traversal(expr) {
            let message = "A key that is not a single word is ambiguous: quote it or put it in parentheses.";
            unknown.get_or_insert(self.error(EvalErrorKind::Type, span, message));
            return None;
        }
        let value = self.eval(expr);
        *marks = *marks | value.marks;
        match self.text_key(&value, span) {
            Ok(text) => Some(text),
            Err(value) => {
                unknown.get_or_insert(value);
                None
            }
        }
    }

    /// A value as a key of an object.
    pub(super) fn text_key(&mut self, value: &Value, span: Span) -> Result<Arc<str>, Value> {
        if value.is_null() {
            return Err(self.error(EvalErrorKind::Type, span, "A null value cannot be used as a key."));
        }
        match convert(value, &Type::String) {
            Ok(Value {
                data: Data::String(text),
                ..
            }) => Ok(text),
            Ok(other) => Err(match other.as_unknown() {
                Some(unknown) => {
                    // It may be equal to another.
                    self.depends_on(Some(unknown), span);
                    derived(unknown, Type::Dynamic, other.heuristic)
                }
                None => self.broken(span, "the key is not a string"),
            }),
            Err(reason) => Err(self.error(
                EvalErrorKind::Type,
                span,
                format!("The value cannot be used as a key: {reason}."),
            )),
        }
    }

    /// The keys and values of a value that can be iterated; else the value of an expression that tries to.
    pub(super) fn entries(&mut self, source: &Value, span: Span) -> Result<Vec<(Value, Value)>, Value> {
        let likely = source.heuristic;
        self.depends_on(source.as_unknown(), span);
        match &source.data {
            Data::Null(_) => Err(self.error(EvalErrorKind::Type, span, "A null value is not iterable.")),
            Data::Unknown(unknown) => match unknown.ty {
                Type::Bool | Type::Number | Type::String => Err(self.not_iterable(source, span)),
                _ => Err(derived(unknown, Type::Dynamic, likely)),
            },
            Data::Tuple(items) | Data::List(items, _) => {
                let all = items.values().iter().enumerate();
                Ok(all
                    .map(|(i, v)| (Value::number(Number::count(i)), v.clone().likely(likely)))
                    .collect())
            }
            Data::Set(items, _) => Ok(items
                .values()
                .iter()
                .map(|v| (v.clone().likely(likely), v.clone().likely(likely)))
                .collect()),
            Data::Object(fields) | Data::Map(fields, _) => {
                let all = fields.values().iter();
                Ok(all
                    .map(|(k, v)| (Data::String(Arc::clone(k)).into(), v.clone().likely(likely)))
                    .collect())
            }
            _ => Err(self.not_iterable(source, span)),
        }
    }

    pub(super) fn not_iterable(&mut self, source: &Value, span: Span) -> Value {
        let message = format!("A value of type {} is not iterable.", source.type_name());
        self.error(EvalErrorKind::Type, span, message)
    }

    pub(super) fn with_variables<T>(
        &mut self,
        key_var: Option<&str>,
        value_var: &str,
        key: Value,
        value: Value,
        run: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = self.locals.len();
        if let Some(name) = key_var {
            self.bind(name, key);
        }
        self.bind(value_var, value);
        let result = run(self);
        self.locals.truncate(before);
        result
    }

    /// The marks of the condition of a `for`. Its errors are recorded too.
    fn of_condition(&mut self, expr: Expr<'_>) -> Marks {
        let mut marks = Marks::NONE;
        // Its value is evaluated for each entry.
        let _ = self.filter(None, expr, &mut marks);
        marks
    }

    /// The condition of `? :`, whose type is only checked once it is known; and its marks, `None` if it is not a
    /// condition.
    pub(super) fn condition_of_arms(&mut self, expr: Expr<'_>) -> (Condition, Option<Marks>) {
        let span = expr.span();
        let value = self.eval(expr);
        self.may_not_convert(&value, &Type::Bool, span);
        self.depends_on(
            value.as_unknown().filter(|unknown| unknown.ty == Type::String),
            span,
        );
        let condition = match value.as_unknown() {
            Some(unknown) => Err(derived(unknown, Type::Dynamic, value.heuristic)),
            None => self.holds(&value, span),
        };
        let is_rejected = value.as_unknown().is_none() && condition.as_ref().is_err_and(Self::has_failed);
        (condition, (!is_rejected).then_some(value.marks))
    }

    fn holds(&mut self, value: &Value, span: Span) -> Condition {
        if value.is_null() {
            return Err(self.error(EvalErrorKind::Type, span, "The condition is null."));
        }
        match convert(value, &Type::Bool) {
            Ok(Value {
                data: Data::Bool(holds),
                heuristic,
                ..
            }) => Ok((holds, heuristic)),
            Ok(other) => Err(match other.as_unknown() {
                Some(unknown) => derived(unknown, Type::Dynamic, other.heuristic),
                None => self.broken(span, "the condition is not a boolean"),
            }),
            Err(reason) => Err(self.error(
                EvalErrorKind::Type,
                span,
                format!("The condition is not valid: {reason}."),
            )),
        }
    }

    /// What a check gives, without its errors if something unknown has made the result unknown already.
    fn unless_unknown<T>(
        &mut self,
        before: Option<&Value>,
        check: impl FnOnce(&mut Self) -> Result<T, Value>,
    ) -> Result<T, Value> {
        let is_silent = |unknown: &Unknown| unknown.known.is_shared() && *unknown.why != *FAILED;
        let Some(before) = before.filter(|before| before.as_unknown().is_some_and(is_silent)) else {
            return check(self);
        };
        let (result, found) = self.attempt(check);
        match found.errors.is_empty() {
            true => {
                self.note(found);
                result
            }
            false => Err(before.clone()),
        }
    }

    /// The condition of a `for`. If it is evaluated in parts, it is not converted. Its marks are added to `marks`.
    /// `before` is what made the result unknown already: then HCL no longer reports a condition that is not valid.
    fn filter(&mut self, before: Option<&Value>, expr: Expr<'_>, marks: &mut Marks) -> Condition {
        let value = self.eval(expr);
        *marks = *marks | value.marks;
        self.unless_unknown(before, |e| e.filtered(&value, expr.span()))
    }

    fn filtered(&mut self, value: &Value, span: Span) -> Condition {
        if self.in_parts && value.as_unknown().is_none() && value.as_bool().is_none() {
            let message = format!("The condition is not a bool but {}.", value.type_name());
            return Err(self.error(EvalErrorKind::Type, span, message));
        }
        self.holds(value, span)
    }

    pub(super) fn for_expression(&mut self, node: For<'_>, span: Span) -> Value {
        let collection = node.collection();
        let source = self.eval(collection);
        let errors = self.error_count();
        let entries = self.entries(&source, collection.span());
        let is_typed = source
            .as_unknown()
            .is_none_or(|unknown| unknown.ty != Type::Dynamic);
        if node.key().is_some() && !node.groups() {
            // A key may be duplicated.
            self.may_fail(source.as_unknown(), collection.span());
        }
        if let Err(value) = &entries
            && (!is_typed || self.error_count() > errors)
        {
            return value.clone();
        }
        let mut of_condition = Marks::NONE;
        if let Some(condition) = node.condition().filter(|_| !self.in_parts) {
            // HCL tests the condition even if the collection is empty.
            let any = self.any_entry(Type::Dynamic);
            let (key, value) = (any.clone(), any);
            let (marks, found) = self.attempt(|e| {
                e.with_variables(node.key_var(), node.value_var(), key, value, |e| {
                    e.of_condition(condition)
                })
            });
            of_condition = marks;
            if !found.errors.is_empty() {
                self.note(found);
                return self.broken(span, FAILED);
            }
        }
        let entries = match entries {
            Ok(entries) => entries,
            Err(value) => return value.marked(source.marks | of_condition),
        };
        match node.key() {
            Some(key) => self.for_object(node, key, entries, span),
            None => self.for_tuple(node, entries, span),
        }
        .marked(source.marks)
    }

    pub(super) fn for_tuple(&mut self, node: For<'_>, entries: Vec<(Value, Value)>, span: Span) -> Value {
        let mut values = Vec::new();
        let mut unknown = None;
        let mut likely = false;
        let mut marks = Marks::NONE;
        for (key, value) in entries {
            if !self.spend(1, span) {
                return self.broken(span, "a limit was reached");
            }
            let result = self.with_variables(node.key_var(), node.value_var(), key, value, |e| {
                let before = unknown.as_ref();
                match node.condition().map(|c| e.filter(before, c, &mut marks)) {
                    Some(Err(value)) => Err(value),
                    Some(Ok((false, heuristic))) => Ok((None, heuristic)),
                    Some(Ok((true, heuristic))) => Ok((Some(e.eval(node.value())), heuristic)),
                    None => Ok((Some(e.eval(node.value())), false)),
                }
            });
            match result {
                Ok((value, heuristic)) => {
                    likely |= heuristic;
                    values.extend(value);
                }
                Err(value) => {
                    unknown.get_or_insert(value);
                }
            }
        }
        let value = unknown.unwrap_or_else(|| Value::tuple(values).likely(likely));
        value.marked(marks)
    }

    pub(super) fn for_object(
        &mut self,
        node: For<'_>,
        key_expr: Expr<'_>,
        entries: Vec<(Value, Value)>,
        span: Span,
    ) -> Value {
        let mut groups: BTreeMap<Arc<str>, Vec<Value>> = BTreeMap::new();
        let mut unknown = None;
        let mut likely = false;
        let mut marks = Marks::NONE;
        for (key, value) in entries {
            if !self.spend(1, span) {
                return self.broken(span, "a limit was reached");
            }
            let result = self.with_variables(node.key_var(), node.value_var(), key, value, |e| {
                let mut heuristic = false;
                if let Some(condition) = node.condition() {
                    let (holds, guessed) = e.filter(unknown.as_ref(), condition, &mut marks)?;
                    heuristic = guessed;
                    if !holds {
                        return Ok((None, heuristic));
                    }
                }
                let key = e.eval(key_expr);
                heuristic |= key.heuristic;
                marks = marks | key.marks;
                if e.in_parts && key.as_unknown().is_none() && key.as_str().is_none() {
                    let message = "The key is not a string.";
                    return Err(e.error(EvalErrorKind::Type, key_expr.span(), message));
                }
                let key = e.unless_unknown(unknown.as_ref(), |e| e.text_key(&key, key_expr.span()))?;
                Ok((Some((key, e.eval(node.value()))), heuristic))
            });
            match result {
                Ok((entry, heuristic)) => {
                    likely |= heuristic;
                    if let Some((key, value)) = entry {
                        let group = groups.entry(Arc::clone(&key)).or_default();
                        if self.in_parts {
                            // The last one is kept, even if they would be grouped.
                            group.clear();
                        } else if !group.is_empty() && !node.groups() {
                            let message = format!(
                                "Two items of this `for` have the key \"{key}\"; `...` after the value would group them."
                            );
                            // The engine keeps the first one, and goes on.
                            self.error(EvalErrorKind::Duplicate, key_expr.span(), message);
                            continue;
                        }
                        group.push(value);
                    }
                }
                Err(value) => {
                    unknown.get_or_insert(value);
                }
            }
        }
        if let Some(unknown) = unknown {
            return unknown.marked(marks);
        }
        let in_parts = self.in_parts;
        let values = groups.into_iter().filter_map(|(key, mut group)| {
            let value = if node.groups() && !in_parts {
                Value::tuple(group)
            } else {
                group.pop()?
            };
            Some((key, value))
        });
        Value::object(values.collect()).likely(likely).marked(marks)
    }
}
