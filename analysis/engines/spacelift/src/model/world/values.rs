//! The values of arguments, locals, outputs and variables, each computed once.

use std::rc::Rc;

use applyorder_syntax::hcl::Expr;
use applyorder_syntax::hcl::eval::{self, Marks, Type, Value};

use super::super::module::{Attr, Decl};
use super::super::validate::marks_of;
use super::{Each, InstIx, Named, Res, Slot, Symbol, World};
use crate::types::{self, Spec};

impl<'a> World<'a> {
    /// An argument of a resource instance; `None` if it is not set.
    pub(crate) fn attribute(&self, res: &Res, name: &str) -> Option<Value> {
        let attr = *self.decl(res)?.attr(name)?;
        Some(self.part(res, attr.name, || {
            self.eval(res.inst, &self.each_of(res), attr.expr, attr.file)
        }))
    }

    /// A part of a resource instance, by its name, computed once.
    pub(crate) fn part(&self, res: &Res, name: &'a str, make: impl FnOnce() -> Value) -> Value {
        let part = (res.clone(), name);
        if let Some(slot) = self.attributes.borrow().get(&part) {
            return self.of_slot(slot);
        }
        self.attributes
            .borrow_mut()
            .insert(part.clone(), Slot::InProgress);
        let made = self.noted(make);
        let value = self.of_slot(&made);
        self.attributes.borrow_mut().insert(part, made);
        value
    }

    fn of_slot(&self, slot: &Slot) -> Value {
        match slot {
            Slot::Done(value, notes) => {
                self.notes.set(self.notes.get() | *notes);
                value.clone()
            }
            Slot::InProgress => Value::unknown("it depends on itself"),
        }
    }

    fn noted(&self, make: impl FnOnce() -> Value) -> Slot {
        let outside = self.notes.take();
        let value = self.whole(make);
        Slot::Done(value, self.notes.replace(outside))
    }

    /// Evaluates what Terraform always evaluates, regardless of the first caller.
    pub(super) fn whole<T>(&self, make: impl FnOnce() -> T) -> T {
        let outside = (self.is_static.replace(false), self.is_applied.replace(false));
        let made = make();
        self.is_static.set(outside.0);
        self.is_applied.set(outside.1);
        made
    }

    fn kept(&self, name: Named<'a>, make: impl FnOnce() -> Value) -> Value {
        if let Some(slot) = self.values.borrow().get(&name) {
            return self.of_slot(slot);
        }
        self.values.borrow_mut().insert(name, Slot::InProgress);
        let made = self.noted(make);
        let value = self.of_slot(&made);
        self.values.borrow_mut().insert(name, made);
        value
    }

    pub(crate) fn local(&self, inst: InstIx, name: &str) -> Option<Value> {
        let attr: Attr<'a> = *self.module(inst)?.locals.get(name)?;
        Some(self.kept(Named::Local(inst, attr.name), || {
            self.eval(inst, &Each::None, attr.expr, attr.file)
        }))
    }

    pub(crate) fn output(&self, inst: InstIx, number: usize) -> Value {
        let attr = self
            .module(inst)
            .and_then(|m| m.outputs.get(number))
            .and_then(|d| d.attr("value").copied());
        let Some(attr) = attr else {
            return Value::unknown("the output has no value");
        };
        self.kept(Named::Output(inst, number), || {
            self.eval(inst, &Each::None, attr.expr, attr.file)
        })
    }

    /// The value of an output as its callers see it. Terraform 1.11 ignores that an output of a module is declared
    /// sensitive; other versions do not.
    pub(crate) fn output_of_call(&self, inst: InstIx, number: usize) -> Value {
        let decl = self.module(inst).and_then(|m| m.outputs.get(number));
        let said = decl.map_or(Marks::NONE, |decl| marks_of(self, decl));
        let marks = match said.has(Marks::SENSITIVE) && !self.is_tofu() {
            true => said.without(Marks::SENSITIVE) | Marks::PERHAPS_SENSITIVE,
            false => said,
        };
        let is_likely = self.inst(inst).heuristic;
        if is_likely {
            self.reads_likely();
        }
        self.output(inst, number).marked(marks).likely(is_likely)
    }

    /// The value of a variable; `None` if it is not declared.
    pub(crate) fn variable(&self, inst: InstIx, name: &str) -> Option<Value> {
        let module = self.module(inst)?;
        let (known, decl) = module.variables.get_key_value(name)?;
        let known: &'a str = known;
        let spec = self.spec(self.inst(inst).module, known, decl);
        let default = decl.attr("default").copied();
        let caller = self.inst(inst).caller;
        Some(self.kept(Named::Variable(inst, known), || {
            let given = self.given(inst, known, &spec);
            let null = given
                .as_ref()
                .filter(|value| value.is_null() && !decl.is_nullable());
            let by_default = || {
                let attr = default?;
                let value = self.eval(inst, &Each::None, attr.expr, attr.file);
                Some(match null {
                    Some(null) => value.likely(null.has_heuristic()),
                    None if caller.is_some() => value,
                    None => {
                        self.rest_on(format!("variable `{known}`: its default"));
                        value.likely(!self.inputs.is_certain)
                    }
                })
            };
            let value = match given.as_ref().filter(|_| null.is_none()) {
                Some(given) => Some(given.clone()),
                None => by_default(),
            };
            let value = match value {
                Some(value) => types::conform(value, &spec),
                None => Value::unknown(&format!("variable `{known}` has no value here")),
            };
            let marks = marks_of(self, decl);
            if value.all_marks().has(Marks::EPHEMERAL) && !marks.has(Marks::EPHEMERAL) {
                self.note_passed(inst, known, &value);
                // Nothing that depends on it is evaluated.
                return Value::unknown("what is passed is ephemeral");
            }
            value.marked(marks)
        }))
    }

    /// What is given for a variable.
    fn given(&self, inst: InstIx, name: &'a str, spec: &Spec) -> Option<Value> {
        match self.inst(inst).caller {
            Some((caller, call)) => self.argument(inst, caller, call, name),
            None => self.input(name, spec),
        }
    }

    /// The null that is given for a variable that has no default and may not be null.
    pub(crate) fn unset(&self, inst: InstIx, name: &'a str, decl: &Decl<'a>) -> Option<Value> {
        if decl.is_nullable() || decl.attr("default").is_some() {
            return None;
        }
        let spec = self.spec(self.inst(inst).module, name, decl);
        self.given(inst, name, &spec).filter(Value::is_null)
    }

    /// The value given for a variable, if it does not have its type, and why.
    pub(crate) fn unfit(&self, inst: InstIx, name: &'a str, decl: &Decl<'a>) -> Option<(Value, String)> {
        let spec = self.spec(self.inst(inst).module, name, decl);
        let value = self.given(inst, name, &spec)?;
        let why = types::admits(&value, &spec).err()?;
        Some((value, why))
    }

    /// Whether Terraform prompts for a variable of the root, or rejects it if it must not prompt.
    pub(crate) fn is_asked_for(&self, name: &'a str, decl: &Decl<'a>) -> bool {
        decl.attr("default").is_none() && self.input(name, &self.spec(0, name, decl)).is_none()
    }

    /// Records what a value depends on that may change before Terraform starts.
    fn rest_on(&self, what: String) {
        if !self.inputs.is_certain {
            self.reads_likely();
        }
        self.rests_on.borrow_mut().insert(what);
    }

    /// `terraform.workspace`. Another one may be selected by the time Terraform runs.
    pub(crate) fn workspace_value(&self) -> Value {
        if self.inputs.is_remote {
            return Value::unknown("the service that runs the module has its own workspace");
        }
        let name = self.workspace();
        self.rest_on(format!("the workspace `{name}`"));
        Value::string(&name).likely(!self.inputs.is_certain)
    }

    /// Records that a value depends on a file not existing.
    pub(crate) fn rest_on_absent(&self, path: &str) {
        self.reads_likely();
        let text = format!("the absence of `{path}`");
        self.rests_on.borrow_mut().insert(text);
    }

    /// Records that an ephemeral value is passed for a variable that is not ephemeral.
    fn note_passed(&self, inst: InstIx, name: &'a str, value: &Value) {
        let Some((caller, call)) = self.inst(inst).caller else {
            return;
        };
        let call = self.module(caller).and_then(|m| m.calls.get(call));
        if let Some((call, attr)) = call.and_then(|call| Some((call, call.attr(name)?))) {
            let address = format!("{}module.{}", self.inst(caller).path, call.name());
            let why = "the value is ephemeral, and the variable is not";
            self.note_secret((inst, &address), (name, attr.value()), value, why);
        }
    }

    fn argument(&self, inst: InstIx, caller: InstIx, call: usize, name: &str) -> Option<Value> {
        let attr = *self.module(caller)?.calls.get(call)?.attr(name)?;
        let each = self.inst(inst).each.clone();
        Some(self.eval(caller, &each, attr.expr, attr.file))
    }

    fn input(&self, name: &str, spec: &Spec) -> Option<Value> {
        if let Some(value) = self.plan.as_ref().and_then(|plan| plan.variable(name)) {
            return Some(value);
        }
        let (value, from) = self.inputs.value(name, self.is_text(name, spec))?;
        if let Some(from) = from {
            self.rest_on(format!("variable `{name}`: {from}"));
            return Some(value.likely(!self.inputs.is_certain));
        }
        Some(value)
    }

    /// Whether the text given for a variable of the root is used as it is: without a type, and with a primitive one.
    fn is_text(&self, name: &str, spec: &Spec) -> bool {
        let decl = self.module(0).and_then(|root| root.variables.get(name));
        matches!(spec, Spec::Plain(_)) || decl.is_none_or(|decl| decl.attr("type").is_none())
    }

    /// Why the text given for a variable of the root has no value, and whether that is only likely.
    pub(crate) fn refused(&self, name: &'a str, decl: &Decl<'a>) -> Option<(String, bool)> {
        if self.is_text(name, &self.spec(0, name, decl)) {
            return None;
        }
        self.inputs.refused(name)
    }

    /// The type of a variable of a module, by its declaration there.
    pub(crate) fn module_spec(&self, module: usize, decl: &Decl<'a>) -> Rc<Spec> {
        self.spec(module, decl.name(), decl)
    }

    /// The type of a variable of a module.
    pub(crate) fn spec(&self, module: usize, name: &'a str, decl: &Decl<'a>) -> Rc<Spec> {
        if let Some(known) = self.specs.borrow().get(&(module, name)) {
            return known.clone();
        }
        let literal = |expr: Expr<'_>| {
            let scope = eval::NoVariables::default();
            eval::evaluate(expr, 0, &scope, &self.budget).value
        };
        let spec = decl
            .attr("type")
            .map_or(Spec::Any, |attr| types::read(attr.expr, &literal));
        let spec = Rc::new(spec);
        self.specs.borrow_mut().insert((module, name), spec.clone());
        spec
    }

    /// An argument that is a string: numbers and booleans are converted.
    pub(crate) fn text(&self, res: &Res, name: &str) -> Option<Value> {
        let value = self.attribute(res, name)?;
        Some(eval::convert(&value, &Type::String).unwrap_or(value))
    }

    /// `name` of a stack: its string if that is known, else `symbol`.
    pub(crate) fn name_value(&self, res: &Res, symbol: Value) -> Value {
        let attr = self.decl(res).and_then(|d| d.attr("name")).copied();
        let (Some(attr), Some(value)) = (attr, self.text(res, "name")) else {
            return symbol;
        };
        if value.as_str().is_none() {
            return symbol;
        }
        // Its place distinguishes it from other strings.
        value.at(attr.written())
    }

    /// `slug` of a stack, if it is set. Terraform knows it before it applies anything.
    pub(crate) fn written_slug(&self, res: &Res) -> Option<Value> {
        let attr = *self.decl(res)?.attr("slug")?;
        let value = self.text(res, "slug")?;
        value.as_str()?;
        // Its place distinguishes it from other strings.
        Some(value.at(attr.written()))
    }

    /// `id` of a data source. What it represents is determined when all stacks are known.
    pub(crate) fn data_id(&self, res: &Res) -> Value {
        let id = self.symbol(Symbol::Id(res.clone()), "it is looked up when Terraform runs");
        id.read()
    }
}
