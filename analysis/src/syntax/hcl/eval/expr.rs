//! The walk over expressions. Recursion is bounded by the budget's depth; what can be long without being
//! deep (chains of operators and of steps) is walked in loops.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::convert::convert;
use super::functions;
use super::number::Number;
use super::ops::{self, derived, get_attr, index};
use super::scope::{FunctionRef, Lookup, Scope, Step, StepKind, Traversal};
use super::types::{Type, unify};
use super::value::{Data, Place, Unknown, Value};
use super::{Budget, EvalError, EvalErrorKind};
use crate::syntax::hcl::{
    BinaryOp, Call, Expr, ExprKind, For, Object, ObjectKey, Template, TemplatePart, TemplateParts, UnaryOp,
};
use crate::syntax::text::Span;

/// The state of one evaluation.
pub(super) struct Evaluator<'s> {
    scope: &'s dyn Scope,
    pub(super) budget: &'s Budget,
    file: u32,
    /// Variables of `for`, innermost last.
    locals: Vec<(Arc<str>, Value)>,
    /// Entries of the splats around, innermost last.
    splat_items: Vec<Value>,
    errors: Vec<EvalError>,
    limit_reported: bool,
}

impl<'s> Evaluator<'s> {
    pub(super) fn new(scope: &'s dyn Scope, budget: &'s Budget, file: u32) -> Self {
        Self {
            scope,
            budget,
            file,
            locals: Vec::new(),
            splat_items: Vec::new(),
            errors: Vec::new(),
            limit_reported: false,
        }
    }

    pub(super) fn error_count(&self) -> usize {
        self.errors.len()
    }

    pub(super) fn into_errors(self) -> Vec<EvalError> {
        self.errors
    }

    pub(super) fn bind(&mut self, name: &str, value: Value) {
        self.locals.push((name.into(), value));
    }

    pub(super) fn scope(&self) -> &'s dyn Scope {
        self.scope
    }

    pub(super) fn place(&self, span: Span) -> Place {
        Place {
            file: self.file,
            span,
        }
    }

    /// Notes an error; the value of what has one is unknown.
    pub(super) fn error(&mut self, kind: EvalErrorKind, span: Span, message: impl Into<String>) -> Value {
        let place = self.place(span);
        self.errors.push(EvalError {
            kind,
            place,
            message: message.into(),
        });
        self.broken(span, "it has an error")
    }

    fn broken(&self, span: Span, why: &str) -> Value {
        let place = self.place(span);
        let unknown = Unknown {
            why: why.into(),
            place: Some(place),
            ty: Type::Dynamic,
            symbol: None,
        };
        Value::from(Data::Unknown(unknown)).at(place)
    }

    /// Takes steps from the budget; false, with the limit noted once, if there are no more.
    pub(super) fn spend(&mut self, steps: usize, span: Span) -> bool {
        if self.budget.spend(u64::try_from(steps).unwrap_or(u64::MAX)) {
            return true;
        }
        self.limit(span, "the expression takes too many steps to evaluate");
        false
    }

    fn limit(&mut self, span: Span, message: &str) -> Value {
        if !std::mem::replace(&mut self.limit_reported, true) {
            let place = self.place(span);
            self.errors.push(EvalError {
                kind: EvalErrorKind::Limit,
                place,
                message: message.to_owned(),
            });
        }
        self.broken(span, "a limit was reached")
    }

    /// Evaluates aside: gives the errors instead of noting them, except for limits.
    pub(super) fn attempt<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> (T, Vec<EvalError>) {
        let before = std::mem::take(&mut self.errors);
        let result = run(self);
        let mut found = std::mem::replace(&mut self.errors, before);
        let (limits, found_here) = found.drain(..).partition(|e| e.kind == EvalErrorKind::Limit);
        self.errors.extend::<Vec<EvalError>>(limits);
        (result, found_here)
    }

    pub(super) fn note(&mut self, errors: Vec<EvalError>) {
        self.errors.extend(errors);
    }

    pub(super) fn eval(&mut self, expr: Expr<'_>) -> Value {
        let span = expr.span();
        if !self.budget.enter() {
            self.budget.leave();
            return self.limit(span, "the expression is nested too deep to evaluate");
        }
        let value = if self.spend(1, span) {
            self.dispatch(expr, span)
        } else {
            self.broken(span, "a limit was reached")
        };
        self.budget.leave();
        let place = self.place(span);
        value.or_at(place)
    }

    fn dispatch(&mut self, expr: Expr<'_>, span: Span) -> Value {
        match expr.kind() {
            ExprKind::Null => Value::null(),
            ExprKind::Bool(value) => Value::bool(value),
            ExprKind::Number(text) => match Number::parse(text) {
                Some(number) => Value::number(number),
                None => ops::arithmetic(None),
            },
            ExprKind::Template(template) => self.template(template, span),
            ExprKind::Tuple(entries) => {
                let values = entries.iter().map(|entry| self.eval(entry)).collect();
                Value::tuple(values)
            }
            ExprKind::Object(object) => self.object(object),
            ExprKind::For(node) => self.for_expression(node, span),
            ExprKind::Call(call) => self.call(call, span),
            ExprKind::Variable(_)
            | ExprKind::GetAttr { .. }
            | ExprKind::LegacyIndex { .. }
            | ExprKind::Index { .. }
            | ExprKind::SplatItem => self.chain(expr),
            ExprKind::Splat { source, each, .. } => self.splat(source, each, span),
            ExprKind::Unary { op, operand } => self.unary(op, operand, span),
            ExprKind::Binary { .. } => self.operators(expr),
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => self.conditional(condition, span, |e| e.eval(then), |e| e.eval(otherwise)),
            ExprKind::Paren(inner) => self.eval(inner),
            ExprKind::Broken => self.broken(span, "it could not be read"),
        }
    }

    // --- templates

    fn template(&mut self, template: Template<'_>, span: Span) -> Value {
        if let Some(inner) = template.as_wrapped() {
            return self.eval(inner);
        }
        self.parts(template.parts(), span)
    }

    fn parts(&mut self, parts: TemplateParts<'_>, span: Span) -> Value {
        let mut joined = Joined::default();
        for part in parts.iter() {
            let (value, at) = match part {
                TemplatePart::Literal(text, _) => {
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
                    "The value is null, which can't be part of a text.",
                );
                joined.unknown.get_or_insert_with(|| self.unknown_text(at));
                continue;
            }
            match convert(&value, &Type::String) {
                Ok(text) => joined.add(&text),
                Err(reason) => {
                    self.error(
                        EvalErrorKind::Type,
                        at,
                        format!("The value can't be part of a text: {reason}."),
                    );
                    joined.unknown.get_or_insert_with(|| self.unknown_text(at));
                }
            }
            if !self.spend(joined.text.len() / 256, span) {
                return self.broken(span, "a limit was reached");
            }
        }
        joined.value()
    }

    fn unknown_text(&self, span: Span) -> Unknown {
        Unknown {
            why: "it has an error".into(),
            place: Some(self.place(span)),
            ty: Type::String,
            symbol: None,
        }
    }

    fn for_directive(
        &mut self,
        key_var: Option<&str>,
        value_var: &str,
        collection: Expr<'_>,
        body: TemplateParts<'_>,
        span: Span,
    ) -> Value {
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
            if !self.spend(joined.text.len() / 256, span) {
                return self.broken(span, "a limit was reached");
            }
        }
        joined.value()
    }

    // --- objects and for

    fn object(&mut self, object: Object<'_>) -> Value {
        let mut values = BTreeMap::new();
        let mut unknown = None;
        for item in object.items() {
            let key = match item.key {
                ObjectKey::Name(name, _) => Some(Arc::from(name)),
                ObjectKey::Expr(expr) => self.object_key(expr, &mut unknown),
            };
            let value = self.eval(item.value);
            if let Some(key) = key {
                values.insert(key, value);
            }
        }
        unknown.unwrap_or_else(|| Value::object(values))
    }

    /// The key of an object's item; nothing, with `unknown` set, if it can't be known.
    fn object_key(&mut self, expr: Expr<'_>, unknown: &mut Option<Value>) -> Option<Arc<str>> {
        let span = expr.span();
        if is_traversal(expr) {
            let message = "A key that is no single word is ambiguous: put it in quotes or in parentheses.";
            unknown.get_or_insert(self.error(EvalErrorKind::Type, span, message));
            return None;
        }
        let value = self.eval(expr);
        match self.text_key(&value, span) {
            Ok(text) => Some(text),
            Err(value) => {
                unknown.get_or_insert(value);
                None
            }
        }
    }

    /// A value as a key of an object.
    fn text_key(&mut self, value: &Value, span: Span) -> Result<Arc<str>, Value> {
        if value.is_null() {
            return Err(self.error(EvalErrorKind::Type, span, "A null value can't be used as a key."));
        }
        match convert(value, &Type::String) {
            Ok(Value {
                data: Data::String(text),
                ..
            }) => Ok(text),
            Ok(other) => Err(match other.as_unknown() {
                Some(unknown) => derived(unknown, Type::Dynamic, other.heuristic),
                None => self.broken(span, "the key is no text"),
            }),
            Err(reason) => Err(self.error(
                EvalErrorKind::Type,
                span,
                format!("The value can't be used as a key: {reason}."),
            )),
        }
    }

    /// Keys and values of what can be gone through; else the value of an expression that tries to.
    fn entries(&mut self, source: &Value, span: Span) -> Result<Vec<(Value, Value)>, Value> {
        let likely = source.heuristic;
        match &source.data {
            Data::Null(_) => Err(self.error(
                EvalErrorKind::Type,
                span,
                "A null value can't be gone through with `for`.",
            )),
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

    fn not_iterable(&mut self, source: &Value, span: Span) -> Value {
        let message = format!(
            "A value of type {} can't be gone through with `for`.",
            source.type_name()
        );
        self.error(EvalErrorKind::Type, span, message)
    }

    fn with_variables<T>(
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

    /// The condition of a `for`: whether it holds, unless that is unknown or an error.
    fn condition(&mut self, expr: Expr<'_>) -> Result<(bool, bool), Value> {
        let span = expr.span();
        let value = self.eval(expr);
        if value.is_null() {
            return Err(self.error(EvalErrorKind::Type, span, "The condition is null."));
        }
        match convert(&value, &Type::Bool) {
            Ok(Value {
                data: Data::Bool(holds),
                heuristic,
                ..
            }) => Ok((holds, heuristic)),
            Ok(other) => Err(match other.as_unknown() {
                Some(unknown) => derived(unknown, Type::Dynamic, other.heuristic),
                None => self.broken(span, "the condition is no truth value"),
            }),
            Err(reason) => Err(self.error(
                EvalErrorKind::Type,
                span,
                format!("The condition is not valid: {reason}."),
            )),
        }
    }

    fn for_expression(&mut self, node: For<'_>, span: Span) -> Value {
        let collection = node.collection();
        let source = self.eval(collection);
        let entries = match self.entries(&source, collection.span()) {
            Ok(entries) => entries,
            Err(value) => return value,
        };
        if let Some(condition) = node.condition() {
            // HCL tests the condition even where there is nothing to go through.
            let (key, value) = (
                Value::unknown("it stands for any entry"),
                Value::unknown("it stands for any entry"),
            );
            let (_, errors) = self.attempt(|e| {
                e.with_variables(node.key_var(), node.value_var(), key, value, |e| {
                    e.condition(condition).is_ok()
                })
            });
            if !errors.is_empty() {
                self.note(errors);
                return self.broken(span, "it has an error");
            }
        }
        match node.key() {
            Some(key) => self.for_object(node, key, entries, span),
            None => self.for_tuple(node, entries, span),
        }
    }

    fn for_tuple(&mut self, node: For<'_>, entries: Vec<(Value, Value)>, span: Span) -> Value {
        let mut values = Vec::new();
        let mut unknown = None;
        let mut likely = false;
        for (key, value) in entries {
            if !self.spend(1, span) {
                return self.broken(span, "a limit was reached");
            }
            let result = self.with_variables(node.key_var(), node.value_var(), key, value, |e| {
                match node.condition().map(|c| e.condition(c)) {
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
        unknown.unwrap_or_else(|| Value::tuple(values).likely(likely))
    }

    fn for_object(
        &mut self,
        node: For<'_>,
        key_expr: Expr<'_>,
        entries: Vec<(Value, Value)>,
        span: Span,
    ) -> Value {
        let mut groups: BTreeMap<Arc<str>, Vec<Value>> = BTreeMap::new();
        let mut unknown = None;
        let mut likely = false;
        for (key, value) in entries {
            if !self.spend(1, span) {
                return self.broken(span, "a limit was reached");
            }
            let result = self.with_variables(node.key_var(), node.value_var(), key, value, |e| {
                let mut heuristic = false;
                if let Some(condition) = node.condition() {
                    let (holds, guessed) = e.condition(condition)?;
                    heuristic = guessed;
                    if !holds {
                        return Ok((None, heuristic));
                    }
                }
                let key = e.eval(key_expr);
                heuristic |= key.heuristic;
                let key = e.text_key(&key, key_expr.span())?;
                Ok((Some((key, e.eval(node.value()))), heuristic))
            });
            match result {
                Ok((entry, heuristic)) => {
                    likely |= heuristic;
                    if let Some((key, value)) = entry {
                        let group = groups.entry(Arc::clone(&key)).or_default();
                        if !group.is_empty() && !node.groups() {
                            let message = format!(
                                "Two items of this `for` have the key \"{key}\"; `...` behind the value would group them."
                            );
                            unknown = Some(self.error(EvalErrorKind::Type, key_expr.span(), message));
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
            return unknown;
        }
        let values = groups.into_iter().filter_map(|(key, mut group)| {
            let value = if node.groups() {
                Value::tuple(group)
            } else {
                group.pop()?
            };
            Some((key, value))
        });
        Value::object(values.collect()).likely(likely)
    }

    // --- operators

    fn unary(&mut self, op: UnaryOp, operand: Expr<'_>, span: Span) -> Value {
        let value = self.eval(operand);
        let wanted = if op == UnaryOp::Negate {
            Type::Number
        } else {
            Type::Bool
        };
        let converted = match convert(&value, &wanted) {
            Ok(converted) => converted,
            Err(reason) => {
                let message = format!("The operand is not valid: {reason}.");
                return self.typed_error(operand.span(), message, wanted);
            }
        };
        let place = self.place(span);
        let mut result = match converted.data {
            Data::Null(_) => {
                return self.typed_error(operand.span(), "The operand is null.".to_owned(), wanted);
            }
            Data::Number(number) => Value::number(number.negate()),
            Data::Bool(value) => Value::bool(!value),
            Data::Unknown(ref unknown) => derived(unknown, wanted, false),
            _ => return self.broken(span, "the operand has no such operation"),
        };
        result.heuristic = converted.heuristic;
        result.at(place)
    }

    fn operators(&mut self, expr: Expr<'_>) -> Value {
        let mut chain = Vec::new();
        let mut first = expr;
        while let ExprKind::Binary { op, left, right } = first.kind() {
            chain.push((op, left.span(), right, first.span()));
            first = left;
        }
        let mut value = self.eval(first);
        for (op, left_span, right, span) in chain.into_iter().rev() {
            if !self.spend(1, span) {
                return self.broken(span, "a limit was reached");
            }
            let other = self.eval(right);
            let place = self.place(span);
            value = self
                .binary(op, (&value, left_span), (&other, right.span()), span)
                .at(place);
        }
        value
    }

    fn binary(&mut self, op: BinaryOp, left: (&Value, Span), right: (&Value, Span), span: Span) -> Value {
        let wanted = ops::operand_type(op);
        let mut converted = Vec::with_capacity(2);
        for (value, at) in [left, right] {
            match convert(value, &wanted) {
                Ok(value) => converted.push(value),
                Err(reason) => {
                    self.error(
                        EvalErrorKind::Type,
                        at,
                        format!("The operand is not valid: {reason}."),
                    );
                }
            }
        }
        let [left, right] = converted.as_slice() else {
            return self.erroneous(span, ops::result_type(op));
        };
        match ops::binary(op, left, right) {
            Ok(value) => value,
            Err(reason) => self.typed_error(
                span,
                format!("The operation fails: {reason}."),
                ops::result_type(op),
            ),
        }
    }

    /// Notes an error where the type of the value is known all the same.
    fn typed_error(&mut self, span: Span, message: String, ty: Type) -> Value {
        self.error(EvalErrorKind::Type, span, message);
        self.erroneous(span, ty)
    }

    fn erroneous(&self, span: Span, ty: Type) -> Value {
        let place = Some(self.place(span));
        Data::Unknown(Unknown {
            why: "it has an error".into(),
            place,
            ty,
            symbol: None,
        })
        .into()
    }

    fn conditional(
        &mut self,
        condition: Expr<'_>,
        span: Span,
        then: impl FnOnce(&mut Self) -> Value,
        otherwise: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        // Both arms are evaluated, since their types decide together; only the chosen one may fail.
        let (then, then_errors) = self.attempt(then);
        let (otherwise, otherwise_errors) = self.attempt(otherwise);
        let untyped = |v: &Value| matches!(v.data, Data::Null(Type::Dynamic));
        let ty = if untyped(&then) {
            Some(otherwise.ty())
        } else if untyped(&otherwise) {
            Some(then.ty())
        } else {
            unify(&[then.ty(), otherwise.ty()])
        };
        let Some(ty) = ty else {
            let message = format!(
                "The two results of the conditional have types that do not go together: {} and {}.",
                then.type_name(),
                otherwise.type_name()
            );
            return self.error(EvalErrorKind::Type, span, message);
        };
        let (holds, heuristic) = match self.condition(condition) {
            Ok(result) => result,
            Err(value) => return self.same_on_both_arms(&value, &then, &otherwise, ty),
        };
        let (chosen, errors) = if holds {
            (then, then_errors)
        } else {
            (otherwise, otherwise_errors)
        };
        self.note(errors);
        match convert(&chosen, &ty) {
            Ok(value) => value.likely(heuristic),
            Err(reason) => {
                let message = format!("The results of the conditional can't become one type: {reason}.");
                self.error(EvalErrorKind::Type, span, message)
            }
        }
    }

    /// What a conditional gives whose condition can't be known: what both arms agree in, else unknown.
    fn same_on_both_arms(&mut self, condition: &Value, then: &Value, otherwise: &Value, ty: Type) -> Value {
        if then.equals(otherwise) == Some(true)
            && let (Ok(value), Ok(_)) = (convert(then, &ty), convert(otherwise, &ty))
        {
            return value.likely(otherwise.has_heuristic());
        }
        match condition.as_unknown() {
            Some(unknown) => derived(unknown, ty, condition.heuristic),
            None => condition.clone(),
        }
    }

    // --- variables and steps

    /// A variable or another term with attributes and indexes behind it.
    fn chain(&mut self, expr: Expr<'_>) -> Value {
        let mut steps: Vec<Expr<'_>> = Vec::new();
        let mut root = expr;
        while let ExprKind::GetAttr { source, .. }
        | ExprKind::LegacyIndex { source, .. }
        | ExprKind::Index { source, .. } = root.kind()
        {
            steps.push(root);
            root = source;
        }
        steps.reverse();
        if !self.spend(steps.len(), expr.span()) {
            return self.broken(expr.span(), "a limit was reached");
        }
        let value = match root.kind() {
            ExprKind::Variable(name) => match self.local(name) {
                Some(value) => value,
                None => return self.variable(name, root.span(), &steps),
            },
            ExprKind::SplatItem => match self.splat_items.last() {
                Some(value) => value.clone(),
                None => self.broken(root.span(), "it stands for no entry"),
            },
            _ => self.eval(root),
        };
        let steps = self.steps(&steps);
        self.walk(value, &steps)
    }

    fn local(&self, name: &str) -> Option<Value> {
        self.locals
            .iter()
            .rev()
            .find(|(known, _)| known.as_ref() == name)
            .map(|(_, value)| value.clone())
    }

    fn steps<'t>(&mut self, exprs: &[Expr<'t>]) -> Vec<Step<'t>> {
        let mut steps = Vec::with_capacity(exprs.len());
        for expr in exprs {
            let (kind, span) = match expr.kind() {
                ExprKind::GetAttr { name, name_span, .. } => (StepKind::Attr(name), name_span),
                ExprKind::LegacyIndex { source, number } => {
                    let key = Number::parse(number).map_or_else(|| ops::arithmetic(None), Value::number);
                    let behind = source.span().end;
                    (StepKind::Index(key), Span::new(behind, expr.span().end))
                }
                ExprKind::Index { key, .. } => (StepKind::Index(self.eval(key)), key.span()),
                _ => continue,
            };
            steps.push(Step {
                kind,
                place: self.place(span),
            });
        }
        steps
    }

    fn variable(&mut self, name: &str, span: Span, exprs: &[Expr<'_>]) -> Value {
        let steps = self.steps(exprs);
        let traversal = Traversal {
            root: name,
            root_place: self.place(span),
            steps: &steps,
        };
        let whole = exprs.last().map_or(span, |last| last.span());
        match self.scope.variable(traversal, self.budget) {
            Lookup::Value { value, steps: used } => {
                if self.budget.is_exhausted() {
                    self.limit(whole, "the variable takes too many steps to evaluate");
                }
                self.walk(value, steps.get(used..).unwrap_or(&[]))
            }
            Lookup::Missing(message) => self.error(EvalErrorKind::Variable, whole, message),
        }
    }

    fn walk(&mut self, mut value: Value, steps: &[Step<'_>]) -> Value {
        for step in steps {
            let next = match &step.kind {
                StepKind::Attr(name) => get_attr(&value, name),
                StepKind::Index(key) => index(&value, key),
            };
            value = match next {
                Ok(value) => value,
                Err(message) => return self.error(EvalErrorKind::Access, step.place.span, message),
            };
        }
        value
    }

    fn splat(&mut self, source: Expr<'_>, each: Expr<'_>, span: Span) -> Value {
        let value = self.eval(source);
        let likely = value.heuristic;
        let (entries, element) = match &value.data {
            Data::Null(Type::List(_) | Type::Set(_) | Type::Tuple(_)) => {
                return self.error(
                    EvalErrorKind::Type,
                    source.span(),
                    "A splat can't go through a null value.",
                );
            }
            Data::Null(_) => return Value::tuple(Vec::new()).likely(likely),
            Data::Unknown(unknown) => match unknown.ty {
                Type::Dynamic | Type::List(_) | Type::Set(_) | Type::Tuple(_) => {
                    return derived(unknown, Type::Dynamic, likely);
                }
                _ => (vec![value.clone()], None),
            },
            Data::Tuple(items) => (items.values().to_vec(), None),
            Data::List(items, ty) | Data::Set(items, ty) => (items.values().to_vec(), Some(ty.clone())),
            _ => (vec![value.clone()], None),
        };
        let mut values = Vec::with_capacity(entries.len());
        for entry in entries {
            if !self.spend(1, span) {
                return self.broken(span, "a limit was reached");
            }
            self.splat_items.push(entry.likely(likely));
            values.push(self.eval_splat_entry(each));
            self.splat_items.pop();
        }
        let Some(element) = element else {
            return Value::tuple(values).likely(likely);
        };
        let ty = if values.is_empty() {
            // What would be done with an entry is checked all the same, and gives the type.
            let any = Data::Unknown(Unknown {
                why: "it stands for any entry".into(),
                place: None,
                ty: element,
                symbol: None,
            });
            self.splat_items.push(any.into());
            let value = self.eval_splat_entry(each);
            self.splat_items.pop();
            Some(value.ty())
        } else {
            unify(&values.iter().map(Value::ty).collect::<Vec<_>>())
        };
        match ty {
            Some(ty) => Value::list(values, ty),
            None => Value::tuple(values),
        }
        .likely(likely)
    }

    /// The entry itself keeps the place it came from, not that of the splat.
    fn eval_splat_entry(&mut self, each: Expr<'_>) -> Value {
        match each.kind() {
            ExprKind::SplatItem => self.splat_items.last().cloned().unwrap_or_else(Value::null),
            _ => self.eval(each),
        }
    }

    // --- calls

    fn call(&mut self, call: Call<'_>, span: Span) -> Value {
        let function = match self.scope.function(call.name()) {
            FunctionRef::Known(function) => function,
            FunctionRef::Opaque => {
                for arg in call.args().iter() {
                    self.eval(arg);
                }
                return self.broken(span, &format!("what {}() gives is not computed", call.name()));
            }
            FunctionRef::Missing => {
                let message = format!("There is no function named \"{}\".", call.name());
                return self.error(EvalErrorKind::Function, call.name_span(), message);
            }
        };
        functions::call(self, function, call, span)
    }

    /// The error of a call that fails.
    pub(super) fn failed_call(&mut self, call: Call<'_>, span: Span, message: &str) -> Value {
        self.error(
            EvalErrorKind::Call,
            span,
            format!("The call of \"{}\" fails: {message}.", call.name()),
        )
    }

    pub(super) fn not_computed(&self, span: Span, why: &str) -> Value {
        self.broken(span, why)
    }
}

/// A variable with at least one step behind it.
fn is_traversal(expr: Expr<'_>) -> bool {
    let mut root = expr;
    let mut steps = 0;
    loop {
        match root.kind() {
            ExprKind::GetAttr { source, .. } | ExprKind::LegacyIndex { source, .. } => root = source,
            ExprKind::Index { source, key } => match key.kind() {
                ExprKind::Number(_) => root = source,
                ExprKind::Template(template) if template.as_text().is_some() => root = source,
                _ => return false,
            },
            ExprKind::Variable(_) => return steps > 0,
            _ => return false,
        }
        steps += 1;
    }
}

/// Text put together from parts, unknown as soon as one of them is.
#[derive(Default)]
struct Joined {
    text: String,
    unknown: Option<Unknown>,
    heuristic: bool,
}

impl Joined {
    fn add(&mut self, part: &Value) {
        self.heuristic |= part.heuristic;
        match &part.data {
            Data::String(text) => self.text.push_str(text),
            Data::Unknown(unknown) => {
                self.unknown.get_or_insert_with(|| unknown.clone());
            }
            _ => {}
        }
    }

    fn value(self) -> Value {
        match self.unknown {
            Some(unknown) => derived(&unknown, Type::String, self.heuristic),
            None => Value::string(&self.text).likely(self.heuristic),
        }
    }
}
