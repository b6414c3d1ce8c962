//! What names mean at the place of an expression.
//!
//! Source: spec sections 4 and 5.

mod others;
mod planned;
mod resources;

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use applyorder_syntax::hcl::eval::{
    Budget, FileAnswer, FileRequest, FunctionRef, Logic, Lookup, Marks, Scope, StepKind, Templates,
    Traversal, Type, Unknown, Value,
};

use super::fault::{FaultKind, FaultText};
use super::key::Key;
use super::module::Module;
use super::world::{Calls, Each, Expansion, InstIx, Res, Symbol, World};
use crate::functions::{function, templates};
use crate::types::common;

/// A module instance and what `each` and `count` mean.
pub(crate) struct Here<'w, 'a> {
    pub(crate) world: &'w World<'a>,
    pub(crate) inst: InstIx,
    pub(crate) each: &'w Each,
    /// What `self` means.
    pub(crate) own: Option<&'w Res>,
}

fn value(value: Value, steps: usize) -> Lookup {
    Lookup::Value { value, steps }
}

fn unknown(why: impl AsRef<str>, steps: usize) -> Lookup {
    value(Value::unknown(why.as_ref()), steps)
}

fn attr<'t>(traversal: &Traversal<'t>, at: usize) -> Option<&'t str> {
    match traversal.steps.get(at)?.kind {
        StepKind::Attr(name) => Some(name),
        StepKind::Index(_) => None,
    }
}

fn index<'t>(traversal: &Traversal<'t>, at: usize) -> Option<&'t Value> {
    match &traversal.steps.get(at)?.kind {
        StepKind::Index(key) => Some(key),
        StepKind::Attr(_) => None,
    }
}

impl Scope for Here<'_, '_> {
    fn variable(&self, traversal: Traversal<'_>, _: &Budget) -> Lookup {
        match traversal.root {
            "each" => self.each(&traversal),
            "var" => self.named(&traversal, FaultKind::UndeclaredVariable),
            "local" => self.named(&traversal, FaultKind::UndeclaredLocal),
            "module" => self.module(&traversal),
            "data" => self.resource(&traversal, true),
            "self" => self.itself(&traversal),
            "count" | "path" | "terraform" | "tofu" | "ephemeral" => self.of_terraform(&traversal),
            _ => self.resource(&traversal, false),
        }
    }

    fn function(&self, name: &str) -> FunctionRef {
        function(name, self.world.is_tofu())
    }

    fn file(&self, request: FileRequest<'_>) -> FileAnswer {
        let answer = super::files::answer(self.world, self.world.inst(self.inst).module, request);
        match (request, &answer) {
            (FileRequest::Exists(path), FileAnswer::NotYet) => self.world.rest_on_absent(path),
            (FileRequest::Set(dir, pattern), FileAnswer::NotYet) => {
                self.world.rest_on_absent(&format!("{dir}/{pattern}"));
            }
            _ => {}
        }
        answer
    }

    /// Spec 2.6: a slug consists of lowercase letters, digits, `-` and `_`.
    fn is_word(&self, symbol: NonZeroU32) -> bool {
        matches!(self.world.symbol_of(symbol), Some(Symbol::Id(_)))
    }

    fn logic(&self) -> Logic {
        self.world.logic()
    }

    fn templates(&self) -> Templates {
        templates(self.world.is_tofu())
    }
}

impl<'a> Here<'_, 'a> {
    fn own(&self) -> Option<&Module<'a>> {
        self.world.module(self.inst)
    }

    fn has_gap(&self) -> bool {
        self.own().is_none_or(|m| m.has_gap)
    }

    /// The values that Terraform itself provides.
    fn of_terraform(&self, traversal: &Traversal<'_>) -> Lookup {
        let all = traversal.steps.len();
        match (traversal.root, attr(traversal, 0)) {
            ("count", _) => match self.each {
                Each::Count(index) => value(index.clone(), 1),
                Each::Open(why) => unknown(why, 1),
                _ => unknown("`count` means nothing here", all),
            },
            ("path", Some("module")) => value(Value::string(&self.world.path_of(self.inst)), 1),
            ("path", Some("root")) => value(Value::string("."), 1),
            ("path", _) => {
                let why = "where Terraform is started is unknown";
                value(Unknown::new(why, Type::String).into(), 1)
            }
            ("terraform" | "tofu", Some("applying")) => {
                let why = "whether it is applied is known when it is";
                value(Value::unknown(why).marked(Marks::EPHEMERAL), 1)
            }
            ("terraform" | "tofu", Some("workspace")) => value(self.world.workspace_value(), 1),
            ("terraform" | "tofu", _) => unknown("what it means is unknown", 1),
            ("ephemeral", _) => {
                let found = Value::unknown("what is ephemeral is known only when Terraform runs");
                value(found.marked(Marks::EPHEMERAL), all)
            }
            _ => unknown("what it means is unknown", all),
        }
    }

    fn each(&self, traversal: &Traversal<'_>) -> Lookup {
        match (self.each, attr(traversal, 0)) {
            (Each::Item(key, _), Some("key")) => value(key.clone(), 1),
            (Each::Item(_, own), Some("value")) => {
                if own.has_heuristic() {
                    self.world.reads_likely();
                }
                value(own.clone(), 1)
            }
            (Each::Open(why), _) => unknown(why, 1),
            _ => unknown("`each` means nothing here", traversal.steps.len()),
        }
    }

    /// `var.x` and `local.x`.
    fn named(&self, traversal: &Traversal<'_>, kind: FaultKind) -> Lookup {
        let Some(name) = attr(traversal, 0) else {
            return unknown("all values together are not looked at", traversal.steps.len());
        };
        let is_local = kind == FaultKind::UndeclaredLocal;
        let found = if is_local {
            self.world.local(self.inst, name)
        } else {
            self.world.variable(self.inst, name)
        };
        match found {
            Some(found) => value(found, 1),
            None if self.has_gap() => unknown("its declaration cannot be read", 1),
            None => {
                let near = self.own().and_then(|own| {
                    let known = if is_local {
                        own.known_locals()
                    } else {
                        own.known_variables()
                    };
                    self.world.compared.nearest(name, known)
                });
                let subject = format!("{}.{name}", traversal.root);
                self.world.missing(FaultText::new(kind, subject).near(name, near))
            }
        }
    }

    fn module(&self, traversal: &Traversal<'_>) -> Lookup {
        let Some(name) = attr(traversal, 0) else {
            return unknown("all modules together are not looked at", traversal.steps.len());
        };
        let Some(own) = self.own() else {
            return unknown("the module cannot be read", 1);
        };
        let Some(number) = own.call(name) else {
            if own.has_gap {
                return unknown("its declaration cannot be read", 1);
            }
            let near = self.world.compared.nearest(name, own.known_calls());
            let text = FaultText::new(FaultKind::UndeclaredModule, format!("module.{name}"));
            return self.world.missing(text.near(name, near));
        };
        let calls = self.world.calls(self.inst, number);
        if let Some(why) = &calls.why {
            return unknown(why, traversal.steps.len());
        }
        match (&*calls.expansion, index(traversal, 1)) {
            (
                Expansion::Known {
                    counted,
                    by_key,
                    heuristic,
                    place,
                    ..
                },
                Some(given),
            ) => {
                // A key that is not a number does not name an instance of `count`.
                let index = Some(given).filter(|_| *counted).and_then(Key::index);
                let Some(key) = index.or_else(|| Key::name(given)) else {
                    return resources::of_unknown_key(given, traversal, 1, || self.all_instances(&calls));
                };
                match by_key.get(&key).and_then(|i| calls.insts.get(*i)) {
                    Some(inst) => self.outputs(traversal, *inst, 2),
                    None => {
                        let text = FaultText::new(FaultKind::UnknownInstance, format!("module.{name}{key}"));
                        let text = text.related(*place, "these are its keys");
                        self.world
                            .missing(text.likely(*heuristic || given.has_heuristic()))
                    }
                }
            }
            (Expansion::Single, _) => match calls.insts.first() {
                Some(inst) => self.outputs(traversal, *inst, 1),
                None => unknown("the module cannot be read", 1),
            },
            (Expansion::Known { .. }, None) => value(self.all_instances(&calls), 1),
            _ => unknown(
                "which instance of the module is meant is unknown",
                traversal.steps.len(),
            ),
        }
    }

    /// The outputs of a module instance, or the one that the step at `at` names.
    fn outputs(&self, traversal: &Traversal<'_>, inst: InstIx, at: usize) -> Lookup {
        if traversal.steps.len() <= at {
            return value(self.all_outputs(inst), at);
        }
        let Some(module) = self.world.module(inst) else {
            return unknown("the module cannot be read", at + 1);
        };
        let Some(name) = attr(traversal, at) else {
            let given = index(traversal, at).and_then(Value::as_str);
            return match given.and_then(|name| module.output(name)) {
                Some(number) => {
                    let likely = index(traversal, at).is_some_and(Value::has_heuristic);
                    value(self.world.output_of_call(inst, number).likely(likely), at + 1)
                }
                None if module.has_gap => unknown("its declaration cannot be read", at + 1),
                None => value(self.all_outputs(inst), at),
            };
        };
        match module.output(name) {
            Some(number) => value(self.world.output_of_call(inst, number), at + 1),
            None if module.has_gap => unknown("its declaration cannot be read", at + 1),
            None => {
                let near = self.world.compared.nearest(name, module.known_outputs());
                let own = self.world.inst(inst);
                let subject = format!("{}{name}", own.path);
                let mut text = FaultText::new(FaultKind::UndeclaredOutput, subject).near(name, near);
                text = text.likely(own.heuristic);
                if let Some((caller, call)) = own.caller
                    && let Some(call) = self.world.module(caller).and_then(|m| m.calls.get(call))
                {
                    text = text.related(call.header(), "the module is called here");
                }
                self.world.missing(text)
            }
        }
    }

    /// The outputs of all instances of a call.
    fn all_instances(&self, calls: &Calls) -> Value {
        together(&calls.expansion, |at, _| match calls.insts.get(at) {
            Some(inst) => self.all_outputs(*inst),
            None => Value::unknown("the module cannot be read"),
        })
    }

    fn all_outputs(&self, inst: InstIx) -> Value {
        let Some(module) = self.world.module(inst) else {
            return Value::unknown("the module cannot be read");
        };
        let all = module.outputs.iter().enumerate();
        let fields: BTreeMap<Arc<str>, Value> = all
            .map(|(number, decl)| (decl.name().into(), self.world.output_of_call(inst, number)))
            .collect();
        Value::object(fields)
    }
}

/// All instances of a resource or call together: a list by `count`, a map by `for_each`. `one` gives each by its number
/// and its key.
fn together(expansion: &Expansion, one: impl Fn(usize, &Key) -> Value) -> Value {
    let Expansion::Known {
        counted,
        keys,
        heuristic,
        ..
    } = expansion
    else {
        return Value::unknown("which instances there are is unknown");
    };
    let all = keys.iter().enumerate();
    let all = all.map(|(at, (key, _))| (key, one(at, key)));
    if *counted {
        return Value::tuple(all.map(|(_, value)| value).collect()).likely(*heuristic);
    }
    let named = all.filter_map(|(key, value)| match key {
        Key::Str(text) => Some((text.clone(), value)),
        _ => None,
    });
    let fields: BTreeMap<Arc<str>, Value> = named.collect();
    let values: Vec<Value> = fields.values().cloned().collect();
    let map = match common(&values) {
        Type::Dynamic => Value::object(fields),
        ty => Value::map(fields, ty),
    };
    map.likely(*heuristic)
}
