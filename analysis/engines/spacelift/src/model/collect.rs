//! Goes through all module instances, and finds out what each block of Spacelift's says.

use std::cell::Cell;
use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_syntax::hcl::ExprKind;
use applyorder_syntax::hcl::eval::{self, Data, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::fault::FaultKind;
use super::key::Key;
use super::module::{Attr, Decl, Misdeclaration as Why, Spot};
use super::world::{Each, Expansion, InstIx, Res, Symbol, World};
use super::{
    Dependency, Destructor, End, Fault, Given, Id, Misdeclaration, Misdeclared, Model, NodeKind, Of,
    Reference, Settings, Slug, Stack, StackIx, Unresolved, Variable, Vendor, arguments, names, slug, statics,
};
use crate::schema::{Kind, STACK, VENDORS};

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
        ends: FxHashMap::default(),
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
    /// Stacks from outside, by their names in the cases: an address of a data source, `slug:TEXT`.
    externals: FxHashMap<String, StackIx>,
    dependencies: FxHashMap<Res, u32>,
    /// Stacks by provider and slug. Of several that may have it the first.
    slugs: FxHashMap<(Arc<str>, Arc<str>), StackIx>,
    by_address: FxHashMap<Arc<str>, StackIx>,
    /// Where names of stacks stand.
    name_places: FxHashSet<eval::Place>,
    /// What data sources turned out to be; nothing while that is being found out.
    ends: FxHashMap<Res, Option<(End, bool)>>,
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
        let source = self.world.sources.get(place.file as usize);
        let spot = Spot {
            file: place.file as usize,
            at: source.map_or(0, |s| s.facts.at(place.span)),
        };
        self.place(spot)
    }

    /// What may have been meant in place of what is at fault, as source text.
    fn cure(&self, fault: &super::fault::Fault) -> Option<String> {
        let place = self.eval_place(fault.place);
        let span = self.world.cx.span(place)?;
        let (_, source) = self.world.cx.source(&self.world.cx.path(place.file)).ok()?;
        let text = span.slice(&source.text);
        let (word, near) = fault.text.near.as_ref()?;
        match fault.text.kind {
            FaultKind::MissingInstanceKey => {
                let names: Vec<&str> = text.splitn(3, '.').collect();
                match names.as_slice() {
                    [ty, name, rest] => Some(format!("{ty}.{name}{near}.{rest}")),
                    _ => None,
                }
            }
            FaultKind::UnexpectedInstanceKey => {
                let (start, end) = (text.find('[')?, text.find(']')? + 1);
                Some(format!("{}{}", text.get(..start)?, text.get(end..)?))
            }
            _ => {
                let at = text.rfind(word.as_str())?;
                Some(format!(
                    "{}{near}{}",
                    text.get(..at)?,
                    text.get(at + word.len()..)?
                ))
            }
        }
    }

    /// The text of an expression as it is written.
    fn text(&self, attr: &Attr<'a>) -> Arc<str> {
        let place = self.place(attr.value());
        let span = self.world.cx.span(place);
        let path = self.world.cx.path(place.file);
        let source = self.world.cx.source(&path);
        match (span, source) {
            (Some(span), Ok((_, source))) => span.slice(&source.text).trim_matches('"').into(),
            _ => "".into(),
        }
    }

    /// All instances of what decides something, in the order of declaration; what is known not to be there is
    /// looked at without its values.
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
                if let Expansion::Unknown { counted, why, place } = &*expansion
                    && kind != Kind::Stack
                    && kind != Kind::Variable
                {
                    let word = if *counted { "count" } else { "for_each" };
                    let address = world.static_address(inst, decl);
                    self.unresolved(address, word, self.place(*place), why.clone());
                }
                if found.len() == before {
                    self.look_at(inst, decl);
                }
            }
            for calls in world.call_insts(inst).into_values() {
                open.extend(calls.insts.iter().copied());
            }
        }
        found
    }

    /// What Terraform rejects of a block whatever its values are.
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
        });
    }

    /// The value of an argument, with what is asked said.
    fn value(&self, res: &Res, name: &str) -> Option<Value> {
        let at = format!("{}.{name}", self.world.address(res));
        let decl = self.world.decl(res)?;
        let static_at = format!("{}.{name}", self.world.static_address(res.inst, decl));
        self.world.ask(at.into(), static_at.into());
        self.world.attribute(res, name)
    }

    fn given<T>(&self, res: &Res, name: &str, read: impl FnOnce(&Value) -> Option<T>) -> Option<Given<T>> {
        let value = self.value(res, name)?;
        let attr = self.world.decl(res)?.attr(name)?;
        Some(Given {
            value: read(&value)?,
            place: self.place(attr.value()),
        })
    }

    fn given_text(&self, res: &Res, name: &str) -> Option<Given<Arc<str>>> {
        self.given(res, name, |value| value.as_str().map(Into::into))
    }

    /// Whether it is only likely that there is an instance.
    fn is_likely(&self, res: &Res) -> bool {
        self.world.inst(res.inst).heuristic || self.world.expansion(res.inst, res.decl).is_heuristic()
    }

    fn stack(&mut self, res: &Res) -> StackIx {
        if let Some(known) = self.stacks.get(res) {
            return *known;
        }
        let number = count(self.model.stacks.len());
        self.stacks.insert(res.clone(), number);
        let address: Arc<str> = self.world.address(res).into();
        let world = self.world;
        let is_known = match &*world.expansion(res.inst, res.decl) {
            Expansion::Single => true,
            Expansion::Known { by_key, .. } => by_key.contains_key(&res.key),
            Expansion::Unknown { .. } => false,
        };
        let decl = world.decl(res);
        let stack = Stack {
            resource: decl.map_or_else(|| address.clone(), |d| world.static_address(res.inst, d).into()),
            kind: if is_known {
                NodeKind::Managed
            } else {
                NodeKind::Symbolic
            },
            header: self.place(decl.map_or(Spot { file: 0, at: 0 }, Decl::header)),
            name_place: decl.map(|d| self.place(d.name_spot())),
            heuristic: self.is_likely(res),
            settings: decl.map(|decl| self.settings(res, decl)),
            address: address.clone(),
        };
        self.by_address.insert(address, number);
        self.model.stacks.push(stack);
        number
    }

    fn settings(&mut self, res: &Res, decl: &Decl<'a>) -> Settings {
        let name = self.value(res, "name");
        if let Some(attr) = decl.attr("name") {
            self.name_places.insert(self.world.name_place(attr));
        }
        let weak = |value: &Value| value.has_heuristic() || self.is_likely(res);
        let header = self.place(decl.header());
        let at = |name: &str| decl.attr(name).map_or(header, |attr| self.place(attr.value()));
        let slug = match self.value(res, "slug").filter(|s| !s.is_null()) {
            Some(written) => written.as_str().map(|text| Slug {
                text: text.into(),
                is_written: true,
                is_weak: weak(&written),
                place: at("slug"),
            }),
            None => name
                .as_ref()
                .and_then(|n| Some((n, n.as_str()?)))
                .map(|(value, text)| Slug {
                    text: slug::derived(text).into(),
                    is_written: false,
                    is_weak: weak(value) || !slug::is_plain(text),
                    place: at("name"),
                }),
        };
        let (vendor, vendor_place) = self.vendor(res, decl);
        let flag = |name: &str| self.given(res, name, Value::as_bool);
        let labels = self.value(res, "labels");
        let label = |value: &Value| {
            Some(Given {
                value: value.as_str()?.into(),
                place: value.place.map_or(header, |p| self.eval_place(p)),
            })
        };
        let autodeploy = match self.value(res, "autodeploy") {
            None => Some(false),
            Some(value) if value.is_null() => Some(false),
            Some(value) => value.as_bool(),
        };
        Settings {
            provider: self.world.provider(res.inst, decl),
            slug,
            vendor,
            vendor_place,
            protect: flag("protect_from_deletion"),
            autodeploy,
            sensitive_upload: flag("enable_sensitive_outputs_upload"),
            labels: labels
                .as_ref()
                .and_then(Value::elements)
                .map_or_else(Vec::new, |all| all.iter().filter_map(label).collect()),
            project_root: self.given_text(res, "project_root").map(|g| g.value),
        }
    }

    /// At most one block says what runs a stack.
    fn vendor(&self, res: &Res, decl: &Decl<'a>) -> (Vendor, Option<Place>) {
        let block = decl.blocks.iter().find(|inner| VENDORS.contains(&inner.word));
        let attr = || {
            let found = decl.attrs.iter().find(|a| VENDORS.contains(&a.name));
            found.filter(|a| !matches!(a.expr.kind(), ExprKind::Null))
        };
        let (word, spot) = match block {
            Some(inner) => (inner.word, inner.header),
            None => match attr() {
                Some(attr) => (attr.name, attr.name_spot()),
                None if decl.has_dynamic => return (Vendor::Unknown, None),
                None => {
                    let tool = self.value(res, "terraform_workflow_tool");
                    let is_tofu = tool.as_ref().and_then(Value::as_str) == Some("OPEN_TOFU");
                    let vendor = if is_tofu {
                        Vendor::OpenTofu
                    } else {
                        Vendor::Terraform
                    };
                    return (vendor, None);
                }
            },
        };
        let place = Some(self.place(spot));
        if decl.has_dynamic {
            return (Vendor::Unknown, place);
        }
        let vendor = match word {
            "ansible" => Vendor::Ansible,
            "cloudformation" => Vendor::CloudFormation,
            "kubernetes" => Vendor::Kubernetes,
            "opentofu" => Vendor::OpenTofu,
            "pulumi" => Vendor::Pulumi,
            _ => Vendor::Terragrunt,
        };
        (vendor, place)
    }

    fn index_slugs(&mut self) {
        // A slug that is written wins over one that is made of a name.
        for written in [true, false] {
            for (number, stack) in (0u32..).zip(&self.model.stacks) {
                let Some(settings) = &stack.settings else { continue };
                let Some(slug) = settings.slug.as_ref().filter(|s| s.is_written == written) else {
                    continue;
                };
                let key = (settings.provider.clone(), slug.text.clone());
                self.slugs.entry(key).or_insert(number);
            }
        }
    }

    fn external(&mut self, name: String, header: Place, name_place: Option<Place>) -> StackIx {
        if let Some(known) = self.externals.get(&name) {
            return *known;
        }
        let number = count(self.model.stacks.len());
        let address: Arc<str> = name.as_str().into();
        self.externals.insert(name, number);
        self.model.stacks.push(Stack {
            resource: address.clone(),
            address,
            kind: NodeKind::External,
            header,
            name_place,
            heuristic: false,
            settings: None,
        });
        number
    }

    /// An id of a stack.
    fn id(&mut self, res: &Res, name: &str, header: Place, provider: &Arc<str>) -> Id {
        self.asked.set(self.asked.get() + 1);
        let attr = self.world.decl(res).and_then(|d| d.attr(name)).copied();
        let Some(attr) = attr else {
            return Id {
                end: End::Wrong,
                place: header,
                text: "".into(),
                heuristic: false,
                is_literal: false,
            };
        };
        let value = self.value(res, name).unwrap_or_else(Value::null);
        let place = self.place(attr.value());
        let mut id = Id {
            end: End::Wrong,
            place,
            text: self.text(&attr),
            heuristic: value.has_heuristic(),
            is_literal: false,
        };
        self.resolve(&value, &mut id, provider);
        if let End::Unknown(why) = &id.end {
            let why = why.clone();
            if !self.planned(res, name, &mut id, provider) {
                self.unresolved(self.world.address(res), name, place, why);
            }
        }
        if matches!(id.end, End::Stack(_) | End::Name) {
            self.known.set(self.known.get() + 1);
        }
        id
    }

    /// Looks an id up in the plan; whether it is there.
    fn planned(&mut self, res: &Res, name: &str, id: &mut Id, provider: &Arc<str>) -> bool {
        let Some(plan) = &self.world.plan else {
            return false;
        };
        let Some(text) = plan.text(&self.world.address(res), name) else {
            return false;
        };
        id.heuristic = false;
        if let Some(stack) = plan.stack(text).and_then(|a| self.by_address.get(a)) {
            id.end = End::Stack(*stack);
            return true;
        }
        let value = Value::string(text);
        self.resolve(&value, id, provider);
        id.is_literal = false;
        true
    }

    fn resolve(&mut self, value: &Value, id: &mut Id, provider: &Arc<str>) {
        if let Some(text) = value.as_str() {
            if value.place.is_some_and(|p| self.name_places.contains(&p)) {
                id.end = End::Name;
                return;
            }
            self.literal(text, id, provider);
            return;
        }
        if let Some(unknown) = value.as_unknown() {
            let symbol = unknown.symbol.and_then(|s| self.world.symbol_of(s));
            id.end = match symbol {
                Some(Symbol::Id(res)) => {
                    let (end, heuristic) = self.meant(&res, &unknown.why);
                    id.heuristic |= heuristic;
                    end
                }
                Some(Symbol::Name(_)) => End::Name,
                None if unknown.place.is_some_and(|p| self.world.is_fault(p)) => End::Wrong,
                None => End::Unknown(unknown.why.clone()),
            };
            return;
        }
        id.end = match &value.data {
            Data::Null(_) => End::Unknown("it is null".into()),
            _ => End::Wrong,
        };
    }

    fn literal(&mut self, text: &str, id: &mut Id, provider: &Arc<str>) {
        if let Some(stack) = self
            .world
            .plan
            .as_ref()
            .and_then(|p| p.stack(text))
            .and_then(|a| self.by_address.get(a))
        {
            id.end = End::Stack(*stack);
            id.is_literal = true;
            return;
        }
        let found = self.slugs.get(&(provider.clone(), text.into())).copied();
        let Some(stack) = found else {
            let end = self.external(format!("slug:{text}"), id.place, None);
            id.end = End::Stack(end);
            return;
        };
        let slug = self.model.stacks.get(stack as usize);
        let slug = slug.and_then(|s| s.settings.as_ref()?.slug.as_ref());
        id.heuristic |= slug.is_none_or(|s| !s.is_written || s.is_weak);
        id.is_literal = true;
        id.end = End::Stack(stack);
    }

    /// What the id of an instance means, and whether that is only likely.
    fn meant(&mut self, res: &Res, why: &Arc<str>) -> (End, bool) {
        let world = self.world;
        let Some(decl) = world.decl(res) else {
            return (End::Unknown(why.clone()), false);
        };
        if !decl.is_data() {
            return if decl.ty() == STACK {
                let stack = self.stack(res);
                let heuristic = self.model.stacks.get(stack as usize).is_some_and(|s| s.heuristic);
                (End::Stack(stack), heuristic)
            } else {
                (End::Unknown("it is the id of a dependency".into()), false)
            };
        }
        match self.ends.get(res) {
            Some(Some(known)) => return known.clone(),
            Some(None) => return (End::Unknown("it depends on itself".into()), false),
            None => {}
        }
        self.ends.insert(res.clone(), None);
        let header = self.place(decl.header());
        let name_place = Some(self.place(decl.name_spot()));
        let mut id = Id {
            end: End::Wrong,
            place: header,
            text: "".into(),
            heuristic: false,
            is_literal: false,
        };
        if let Some(value) = world.attribute(res, "stack_id").filter(|_| decl.ty() == STACK) {
            id.heuristic = value.has_heuristic();
            let provider = world.provider(res.inst, decl);
            // A text that no stack here has is no second node beside the data source.
            let is_elsewhere = value
                .as_str()
                .is_some_and(|text| !self.slugs.contains_key(&(provider.clone(), text.into())));
            if !is_elsewhere {
                self.resolve(&value, &mut id, &provider);
            }
        }
        let end = match id.end {
            End::Stack(_) => (id.end, id.heuristic),
            _ => (
                End::Stack(self.external(world.address(res), header, name_place)),
                self.is_likely(res),
            ),
        };
        self.ends.insert(res.clone(), Some(end.clone()));
        end
    }

    fn dependency(&mut self, res: &Res) {
        let world = self.world;
        let Some(decl) = world.decl(res) else { return };
        let header = self.place(decl.header());
        let provider = world.provider(res.inst, decl);
        let stack = self.id(res, "stack_id", header, &provider);
        let upstream = self.id(res, "depends_on_stack_id", header, &provider);
        let whole = Spot {
            file: decl.file,
            at: decl.facts.whole,
        };
        let path = world.inst(res.inst).path.clone();
        let named = decl.refs.iter().filter(|(_, r)| &*r.attribute == "depends_on");
        let depends_on: Vec<Arc<str>> = named
            .filter_map(|(_, r)| match &r.target {
                crate::read::Target::Resource(false, ty, name) => Some(format!("{path}{ty}.{name}").into()),
                _ => None,
            })
            .collect();
        self.dependencies
            .insert(res.clone(), count(self.model.dependencies.len()));
        let dependency = Dependency {
            address: world.address(res).into(),
            resource: world.static_address(res.inst, decl).into(),
            header,
            whole: self.place(whole),
            stack,
            upstream,
            heuristic: self.is_likely(res),
            depends_on: depends_on.into(),
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

    fn of(&mut self, value: &Value) -> Of {
        if let Some(text) = value.as_str() {
            return if text.contains('/') {
                Of::Unknown("which dependency has this id is unknown".into())
            } else {
                Of::Text(text.into())
            };
        }
        let Some(unknown) = value.as_unknown() else {
            if is_wrong_type(value) {
                return Of::Wrong;
            }
            return Of::Unknown("it is null".into());
        };
        match unknown.symbol.and_then(|s| self.world.symbol_of(s)) {
            Some(Symbol::Id(res)) => match self.dependencies.get(&res) {
                Some(dependency) => Of::Dependency(*dependency),
                None => match self.meant(&res, &unknown.why).0 {
                    End::Stack(stack) => Of::Stack(stack),
                    _ => Of::Unknown(unknown.why.clone()),
                },
            },
            _ if unknown.place.is_some_and(|p| self.world.is_fault(p)) => Of::Wrong,
            _ => Of::Unknown(unknown.why.clone()),
        }
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
        // It orders nothing: what of it is unknown is nobody's concern.
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

    /// Leaves out stacks of which only the name is known and that occur in no edge.
    fn drop_unused(&mut self) {
        let model = &mut self.model;
        let mut used: FxHashSet<StackIx> = FxHashSet::default();
        for (from, to) in model.dependencies.iter().filter_map(Dependency::edge) {
            used.extend([from, to]);
        }
        let mut numbers: Vec<Option<StackIx>> = Vec::with_capacity(model.stacks.len());
        let mut next = 0;
        for (number, stack) in (0u32..).zip(&model.stacks) {
            let stays = stack.kind == NodeKind::Managed || used.contains(&number);
            numbers.push(stays.then_some(next));
            next += u32::from(stays);
        }
        if numbers.iter().all(Option::is_some) {
            return;
        }
        let renumbered = |stack: StackIx| numbers.get(stack as usize).copied().flatten();
        let mut at = numbers.iter();
        model.stacks.retain(|_| at.next().is_some_and(Option::is_some));
        let open = || End::Unknown("what the other id means is unknown".into());
        for dependency in &mut model.dependencies {
            for id in [&mut dependency.stack, &mut dependency.upstream] {
                if let End::Stack(stack) = id.end {
                    id.end = renumbered(stack).map_or_else(open, End::Stack);
                }
            }
        }
        for reference in &mut model.references {
            if let Of::Stack(stack) = reference.of {
                let why = "it is no id of a dependency";
                reference.of = renumbered(stack).map_or_else(|| Of::Unknown(why.into()), Of::Stack);
            }
        }
        for destructor in &mut model.destructors {
            destructor.stack = destructor.stack.and_then(renumbered);
        }
        model.variables.retain_mut(|variable| {
            let stack = renumbered(variable.stack);
            variable.stack = stack.unwrap_or_default();
            stack.is_some()
        });
    }

    fn finish(mut self) -> Model {
        self.drop_unused();
        let world = self.world;
        self.model.arguments = arguments::check(world, &|spot| place_of(world, spot));
        let faults = world.take_faults();
        let faults: Vec<Fault> = faults
            .into_iter()
            .map(|fault| Fault {
                cure: self.cure(&fault),
                kind: fault.text.kind,
                place: self.eval_place(fault.place),
                at: fault.at,
                static_at: fault.static_at,
                related: fault.text.related.map(|(spot, text)| (self.place(spot), text)),
                heuristic: fault.text.heuristic,
                subject: fault.text.subject,
            })
            .collect();
        self.model.faults = faults;
        for module in &world.modules {
            for wrong in &module.misdeclared {
                self.model.misdeclared.push(Misdeclared {
                    subject: wrong.subject.as_str().into(),
                    word: wrong.word,
                    place: self.place(wrong.spot),
                    why: match wrong.why {
                        Why::Again { first } => Misdeclaration::Again(self.place(first)),
                        Why::NoBase => Misdeclaration::NoBase,
                        Why::DependsOn => Misdeclaration::DependsOn,
                    },
                });
            }
        }
        self.model.ids = (self.asked.get(), self.known.get());
        self.model.statics = statics::build(&world.modules, world.loaded, &|spot| place_of(world, spot));
        self.model.symbols = names::symbols(world, &|spot| place_of(world, spot)).into();
        for (own, loaded) in world.modules.iter().zip(&world.loaded.modules) {
            for call in &own.calls {
                let target = call.facts.source.as_deref().and_then(|s| loaded.calls.get(s));
                let place = call.attr("source").map(|attr| self.place(attr.value()));
                self.model.links.extend(place.zip(target.copied()));
            }
        }
        self.model.is_handed_over = world.inputs.is_certain;
        self.model.rests_on = world.rests_on.borrow().iter().cloned().collect();
        self.model.read.extend(world.read.borrow().iter().cloned());
        if world.is_cut.get() {
            let most = super::world::MAX_INSTANCES;
            self.model.limits.push(format!(
                "there are more modules than are read, or more than {most} instances: the rest is not analysed"
            ));
        }
        if world.budget.is_exhausted() {
            self.model.limits.push(
                "the expressions take too many steps to evaluate: what is left is not analysed".to_owned(),
            );
        }
        self.model
    }
}

fn place_of(world: &World<'_>, spot: Spot) -> Place {
    world.sources.get(spot.file).map_or_else(
        || Place::file(applyorder_core::diagnostic::FileId(0)),
        |source| world.cx.place(source.id, spot.at),
    )
}

/// Whether Terraform cannot take a value for a text.
fn is_wrong_type(value: &Value) -> bool {
    value.elements().is_some() || value.members().is_some()
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
