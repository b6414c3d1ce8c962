//! What the expressions of a project mean: module instances, their resources' instances, and values, each computed
//! when something asks for it and then kept.
//!
//! Source: spec section 4.

mod evaluate;
mod expansion;
mod instances;
mod secrets;
mod values;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::num::NonZeroU32;
use std::rc::Rc;
use std::sync::Arc;

use applyorder_core::engine::Cx;
use applyorder_syntax::hcl::eval::{Budget, Logic, Place, Type, Value};
use applyorder_syntax::hcl::{Expr, Tree};
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

use super::fault::{Fault, FaultKind, FaultText};
use super::key::Key;
use super::known_names::Compared;
use super::module::{Decl, Module, Source, Spot};
use super::plan::Plan;
use super::validate::Declared;
use crate::inputs::Inputs;
use crate::load::Loaded;
use crate::types::Spec;

use crate::read::TfFacts;
use evaluate::Notes;
pub(crate) use expansion::{Each, Expansion, makes_none};
pub(crate) use secrets::{PERHAPS_SENSITIVE, Refused, STORED};

/// Number of a module instance.
pub(crate) type InstIx = usize;

/// The maximum number of instances of modules and of resources that are distinguished.
pub(crate) const MAX_INSTANCES: usize = 100_000;

/// The maximum nesting of modules.
const MAX_MODULE_DEPTH: usize = 32;

/// A module, called once.
pub(crate) struct Inst {
    pub(crate) module: usize,
    /// The module instance it is called in, and the number of the call there.
    pub(crate) caller: Option<(InstIx, usize)>,
    /// What precedes the addresses in it: `module.a["x"].`.
    pub(crate) path: Arc<str>,
    /// The key and value of the call's `for_each`, or its index.
    pub(crate) each: Each,
    pub(crate) depth: usize,
    /// Whether it is only likely that this instance exists.
    pub(crate) heuristic: bool,
}

impl Inst {
    /// The module itself, which is not called.
    fn top() -> Self {
        Self {
            module: 0,
            caller: None,
            path: "".into(),
            each: Each::None,
            depth: 0,
            heuristic: false,
        }
    }
}

/// A resource instance: module instance, number of the declaration there, key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Res {
    pub(crate) inst: InstIx,
    pub(crate) decl: usize,
    pub(crate) key: Key,
}

/// What a symbol in a value represents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Symbol {
    /// `id` of a resource instance, or `slug` of a stack.
    Id(Res),
    /// `name` of a stack.
    Name(Res),
}

/// What is being resolved.
#[derive(Default)]
enum Asked<'a> {
    #[default]
    Nothing,
    /// The address of an instance with the argument, and the same without keys.
    At(Arc<str>, Arc<str>),
    Argument(Res, &'a str),
    /// Another declaration of a module: its kind, such as `local`, and its name.
    Named(InstIx, &'static str, &'a str),
}

/// The state of a cached value.
enum Slot {
    InProgress,
    Done(Value, Notes),
}

/// See the module.
pub(crate) struct World<'a> {
    pub(crate) cx: &'a Cx<'a>,
    pub(crate) root: &'a Utf8Path,
    /// The directory below which files may be read.
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
    by_symbol: RefCell<FxHashMap<Symbol, NonZeroU32>>,
    texts: RefCell<FxHashMap<String, Rc<FaultText>>>,
    faults: RefCell<Vec<Fault>>,
    reported: RefCell<FxHashSet<(Spot, FaultKind, String)>>,
    fault_spots: RefCell<FxHashSet<Spot>>,
    /// The place of the first expression that cannot be computed, and why: Terraform probably rejects it.
    pub(crate) failed: RefCell<Option<(Spot, String)>>,
    /// The place of the first expression that fails once a resource is created, and why.
    pub(crate) failed_apply: RefCell<Option<(Spot, String)>>,
    /// The secret values in places that do not accept secrets.
    pub(crate) refused: RefCell<Vec<Refused<'a>>>,
    /// Why the verdict of `terraform validate` is open, and where: a module that calls itself, a file that cannot be
    /// read.
    pub(crate) open: RefCell<Option<(Spot, String)>>,
    /// The calls that are not followed, by the places of their sources: what each refers to, and why.
    pub(crate) unfollowed: RefCell<BTreeMap<Spot, (String, String)>>,
    /// For how many unknown names a similar one was searched for.
    pub(crate) compared: Compared,
    asking: RefCell<Asked<'a>>,
    /// Whether only faults that do not depend on values are recorded.
    pub(crate) is_static: Cell<bool>,
    /// Whether Terraform evaluates the current expression only once the resource is created.
    pub(crate) is_applied: Cell<bool>,
    /// Whether the current expression is in a `check`, where `terraform validate` does not check the outputs of calls.
    pub(crate) is_in_check: Cell<bool>,
    /// The notes on the current evaluation.
    notes: Cell<Notes>,
    /// The resources and calls whose instances depend on what Terraform does not know when it plans.
    pub(crate) expanded_ahead: RefCell<Vec<String>>,
    /// What likely values depend on.
    pub(crate) rests_on: RefCell<BTreeSet<String>>,
    /// The texts that functions read, and the other file requests that were made.
    pub(crate) read: RefCell<BTreeSet<Utf8PathBuf>>,
    pub(crate) budget: Budget,
    count: Cell<usize>,
    knows_provider: OnceCell<bool>,
    is_tofu: OnceCell<bool>,
    lacks_implied: OnceCell<bool>,
    lock: OnceCell<Option<Tree>>,
    providers: OnceCell<Vec<Declared>>,
    pub(crate) is_cut: Cell<bool>,
}

/// What a call creates.
pub(crate) struct Calls {
    pub(crate) expansion: Rc<Expansion>,
    /// The module instances, as many as the expansion has.
    pub(crate) insts: Vec<InstIx>,
    /// Why there are none although there should be some.
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
            insts: RefCell::new(vec![Rc::new(Inst::top())]),
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
            fault_spots: RefCell::default(),
            failed: RefCell::default(),
            failed_apply: RefCell::default(),
            refused: RefCell::default(),
            open: RefCell::default(),
            unfollowed: RefCell::default(),
            compared: Compared::default(),
            asking: RefCell::default(),
            is_static: Cell::new(false),
            is_applied: Cell::new(false),
            is_in_check: Cell::new(false),
            notes: Cell::default(),
            expanded_ahead: RefCell::default(),
            rests_on: RefCell::default(),
            read: RefCell::default(),
            budget: Budget::default(),
            count: Cell::new(1),
            knows_provider: OnceCell::new(),
            is_tofu: OnceCell::new(),
            lacks_implied: OnceCell::new(),
            lock: OnceCell::new(),
            providers: OnceCell::new(),
            is_cut: Cell::new(loaded.is_cut),
        }
    }

    /// The providers that a module declares.
    pub(super) fn providers_of(&self, module: usize) -> Option<&Declared> {
        let all = self.providers.get_or_init(|| super::validate::declared(self));
        all.get(module)
    }

    pub(crate) fn inst(&self, inst: InstIx) -> Rc<Inst> {
        let insts = self.insts.borrow();
        let found = insts.get(inst).or_else(|| insts.first());
        found.cloned().unwrap_or_else(|| Rc::new(Inst::top()))
    }

    /// Whether the provider has the version whose schema is known.
    pub(crate) fn knows_provider(&self) -> bool {
        *self
            .knows_provider
            .get_or_init(|| super::provider::is_known(self))
    }

    /// Whether a module that does not say where Spacelift's provider comes from needs one that does not exist.
    pub(super) fn lacks_implied(&self) -> bool {
        *self
            .lacks_implied
            .get_or_init(|| super::validate::lacks_implied(self))
    }

    /// The lock file of the root, which is parsed once.
    pub(super) fn lock(&self) -> Option<&Tree> {
        self.lock.get_or_init(|| super::provider::lock(self)).as_ref()
    }

    /// Whether OpenTofu reads the project and Terraform does not.
    pub(crate) fn is_tofu(&self) -> bool {
        *self.is_tofu.get_or_init(|| self.loaded.is_tofu())
    }

    /// The operands of `&&` and `||` whose errors are reported. The version of Terraform is not known.
    pub(crate) fn logic(&self) -> Logic {
        match self.is_tofu() {
            true => Logic::OneSide,
            false => Logic::Either,
        }
    }

    pub(crate) fn module(&self, inst: InstIx) -> Option<&Module<'a>> {
        self.modules.get(self.inst(inst).module)
    }

    pub(crate) fn decl(&self, res: &Res) -> Option<&Decl<'a>> {
        self.module(res.inst)?.resources.get(res.decl)
    }

    /// The number of the module that a call in a module refers to, if it is read.
    pub(crate) fn called_module(&self, module: usize, call: &Decl<'_>) -> Option<usize> {
        self.loaded.modules.get(module)?.called(call.name(), call.source)
    }

    /// Whether it is only likely which module a call refers to.
    pub(crate) fn is_likely_call(&self, module: usize, call: &Decl<'_>) -> bool {
        let loaded = self.loaded.modules.get(module);
        loaded.is_some_and(|loaded| loaded.is_likely_call(call.name(), call.source))
    }

    /// The address of an instance.
    pub(crate) fn address(&self, res: &Res) -> String {
        let mut address = match self.decl(res) {
            Some(decl) => self.static_address(res.inst, decl),
            None => self.inst(res.inst).path.to_string(),
        };
        // Writing to a string cannot fail.
        let _ = write!(address, "{}", res.key);
        address
    }

    /// The address of a resource, without key.
    pub(crate) fn static_address(&self, inst: InstIx, decl: &Decl<'_>) -> String {
        let mut address = String::from(&*self.inst(inst).path);
        decl.push_address(&mut address);
        address
    }

    pub(crate) fn symbol(&self, symbol: Symbol, why: &str) -> Value {
        let known = self.by_symbol.borrow().get(&symbol).copied();
        let number = known.unwrap_or_else(|| {
            let mut symbols = self.symbols.borrow_mut();
            symbols.push(symbol.clone());
            // They are numbered from one.
            let count = u32::try_from(symbols.len()).ok().and_then(NonZeroU32::new);
            let number = count.unwrap_or(NonZeroU32::MAX);
            self.by_symbol.borrow_mut().insert(symbol, number);
            number
        });
        Value::symbol(number, Type::String, why)
    }

    pub(crate) fn symbol_of(&self, number: NonZeroU32) -> Option<Symbol> {
        self.symbols.borrow().get(number.get() as usize - 1).cloned()
    }

    fn add_fault(&self, fault: Fault) {
        self.fault_spots.borrow_mut().insert(fault.spot);
        let key = (fault.spot, fault.text.kind, fault.text.subject.clone());
        if self.reported.borrow_mut().insert(key) {
            self.faults.borrow_mut().push(fault);
        }
    }

    /// Records what is wrong in a module whatever the values are. It replaces faults at the same place that depend on
    /// values, which Terraform does not evaluate then; another fault that is already recorded there is kept instead.
    pub(crate) fn add_faults(&self, faults: &[Fault]) {
        let spots: FxHashSet<Spot> = faults.iter().map(|fault| fault.spot).collect();
        let mut all = self.faults.borrow_mut();
        let before = all.len();
        all.retain(|fault| fault.text.kind.is_static() || !spots.contains(&fault.spot));
        if all.len() < before {
            *self.fault_spots.borrow_mut() = all.iter().map(|fault| fault.spot).collect();
        }
        drop(all);
        let (known, new): (Vec<&Fault>, Vec<&Fault>) = {
            let spots = self.fault_spots.borrow();
            faults.iter().partition(|fault| spots.contains(&fault.spot))
        };
        let known: FxHashSet<Spot> = known.iter().map(|fault| fault.spot).collect();
        for fault in self.faults.borrow_mut().iter_mut() {
            fault.is_static |= known.contains(&fault.spot);
        }
        for fault in new {
            self.add_fault(fault.clone());
        }
    }

    /// The entry of an evaluation's place in the table of places.
    pub(crate) fn spot(&self, place: Place) -> Spot {
        let file = place.file as usize;
        let source = self.sources.get(file);
        Spot {
            file,
            at: source.map_or(0, |s| s.facts.at(place.span)),
        }
    }

    /// Whether Terraform rejects what is at a place.
    pub(crate) fn is_fault(&self, place: Place) -> bool {
        self.fault_spots.borrow().contains(&self.spot(place))
    }

    pub(crate) fn take_faults(&self) -> Vec<Fault> {
        std::mem::take(&mut self.faults.borrow_mut())
    }

    /// Sets what is being resolved, for the faults that are found on the way.
    pub(crate) fn ask(&self, at: Arc<str>, static_at: Arc<str>) {
        *self.asking.borrow_mut() = Asked::At(at, static_at);
    }

    /// The same for an argument of a resource instance.
    pub(crate) fn ask_argument(&self, res: &Res, name: &'a str) {
        *self.asking.borrow_mut() = Asked::Argument(res.clone(), name);
    }

    /// The same for a local value, a variable or an output.
    pub(crate) fn ask_named(&self, inst: InstIx, sort: &'static str, name: &'a str) {
        *self.asking.borrow_mut() = Asked::Named(inst, sort, name);
    }

    /// Whether it is known what is resolved.
    fn is_asking(&self) -> bool {
        !matches!(*self.asking.borrow(), Asked::Nothing)
    }

    fn asked(&self) -> (Arc<str>, Arc<str>) {
        match &*self.asking.borrow() {
            Asked::Nothing => Default::default(),
            Asked::At(at, static_at) => (at.clone(), static_at.clone()),
            Asked::Named(inst, sort, name) => {
                let at: Arc<str> = format!("{}{sort}.{name}", self.inst(*inst).path).into();
                (at.clone(), at)
            }
            Asked::Argument(res, name) => {
                let own = self.decl(res).map(|decl| self.static_address(res.inst, decl));
                let static_at = format!("{}.{name}", own.unwrap_or_default());
                (format!("{}.{name}", self.address(res)).into(), static_at.into())
            }
        }
    }

    /// The directory of a module instance, as `path.module` gives it.
    pub(crate) fn path_of(&self, inst: InstIx) -> String {
        self.path_of_module(self.inst(inst).module)
    }

    /// The same for a module.
    pub(crate) fn path_of_module(&self, module: usize) -> String {
        let module = self.loaded.modules.get(module);
        module.map_or_else(|| ".".to_owned(), |m| crate::load::shown(self.root, &m.dir))
    }

    /// The selected workspace, as `terraform validate` knows it.
    pub(crate) fn workspace(&self) -> String {
        if let Some(given) = &self.inputs.workspace {
            return given.clone();
        }
        let chosen = &self.inputs.stored_workspace;
        if self.cx.kind(chosen, true).is_none() {
            return "default".to_owned();
        }
        self.read.borrow_mut().insert(chosen.clone());
        let read = self.cx.facts::<TfFacts>(chosen).ok();
        let text = read.and_then(|read| read.facts.text.clone()).unwrap_or_default();
        match text.trim() {
            "" => "default".to_owned(),
            name => name.to_owned(),
        }
    }

    /// The provider configuration of a resource, as the root names it.
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
}

/// The entry in `providers` of a call for a provider of the called module.
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
