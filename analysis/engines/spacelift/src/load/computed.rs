//! Sources of calls that OpenTofu computes before it reads the modules.
//!
//! Source: the static evaluation of OpenTofu 1.8. What rests on variables is left open: their values may be others when
//! OpenTofu runs.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use applyorder_syntax::hcl::eval::{
    self, Budget, FunctionRef, Logic, Lookup, Marks, Scope, StepKind, Traversal, Value,
};
use applyorder_syntax::hcl::{Block, Expr};

use crate::functions::function;
use crate::read::TfFacts;

/// How many local values may wait for another; what waits longer is unknown.
const MAX_DEPTH: usize = 64;

/// The sources of the calls of a module that are computed and known, by the names of the calls.
pub(super) fn sources(files: &[&TfFacts]) -> BTreeMap<String, String> {
    let blocks = || files.iter().flat_map(|facts| facts.tree.body().blocks());
    let called: Vec<(&str, Expr<'_>)> = blocks()
        .filter(|block| block.kind() == "module")
        .filter_map(|block| Some((block.labels().next()?.text, source(block)?)))
        .collect();
    if called.is_empty() {
        return BTreeMap::new();
    }
    let mut locals = BTreeMap::new();
    for block in blocks().filter(|block| block.kind() == "locals") {
        for attribute in block.body().attributes() {
            let value = Local::Written(attribute.value());
            locals.insert(attribute.name(), value);
        }
    }
    let known = Locals {
        values: RefCell::new(locals),
        depth: Cell::new(0),
        is_open: Cell::new(false),
    };
    let budget = Budget::default();
    let computed = called.into_iter().filter_map(|(name, source)| {
        let value = known.eval(source, &budget)?;
        let source = value.as_str().filter(|_| value.all_marks() == Marks::NONE)?;
        Some((name.to_owned(), source.to_owned()))
    });
    computed.collect()
}

/// The source of a call, unless it is a literal text.
fn source(block: Block<'_>) -> Option<Expr<'_>> {
    let source = block.body().attribute("source")?.value();
    source.as_text().is_none().then_some(source)
}

/// A local value as far as it is known.
enum Local<'a> {
    Written(Expr<'a>),
    Asked,
    Known(Value),
}

struct Locals<'a> {
    values: RefCell<BTreeMap<&'a str, Local<'a>>>,
    depth: Cell<usize>,
    /// Whether something was asked for that is not known: OpenTofu then computes nothing, be it needed or not.
    is_open: Cell<bool>,
}

impl<'a> Locals<'a> {
    /// A value without anything in it that is wrong or not known.
    fn eval(&self, expr: Expr<'a>, budget: &Budget) -> Option<Value> {
        let outside = self.is_open.replace(false);
        let outcome = eval::evaluate(expr, u32::MAX, self, budget);
        let is_open = self.is_open.replace(outside);
        let is_right = outcome.errors.is_empty() && outcome.unreached.is_empty();
        (is_right && !is_open).then_some(outcome.value)
    }

    /// The value of a local one; nothing where that is not known.
    fn local(&self, name: &str, budget: &Budget) -> Option<Value> {
        let expr = match self.values.borrow_mut().get_mut(name)? {
            Local::Known(value) => return Some(value.clone()),
            asked => match std::mem::replace(asked, Local::Asked) {
                Local::Written(expr) => expr,
                _ => return None,
            },
        };
        let depth = self.depth.get();
        if depth >= MAX_DEPTH {
            return None;
        }
        self.depth.set(depth + 1);
        let value = self.eval(expr, budget);
        self.depth.set(depth);
        let value = value?;
        if let Some(local) = self.values.borrow_mut().get_mut(name) {
            *local = Local::Known(value.clone());
        }
        Some(value)
    }
}

impl Scope for Locals<'_> {
    fn variable(&self, traversal: Traversal<'_>, budget: &Budget) -> Lookup {
        let name = match traversal.steps.first().map(|step| &step.kind) {
            Some(StepKind::Attr(name)) if traversal.root == "local" => Some(*name),
            _ => None,
        };
        let local = name.and_then(|name| self.local(name, budget));
        let (value, steps) = match local {
            Some(value) => (value, 1),
            None => {
                self.is_open.set(true);
                (
                    Value::unknown("it is not known before the modules are read"),
                    traversal.steps.len(),
                )
            }
        };
        Lookup::Value { value, steps }
    }

    fn function(&self, name: &str) -> FunctionRef {
        function(name)
    }

    fn logic(&self) -> Logic {
        Logic::OneSide
    }
}
