//! Which files make the modules of a project: the root, and what it calls beside itself.
//!
//! Source: spec section 3.

mod files;

use std::collections::BTreeMap;

use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::ProjectSeed;
use applyorder_core::files::{ReadError, join_clean};
use applyorder_core::layer::Pass;
use camino::{Utf8Path, Utf8PathBuf};

use crate::read::TfFacts;
pub(crate) use files::{LoadedFile, files_of};

/// Most directories that are read as modules of one project.
const MAX_MODULES: usize = 2000;

/// The modules of a project.
pub struct Loaded {
    /// The root first.
    pub(crate) modules: Vec<LoadedModule>,
    /// Files of values for the root's variables that Terraform reads by itself, weakest first.
    pub(crate) automatic: Vec<Utf8PathBuf>,
    /// Whether there are more modules than are read.
    pub(crate) is_cut: bool,
}

/// One directory.
pub(crate) struct LoadedModule {
    pub(crate) dir: Utf8PathBuf,
    /// Base files in the order of their names, then those that override them.
    pub(crate) files: Vec<LoadedFile>,
    /// Files that could not be read.
    pub(crate) unread: Vec<(FileId, ReadError)>,
    /// What the sources of calls mean, as indexes of modules.
    pub(crate) calls: BTreeMap<String, usize>,
    /// Why it is there.
    pub(crate) why: String,
}

pub(crate) fn load(pass: &Pass<'_>) -> Loaded {
    let cx = pass.cx;
    let ProjectSeed { root, .. } = pass.seed;
    let flavor = crate::invocation::flavor(pass);
    let mut modules: Vec<LoadedModule> = Vec::new();
    let mut known: BTreeMap<Utf8PathBuf, usize> = BTreeMap::new();
    let mut queue: Vec<(Utf8PathBuf, String)> = vec![(root.clone(), "the module itself".to_owned())];
    known.insert(root.clone(), 0);
    let mut is_cut = false;
    let mut next = 0;
    while let Some((dir, why)) = queue.get(next).cloned() {
        let found = files_of(cx, &dir, flavor);
        next += 1;
        let mut module = LoadedModule {
            dir,
            files: Vec::new(),
            unread: Vec::new(),
            calls: BTreeMap::new(),
            why,
        };
        for file in found {
            match cx.facts::<TfFacts>(&file.path) {
                Ok(read) => {
                    for source in read.facts.blocks.iter().filter_map(|b| b.local_source()) {
                        let to = join_clean(&module.dir, source);
                        let number = match known.get(&to) {
                            Some(number) => *number,
                            None if queue.len() >= MAX_MODULES => {
                                is_cut = true;
                                continue;
                            }
                            None => {
                                let why = format!("called by a module in `{}`", shown(root, &module.dir));
                                known.insert(to.clone(), queue.len());
                                queue.push((to, why));
                                queue.len() - 1
                            }
                        };
                        module.calls.insert(source.to_string(), number);
                    }
                    module.files.push(LoadedFile {
                        file: read.file,
                        ..file
                    });
                }
                Err(error) => module.unread.push((cx.file(&file.path), error)),
            }
        }
        modules.push(module);
    }
    Loaded {
        modules,
        automatic: files::automatic(cx, root),
        is_cut,
    }
}

/// A directory as Terraform writes it, seen from the root.
pub(crate) fn shown(root: &Utf8Path, dir: &Utf8Path) -> String {
    if let Ok(below) = dir.strip_prefix(root) {
        return if below.as_str().is_empty() {
            ".".to_owned()
        } else {
            below.to_string()
        };
    }
    let shared = root
        .components()
        .zip(dir.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = root.components().count() - shared;
    let mut parts = vec!["..".to_owned(); up];
    parts.extend(dir.components().skip(shared).map(|c| c.to_string()));
    parts.join("/")
}
