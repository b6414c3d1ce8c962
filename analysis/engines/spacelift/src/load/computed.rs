//! Sources of calls that OpenTofu computes before it reads the modules.
//!
//! Source: the static evaluation of OpenTofu 1.8, `static_scope.go`: local values, variables by what the call passes,
//! those of the root by what the run is given, `path` and `terraform.workspace`. A variable of the root whose value comes
//! only from its default or from a file next to the module may have another value when OpenTofu runs, so what depends
//! on it is only likely.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use applyorder_syntax::hcl::eval::{
    self, Budget, FunctionRef, Logic, Lookup, Marks, NoVariables, Scope, StepKind, Templates, Traversal,
    Value,
};
use applyorder_syntax::hcl::{Block, Expr, ExprKind};
use rustc_hash::FxHashMap;

use crate::functions::{function, templates};
use crate::inputs::Inputs;
use crate::read::TfFacts;
use crate::types::{self, Spec};

/// The maximum length of a chain of values that depend on each other; beyond it a value is unknown.
const MAX_DEPTH: usize = 64;

/// What is needed of a module to compute sources in it.
pub(super) struct Frame {
    pub(super) facts: Vec<Arc<TfFacts>>,
    /// Whether all of it is known: overrides of calls and values are not supported.
    pub(super) is_plain: bool,
}

/// A source that is computed.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Computed {
    pub(crate) source: String,
    /// Whether OpenTofu may compute another one when it runs.
    pub(crate) is_likely: bool,
}

/// The calls that lead to a module: the numbers of the calling modules, and the names of the calls.
pub(super) type Callers = Vec<(usize, Arc<str>)>;

/// Computes sources in modules. The root is the first module.
pub(super) struct Sources<'a> {
    frames: &'a [Frame],
    callers: &'a [Callers],
    inputs: &'a dyn Fn() -> &'a Inputs,
    /// Called with each module in which a value is looked up.
    asked: &'a dyn Fn(usize),
    /// The directory of a module, as `path.module` gives it.
    dir: &'a dyn Fn(usize) -> String,
    named: RefCell<FxHashMap<usize, Rc<Named<'a>>>>,
    values: RefCell<FxHashMap<Name<'a>, Option<Value>>>,
    depth: Cell<usize>,
    /// Whether something unknown was looked up: then OpenTofu computes nothing, even if the result does not depend on
    /// it.
    is_open: Cell<bool>,
    budget: Budget,
}

/// The named declarations of a module.
#[derive(Default)]
struct Named<'a> {
    locals: FxHashMap<&'a str, Expr<'a>>,
    variables: FxHashMap<&'a str, Block<'a>>,
    calls: FxHashMap<&'a str, Block<'a>>,
}

/// A named value in a module, given by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Name<'a> {
    Local(usize, &'a str),
    Variable(usize, &'a str),
}

/// Whether some files have a call whose source is not a literal string.
pub(super) fn has_computed(facts: &[Arc<TfFacts>]) -> bool {
    let mut blocks = facts.iter().flat_map(|facts| facts.tree.body().blocks());
    blocks.any(|block| block.kind() == "module" && source(block).is_some())
}

/// The source of a call, unless it is a literal string.
fn source(block: Block<'_>) -> Option<Expr<'_>> {
    let source = block.body().attribute("source")?.value();
    source.as_text().is_none().then_some(source)
}

impl<'a> Sources<'a> {
    pub(super) fn new(
        frames: &'a [Frame],
        callers: &'a [Callers],
        inputs: &'a dyn Fn() -> &'a Inputs,
        asked: &'a dyn Fn(usize),
        dir: &'a dyn Fn(usize) -> String,
    ) -> Self {
        Self {
            frames,
            callers,
            inputs,
            asked,
            dir,
            named: RefCell::default(),
            values: RefCell::default(),
            depth: Cell::new(0),
            is_open: Cell::new(false),
            budget: Budget::default(),
        }
    }

    /// The computed sources of a module's calls that are known, by the names of the calls.
    pub(super) fn of(&self, number: usize) -> BTreeMap<String, Computed> {
        let is_computed = |frame: &&Frame| frame.is_plain && has_computed(&frame.facts);
        if self.frames.get(number).filter(is_computed).is_none() {
            return BTreeMap::new();
        }
        let named = self.named(number);
        let computed = named.calls.iter().filter_map(|(name, block)| {
            let value = self.eval(number, source(*block)?)?;
            let source = value.as_str().filter(|_| value.all_marks() == Marks::NONE)?;
            let computed = Computed {
                source: source.to_owned(),
                is_likely: value.has_heuristic(),
            };
            Some(((*name).to_owned(), computed))
        });
        computed.collect()
    }

    fn named(&self, number: usize) -> Rc<Named<'a>> {
        if let Some(known) = self.named.borrow().get(&number) {
            return known.clone();
        }
        (self.asked)(number);
        let mut named = Named::default();
        let frame = self.frames.get(number).filter(|frame| frame.is_plain);
        let facts = frame.map_or(&[][..], |frame| &frame.facts);
        for block in facts.iter().flat_map(|facts| facts.tree.body().blocks()) {
            let label = block.labels().next().map(|label| label.text);
            match (block.kind(), label) {
                ("locals", _) => {
                    let attributes = block.body().attributes();
                    named.locals.extend(attributes.map(|a| (a.name(), a.value())));
                }
                ("variable", Some(name)) => drop(named.variables.insert(name, block)),
                ("module", Some(name)) => drop(named.calls.insert(name, block)),
                _ => {}
            }
        }
        let named = Rc::new(named);
        self.named.borrow_mut().insert(number, named.clone());
        named
    }

    /// The value of an expression if it has no errors and depends on nothing unknown.
    fn eval(&self, number: usize, expr: Expr<'a>) -> Option<Value> {
        let outside = self.is_open.replace(false);
        let here = Here { all: self, number };
        let outcome = eval::evaluate(expr, u32::MAX, &here, &self.budget);
        let is_open = self.is_open.replace(outside);
        let is_right = outcome.errors.is_empty() && outcome.unreached.is_empty();
        (is_right && !is_open).then_some(outcome.value)
    }

    /// The value of a name; `None` if it is unknown.
    fn value(&self, name: Name<'a>) -> Option<Value> {
        if let Some(known) = self.values.borrow().get(&name) {
            return known.clone();
        }
        let depth = self.depth.get();
        if depth >= MAX_DEPTH {
            return None;
        }
        // A lookup of the same name on the way means that it depends on itself.
        self.values.borrow_mut().insert(name, None);
        self.depth.set(depth + 1);
        let value = match name {
            Name::Local(number, name) => {
                let expr = self.named(number).locals.get(name).copied();
                expr.and_then(|expr| self.eval(number, expr))
            }
            Name::Variable(number, name) => self.variable(number, name),
        };
        self.depth.set(depth);
        self.values.borrow_mut().insert(name, value.clone());
        value
    }

    fn variable(&self, number: usize, name: &'a str) -> Option<Value> {
        let decl = *self.named(number).variables.get(name)?;
        let is = |name: &str, wanted: bool| {
            let given = decl
                .body()
                .attribute(name)
                .map(|attribute| attribute.value().kind());
            given.is_none_or(|given| matches!(given, ExprKind::Bool(value) if value == wanted))
        };
        // OpenTofu accepts neither secrets here nor variables that are declared as not constant.
        if !is("sensitive", false) || !is("ephemeral", false) || !is("const", true) {
            return None;
        }
        let spec = spec(decl, &self.budget);
        let default = || {
            let default = decl.body().attribute("default")?.value();
            Some(eval::evaluate(default, u32::MAX, &NoVariables::default(), &self.budget).value)
        };
        let given = match number {
            0 => self.input(name, &spec, decl, default)?,
            _ => self.passed(number, name, default)?,
        };
        let value = match given.is_null() && !is("nullable", true) {
            true => default()?,
            false => given,
        };
        types::admits(&value, &spec).ok()?;
        let value = types::conform(value, &spec);
        value.first_unknown().is_none().then_some(value)
    }

    /// The value of a variable of the root.
    fn input(
        &self,
        name: &str,
        spec: &Spec,
        decl: Block<'a>,
        default: impl Fn() -> Option<Value>,
    ) -> Option<Value> {
        let inputs = (self.inputs)();
        let is_text = matches!(spec, Spec::Plain(_)) || decl.body().attribute("type").is_none();
        match inputs.value(name, is_text) {
            Some((value, from)) => Some(value.likely(from.is_some() && !inputs.is_certain)),
            None => Some(default()?.likely(!inputs.is_certain)),
        }
    }

    /// The selected workspace, if it is certain.
    fn workspace(&self) -> Option<Value> {
        let inputs = (self.inputs)();
        let name = inputs.workspace.as_deref().filter(|_| inputs.is_certain)?;
        Some(Value::string(name))
    }

    /// The value that all calls of a module pass for a variable, if it is the same.
    fn passed(&self, number: usize, name: &str, default: impl Fn() -> Option<Value>) -> Option<Value> {
        let mut passed: Option<Value> = None;
        for (caller, call) in self.callers.get(number)? {
            let block = *self.named(*caller).calls.get(&**call)?;
            let value = match block.body().attribute(name) {
                Some(argument) => self.eval(*caller, argument.value())?,
                None => default()?,
            };
            match &passed {
                Some(other) if other.equals(&value) != Some(true) => return None,
                Some(other) => passed = Some(value.likely(other.has_heuristic())),
                None => passed = Some(value),
            }
        }
        passed
    }
}

/// The declared type of a variable.
fn spec(decl: Block<'_>, budget: &Budget) -> Spec {
    let literal = |expr: Expr<'_>| eval::evaluate(expr, 0, &NoVariables::default(), budget).value;
    let ty = decl.body().attribute("type");
    ty.map_or(Spec::Any, |ty| types::read(ty.value(), &literal))
}

/// The module in which a name is looked up.
struct Here<'s, 'a> {
    all: &'s Sources<'a>,
    number: usize,
}

impl Scope for Here<'_, '_> {
    fn variable(&self, traversal: Traversal<'_>, _: &Budget) -> Lookup {
        let named = self.all.named(self.number);
        let name = match traversal.steps.first().map(|step| &step.kind) {
            Some(StepKind::Attr(name)) => *name,
            _ => "",
        };
        let known = match traversal.root {
            "local" => named
                .locals
                .get_key_value(name)
                .map(|(name, _)| Name::Local(self.number, name)),
            "var" => {
                let known = named.variables.get_key_value(name);
                known.map(|(name, _)| Name::Variable(self.number, name))
            }
            _ => None,
        };
        let of_opentofu = match (traversal.root, name) {
            ("path", "module") => Some(Value::string(&(self.all.dir)(self.number))),
            ("path", "root") => Some(Value::string(".")),
            ("terraform" | "tofu", "workspace") => self.all.workspace(),
            _ => None,
        };
        let known = known.and_then(|name| self.all.value(name));
        let (value, steps) = match known.or(of_opentofu) {
            Some(value) => (value, 1),
            None => {
                self.all.is_open.set(true);
                let why = "it is not known before the modules are read";
                (Value::unknown(why), traversal.steps.len())
            }
        };
        Lookup::Value { value, steps }
    }

    fn function(&self, name: &str) -> FunctionRef {
        function(name, true)
    }

    fn templates(&self) -> Templates {
        templates(true)
    }

    fn logic(&self) -> Logic {
        Logic::OneSide
    }
}
