//! The stacks, dependencies, references and destructors of a project, with what is known of each.

mod address;
mod arguments;
mod blueprint;
mod collect;
mod fault;
mod files;
mod fileset;
mod key;
mod known_names;
mod module;
mod names;
mod outputs;
mod overrides;
mod parts;
mod plan;
mod provider;
mod records;
mod scope;
mod slug;
mod statics;
mod validate;
mod world;
mod written_address;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::World as Disk;
use applyorder_core::layer::Pass;
use applyorder_core::memo::{Fingerprint, Mix};
use camino::Utf8PathBuf;
use rustc_hash::FxHashSet;

use crate::inputs::{self, Inputs, ValuesFault, ValuesFaultKind};
use crate::load::Loaded;
use crate::read::TfFacts;
use known_names::Compared;
use module::{Module, Source};
use plan::Plan;
use world::World;

pub(crate) use address::seen_from;
pub(crate) use blueprint::{BLUEPRINT, TEMPLATE};
pub(crate) use fault::FaultKind;
pub(crate) use names::{OUTPUT, TF_VAR, symbols};
pub(crate) use records::{
    Argument, Declared, Dependency, Destructor, End, Fault, Given, Id, Misdeclaration, Misdeclared, NodeKind,
    Of, Reference, Settings, Slug, Stack, StackIx, Unresolved, Variable, Vendor, Wrong,
};
pub(crate) use statics::{StaticNode, Statics, ToItself};

/// See the module.
#[derive(Default)]
pub struct Model {
    pub(crate) stacks: Vec<Stack>,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) references: Vec<Reference>,
    pub(crate) destructors: Vec<Destructor>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) misdeclared: Vec<Misdeclared>,
    pub(crate) unresolved: Vec<Unresolved>,
    /// The resources and calls whose instances are unknown.
    pub(crate) open_instances: Vec<String>,
    /// The place of the first expression that cannot be computed with the known values, and why.
    pub(crate) failed: Option<(Place, String)>,
    /// The place of the first expression that fails once a resource is created, and why.
    pub(crate) failed_apply: Option<(Place, String)>,
    /// The place of what leaves the verdict of `terraform validate` open, and why.
    pub(crate) open: Option<(Place, String)>,
    /// How many ids there are, and how many of them are known.
    pub(crate) ids: (usize, usize),
    /// It is a blueprint, not a configuration.
    pub(crate) is_blueprint: bool,
    /// It is a blueprint inside a configuration.
    pub(crate) is_inside: bool,
    /// Whether it may be a draft, which Spacelift does not check before it is published.
    pub(crate) may_be_draft: bool,
    /// The blueprints inside it.
    pub(crate) inside: Vec<Arc<Model>>,
    pub(crate) statics: Statics,
    /// Sources of calls, and the modules they refer to.
    pub(crate) links: Vec<(Place, usize)>,
    /// The root of the repository.
    pub(crate) repository: Utf8PathBuf,
    /// The outputs of stacks that references name, if what these run is in the repository.
    pub(crate) outputs: BTreeMap<StackIx, Vec<Declared>>,
    /// The variables of stacks that references set, under the same condition.
    pub(crate) inputs: BTreeMap<StackIx, Vec<Declared>>,
    /// What is wrong in files of values.
    pub(crate) values_faults: Vec<ValuesFault>,
    /// What values depend on that the user did not give.
    pub(crate) rests_on: Vec<String>,
    /// The files of modules that are only likely to be read.
    pub(crate) likely_files: FxHashSet<FileId>,
    /// Whether that is certain anyway.
    pub(crate) is_handed_over: bool,
    /// Why not everything was checked.
    pub(crate) limits: Vec<String>,
    /// Why the plan cannot be read.
    pub(crate) bad_plan: Option<String>,
    /// Why the plan is not used, if it is that of another module.
    pub(crate) other_plan: Option<String>,
    /// The texts that functions read.
    read: BTreeSet<Utf8PathBuf>,
    /// Distinguishes this state of the project from others.
    pub(crate) fingerprint: Fingerprint,
}

impl Model {
    /// Whether what a stack runs reads variables from `TF_VAR_*` of its environment.
    pub(crate) fn reads_tf_vars(&self, stack: StackIx) -> bool {
        let settings = self.stacks.get(stack as usize).and_then(|s| s.settings.as_ref());
        settings.is_some_and(|s| s.vendor.reads_tf_vars())
    }

    /// What values depend on that the user did not give, in a few words; `None` if nothing.
    pub(crate) fn rests_on(&self) -> Option<String> {
        const MOST: usize = 3;
        let shown = self.rests_on.get(..MOST.min(self.rests_on.len()))?.join(", ");
        let more = self.rests_on.len().saturating_sub(MOST);
        match (shown.is_empty(), more) {
            (true, _) => None,
            (false, 0) => Some(shown),
            (false, more) => Some(format!("{shown} and {more} more")),
        }
    }
}

/// A model with the files it was made from, as they are now.
pub struct Project {
    pub(crate) made: Arc<Model>,
    pub(crate) files: Vec<(FileId, Arc<TfFacts>)>,
    /// Those of each module, by their numbers.
    modules: Vec<Vec<usize>>,
    pub(crate) loaded: Arc<Loaded>,
}

impl Project {
    /// The blueprints inside it, each as a project.
    pub(crate) fn inside(&self) -> impl Iterator<Item = Self> {
        self.made.inside.iter().map(|made| Self {
            made: made.clone(),
            files: Vec::new(),
            modules: Vec::new(),
            loaded: self.loaded.clone(),
        })
    }
}

impl std::ops::Deref for Project {
    type Target = Model;

    fn deref(&self) -> &Model {
        &self.made
    }
}

/// The files of a project by what matters of them.
#[derive(Clone, PartialEq, Eq, Hash)]
struct FilesKey(Disk, Fingerprint);

/// The same with the texts that functions read.
#[derive(PartialEq, Eq, Hash)]
struct ModelKey(Fingerprint);

/// The texts that were read when the files were last seen as they are.
#[derive(Default)]
struct ReadBefore(Mutex<Option<BTreeSet<Utf8PathBuf>>>);

pub(crate) fn model(pass: &Pass<'_>, loaded: &Arc<Loaded>) -> Project {
    let cx = pass.cx;
    let mut mix = Mix::default();
    let mut sources = Vec::new();
    let mut numbers: Vec<Vec<usize>> = Vec::new();
    for module in &loaded.modules {
        let mut own = Vec::new();
        for file in &module.files {
            if let Ok(read) = cx.read::<TfFacts>(file.file) {
                mix.add(&(file.file, read.facts.signature(), read.facts.problems.len()));
                own.push(sources.len());
                sources.push(Source {
                    id: file.file,
                    facts: read.facts,
                });
            }
        }
        // The list of installed modules may resolve calls to other modules among the same files.
        mix.add(&(&module.calls, &module.computed, module.is_likely));
        numbers.push(own);
    }
    if let Some((source, flavor)) = sources.first().and_then(|s| Some((s, s.facts.blueprint?))) {
        let key = mix.finish();
        let text = source.facts.text.clone().unwrap_or_default();
        let made = cx
            .memo()
            .get(ModelKey(key), || blueprint::read(&text, source.id, flavor, key));
        return Project {
            made,
            files: sources.into_iter().map(|s| (s.id, s.facts)).collect(),
            modules: numbers,
            loaded: loaded.clone(),
        };
    }
    for path in inputs::files(pass, &loaded.automatic) {
        let read = cx.facts::<TfFacts>(&path).ok();
        mix.add(&read.as_ref().map(|r| (r.facts.signature(), &r.facts.problems)));
    }
    if let Some(path) = provider::lock_file(loaded) {
        let read = cx.facts::<TfFacts>(&path).ok();
        mix.add(&read.map(|r| r.facts.signature()));
    }
    let plan_text = pass.options.state.as_ref().map(|path| cx.facts::<TfFacts>(path));
    if let Some(Ok(read)) = &plan_text {
        mix.add(&read.facts.signature());
    }
    let files = FilesKey(cx.world(), mix.finish());
    let before = cx
        .memo()
        .get::<FilesKey, ReadBefore>(files.clone(), ReadBefore::default);
    let known = before.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let key = |read: &BTreeSet<Utf8PathBuf>| {
        let mut mix = Mix::default();
        mix.add(&files);
        for path in read {
            let text = cx.facts::<TfFacts>(path).ok().map(|r| r.facts.signature());
            mix.add(&(path.as_str(), text));
        }
        mix.finish()
    };
    let make = || {
        let plan = match &plan_text {
            None => Ok(None),
            Some(Ok(read)) => Plan::read(read.facts.text.as_deref().unwrap_or("")).map(Some),
            Some(Err(error)) => Err(plan::not_shown(&error.to_string())),
        };
        make(pass, loaded, &sources, &numbers, plan)
    };
    let made: Arc<Model> = match known.as_ref().and_then(|read| {
        let table = cx.memo().table::<ModelKey, Model>();
        table.find(&ModelKey(key(read)))
    }) {
        Some(found) => found,
        None => {
            let model = make();
            let fingerprint = key(&model.read);
            *before.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(model.read.clone());
            cx.memo()
                .get(ModelKey(fingerprint), || Model { fingerprint, ..model })
        }
    };
    Project {
        made,
        files: sources.into_iter().map(|s| (s.id, s.facts)).collect(),
        modules: numbers,
        loaded: loaded.clone(),
    }
}

fn make(
    pass: &Pass<'_>,
    loaded: &Loaded,
    sources: &[Source],
    numbers: &[Vec<usize>],
    plan: Result<Option<Plan>, String>,
) -> Model {
    let is_tofu = loaded.is_tofu();
    let modules: Vec<Module<'_>> = loaded
        .modules
        .iter()
        .zip(numbers)
        .map(|(own, files)| Module::new(sources, own, files, is_tofu))
        .collect();
    let (plan, bad_plan) = match plan {
        Ok(plan) => (plan, None),
        Err(why) => (None, Some(why)),
    };
    let is_own = |plan: &Plan| modules.first().is_none_or(|root| plan.is_of(root));
    let (plan, other_plan) = match plan {
        Some(plan) if !is_own(&plan) => (None, Some(plan.of_another())),
        plan => (plan, None),
    };
    let of_root = numbers.first().into_iter().flatten();
    let of_root: Vec<Arc<TfFacts>> = of_root
        .filter_map(|number| sources.get(*number))
        .map(|source| source.facts.clone())
        .collect();
    let mut inputs = Inputs::read(pass, &loaded.automatic, &of_root);
    let declares = |name: &str| {
        modules
            .first()
            .is_none_or(|m| m.has_gap || m.variables.contains_key(name))
    };
    inputs.add_rejected(declares);
    if let Some(module) = modules.first() {
        inputs.faults.extend(undeclared(pass, module, sources));
    }
    let root = &pass.seed.root;
    let world = World::new(pass.cx, root, sources, loaded, modules, inputs, plan);
    let mut model = collect::collect(&world);
    outputs::find(&world, &mut model);
    model.inside = blueprint::inside(&world);
    model.bad_plan = bad_plan;
    model.other_plan = other_plan;
    model
}

/// The values of the command line for variables that the root does not declare. Terraform ignores such values of files
/// and of the environment. They have no place of their own, and are reported at the file of the root's variables.
///
/// Source: `backendrun.ParseVariableValues` of Terraform 1.11.
fn undeclared(pass: &Pass<'_>, root: &Module<'_>, sources: &[Source]) -> Vec<ValuesFault> {
    let variables = root.variables.values().map(|decl| decl.file);
    let file = variables.min().or_else(|| root.files.first().copied());
    let Some(source) = file.and_then(|file| sources.get(file)).filter(|_| !root.has_gap) else {
        return Vec::new();
    };
    let compared = Compared::default();
    let given = crate::invocation::vars(pass.options).map(|(name, _)| name);
    let undeclared = given.filter(|name| !root.variables.contains_key(name));
    let fault = |name: &str| {
        let near = compared.nearest(name, root.known_variables()).map(str::to_owned);
        ValuesFault {
            place: Place::file(source.id),
            what: ValuesFaultKind::Undeclared(name.to_owned(), near),
            is_likely: false,
        }
    };
    undeclared.map(fault).collect()
}
