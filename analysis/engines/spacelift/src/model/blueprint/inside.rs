//! Blueprints and templates inside configuration, and whether they are published.
//!
//! Source: the provider's `resource_blueprint.go` and `resource_template_version.go`: `state` is `DRAFT` or `PUBLISHED`.

use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_core::memo::Fingerprint;
use applyorder_syntax::yaml;

use super::super::world::{Res, World};
use super::super::{Model, Wrong};
use super::{argument, read_at};
use crate::read::BLUEPRINT as BLUEPRINT_TYPE;
use crate::read::blueprint::{Flavor, Inside, is_computed, stacks};

/// The blueprints and templates that resources of some modules hold.
pub(in crate::model) fn inside(world: &World<'_>) -> Vec<Arc<Model>> {
    let mut found = Vec::new();
    let all = world.modules.iter().enumerate();
    for (at, decl) in all.flat_map(|(at, module)| {
        module
            .resources
            .iter()
            .enumerate()
            .map(move |(i, d)| ((at, i), d))
    }) {
        let Some(attr) = decl
            .attr("template")
            .copied()
            .filter(|_| decl.facts.has_blueprint())
        else {
            continue;
        };
        let Some(source) = world.sources.get(attr.file) else {
            continue;
        };
        let Ok((_, read)) = world.cx.source(&world.cx.path(source.id)) else {
            continue;
        };
        let state = State::of(world, at);
        if state == State::Draft {
            continue;
        }
        let span = source.facts.written_at(attr.expr.span());
        let Some(text) = Inside::read(attr.expr, span, &read.text) else {
            continue;
        };
        let tree = yaml::parse(&*text.text);
        let is_broken = tree.errors().iter().any(|e| !is_computed(&text.text, e.span));
        if stacks(&tree).is_none() && !is_broken {
            continue;
        }
        let flavor = match decl.ty() {
            BLUEPRINT_TYPE => Flavor::Blueprint,
            _ => Flavor::Template,
        };
        let is_open = state == State::Open;
        let fingerprint = Fingerprint::of(&(
            source.id,
            span.start,
            span.end,
            &*text.text,
            decl.address(),
            is_open,
        ));
        let mut model = read_at(&tree, source.id, flavor, fingerprint, &|span| {
            text.written_at(span)
        });
        let resource: Arc<str> = decl.address().into();
        for error in tree.errors().iter().filter(|e| !is_computed(&text.text, e.span)) {
            let place = Place::span(source.id, text.written_at(error.span));
            let why = format!("it is not YAML: {}", error.message);
            model
                .arguments
                .push(argument(&resource, "template", place, Wrong::Type(why)));
        }
        model.is_inside = true;
        if state == State::Open {
            model.may_be_draft = true;
            model.rests_on.push(format!("the `state` of `{resource}`"));
        }
        found.push(Arc::new(model));
    }
    found
}

/// What is known of the state of a blueprint.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// All instances are drafts, or none exists: Spacelift does not check any text.
    Draft,
    /// Some instance is published, or has no state, which is wrong already.
    Published,
    /// It is unknown.
    Open,
}

impl State {
    /// Of a resource, by the numbers of its module and of its declaration there.
    fn of(world: &World<'_>, (module, decl): (usize, usize)) -> Self {
        let Some(declared) = world.modules.get(module).and_then(|m| m.resources.get(decl)) else {
            return Self::Open;
        };
        match declared.attr("state").map(|attr| attr.expr.as_text()) {
            None => return Self::Published,
            Some(Some(text)) => return Self::named(text),
            Some(None) => {}
        }
        let count = world.insts.borrow().len();
        let mut found = Self::Draft;
        for inst in (0..count).filter(|inst| world.inst(*inst).module == module) {
            let expansion = world.expansion(inst, decl);
            if expansion.is_unknown() {
                found = Self::Open;
            }
            for (key, _) in expansion.instances() {
                let value = world.attribute(&Res { inst, decl, key }, "state");
                let text = value.as_ref().filter(|value| !value.heuristic);
                match text.and_then(|value| value.as_str()).map(Self::named) {
                    Some(Self::Published) => return Self::Published,
                    Some(Self::Draft) => {}
                    Some(Self::Open) | None => found = Self::Open,
                }
            }
        }
        found
    }

    fn named(text: &str) -> Self {
        match text {
            "DRAFT" => Self::Draft,
            _ => Self::Published,
        }
    }
}
