//! The targets of the includes of a root.

use std::sync::Arc;

use camino::Utf8Path;
use rustc_hash::FxHashSet;

use super::Setting;
use crate::count;
use crate::read::{TazunaFacts, Text, View, rebased};
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::Link;
use applyorder_core::engine::{Read, World};
use applyorder_core::files::{clean, join_clean};
use applyorder_core::layer::Pass;
use applyorder_core::store::Shape;

/// The targets of the includes of a root, in the order of the list.
pub(crate) struct Includes {
    /// The view of the root that they are written in.
    pub(crate) key: IncludesKey,
    pub(crate) all: Vec<Include>,
    pub(crate) links: Arc<[Link]>,
}

/// The inputs of [`Includes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct IncludesKey {
    root: FileId,
    shape: Shape,
    view: u32,
    world: World,
}

/// One include.
#[derive(Clone)]
pub(crate) struct Include {
    /// The number of the group in the root's list.
    pub(crate) item: u32,
    /// Its number in the group.
    pub(crate) index: u32,
    /// Where its path is written.
    pub(crate) place: Place,
    /// The path as it is written.
    pub(crate) text: Arc<str>,
    /// The target file.
    pub(crate) path: Arc<Utf8Path>,
    pub(crate) file: FileId,
    /// Whether an earlier include, or the root itself, is the same file.
    pub(crate) again: bool,
}

/// A path as Tazuna prints it when it is started in the root's directory.
pub(crate) fn shown(text: &str) -> String {
    clean(text.trim_start_matches('/')).into_string()
}

/// The includes of a view of the root.
pub(super) fn of_view(
    pass: &Pass<'_>,
    setting: &Setting,
    root: &Read<TazunaFacts>,
    view: &View,
) -> Arc<Includes> {
    let key = IncludesKey {
        root: root.file,
        shape: root.shape,
        view: view.number(),
        world: pass.cx.world(),
    };
    pass.cx.memo().get(key, || find(pass, setting, key, view))
}

/// A path as it is written. Its target depends only on the root's directory, which is the same for a whole
/// project.
#[derive(PartialEq, Eq, Hash)]
struct PathKey(Arc<str>);

/// The target file of a path.
struct Meant(FileId, Arc<Utf8Path>);

fn find(pass: &Pass<'_>, setting: &Setting, key: IncludesKey, view: &View) -> Includes {
    let cx = pass.cx;
    let written = || {
        view.items().flat_map(|(item, entry)| {
            let includes = entry.manifest.includes.iter().enumerate();
            includes.map(move |(index, text)| (item, index, text))
        })
    };
    let asked = written().map(|(_, _, text)| ((), PathKey(text.text.clone())));
    let meant = cx.memo().table::<PathKey, Meant>().get_each(asked, |(), text| {
        let file = cx.file(&join_clean(&setting.dir, &text.0));
        Meant(file, cx.path(file))
    });
    let include = |((item, index, text), meant): ((usize, usize, &Text), Arc<Meant>)| Include {
        item: count(item),
        index: count(index),
        place: rebased(text.place, view.base(item)),
        text: text.text.clone(),
        file: meant.0,
        path: meant.1.clone(),
        again: false,
    };
    let mut all: Vec<Include> = written().zip(meant).map(include).collect();
    let mut seen: FxHashSet<FileId> = FxHashSet::default();
    seen.insert(key.root);
    for include in all.iter_mut().filter(|i| !i.text.is_empty()) {
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
