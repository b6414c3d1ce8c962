//! Visits all module instances, and collects what each of Spacelift's blocks declares.

mod checks;
mod conditions;
mod finish;
mod ids;
mod imports;
mod move_cycles;
mod move_graph;
mod moves;
mod provider_keys;
mod rest;
mod secrets;
mod stacks;
mod triggers;

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_syntax::hcl::eval::{self, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::key::Key;
use super::module::{Decl, Spot};
use super::world::{Each, Expansion, InstIx, Res, World};
use super::{Dependency, Destructor, End, Given, Model, Of, Reference, StackIx, Unresolved, Variable};
use crate::read::{Ref, Target};
use crate::schema::Kind;

/// The argument that names the stack depended on.
const UPSTREAM: &str = "depends_on_stack_id";

/// Collects what a project declares.
pub(super) fn collect(world: &World<'_>) -> Model {
    let mut collector = Collector {
        world,
        model: Model::default(),
        stacks: FxHashMap::default(),
        externals: FxHashMap::default(),
        dependencies: FxHashMap::default(),
        slugs: FxHashMap::default(),
        by_address: FxHashMap::default(),
        name_places: FxHashSet::default(),
        slug_places: FxHashMap::default(),
        ends: FxHashMap::default(),
        texts: RefCell::default(),
        known: Cell::new(0),
        asked: Cell::new(0),
    };
    let instances = collector.instances();
    for res in &instances {
        if collector.kind(res) == Kind::Stack {
            collector.stack(res);
        }
    }
    collector.index_slugs();
    for kind in [
        Kind::Dependency,
        Kind::Reference,
        Kind::Destructor,
        Kind::Variable,
    ] {
        for res in &instances {
            if collector.kind(res) == kind {
                collector.add(res, kind);
            }
        }
    }
    collector.finish()
}

struct Collector<'w, 'a> {
    world: &'w World<'a>,
    model: Model,
    stacks: FxHashMap<Res, StackIx>,
    /// Stacks outside the project, by their names in the cases: an address of a data source, `slug:TEXT`.
    externals: FxHashMap<String, StackIx>,
    dependencies: FxHashMap<Res, u32>,
    /// Stacks by provider and slug; if several may have the same slug, the first.
    slugs: FxHashMap<(Arc<str>, Arc<str>), StackIx>,
    by_address: FxHashMap<Arc<str>, StackIx>,
    /// Where names of stacks are.
    name_places: FxHashSet<eval::Place>,
    /// Stacks by the place and the text of their slugs.
    slug_places: FxHashMap<(eval::Place, Arc<str>), StackIx>,
    /// What data sources refer to; `None` while that is being determined.
    ends: FxHashMap<Res, Option<(End, bool)>>,
    /// The source text of arguments.
    texts: RefCell<FxHashMap<Spot, Arc<str>>>,
    known: Cell<usize>,
    asked: Cell<usize>,
}

impl<'a> Collector<'_, 'a> {
    fn kind(&self, res: &Res) -> Kind {
        self.world.decl(res).map_or(Kind::Other, Decl::decides)
    }

    fn add(&mut self, res: &Res, kind: Kind) {
        match kind {
            Kind::Dependency => self.dependency(res),
            Kind::Reference => self.reference(res),
            Kind::Destructor => self.destructor(res),
            Kind::Variable => self.variable(res),
            Kind::Stack | Kind::Other => {}
        }
    }

    fn place(&self, spot: Spot) -> Place {
        place_of(self.world, spot)
    }

    fn eval_place(&self, place: eval::Place) -> Place {
        self.place(self.world.spot(place))
    }

    /// All instances of the resources that matter, in the order of declaration; what is known not to exist is checked
    /// without its values.
    fn instances(&mut self) -> Vec<Res> {
        let world = self.world;
        let mut found = Vec::new();
        let mut open: Vec<InstIx> = vec![0];
        let mut next = 0;
        while let Some(inst) = open.get(next).copied() {
            next += 1;
            let Some(module) = world.module(inst) else {
                continue;
            };
            for (number, decl) in module.resources.iter().enumerate() {
                let kind = decl.decides();
                if kind == Kind::Other {
                    if decl.ty().starts_with("spacelift_") {
                        self.look_at(inst, decl);
                    }
                    continue;
                }
                let expansion = world.expansion(inst, number);
                let before = found.len();
                let key = |(key, _): (Key, Each)| Res {
                    inst,
                    decl: number,
                    key,
                };
                found.extend(expansion.instances().into_iter().map(key));
                if let Expansion::Unknown { counted, why, place } = &*expansion {
                    let word = if *counted { "count" } else { "for_each" };
                    let address = world.static_address(inst, decl);
                    self.model.open_instances.push(format!("{address}.{word}"));
                    if kind != Kind::Stack && kind != Kind::Variable {
                        self.unresolved(address, word, self.place(*place), why.clone());
                    }
                }
                if found.len() == before {
                    self.look_at(inst, decl);
                }
            }
            for (number, calls) in world.call_insts(inst) {
                if let (Expansion::Unknown { .. }, Some(call)) = (&*calls.expansion, module.calls.get(number))
                {
                    let path = world.inst(inst).path.clone();
                    self.model
                        .open_instances
                        .push(format!("{path}module.{}", call.name()));
                }
                open.extend(calls.insts.iter().copied());
            }
        }
        found
    }

    /// Checks what Terraform rejects in a block whatever its values are.
    fn look_at(&self, inst: InstIx, decl: &Decl<'a>) {
        self.world.is_static.set(true);
        let each = Each::Open("which instances there are is unknown".into());
        let address: Arc<str> = self.world.static_address(inst, decl).into();
        for attr in &decl.attrs {
            if matches!(
                attr.name,
                "count" | "for_each" | "depends_on" | "provider" | "lifecycle"
            ) {
                continue;
            }
            let at: Arc<str> = format!("{address}.{}", attr.name).into();
            self.world.ask(at.clone(), at);
            self.world.eval(inst, &each, attr.expr, attr.file);
        }
        self.world.is_static.set(false);
    }

    fn unresolved(&mut self, address: String, argument: &str, place: Place, why: Arc<str>) {
        self.model.unresolved.push(Unresolved {
            at: format!("{address}.{argument}"),
            place,
            why,
            is_given: true,
        });
    }

    /// The value of an argument; faults on the way are recorded as being of this argument.
    fn value(&self, res: &Res, name: &'static str) -> Option<Value> {
        self.world.decl(res)?;
        self.world.ask_argument(res, name);
        self.world.attribute(res, name)
    }

    fn given<T>(
        &self,
        res: &Res,
        name: &'static str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Option<Given<T>> {
        let value = self.value(res, name)?;
        let attr = self.world.decl(res)?.attr(name)?;
        Some(Given {
            value: read(&value)?,
            place: self.place(attr.value()),
        })
    }

    fn given_text(&self, res: &Res, name: &'static str) -> Option<Given<Arc<str>>> {
        self.given(res, name, |value| value.as_str().map(Into::into))
    }

    /// Whether it is only likely that an instance exists.
    fn is_likely(&self, res: &Res) -> bool {
        self.world.inst(res.inst).heuristic || self.world.expansion(res.inst, res.decl).is_heuristic()
    }

    fn dependency(&mut self, res: &Res) {
        let world = self.world;
        let Some(decl) = world.decl(res) else { return };
        let header = self.place(decl.header());
        let provider = world.provider(res.inst, decl);
        let stack = self.id(res, "stack_id", header, &provider);
        let upstream = self.id(res, UPSTREAM, header, &provider);
        self.dependencies
            .insert(res.clone(), count(self.model.dependencies.len()));
        let dependency = Dependency {
            address: world.address(res).into(),
            resource: world.static_address(res.inst, decl).into(),
            attribute: UPSTREAM,
            header,
            whole: self.place(decl.whole()),
            is_alone: false,
            stack,
            upstream,
            heuristic: self.is_likely(res),
            waits_for: named_by(world, res, decl, |_| true),
        };
        self.model.dependencies.push(dependency);
    }

    fn reference(&mut self, res: &Res) {
        self.asked.set(self.asked.get() + 1);
        let world = self.world;
        let Some(decl) = world.decl(res) else { return };
        let header = self.place(decl.header());
        let attr = decl.attr("stack_dependency_id").copied();
        let value = attr.and_then(|_| self.value(res, "stack_dependency_id"));
        let of_place = attr.map_or(header, |a| self.place(a.value()));
        let address: Arc<str> = world.address(res).into();
        let of = value.as_ref().map_or(Of::Wrong, |value| self.of(value));
        if let Of::Unknown(why) = &of {
            self.unresolved(address.to_string(), "stack_dependency_id", of_place, why.clone());
        } else {
            self.known.set(self.known.get() + 1);
        }
        let trigger_always = match self.value(res, "trigger_always") {
            None => Some(false),
            Some(value) if value.is_null() => Some(false),
            Some(value) => value.as_bool(),
        };
        let heuristic = self.is_likely(res) || value.is_some_and(|v| v.has_heuristic());
        let reference = Reference {
            resource: world.static_address(res.inst, decl).into(),
            header,
            whole: self.place(decl.whole()),
            of,
            of_place,
            output: self.given_text(res, "output_name"),
            input: self.given_text(res, "input_name"),
            trigger_always,
            heuristic,
            address,
        };
        self.model.references.push(reference);
    }

    fn destructor(&mut self, res: &Res) {
        let world = self.world;
        let Some(decl) = world.decl(res) else { return };
        let header = self.place(decl.header());
        let provider = world.provider(res.inst, decl);
        let id = self.id(res, "stack_id", header, &provider);
        let deactivated = match self.value(res, "deactivated") {
            None => Some(false),
            Some(value) if value.is_null() => Some(false),
            Some(value) => value.as_bool(),
        };
        let destructor = Destructor {
            address: world.address(res).into(),
            resource: world.static_address(res.inst, decl).into(),
            header,
            stack: id.stack(),
            deactivated,
            depends_on: decl.attr("depends_on").map(|a| self.place(a.value())),
            waits_for: named_by(world, res, decl, |r| r.is_of("depends_on")),
            argument: decl.attr("stack_id").map(|a| self.place(a.name_spot())),
            heuristic: self.is_likely(res) || id.heuristic,
        };
        self.model.destructors.push(destructor);
    }

    fn variable(&mut self, res: &Res) {
        let world = self.world;
        let Some(decl) = world.decl(res) else { return };
        if decl.attr("stack_id").is_none() {
            return;
        }
        let header = self.place(decl.header());
        let provider = world.provider(res.inst, decl);
        let before = (self.asked.get(), self.known.get(), self.model.unresolved.len());
        let id = self.id(res, "stack_id", header, &provider);
        // It orders nothing, so it does not matter what is unknown in it.
        self.asked.set(before.0);
        self.known.set(before.1);
        self.model.unresolved.truncate(before.2);
        if let (Some(stack), Some(name)) = (id.stack(), self.given_text(res, "name")) {
            self.model.variables.push(Variable {
                address: world.address(res).into(),
                stack,
                name,
            });
        }
    }
}

fn place_of(world: &World<'_>, spot: Spot) -> Place {
    world.sources.get(spot.file).map_or_else(
        || Place::file(applyorder_core::diagnostic::FileId(0)),
        |source| world.cx.place(source.id, spot.at),
    )
}

/// The resources that some references of a declaration name, by their addresses without keys.
fn named_by(world: &World<'_>, res: &Res, decl: &Decl<'_>, which: impl Fn(&Ref) -> bool) -> Arc<[Arc<str>]> {
    let path = world.inst(res.inst).path.clone();
    let named = decl.refs.iter().filter(|(_, r)| which(r));
    let resources = named.filter_map(|(_, r)| match &r.target {
        Target::Resource(false, ty, name) => Some(format!("{path}{ty}.{name}").into()),
        _ => None,
    });
    resources.collect()
}

/// Whether Terraform cannot convert a value to a string.
fn is_wrong_type(value: &Value) -> bool {
    value.elements().is_some() || value.members().is_some()
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
