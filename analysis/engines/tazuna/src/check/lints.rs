//! What Tazuna is silent about, and what is worth knowing.

use super::Scene;
use super::references::dependency;
use super::slot::Slot;
use crate::model::{FileUnit, Part};
use crate::read::rebased;
use crate::rules;
use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::engine::Dependency;
use applyorder_core::layer::Finding;
use applyorder_core::rules::{duplicate_dependency, limit_reached, missing_file};

/// The most findings of one file of which Tazuna says nothing.
const MOST: usize = 2_000;

/// Findings of which Tazuna says nothing, and the place of the first that is one too many, with how many there are.
#[derive(Default)]
struct Silent {
    found: Vec<Finding>,
    more: Option<(Place, usize)>,
}

impl Silent {
    fn tell(&mut self, place: Place, make: impl FnOnce() -> Diagnostic) {
        if self.found.len() < MOST {
            self.found.push(Finding::new(make()));
        } else {
            self.more.get_or_insert((place, 0)).1 += 1;
        }
    }

    fn finish(mut self) -> Vec<Finding> {
        if let Some((place, more)) = self.more {
            let text =
                format!("{more} more findings from here on are not shown: a file has at most {MOST} of them");
            let d = Diagnostic::new(&limit_reached::RULE, place, text).severity(Severity::Info);
            self.found.push(Finding::new(d));
        }
        self.found
    }
}

/// Adds what is worth knowing of the manifests of a file. Where some of its lines could not be read, nothing
/// is guessed at.
pub(super) fn of_part(scene: &Scene<'_>, number: u32, part: &Part, out: &mut Slot) {
    let mut silent = Silent::default();
    for (position, unit) in scene.expansion.placed(number) {
        let needs = part.piece.needs_of(unit);
        if duplicate_dependency::may_repeat(needs.iter().map(|n| &*n.text)) {
            let written = needs.iter().map(|need| dependency(position, unit, need));
            let written: Vec<Dependency> = written.collect();
            let mut repeated = Vec::new();
            duplicate_dependency::check(&unit.unit, &written, &mut repeated);
            for d in repeated {
                silent.tell(d.place, || d);
            }
        }
    }
    if scene.tells_of(part) {
        paths(scene, number, part, out);
        if scene.related.dag {
            for (position, unit) in scene.expansion.placed(number) {
                order_lost(scene, part, position, unit, &mut silent);
                entries(scene, part, position, unit, &mut silent);
            }
        }
    }
    out.found.extend(silent.finish());
}

/// That the list is empty.
pub(super) fn no_manifests(root: &Part) -> Diagnostic {
    let view = &root.piece.view;
    let key = view.head.manifests_key.map(|key| rebased(key, view.head_base()));
    rules::no_manifests::diagnostic(key.unwrap_or(Place::file(root.piece.file)))
}

/// The first dependency that `destroy` removes before what needs it; `position` is the unit that has it.
pub(super) fn destroyed_first(scene: &Scene<'_>, position: u32) -> Option<Diagnostic> {
    let (unit, part) = scene.expansion.at(position as usize)?;
    let mut needs = scene.related.needs(position, unit, part);
    let (need, target) = needs.find_map(|(need, target)| Some((need, target.filter(|t| *t < position)?)))?;
    let place = scene.related.needs_key(position).unwrap_or(need.place);
    let target = scene.related.unit(target)?;
    Some(rules::destroy_order::diagnostic(place, &unit.unit, target))
}

/// A manifest that would have run behind the one above it, had no other manifest a `dependsOn`.
fn order_lost(scene: &Scene<'_>, part: &Part, position: u32, file_unit: &FileUnit, out: &mut Silent) {
    let above = scene.related.lost(position, file_unit);
    let above = above.and_then(|p| scene.expansion.at(p as usize));
    let (Some((above, in_part)), Some(switch)) = (above, scene.related.switch) else {
        return;
    };
    let (unit, above) = (&file_unit.unit, &above.unit);
    if unit.name.is_empty() || above.name.is_empty() || !in_part.piece.is_whole() {
        return;
    }
    let key = part.piece.item(file_unit);
    let key = key.map_or(unit.header, |(item, base)| rebased(item.manifest.last_key, base));
    out.tell(unit.header, || {
        rules::implicit_order_lost::diagnostic(unit, above, switch, key)
    });
}

/// What is worth knowing of the single entries of a manifest.
fn entries(scene: &Scene<'_>, part: &Part, position: u32, unit: &FileUnit, out: &mut Silent) {
    for (need, target) in scene.related.needs(position, unit, part) {
        let Some(target) = target.filter(|t| *t != position) else {
            continue;
        };
        let Some((to, to_part)) = scene.expansion.at(target as usize) else {
            continue;
        };
        if target > position {
            out.tell(need.place, || {
                rules::order_contradicts_declaration::diagnostic(need.place, &unit.unit, &to.unit)
            });
        }
        if unit.unit.tags.is_empty() || unit.tag_list == to.tag_list {
            continue;
        }
        let lacking = |tag: &&std::sync::Arc<str>| !tag.is_empty() && !to.unit.tags.contains(tag);
        if let Some(tag) = unit.unit.tags.iter().find(lacking) {
            out.tell(need.place, || {
                let tags = first_tag(to_part, to);
                rules::tag_splits_dependency::diagnostic(need.place, &unit.unit, &to.unit, tag, tags)
            });
        }
    }
}

/// Where a unit's tags begin, if it has some.
fn first_tag(part: &Part, unit: &FileUnit) -> Option<Place> {
    let tags = part.piece.tags.get(unit.tags.start as usize);
    let (_, place) = tags.filter(|_| !unit.tags.is_empty())?;
    Some(*place)
}

/// Paths that do not exist. Tazuna notices when the manifest's turn has come.
fn paths(scene: &Scene<'_>, number: u32, part: &Part, out: &mut Slot) {
    let answers = scene.expansion.paths_of(number);
    for (item, better) in answers.map_or(&[][..], |a| &a.missing) {
        let Some(entry) = part.piece.view.item(*item as usize) else {
            continue;
        };
        let Some(path) = &entry.manifest.path else {
            continue;
        };
        let path = path.rebased(part.piece.view.base(*item as usize));
        let d = match better {
            Some(better) => {
                let root = Place::file(scene.setting.root_file);
                rules::included_path_base::diagnostic(path.shown(), &path.text, better, root)
            }
            None => missing_path(path.shown(), &path.text),
        };
        out.found.push(Finding::new(path.traced(d)));
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
