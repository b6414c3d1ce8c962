//! What names mean where an expression stands.
//!
//! Source: spec sections 4 and 5.

use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_core::rules::nearest;
use applyorder_syntax::hcl::eval::functions;
use applyorder_syntax::hcl::eval::{
    Budget, FileAnswer, FileRequest, FunctionRef, Lookup, Scope, StepKind, Traversal, Type, Value,
};

use super::fault::{FaultKind, FaultText};
use super::key::Key;
use super::module::{Decl, Module};
use super::types::common;
use super::world::{Each, Expansion, InstIx, Res, Symbol, World};
use crate::schema::{Kind, STACK, schema};

/// A module instance and what `each` and `count` mean.
pub(crate) struct Here<'w, 'a> {
    pub(crate) world: &'w World<'a>,
    pub(crate) inst: InstIx,
    pub(crate) each: &'w Each,
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
            "count" => match self.each {
                Each::Count(index) => value(index.clone(), 1),
                Each::Open(why) => unknown(why, 1),
                _ => unknown("`count` means nothing here", traversal.steps.len()),
            },
            "var" => self.named(&traversal, FaultKind::UndeclaredVariable),
            "local" => self.named(&traversal, FaultKind::UndeclaredLocal),
            "module" => self.module(&traversal),
            "path" => match attr(&traversal, 0) {
                Some("module") => value(Value::string(&self.world.path_of(self.inst)), 1),
                Some("root") => value(Value::string("."), 1),
                _ => unknown("where Terraform is started is unknown", 1),
            },
            "data" => self.resource(&traversal, true),
            "terraform" => unknown("the workspace is unknown", 1),
            "self" => unknown("`self` is known only when it is there", traversal.steps.len()),
            _ => self.resource(&traversal, false),
        }
    }

    fn function(&self, name: &str) -> FunctionRef {
        function(name)
    }

    fn file(&self, request: FileRequest<'_>) -> FileAnswer {
        super::files::answer(self.world, request)
    }
}

/// A function of Terraform's. Of provider functions nothing is known.
pub(super) fn function(name: &str) -> FunctionRef {
    if name.starts_with("provider::") {
        return FunctionRef::Opaque(&functions::OTHER);
    }
    functions::lookup(name.strip_prefix("core::").unwrap_or(name))
}

impl Here<'_, '_> {
    fn own(&self) -> Option<&Module<'_>> {
        self.world.module(self.inst)
    }

    fn has_gap(&self) -> bool {
        self.own().is_none_or(|m| m.has_gap)
    }

    fn each(&self, traversal: &Traversal<'_>) -> Lookup {
        match (self.each, attr(traversal, 0)) {
            (Each::Item(key, _), Some("key")) => value(key.clone(), 1),
            (Each::Item(_, own), Some("value")) => value(own.clone(), 1),
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
            None if self.has_gap() => unknown("its declaration can't be read", 1),
            None => {
                let own = self.own();
                let known: Vec<&str> = if is_local {
                    own.map_or_else(Vec::new, |m| m.locals.keys().copied().collect())
                } else {
                    own.map_or_else(Vec::new, |m| m.variables.keys().copied().collect())
                };
                let near = nearest(name, sorted(known));
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
            return unknown("the module can't be read", 1);
        };
        let Some(number) = own.call(name) else {
            if own.has_gap {
                return unknown("its declaration can't be read", 1);
            }
            let near = nearest(name, own.calls.iter().map(Decl::name));
            let text = FaultText::new(FaultKind::UndeclaredModule, format!("module.{name}"));
            return self.world.missing(text.near(name, near));
        };
        let calls = self.world.calls(self.inst, number);
        if let Some(why) = &calls.why {
            return unknown(why, traversal.steps.len());
        }
        match (&*calls.expansion, index(traversal, 1)) {
            (Expansion::Single, None) => match calls.insts.first() {
                Some(inst) => self.outputs(traversal, *inst, 1),
                None => unknown("the module can't be read", 1),
            },
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
                // A key that is not a number names no instance of `count`.
                let index = Some(given).filter(|_| *counted).and_then(Key::index);
                let Some(key) = index.or_else(|| Key::name(given)) else {
                    return unknown("its key is unknown", traversal.steps.len());
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
            (
                Expansion::Known {
                    counted,
                    keys,
                    heuristic,
                    ..
                },
                None,
            ) if traversal.steps.len() == 1 => {
                let all = calls.insts.iter().map(|inst| self.all_outputs(*inst));
                value(collected(*counted, keys, all).likely(*heuristic), 1)
            }
            _ => unknown(
                "which instance of the module is meant is unknown",
                traversal.steps.len(),
            ),
        }
    }

    /// The outputs of a module instance, of which the step at `at` may name one.
    fn outputs(&self, traversal: &Traversal<'_>, inst: InstIx, at: usize) -> Lookup {
        if traversal.steps.len() <= at {
            return value(self.all_outputs(inst), at);
        }
        let Some(name) = attr(traversal, at) else {
            return unknown("which output is meant is unknown", traversal.steps.len());
        };
        let Some(module) = self.world.module(inst) else {
            return unknown("the module can't be read", at + 1);
        };
        match module.output(name) {
            Some(number) => value(self.world.output(inst, number), at + 1),
            None if module.has_gap => unknown("its declaration can't be read", at + 1),
            None => {
                let near = nearest(name, module.outputs.iter().map(Decl::name));
                let own = self.world.inst(inst);
                let subject = format!("{}{name}", own.path);
                let mut text = FaultText::new(FaultKind::UndeclaredOutput, subject).near(name, near);
                if let Some((caller, call)) = own.caller
                    && let Some(call) = self.world.module(caller).and_then(|m| m.calls.get(call))
                {
                    text = text.related(call.header(), "the module is called here");
                }
                self.world.missing(text)
            }
        }
    }

    fn all_outputs(&self, inst: InstIx) -> Value {
        let Some(module) = self.world.module(inst) else {
            return Value::unknown("the module can't be read");
        };
        let all = module.outputs.iter().enumerate();
        let fields: BTreeMap<Arc<str>, Value> = all
            .map(|(number, decl)| (decl.name().into(), self.world.output(inst, number)))
            .collect();
        Value::object(fields)
    }

    /// `TYPE.name` and `data.TYPE.name`.
    fn resource(&self, traversal: &Traversal<'_>, data: bool) -> Lookup {
        let (ty, at) = if data {
            (attr(traversal, 0), 2)
        } else {
            (Some(traversal.root), 1)
        };
        let (Some(ty), Some(name)) = (ty, attr(traversal, at - 1)) else {
            return unknown("what it means is unknown", traversal.steps.len());
        };
        let Some(module) = self.own() else {
            return unknown("the module can't be read", at);
        };
        let Some(number) = module.resource(data, ty, name) else {
            if module.has_gap || !ty.starts_with("spacelift_") {
                return unknown("it is declared elsewhere", traversal.steps.len());
            }
            let kind = match Kind::of(ty) {
                Kind::Dependency => FaultKind::UnknownDependency,
                _ => FaultKind::UnknownStack,
            };
            let known = module
                .resources
                .iter()
                .filter(|d| d.is_data() == data && d.ty() == ty);
            let near = nearest(name, known.map(Decl::name));
            let prefix = if data { "data." } else { "" };
            let path = self.world.inst(self.inst);
            let subject = format!("{}{prefix}{ty}.{name}", path.path);
            return self.world.missing(FaultText::new(kind, subject).near(name, near));
        };
        let Some(decl) = module.resources.get(number) else {
            return unknown("it can't be read", at);
        };
        if !decl.ty().starts_with("spacelift_") {
            let why = format!("`{}` is known only once it is applied", decl.address());
            return unknown(why, traversal.steps.len());
        }
        self.instance(traversal, number, decl, at)
    }

    /// The step at `at` is the first behind the name of a resource of Spacelift's.
    fn instance(&self, traversal: &Traversal<'_>, number: usize, decl: &Decl<'_>, at: usize) -> Lookup {
        let world = self.world;
        let address = || world.static_address(self.inst, decl);
        let res = |key: Key| Res {
            inst: self.inst,
            decl: number,
            key,
        };
        let next = traversal.steps.get(at).map(|step| &step.kind);
        match (&*world.expansion(self.inst, number), next) {
            (Expansion::Single, Some(StepKind::Index(key))) => {
                let shown = Key::index(key).or_else(|| Key::name(key));
                let shown = shown.map_or_else(String::new, |key| key.to_string());
                let text = FaultText::new(FaultKind::UnexpectedInstanceKey, address())
                    .near(&shown, Some(""))
                    .related(decl.name_spot(), "it has neither `count` nor `for_each`");
                world.missing(text)
            }
            (Expansion::Single, _) => self.attribute(traversal, &res(Key::None), decl, at),
            (
                expansion @ (Expansion::Known { counted, .. } | Expansion::Unknown { counted, .. }),
                Some(StepKind::Attr(_)),
            ) => {
                let word = if *counted { "count" } else { "for_each" };
                // In a block without instances nothing is its own key.
                let only = match expansion {
                    Expansion::Known { keys, .. } if keys.len() == 1 => {
                        keys.first().map(|(k, _)| k.to_string())
                    }
                    _ => None,
                };
                let added = match self.each {
                    Each::Count(_) if *counted => Some("[count.index]"),
                    Each::Item(..) if !*counted => Some("[each.key]"),
                    Each::Open(_) => Some(if *counted { "[count.index]" } else { "[each.key]" }),
                    _ => only.as_deref(),
                };
                let place = match expansion {
                    Expansion::Known { place, .. } | Expansion::Unknown { place, .. } => *place,
                    Expansion::Single => decl.header(),
                };
                let text = FaultText::new(FaultKind::MissingInstanceKey, address())
                    .near("", added)
                    .related(place, format!("it has `{word}`"));
                world.missing(text)
            }
            (
                Expansion::Known {
                    counted,
                    keys,
                    by_key,
                    heuristic,
                    place,
                },
                Some(StepKind::Index(given)),
            ) => {
                // A key that is not a number names no instance of `count`.
                let index = Some(given).filter(|_| *counted).and_then(Key::index);
                let Some(key) = index.or_else(|| Key::name(given)) else {
                    let why = given.as_unknown().map_or("its key is no key", |u| &*u.why);
                    return unknown(why, traversal.steps.len());
                };
                let likely = *heuristic || given.has_heuristic();
                if by_key.contains_key(&key) {
                    return match self.attribute(traversal, &res(key), decl, at + 1) {
                        Lookup::Value { value: found, steps } => value(found.likely(likely), steps),
                        missing => missing,
                    };
                }
                let near = match &key {
                    Key::Str(text) => nearest(
                        text,
                        keys.iter().filter_map(|(k, _)| match k {
                            Key::Str(text) => Some(&**text),
                            _ => None,
                        }),
                    ),
                    _ => None,
                };
                let word = match &key {
                    Key::Str(text) => text.to_string(),
                    key => key.to_string(),
                };
                let kind = FaultKind::UnknownInstance;
                let text = FaultText::new(kind, format!("{}{key}", address()))
                    .near(&word, near)
                    .related(*place, "these are its instances");
                world.missing(text.likely(likely))
            }
            (
                Expansion::Known {
                    counted,
                    keys,
                    heuristic,
                    ..
                },
                None,
            ) => {
                let all = keys.iter().map(|(key, _)| self.object(&res(key.clone()), decl));
                value(collected(*counted, keys, all).likely(*heuristic), at)
            }
            (Expansion::Unknown { counted, why, .. }, Some(StepKind::Index(given))) => {
                let key = if *counted {
                    Key::index(given)
                } else {
                    Key::name(given)
                };
                match key {
                    // Which instances there are is open, but this one is meant.
                    Some(key) if !given.has_heuristic() => self.attribute(traversal, &res(key), decl, at + 1),
                    _ => unknown(why, traversal.steps.len()),
                }
            }
            (Expansion::Unknown { why, .. }, None) => unknown(why, at),
        }
    }

    /// An attribute of an instance, or all of it where no step is left.
    fn attribute(&self, traversal: &Traversal<'_>, res: &Res, decl: &Decl<'_>, at: usize) -> Lookup {
        if traversal.steps.len() <= at {
            return value(self.object(res, decl), at);
        }
        let Some(name) = attr(traversal, at) else {
            return unknown("what it means is unknown", traversal.steps.len());
        };
        match self.member(res, decl, name) {
            Some(found) => value(found, at + 1),
            None => {
                let schema = schema(decl.is_data(), decl.ty());
                let known = schema
                    .iter()
                    .flat_map(|s| s.attributes.keys().chain(s.blocks.keys()));
                let near = nearest(name, known.copied());
                let subject = format!("{}.{name}", self.world.address(res));
                let text = FaultText::new(FaultKind::UnsupportedAttribute, subject).near(name, near);
                let text = text.likely(!self.world.knows_provider());
                self.world.missing(text)
            }
        }
    }

    /// An attribute of an instance; nothing where there is none of that name.
    fn member(&self, res: &Res, decl: &Decl<'_>, name: &str) -> Option<Value> {
        let world = self.world;
        let kind = Kind::of(decl.ty());
        if let Some(schema) = schema(decl.is_data(), decl.ty())
            && !schema.attributes.contains_key(name)
            && !schema.blocks.contains_key(name)
        {
            return None;
        }
        if decl.is_data() {
            return Some(match (decl.ty(), name) {
                (STACK, "id" | "stack_id") => world.data_id(res),
                ("spacelift_current_stack", "id") => {
                    world.symbol(Symbol::Id(res.clone()), "it is the stack that runs this code")
                }
                _ => {
                    let why = format!("`{}` is looked up when Terraform runs", decl.address());
                    Value::unknown(&why)
                }
            });
        }
        let by_provider = |attribute: &str| {
            let why = format!(
                "`{}.{attribute}` is known only once it is applied",
                decl.address()
            );
            Value::unknown(&why)
        };
        if kind == Kind::Variable || kind == Kind::Other {
            return Some(by_provider(name));
        }
        if name == "id" || (name == "slug" && kind == Kind::Stack) {
            let why = format!("`{}.{name}` is known only once it is applied", decl.address());
            return Some(world.symbol(Symbol::Id(res.clone()), &why));
        }
        if name == "name" && kind == Kind::Stack {
            let why = format!("`{}.name` is not known", decl.address());
            let symbol = world.symbol(Symbol::Name(res.clone()), &why);
            return Some(world.name_value(res, symbol));
        }
        let given = world.attribute(res, name);
        Some(given.unwrap_or_else(|| by_provider(name)))
    }

    /// All of an instance. Of the attributes those that lead somewhere are known.
    fn object(&self, res: &Res, decl: &Decl<'_>) -> Value {
        let kind = Kind::of(decl.ty());
        if decl.is_data() || matches!(kind, Kind::Variable | Kind::Other) {
            let mut fields: BTreeMap<Arc<str>, Value> = BTreeMap::new();
            for name in ["id", "stack_id"] {
                if let Some(found) = self.member(res, decl, name) {
                    fields.insert(name.into(), found);
                }
            }
            if fields
                .values()
                .any(|v| v.as_unknown().is_some_and(|u| u.symbol.is_some()))
            {
                return Value::object(fields);
            }
            return Value::unknown("it is looked up when Terraform runs");
        }
        let schema = schema(false, decl.ty());
        let names = schema
            .iter()
            .flat_map(|s| s.attributes.keys().chain(s.blocks.keys()));
        let fields = names.filter_map(|name| {
            let leads = matches!(*name, "id" | "slug" | "name" | "stack_id" | "depends_on_stack_id");
            let own = if leads {
                self.member(res, decl, name)?
            } else {
                Value::unknown("only some attributes of a whole resource are looked at")
            };
            Some((Arc::from(*name), own))
        });
        Value::object(fields.collect())
    }
}

/// All instances of a resource or call together: a list by `count`, a map by `for_each`.
fn collected(counted: bool, keys: &[(Key, Value)], all: impl Iterator<Item = Value>) -> Value {
    if counted {
        return Value::tuple(all.collect());
    }
    let named = keys.iter().zip(all).filter_map(|((key, _), value)| match key {
        Key::Str(text) => Some((text.clone(), value)),
        _ => None,
    });
    let fields: BTreeMap<Arc<str>, Value> = named.collect();
    let values: Vec<Value> = fields.values().cloned().collect();
    match common(&values) {
        Type::Dynamic => Value::object(fields),
        ty => Value::map(fields, ty),
    }
}

fn sorted(mut names: Vec<&str>) -> Vec<&str> {
    names.sort_unstable();
    names
}
