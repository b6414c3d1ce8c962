//! Included files that have includes themselves, which Tazuna does not follow.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::Part;
use super::answers::from_dir;
use crate::load::{Include, Includes, Setting};
use crate::read::{TazunaFacts, Text, rebased};
use applyorder_core::diagnostic::Place;
use applyorder_core::files::join_clean;
use applyorder_core::layer::Pass;

/// A group of includes inside an included file.
pub(crate) struct Inner {
    /// The first key of the group.
    pub(crate) header: Place,
    /// Its includes: the place of the path, the path as it is written, the path from the root's directory.
    pub(crate) paths: Vec<(Place, String, String)>,
}

/// The includes of an included file.
pub(crate) enum Nested {
    /// They lead back to a file on the path to it: over these includes, in order.
    Circle(Vec<(Place, String)>),
    /// They could be written in the root.
    Groups(Vec<Inner>),
}

/// The includes of the parts that have some, by part.
pub(super) fn of(
    pass: &Pass<'_>,
    setting: &Setting,
    includes: &Includes,
    part_of: &[Option<u32>],
    parts: &[Part],
) -> Vec<(u32, Nested)> {
    let all = includes.all.iter().zip(part_of);
    let nested = all.filter_map(|(include, number)| {
        let part = parts.get((*number)? as usize)?;
        if !part.brief.has_groups || !part.brief.is_certain {
            return None;
        }
        let decodes =
            part.piece.view.head.syntax.is_empty() && part.piece.view.head.errors.iter().all(Vec::is_empty);
        if !decodes {
            return None;
        }
        let nested = match way_back(pass, setting, include, &part.piece.facts) {
            Some(hops) => Nested::Circle(hops),
            None => Nested::Groups(groups(pass, setting, include, part)),
        };
        Some(((*number)?, nested))
    });
    nested.collect()
}

fn groups(pass: &Pass<'_>, setting: &Setting, include: &Include, part: &Part) -> Vec<Inner> {
    let view = &part.piece.view;
    let group = |index: &u32| {
        let (item, base) = (view.item(*index as usize)?, view.base(*index as usize));
        let path = |text: &Text| {
            let place = rebased(text.place, base);
            (
                place,
                text.text.to_string(),
                inlined(pass, setting, include, &text.text),
            )
        };
        Some(Inner {
            header: rebased(item.manifest.header, base),
            paths: item.manifest.includes.iter().map(path).collect(),
        })
    };
    part.piece.groups.iter().filter_map(group).collect()
}

/// The path of an inner include as it must be written in the root. Tazuna does not follow these includes, so it
/// is unknown whether they are relative to the root or to their own file: where the file exists decides.
fn inlined(pass: &Pass<'_>, setting: &Setting, include: &Include, path: &str) -> String {
    let exists = |path: &Utf8Path| pass.cx.kind(path, true).is_some();
    if !exists(&join_clean(&setting.dir, path))
        && let Some(beside) = include.path.parent().map(|dir| join_clean(dir, path))
        && exists(&beside)
        && let Some(better) = from_dir(&setting.dir, &beside)
    {
        return better;
    }
    path.to_owned()
}

/// The maximum number of files in the search for a cycle.
const HOPS: usize = 64;

/// The includes by which an included file leads back to a file on the path to it, in order.
fn way_back(
    pass: &Pass<'_>,
    setting: &Setting,
    include: &Include,
    facts: &Arc<TazunaFacts>,
) -> Option<Vec<(Place, String)>> {
    if *include.path == setting.root {
        return Some(vec![(include.place, "the file includes itself".to_owned())]);
    }
    // Each step: a file, and the includes that lead to it from the root's include on.
    type Way = Vec<(Utf8PathBuf, Place, String)>;
    let mut open: Vec<(Utf8PathBuf, Arc<TazunaFacts>, Way)> =
        vec![(include.path.to_path_buf(), facts.clone(), Vec::new())];
    let mut looked = 0;
    while let Some((path, facts, way)) = open.pop() {
        looked += 1;
        if looked > HOPS {
            return None;
        }
        let view = facts.view(&setting.reading(None));
        for (index, item) in view.items() {
            for text in &item.manifest.includes {
                let place = rebased(text.place, view.base(index));
                // Tazuna does not follow these includes, so it is unknown what their paths are relative to.
                let from = [Some(&*setting.dir), path.parent()];
                let mut targets: Vec<Utf8PathBuf> = from
                    .into_iter()
                    .flatten()
                    .map(|d| join_clean(d, &text.text))
                    .collect();
                targets.dedup();
                for target in targets {
                    let mut way = way.clone();
                    way.push((target.clone(), place, format!("includes `{}`", text.text)));
                    let start = |p: &Utf8Path| *p == setting.root || *p == *include.path;
                    let met = start(&target) || way.iter().rev().skip(1).any(|(p, ..)| *p == target);
                    if met {
                        let mut hops = vec![(include.place, format!("includes `{}`", include.text))];
                        hops.extend(way.into_iter().map(|(_, place, text)| (place, text)));
                        return Some(hops);
                    }
                    if let Ok(next) = pass.cx.facts::<TazunaFacts>(&target) {
                        open.push((target, next.facts, way));
                    }
                }
            }
        }
    }
    None
}
