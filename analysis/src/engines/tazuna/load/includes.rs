//! Where the includes of a root lead.

use std::sync::Arc;

use camino::Utf8PathBuf;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::{Got, Setting, Unreadable, state};
use crate::diagnostic::{FileId, Place};
use crate::engines::Link;
use crate::engines::tazuna::count;
use crate::engines::tazuna::layer::{Pass, Read, Shape};
use crate::engines::tazuna::read::{View, rebased};
use crate::files::{FileKind, ReadError, clean, join_clean};
use crate::rules::nearest;

/// Where the includes of a root lead, in the order of the list.
pub(in crate::engines::tazuna) struct Includes {
    /// The view of the root that they are written in.
    pub(in crate::engines::tazuna) key: IncludesKey,
    pub(in crate::engines::tazuna) all: Vec<Include>,
    pub(in crate::engines::tazuna) links: Arc<[Link]>,
}

/// What [`Includes`] are made from.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::engines::tazuna) struct IncludesKey {
    root: FileId,
    shape: Shape,
    view: u32,
    disk: u64,
}

/// One include.
#[derive(Clone)]
pub(in crate::engines::tazuna) struct Include {
    /// The number of the group in the root's list.
    pub(in crate::engines::tazuna) item: u32,
    /// Its number in the group.
    pub(in crate::engines::tazuna) index: u32,
    /// Where its path is written.
    pub(in crate::engines::tazuna) place: Place,
    /// The path as it is written.
    pub(in crate::engines::tazuna) text: Arc<str>,
    /// The path as Tazuna prints it.
    pub(in crate::engines::tazuna) shown: Arc<str>,
    /// The file meant.
    pub(in crate::engines::tazuna) path: Utf8PathBuf,
    pub(in crate::engines::tazuna) file: FileId,
    /// Whether an earlier include, or the root itself, is the same file.
    pub(in crate::engines::tazuna) again: bool,
}

/// A path as Tazuna prints it when it is started beside the root.
pub(in crate::engines::tazuna) fn shown(text: &str) -> String {
    clean(text.trim_start_matches('/')).into_string()
}

/// The includes of a view of the root.
pub(super) fn of_view(pass: &Pass<'_, '_>, setting: &Setting, root: &Read, view: &View) -> Arc<Includes> {
    let key = IncludesKey {
        root: root.file,
        shape: root.shape,
        view: view.number(),
        disk: pass.disk(),
    };
    pass.memo().get(key, || find(pass, setting, key, view))
}

fn find(pass: &Pass<'_, '_>, setting: &Setting, key: IncludesKey, view: &View) -> Includes {
    let cx = pass.cx;
    let mut all = Vec::new();
    let mut paths = Vec::new();
    for (item, entry) in view.items() {
        let base = view.base(item);
        for (index, text) in entry.manifest.includes.iter().enumerate() {
            let path = join_clean(&setting.dir, &text.text);
            if !text.text.is_empty() {
                paths.push(path.clone());
            }
            all.push(Include {
                item: count(item),
                index: count(index),
                place: rebased(text.place, base),
                text: text.text.clone(),
                shown: shown(&text.text).into(),
                file: cx.file(&path),
                path,
                again: false,
            });
        }
    }
    cx.prefetch(&paths);
    let mut seen: FxHashSet<FileId> = FxHashSet::default();
    seen.insert(key.root);
    for include in all.iter_mut().filter(|i| !i.text.is_empty()) {
        // Whether it can be read is seen when its facts are wanted.
        drop(cx.source(&include.path));
        include.again = !seen.insert(include.file);
    }
    let links = all.iter().filter(|i| !i.text.is_empty());
    let links = links.map(|include| Link {
        place: include.place,
        target: include.path.clone(),
    });
    Includes {
        key,
        links: links.collect(),
        all,
    }
}

/// What came of each include.
pub(super) fn read(pass: &Pass<'_, '_>, includes: &Includes) -> Arc<[Got]> {
    let all = includes.all.par_iter().with_min_len(512);
    let got: Vec<Got> = all.map(|include| read_one(pass, includes, include)).collect();
    got.into()
}

fn read_one(pass: &Pass<'_, '_>, includes: &Includes, include: &Include) -> Got {
    if include.text.is_empty() {
        return Got::Nowhere;
    }
    match pass.read(include.file) {
        Ok(read) => Got::Read(state(&read)),
        Err(ReadError::NotFound) if pass.cx.kind(&include.path, true).is_none() => {
            let key = NearKey(includes.key, include.place);
            let near = pass.memo().get(key, || near_file(pass, includes, include));
            Got::Missing(Option::clone(&near))
        }
        Err(error) => Got::Unreadable(Unreadable::new(pass, &include.path, error)),
    }
}

#[derive(PartialEq, Eq, Hash)]
struct NearKey(IncludesKey, Place);

/// The path with the nearest name of an existing file in its directory that is not included yet.
fn near_file(pass: &Pass<'_, '_>, includes: &Includes, include: &Include) -> Option<String> {
    let (path, text) = (&include.path, &*include.text);
    let parent = path.parent()?;
    let entries = pass.cx.list(parent).ok()?;
    let beside = includes.all.iter().filter(|i| i.path.parent() == Some(parent));
    let taken: FxHashSet<&str> = beside.filter_map(|i| i.path.file_name()).collect();
    let yaml = |name: &str| name.ends_with(".yaml") || name.ends_with(".yml");
    let files = entries
        .iter()
        .filter(|e| e.kind != FileKind::Directory && yaml(&e.name) && !taken.contains(&*e.name));
    let near = nearest(path.file_name()?, files.map(|e| &*e.name))?;
    let dir = text.rfind('/').map_or("", |i| text.get(..=i).unwrap_or(""));
    Some(format!("{dir}{near}"))
}
