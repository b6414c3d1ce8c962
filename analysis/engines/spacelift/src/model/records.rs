//! What a model holds: stacks, ids, what depends on what, and what is wrong.

use std::sync::Arc;

use applyorder_core::diagnostic::Place;

use super::FaultKind;
use crate::judge::stage;

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
    /// It depends on a likely value, or on a name whose slug is unknown.
    pub(crate) is_weak: bool,
    pub(crate) place: Place,
}

/// A value of an argument with its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Given<T> {
    pub(crate) value: T,
    pub(crate) place: Place,
}

/// An output or a variable that the directory of a stack declares.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Declared {
    /// Its name, at the label of its block.
    pub(crate) name: Given<Arc<str>>,
    /// Its `description`, if that is a string.
    pub(crate) description: Option<Arc<str>>,
    /// Whether it is declared sensitive; `None` if that is computed.
    pub(crate) sensitive: Option<bool>,
    /// Whether it has a `default`.
    pub(crate) has_default: bool,
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
    /// The names of the calls that lead to its module, the innermost first.
    pub(crate) calls: Vec<Place>,
}

/// What an id turns out to be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    Stack(StackIx),
    /// The name of a stack, which is not an id.
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
    /// The value; the block's header if it has no value.
    pub(crate) place: Place,
    /// The value as it is written.
    pub(crate) text: Arc<str>,
    /// It depends on what is only likely.
    pub(crate) heuristic: bool,
    /// It is a string that equals the slug of a stack of the project.
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
    /// The resources that it names: Terraform creates them first.
    pub(crate) waits_for: Arc<[Arc<str>]>,
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
    /// The text that was probably meant instead of the written one.
    pub(crate) replacement: Option<String>,
    pub(crate) related: Option<(Place, String)>,
    pub(crate) heuristic: bool,
    /// Whether it applies whatever the values are.
    pub(crate) is_static: bool,
}

/// Where Terraform rejects what is wrong whatever the values are, and what is wrong because of them.
const fn stage_of(is_static: bool) -> &'static str {
    if is_static { stage::CONFIG } else { stage::VALUES }
}

impl Fault {
    /// Where Terraform rejects it.
    pub(crate) const fn stage(&self) -> &'static str {
        stage_of(self.is_static)
    }
}

/// What is wrong with an argument or a block of a resource.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub(crate) resource: Arc<str>,
    /// Its name, after those of the blocks that it is in: `github_enterprise.namespace`.
    pub(crate) name: Arc<str>,
    /// The header of the block, the name or the value.
    pub(crate) place: Place,
    pub(crate) wrong: Wrong,
    /// What was probably meant; for a missing argument a possible value.
    pub(crate) near: Option<String>,
    /// Another version of the provider may accept it, or the value is only likely.
    pub(crate) is_likely: bool,
    /// It applies whatever the values of variables and resources are.
    pub(crate) is_static: bool,
    /// It is of Terraform's own language, and not of the provider's schema.
    pub(crate) is_own: bool,
}

impl Argument {
    /// What Terraform itself finds wrong once it has the values.
    pub(crate) fn of_values(
        resource: impl Into<Arc<str>>,
        name: impl Into<Arc<str>>,
        place: Place,
        wrong: Wrong,
        is_likely: bool,
    ) -> Self {
        Self {
            resource: resource.into(),
            name: name.into(),
            place,
            wrong,
            near: None,
            is_likely,
            is_static: false,
            is_own: true,
        }
    }

    /// Where Terraform rejects it.
    pub(crate) const fn stage(&self) -> &'static str {
        stage_of(self.is_static)
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
    /// It is not allowed together with these.
    Conflict(Vec<String>),
    /// One of these has to be there.
    OneOf(Vec<String>),
    /// It is not a valid name: why, where there is more to say.
    Name(String),
    /// It is not a condition: why.
    Condition(String),
    /// It is the source of a call, and its directory does not exist.
    NoDirectory(String),
    /// It holds a value that is kept secret, or holds none: why that cannot be.
    Secret(String),
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
    NoOverride,
}

/// Something that is unknown.
#[derive(Clone, Debug)]
pub(crate) struct Unresolved {
    /// The address and the argument.
    pub(crate) at: String,
    pub(crate) place: Place,
    pub(crate) why: Arc<str>,
    /// Whether a variable or a plan may determine it.
    pub(crate) is_given: bool,
}
