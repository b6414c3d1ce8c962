//! What Tazuna is silent about, and what is worth knowing.

use super::Run;
use super::cache::{FileUnit, PathAnswers};
use super::index::Turn;
use super::parts::Part;
use super::slot::{Scene, Slot, placed};
use crate::facts::{Manifest, rebased};
use crate::rules;
use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::engine::Dependency;
use applyorder_core::files::join_clean;
use applyorder_core::rules::{duplicate_dependency, missing_file};

/// Adds what is worth knowing of the manifests of a file. Where some of its lines could not be read, nothing
/// is guessed at.
pub(super) fn of_part(scene: &Scene<'_, '_, '_>, part: &Part, positions: &[u32], out: &mut Slot) {
    for (position, unit) in placed(part, positions) {
        let needs = part.needs_of(unit);
        if duplicate_dependency::may_repeat(needs.iter().map(|n| &*n.text)) {
            let written = needs.iter().map(|need| scene.dependency(position, unit, need));
            let written: Vec<Dependency> = written.collect();
            duplicate_dependency::check(&unit.unit, &written, &mut out.lints);
        }
    }
    if !scene.root_is_certain || !part.is_whole() {
        return;
    }
    paths(scene, part, out);
    if scene.dag {
        for (position, unit) in placed(part, positions) {
            order_lost(scene, part, position, unit, out);
            entries(scene, part, position, unit, out);
        }
    }
}

/// That the list is empty.
pub(super) fn no_manifests(root: &Part) -> Diagnostic {
    let head = &root.view.head;
    let key = head.manifests_key.map(|key| rebased(key, root.view.head_base()));
    rules::no_manifests::diagnostic(key.unwrap_or(Place::file(root.file)))
}

/// The first dependency that `destroy` removes before what needs it; `position` is the unit that has it.
pub(super) fn destroyed_first(scene: &Scene<'_, '_, '_>, position: u32) -> Option<Diagnostic> {
    let (unit, part) = scene.expansion.at(position as usize)?;
    let (need, target) = part.needs_of(unit).iter().find_map(|need| {
        let target = scene.owner(need, unit).filter(|target| *target < position)?;
        Some((need, target))
    })?;
    let place = scene.needs_key(position).unwrap_or(need.place);
    let target = scene.unit(target)?;
    Some(rules::destroy_order::diagnostic(place, &unit.unit, target))
}

/// A manifest that would have run behind the one above it, had no other manifest a `dependsOn`.
fn order_lost(scene: &Scene<'_, '_, '_>, part: &Part, position: u32, file_unit: &FileUnit, out: &mut Slot) {
    if scene.index.turn(position as usize) != Some(Turn::Silent) {
        return;
    }
    let above = scene.index.before(position).and_then(|p| scene.expansion.at(p));
    let (Some((above, in_part)), Some(switch)) = (above, scene.switch) else {
        return;
    };
    let (unit, above) = (&file_unit.unit, &above.unit);
    if unit.name.is_empty() || above.name.is_empty() || !in_part.is_whole() {
        return;
    }
    let base = part.view.base(file_unit.item as usize);
    let key = part.view.item(file_unit.item as usize);
    let key = key.map_or(unit.header, |item| rebased(item.manifest.last_key, base));
    let d = rules::implicit_order_lost::diagnostic(unit, above, switch, key);
    out.lints.push(d);
}

/// What is worth knowing of the single entries of a manifest.
fn entries(scene: &Scene<'_, '_, '_>, part: &Part, position: u32, unit: &FileUnit, out: &mut Slot) {
    for need in part.needs_of(unit) {
        let Some(target) = scene.owner(need, unit).filter(|t| *t != position) else {
            continue;
        };
        let Some((to, to_part)) = scene.expansion.at(target as usize) else {
            continue;
        };
        if target > position {
            let d = rules::order_contradicts_declaration::diagnostic(need.place, &unit.unit, &to.unit);
            out.lints.push(d);
        }
        if unit.unit.tags.is_empty() || unit.tag_list == to.tag_list {
            continue;
        }
        let lacking = |tag: &&std::sync::Arc<str>| !tag.is_empty() && !to.unit.tags.contains(tag);
        if let Some(tag) = unit.unit.tags.iter().find(lacking) {
            let tags = first_tag(to_part, to);
            let d = rules::tag_splits_dependency::diagnostic(need.place, &unit.unit, &to.unit, tag, tags);
            out.lints.push(d);
        }
    }
}

/// Where a unit's tags begin, if it has some.
fn first_tag(part: &Part, unit: &FileUnit) -> Option<Place> {
    let tags = part.units.tags.get(unit.tags.start as usize);
    let (_, place) = tags.filter(|_| !unit.tags.is_empty())?;
    Some(*place)
}

/// Paths that do not exist. Tazuna notices when the manifest's turn has come.
fn paths(scene: &Scene<'_, '_, '_>, part: &Part, out: &mut Slot) {
    if part.again {
        return;
    }
    let run = scene.run;
    let answers = run.cache.paths(part.file, &part.view, || answers(run, part));
    for (item, better) in &answers.missing {
        let Some(entry) = part.view.item(*item as usize) else {
            continue;
        };
        let Some(path) = &entry.manifest.path else {
            continue;
        };
        let path = path.rebased(part.view.base(*item as usize));
        let d = match better {
            Some(better) => {
                let root = Place::file(run.cx.file(run.root));
                rules::included_path_base::diagnostic(path.shown(), &path.text, better, root)
            }
            None => missing_path(path.shown(), &path.text),
        };
        out.lints.push(path.traced(d));
    }
}

fn missing_path(place: Place, path: &str) -> Diagnostic {
    Diagnostic::new(
        &missing_file::RULE,
        place,
        format!("the path `{path}` does not exist"),
    )
    .severity(Severity::Warning)
    .note("`check` does not look; `apply` fails when the manifest's turn has come")
}

fn answers(run: &Run<'_, '_>, part: &Part) -> PathAnswers {
    let cx = run.cx;
    let mut missing = Vec::new();
    let mut there: Vec<&str> = Vec::new();
    let own_dir = cx.path(part.file).parent().map(camino::Utf8Path::to_owned);
    for unit in &part.units.units {
        let Some(entry) = part.view.item(unit.item as usize).filter(|_| !unit.broken) else {
            continue;
        };
        let kind = Manifest::text(entry.manifest.kind.as_ref());
        let Some(path) = &entry.manifest.path else {
            continue;
        };
        if path.text.is_empty() || kind == "oras" || there.last() == Some(&&*path.text) {
            continue;
        }
        if cx.kind(&join_clean(run.dir, &path.text), true).is_some() {
            there.push(&path.text);
            continue;
        }
        let beside = own_dir
            .as_ref()
            .filter(|dir| part.via.is_some() && **dir != *run.dir)
            .map(|dir| join_clean(dir, &path.text))
            .filter(|p| cx.kind(p, true).is_some());
        let better = beside.and_then(|p| from_dir(run.dir, &p));
        missing.push((unit.item, better));
    }
    PathAnswers {
        view: part.view.clone(),
        missing,
    }
}

/// A path as it is written from a directory.
pub(super) fn from_dir(dir: &camino::Utf8Path, path: &camino::Utf8Path) -> Option<String> {
    if let Ok(below) = path.strip_prefix(dir) {
        return Some(format!("./{below}"));
    }
    let above = dir.ancestors().position(|d| path.starts_with(d))?;
    let shared = dir.ancestors().nth(above)?;
    let rest = path.strip_prefix(shared).ok()?;
    Some(format!("{}{rest}", "../".repeat(above)))
}
