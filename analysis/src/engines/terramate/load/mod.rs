//! Which directories and files a project has, and what its imports bring: everything that is asked of the disk.

pub(crate) mod hidden;
pub(crate) mod imports;
mod pattern;
pub(crate) mod tree;
mod way_up;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use self::imports::Imports;
use self::tree::{Dir, Tree};
use self::way_up::way_up;
pub(crate) use self::way_up::{OnTheWay, start};
use super::META;
use super::discover::NO_ROOT;
use crate::diagnostic::FileId;
use crate::engines::{Cx, ProjectSeed, RunOptions};

/// What was loaded.
pub(crate) struct Loaded {
    pub(crate) tree: Tree,
    /// By the number of the directory, where a directory imports something.
    imports: FxHashMap<u32, Imports>,
    /// The directories in which Terramate looks for the root, the directory of the command first.
    pub(crate) way_up: Vec<OnTheWay>,
    /// No root was found: the project stands for files that are part of none.
    pub(crate) is_rootless: bool,
    /// The number of the root itself, for what is said of no file.
    pub(crate) root_file: FileId,
    /// The version of Terramate that is asked about.
    pub(crate) version: String,
}

impl Loaded {
    /// What the imports of a directory bring.
    pub(crate) fn imports(&self, dir: u32) -> &Imports {
        static NONE: Imports = Imports::NONE;
        self.imports.get(&dir).unwrap_or(&NONE)
    }

    /// The root, and what it imports.
    pub(crate) fn root(&self) -> Option<(&Dir, &Imports)> {
        Some((self.tree.dirs.first()?, self.imports(0)))
    }
}

/// Loads a project.
pub(crate) fn load(cx: &Cx<'_>, seed: &ProjectSeed, options: &RunOptions) -> Loaded {
    let tree = Tree::load(cx, &seed.root);
    let is_rootless = seed.why == NO_ROOT;
    let imports = (0u32..)
        .zip(&tree.dirs)
        .filter(|(_, dir)| !is_rootless && imports::has_some(dir))
        .map(|(index, dir)| (index, imports::follow(cx, &tree, dir)))
        .collect();
    let fixed = options.engine_version.clone();
    let version = fixed
        .or_else(|| cx.config(&tree.root).terramate.version.clone())
        .unwrap_or_else(|| META.version.to_owned());
    Loaded {
        way_up: way_up(cx, &tree, seed, options),
        imports,
        is_rootless,
        root_file: cx.file(&seed.root),
        version: if is_rootless {
            META.version.to_owned()
        } else {
            version
        },
        tree,
    }
}

/// A directory of its own and what it imports.
pub(crate) struct Alone {
    pub(crate) dir: Arc<Dir>,
    pub(crate) imports: Imports,
}
