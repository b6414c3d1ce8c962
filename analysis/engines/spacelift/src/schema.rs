//! What the resources of the Spacelift provider take and give.
//!
//! Source: terraform-provider-spacelift at 8565261, spec section 2.

/// The resources that decide what waits for what, and in which order stacks go.
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

    /// The arguments without which Terraform rejects a block.
    pub(crate) const fn required(self) -> &'static [&'static str] {
        match self {
            Self::Stack => &["name", "repository", "branch"],
            Self::Dependency => &["stack_id", "depends_on_stack_id"],
            Self::Reference => &["stack_dependency_id", "output_name", "input_name"],
            Self::Destructor => &["stack_id"],
            Self::Variable | Self::Other => &[],
        }
    }

    /// All arguments, besides Terraform's own; `None` where they are not looked at.
    pub(crate) const fn arguments(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Stack => Some(STACK_ARGUMENTS),
            Self::Dependency => Some(&["stack_id", "depends_on_stack_id"]),
            Self::Reference => Some(&[
                "stack_dependency_id",
                "output_name",
                "input_name",
                "trigger_always",
            ]),
            Self::Destructor => Some(&["stack_id", "deactivated", "discard_runs", "timeouts"]),
            Self::Variable | Self::Other => None,
        }
    }

    /// Whether later versions of the provider may have more arguments: then only what is nearly one of these is
    /// taken for a mistake.
    pub(crate) const fn is_open(self) -> bool {
        matches!(self, Self::Stack)
    }

    /// What a block gives besides its arguments.
    pub(crate) const fn computed(self) -> &'static [&'static str] {
        match self {
            Self::Stack => &["id", "aws_assume_role_policy_statement"],
            _ => &["id"],
        }
    }
}

/// Terraform's own arguments and blocks in a resource.
pub(crate) const META: &[&str] = &[
    "connection",
    "count",
    "depends_on",
    "dynamic",
    "for_each",
    "lifecycle",
    "provider",
    "provisioner",
];

/// Blocks of `spacelift_stack` that make its runs something else than Terraform's.
pub(crate) const VENDORS: &[&str] = &[
    "ansible",
    "cloudformation",
    "kubernetes",
    "opentofu",
    "pulumi",
    "terragrunt",
];

const STACK_ARGUMENTS: &[&str] = &[
    "additional_project_globs",
    "administrative",
    "after_apply",
    "after_destroy",
    "after_init",
    "after_perform",
    "after_plan",
    "after_run",
    "allow_run_promotion",
    "ansible",
    "autodeploy",
    "autoretry",
    "azure_devops",
    "before_apply",
    "before_destroy",
    "before_init",
    "before_perform",
    "before_plan",
    "bitbucket_cloud",
    "bitbucket_datacenter",
    "branch",
    "cloudformation",
    "description",
    "enable_local_preview",
    "enable_sensitive_outputs_upload",
    "enable_well_known_secret_masking",
    "git_sparse_checkout_paths",
    "github_action_deploy",
    "github_enterprise",
    "gitlab",
    "import_state",
    "import_state_file",
    "kubernetes",
    "labels",
    "manage_state",
    "name",
    "opentofu",
    "project_root",
    "protect_from_deletion",
    "pulumi",
    "raw_git",
    "repository",
    "runner_image",
    "showcase",
    "slug",
    "space_id",
    "spacelift_repo",
    "terraform_external_state_access",
    "terraform_smart_sanitization",
    "terraform_version",
    "terraform_workflow_tool",
    "terraform_workspace",
    "terragrunt",
    "worker_pool_id",
];
