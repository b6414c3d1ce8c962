//! How expressions are evaluated, and what is recorded on the way.

use std::rc::Rc;

use applyorder_syntax::hcl::Expr;
use applyorder_syntax::hcl::eval::{self, EvalErrorKind, Lookup, Place, Value};

use super::super::fault::{Fault, FaultKind, FaultText};
use super::super::module::{Attr, Spot};
use super::super::scope::Here;
use super::{Each, InstIx, Res, World};

/// What is recorded about an evaluation, and about everything evaluated for it.
#[derive(Clone, Copy, Default)]
pub(super) struct Notes {
    /// Whether something was known that Terraform does not know when it plans.
    pub(super) is_ahead: bool,
    /// Whether a value was read that is only likely.
    pub(super) reads_likely: bool,
}

impl std::ops::BitOr for Notes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self {
            is_ahead: self.is_ahead || other.is_ahead,
            reads_likely: self.reads_likely || other.reads_likely,
        }
    }
}

impl<'a> World<'a> {
    /// Evaluates an expression, and records what Terraform would reject in it.
    pub(crate) fn eval(&self, inst: InstIx, each: &Each, expr: Expr<'a>, file: usize) -> Value {
        self.eval_with(inst, each, expr, file, &[])
    }

    /// The same with additional names.
    pub(crate) fn eval_with(
        &self,
        inst: InstIx,
        each: &Each,
        expr: Expr<'a>,
        file: usize,
        names: &[(&str, Value)],
    ) -> Value {
        self.eval_in((inst, each, None), expr, file, names)
    }

    /// The same in a condition, and whether something is known of it that Terraform knows only when it applies. `own`: what
    /// `self` means.
    pub(crate) fn eval_condition(
        &self,
        (inst, each, own): (InstIx, &Each, Option<&Res>),
        expr: Expr<'a>,
        file: usize,
    ) -> (Value, bool) {
        let outside = self.notes.take();
        let value = self.eval_in((inst, each, own), expr, file, &[]);
        let notes = self.notes.get();
        self.notes.set(outside | notes);
        (value, notes.is_ahead)
    }

    fn eval_in(
        &self,
        (inst, each, own): (InstIx, &Each, Option<&Res>),
        expr: Expr<'a>,
        file: usize,
        names: &[(&str, Value)],
    ) -> Value {
        let here = Here {
            world: self,
            inst,
            each,
            own,
        };
        let file = u32::try_from(file).unwrap_or(u32::MAX);
        let outside = self.notes.replace(Notes {
            is_ahead: false,
            reads_likely: self.is_likely_there(inst, each),
        });
        let outcome = eval::evaluate_with(expr, file, &here, &self.budget, names);
        self.told(&outcome, self.is_surely_there(inst, each));
        let mut own = self.notes.get();
        own.is_ahead |= outcome.is_ahead;
        self.notes.set(outside | own);
        outcome.value
    }

    /// Records the results of an evaluation besides its value. `is_there`: whether Terraform certainly evaluates it.
    fn told(&self, outcome: &eval::Outcome, is_there: bool) {
        let is_ahead = outcome.is_ahead || self.notes.get().is_ahead;
        for error in &outcome.errors {
            self.note(error, is_there && !is_ahead);
        }
        self.unreached(&outcome.unreached);
        let is_evaluated = !self.is_static.get() && !self.is_applied.get();
        if let Some((place, why)) = outcome.may_fail.as_ref().filter(|_| is_evaluated) {
            self.leave_read_open(self.spot(*place), why);
        }
    }

    /// Leaves open what an engine rejects depending on its version.
    fn unreached(&self, errors: &[eval::EvalError]) {
        for error in errors
            .iter()
            .filter(|_| !self.is_static.get() && !self.is_applied.get())
        {
            let message = error.message.trim_end_matches('.');
            self.leave_values_open(error.place, &format!("whether it counts is unknown: {message}"));
        }
    }

    /// Whether Terraform certainly evaluates something in an instance: an open one may not exist.
    fn is_surely_there(&self, inst: InstIx, each: &Each) -> bool {
        !matches!(each, Each::Open(_)) && !matches!(self.inst(inst).each, Each::Open(_))
    }

    /// Whether it is only likely that something is evaluated in an instance.
    fn is_likely_there(&self, inst: InstIx, each: &Each) -> bool {
        let rests = || !self.inputs.is_certain && !self.rests_on.borrow().is_empty();
        let is_likely = match each {
            Each::None => false,
            Each::Count(key) => key.heuristic,
            Each::Item(key, value) => key.heuristic || value.as_unknown().is_some() && rests(),
            Each::Open(_) => rests(),
        };
        is_likely || self.inst(inst).heuristic
    }

    /// Records that a value is read that is only likely.
    pub(crate) fn reads_likely(&self) {
        let notes = self.notes.get();
        self.notes.set(Notes {
            reads_likely: true,
            ..notes
        });
    }

    /// The answer to a lookup that Terraform rejects.
    pub(crate) fn missing(&self, text: FaultText) -> Lookup {
        let message = format!("{}: {}", text.kind.word(), text.subject);
        self.texts.borrow_mut().insert(message.clone(), Rc::new(text));
        Lookup::Missing(message)
    }

    /// Records a failure. `is_known`: whether Terraform knows everything that makes it fail.
    fn note(&self, error: &eval::EvalError, is_known: bool) {
        if self.is_applied.get() {
            if is_of_values(error.kind) {
                self.fails_apply(error.place, &error.message);
            }
            return;
        }
        let is_access = error.kind == EvalErrorKind::Access;
        if is_access && self.is_fault(error.place) {
            return;
        }
        let text = match error.kind {
            EvalErrorKind::Variable => self.texts.borrow().get(&error.message).cloned(),
            EvalErrorKind::Access => {
                let name = error
                    .message
                    .strip_prefix("This object does not have an attribute named \"")
                    .and_then(|t| t.strip_suffix("\"."));
                name.map(|name| Rc::new(FaultText::new(FaultKind::UnsupportedAttribute, name.to_owned())))
            }
            _ => None,
        };
        match text {
            // `terraform validate` knows less about values.
            Some(text) => {
                let is_passed_over = self.is_in_check.get() && text.kind == FaultKind::UndeclaredOutput;
                let is_static = !is_access && text.is_static() && !is_passed_over;
                self.fault(error.place, &text, is_static);
            }
            None if error.kind == EvalErrorKind::Limit => {}
            // Without instances Terraform does not evaluate it.
            None if self.is_static.get() => {}
            None if is_known && is_of_values(error.kind) => {
                let text = FaultText::new(FaultKind::FailingExpression, error.message.clone());
                if !self.is_fault(error.place) {
                    self.fault(error.place, &text, false);
                }
            }
            None => self.leave_values_open(error.place, &error.message),
        }
    }

    /// Records why the verdict of `terraform validate` cannot be known. The first reason is kept.
    pub(crate) fn leave_open(&self, spot: Spot, why: &str) {
        self.open
            .borrow_mut()
            .get_or_insert_with(|| (spot, why.to_owned()));
    }

    /// Records why the verdicts of commands that evaluate values cannot be known. The first reason is kept.
    pub(crate) fn leave_values_open(&self, place: Place, why: &str) {
        self.leave_values_open_at(self.spot(place), why);
    }

    /// Records that Terraform may reject what is at a spot, depending on data sources. If there is a plan, Terraform
    /// accepted it.
    pub(super) fn leave_read_open(&self, spot: Spot, why: &str) {
        if !self.is_planned() {
            self.leave_values_open_at(spot, &format!("whether it fails is unknown: {why}"));
        }
    }

    /// Records that it is unknown which instances exist, so that Terraform may reject them. If there is a plan,
    /// Terraform accepted them.
    pub(crate) fn leave_open_instances(&self, by: &Attr<'a>, why: &str) {
        if !self.is_planned() {
            self.leave_values_open_at(
                by.value(),
                &format!("which instances there are is unknown: {why}"),
            );
        }
    }

    /// [`Self::leave_values_open`], at a spot.
    pub(crate) fn leave_values_open_at(&self, spot: Spot, why: &str) {
        self.failed
            .borrow_mut()
            .get_or_insert_with(|| (spot, why.to_owned()));
    }

    /// Records what probably fails when Terraform applies. The first is kept.
    pub(crate) fn fails_apply(&self, place: Place, why: &str) {
        let failed = || (self.spot(place), why.to_owned());
        self.failed_apply.borrow_mut().get_or_insert_with(failed);
    }

    /// Records that Terraform rejects an expression when it plans a module instance.
    pub(crate) fn fails(&self, place: Place, text: &FaultText) {
        self.fault(place, text, false);
    }

    /// Records what Terraform rejects at a place; `is_static`: because of declarations, whatever the values are.
    fn fault(&self, place: Place, text: &FaultText, is_static: bool) {
        if self.is_static.get() && !text.is_static() {
            return;
        }
        let (at, static_at) = self.asked();
        self.add_fault(Fault {
            text: text.clone(),
            spot: self.spot(place),
            at: if text.is_static() { static_at.clone() } else { at },
            static_at,
            is_static,
            reads_likely: self.notes.get().reads_likely,
        });
    }
}

/// Whether an error is caused by values, not by files that may be created or by declarations.
fn is_of_values(kind: EvalErrorKind) -> bool {
    matches!(
        kind,
        EvalErrorKind::Duplicate | EvalErrorKind::Call | EvalErrorKind::Access | EvalErrorKind::Type
    )
}
