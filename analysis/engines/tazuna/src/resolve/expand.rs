//! From the root and its includes to one list of manifests.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Run;
use super::cache::{Include, Includes, count};
use super::parts::{Expansion, Outcome, Part, Parts};
use crate::facts::{Reading, TazunaFacts, View, rebased};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Link, Member};
use applyorder_core::files::{ReadError, clean, join_clean};

/// An included file with what the environment makes of it, or why there is none.
type Read = Result<(Arc<TazunaFacts>, Arc<View>), Outcome>;

/// Expands a root.
pub(super) fn expand(
    run: &Run<'_, '_>,
    root: FileId,
    facts: &Arc<TazunaFacts>,
    reading: &Reading,
) -> Expansion {
    let view = facts.view(reading);
    let included = Reading {
        environment: reading.environment.clone(),
        strict: false,
    };
    let includes = run
        .cache
        .includes(&view, || find_includes(run, &view, &FxHashMap::default()));
    let read = |include| {
        let facts = read_include(run, include)?;
        let view = facts.view(&included);
        Ok((facts, view))
    };
    let files: Vec<Read> = includes.all.par_iter().with_min_len(16).map(read).collect();
    let views = includes.all.iter().zip(&files).filter_map(|(include, read)| {
        let (_, view) = read.as_ref().ok()?;
        Some((include.file, view.clone()))
    });
    let views: Vec<(FileId, Arc<View>)> = [(root, view.clone())].into_iter().chain(views).collect();
    run.cache.prepare(&views, run.generation);
    let mut parts = vec![part(run, root, facts, view, None, false)];
    let mut outcomes = Vec::with_capacity(includes.all.len());
    let mut seen: FxHashSet<FileId> = FxHashSet::default();
    seen.insert(root);
    for (include, read) in includes.all.iter().zip(files) {
        outcomes.push(match read {
            Ok((facts, view)) => {
                let again = !seen.insert(include.file);
                parts.push(part(run, include.file, &facts, view, Some(include), again));
                Outcome::Read(count(parts.len() - 1))
            }
            Err(outcome) => outcome,
        });
    }
    put_together(run, parts, includes, outcomes)
}

/// The list that parts expand to.
pub(super) fn put_together(
    run: &Run<'_, '_>,
    parts: Vec<Part>,
    includes: Arc<Includes>,
    outcomes: Vec<Outcome>,
) -> Expansion {
    let (list, starts) = list(&parts, &includes, &outcomes);
    let of_root = |(position, (part, _)): (u32, &(u32, u32))| (*part == 0).then_some(position);
    let own = (0u32..).zip(&list).filter_map(of_root).collect();
    let root = parts.first().map(|root| Member {
        file: root.file,
        why: "the root".to_owned(),
        via: None,
    });
    let read = || includes.all.iter().zip(&outcomes);
    let members = read().filter(|(_, outcome)| matches!(outcome, Outcome::Read(_)));
    let members = members.map(|(include, _)| Member {
        file: include.file,
        why: run.included.clone(),
        via: Some(include.place),
    });
    let links = includes.all.iter().filter(|i| !i.text.is_empty());
    let links = links.map(|include| Link {
        place: include.place,
        target: include.path.clone(),
    });
    Expansion {
        members: root.into_iter().chain(members).collect(),
        links: links.collect(),
        parts: Parts::new(parts),
        list: list.into(),
        starts: starts.into(),
        own,
        includes,
        outcomes: outcomes.into(),
    }
}

/// A file as one view reads it.
pub(super) fn part(
    run: &Run<'_, '_>,
    file: FileId,
    facts: &Arc<TazunaFacts>,
    view: Arc<View>,
    include: Option<&Include>,
    again: bool,
) -> Part {
    Part {
        file,
        path: match include {
            Some(include) => include.shown.clone(),
            None => run.root.file_name().unwrap_or("").into(),
        },
        facts: facts.clone(),
        units: run.cache.units(file, &view, run.generation),
        view,
        via: include.map(|i| i.place),
        again,
    }
}

/// A path as Tazuna prints it when it is started beside the root.
pub(super) fn shown(text: &str) -> String {
    clean(text.trim_start_matches('/')).into_string()
}

/// Where the includes of a root lead; `known` are those of an earlier state, by their text.
pub(super) fn find_includes(
    run: &Run<'_, '_>,
    view: &Arc<View>,
    known: &FxHashMap<&str, &Include>,
) -> Includes {
    let cx = run.cx;
    let mut all = Vec::new();
    let mut paths = Vec::new();
    for (item, entry) in view.items() {
        let base = view.base(item);
        for (index, text) in entry.manifest.includes.iter().enumerate() {
            let (item, index, place) = (count(item), count(index), rebased(text.place, base));
            if let Some(known) = known.get(&*text.text) {
                all.push(Include {
                    item,
                    index,
                    place,
                    ..Include::clone(known)
                });
                continue;
            }
            let path = join_clean(run.dir, &text.text);
            let file = cx.file(&path);
            if !text.text.is_empty() {
                paths.push(path.clone());
            }
            all.push(Include {
                item,
                index,
                place,
                text: text.text.clone(),
                shown: shown(&text.text).into(),
                path,
                file,
            });
        }
    }
    cx.prefetch(&paths);
    for path in &paths {
        // Whether it could be read is seen when its facts are wanted.
        drop(cx.source(path));
    }
    Includes {
        view: view.clone(),
        all,
    }
}

pub(super) fn read_include(run: &Run<'_, '_>, include: &Include) -> Result<Arc<TazunaFacts>, Outcome> {
    if include.text.is_empty() {
        return Err(Outcome::Nowhere);
    }
    run.cx
        .read::<TazunaFacts>(include.file)
        .map(|r| r.facts)
        .map_err(|error| match error {
            ReadError::NotFound if run.cx.kind(&include.path, true).is_none() => Outcome::Missing,
            error => Outcome::Unreadable(error),
        })
}

/// The units of all parts in the order of the expanded list.
///
/// Also gives the position of the first unit of each part.
fn list(parts: &[Part], includes: &Includes, outcomes: &[Outcome]) -> (Vec<(u32, u32)>, Vec<u32>) {
    let mut starts = vec![0; parts.len()];
    let Some(root) = parts.first() else {
        return (Vec::new(), starts);
    };
    let total: usize = parts.iter().map(|p| p.units.units.len()).sum();
    let mut list = Vec::with_capacity(total);
    let mut own = (0u32..).zip(&root.units.units).peekable();
    let mut next = includes.all.iter().zip(outcomes).peekable();
    for group in root
        .units
        .groups
        .iter()
        .copied()
        .chain([count(root.view.items().len())])
    {
        while let Some((unit, _)) = own.next_if(|(_, u)| u.item < group) {
            list.push((0, unit));
        }
        while let Some((_, outcome)) = next.next_if(|(i, _)| i.item == group) {
            if let Outcome::Read(part) = outcome
                && let (Some(read), Some(start)) = (parts.get(*part as usize), starts.get_mut(*part as usize))
            {
                *start = count(list.len());
                list.extend((0..count(read.units.units.len())).map(|unit| (*part, unit)));
            }
        }
    }
    (list, starts)
}
