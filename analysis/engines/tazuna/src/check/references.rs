//! Whether every entry of `dependsOn` leads to another manifest (Tazuna G5, dependsOn).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Scene;
use super::slot::{Slot, subject};
use crate::judge::{Stage, rejected};
use crate::model::{Expansion, FileUnit, Need, Part};
use crate::read::rebased;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Related, Safety};
use applyorder_core::engine::{Dependency, Unit, UnitIx};
use applyorder_core::rules::{self_dependency, unknown_dependency};
use applyorder_syntax::template::quote;

/// Adds the entries that do not, and those of which nobody can tell.
pub(super) fn check(scene: &Scene<'_>, number: u32, part: &Part, out: &mut Slot) {
    for (at, (position, unit)) in (0u32..).zip(scene.expansion.placed(number)) {
        if unit.broken {
            continue;
        }
        for (need, target) in scene.related.needs(position, unit, part) {
            match target {
                Some(target) if target == position => on_itself((at, position), unit, need, out),
                Some(_) => {}
                None => nowhere(scene, (at, position), unit, need, out),
            }
        }
    }
}

fn on_itself((at, position): (u32, u32), file_unit: &FileUnit, need: &Need, out: &mut Slot) {
    let unit = &file_unit.unit;
    let written = dependency(position, file_unit, need);
    let text = format!("manifest {} depends on itself", quote(&unit.name));
    let d = self_dependency::diagnostic("manifest", unit, &written);
    let apply = format!("failed to resolve manifest dependency order: {text}");
    let d = through(d, &written, need.via).engine_message(text);
    let subject = subject(&unit.name, position as usize);
    let found = rejected(Stage::References, d, &subject).message_of("apply", apply);
    out.found.push(found.detail("dependency", &*written.text).at(at));
}

fn nowhere(scene: &Scene<'_>, (at, position): (u32, u32), file_unit: &FileUnit, need: &Need, out: &mut Slot) {
    let unit = &file_unit.unit;
    if maybe_declared(scene, need) {
        let because = format!("whether there is a manifest `{}` cannot be told", need.text);
        out.open.push((at, because));
        return;
    }
    let written = dependency(position, file_unit, need);
    let d = dangling(scene, unit, &written);
    let d = through(d, &written, need.via).engine_message(format!(
        "manifest {} dependsOn references unknown manifest {}",
        quote(&unit.name),
        quote(&need.text)
    ));
    let subject = subject(&unit.name, position as usize);
    let apply = format!(
        "failed to resolve manifest dependency order: dependsOn references unknown manifest {}",
        quote(&need.text)
    );
    let found = rejected(Stage::References, d, &subject).message_of("apply", apply);
    out.found.push(found.detail("dependency", &*need.text).at(at));
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
fn maybe_declared(scene: &Scene<'_>, need: &Need) -> bool {
    if !scene.related.incomplete || need.text.is_empty() {
        return false;
    }
    if !scene.related.all_seen || scene.too_much_to_search() {
        return true;
    }
    // The name stands somewhere in a broken file besides the references that are known.
    scene.broken().iter().any(|(part, known)| {
        let text = part.piece.facts.text();
        let known = known.get(&need.name).copied().unwrap_or(0);
        memchr::memmem::find_iter(text.as_bytes(), need.text.as_bytes()).count() > known
    })
}

fn dangling(scene: &Scene<'_>, unit: &Unit, written: &Dependency) -> Diagnostic {
    let Some(Group { name, members }) = scene.groups().get(&written.text) else {
        let near = Some(&written.text)
            .filter(|text| !text.is_empty())
            .and_then(|text| scene.related.nearest(text));
        let near = near.filter(|near| *near != &*unit.name);
        return unknown_dependency::diagnostic("manifest", unit, written, near);
    };
    let mut d = Diagnostic::new(
        &unknown_dependency::RULE,
        written.place,
        format!(
            "manifest `{}` depends on `{}`, which is a group of includes and no manifest",
            unit.name, written.text
        ),
    )
    .related(*name, "the group: it is replaced by the manifests of its files")
    .unit(unit.name.clone())
    .unit(written.text.clone());
    for (member, place) in members.iter().take(10) {
        d = d.related(*place, format!("`{member}` is one of its manifests"));
    }
    let whole = Some(members).filter(|members| members.len() <= MOST_MEMBERS);
    let head = whole.and_then(|members| members.split_first());
    if let (Some((head, rest)), Some(list)) = (head, list_of(scene.expansion, written)) {
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

/// The most manifests of a group that one entry is replaced with.
const MOST_MEMBERS: usize = 100;

/// A group of includes: where its name stands, and its manifests, as far as they are told.
pub(super) struct Group {
    name: Place,
    members: Vec<(Arc<str>, Place)>,
}

/// The root's groups by name; of equal names the first.
pub(super) fn groups(expansion: &Expansion) -> FxHashMap<Arc<str>, Group> {
    let mut groups: FxHashMap<Arc<str>, Group> = FxHashMap::default();
    let Some(root) = expansion.root() else {
        return groups;
    };
    for item in &root.piece.groups {
        let index = *item as usize;
        let written = root.piece.view.item(index).and_then(|i| i.manifest.name.as_ref());
        let Some(name) = written.filter(|name| !name.text.is_empty()) else {
            continue;
        };
        groups.entry(name.text.clone()).or_insert_with(|| {
            let parts = expansion.parts_of_group(*item);
            let parts = parts.filter_map(|part| expansion.parts.get(part as usize));
            let units = parts.flat_map(|p| p.piece.units.iter().map(|u| &u.unit));
            let members = units
                .filter(|unit| !unit.name.is_empty())
                .map(|unit| (unit.name.clone(), unit.name_place.unwrap_or(unit.header)));
            Group {
                name: rebased(name.place, root.piece.view.base(index)),
                members: members.take(MOST_MEMBERS + 1).collect(),
            }
        });
    }
    groups
}

/// An entry as all engines have it, wherever it leads.
pub(super) fn dependency(position: u32, unit: &FileUnit, need: &Need) -> Dependency {
    Dependency {
        unit: UnitIx(position),
        place: need.place,
        attribute: "dependsOn",
        text: need.text.clone(),
        targets: Arc::default(),
        unknown: unit.broken,
    }
}

/// The list that an entry stands in.
fn list_of(expansion: &Expansion, written: &Dependency) -> Option<Place> {
    let (unit, part) = expansion.at(written.unit.0 as usize)?;
    let (item, base) = part.piece.item(unit)?;
    Some(rebased(item.manifest.needs_list?, base))
}
