//! The schema of the Spacelift provider's resources.
//!
//! Source: terraform-provider-spacelift at 8565261, spec section 2.

mod provider;

pub(crate) use provider::{Attribute, Block, Need, VERSION, schema, types};

/// The resources that decide what waits for what, and the order in which stacks are deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// `spacelift_stack`.
    Stack,
    /// `spacelift_stack_dependency`.
    Dependency,
    /// `spacelift_stack_dependency_reference`.
    Reference,
    /// `spacelift_stack_destructor`.
    Destructor,
    /// `spacelift_environment_variable`.
    Variable,
    /// Any other type.
    Other,
}

/// `spacelift_stack`, as a resource and as a data source.
pub(crate) const STACK: &str = "spacelift_stack";

impl Kind {
    pub(crate) fn of(ty: &str) -> Self {
        match ty {
            STACK => Self::Stack,
            "spacelift_stack_dependency" => Self::Dependency,
            "spacelift_stack_dependency_reference" => Self::Reference,
            "spacelift_stack_destructor" => Self::Destructor,
            "spacelift_environment_variable" => Self::Variable,
            _ => Self::Other,
        }
    }
}

/// The prefix of the types of Terraform's built-in provider.
pub(crate) const BUILTIN: &str = "terraform_";

/// The resource of the built-in provider.
pub(crate) const DATA: &str = "terraform_data";

/// The built-in provider's only type of resources, or of data sources. It has no ephemeral resources.
///
/// Source: Terraform 1.11 and OpenTofu 1.10, the provider `terraform.io/builtin/terraform`.
pub(crate) const fn builtin(is_data: bool) -> &'static str {
    match is_data {
        true => "terraform_remote_state",
        false => DATA,
    }
}

/// The attributes of [`DATA`].
pub(crate) const OF_DATA: &[&str] = &["id", "input", "output", "triggers_replace"];

/// Terraform's own arguments in a resource.
pub(crate) const META: &[&str] = &["count", "depends_on", "for_each", "provider"];

/// Terraform's own blocks in a resource; `_` contains the provider's arguments whose names are also Terraform's.
pub(crate) const META_BLOCKS: &[&str] = &["_", "connection", "lifecycle", "provisioner"];

/// Blocks of `spacelift_stack` that make it run another tool than Terraform.
pub(crate) const VENDORS: &[&str] = &[
    "ansible",
    "cloudformation",
    "kubernetes",
    "opentofu",
    "pulumi",
    "terragrunt",
];
