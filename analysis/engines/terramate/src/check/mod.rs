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
mod listed;
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

use std::cell::RefCell;
use std::sync::Arc;

use self::listed::LISTED;
pub(crate) use self::listed::{OWN, SHARED};
use self::prints::{BlockKey, Prints};
use super::found::{Found, of_load};
use super::judge::{ENVIRONMENT, FLAGS, LOAD, ROOT, RUN, STACKS, VALUES};
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
use applyorder_core::layer::{
    Block, Checked, Environment, Finding, Pass, Unknown, check_project, check_source,
};
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

/// A directory and the stack in it, as checks see them.
struct Directory<'a> {
    scope: Scope<'a>,
    cx: &'a Cx<'a>,
    dir: &'a Dir,
    index: u32,
    experiments: Option<&'a [Arc<str>]>,
    /// The search for the root ends at it.
    is_ancestor: bool,
}

impl Directory<'_> {
    /// What is wrong with its files and with what they say together: all because of which Terramate does not load it.
    fn loading(&self, found: &mut Vec<Finding>) {
        let (scope, dir) = (&self.scope, self.dir);
        let imports = scope.model.imports(self.index);
        let mut loaded = load::of_dir(scope, &scope.model.sources, dir, imports, self.experiments);
        generated::check(self.cx, dir, self.experiments, &mut loaded);
        of_load(loaded, &dir.path, self.is_ancestor, found);
    }

    /// What Terramate checks of its stack once all is loaded.
    fn stack(&self, found: &mut Vec<Finding>) {
        if let Some((stack, node)) = self.scope.stack_in(self.index) {
            for (at, one) in (0u32..).zip(stacks::of_stack(&self.scope, stack, node)) {
                one.told(STACKS, &self.dir.path, at, found);
            }
        }
    }

    /// What there is to say of the entries of its stack.
    fn entries(&self, found: &mut Vec<Finding>) {
        if let Some((stack, node)) = self.scope.stack_in(self.index) {
            for entry in self.scope.entries.of(stack) {
                self.scope.entry(stack, node, entry, found);
            }
        }
    }

    fn root_and_id(&self, found: &mut Vec<Finding>) {
        if let Some((stack, node)) = self.scope.stack_in(self.index) {
            self.scope.root_and_id(stack, node, found);
        }
    }
}

/// A project across its directories, as checks see it.
struct Whole<'a> {
    scope: Scope<'a>,
    cx: &'a Cx<'a>,
    /// Terramate does not load a directory.
    is_rejected: bool,
    /// What the checks could not know.
    unknown: RefCell<Vec<Unknown>>,
}

impl Whole<'_> {
    /// The instances of bundles.
    fn instances(&self, found: &mut Vec<Finding>) {
        let (instances, open) = instances::check(&self.scope, self.cx);
        for (path, one) in instances {
            one.told(LOAD, &path.into(), u32::MAX, found);
        }
        self.note_unknown(None, LOAD, open);
    }

    /// The environment in which `run` starts commands, where it comes to make one.
    fn run_environment(&self, found: &mut Vec<Finding>) {
        let scope = &self.scope;
        if !(scope.related.selection.is_list || scope.model.unknowns.load.is_some() || self.is_rejected) {
            let open = run_env::check(scope, self.cx, found);
            self.note_unknown(Some(RUN), ENVIRONMENT, open);
        }
    }

    /// The flags of the run.
    fn flags(&self, found: &mut Vec<Finding>) {
        let model = self.scope.model;
        let Err((flag, words)) = &*model.flags else { return };
        let file = self.scope.root_files().next().map(|(file, _)| file.file);
        let place = Place::file(file.unwrap_or(model.loaded.root_file));
        let message = format!("invalid `{flag}`: {words}");
        let d = Diagnostic::new(&invalid_value::RULE, place, message).engine_message(words.clone());
        let mut one = Vec::new();
        crate::found::push(&mut one, d.severity(Severity::Error), true);
        for rejected in one {
            rejected.told(FLAGS, &Arc::from(*flag), 0, found);
        }
    }

    fn note_unknown(&self, command: Option<&'static str>, stage: &'static str, because: Option<String>) {
        self.unknown.borrow_mut().extend(because.map(|because| Unknown {
            command,
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
            Some((index, dir)) => Block::new(check_source(
                LISTED,
                &Directory {
                    scope: *self,
                    cx,
                    dir,
                    index: *index,
                    experiments,
                    is_ancestor: ends_at == Some(*index),
                },
            )),
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
        let found = blocks.iter().flat_map(|block| block.findings());
        let mut stages = found.flat_map(|f| {
            let own = f.rejections.iter().map(|r| r.stage);
            own.chain(f.diagnostic.enforced.iter().map(|e| e.stage))
        });
        let whole = Whole {
            scope: *self,
            cx,
            is_rejected: stages.any(|stage| stage == LOAD),
            unknown: RefCell::default(),
        };
        let across = check_project(LISTED, &whole);
        unknown.0.extend(whole.unknown.into_inner());
        if let (Some(ancestor_errors), Some(slot)) = (ancestor_errors, blocks.first_mut()) {
            *slot = Arc::new(ancestor_errors.block);
        }
        blocks.extend(prints.cycles());
        // What follows is short, and made in every pass.
        blocks.push(Arc::new(Block::new(across)));
        blocks.push(Arc::new(Block::new(self.faulty())));
        blocks
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
