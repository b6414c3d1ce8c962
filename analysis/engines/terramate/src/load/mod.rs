//! Which directories and files a project has. What stands in the files is not looked at here.

pub(crate) mod hidden;
pub(crate) mod instances;
pub(crate) mod pattern;
pub(crate) mod relative;
pub(crate) mod tree;
mod way_up;

use self::tree::Tree;
pub(crate) use self::way_up::{OnTheWay, start};
use crate::META;
use crate::config::TerramateConfig;
use crate::discover::NO_ROOT;
use applyorder_core::diagnostic::FileId;
use applyorder_core::layer::Pass;

/// What was loaded.
pub struct Loaded {
    pub(crate) tree: Tree,
    /// The directories in which Terramate looks for the root, the directory of the command first.
    pub(crate) way_up: Vec<OnTheWay>,
    /// No root was found: the project stands for files that are part of none.
    pub(crate) is_rootless: bool,
    /// The number of the root itself, for what is said of no file.
    pub(crate) root_file: FileId,
    /// The version of Terramate that is asked about.
    pub(crate) version: String,
}

/// Loads a project.
pub(crate) fn load(pass: &Pass<'_>) -> Loaded {
    let (cx, root) = (pass.cx, &pass.seed.root);
    let mut tree = Tree::load(cx, root);
    tree.read(cx);
    let is_rootless = pass.seed.why == NO_ROOT;
    let fixed = pass.options.engine_version.clone();
    let version = fixed.or_else(|| cx.config(root).section::<TerramateConfig>().version.clone());
    Loaded {
        way_up: way_up::way_up(pass, &tree),
        version: version
            .filter(|_| !is_rootless)
            .unwrap_or_else(|| META.version.to_owned()),
        is_rootless,
        root_file: cx.file(root),
        tree,
    }
}
