//! `duplicate-name`: duplicate objects.

use rustc_hash::FxHashMap;

use super::rejected;
use super::scope::{Project, Unit};
use crate::judge;
use crate::model::Set;
use crate::model::error::What;
use crate::model::inputs::Item;
use crate::read::Resource;
use applyorder_core::diagnostic::{Diagnostic, Place, Reaction, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::duplicate_name;

/// Files that were not declared to be one app, and that have several duplicate objects. If a workspace has
/// several apps, only the first of them reports it: one declaration in the configuration resolves all.
pub(super) fn scattered(project: &Project<'_>, count: usize, item: Item) -> Option<Finding> {
    if project.seed.is_part {
        return None;
    }
    let local = project
        .model
        .app
        .inputs
        .resource(item)
        .map_or(0, Resource::name_place);
    let text = format!("these files are probably not one app: {count} duplicate resources");
    let d = Diagnostic::new(&duplicate_name::RULE, project.at(item, local), text)
        .severity(Severity::Info)
        .note("app inferred from file locations; declare each app with `[[kapp.app]]` in applyorder.toml");
    Some(Finding::new(d))
}

/// Resources that are duplicates.
pub(super) fn check(project: &Project<'_>, found: &mut Vec<Finding>) {
    let app = &project.model.app;
    let name = |item: Item| app.inputs.resource(item).map(Resource::title).unwrap_or_default();
    let place = |item: Item| {
        let local = app.inputs.resource(item).map_or(0, Resource::name_place);
        project.at(item, local)
    };
    for duplicate in &app.duplicates {
        let (later, first) = (duplicate.later, duplicate.first);
        let finding = if duplicate.same {
            let text = format!("duplicate resource `{}` with identical content", name(later));
            let d = Diagnostic::new(&duplicate_name::RULE, place(later), text)
                .severity(Severity::Hint)
                .note("kapp drops it");
            Finding::new(first_of(d, place(first), name(later)))
        } else {
            let text = format!("duplicate resource `{}` with different content", name(later));
            let d = Diagnostic::new(&duplicate_name::RULE, place(later), text);
            let about = project.reported(What::Duplicates, Some(later), place(later));
            let d = first_of(d, place(first), name(later));
            rejected(d, vec![(judge::DEPLOY, "prepare", about)])
        };
        found.push(finding);
    }
    for (first, later) in applied_twice(project) {
        let name = project.name(first.number);
        let (Some(at), Some(first)) = (project.name_place(later.number), project.name_place(first.number))
        else {
            continue;
        };
        let text = format!("duplicate resource `{name}` once namespaces are set");
        let d = Diagnostic::new(&duplicate_name::RULE, at, text)
            .severity(Severity::Warning)
            .note("kapp looks for duplicates before it sets namespaces");
        let strategy = |r: &Resource| r.annotations().iter().any(|a| *a.name.value == *CREATE_STRATEGY);
        let d = if project.model.resource(later.change).is_some_and(strategy) {
            d
        } else {
            d.note("it fails when it creates the second one")
                .reaction(Reaction::FailsLater)
        };
        found.push(Finding::new(first_of(d, first, name.to_string())));
    }
}

/// The annotation that lets kapp go on if the object exists.
const CREATE_STRATEGY: &str = "kapp.k14s.io/create-strategy";

/// Changes for the same object, each with the first of them.
fn applied_twice<'a>(project: &Project<'a>) -> Vec<(Unit<'a>, Unit<'a>)> {
    let own = project.units().filter(|unit| unit.change.set == Set::New);
    let own = own.filter_map(|unit| Some((unit, project.model.resource(unit.change)?)));
    let mut out = Vec::new();
    if project.related.is_compared {
        let mut seen: FxHashMap<(&str, &str, &str, &str), Unit<'_>> = FxHashMap::default();
        for (unit, r) in own {
            let change = unit.change;
            let key = (&*change.namespace, r.group(), &*r.kind.value, &*change.name);
            let first = *seen.entry(key).or_insert(unit);
            if first.number != unit.number && !r.generated {
                out.push((first, unit));
            }
        }
        return out;
    }
    // Change by change, in the order of the resources.
    let mut seen: Vec<Option<Unit<'_>>> = vec![None; project.cx.memo().names().len()];
    for ((unit, r), (_, bound, _)) in own.zip(project.model.app.resources()) {
        let Some(slot) = seen.get_mut(bound.placed.index()) else {
            continue;
        };
        let first = *slot.get_or_insert(unit);
        if first.number != unit.number && !r.generated {
            out.push((first, unit));
        }
    }
    out
}

fn first_of(d: Diagnostic, first: Place, name: String) -> Diagnostic {
    d.related(first, "first defined here").unit(name.into())
}
