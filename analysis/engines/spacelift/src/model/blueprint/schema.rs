//! Which fields the parts of a blueprint or template have.
//!
//! Source: the schemas in Spacelift's documentation at 6e9746f. They say themselves that they may change.

use crate::read::blueprint::Flavor;

/// The fields of a mapping.
pub(super) struct Fields {
    pub(super) known: Vec<&'static str>,
    pub(super) required: Vec<&'static str>,
    /// What is certainly not among them.
    pub(super) refused: Vec<&'static str>,
    /// Whether a later schema may know more.
    pub(super) may_grow: bool,
}

/// What both have in each stack.
const STACK: [&str; 15] = [
    "key",
    "name",
    "description",
    "labels",
    "administrative",
    "runner_image",
    "secret_masking_enabled",
    "worker_pool",
    "attachments",
    "environment",
    "hooks",
    "schedules",
    "vcs",
    "vendor",
    "depends_on",
];

/// The additional fields of a blueprint.
const OF_BLUEPRINTS: [&str; 8] = [
    "space",
    "options",
    "allow_promotion",
    "auto_deploy",
    "auto_retry",
    "is_disabled",
    "local_preview_enabled",
    "protect_from_deletion",
];

/// The additional fields of a template.
const OF_TEMPLATES: [&str; 2] = ["autodeploy", "autoretry"];

/// What a name of a field of one is for the other.
const RENAMED: [(&str, &str); 2] = [("auto_deploy", "autodeploy"), ("auto_retry", "autoretry")];

/// Most stacks of a blueprint.
pub(super) const MOST_STACKS: usize = 5;

/// Most stacks of a template: the documentation says so, the schema does not.
pub(super) const MOST_STACKS_OF_TEMPLATE: usize = 10;

/// The text as a whole.
pub(super) fn root(flavor: Flavor) -> Fields {
    let mut known = vec!["inputs", "maps", "stacks"];
    if flavor != Flavor::Template {
        known.extend(["options", "stack"]);
    }
    Fields {
        known,
        required: Vec::new(),
        refused: Vec::new(),
        may_grow: true,
    }
}

/// A stack.
pub(super) fn stack(flavor: Flavor) -> Fields {
    let mut known = STACK.to_vec();
    let mut required = vec!["key", "name", "vcs", "vendor"];
    let mut refused = Vec::new();
    if flavor != Flavor::Template {
        known.extend(OF_BLUEPRINTS);
    }
    if flavor != Flavor::Blueprint {
        known.extend(OF_TEMPLATES);
    }
    match flavor {
        Flavor::Blueprint => required.push("space"),
        Flavor::Template => refused.push("space"),
        Flavor::Either => {}
    }
    Fields {
        known,
        required,
        refused,
        may_grow: true,
    }
}

/// `environment` of a stack.
pub(super) fn environment() -> Fields {
    Fields {
        known: vec!["mounted_files", "variables", "stack_dependency_references"],
        required: Vec::new(),
        refused: Vec::new(),
        may_grow: true,
    }
}

/// An entry of `stack_dependency_references`.
pub(super) fn reference() -> Fields {
    Fields {
        known: vec!["name", "from_stack", "output", "trigger_always"],
        required: vec!["name", "from_stack", "output"],
        refused: Vec::new(),
        may_grow: false,
    }
}

/// How the other of both spells a field.
pub(super) fn renamed(name: &str) -> Option<&'static str> {
    let both = RENAMED.iter().find(|(a, b)| *a == name || *b == name);
    both.map(|(a, b)| if *a == name { *b } else { *a })
}
