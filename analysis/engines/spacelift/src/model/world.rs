//! What the expressions of a project mean: module instances, their resources' instances, and values, each computed
//! when something asks for it and then kept.
//!
//! Source: spec section 4.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use applyorder_core::engine::Cx;
use applyorder_syntax::hcl::Expr;
use applyorder_syntax::hcl::eval::{self, Budget, EvalErrorKind, Lookup, Place, Type, Value};
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

use super::fault::{Fault, FaultKind, FaultText};
use super::inputs::Inputs;
use super::key::Key;
use super::module::{Attr, Decl, Module, Source, Spot};
use super::plan::Plan;
use super::scope::Here;
use super::types::{self, Spec};
use crate::load::Loaded;

/// Number of a module instance.
pub(crate) type InstIx = usize;

/// Most instances of modules and of resources that are told apart.
pub(crate) const MAX_INSTANCES: usize = 100_000;

/// Deepest nesting of modules.
const MAX_MODULE_DEPTH: usize = 32;

/// A module, called once.
pub(crate) struct Inst {
    pub(crate) module: usize,
    /// The module instance it is called in, and the number of the call there.
    pub(crate) caller: Option<(InstIx, usize)>,
    /// What stands before the addresses in it: `module.a["x"].`.
    pub(crate) path: Arc<str>,
    /// The key and value of the call's `for_each`, or its index.
    pub(crate) each: Each,
    pub(crate) depth: usize,
    /// Whether it is only likely that there is this instance.
    pub(crate) heuristic: bool,
}

/// What `each` and `count` mean.
#[derive(Clone, Debug, Default)]
pub(crate) enum Each {
    /// There is none.
    #[default]
    None,
    Count(Value),
    Item(Value, Value),
    /// Something that is unknown.
    Open(Arc<str>),
}

/// The instances of a resource or a call.
#[derive(Debug)]
pub(crate) enum Expansion {
    Single,
    Known {
        /// Whether by `count`.
        counted: bool,
        /// In the order of their keys.
        keys: Vec<(Key, Value)>,
        by_key: FxHashMap<Key, usize>,
        heuristic: bool,
        /// `count` or `for_each`.
        place: Spot,
    },
    Unknown {
        counted: bool,
        why: Arc<str>,
        place: Spot,
    },
}

impl Expansion {
    /// The instances: their keys, and what `each` and `count` mean in them.
    pub(crate) fn instances(&self) -> Vec<(Key, Each)> {
        match self {
            Self::Single => vec![(Key::None, Each::None)],
            Self::Known { counted, keys, .. } => keys
                .iter()
                .map(|(key, value)| {
                    let each = if *counted {
                        Each::Count(key.value())
                    } else {
                        Each::Item(key.value(), value.clone())
                    };
                    (key.clone(), each)
                })
                .collect(),
            Self::Unknown { .. } => Vec::new(),
        }
    }

    pub(crate) const fn is_heuristic(&self) -> bool {
        matches!(self, Self::Known { heuristic: true, .. })
    }
}

/// A resource instance: module instance, number of the declaration there, key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Res {
    pub(crate) inst: InstIx,
    pub(crate) decl: usize,
    pub(crate) key: Key,
}

/// What a symbol in a value stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Symbol {
    /// `id` of a resource instance, or `slug` of a stack.
    Id(Res),
    /// `name` of a stack.
    Name(Res),
}

/// How far a value that is kept has come.
enum Slot {
    InProgress,
    Done(Value),
}

/// See the module.
pub(crate) struct World<'a> {
    pub(crate) cx: &'a Cx<'a>,
    pub(crate) root: &'a Utf8Path,
    /// The directory that files may be read below.
    pub(crate) repository: Utf8PathBuf,
    pub(crate) sources: &'a [Source],
    pub(crate) loaded: &'a Loaded,
    pub(crate) modules: Vec<Module<'a>>,
    pub(crate) insts: RefCell<Vec<Rc<Inst>>>,
    pub(crate) plan: Option<Plan>,
    pub(crate) inputs: Inputs,
    children: RefCell<FxHashMap<(InstIx, usize), Rc<Calls>>>,
    expansions: RefCell<FxHashMap<(InstIx, usize), Rc<Expansion>>>,
    values: RefCell<FxHashMap<Named<'a>, Slot>>,
    attributes: RefCell<FxHashMap<(Res, &'a str), Slot>>,
    specs: RefCell<FxHashMap<(usize, &'a str), Rc<Spec>>>,
    symbols: RefCell<Vec<Symbol>>,
    by_symbol: RefCell<FxHashMap<Symbol, u32>>,
    texts: RefCell<FxHashMap<String, Rc<FaultText>>>,
    faults: RefCell<Vec<Fault>>,
    reported: RefCell<FxHashSet<(Place, FaultKind, String)>>,
    fault_places: RefCell<FxHashSet<Place>>,
    /// What is being resolved: the address of an instance with the argument, and the same without keys.
    asking: RefCell<(Arc<str>, Arc<str>)>,
    /// Whether only faults count that hang on no value.
    pub(crate) is_static: Cell<bool>,
    /// What likely values rest on.
    pub(crate) rests_on: RefCell<BTreeSet<String>>,
    /// The texts that functions read, and the questions that were asked besides.
    pub(crate) read: RefCell<BTreeSet<Utf8PathBuf>>,
    pub(crate) budget: Budget,
    count: Cell<usize>,
    knows_provider: OnceCell<bool>,
    pub(crate) is_cut: Cell<bool>,
}

/// What a call stands for.
pub(crate) struct Calls {
    pub(crate) expansion: Rc<Expansion>,
    /// The module instances, as many as the expansion has.
    pub(crate) insts: Vec<InstIx>,
    /// Why there are none although there should be.
    pub(crate) why: Option<Arc<str>>,
}

/// A value with a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Named<'a> {
    Local(InstIx, &'a str),
    Variable(InstIx, &'a str),
    Output(InstIx, usize),
}

impl<'a> World<'a> {
    pub(crate) fn new(
        cx: &'a Cx<'a>,
        root: &'a Utf8Path,
        sources: &'a [Source],
        loaded: &'a Loaded,
        modules: Vec<Module<'a>>,
        inputs: Inputs,
        plan: Option<Plan>,
    ) -> Self {
        let top = Inst {
            module: 0,
            caller: None,
            path: "".into(),
            each: Each::None,
            depth: 0,
            heuristic: false,
        };
        Self {
            cx,
            root,
            repository: cx
                .vcs_root(root)
                .filter(|top| root.starts_with(top))
                .unwrap_or_else(|| root.to_owned()),
            sources,
            loaded,
            modules,
            insts: RefCell::new(vec![Rc::new(top)]),
            plan,
            inputs,
            children: RefCell::default(),
            expansions: RefCell::default(),
            values: RefCell::default(),
            attributes: RefCell::default(),
            specs: RefCell::default(),
            symbols: RefCell::default(),
            by_symbol: RefCell::default(),
            texts: RefCell::default(),
            faults: RefCell::default(),
            reported: RefCell::default(),
            fault_places: RefCell::default(),
            asking: RefCell::new(("".into(), "".into())),
            is_static: Cell::new(false),
            rests_on: RefCell::default(),
            read: RefCell::default(),
            budget: Budget::default(),
            count: Cell::new(1),
            knows_provider: OnceCell::new(),
            is_cut: Cell::new(loaded.is_cut),
        }
    }

    pub(crate) fn inst(&self, inst: InstIx) -> Rc<Inst> {
        let insts = self.insts.borrow();
        let found = insts.get(inst).or_else(|| insts.first());
        found.cloned().unwrap_or_else(|| {
            Rc::new(Inst {
                module: 0,
                caller: None,
                path: "".into(),
                each: Each::None,
                depth: 0,
                heuristic: false,
            })
        })
    }

    /// Whether the provider is of the version whose schema is known.
    pub(crate) fn knows_provider(&self) -> bool {
        *self
            .knows_provider
            .get_or_init(|| super::provider::is_known(self))
    }

    pub(crate) fn module(&self, inst: InstIx) -> Option<&Module<'a>> {
        self.modules.get(self.inst(inst).module)
    }

    pub(crate) fn decl(&self, res: &Res) -> Option<&Decl<'a>> {
        self.module(res.inst)?.resources.get(res.decl)
    }

    /// Whether there may be one more instance.
    pub(crate) fn count(&self, more: usize) -> bool {
        let count = self.count.get().saturating_add(more);
        if count > MAX_INSTANCES {
            self.is_cut.set(true);
            return false;
        }
        self.count.set(count);
        true
    }

    /// The address of an instance.
    pub(crate) fn address(&self, res: &Res) -> String {
        let own = self.decl(res).map_or_else(String::new, Decl::address);
        format!("{}{own}{}", self.inst(res.inst).path, res.key)
    }

    /// The address of a resource, without key.
    pub(crate) fn static_address(&self, inst: InstIx, decl: &Decl<'_>) -> String {
        format!("{}{}", self.inst(inst).path, decl.address())
    }

    pub(crate) fn symbol(&self, symbol: Symbol, why: &str) -> Value {
        let known = self.by_symbol.borrow().get(&symbol).copied();
        let number = known.unwrap_or_else(|| {
            let mut symbols = self.symbols.borrow_mut();
            let number = u32::try_from(symbols.len()).unwrap_or(u32::MAX);
            symbols.push(symbol.clone());
            self.by_symbol.borrow_mut().insert(symbol, number);
            number
        });
        Value::symbol(number, Type::String, why)
    }

    pub(crate) fn symbol_of(&self, number: u32) -> Option<Symbol> {
        self.symbols.borrow().get(number as usize).cloned()
    }

    /// Evaluates an expression, and notes what Terraform would reject in it.
    pub(crate) fn eval(&self, inst: InstIx, each: &Each, expr: Expr<'a>, file: usize) -> Value {
        let here = Here {
            world: self,
            inst,
            each,
        };
        let file = u32::try_from(file).unwrap_or(u32::MAX);
        let outcome = eval::evaluate(expr, file, &here, &self.budget);
        for error in outcome.errors {
            self.note(&error);
        }
        outcome.value
    }

    /// The answer to a lookup of what Terraform rejects.
    pub(crate) fn missing(&self, text: FaultText) -> Lookup {
        let message = format!("{}: {}", text.kind.word(), text.subject);
        self.texts.borrow_mut().insert(message.clone(), Rc::new(text));
        Lookup::Missing(message)
    }

    fn note(&self, error: &eval::EvalError) {
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
        if let Some(text) = text {
            self.fault(error.place, &text);
        }
    }

    /// Notes what Terraform rejects at a place.
    pub(crate) fn fault(&self, place: Place, text: &FaultText) {
        if self.is_static.get() && !text.kind.is_static() {
            return;
        }
        self.fault_places.borrow_mut().insert(place);
        let key = (place, text.kind, text.subject.clone());
        if !self.reported.borrow_mut().insert(key) {
            return;
        }
        let (at, static_at) = self.asking.borrow().clone();
        self.faults.borrow_mut().push(Fault {
            text: text.clone(),
            place,
            at: if text.kind.is_static() {
                static_at.clone()
            } else {
                at
            },
            static_at,
        });
    }

    /// Whether Terraform rejects what stands at a place.
    pub(crate) fn is_fault(&self, place: Place) -> bool {
        self.fault_places.borrow().contains(&place)
    }

    pub(crate) fn take_faults(&self) -> Vec<Fault> {
        std::mem::take(&mut self.faults.borrow_mut())
    }

    /// Says what is being resolved, for the faults that are found on the way.
    pub(crate) fn ask(&self, at: Arc<str>, static_at: Arc<str>) {
        *self.asking.borrow_mut() = (at, static_at);
    }

    /// The instances of a resource.
    pub(crate) fn expansion(&self, inst: InstIx, number: usize) -> Rc<Expansion> {
        if let Some(known) = self.expansions.borrow().get(&(inst, number)) {
            return known.clone();
        }
        let Some(decl) = self.module(inst).and_then(|m| m.resources.get(number)) else {
            return Rc::new(Expansion::Single);
        };
        // Whoever asks again on the way asks for what depends on itself.
        let open = Rc::new(self.open(decl, "it depends on itself"));
        self.expansions.borrow_mut().insert((inst, number), open);
        let address = self.static_address(inst, decl);
        let made = Rc::new(self.expand(inst, decl, &address));
        self.expansions.borrow_mut().insert((inst, number), made.clone());
        made
    }

    fn open(&self, decl: &Decl<'a>, why: &str) -> Expansion {
        let by = decl.attr("count").or_else(|| decl.attr("for_each"));
        by.map_or(Expansion::Single, |attr| Expansion::Unknown {
            counted: attr.name == "count",
            why: why.into(),
            place: attr.value(),
        })
    }

    fn expand(&self, inst: InstIx, decl: &Decl<'a>, address: &str) -> Expansion {
        let Some(attr) = decl.attr("count").or_else(|| decl.attr("for_each")) else {
            return Expansion::Single;
        };
        let counted = attr.name == "count";
        let value = self.eval(inst, &Each::None, attr.expr, attr.file);
        let keys = if counted {
            self.counted(&value)
        } else {
            self.each(&value)
        };
        let heuristic = value.heuristic || matches!(value.data, eval::Data::Set(..)) && value.has_heuristic();
        let (keys, heuristic) = match keys {
            Ok(keys) => (keys, heuristic),
            Err(why) => match self.planned(address) {
                Some(keys) => (keys, false),
                None => {
                    return Expansion::Unknown {
                        counted,
                        why,
                        place: attr.value(),
                    };
                }
            },
        };
        let by_key = keys
            .iter()
            .enumerate()
            .map(|(i, (k, _))| (k.clone(), i))
            .collect();
        Expansion::Known {
            counted,
            keys,
            by_key,
            heuristic,
            place: attr.value(),
        }
    }

    /// The instances that the plan has of a resource or call.
    fn planned(&self, address: &str) -> Option<Vec<(Key, Value)>> {
        let keys = self.plan.as_ref()?.keys(address)?;
        let open = || Value::unknown("the plan does not say what `each.value` is");
        Some(keys.iter().map(|key| (key.clone(), open())).collect())
    }

    fn counted(&self, value: &Value) -> Result<Vec<(Key, Value)>, Arc<str>> {
        if let Some(unknown) = value.as_unknown() {
            return Err(unknown.why.clone());
        }
        match Key::index(value) {
            Some(Key::Int(count)) if self.count(usize::try_from(count).unwrap_or(usize::MAX)) => {
                Ok((0..count).map(|n| (Key::Int(n), Value::null())).collect())
            }
            Some(_) => Err("there are too many instances".into()),
            None => Err("its `count` is no whole number".into()),
        }
    }

    fn each(&self, value: &Value) -> Result<Vec<(Key, Value)>, Arc<str>> {
        if let Some(unknown) = value.as_unknown() {
            return Err(unknown.why.clone());
        }
        let keys: Vec<(Key, Value)> = match &value.data {
            eval::Data::Object(fields) | eval::Data::Map(fields, _) => fields
                .values()
                .iter()
                .map(|(k, v)| (Key::Str(k.clone()), v.clone()))
                .collect(),
            eval::Data::Set(items, _) => {
                let mut keys = Vec::with_capacity(items.values().len());
                for item in items.values() {
                    let text = match item.as_unknown() {
                        Some(unknown) => self.slug_of(unknown.symbol).ok_or_else(|| unknown.why.clone())?,
                        None => item
                            .as_str()
                            .map(Into::into)
                            .ok_or("a key of its `for_each` is no text")?,
                    };
                    keys.push((Key::Str(text), item.clone()));
                }
                keys.sort_by(|a, b| a.0.cmp(&b.0));
                keys
            }
            _ => return Err("its `for_each` is neither a map nor a set".into()),
        };
        if self.count(keys.len()) {
            Ok(keys)
        } else {
            Err("there are too many instances".into())
        }
    }

    /// The literal slug that a symbol stands for, which Terraform knows before it applies anything.
    fn slug_of(&self, symbol: Option<u32>) -> Option<Arc<str>> {
        let Symbol::Id(res) = self.symbol_of(symbol?)? else {
            return None;
        };
        let slug = self.attribute(&res, "slug")?;
        slug.as_str().map(Into::into)
    }

    /// An argument of a resource instance; nothing where it is not given.
    pub(crate) fn attribute(&self, res: &Res, name: &str) -> Option<Value> {
        let (attr, known) = {
            let decl = self.decl(res)?;
            let attr = *decl.attr(name)?;
            let known = match self.attributes.borrow().get(&(res.clone(), attr.name)) {
                Some(Slot::Done(value)) => Some(value.clone()),
                Some(Slot::InProgress) => Some(Value::unknown("it depends on itself")),
                None => None,
            };
            (attr, known)
        };
        if known.is_some() {
            return known;
        }
        let slot = (res.clone(), attr.name);
        self.attributes
            .borrow_mut()
            .insert(slot.clone(), Slot::InProgress);
        let value = self.eval(res.inst, &self.each_of(res), attr.expr, attr.file);
        self.attributes
            .borrow_mut()
            .insert(slot, Slot::Done(value.clone()));
        Some(value)
    }

    /// What `each` and `count` mean in an instance.
    pub(crate) fn each_of(&self, res: &Res) -> Each {
        if res.key == Key::None {
            return Each::None;
        }
        match &*self.expansion(res.inst, res.decl) {
            Expansion::Known {
                counted: false,
                keys,
                by_key,
                ..
            } => {
                let value = by_key.get(&res.key).and_then(|i| keys.get(*i));
                let value = value.map_or_else(|| Value::unknown("its key is not known"), |(_, v)| v.clone());
                Each::Item(res.key.value(), value)
            }
            Expansion::Unknown {
                counted: false, why, ..
            } => Each::Item(res.key.value(), Value::unknown(why)),
            _ => Each::Count(res.key.value()),
        }
    }

    /// What a call stands for. Its module instances are made when somebody first asks.
    pub(crate) fn calls(&self, inst: InstIx, number: usize) -> Rc<Calls> {
        if let Some(known) = self.children.borrow().get(&(inst, number)) {
            return known.clone();
        }
        let none = |expansion: Expansion, why: &str| {
            Rc::new(Calls {
                expansion: Rc::new(expansion),
                insts: Vec::new(),
                why: Some(why.into()),
            })
        };
        let Some(decl) = self.module(inst).and_then(|m| m.calls.get(number)) else {
            return none(Expansion::Single, "there is no such call");
        };
        let open = none(self.open(decl, "it depends on itself"), "it depends on itself");
        self.children.borrow_mut().insert((inst, number), open);
        let made = self.called(inst, number, decl);
        let made = match made {
            Ok(calls) => Rc::new(calls),
            Err(why) => none(self.open(decl, &why), &why),
        };
        self.children.borrow_mut().insert((inst, number), made.clone());
        made
    }

    fn called(&self, inst: InstIx, number: usize, decl: &Decl<'a>) -> Result<Calls, String> {
        let own = self.inst(inst);
        let source = decl.facts.source.as_deref();
        let loaded = self.loaded.modules.get(own.module);
        let target = source.and_then(|s| loaded?.calls.get(s).copied());
        let Some(module) = target else {
            let name = decl.name();
            return Err(match source {
                Some(source) => format!("module `{name}` comes from `{source}`, which is not looked at"),
                None => format!("where module `{name}` comes from can't be told"),
            });
        };
        if own.depth >= MAX_MODULE_DEPTH || self.encloses(inst, module) {
            return Err(format!("module `{}` calls itself", decl.name()));
        }
        let path = format!("{}module.{}", own.path, decl.name());
        let expansion = Rc::new(self.expand(inst, decl, &path));
        let mut insts = Vec::new();
        for (key, each) in expansion.instances() {
            if key == Key::None && !self.count(1) {
                return Err("there are too many instances".to_owned());
            }
            let mut all = self.insts.borrow_mut();
            insts.push(all.len());
            all.push(Rc::new(Inst {
                module,
                caller: Some((inst, number)),
                path: format!("{path}{key}.").into(),
                each,
                depth: own.depth + 1,
                heuristic: own.heuristic || expansion.is_heuristic(),
            }));
        }
        let why = match &*expansion {
            Expansion::Unknown { why, .. } => Some(why.clone()),
            _ => None,
        };
        Ok(Calls {
            expansion,
            insts,
            why,
        })
    }

    /// Whether a module instance lies in an instance of a module.
    fn encloses(&self, inst: InstIx, module: usize) -> bool {
        let mut at = Some(inst);
        while let Some(here) = at {
            let own = self.inst(here);
            if own.module == module {
                return true;
            }
            at = own.caller.map(|(caller, _)| caller);
        }
        false
    }

    fn kept(&self, name: Named<'a>, make: impl FnOnce() -> Value) -> Value {
        match self.values.borrow().get(&name) {
            Some(Slot::Done(value)) => return value.clone(),
            Some(Slot::InProgress) => return Value::unknown("it depends on itself"),
            None => {}
        }
        self.values.borrow_mut().insert(name, Slot::InProgress);
        let value = make();
        self.values.borrow_mut().insert(name, Slot::Done(value.clone()));
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

    /// The value of a variable; nothing where none is declared.
    pub(crate) fn variable(&self, inst: InstIx, name: &str) -> Option<Value> {
        let module = self.module(inst)?;
        let (known, decl) = module.variables.get_key_value(name)?;
        let known: &'a str = known;
        let spec = self.spec(self.inst(inst).module, known, decl);
        let default = decl.attr("default").copied();
        let caller = self.inst(inst).caller;
        Some(self.kept(Named::Variable(inst, known), || {
            let value = match caller {
                Some((caller, call)) => self.argument(inst, caller, call, known),
                None => self.input(known, &spec),
            };
            let value = value.or_else(|| {
                let attr = default?;
                let value = self.eval(inst, &Each::None, attr.expr, attr.file);
                if caller.is_none() {
                    self.rest_on(known, "its default");
                }
                Some(value.likely(caller.is_none() && !self.inputs.is_certain))
            });
            match value {
                Some(value) => types::conform(value, &spec),
                None => Value::unknown(&format!("variable `{known}` has no value here")),
            }
        }))
    }

    fn rest_on(&self, variable: &str, what: &str) {
        let text = format!("variable `{variable}`: {what}");
        self.rests_on.borrow_mut().insert(text);
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
        let (value, from) = self.inputs.value(name, spec)?;
        if let Some(from) = from {
            self.rest_on(name, from);
            return Some(value.likely(!self.inputs.is_certain));
        }
        Some(value)
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

    /// The directory of a module instance, as `path.module` gives it.
    pub(crate) fn path_of(&self, inst: InstIx) -> String {
        let module = self.loaded.modules.get(self.inst(inst).module);
        module.map_or_else(|| ".".to_owned(), |m| crate::load::shown(self.root, &m.dir))
    }

    /// The provider configuration that a resource is under, as the root names it.
    pub(crate) fn provider(&self, inst: InstIx, decl: &Decl<'a>) -> Arc<str> {
        let own = decl
            .attr("provider")
            .and_then(|attr| attr.expr.as_names())
            .map_or_else(|| "spacelift".to_owned(), |names| names.join("."));
        let mut name = own;
        let mut at = inst;
        while let Some((caller, call)) = self.inst(at).caller {
            let module = self.module(caller);
            let attr = module
                .and_then(|m| m.calls.get(call))
                .and_then(|c| c.attr("providers"));
            if let Some(attr) = attr {
                name = mapped(attr.expr, &name).unwrap_or(name);
            }
            at = caller;
        }
        name.into()
    }

    /// `name` of a stack: its text where that is known, and `symbol` where not.
    pub(crate) fn name_value(&self, res: &Res, symbol: Value) -> Value {
        let attr = self.decl(res).and_then(|d| d.attr("name")).copied();
        let (Some(attr), Some(value)) = (attr, self.attribute(res, "name")) else {
            return symbol;
        };
        if value.as_str().is_none() {
            return symbol;
        }
        // Its place tells it from other texts.
        value.at(self.name_place(&attr))
    }

    /// Where the name of a stack stands.
    pub(crate) fn name_place(&self, attr: &Attr<'a>) -> Place {
        Place {
            file: u32::try_from(attr.file).unwrap_or(u32::MAX),
            span: attr.expr.span(),
        }
    }

    /// `id` of a data source. What it stands for is found out when all stacks are known.
    pub(crate) fn data_id(&self, res: &Res) -> Value {
        self.symbol(Symbol::Id(res.clone()), "it is looked up when Terraform runs")
    }

    /// The module instances that an instance calls, by the number of the call.
    pub(crate) fn call_insts(&self, inst: InstIx) -> BTreeMap<usize, Rc<Calls>> {
        let count = self.module(inst).map_or(0, |m| m.calls.len());
        (0..count)
            .map(|number| (number, self.calls(inst, number)))
            .collect()
    }
}

/// What `providers` of a call gives for a provider of the called module.
fn mapped(expr: Expr<'_>, name: &str) -> Option<String> {
    use applyorder_syntax::hcl::{ExprKind, ObjectKey};
    let ExprKind::Object(object) = expr.kind() else {
        return None;
    };
    let found = object.items().find(|item| match item.key {
        ObjectKey::Name(key, _) => key == name,
        ObjectKey::Expr(key) => key.as_names().is_some_and(|names| names.join(".") == name),
    })?;
    found.value.as_names().map(|names| names.join("."))
}
