//! Values that are sensitive or ephemeral, which are followed by names only.

use applyorder_syntax::hcl::{Expr, ExprKind};
use rustc_hash::FxHashSet;

use super::super::module::Decl;
use super::walk::Walk;
use crate::read::Target;

pub(super) const EPHEMERAL: &str = "whether a value is ephemeral is not followed";

/// What values are that are kept secret, and why a verdict is open where one may be.
pub(super) const SECRETS: &[(&str, &str)] = &[
    ("sensitive", "whether a value is sensitive is not followed"),
    ("ephemeral", EPHEMERAL),
];

impl<'a> Walk<'_, '_, 'a> {
    /// Whether a value may be one that is kept secret, as far as names tell it.
    pub(super) fn may_be_secret<'r>(
        &self,
        refs: impl Iterator<Item = &'r Target>,
        expr: Option<Expr<'a>>,
        word: &str,
    ) -> bool {
        let Some(module) = self.validate.own() else {
            return false;
        };
        let is_set = |decl: &Decl<'_>| decl.attr(word).is_some();
        let calls = |expr: Expr<'_>| {
            let mut all = expr.descendants().into_iter();
            all.any(|e| matches!(e.kind(), ExprKind::Call(call) if call.name() == word))
        };
        if expr.is_some_and(calls) {
            return true;
        }
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let mut open: Vec<&Target> = refs.collect();
        while let Some(target) = open.pop() {
            match target {
                Target::Variable(name) if module.variables.get(&**name).is_some_and(is_set) => return true,
                Target::Local(name) if seen.insert(name) => {
                    if module.locals.get(&**name).is_some_and(|attr| calls(attr.expr)) {
                        return true;
                    }
                    let own = module.local_refs.iter().filter(|(_, r)| r.attribute == *name);
                    open.extend(own.map(|(_, r)| &r.target));
                }
                Target::Module(name, _) => {
                    let call = module.call(name).and_then(|at| module.calls.get(at));
                    let child = call.and_then(|call| self.validate.called(call));
                    if child.is_some_and(|(_, child)| child.outputs.iter().any(is_set)) {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }
}
