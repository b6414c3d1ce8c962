//! `? :`: both results are evaluated, and one of them is used.

use std::sync::Arc;

use super::super::EvalErrorKind;
use super::super::convert::convert;
use super::super::known::{self, Known};
use super::super::marks::Marks;
use super::super::ops::{derived, of_known};
use super::super::types::{Type, never_unify, unify};
use super::super::value::{Data, Unknown, Value};
use super::{Evaluator, FAILED, Found, MayFail};
use crate::hcl::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::text::Span;

impl Evaluator<'_> {
    /// Records that a condition that the engine reads from elsewhere decides between two arms; `fails`: whether
    /// one of them has an error.
    fn either_arm(
        &mut self,
        condition: Option<&Unknown>,
        fails: bool,
        arms: [Option<MayFail>; 2],
        span: Span,
    ) {
        let Some(condition) = condition.filter(|condition| condition.is_read) else {
            return;
        };
        if fails {
            self.may_fail(Some(condition), span);
        }
        let of_arms = arms.into_iter().flatten().next();
        self.found.may_fail = self.found.may_fail.take().or(of_arms);
    }

    pub(super) fn conditional(
        &mut self,
        condition: Expr<'_>,
        span: Span,
        then: impl FnOnce(&mut Self) -> Value,
        otherwise: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        // Both arms are evaluated, since their types are unified; only the chosen one may fail.
        let (then, in_then) = self.attempt(then);
        let (otherwise, in_otherwise) = self.attempt(otherwise);
        let untyped = |v: &Value| matches!(v.data, Data::Null(Type::Dynamic)) && v.marks.is_empty();
        let ty = if untyped(&then) {
            Some(otherwise.ty())
        } else if untyped(&otherwise) {
            Some(then.ty())
        } else if then.ty() == Type::Dynamic || otherwise.ty() == Type::Dynamic {
            Some(Type::Dynamic)
        } else {
            unify(&[then.ty(), otherwise.ty()])
        };
        let Some(ty) = ty else {
            let is_open = !never_unify(&[&then.ty(), &otherwise.ty()]);
            for (arm, found) in [(&then, &in_then), (&otherwise, &in_otherwise)]
                .into_iter()
                .filter(|_| is_open)
            {
                // What has failed has no type in the engine either: then the types decide.
                let has_failed = !found.errors.is_empty();
                let may_have_type = |unknown: &Unknown| !unknown.known.is_shared();
                let is_own = |unknown: &Unknown| !unknown.known.is_shared() && *unknown.why != *FAILED;
                let unknown = match has_failed {
                    true => arm.find_unknown(is_own),
                    false => arm.find_unknown(may_have_type),
                };
                if let Some(unknown) = unknown.filter(|_| arm.ty().is_open()) {
                    if !self.scope.is_exact() {
                        let why = "whether both results of the conditional have one type is unknown";
                        self.not_computed_here(span, why);
                    }
                    return derived(unknown, Type::Dynamic, arm.has_heuristic());
                }
            }
            let message = format!(
                "The two results of the conditional have incompatible types: {} and {}.",
                then.type_name(),
                otherwise.type_name()
            );
            return self.error(EvalErrorKind::Type, span, message);
        };
        let asked = condition;
        let (condition, of_condition) = self.condition_of_arms(condition);
        // The marks of any of the three are marks of the result, unless the condition is rejected.
        let marks = of_condition.map_or(Marks::NONE, |own| own | then.marks | otherwise.marks);
        let (holds, heuristic) = match condition {
            Ok(result) => result,
            Err(value) => {
                let fails = self.open_arms(
                    asked,
                    &value,
                    [(&then, in_then), (&otherwise, in_otherwise)],
                    span,
                );
                let result = self.same_on_both_arms(&value, &then, &otherwise, ty);
                let result = match value.as_unknown() {
                    // If it fails, the engine has no value either.
                    Some(unknown) if fails && unknown.known.is_shared() => of_known(result, Known::Part),
                    _ => result,
                };
                return result.marked(marks);
            }
        };
        let (chosen, found, in_other) = if holds {
            (then, in_then, in_otherwise)
        } else {
            (otherwise, in_otherwise, in_then)
        };
        self.note(found);
        if self.in_parts && !in_other.errors.is_empty() {
            let calls = [EvalErrorKind::Call, EvalErrorKind::Function];
            let fails = in_other.errors.iter().any(|e| calls.contains(&e.kind));
            if fails {
                self.note(in_other);
            }
            return self.broken(span, "the other result has an error");
        }
        match convert(&chosen, &ty) {
            Ok(value) => value.likely(heuristic).marked(marks),
            Err(reason) => {
                let message = format!("The results of the conditional cannot become one type: {reason}.");
                self.error(EvalErrorKind::Type, span, message)
            }
        }
    }

    /// Records the arms of a condition that cannot be known; whether one of them fails.
    fn open_arms(
        &mut self,
        condition: Expr<'_>,
        value: &Value,
        arms: [(&Value, Found); 2],
        span: Span,
    ) -> bool {
        let [(then, in_then), (otherwise, in_otherwise)] = arms;
        let is_exact = self.scope.is_exact();
        let fails = match is_exact && !(in_then.missing.is_empty() && in_otherwise.missing.is_empty()) {
            true => {
                let [where_true, where_false] = self.asked_files(condition);
                fails_without(&in_then, &where_true) || fails_without(&in_otherwise, &where_false)
            }
            false => !in_then.errors.is_empty() || !in_otherwise.errors.is_empty(),
        };
        self.either_arm(
            value.as_unknown(),
            fails,
            [in_then.may_fail, in_otherwise.may_fail],
            span,
        );
        // An empty string is often rejected where another one is accepted.
        let is_empty = |arm: &Value| arm.as_str() == Some("");
        if let Some(unknown) = value.as_unknown()
            && is_exact
            && !unknown.known.is_followed()
            && (fails || then.is_null() != otherwise.is_null() || is_empty(then) != is_empty(otherwise))
        {
            // The engine may know which of the two it is.
            self.scope.not_computed(self.place(span), &unknown.why);
        }
        fails
    }

    /// The files that exist if a condition is true, and if it is false, as far as it checks for them.
    fn asked_files(&mut self, condition: Expr<'_>) -> [Vec<Arc<str>>; 2] {
        let mut there = [Vec::new(), Vec::new()];
        // What the condition being one value implies for its parts.
        let mut open = vec![(condition, true, 0), (condition, false, 1)];
        while let Some((expr, holds, arm)) = open.pop() {
            match expr.kind() {
                ExprKind::Paren(inner) => open.push((inner, holds, arm)),
                ExprKind::Unary {
                    op: UnaryOp::Not,
                    operand,
                } => open.push((operand, !holds, arm)),
                ExprKind::Binary { op, left, right }
                    if (op, holds) == (BinaryOp::And, true) || (op, holds) == (BinaryOp::Or, false) =>
                {
                    open.extend([(left, holds, arm), (right, holds, arm)]);
                }
                ExprKind::Call(call) if holds && call.name().ends_with("fileexists") => {
                    let path = call.args().iter().next();
                    let (path, _) = self.attempt(|e| path.map(|path| e.eval(path)));
                    let path = path.as_ref().and_then(Value::as_str);
                    if let (Some(path), Some(there)) = (path, there.get_mut(arm)) {
                        there.push(path.into());
                    }
                }
                _ => {}
            }
        }
        there
    }

    /// The value of a conditional whose condition cannot be known: what both arms have in common, else unknown.
    fn same_on_both_arms(&mut self, condition: &Value, then: &Value, otherwise: &Value, ty: Type) -> Value {
        let known = match condition.as_unknown() {
            Some(unknown) if unknown.known.is_shared() => known::of_either(then, otherwise),
            Some(_) if self.scope.is_exact() => match (then.as_number(), otherwise.as_number()) {
                (Some(then), Some(otherwise)) => Known::Either(Arc::new((then, otherwise))),
                _ => Known::Perhaps,
            },
            _ => Known::Perhaps,
        };
        // The engine itself compares only nulls and numbers.
        let is_compared = match self.scope.is_exact() {
            true => then.is_null() || matches!(known, Known::Between(_)),
            false => true,
        };
        if is_compared
            && then.equals(otherwise) == Some(true)
            && let (Ok(value), Ok(_)) = (convert(then, &ty), convert(otherwise, &ty))
        {
            return value.likely(otherwise.has_heuristic());
        }
        match condition.as_unknown() {
            Some(unknown) => of_known(derived(unknown, ty, condition.heuristic), known),
            None => condition.clone(),
        }
    }
}

/// Whether something fails even if the files in `there` exist.
fn fails_without(found: &Found, there: &[Arc<str>]) -> bool {
    found.errors.iter().any(|error| {
        let mut read = found.missing.iter().filter(|(place, _)| *place == error.place);
        !error.kind.is_missing() || !read.any(|(_, path)| there.contains(path))
    })
}
