//! Which directories and files a project has. The contents of the files are not read here.

mod ancestors;
mod around;
pub(crate) mod foreign;
pub(crate) mod instances;
pub(crate) mod pattern;
pub(crate) mod relative;
pub(crate) mod skipped_stacks;
pub(crate) mod tree;

pub(crate) use self::ancestors::{Ancestor, start};
pub(crate) use self::around::around;
use self::tree::Tree;
use crate::META;
use crate::config::TerramateConfig;
use crate::discover::NO_ROOT;
use applyorder_core::diagnostic::FileId;
use applyorder_core::layer::Pass;

/// What was loaded.
pub struct Loaded {
    pub(crate) tree: Tree,
    /// Whether the tree has only some of the project's directories.
    pub(crate) is_part: bool,
    /// The directories in which Terramate searches for the root, the directory of the command first.
    pub(crate) ancestors: Vec<Ancestor>,
    /// Why Terramate does not run the project from the directory of the command.
    pub(crate) elsewhere: Option<String>,
    /// No root was found: the project contains files without one.
    pub(crate) is_rootless: bool,
    /// The number of the root itself, for findings that belong to no file.
    pub(crate) root_file: FileId,
    /// The assumed version of Terramate.
    pub(crate) version: String,
    /// Whether no file specifies the version in use, so that the newest known one is assumed.
    pub(crate) is_version_assumed: bool,
    /// The name of the file that specifies the version, if it is not the configuration.
    pub(crate) version_named_by: Option<String>,
}

/// Loads a project.
pub(crate) fn load(pass: &Pass<'_>) -> Loaded {
    let tree = Tree::load(pass.cx, &pass.seed.root);
    of_tree(pass, tree, false)
}

fn of_tree(pass: &Pass<'_>, mut tree: Tree, is_part: bool) -> Loaded {
    let (cx, root) = (pass.cx, &pass.seed.root);
    tree.read(cx);
    let is_rootless = pass.seed.why == NO_ROOT;
    let fixed = pass.options.engine_version.clone();
    let configured = fixed.or_else(|| {
        cx.config(root)
            .section::<TerramateConfig>()
            .version
            .clone()
            .map(String::from)
    });
    let in_use = Some(())
        .filter(|()| !is_rootless)
        .and_then(|()| cx.version_in_use(configured, META.id, root));
    Loaded {
        ancestors: ancestors::ancestors(pass, &tree),
        elsewhere: ancestors::elsewhere(pass, &tree),
        is_version_assumed: in_use.is_none(),
        version_named_by: in_use
            .as_ref()
            .and_then(|v| Some(v.named_by.as_ref()?.file_name()?.to_owned())),
        version: in_use.map_or_else(|| META.version.to_owned(), |v| v.version),
        is_rootless,
        root_file: cx.file(root),
        is_part,
        tree,
    }
}
