//! Whether the manifests' names can be used, and are each other's only one (Tazuna G5, names).

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Scene;
use super::slot::subject;
use crate::config::TazunaGeneration;
use crate::count;
use crate::judge::rejected_name;
use crate::model::Part;
use crate::names::{self, Fresh, Problem, Words};
use crate::read::{Manifest, Text, rebased};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Related, Safety};
use applyorder_core::engine::Unit;
use applyorder_core::layer::{Finding, Sym};
use applyorder_core::rules::{duplicate_name, invalid_name, missing_field};
use applyorder_syntax::template::quote;

/// The names that Tazuna rejects, in the order in which it comes to them.
pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut fresh = Fresh::default();
    for position in &scene.related.index.bad {
        let problem = scene
            .expansion
            .at(*position as usize)
            .and_then(|(u, _)| u.problem);
        if let Some(problem) = problem {
            found.extend(bad_name(scene, *position, problem, &mut fresh));
        }
    }
    if scene.related.index.has_repeated {
        duplicates(scene, &mut found);
    }
    found
}

/// Whether some manifest has the name.
fn is_taken(scene: &Scene<'_>, name: &str) -> bool {
    let number = scene.names.find(name);
    number.is_some_and(|n| scene.related.index.is_declared(n))
}

/// Whether `apply` rejects a bad name, and does not only warn.
pub(super) fn is_strict(scene: &Scene<'_>) -> bool {
    scene.related.dag && scene.setting.generation == TazunaGeneration::G5
}

/// A finding about a name, with what `apply` says to it.
fn of_names(scene: &Scene<'_>, mut d: Diagnostic, subject: &str) -> Finding {
    let prefix = "manifest name validation failed (run 'tazuna check' to see details, or 'tazuna check --fix' to \
                  auto-fix)";
    let own = d.engine_message.clone().unwrap_or_default();
    let strict = is_strict(scene);
    if !strict {
        let text = if scene.related.dag {
            "`apply` only warns"
        } else {
            "`apply` only warns, as long as no manifest has `dependsOn` and `--sync` is not given"
        };
        d.notes.push(text.to_owned());
    }
    let message: Arc<str> = format!("{prefix}: {own}").into();
    rejected_name(strict, d, subject)
        .message_of("apply", message.clone())
        .message_of("destroy", message)
}

fn related_include(part: &Part, d: Diagnostic) -> Diagnostic {
    match part.via {
        Some(via) => d.related(via, "the file is included here"),
        None => d,
    }
}

fn bad_name(scene: &Scene<'_>, position: u32, problem: Problem, fresh: &mut Fresh) -> Option<Finding> {
    let (file_unit, part) = scene.expansion.at(position as usize)?;
    let unit = &file_unit.unit;
    let (item, base) = part.piece.item(file_unit)?;
    let manifest = &item.manifest;
    let name = &*unit.name;
    let message = format!(
        "manifest[{position}]: {}",
        Words(problem, name, scene.setting.generation)
    );
    let taken = |name: &str| is_taken(scene, name);
    let (d, details) = if problem == Problem::Missing {
        let kind = Manifest::text(manifest.kind.as_ref());
        let path = Manifest::text(manifest.path.as_ref());
        let better = fresh.given(kind, path, taken);
        let mut d = Diagnostic::new(&missing_field::RULE, unit.header, "this manifest has no `name`");
        if !better.is_empty() {
            let step = match unit.name_place.or(written_name(manifest, base)) {
                Some(place) => FixStep::SetValue(place, better.clone()),
                None => FixStep::InsertKeyBefore(unit.header, "name".to_owned(), better.clone()),
            };
            d = d.fix(
                format!("name it `{better}`, as `tazuna check --fix` does"),
                Safety::Unsafe,
                vec![step],
            );
        }
        (d, ("field", "name"))
    } else {
        let written = manifest.name.as_ref();
        let written = written.map(|n| n.rebased(base));
        let place = written.as_ref().map_or(unit.header, Text::shown);
        let text = match problem {
            Problem::Reserved => format!("`{name}` is reserved"),
            Problem::TooLong => format!("this name has {} bytes, and 240 are allowed", name.len()),
            _ if scene.setting.generation == TazunaGeneration::G5 => format!(
                "`{}` is no name for a manifest: lower-case letters, digits and `-` inside",
                name.escape_debug()
            ),
            _ => format!(
                "`{}` is no name for a manifest: letters, digits, `-` and `_`",
                name.escape_debug()
            ),
        };
        let mut d = Diagnostic::new(&invalid_name::RULE, place, text);
        // Of several units with one name, what refers to it means the first.
        let is_meant = scene.related.index.owner(file_unit.name) == position;
        let references = if is_meant {
            scene.related.referring(file_unit.name)
        } else {
            &[]
        };
        d.related.extend(references.iter().take(20).map(|place| Related {
            place: *place,
            message: "it is referred to here".to_owned(),
        }));
        if let Some(better) = fresh.mended(name, taken) {
            let mut steps = vec![FixStep::SetValue(place, better.clone())];
            let mut seen = FxHashSet::default();
            seen.insert(place);
            let others = references.iter().copied().filter(|p| seen.insert(*p));
            steps.extend(others.map(|other| FixStep::SetValue(other, better.clone())));
            d = d.fix(format!("rename it to `{better}`"), Safety::Unsafe, steps);
        }
        if let Some(written) = &written {
            d = written.traced(d);
        }
        (d, ("reason", problem.reason()))
    };
    let d = related_include(part, d)
        .engine_message(message)
        .unit(unit.name.clone());
    let found = of_names(scene, d, &subject(name, position as usize));
    Some(found.detail(details.0, details.1))
}

/// Where a name stands that is null or empty.
fn written_name(manifest: &Manifest, base: u32) -> Option<Place> {
    manifest.name.as_ref().map(|n| rebased(n.place, base))
}

fn duplicates(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let mut first: FxHashMap<Sym, u32> = FxHashMap::default();
    let mut fresh = Fresh::default();
    let mut groups: Vec<(Arc<str>, Vec<Finding>)> = Vec::new();
    let mut group_of: FxHashMap<Sym, usize> = FxHashMap::default();
    for position in 0..count(scene.expansion.list.len()) {
        let Some((unit, _)) = scene.expansion.at(position as usize) else {
            continue;
        };
        let name = &unit.name;
        let times = scene.related.index.times(*name);
        if times < 2 || unit.broken || unit.problem.is_some() {
            continue;
        }
        let first = match first.entry(*name) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                new.insert(position);
                continue;
            }
        };
        let (Some(later_unit), Some(first_unit)) = (scene.related.unit(position), scene.related.unit(first))
        else {
            continue;
        };
        let d = duplicate(scene, &mut fresh, (position, later_unit), (first, first_unit));
        let d = d.engine_message(format!(
            "manifest name {} is duplicated ({times} times)",
            quote(&later_unit.name)
        ));
        let at = *group_of.entry(*name).or_insert_with(|| {
            groups.push((later_unit.name.clone(), Vec::new()));
            groups.len() - 1
        });
        if let Some((_, group)) = groups.get_mut(at) {
            // Tazuna has one line for a name, however often it is there.
            let f = of_names(scene, d, &later_unit.name).detail("count", times);
            group.push(if group.is_empty() { f } else { f.repeats() });
        }
    }
    groups.sort_by(|a, b| a.0.cmp(&b.0));
    found.extend(groups.into_iter().flat_map(|(_, group)| group));
}

fn duplicate(
    scene: &Scene<'_>,
    fresh: &mut Fresh,
    (position, later): (u32, &Unit),
    (before, first): (u32, &Unit),
) -> Diagnostic {
    let mut d = duplicate_name::diagnostic("manifest", later, first);
    let expansion = scene.expansion;
    let parts = [before, position].map(|p| expansion.part_at(p as usize));
    let part = |part: Option<u32>| expansion.parts.get(part? as usize);
    let via = |number: Option<u32>| part(number).and_then(|p| p.via);
    let file = |number: Option<u32>| part(number).map(|p| p.piece.file);
    let (first_via, later_via) = (via(parts[0]), via(parts[1]));
    if parts[0] != parts[1] && file(parts[0]) == file(parts[1]) {
        // One file included twice repeats all its manifests.
        let Some(later_via) = later_via else { return d };
        d.related.clear();
        d.message = format!(
            "manifest name `{}` is taken already: the file is included twice",
            later.name
        );
        if let Some(first_via) = first_via {
            d = d.related(first_via, "included here");
        }
        let second = parts[1].and_then(|part| expansion.include_of(part));
        let removal = second.map_or(FixStep::RemoveEntry(later_via), |i| {
            expansion.removal(i.item, i.place)
        });
        return d.related(later_via, "and included here again").fix(
            "remove the second include",
            Safety::Unsafe,
            vec![removal],
        );
    }
    for (via, which) in [(first_via, "the first"), (later_via, "this one")] {
        if let Some(via) = via {
            d = d.related(via, format!("{which} comes from the file included here"));
        }
    }
    let Some(place) = later.name_place else { return d };
    let number = expansion.at(position as usize).map(|(u, _)| u.name);
    let referred = number.is_some_and(|n| !scene.related.referring(n).is_empty());
    if !referred {
        let better = fresh.free(&later.name, |n| is_taken(scene, n));
        if names::problem(&better, scene.setting.generation).is_none() {
            d = d.fix(
                format!("rename it to `{better}`"),
                Safety::Unsafe,
                vec![FixStep::SetValue(place, better)],
            );
        }
    }
    d
}
