//! Change groups as names that are declared and referred to.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::compare::Change;
use crate::defaults::PREFIX;
use crate::model::uses::Source;
use crate::model::{Model, Set};
use crate::relate::Related;
use crate::{grammar, names};
use applyorder_core::diagnostic::Place;
use applyorder_core::engine::{Symbol, UnitIx};
use applyorder_core::layer::Sym;

/// One symbol per written change group, in the order in which they first appear.
pub(super) fn symbols(related: &Related) -> Vec<Symbol> {
    let (model, uses) = (&*related.model, &related.deploy.uses);
    let mut found: Vec<Symbol> = uses.names.iter().map(|name| empty(name)).collect();
    let mut numbers: FxHashMap<Box<str>, usize> = FxHashMap::default();
    let mut bound: FxHashSet<(Sym, Place)> = FxHashSet::default();
    for ((unit, change), own) in (0u32..).zip(related.deploy.changes.iter()).zip(&uses.changes) {
        for group in &own.groups {
            let Some(symbol) = uses.position(group.group).and_then(|at| found.get_mut(at)) else {
                continue;
            };
            if symbol.units.last() != Some(&UnitIx(unit)) {
                symbol.units.push(UnitIx(unit));
            }
            let written = written(model, change, group.source, false)
                .filter(|(place, _)| is_new(&mut bound, group.group, group.source, *place));
            add(&mut symbol.definitions, &mut symbol.renameable, written);
        }
        for rule in own.rules() {
            let Some(symbol) = uses.position(rule.group).and_then(|at| found.get_mut(at)) else {
                continue;
            };
            let written = written(model, change, rule.source, true)
                .filter(|(place, _)| is_new(&mut bound, rule.group, rule.source, *place));
            add(&mut symbol.references, &mut symbol.renameable, written);
        }
    }
    // Bindings that apply to nothing still name groups.
    for (number, in_force) in model.bindings.configs.iter().enumerate() {
        let config = &in_force.config;
        let place = |local: u32| model.place(Set::New, in_force.item, local);
        let idle = |table: &[Vec<bool>], binding: usize| {
            table.get(number).and_then(|t| t.get(binding)) != Some(&true)
        };
        let mut note = |name: &str, place: Option<Place>, defines: bool| {
            let Some(place) = place.filter(|_| names::check(name).is_ok()) else {
                return;
            };
            let known = uses.names.iter().position(|known| **known == *name);
            let at = known.unwrap_or_else(|| {
                *numbers.entry(name.into()).or_insert_with(|| {
                    found.push(empty(name));
                    found.len() - 1
                })
            });
            if let Some(symbol) = found.get_mut(at) {
                if defines {
                    symbol.definitions.push(place);
                } else {
                    symbol.references.push(place);
                }
            }
        };
        for (i, group) in config.groups.iter().enumerate() {
            if idle(&uses.matched_groups, i) && !group.name.value.contains('{') {
                note(&group.name.value, place(group.name.place), true);
            }
        }
        for (i, binding) in config.rules.iter().enumerate() {
            if !idle(&uses.matched_rules, i) {
                continue;
            }
            for text in binding.rules.iter().filter(|t| t.placeholders.is_empty()) {
                if let (Ok(parsed), Some(words)) = (grammar::parse(&text.value), text.words) {
                    note(parsed.group, place(words[3]), false);
                }
            }
        }
    }
    found.retain(|s| !s.definitions.is_empty() || !s.references.is_empty());
    found
}

fn empty(name: &str) -> Symbol {
    Symbol {
        kind: "change group",
        name: name.into(),
        definitions: Vec::new(),
        references: Vec::new(),
        units: Vec::new(),
        dependencies: Vec::new(),
        renameable: !name.starts_with(PREFIX),
    }
}

/// A binding is at one place, however many resources it applies to.
fn is_new(bound: &mut FxHashSet<(Sym, Place)>, group: Sym, source: Source, place: Place) -> bool {
    !matches!(source, Source::Config(..)) || bound.insert((group, place))
}

fn add(places: &mut Vec<Place>, renameable: &mut bool, written: Option<(Place, bool)>) {
    if let Some((place, plain)) = written {
        *renameable &= plain;
        if places.last() != Some(&place) {
            places.push(place);
        }
    }
}

/// Where the group of a membership or rule is written, and whether it is written out, without placeholders.
fn written(model: &Model, change: &Change, source: Source, rule: bool) -> Option<(Place, bool)> {
    match source {
        Source::Default(..) => None,
        Source::Annotation(number) => {
            let resource = model.resource(change)?;
            let text = resource.annotations().get(number as usize)?.text.as_ref()?;
            let local = match (rule, text.words) {
                (true, Some(words)) => words[3],
                _ => text.place,
            };
            let place = model.place(change.set, change.item, local)?;
            Some((place, text.placeholders.is_empty()))
        }
        Source::Config(config, binding, number) => {
            let in_force = model.bindings.configs.get(config as usize)?;
            let config = &in_force.config;
            let (local, plain) = if rule {
                let text = config.rules.get(binding as usize)?.rules.get(number as usize)?;
                (
                    text.words.map_or(text.place, |w| w[3]),
                    text.placeholders.is_empty(),
                )
            } else {
                let name = &config.groups.get(binding as usize)?.name;
                (name.place, !name.value.contains('{'))
            };
            Some((model.place(Set::New, in_force.item, local)?, plain))
        }
    }
}
