//! Keys of providers that have `for_each`, which only OpenTofu has: a resource needs the instance that it is given.
//!
//! Source: OpenTofu 1.10, `resolveProviderInstance` and what `NodeAbstractResourceInstance` says of an instance that is not
//! there. A provider that no resource uses is not missed.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_syntax::hcl::eval::{Data, Marks};
use applyorder_syntax::hcl::{Expr, ExprKind, ObjectKey};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::key::Key;
use super::super::module::{Attr, Decl, Spot, written};
use super::super::validate::{Config, Declared};
use super::super::world::{Each, InstIx, Res, World};
use super::super::{Argument, Wrong};

/// What a resource of a provider meets that it is given with a key.
#[derive(Clone)]
enum Met {
    /// OpenTofu rejects it: why, and whether that is only likely.
    Rejected(String, bool),
    /// That is not known.
    Open(String),
}

/// A provider that is passed to a module and has no such instance, or perhaps none.
#[derive(Clone)]
struct Passed {
    met: Met,
    spot: Spot,
    /// The module instance that it is passed to.
    address: Arc<str>,
}

/// The keys of a provider, and whether they are only likely; `None` if they are unknown.
type Keys = Option<(FxHashSet<Arc<str>>, bool)>;

struct Search<'w, 'a> {
    world: &'w World<'a>,
    keys: FxHashMap<(InstIx, Config), Option<Rc<Keys>>>,
    found: Vec<Argument>,
    told: BTreeSet<Place>,
}

/// What `plan` rejects, and it is not known before.
pub(super) fn check(world: &World<'_>) -> Vec<Argument> {
    let repeats = |module| world.providers_of(module).is_some_and(Declared::repeats);
    if !world.is_tofu() || !(0..world.modules.len()).any(repeats) {
        return Vec::new();
    }
    let mut search = Search {
        world,
        keys: FxHashMap::default(),
        found: Vec::new(),
        told: BTreeSet::new(),
    };
    let count = world.insts.borrow().len();
    let mut passed: Vec<FxHashMap<Config, Passed>> = Vec::with_capacity(count);
    for inst in 0..count {
        // A module instance comes after its caller.
        let caller = world.inst(inst).caller;
        let of_caller = caller.and_then(|(caller, _)| passed.get(caller));
        let own = caller.map(|(caller, call)| search.passed(inst, (caller, call), of_caller));
        let own = own.unwrap_or_default();
        let Some(module) = world.module(inst) else { break };
        for (number, decl) in module.resources.iter().enumerate() {
            search.resource((inst, number), decl, &own);
        }
        passed.push(own);
    }
    search.found
}

impl<'a> Search<'_, 'a> {
    /// What is missing of the providers that a module instance is passed.
    fn passed(
        &mut self,
        inst: InstIx,
        (caller, call): (InstIx, usize),
        of_caller: Option<&FxHashMap<Config, Passed>>,
    ) -> FxHashMap<Config, Passed> {
        let world = self.world;
        // A provider without an alias is passed on by itself.
        let mut passed: FxHashMap<Config, Passed> = of_caller.cloned().unwrap_or_default();
        passed.retain(|config, _| config.is_default());
        let own = world.inst(inst);
        let declared = world.providers_of(own.module);
        passed.retain(|config, _| !declared.is_some_and(|declared| declared.configures_as(config)));
        let call = world.module(caller).and_then(|module| module.calls.get(call));
        let Some(attr) = call.and_then(|call| call.attr("providers")) else {
            return passed;
        };
        let ExprKind::Object(object) = attr.expr.kind() else {
            return passed;
        };
        let address: Arc<str> = own.path.trim_end_matches('.').into();
        for item in object.items() {
            let config = match item.key {
                ObjectKey::Name(name, _) => Config::of(name),
                ObjectKey::Expr(key) => Config::read(key),
            };
            let Some(config) = config else { continue };
            passed.remove(&config);
            let met = match item.value.kind() {
                ExprKind::Index { source, key } => {
                    let at: Arc<str> = format!("{address}.providers").into();
                    world.ask(at.clone(), at);
                    self.met((caller, &own.each), (source, key), attr.file)
                }
                _ => {
                    let given = Config::read(item.value);
                    let given = given.and_then(|given| of_caller?.get(&given));
                    passed.extend(given.map(|given| (config, given.clone())));
                    continue;
                }
            };
            let spot = world.spot(written(item.value.span(), attr.file));
            let address = address.clone();
            passed.extend(met.map(|met| (config, Passed { met, spot, address })));
        }
        passed
    }

    /// What the instances of a resource meet.
    fn resource(
        &mut self,
        (inst, number): (InstIx, usize),
        decl: &Decl<'a>,
        passed: &FxHashMap<Config, Passed>,
    ) {
        let attr = decl.attr("provider").copied();
        let keyed = attr.and_then(|attr| match attr.expr.kind() {
            ExprKind::Index { source, key } => Some((attr, source, key)),
            _ => None,
        });
        let Some((attr, source, key)) = keyed else {
            if !passed.is_empty() {
                let config = match attr {
                    Some(attr) => Config::read(attr.expr),
                    None => Config::of(decl.ty().split('_').next().unwrap_or_default()),
                };
                let passed = config.and_then(|config| passed.get(&config));
                let expansion = self.world.expansion(inst, number);
                let has_none = !expansion.is_unknown() && expansion.instances().is_empty();
                // No instance needs no provider.
                let passed = passed.filter(|_| !has_none || expansion.is_heuristic());
                if let Some(Passed { met, spot, address }) = passed {
                    let is_there = self.is_there(inst, number);
                    self.tell(met.clone(), is_there, *spot, (address, "providers"));
                }
            }
            return;
        };
        let expansion = self.world.expansion(inst, number);
        let instances = expansion.instances();
        if instances.is_empty() && expansion.is_unknown() {
            let each = Each::Open("which instances there are is unknown".into());
            self.instance((inst, number, Key::None), &each, (attr, source, key), None);
        }
        let is_likely = self.is_there(inst, number);
        for (own, each) in instances {
            self.instance((inst, number, own), &each, (attr, source, key), is_likely);
        }
    }

    fn instance(
        &mut self,
        (inst, decl, own): (InstIx, usize, Key),
        each: &Each,
        (attr, source, key): (Attr<'a>, Expr<'a>, Expr<'a>),
        is_likely: Option<bool>,
    ) {
        let res = Res { inst, decl, key: own };
        self.world.ask_argument(&res, "provider");
        if let Some(met) = self.met((inst, each), (source, key), attr.file) {
            let spot = self.world.spot(written(attr.expr.span(), attr.file));
            let address = self.world.address(&res);
            self.tell(met, is_likely, spot, (&address, "provider"));
        }
    }

    /// Whether it is only likely that a resource has instances; `None` if it may have none.
    fn is_there(&self, inst: InstIx, number: usize) -> Option<bool> {
        let expansion = self.world.expansion(inst, number);
        let is_likely = self.world.inst(inst).heuristic || expansion.is_heuristic();
        let has_none = expansion.is_unknown() || expansion.instances().is_empty();
        (!has_none).then_some(is_likely)
    }

    fn tell(&mut self, met: Met, is_there: Option<bool>, spot: Spot, (address, name): (&str, &str)) {
        let (why, is_likely) = match (met, is_there) {
            (Met::Rejected(why, is_likely), Some(is_there)) => (why, is_likely || is_there),
            (Met::Rejected(why, _) | Met::Open(why), _) => {
                return self.world.leave_values_open_at(spot, &why);
            }
        };
        let place = super::place_of(self.world, spot);
        if self.told.insert(place) {
            let wrong = Wrong::Condition(why);
            let argument = Argument::of_values(address, name, place, wrong, is_likely);
            self.found.push(argument);
        }
    }

    /// What is wrong with a key after the name of a provider.
    fn met(
        &mut self,
        (inst, each): (InstIx, &Each),
        (source, key): (Expr<'a>, Expr<'a>),
        file: usize,
    ) -> Option<Met> {
        let config = Config::read(source)?;
        let shown = config.shown();
        let keys = self.keys(inst, config)?;
        let open = || Met::Open(format!("whether `{shown}` has such an instance is not known"));
        let value = self.world.eval(inst, each, key, file);
        let rejected = |why: &str| Some(Met::Rejected(why.to_owned(), value.has_heuristic()));
        if value.marks.has(Marks::SENSITIVE) {
            return rejected("the key of a provider must not be sensitive");
        }
        if value.marks.has(Marks::EPHEMERAL) {
            return rejected("the key of a provider must not be ephemeral");
        }
        if value.is_null() {
            return rejected("the key of a provider must not be null");
        }
        let (Some(Key::Str(name)), Some((keys, is_likely))) = (Key::name(&value), &*keys) else {
            return Some(open());
        };
        if keys.contains(&name) {
            return None;
        }
        let why = format!("`{shown}` has no instance `{name}`");
        Some(Met::Rejected(why, value.has_heuristic() || *is_likely))
    }

    /// The keys of a provider; `None` if the module has no such provider with `for_each`.
    fn keys(&mut self, inst: InstIx, config: Config) -> Option<Rc<Keys>> {
        let asked = (inst, config);
        if let Some(known) = self.keys.get(&asked) {
            return known.clone();
        }
        let keys = self.look_up(inst, &asked.1);
        self.keys.insert(asked, keys.clone());
        keys
    }

    fn look_up(&self, inst: InstIx, config: &Config) -> Option<Rc<Keys>> {
        let world = self.world;
        let module = world.module(inst)?;
        let (expr, file) = config.repetition(world, module)?;
        let at: Arc<str> = format!("{}provider.{}.for_each", world.inst(inst).path, config.shown()).into();
        world.ask(at.clone(), at);
        let value = world.eval(inst, &Each::None, expr, file);
        let is_likely = value.has_heuristic();
        let keys: Option<FxHashSet<Arc<str>>> = match &value.data {
            Data::Set(items, _) => items
                .values()
                .iter()
                .map(|item| item.as_str().map(Into::into))
                .collect(),
            Data::Map(fields, _) | Data::Object(fields) => Some(fields.values().keys().cloned().collect()),
            _ => None,
        };
        Some(Rc::new(keys.map(|keys| (keys, is_likely))))
    }
}
