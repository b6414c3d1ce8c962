//! From what was loaded to stacks, their tags and the contents of their lists.

pub(crate) mod bundles;
pub(crate) mod changes;
pub(crate) mod environments;
pub(crate) mod flags;
pub(crate) mod imports;
mod modules;
pub(crate) mod refs;
pub(crate) mod required_version;
pub(crate) mod sources;
pub(crate) mod stacks;
pub(crate) mod symbols;
pub(crate) mod tags;
pub(crate) mod unknowns;

use std::sync::Arc;

use self::flags::{FlagError, Flags};
use self::imports::{ImportPrints, Imports};
use self::sources::Sources;
use self::stacks::Stacks;
use self::unknowns::Unknowns;
use super::load::tree::{ConfigFile, Dir, Tree};
use super::load::{Ancestor, Loaded};
use super::read::{FileFacts, Marks};
use applyorder_core::engine::{Cx, Read, World};
use applyorder_core::layer::{Fingerprint, Mix, NameIndex, Pass};

/// What a project declares.
pub struct Model {
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) sources: Sources,
    pub(crate) stacks: Arc<Stacks>,
    /// Which stacks carry which tags.
    pub(crate) tags: NameIndex,
    /// Which stacks have which ids.
    pub(crate) ids: NameIndex,
    /// Whether two stacks have the same id.
    pub(crate) repeats_ids: bool,
    /// The result of a directory's imports by its number, and all that is in it and that it imports as a
    /// number; shorter than the number of directories if the last ones import nothing.
    imports: Vec<Option<(Arc<Imports>, Fingerprint)>>,
    /// The directories in which Terramate searches for the root, if they are not part of the project.
    pub(crate) apart: Vec<Apart>,
    /// The directories that import something, ascending.
    pub(crate) importing: Vec<u32>,
    /// The directories with inputs, ascending.
    pub(crate) with_inputs: Vec<u32>,
    pub(crate) unknowns: Unknowns,
    /// Whether the project is made for a version of Terramate with another schema, in which a name that is
    /// unknown here may be known.
    pub(crate) is_of_another_schema: bool,
    /// The flags of the run.
    pub(crate) flags: Arc<Result<Flags, FlagError>>,
    /// The command that was requested.
    pub(crate) command: Option<String>,
}

/// A directory that is not a part of the project, with its contents.
pub(crate) struct Apart {
    pub(crate) sources: Sources,
    pub(crate) imports: Imports,
}

/// What models are made from.
pub(crate) struct Input<'a> {
    pub(crate) cx: &'a Cx<'a>,
    pub(crate) tree: &'a Tree,
}

/// The result of a directory's imports depends on its files and on what they import.
#[derive(PartialEq, Eq, Hash)]
struct ImportsKey(World, u32, Fingerprint);

impl Model {
    /// What the imports of a directory bring.
    pub(crate) fn imports(&self, dir: u32) -> &Imports {
        static NONE: Imports = Imports::NONE;
        let own = self.imports.get(dir as usize).and_then(Option::as_ref);
        own.map_or(&NONE, |(imports, _)| &**imports)
    }

    /// All that is in a directory and that it imports, as a number, if it imports something.
    pub(crate) fn imported(&self, dir: u32) -> Option<Fingerprint> {
        let own = self.imports.get(dir as usize)?.as_ref();
        own.map(|(_, imported)| *imported)
    }

    /// Mixes in everything that is in a directory and that it imports.
    pub(crate) fn mix(&self, index: u32, dir: &Dir, mix: &mut Mix) {
        match self.imported(index) {
            Some(imported) => mix.add(&imported),
            None => self.sources.mix(dir, mix),
        }
    }

    /// The root, and what it imports.
    pub(crate) fn root(&self) -> Option<(&Dir, &Imports)> {
        Some((self.loaded.tree.dirs.first()?, self.imports(0)))
    }

    /// The readable files of the root.
    pub(crate) fn root_files(&self) -> impl Iterator<Item = (&ConfigFile, &Arc<FileFacts>)> + Clone {
        let root = self.loaded.tree.dirs.first();
        root.into_iter().flat_map(|dir| self.sources.files(dir))
    }
}

/// Finds what a project declares.
pub(crate) fn model(pass: &Pass<'_>, loaded: &Arc<Loaded>) -> Model {
    let (cx, tree) = (pass.cx, &loaded.tree);
    let input = Input { cx, tree };
    let sources = Sources::of(cx, tree.files().map(|(_, file)| file));
    let mut declared: Vec<(u32, &Read<FileFacts>)> = Vec::new();
    let (mut importing, mut with_inputs) = (Vec::new(), Vec::new());
    for (index, dir) in (0u32..).zip(&tree.dirs) {
        let marks = sources.marks(dir);
        if marks.has(Marks::STACKS) {
            let stack = sources
                .shaped(dir)
                .find(|read| read.facts.marks.has(Marks::STACKS));
            declared.extend(stack.map(|read| (index, read)));
        }
        if marks.has(Marks::IMPORTS) {
            importing.push(index);
        }
        if marks.has(Marks::INPUTS) {
            with_inputs.push(index);
        }
    }
    if loaded.is_rootless {
        declared.clear();
        importing.clear();
    }
    let stacks = Arc::new(Stacks::of(&input, &declared));
    let imported = ImportPrints::of(&input, &sources, &importing);
    let of_dir = cx.memo().table::<ImportsKey, Imports>();
    let follow = |at: usize, index: u32, dir: &Dir| {
        let imported = imported.get(at).copied().unwrap_or_default();
        let key = ImportsKey(cx.world(), index, imported);
        of_dir.get(key, || imports::follow(&input, &sources, dir))
    };
    let dirs = importing
        .iter()
        .filter_map(|dir| Some((*dir, tree.dirs.get(*dir as usize)?)));
    let followed = imports::in_budget(&input, &sources, dirs, follow);
    let mut unknowns = Unknowns::of((tree, loaded.is_part), &sources, &stacks, &importing, &followed);
    if loaded.elsewhere.is_some() {
        unknowns.why.clone_from(&loaded.elsewhere);
    }
    let mut imports = vec![None; importing.last().map_or(0, |last| *last as usize + 1)];
    for (index, own) in importing.iter().zip(followed.into_iter().zip(imported)) {
        if let Some(slot) = imports.get_mut(*index as usize) {
            *slot = Some(own);
        }
    }
    let names = cx.memo().names().len();
    let tags = stacks
        .iter()
        .flat_map(|(stack, node)| node.tag_names.iter().map(move |name| (*name, stack)));
    let ids = stacks.iter().filter_map(|(stack, node)| Some((node.id?, stack)));
    let ids = NameIndex::new(names, ids);
    let repeats_ids = ids.repeated().next().is_some();
    let mut model = Model {
        tags: NameIndex::new(names, tags),
        repeats_ids,
        ids,
        unknowns,
        imports,
        importing,
        is_of_another_schema: false,
        apart: apart(&input, loaded),
        with_inputs,
        flags: Arc::new(Flags::of(cx, tree, &stacks, pass.options)),
        command: pass.options.command.clone(),
        loaded: loaded.clone(),
        sources,
        stacks,
    };
    model.is_of_another_schema = required_version::is_of_another_schema(&model);
    model
}

fn apart(input: &Input<'_>, loaded: &Loaded) -> Vec<Apart> {
    let apart = loaded.ancestors.iter().filter_map(|at| match at {
        Ancestor::Apart(dir) => Some(&**dir),
        Ancestor::Known(_) => None,
    });
    apart
        .map(|dir| {
            let sources = Sources::of(input.cx, dir.files.iter());
            Apart {
                imports: imports::follow(input, &sources, dir),
                sources,
            }
        })
        .collect()
}
