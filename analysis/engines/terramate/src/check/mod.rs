//! From a project's model and its order to findings: one block for each directory, and some for the project.
//!
//! Source: Terramate 0.17.2, "Diagnostics a linter should give".

mod cycles;
mod directory;
mod entries;
mod environments;
mod faulty;
mod files;
mod generated;
mod instances;
mod load;
mod merge;
mod no_root;
mod outputs;
mod prints;
mod replacements;
mod run_env;
mod shape;
pub(crate) mod stacks;
mod unreachable;
mod version;
mod wants;

use std::sync::Arc;

use self::prints::{BlockKey, Prints};
use super::found::{Found, of_load};
use super::judge::{ENVIRONMENT, FLAGS, LOAD, ROOT, RUN, STACKS, VALUES, VERSION};
use super::load::Ancestor;
use super::load::tree::{ConfigFile, Dir, Tree};
use super::model::Model;
use super::model::stacks::{Node, StackIx, Stacks};
use super::model::unknowns::Unknowns;
use super::read::FileFacts;
use super::relate::Related;
use super::relate::entries::{Entries, Entry};
use applyorder_core::diagnostic::{Diagnostic, FileId, Place, Severity};
use applyorder_core::engine::{Cx, EngineIx};
use applyorder_core::layer::{Block, Checked, Environment, Finding, Pass, Unknown};
use applyorder_core::rules::invalid_value;

/// What is seen of a project by who checks it.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) engine: EngineIx,
    pub(crate) model: &'a Model,
    pub(crate) related: &'a Related,
    pub(crate) tree: &'a Tree,
    pub(crate) stacks: &'a Stacks,
    pub(crate) entries: &'a Entries,
}

/// Checks a project.
pub(crate) fn check<'a>(pass: &Pass<'a>, model: &'a Model, related: &'a Related) -> Vec<Checked> {
    let scope = Scope::new(pass.cx.engine_index(), model, related);
    let mut unknown = OpenStages::of(&model.unknowns);
    let blocks = if model.loaded.is_rootless {
        let mut found = Vec::new();
        no_root::check(&scope).told(ROOT, &"/".into(), 0, &mut found);
        vec![Arc::new(Block::new(found))]
    } else {
        scope.blocks(pass.cx, &mut unknown)
    };
    vec![Checked {
        blocks,
        unknown: unknown.0,
        environments: vec![Environment::default()],
    }]
}

/// What is unknown, by the stage whose outcome depends on it.
struct OpenStages(Vec<Unknown>);

impl OpenStages {
    fn of(unknowns: &Unknowns) -> Self {
        let mut all = Self(Vec::new());
        for (stage, why) in [
            (LOAD, &unknowns.load),
            (STACKS, &unknowns.stacks),
            (VALUES, &unknowns.why),
        ] {
            all.push(stage, why.clone());
        }
        all
    }

    fn push(&mut self, stage: &'static str, why: Option<String>) {
        self.0.extend(why.map(|because| Unknown {
            command: None,
            stage,
            because,
        }));
    }
}

/// The way up, as far as it ends at something that Terramate complains of.
struct AncestorErrors {
    /// The directory, where it is part of the project.
    dir: Option<u32>,
    block: Block,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(engine: EngineIx, model: &'a Model, related: &'a Related) -> Self {
        Self {
            engine,
            tree: &model.loaded.tree,
            stacks: &model.stacks,
            entries: &related.entries,
            model,
            related,
        }
    }

    /// The way up, then the directories by their numbers, then what is found across them: [`Related::place_of`] knows
    /// this order.
    fn blocks(&self, cx: &'a Cx<'a>, unknown: &mut OpenStages) -> Vec<Arc<Block>> {
        let experiments = directory::experiments(self);
        let experiments = experiments.as_deref();
        let ancestor_errors = self.ancestor_errors(experiments);
        let ends_at = ancestor_errors.as_ref().and_then(|w| w.dir);
        let prints = Prints::new(cx, *self, experiments, ends_at);
        let dirs = (0u32..).zip(&self.tree.dirs);
        let with_files: Vec<(u32, &Dir)> = dirs.filter(|(_, dir)| dir.has_configuration()).collect();
        let keys: Vec<BlockKey> = with_files
            .iter()
            .map(|(index, dir)| prints.of(*index, dir))
            .collect();
        let make = |at: usize, _: &BlockKey| match with_files.get(at) {
            Some((index, dir)) => self.directory(cx, *index, dir, experiments, ends_at),
            None => Block::new(Vec::new()),
        };
        let made = cx.memo().table::<BlockKey, Block>().get_all(keys, make);
        let empty = Arc::new(Block::new(Vec::new()));
        let mut blocks = vec![empty; self.tree.dirs.len() + 1];
        for ((index, _), block) in with_files.iter().zip(made) {
            if let Some(slot) = blocks.get_mut(*index as usize + 1) {
                *slot = block;
            }
        }
        let is_rejected = || {
            let found = blocks.iter().flat_map(|block| block.findings());
            let mut stages = found.flat_map(|f| {
                let own = f.rejections.iter().map(|r| r.stage);
                own.chain(f.diagnostic.enforced.iter().map(|e| e.stage))
            });
            stages.any(|stage| stage == LOAD)
        };
        let mut across = Vec::new();
        if let Some(found) = environments::check(self, is_rejected) {
            found.told(LOAD, &"/".into(), u32::MAX, &mut across);
        }
        let (instances, open) = instances::check(self, cx);
        for (path, found) in instances {
            found.told(LOAD, &path.into(), u32::MAX, &mut across);
        }
        unknown.push(LOAD, open);
        if !(self.related.selection.is_list || self.model.unknowns.load.is_some() || is_rejected()) {
            let because = run_env::check(self, cx, &mut across);
            unknown.0.extend(because.map(|because| Unknown {
                command: Some(RUN),
                stage: ENVIRONMENT,
                because,
            }));
        }
        self.across(cx, &mut across);
        if let (Some(ancestor_errors), Some(slot)) = (ancestor_errors, blocks.first_mut()) {
            *slot = Arc::new(ancestor_errors.block);
        }
        blocks.extend(prints.cycles());
        // What follows is short, and made in every pass.
        blocks.push(Arc::new(Block::new(across)));
        blocks.push(Arc::new(Block::new(self.faulty())));
        blocks
    }

    /// Everything there is to say of a directory and the stack in it.
    fn directory(
        &self,
        cx: &Cx<'_>,
        index: u32,
        dir: &Dir,
        experiments: Option<&[Arc<str>]>,
        ends_at: Option<u32>,
    ) -> Block {
        let mut found = Vec::new();
        let imports = self.model.imports(index);
        let mut loaded = load::of_dir(self, &self.model.sources, dir, imports, experiments);
        generated::check(cx, dir, experiments, &mut loaded);
        of_load(loaded, &dir.path, ends_at == Some(index), &mut found);
        if let Some((stack, node)) = self.stack_in(index) {
            for (at, one) in (0u32..).zip(stacks::of_stack(self, stack, node)) {
                one.told(STACKS, &dir.path, at, &mut found);
            }
            for entry in self.entries.of(stack) {
                self.entry(stack, node, entry, &mut found);
            }
            self.root_and_id(stack, node, &mut found);
        }
        Block::new(found)
    }

    /// What is found across directories.
    fn across(&self, cx: &Cx<'_>, found: &mut Vec<Finding>) {
        if let Some(one) = version::check(self) {
            one.told(VERSION, &"/".into(), 0, found);
        }
        if let Err((flag, words)) = &*self.model.flags {
            let file = self.root_files().next().map(|(file, _)| file.file);
            let place = Place::file(file.unwrap_or(self.model.loaded.root_file));
            let message = format!("invalid `{flag}`: {words}");
            let d = Diagnostic::new(&invalid_value::RULE, place, message).engine_message(words.clone());
            let mut one = Vec::new();
            crate::found::push(&mut one, d.severity(Severity::Error), true);
            for rejected in one {
                rejected.told(FLAGS, &Arc::from(*flag), 0, found);
            }
        }
        self.outputs(cx.memo().names(), found);
        self.path_counts(found);
        self.wants(found);
        self.unreachable(cx, found);
    }

    /// What Terramate complains of in the first directory on the way up in which it complains.
    fn ancestor_errors(&self, experiments: Option<&[Arc<str>]>) -> Option<AncestorErrors> {
        let mut apart = self.model.apart.iter();
        for at in &self.model.loaded.ancestors {
            let (index, dir, found) = match at {
                Ancestor::Known(index) => {
                    let dir = self.tree.dirs.get(*index as usize)?;
                    let (sources, imports) = (&self.model.sources, self.model.imports(*index));
                    let found = load::of_dir(self, sources, dir, imports, experiments);
                    (Some(*index), dir, found)
                }
                Ancestor::Apart(dir) => {
                    let own = apart.next()?;
                    let found = load::of_dir(self, &own.sources, dir, &own.imports, experiments);
                    (None, dir, found)
                }
            };
            let early: Vec<Found> = found.into_iter().filter(Found::ends_search).collect();
            if early.is_empty() {
                continue;
            }
            let mut told = Vec::new();
            for (at, mut one) in (0u32..).zip(early) {
                // In a directory of the project, another finding tells people.
                one.silent |= index.is_some();
                one.told(LOAD, &dir.path, at, &mut told);
            }
            return Some(AncestorErrors {
                dir: index,
                block: Block::new(told),
            });
        }
        None
    }

    fn stack_in(&self, dir: u32) -> Option<(StackIx, &'a Node)> {
        let stack = self.stacks.in_dir(dir)?;
        Some((stack, self.stacks.get(stack)?))
    }

    /// The readable files of the root.
    pub(crate) fn root_files(
        &self,
    ) -> impl Iterator<Item = (&'a ConfigFile, &'a Arc<FileFacts>)> + Clone + use<'a> {
        let (root, sources) = (self.tree.dirs.first(), &self.model.sources);
        root.into_iter().flat_map(|dir| sources.files(dir))
    }

    /// A place in the table of places of a file's facts.
    pub(crate) fn at(&self, file: FileId, at: u32) -> Place {
        Place::anchor(file, self.engine, at)
    }

    pub(crate) fn place(&self, node: &Node, entry: Entry<'_>) -> Place {
        self.at(node.file, entry.at)
    }

    fn header(&self, stack: StackIx) -> Option<Place> {
        let node = self.stacks.get(stack)?;
        Some(self.at(node.file, node.stack()?.header))
    }

    /// Says that Terramate rejects because of an entry that means its own stack.
    fn rejected(&self, stack: StackIx, entry: Entry<'_>, d: Diagnostic) -> Finding {
        let is_reported = self.related.cause.is_some_and(|cause| cause.is(stack, &entry));
        self.of_cycle(is_reported, d)
    }
}
