//! Whether every entry of `dependsOn` leads to another manifest (Tazuna G5, dependsOn).

use std::sync::Arc;

use super::cache::{FileUnit, Need};
use super::parts::{Expansion, Part};
use super::slot::{Scene, Slot, placed, subject};
use crate::facts::rebased;
use crate::verdict::{Found, Rejected, Stage, Unknown};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Related, Safety};
use applyorder_core::engine::{Dependency, Unit};
use applyorder_core::rules::{self_dependency, unknown_dependency};
use applyorder_syntax::template::quote;

/// Adds the entries that do not, and those of which nobody can tell.
pub(super) fn check(scene: &Scene<'_, '_, '_>, part: &Part, positions: &[u32], out: &mut Slot) {
    let whole = part.is_whole();
    for (position, unit) in placed(part, positions) {
        if unit.broken {
            continue;
        }
        for need in part.needs_of(unit) {
            match scene.owner(need, unit) {
                Some(owner) if owner == position => on_itself(scene, position, unit, need, out),
                Some(owner) => {
                    if owner < position && whole && out.backward.is_none() {
                        out.backward = Some(position);
                    }
                }
                None => {
                    out.dangling = true;
                    nowhere(scene, position, unit, need, out);
                }
            }
        }
    }
}

fn on_itself(scene: &Scene<'_, '_, '_>, position: u32, file_unit: &FileUnit, need: &Need, out: &mut Slot) {
    let unit = &file_unit.unit;
    let written = scene.dependency(position, file_unit, need);
    let text = format!("manifest {} depends on itself", quote(&unit.name));
    let d = self_dependency::diagnostic("manifest", unit, &written);
    let apply = format!("failed to resolve manifest dependency order: {text}");
    let d = through(d, &written, need.via).engine_message(text);
    let subject = subject(&unit.name, position as usize);
    let mut f = Found::rejected(Rejected::both(Stage::References), d, subject);
    f.apply_message = Some(apply);
    out.references
        .push((position, f.detail("dependency", &*written.text)));
}

fn nowhere(scene: &Scene<'_, '_, '_>, position: u32, file_unit: &FileUnit, need: &Need, out: &mut Slot) {
    let unit = &file_unit.unit;
    if maybe_declared(scene, need) {
        let unknown = Unknown {
            stage: Stage::References,
            because: format!("whether there is a manifest `{}` cannot be told", need.text),
        };
        out.open.push((position, unknown));
        return;
    }
    let written = scene.dependency(position, file_unit, need);
    let d = dangling(scene, unit, &written);
    let d = through(d, &written, need.via).engine_message(format!(
        "manifest {} dependsOn references unknown manifest {}",
        quote(&unit.name),
        quote(&need.text)
    ));
    let subject = subject(&unit.name, position as usize);
    let mut f = Found::rejected(Rejected::both(Stage::References), d, subject);
    f.apply_message = Some(format!(
        "failed to resolve manifest dependency order: dependsOn references unknown manifest {}",
        quote(&need.text)
    ));
    out.references
        .push((position, f.detail("dependency", &*need.text)));
}

/// What came through an alias is shown at the alias.
fn through(mut d: Diagnostic, written: &Dependency, via: Option<Place>) -> Diagnostic {
    if let Some(via) = via {
        d.place = via;
        d.related.insert(
            0,
            Related {
                place: written.place,
                message: "the entry stands here".to_owned(),
            },
        );
    }
    d
}

/// Whether a name may be declared where nothing could be read.
fn maybe_declared(scene: &Scene<'_, '_, '_>, need: &Need) -> bool {
    if !scene.incomplete || need.text.is_empty() {
        return false;
    }
    if !scene.all_seen {
        return true;
    }
    // The name stands somewhere in a broken file besides the references that are known.
    let parts = scene.broken.iter();
    let mut parts = parts.filter_map(|p| scene.expansion.parts.get(*p as usize));
    parts.any(|part| {
        let text = part.facts.text();
        let known = part.units.needs.iter().filter(|n| n.name == need.name).count();
        memchr::memmem::find_iter(text.as_bytes(), need.text.as_bytes()).count() > known
    })
}

fn dangling(scene: &Scene<'_, '_, '_>, unit: &Unit, written: &Dependency) -> Diagnostic {
    let Some((name, members)) = group_named(scene.expansion, &written.text) else {
        let near = Some(&written.text)
            .filter(|text| !text.is_empty())
            .and_then(|text| scene.nearest(text));
        let near = near.filter(|near| *near != unit.name);
        return unknown_dependency::diagnostic("manifest", unit, written, near.as_deref());
    };
    let mut d = Diagnostic::new(
        &unknown_dependency::RULE,
        written.place,
        format!(
            "manifest `{}` depends on `{}`, which is a group of includes and no manifest",
            unit.name, written.text
        ),
    )
    .related(name, "the group: it is replaced by the manifests of its files")
    .unit(unit.name.clone())
    .unit(written.text.clone());
    for (member, place) in members.iter().take(10) {
        d = d.related(*place, format!("`{member}` is one of its manifests"));
    }
    if let (Some((head, rest)), Some(list)) = (members.split_first(), list_of(scene.expansion, written)) {
        let mut steps = vec![FixStep::SetValue(written.place, head.0.to_string())];
        steps.extend(
            rest.iter()
                .map(|(m, _)| FixStep::AppendEntry(list, m.to_string())),
        );
        d = d.fix("depend on the group's manifests", Safety::Unsafe, steps);
    }
    d.fix(
        "remove the entry",
        Safety::Unsafe,
        vec![FixStep::RemoveEntry(written.place)],
    )
}

type Members = Vec<(Arc<str>, Place)>;

/// A group of includes of that name: where its name stands, and its manifests.
fn group_named(expansion: &Expansion, text: &str) -> Option<(Place, Members)> {
    if text.is_empty() {
        return None;
    }
    let root = expansion.parts.root()?;
    for index in &root.units.groups {
        let index = *index as usize;
        let item = root.view.item(index)?;
        let base = root.view.base(index);
        let Some(name) = item.manifest.name.as_ref().filter(|n| *n.text == *text) else {
            continue;
        };
        let includes = item.manifest.includes.iter();
        let paths: Vec<Place> = includes.map(|t| rebased(t.place, base)).collect();
        let parts = expansion.parts.iter();
        let members = parts
            .filter(|p| p.via.is_some_and(|via| paths.contains(&via)))
            .flat_map(|p| p.units.units.iter().map(|u| &u.unit))
            .filter(|unit| !unit.name.is_empty())
            .map(|unit| (unit.name.clone(), unit.name_place.unwrap_or(unit.header)))
            .collect();
        return Some((rebased(name.place, base), members));
    }
    None
}

/// The list that an entry stands in.
fn list_of(expansion: &Expansion, written: &Dependency) -> Option<Place> {
    let (unit, part) = expansion.at(written.unit.0 as usize)?;
    let item = part.view.item(unit.item as usize)?;
    Some(rebased(
        item.manifest.needs_list?,
        part.view.base(unit.item as usize),
    ))
}
