//! Operators, and which errors of their operands are reported.

use super::super::convert::convert;
use super::super::known::Known;
use super::super::ops::{self, derived_not_null, of_known};
use super::super::scope::Logic;
use super::super::types::Type;
use super::super::value::{Data, Value};
use super::super::{EvalError, EvalErrorKind};
use super::{Evaluator, Found};
use crate::hcl::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::text::Span;

impl Evaluator<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, operand: Expr<'_>, span: Span) -> Value {
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
        if value.ty() != wanted {
            self.depends_on(value.as_unknown(), operand.span());
            self.may_not_convert(&value, &wanted, operand.span());
        }
        let place = self.place(span);
        let mut result = match &converted.data {
            Data::Null(_) => {
                return self.typed_error(operand.span(), "The operand is null.".to_owned(), wanted);
            }
            Data::Number(number) => Value::number(number.negate()),
            Data::Bool(value) => Value::bool(!*value),
            // Infinity stays infinity.
            Data::Unknown(unknown) if matches!(unknown.known, Known::Infinite) => converted.clone(),
            Data::Unknown(unknown) => derived_not_null(unknown, wanted, false),
            _ => return self.broken(span, "the operand has no such operation"),
        };
        result.heuristic = converted.heuristic;
        if converted.as_unknown().is_some() {
            // cty sets no marks for an unknown operand here.
            return result.at(place);
        }
        result.marked(converted.marks).at(place)
    }

    pub(super) fn operators(&mut self, expr: Expr<'_>) -> Value {
        let mut chain = Vec::new();
        let mut first = expr;
        while let ExprKind::Binary { op, left, right } = first.kind() {
            chain.push((op, left.span(), right, first.span()));
            first = left;
        }
        let is_logical = |op| matches!(op, BinaryOp::And | BinaryOp::Or);
        if self.scope.logic() != Logic::Both && chain.first().is_some_and(|(op, ..)| is_logical(*op)) {
            return self.logical(first, chain);
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

    /// Operators including `&&` or `||`, where one operand may decide alone.
    fn logical<'e>(&mut self, first: Expr<'e>, chain: Vec<(BinaryOp, Span, Expr<'e>, Span)>) -> Value {
        // The findings of the operands are kept apart from earlier ones.
        let before = std::mem::take(&mut self.found);
        let mut value = self.eval(first);
        for (op, left_span, right, span) in chain.into_iter().rev() {
            if !self.spend(1, span) {
                value = self.broken(span, "a limit was reached");
                break;
            }
            let other = if matches!(op, BinaryOp::And | BinaryOp::Or) {
                let (other, found) = self.attempt(|e| e.eval(right));
                // If it fails, the engine has no value either.
                let known = |value, fails| match fails {
                    true => of_known(value, Known::Type),
                    false => value,
                };
                value = known(value, !self.found.errors.is_empty());
                let other = known(other, !found.errors.is_empty());
                self.reach(op, &value, (&other, found), span);
                other
            } else {
                self.eval(right)
            };
            let place = self.place(span);
            value = self
                .binary(op, (&value, left_span), (&other, right.span()), span)
                .at(place);
        }
        let found = std::mem::replace(&mut self.found, before);
        self.note(found);
        value
    }

    /// Keeps the findings in the operands of `&&` or `||` that count. The recorded findings are those of the
    /// left one only.
    fn reach(&mut self, op: BinaryOp, left: &Value, right: (&Value, Found), span: Span) {
        let (right, found) = right;
        let fail = [!self.found.errors.is_empty(), !found.errors.is_empty()];
        let counted = match (convert(left, &Type::Bool), convert(right, &Type::Bool)) {
            (Ok(left), Ok(right)) => ops::counted(op, [&left, &right], fail),
            _ => [Some(true); 2],
        };
        let of_left = std::mem::take(&mut self.found);
        for (found, counts) in [of_left, found].into_iter().zip(counted) {
            let may_differ = counts.is_none() || self.scope.logic() == Logic::Either;
            let found = Found {
                is_ahead: found.is_ahead && (may_differ || counts == Some(true)),
                ..found
            };
            if counts == Some(true) || found.errors.is_empty() {
                self.note(found);
                continue;
            }
            let (limits, errors) = (found.errors.into_iter()).partition(|e| e.kind == EvalErrorKind::Limit);
            self.note(Found {
                errors: limits,
                open: None,
                ..found
            });
            if may_differ {
                self.found.unreached.extend::<Vec<EvalError>>(errors);
                let value = self.unknown(
                    span,
                    "whether an operand that fails is evaluated is unknown",
                    Type::Bool,
                );
                if let Some(unknown) = value.as_unknown() {
                    self.leave_open(unknown);
                }
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: (&Value, Span), right: (&Value, Span), span: Span) -> Value {
        let wanted = ops::operand_type(op);
        let mut converted = Vec::with_capacity(2);
        for (value, at) in [left, right] {
            if wanted != Type::Dynamic && value.ty() != wanted {
                self.depends_on(value.as_unknown(), at);
                self.may_not_convert(value, &wanted, at);
            }
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
        let undefined = ops::perhaps_undefined(op, left, right);
        self.depends_on(undefined, span);
        self.may_fail(undefined, span);
        let marks = left.all_marks() | right.all_marks();
        if let Some(value) = self.one_sided(op, left, right, span) {
            return value.marked(marks);
        }
        match ops::binary(op, left, right) {
            Ok(value) => {
                let is_zero =
                    |value: &Value| value.as_number().is_some_and(|n| n.is_zero() && n.is_rounded());
                if matches!(op, BinaryOp::Divide) && is_zero(right) {
                    self.depends_on(value.as_unknown(), span);
                }
                let is_unknown = left.as_unknown().is_some() || right.as_unknown().is_some();
                self.found.is_ahead |= match op {
                    BinaryOp::Equal | BinaryOp::NotEqual => left.is_equal_ahead(right),
                    // Before version 1.12 of Terraform one side alone decides nothing.
                    BinaryOp::And | BinaryOp::Or => is_unknown && value.as_bool().is_some(),
                    _ => false,
                };
                match op {
                    // cty sets no marks for an unknown operand here.
                    BinaryOp::And | BinaryOp::Or if is_unknown && self.scope.logic() != Logic::OneSide => {
                        value
                    }
                    _ => value.marked(marks),
                }
            }
            Err(reason) => self.typed_error(
                span,
                format!("The operation fails: {reason}."),
                ops::result_type(op),
            ),
        }
    }

    /// The result of `&&` and `||` if one operand may decide alone, and does. Null is not an error then.
    fn one_sided(&mut self, op: BinaryOp, left: &Value, right: &Value, span: Span) -> Option<Value> {
        let logic = self.scope.logic();
        let is_null = left.is_null() || right.is_null();
        if logic == Logic::Both || logic == Logic::Either && !is_null {
            return None;
        }
        let value = ops::one_sided(op, left, right)?;
        if logic == Logic::Either {
            let place = self.place(span);
            self.found.unreached.push(EvalError {
                kind: EvalErrorKind::Type,
                place,
                message: "The operation fails: an operand is null.".to_owned(),
            });
        }
        Some(value)
    }
}
