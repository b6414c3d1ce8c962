//! What the arguments of a dependency mean: which stack an id is of.
//!
//! Source: spec section 4.

use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_syntax::hcl::eval::{Data, Value};

use super::super::module::Attr;
use super::super::world::{Res, Symbol};
use super::super::{End, Id, NodeKind, Of, Stack, StackIx};
use super::{Collector, count, is_wrong_type};
use crate::schema::STACK;

impl<'a> Collector<'_, 'a> {
    /// The text of an expression as it is written.
    fn text(&self, attr: &Attr<'a>) -> Arc<str> {
        let mut known = self.texts.borrow_mut();
        let text = known.entry(attr.value()).or_insert_with(|| self.written(attr));
        text.clone()
    }

    fn written(&self, attr: &Attr<'a>) -> Arc<str> {
        let place = self.place(attr.value());
        let span = self.world.cx.span(place);
        let path = self.world.cx.path(place.file);
        let source = self.world.cx.source(&path);
        match (span, source) {
            (Some(span), Ok((_, source))) => span.slice(&source.text).trim_matches('"').into(),
            _ => "".into(),
        }
    }

    pub(super) fn index_slugs(&mut self) {
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

    pub(super) fn external(&mut self, name: String, header: Place, name_place: Option<Place>) -> StackIx {
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
            calls: Vec::new(),
        });
        number
    }

    /// An id of a stack.
    pub(super) fn id(&mut self, res: &Res, name: &'static str, header: Place, provider: &Arc<str>) -> Id {
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

    pub(super) fn resolve(&mut self, value: &Value, id: &mut Id, provider: &Arc<str>) {
        if let Some(text) = value.as_str() {
            if value.place.is_some_and(|p| self.name_places.contains(&p)) {
                id.end = End::Name;
                return;
            }
            if text.is_empty() {
                // What is joined of no instance, as it often is where there may be one.
                id.end = End::Unknown("it is empty".into());
                return;
            }
            if let Some(stack) = value.place.and_then(|p| self.slug_places.get(&(p, text.into()))) {
                id.end = End::Stack(*stack);
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
            // A string that no stack here has is not a second node next to the data source.
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

    pub(super) fn of(&mut self, value: &Value) -> Of {
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
}
