//! What is found of one file of a project: of the root, or of what one include brings in.

use std::sync::Arc;

use super::complete::complete;
use super::{Scene, included, lints, references, root, values};
use crate::judge::Stage;
use crate::load::Include;
use crate::model::{BadSecret, FileUnit, Got, Part};
use crate::read::{Manifest, rebased};
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::{Block, Finding, Fingerprint, Mix};
use applyorder_core::rules::invalid_value;

/// What is found of the root (slot 0) or of one include (slot 1 and on).
#[derive(Default)]
pub(super) struct Slot {
    pub(super) found: Vec<Finding>,
    /// What cannot be known up to the expansion.
    pub(super) unknown: Vec<(Stage, String)>,
    /// What cannot be known of entries of `dependsOn`, with the number of the unit.
    pub(super) open: Vec<(u32, String)>,
}

/// What was found of a slot.
pub(super) struct Told {
    pub(super) block: Arc<Block>,
    pub(super) unknown: Vec<(Stage, String)>,
    pub(super) open: Vec<(u32, String)>,
}

impl Slot {
    pub(super) fn unknown(&mut self, stage: Stage, because: String) {
        self.unknown.push((stage, because));
    }

    fn tell(self) -> Told {
        Told {
            block: Arc::new(Block::new(self.found)),
            unknown: self.unknown,
            open: self.open,
        }
    }
}

/// What a slot is found in.
struct Place<'a> {
    number: usize,
    include: Option<(&'a Include, &'a Got)>,
    part: Option<(u32, &'a Part)>,
}

fn place<'a>(scene: &Scene<'a>, number: usize) -> Place<'a> {
    let expansion = scene.expansion;
    let include = number.checked_sub(1).and_then(|index| {
        let include = expansion.includes.all.get(index)?;
        Some((include, expansion.got.get(index)?))
    });
    let part = expansion.part_of(number);
    Place {
        number,
        include,
        part: part.and_then(|n| Some((n, expansion.parts.get(n as usize)?))),
    }
}

/// Finds everything of a slot.
pub(super) fn check(scene: &Scene<'_>, number: usize) -> Told {
    let mut slot = Slot::default();
    let Place { include, part, .. } = place(scene, number);
    match (include, part) {
        (None, Some((_, root))) => root::check(scene, root, &mut slot),
        (Some(include), part) if scene.related.root_is_certain => {
            included::check(scene, include, part, &mut slot);
        }
        _ => {}
    }
    complete(scene.expansion, &scene.ends, &mut slot.found);
    if let Some((number, part)) = part {
        values::check(scene, number, part, &mut slot);
        references::check(scene, number, part, &mut slot);
        lints::of_part(scene, number, part, &mut slot);
    }
    scene.without_fixes_in_templates(&mut slot.found);
    slot.tell()
}

/// A secret reference that Tazuna rejects.
pub(super) fn rejected_secret(
    bad: &BadSecret,
    manifest: &Manifest,
    base: u32,
    wrap: &dyn Fn(&str) -> String,
) -> Diagnostic {
    let path = manifest.path.as_ref();
    let text = path.map_or("", |p| &*p.text);
    let place = path.map_or(manifest.header, |p| p.place);
    let BadSecret {
        index, uri, problem, ..
    } = bad;
    Diagnostic::new(
        &invalid_value::RULE,
        rebased(place, base),
        format!("`{text}` holds a secret reference that Tazuna rejects: `{uri}`"),
    )
    .related(bad.place, "the reference")
    .note("it must be `op://<host>/<vault>/<item>`")
    .engine_message(wrap(&format!(
        "genesissecret validation failed for manifest {text}: secrets[{index}].uri validation failed: {problem}"
    )))
}

/// What is said of a manifest: its name, or its number where it has none.
pub(super) fn subject(name: &str, index: usize) -> String {
    if name.is_empty() {
        format!("manifest[{index}]")
    } else {
        name.to_owned()
    }
}

/// Everything that [`check`] sees of a slot. `None`: it sees too much.
pub(super) fn fingerprint(scene: &Scene<'_>, number: usize) -> Option<Fingerprint> {
    let Place {
        number,
        include,
        part,
    } = place(scene, number);
    let mut mix = Mix::default();
    match include {
        None => {
            // What is missing is told among the root's own manifests.
            let all = scene.expansion.includes.all.iter().zip(&*scene.expansion.got);
            for (include, got) in all {
                if let Got::Missing(near) = got {
                    mix.add(&(include.place, near));
                }
            }
        }
        Some((_, Got::Unreadable(_))) => return None,
        Some((_, Got::Read)) => mix.add(&scene.related.root_is_certain),
        Some(_) => return Some(Fingerprint::default()),
    }
    let Some((part_number, part)) = part else {
        return Some(mix.finish());
    };
    let piece = &*part.piece;
    mix.add(&(number == 0, piece.id(), part.again));
    if piece.is_noisy {
        if (number > 0 && !piece.groups.is_empty()) || piece.has_ignored {
            return None;
        }
        mix.add(&(part.via, scene.templates));
        for (position, unit) in scene.expansion.placed(part_number) {
            mix.add(&(position, scene.expansion.bad_secret(part_number, unit.item)));
        }
    }
    if piece.is_entangled {
        for places in scene.ends.told(piece) {
            mix.add(places);
        }
    }
    if scene.tells_of(part) {
        mix.add(&(true, scene.expansion.paths_of(part_number)));
    }
    for (position, unit) in scene.expansion.placed(part_number) {
        if !unit.broken {
            mix_unit(scene, part, position, unit, &mut mix);
        }
    }
    Some(mix.finish())
}

fn mix_unit(scene: &Scene<'_>, part: &Part, position: u32, unit: &FileUnit, mix: &mut Mix) {
    let related = scene.related;
    let tells = scene.tells_of(part) && related.dag;
    for (_, target) in related.needs(position, unit, part) {
        let Some(target) = target else {
            // Whether it may be declared, what is nearest to it, and whether it is a group.
            let shared = (related.share(), scene.too_much_to_search());
            mix.add(&(
                0u8,
                scene.doubts,
                related.publics,
                scene.root,
                scene.templates,
                shared,
            ));
            continue;
        };
        if target == position || !tells {
            mix.add(&(1u8, target == position));
            continue;
        }
        let Some(to) = scene.expansion.gists.get(target as usize) else {
            continue;
        };
        if target > position || unit.tag_list != to.tag_list {
            mix.add(&(2u8, target > position, to.public, to.templated));
        } else {
            mix.add(&3u8);
        }
    }
    if !tells {
        return;
    }
    if let Some(above) = related.lost(position, unit)
        && let Some(above) = scene.expansion.gists.get(above as usize)
    {
        mix.add(&(4u8, above.public, above.whole, related.switch));
    }
}
