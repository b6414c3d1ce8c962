//! Which files may be Spacelift's, and which directories are applied by themselves.
//!
//! A module that another one calls is read as part of its caller: by itself its variables are unknown. If no
//! resource of Spacelift is declared, nothing is a project, and nothing is parsed.

use std::collections::{BTreeMap, BTreeSet};

use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Cx, ProjectSeed, Recognition};
use applyorder_core::files::join_clean;
use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;

use crate::read::{BlockFacts, TfFacts, is_config, is_yaml};

/// What every resource of the provider begins with.
const OWN: &[u8] = b"spacelift_";

/// How a blueprint passes outputs on.
const REFERENCES: &[u8] = b"stack_dependency_references";

pub(crate) fn recognise(path: &Utf8Path, bytes: Option<&[u8]>) -> Recognition {
    if !path.file_name().is_some_and(is_config) && !is_yaml(path.as_str()) {
        return Recognition::No;
    }
    let Some(bytes) = bytes else {
        return Recognition::NeedsBytes;
    };
    let has = |word: &[u8]| memmem::find(bytes, word).is_some();
    if is_yaml(path.as_str()) {
        // There may be too many of them without a dependency too.
        let is_list = has(b"stacks:") && has(b"key:");
        let is_blueprint =
            is_list && (has(b"depends_on") || has(REFERENCES) || has(b"vcs:") || has(b"vendor:"));
        return if is_blueprint {
            Recognition::Yes
        } else {
            Recognition::No
        };
    }
    // A caller need not name anything of Spacelift's itself.
    if has(OWN) || has(b"module") && (has(b"\"./") || has(b"\"../") || has(b"\".\"") || has(b"\"..\"")) {
        Recognition::Yes
    } else {
        Recognition::No
    }
}

/// What the candidates of one directory say.
#[derive(Default)]
struct Directory {
    /// The directories it calls.
    calls: BTreeSet<Utf8PathBuf>,
    has_own: bool,
    has_backend: bool,
}

pub(crate) fn projects(cx: &Cx<'_>, candidates: &[FileId]) -> Vec<ProjectSeed> {
    let paths = candidates.iter().map(|f| cx.path(*f).to_path_buf());
    // Modules that were installed belong to who calls them.
    let paths = paths.filter(|p| p.components().all(|c| c.as_str() != ".terraform"));
    let (texts, paths): (Vec<Utf8PathBuf>, Vec<Utf8PathBuf>) = paths.partition(|p| is_yaml(p.as_str()));
    let mut seeds = modules(cx, &paths);
    cx.prefetch(&texts);
    for path in texts {
        if cx
            .facts::<TfFacts>(&path)
            .is_ok_and(|read| read.facts.blueprint.is_some())
        {
            seeds.push(ProjectSeed {
                engine: cx.engine_index(),
                root: path.clone(),
                name: None,
                why: "it is a blueprint with several stacks".to_owned(),
                inferred: false,
                inputs: vec![path],
                excluded: Vec::new(),
                is_part: false,
            });
        }
    }
    seeds.sort_by(|a, b| a.root.cmp(&b.root));
    seeds
}

/// The modules that are applied by themselves.
fn modules(cx: &Cx<'_>, paths: &[Utf8PathBuf]) -> Vec<ProjectSeed> {
    let names_own = |path: &Utf8PathBuf| cx.bytes(path).is_ok_and(|b| memmem::find(&b, OWN).is_some());
    // Every candidate is checked, so that a change is noticed when the first one names something.
    let own = paths.iter().filter(|path| names_own(path)).count();
    if own == 0 {
        return Vec::new();
    }
    cx.prefetch(paths);
    let mut dirs: BTreeMap<Utf8PathBuf, Directory> = BTreeMap::new();
    for path in paths {
        let (Some(parent), Ok(read)) = (path.parent(), cx.facts::<TfFacts>(path)) else {
            continue;
        };
        let dir = dirs.entry(parent.to_owned()).or_default();
        let has_own = read.facts.blocks.iter().any(BlockFacts::is_spacelift);
        // What is not read to its end may hold more than is known of it.
        dir.has_own |= has_own || (read.facts.is_incomplete() && names_own(path));
        dir.has_backend |= read.facts.blocks.iter().any(|b| b.has_backend);
        let sources = read.facts.blocks.iter().filter_map(BlockFacts::local_source);
        dir.calls.extend(sources.map(|source| join_clean(parent, source)));
    }
    let reaching = reaching(&dirs);
    let mut called: BTreeSet<&Utf8Path> = BTreeSet::new();
    for (path, dir) in dirs.iter().filter(|(path, _)| reaching.contains(path.as_path())) {
        called.extend(dir.calls.iter().filter(|to| *to != path).map(|to| to.as_path()));
    }
    let mut roots: BTreeSet<&Utf8Path> = reaching
        .iter()
        .filter(|path| !called.contains(**path) || dirs.get(**path).is_some_and(|d| d.has_backend))
        .copied()
        .collect();
    // Modules that call each other in a cycle have no outermost one.
    let mut seen = below(&dirs, roots.iter().copied());
    for path in &reaching {
        if !seen.contains(path) {
            roots.insert(path);
            seen.extend(below(&dirs, std::iter::once(*path)));
        }
    }
    let seed = |root: &Utf8Path| ProjectSeed {
        engine: cx.engine_index(),
        root: root.to_owned(),
        name: None,
        why: if called.contains(root) {
            "the module says where its state is".to_owned()
        } else {
            "no other module here calls it".to_owned()
        },
        inferred: false,
        inputs: vec![root.to_owned()],
        excluded: Vec::new(),
        is_part: false,
    };
    roots.into_iter().map(seed).collect()
}

/// The directories that declare something of Spacelift's, or call one that does, be it by way of others.
fn reaching(dirs: &BTreeMap<Utf8PathBuf, Directory>) -> BTreeSet<&Utf8Path> {
    let mut callers: BTreeMap<&Utf8Path, Vec<&Utf8Path>> = BTreeMap::new();
    for (path, dir) in dirs {
        for to in &dir.calls {
            callers.entry(to).or_default().push(path);
        }
    }
    let own = dirs.iter().filter(|(_, d)| d.has_own);
    let mut open: Vec<&Utf8Path> = own.map(|(path, _)| path.as_path()).collect();
    let mut found: BTreeSet<&Utf8Path> = open.iter().copied().collect();
    while let Some(path) = open.pop() {
        for caller in callers.get(path).into_iter().flatten() {
            if found.insert(caller) {
                open.push(caller);
            }
        }
    }
    found
}

/// Some directories and all that they call.
fn below<'d>(
    dirs: &'d BTreeMap<Utf8PathBuf, Directory>,
    from: impl Iterator<Item = &'d Utf8Path>,
) -> BTreeSet<&'d Utf8Path> {
    let mut open: Vec<&Utf8Path> = from.collect();
    let mut found: BTreeSet<&Utf8Path> = open.iter().copied().collect();
    while let Some(path) = open.pop() {
        for to in dirs.get(path).into_iter().flat_map(|d| &d.calls) {
            if found.insert(to) {
                open.push(to);
            }
        }
    }
    found
}
