//! What Tazuna is silent about, and what is worth knowing, of a project as a whole.

use super::Run;
use super::build::{Built, unit_at};
use super::cache::PathAnswers;
use super::expand::Expansion;
use crate::diagnostic::{Diagnostic, FileId, Place, Severity};
use crate::engines::UnitIx;
use crate::engines::tazuna::facts::{Manifest, rebased};
use crate::engines::tazuna::rules;
use crate::engines::tazuna::verdict::{Found, Stage};
use crate::files::join_clean;
use crate::rules::{duplicate_dependency, missing_file, redundant_dependency};

/// Adds them. What lies in parts that could not be read is not guessed at.
pub(super) fn check(
    run: &Run<'_, '_>,
    root: FileId,
    expansion: &Expansion,
    built: &Built,
    found: &mut Vec<Found>,
) {
    found.extend(
        duplicate_dependency::check(&built.variant)
            .into_iter()
            .map(Found::lint),
    );
    if expansion.incomplete || expansion.parts.iter().any(|p| !p.view.is_certain()) {
        return;
    }
    let rejected = |f: &Found| f.rejected.check.is_some_and(|s| s <= Stage::Includes);
    if built.variant.units.is_empty() {
        if found.iter().any(rejected) {
            return;
        }
        let key = expansion.parts.first().and_then(|p| {
            let key = p.view.head.manifests_key?;
            Some(rebased(key, p.view.head_base()))
        });
        let d = rules::no_manifests::diagnostic(key.unwrap_or(Place::file(root)));
        found.push(Found::lint(d));
        return;
    }
    paths(run, root, expansion, found);
    if built.dag {
        order_lost(expansion, built, found);
        destroyed_first(expansion, built, found);
        entries(expansion, built, found);
        redundant(built, found);
    }
}

/// The key `dependsOn` of a unit.
fn needs_key(expansion: &Expansion, unit: UnitIx) -> Option<Place> {
    let (unit, part) = unit_at(expansion, unit.0 as usize)?;
    let view = &expansion.parts.get(part)?.view;
    let item = view.item(unit.item as usize)?;
    Some(rebased(item.manifest.needs_key?, view.base(unit.item as usize)))
}

/// The first dependency that `destroy` removes before what needs it.
fn destroyed_first(expansion: &Expansion, built: &Built, found: &mut Vec<Found>) {
    let first = built.variant.dependencies.iter().find_map(|d| {
        let target = *d.targets.first().filter(|t| **t < d.unit)?;
        Some((d, target))
    });
    let unit = |ix: UnitIx| built.variant.units.get(ix.0 as usize);
    if let Some((d, target)) = first
        && let (Some(from), Some(to)) = (unit(d.unit), unit(target))
    {
        let place = needs_key(expansion, d.unit).unwrap_or(d.place);
        found.push(Found::lint(rules::destroy_order::diagnostic(place, from, to)));
    }
}

/// Manifests that would have run one after the other, had no other manifest a `dependsOn`.
fn order_lost(expansion: &Expansion, built: &Built, found: &mut Vec<Found>) {
    let Some(first) = built.variant.dependencies.first() else {
        return;
    };
    let switch = needs_key(expansion, first.unit).unwrap_or(first.place);
    let mut before: Option<usize> = None;
    for (position, unit) in built.variant.units.iter().enumerate() {
        let Some((file_unit, part)) = unit_at(expansion, position) else {
            continue;
        };
        if file_unit.says_needs || file_unit.broken {
            if file_unit.needs.is_empty() {
                before = Some(position);
            }
            continue;
        }
        let Some(above) = before.replace(position).and_then(|b| built.variant.units.get(b)) else {
            continue;
        };
        if unit.name.is_empty() || above.name.is_empty() {
            continue;
        }
        let key = expansion.parts.get(part).and_then(|p| {
            let item = p.view.item(file_unit.item as usize)?;
            Some(rebased(
                item.manifest.last_key,
                p.view.base(file_unit.item as usize),
            ))
        });
        let key = key.unwrap_or(unit.header);
        let d = rules::implicit_order_lost::diagnostic(unit, above, switch, key);
        found.push(Found::lint(d));
    }
}

/// What is worth knowing of single entries.
fn entries(expansion: &Expansion, built: &Built, found: &mut Vec<Found>) {
    let unit = |ix: UnitIx| built.variant.units.get(ix.0 as usize);
    for written in &built.variant.dependencies {
        let [target] = *written.targets else { continue };
        if target == written.unit {
            continue;
        }
        let (Some(from), Some(to)) = (unit(written.unit), unit(target)) else {
            continue;
        };
        if target > written.unit {
            let d = rules::order_contradicts_declaration::diagnostic(written.place, from, to);
            found.push(Found::lint(d));
        }
        let list = |ix: UnitIx| built.tag_lists.get(ix.0 as usize);
        if from.tags.is_empty() || list(written.unit) == list(target) {
            continue;
        }
        let lacking = from
            .tags
            .iter()
            .find(|tag| !tag.is_empty() && !to.tags.contains(tag));
        if let Some(tag) = lacking {
            let tags = first_tag(expansion, target);
            let d = rules::tag_splits_dependency::diagnostic(written.place, from, to, tag, tags);
            found.push(Found::lint(d));
        }
    }
}

/// Where a unit's tags begin, if it has some.
fn first_tag(expansion: &Expansion, unit: UnitIx) -> Option<Place> {
    let (unit, part) = unit_at(expansion, unit.0 as usize)?;
    let part = expansion.parts.get(part)?;
    let (_, place) = part
        .units
        .tags
        .get(unit.tags.start as usize)
        .filter(|_| !unit.tags.is_empty())?;
    Some(*place)
}

/// The most entries of `dependsOn` that are searched for redundant ones: more cannot be searched between
/// two keystrokes, and the editor and the command line are to find the same.
pub(super) const SEARCHED: usize = 2_000;

/// Layers are made before `--tags` takes something out, so no selection needs an implied entry.
fn redundant(built: &Built, found: &mut Vec<Found>) {
    if built.variant.apply.layers.is_none() || built.variant.dependencies.len() > SEARCHED {
        return;
    }
    let graph = &built.variant.apply.graph;
    let all = redundant_dependency::check(&built.variant, graph, |_| true);
    found.extend(all.into_iter().map(Found::lint));
}

/// Paths that do not exist. Tazuna notices when the manifest's turn has come.
fn paths(run: &Run<'_, '_>, root: FileId, expansion: &Expansion, found: &mut Vec<Found>) {
    let mut seen = rustc_hash::FxHashSet::default();
    for part in expansion.parts.iter().filter(|p| p.view.is_certain()) {
        if !seen.insert(part.file) {
            continue;
        }
        let ask = || answers(run, part);
        let answers = run.cache.paths(part.file, &part.view, ask);
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
                    let root = Place::file(root);
                    rules::included_path_base::diagnostic(path.shown(), &path.text, better, root)
                }
                None => missing_path(path.shown(), &path.text),
            };
            let d = path.traced(d);
            found.push(Found::lint(d));
        }
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

fn answers(run: &Run<'_, '_>, part: &super::expand::Part) -> PathAnswers {
    let cx = run.cx;
    let mut missing = Vec::new();
    let own_dir = cx.path(part.file).parent().map(camino::Utf8Path::to_owned);
    for unit in &part.units.units {
        let Some(entry) = part.view.item(unit.item as usize).filter(|_| !unit.broken) else {
            continue;
        };
        let kind = Manifest::text(entry.manifest.kind.as_ref());
        let Some(path) = &entry.manifest.path else {
            continue;
        };
        if path.text.is_empty() || kind == "oras" || cx.kind(&join_clean(run.dir, &path.text), true).is_some()
        {
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
