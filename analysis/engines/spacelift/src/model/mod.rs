//! The stacks, dependencies, references and destructors of a project, with what is known of each.

mod address;
mod arguments;
mod blueprint;
mod collect;
mod fault;
mod files;
mod inputs;
mod key;
mod module;
mod names;
mod outputs;
mod plan;
mod provider;
mod scope;
mod slug;
mod statics;
mod types;
mod validate;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Symbol, World as Disk};
use applyorder_core::layer::Pass;
use applyorder_core::memo::{Fingerprint, Mix};
use camino::Utf8PathBuf;

use crate::judge::stage;
use crate::load::Loaded;
use crate::read::TfFacts;
use module::{Module, Source};
use plan::Plan;
use world::World;

pub(crate) use address::seen_from;
pub(crate) use blueprint::{BLUEPRINT, TEMPLATE};
pub(crate) use fault::FaultKind;
pub(crate) use statics::{StaticNode, Statics, ToItself};

/// Index of a stack in [`Model::stacks`].
pub(crate) type StackIx = u32;

/// How it is known that there is a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    /// An instance of a `spacelift_stack` here.
    Managed,
    /// One that is named, of a resource whose instances is unknown.
    Symbolic,
    /// One that is looked up, or named by its slug.
    External,
}

/// What runs a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vendor {
    Terraform,
    OpenTofu,
    Terragrunt,
    Ansible,
    Kubernetes,
    Pulumi,
    CloudFormation,
    /// A dynamic block decides.
    Unknown,
}

impl Vendor {
    /// Whether its inputs are variables of Terraform's language.
    pub(crate) const fn reads_tf_vars(self) -> bool {
        matches!(self, Self::Terraform | Self::OpenTofu | Self::Terragrunt)
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Terraform => "Terraform",
            Self::OpenTofu => "OpenTofu",
            Self::Terragrunt => "Terragrunt",
            Self::Ansible => "Ansible",
            Self::Kubernetes => "Kubernetes",
            Self::Pulumi => "Pulumi",
            Self::CloudFormation => "CloudFormation",
            Self::Unknown => "unknown",
        }
    }
}

/// The slug of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slug {
    pub(crate) text: Arc<str>,
    /// It is written, and not made of the name.
    pub(crate) is_written: bool,
    /// It hangs on a likely value, or on a name whose slug nobody knows.
    pub(crate) is_weak: bool,
    pub(crate) place: Place,
}

/// A value of an argument with where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Given<T> {
    pub(crate) value: T,
    pub(crate) place: Place,
}

/// What a `spacelift_stack` says of itself.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) provider: Arc<str>,
    pub(crate) slug: Option<Slug>,
    pub(crate) vendor: Vendor,
    pub(crate) vendor_place: Option<Place>,
    pub(crate) protect: Option<Given<bool>>,
    /// `None`: it is unknown.
    pub(crate) autodeploy: Option<bool>,
    pub(crate) sensitive_upload: Option<Given<bool>>,
    pub(crate) labels: Vec<Given<Arc<str>>>,
    pub(crate) project_root: Option<Arc<str>>,
}

/// A stack.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    pub(crate) address: Arc<str>,
    /// The address without keys.
    pub(crate) resource: Arc<str>,
    pub(crate) kind: NodeKind,
    pub(crate) header: Place,
    pub(crate) name_place: Option<Place>,
    /// It is only likely that there is this instance.
    pub(crate) heuristic: bool,
    pub(crate) settings: Option<Settings>,
}

/// What an id turns out to be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    Stack(StackIx),
    /// The name of a stack, which is no id.
    Name,
    /// Something that is unknown.
    Unknown(Arc<str>),
    /// What Terraform rejects; another finding says so.
    Wrong,
}

/// An argument that is an id.
#[derive(Clone, Debug)]
pub(crate) struct Id {
    pub(crate) end: End,
    /// The value; the block's header where there is none.
    pub(crate) place: Place,
    /// The value as it is written.
    pub(crate) text: Arc<str>,
    /// It rests on what is only likely.
    pub(crate) heuristic: bool,
    /// It is a text that equals the slug of a stack here.
    pub(crate) is_literal: bool,
}

impl Id {
    pub(crate) const fn stack(&self) -> Option<StackIx> {
        match self.end {
            End::Stack(stack) => Some(stack),
            _ => None,
        }
    }
}

/// An instance of `spacelift_stack_dependency`.
#[derive(Clone, Debug)]
pub(crate) struct Dependency {
    pub(crate) address: Arc<str>,
    pub(crate) resource: Arc<str>,
    /// The field that names the upstream stack.
    pub(crate) attribute: &'static str,
    pub(crate) header: Place,
    /// The block as a whole.
    pub(crate) whole: Place,
    /// Whether its block makes no other dependency, in whatever module instance.
    pub(crate) is_alone: bool,
    pub(crate) stack: Id,
    pub(crate) upstream: Id,
    /// It is only likely that there is this instance.
    pub(crate) heuristic: bool,
    /// The resources that `depends_on` names.
    pub(crate) depends_on: Arc<[Arc<str>]>,
}

impl Dependency {
    /// The stack that waits and the one it waits for.
    pub(crate) fn edge(&self) -> Option<(StackIx, StackIx)> {
        Some((self.stack.stack()?, self.upstream.stack()?))
    }

    pub(crate) const fn is_heuristic(&self) -> bool {
        self.heuristic || self.stack.heuristic || self.upstream.heuristic
    }
}

/// What `stack_dependency_id` turns out to be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Of {
    /// Index in [`Model::dependencies`].
    Dependency(u32),
    /// The id of a stack.
    Stack(StackIx),
    /// A text without `/`.
    Text(Arc<str>),
    Unknown(Arc<str>),
    Wrong,
}

/// An instance of `spacelift_stack_dependency_reference`.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub(crate) address: Arc<str>,
    pub(crate) resource: Arc<str>,
    pub(crate) header: Place,
    /// The block as a whole.
    pub(crate) whole: Place,
    pub(crate) of: Of,
    pub(crate) of_place: Place,
    pub(crate) output: Option<Given<Arc<str>>>,
    pub(crate) input: Option<Given<Arc<str>>>,
    /// `None`: it is unknown.
    pub(crate) trigger_always: Option<bool>,
    pub(crate) heuristic: bool,
}

/// An instance of `spacelift_stack_destructor`.
#[derive(Clone, Debug)]
pub(crate) struct Destructor {
    pub(crate) address: Arc<str>,
    pub(crate) resource: Arc<str>,
    pub(crate) header: Place,
    pub(crate) stack: Option<StackIx>,
    /// `None`: it is unknown.
    pub(crate) deactivated: Option<bool>,
    /// The list of `depends_on`, where there is one.
    pub(crate) depends_on: Option<Place>,
    /// The resources that it names.
    pub(crate) waits_for: Arc<[Arc<str>]>,
    /// The name of its `stack_id`.
    pub(crate) argument: Option<Place>,
    pub(crate) heuristic: bool,
}

/// A variable of a stack's environment.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) address: Arc<str>,
    pub(crate) stack: StackIx,
    pub(crate) name: Given<Arc<str>>,
}

/// What Terraform rejects in an expression.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    pub(crate) subject: String,
    pub(crate) place: Place,
    pub(crate) at: Arc<str>,
    pub(crate) static_at: Arc<str>,
    /// The text that may have been meant in place of what is written.
    pub(crate) cure: Option<String>,
    pub(crate) related: Option<(Place, String)>,
    pub(crate) heuristic: bool,
}

/// What is wrong with an argument or a block of a resource.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub(crate) resource: Arc<str>,
    /// Its name, behind those of the blocks that it is in: `github_enterprise.namespace`.
    pub(crate) name: Arc<str>,
    /// The header of the block, the name or the value.
    pub(crate) place: Place,
    pub(crate) wrong: Wrong,
    /// What may have been meant.
    pub(crate) near: Option<String>,
    /// Another version of the provider may take it, or the value is only likely.
    pub(crate) is_likely: bool,
    /// It is so whatever variables and resources say.
    pub(crate) is_static: bool,
    /// It is of Terraform's own language, and not of the provider's schema.
    pub(crate) is_own: bool,
}

impl Argument {
    /// Where Terraform rejects it.
    pub(crate) const fn stage(&self) -> &'static str {
        if self.is_static {
            stage::CONFIG
        } else {
            stage::VALUES
        }
    }
}

/// See [`Argument`].
#[derive(Clone, Debug)]
pub(crate) enum Wrong {
    /// It has to be there.
    Missing,
    /// No argument has this name.
    Unknown,
    /// No resource or data source is of this type.
    UnknownType,
    /// No block has this name.
    UnknownBlock,
    /// It is there already, at this place.
    Again(Place),
    /// It is computed, and may not be.
    Computed,
    /// It is an argument, and should be a block.
    Block,
    /// It is a block, and should be an argument.
    NoBlock,
    /// There are more of these blocks than this.
    TooMany(usize),
    /// The provider alone gives it; whether it is the `id` of a resource.
    ReadOnly { is_id: bool },
    /// Its value has another type.
    Type(String),
    /// It is an empty text.
    Empty,
    /// It cannot be there beside these.
    Conflict(Vec<String>),
    /// One of these has to be there.
    OneOf(Vec<String>),
    /// It is no name that may be given: why, where there is more to say.
    Name(String),
    /// It is no condition: why.
    Condition(String),
    /// It has more or fewer labels than this.
    Labels(usize),
    /// These have to be there as well, or any of these.
    Needs { names: Vec<String>, any: bool },
}

/// What is declared as it may not be.
#[derive(Clone, Debug)]
pub(crate) struct Misdeclared {
    pub(crate) subject: Arc<str>,
    pub(crate) word: &'static str,
    pub(crate) place: Place,
    pub(crate) why: Misdeclaration,
}

/// See [`Misdeclared`].
#[derive(Clone, Debug)]
pub(crate) enum Misdeclaration {
    Again(Place),
    NoBase,
    DependsOn,
}

/// Something that is unknown.
#[derive(Clone, Debug)]
pub(crate) struct Unresolved {
    /// The address and the argument.
    pub(crate) at: String,
    pub(crate) place: Place,
    pub(crate) why: Arc<str>,
}

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
    /// The resources and calls of which it is unknown which instances they have.
    pub(crate) open_instances: Vec<String>,
    /// Where the first expression is that cannot be computed with the values that are known, and why.
    pub(crate) failed: Option<(Place, String)>,
    /// Where something is that leaves the verdict of `terraform validate` open, and why.
    pub(crate) open: Option<(Place, String)>,
    /// How many ids there are, and how many of them are known.
    pub(crate) ids: (usize, usize),
    /// It is a blueprint, and no configuration.
    pub(crate) is_blueprint: bool,
    pub(crate) statics: Statics,
    pub(crate) symbols: Arc<[Symbol]>,
    /// Sources of calls, and the modules they mean.
    pub(crate) links: Vec<(Place, usize)>,
    /// The top of the repository.
    pub(crate) repository: Utf8PathBuf,
    /// The outputs of stacks that references name, where what they run is in the repository.
    pub(crate) outputs: BTreeMap<StackIx, Vec<Given<Arc<str>>>>,
    /// The variables of stacks that references give to, likewise.
    pub(crate) inputs: BTreeMap<StackIx, Vec<Given<Arc<str>>>>,
    /// What values rest on that the user did not give.
    pub(crate) rests_on: Vec<String>,
    /// Whether that is certain all the same.
    pub(crate) is_handed_over: bool,
    /// Why not all was looked at.
    pub(crate) limits: Vec<String>,
    /// Why the plan can't be read.
    pub(crate) bad_plan: Option<String>,
    /// The texts that functions read.
    read: BTreeSet<Utf8PathBuf>,
    /// Tells this state of the project from others.
    pub(crate) fingerprint: Fingerprint,
}

impl Model {
    /// What values rest on that the user did not give, in a few words; nothing where there are none.
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
    pub(crate) loaded: Arc<Loaded>,
}

impl std::ops::Deref for Project {
    type Target = Model;

    fn deref(&self) -> &Model {
        &self.made
    }
}

/// The files of a project by what counts of them.
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
            loaded: loaded.clone(),
        };
    }
    for path in inputs::files(pass, loaded)
        .into_iter()
        .chain(provider::lock_file(loaded))
    {
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
            Some(Err(error)) => Err(error.to_string()),
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
    let modules: Vec<Module<'_>> = loaded
        .modules
        .iter()
        .zip(numbers)
        .map(|(loaded, files)| Module::new(sources, loaded, files))
        .collect();
    let (plan, bad_plan) = match plan {
        Ok(plan) => (plan, None),
        Err(why) => (None, Some(why)),
    };
    let inputs = inputs::Inputs::read(pass, loaded);
    let root = &pass.seed.root;
    let world = World::new(pass.cx, root, sources, loaded, modules, inputs, plan);
    let mut model = collect::collect(&world);
    outputs::find(&world, &mut model);
    model.bad_plan = bad_plan;
    model
}
