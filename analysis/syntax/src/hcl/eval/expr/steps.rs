//! Variables, attributes, indexes and splats.

use std::sync::Arc;

use super::super::EvalErrorKind;
use super::super::number::Number;
use super::super::ops::{self, derived, derived_not_null, get_attr, index};
use super::super::scope::{Lookup, Step, StepKind, Traversal};
use super::super::types::{Type, unify};
use super::super::value::{Data, Unknown, Value};
use super::Evaluator;
use crate::hcl::{Expr, ExprKind};
use crate::text::Span;

impl Evaluator<'_> {
    /// A variable or another term with attributes and indexes after it.
    pub(super) fn chain(&mut self, expr: Expr<'_>) -> Value {
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
                None => self.broken(root.span(), "it is not an entry"),
            },
            _ => self.eval(root),
        };
        let steps = self.steps(&steps);
        self.walk(value, &steps)
    }

    pub(super) fn local(&self, name: &str) -> Option<Value> {
        self.locals
            .iter()
            .rev()
            .find(|(known, _)| known.as_ref() == name)
            .map(|(_, value)| value.clone())
    }

    pub(super) fn steps<'t>(&mut self, exprs: &[Expr<'t>]) -> Vec<Step<'t>> {
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

    pub(super) fn variable(&mut self, name: &str, span: Span, exprs: &[Expr<'_>]) -> Value {
        let steps = self.steps(exprs);
        let traversal = Traversal {
            root: name,
            root_place: self.place(span),
            steps: &steps,
        };
        let whole = exprs.last().map_or(span, |last| last.span());
        match self.scope.variable(traversal, self.budget) {
            Lookup::Value { value, steps: used } => {
                self.found.reads_likely |= value.heuristic;
                if self.budget.is_exhausted() {
                    self.limit(whole, "the variable takes too many steps to evaluate");
                }
                self.walk(value, steps.get(used..).unwrap_or(&[]))
            }
            Lookup::Missing(message) => self.error(EvalErrorKind::Variable, whole, message),
        }
    }

    pub(super) fn walk(&mut self, mut value: Value, steps: &[Step<'_>]) -> Value {
        for step in steps {
            self.depends_on(value.as_unknown(), step.place.span);
            if !is_named(&value, &step.kind) {
                self.may_fail(value.as_unknown(), step.place.span);
            }
            let next = match &step.kind {
                StepKind::Attr(name) => get_attr(&value, name),
                StepKind::Index(key) => {
                    let found = index(&value, key);
                    let is_listed = matches!(value.ty(), Type::List(_) | Type::Tuple(_));
                    let is_inexact = is_listed && key.as_number().is_some_and(Number::is_perhaps_whole);
                    let withheld = found.as_ref().ok().filter(|_| is_inexact);
                    self.depends_on(
                        key.as_unknown().or(withheld.and_then(Value::as_unknown)),
                        step.place.span,
                    );
                    self.may_fail(key.as_unknown(), step.place.span);
                    found
                }
            };
            value = match next {
                Ok(value) => value,
                Err(message) => return self.error(EvalErrorKind::Access, step.place.span, message),
            };
        }
        value
    }

    pub(super) fn splat(&mut self, source: Expr<'_>, each: Expr<'_>, span: Span) -> Value {
        let value = self.eval(source);
        self.depends_on(value.as_unknown(), source.span());
        let (likely, marks) = (value.heuristic, value.marks);
        let (entries, element) = match &value.data {
            Data::Null(Type::List(_) | Type::Set(_) | Type::Tuple(_)) => {
                return self.error(
                    EvalErrorKind::Type,
                    source.span(),
                    "A splat cannot go through a null value.",
                );
            }
            Data::Null(_) => return Value::tuple(Vec::new()).likely(likely).marked(marks),
            Data::Unknown(unknown) => match unknown.ty {
                Type::List(ref element) | Type::Set(ref element) if **element != Type::Dynamic => {
                    // Whether the expression for an entry fails is independent of the entries.
                    let ty = self.splat_type((**element).clone(), each);
                    return derived_not_null(unknown, Type::List(Arc::new(ty)), likely).marked(marks);
                }
                Type::Tuple(ref all) => {
                    let types = all.iter().map(|ty| self.splat_type(ty.clone(), each)).collect();
                    return derived_not_null(unknown, Type::Tuple(types), likely).marked(marks);
                }
                Type::Dynamic | Type::List(_) | Type::Set(_) => {
                    return derived(unknown, Type::Dynamic, likely).marked(marks);
                }
                _ => (vec![value.clone()], None),
            },
            Data::Tuple(items) => (items.values().to_vec(), None),
            Data::List(items, ty) | Data::Set(items, ty) => (items.values().to_vec(), Some(ty.clone())),
            _ => (vec![value.clone()], None),
        };
        if self.in_parts && !entries.is_empty() && !matches!(each.kind(), ExprKind::SplatItem) {
            // The engine evaluates the steps before it has an entry: what results has no type.
            return self.not_computed(span, "the engine loses the entries of a splat here");
        }
        let mut values = Vec::with_capacity(entries.len());
        for entry in entries {
            if !self.spend(1, span) {
                return self.broken(span, "a limit was reached");
            }
            self.splat_items.push(entry.likely(likely));
            values.push(self.eval_splat_entry(each));
            self.splat_items.pop();
        }
        let may_be_null = |unknown: &&Unknown| unknown.known.is_shared() && !unknown.known.is_never_null();
        if let Some(unknown) = value.as_unknown().filter(may_be_null) {
            // It is one entry, or none if it is null.
            return derived(unknown, Type::Dynamic, likely).marked(marks);
        }
        let Some(element) = element else {
            return Value::tuple(values).likely(likely).marked(marks);
        };
        let ty = if values.is_empty() {
            // The expression for an entry is still checked, and gives the type.
            Some(self.splat_type(element, each))
        } else {
            unify(&values.iter().map(Value::ty).collect::<Vec<_>>())
        };
        match ty {
            Some(ty) => Value::list(values, ty),
            None => Value::tuple(values),
        }
        .likely(likely)
        .marked(marks)
    }

    /// The type of the expression for any entry.
    fn splat_type(&mut self, element: Type, each: Expr<'_>) -> Type {
        let any = self.any_entry(element);
        self.splat_items.push(any);
        let value = self.eval_splat_entry(each);
        self.splat_items.pop();
        value.ty()
    }

    /// The entry itself keeps the place it came from, not that of the splat.
    pub(super) fn eval_splat_entry(&mut self, each: Expr<'_>) -> Value {
        match each.kind() {
            ExprKind::SplatItem => self.splat_items.last().cloned().unwrap_or_else(Value::null),
            _ => self.eval(each),
        }
    }
}

/// Whether a step names something that a value has by its type.
fn is_named(value: &Value, step: &StepKind<'_>) -> bool {
    match (value.as_unknown().map(|unknown| &unknown.ty), step) {
        (Some(Type::Object(fields)), StepKind::Attr(name)) => fields.contains_key(*name),
        _ => false,
    }
}

/// A variable with at least one step after it.
pub(super) fn is_traversal(expr: Expr<'_>) -> bool {
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
