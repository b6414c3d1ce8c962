//! What the blocks of Terraform's own language take.
//!
//! Source: Terraform 1.11; what OpenTofu 1.10 and later versions of both accept in addition is accepted here too.

use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_core::rules::nearest;
use applyorder_syntax::hcl::Block;
use applyorder_syntax::text::Span;

use super::super::{Argument, Wrong};

/// What a block takes.
pub(super) struct Takes {
    /// Its arguments, and whether each is required; `None` if it accepts any.
    arguments: Option<&'static [(&'static str, bool)]>,
    /// Its blocks; `None` if it accepts any.
    blocks: Option<&'static [(&'static str, &'static Takes)]>,
    /// Those that Terraform 1.11 does not accept yet, but a later version or OpenTofu does.
    later: &'static [&'static str],
}

const fn takes(
    arguments: &'static [(&'static str, bool)],
    blocks: &'static [(&'static str, &'static Takes)],
) -> Takes {
    Takes {
        arguments: Some(arguments),
        blocks: Some(blocks),
        later: &[],
    }
}

impl Takes {
    const fn later(mut self, later: &'static [&'static str]) -> Self {
        self.later = later;
        self
    }
}

static ANY: Takes = Takes {
    arguments: None,
    blocks: None,
    later: &[],
};

static CONDITION: Takes = takes(&[("condition", true), ("error_message", true)], &[]);

pub(super) static VARIABLE: Takes = takes(
    &[
        ("type", false),
        ("default", false),
        ("description", false),
        ("sensitive", false),
        ("nullable", false),
        ("ephemeral", false),
        ("deprecated", false),
        ("const", false),
    ],
    &[("validation", &CONDITION)],
)
.later(&["deprecated", "const"]);

pub(super) static OUTPUT: Takes = takes(
    &[
        ("value", true),
        ("description", false),
        ("sensitive", false),
        ("ephemeral", false),
        ("deprecated", false),
        ("depends_on", false),
        ("type", false),
    ],
    &[("precondition", &CONDITION)],
)
.later(&["deprecated", "type"]);

/// A call also accepts the variables of the called module, and in OpenTofu `lifecycle`.
pub(super) static CALL: Takes = Takes {
    arguments: None,
    blocks: Some(&[("lifecycle", &ANY)]),
    later: &["lifecycle", "ignore_nested_deprecations"],
};

pub(super) static LIFECYCLE: Takes = takes(
    &[
        ("create_before_destroy", false),
        ("prevent_destroy", false),
        ("ignore_changes", false),
        ("replace_triggered_by", false),
        ("enabled", false),
        ("destroy", false),
    ],
    &[
        ("precondition", &CONDITION),
        ("postcondition", &CONDITION),
        ("action_trigger", &ANY),
    ],
)
.later(&["enabled", "destroy", "action_trigger"]);

pub(super) static DATA_LIFECYCLE: Takes = takes(
    // OpenTofu's.
    &[("enabled", false)],
    &[("precondition", &CONDITION), ("postcondition", &CONDITION)],
)
.later(&["enabled"]);

pub(super) static CHECK: Takes = takes(&[], &[("assert", &CONDITION), ("data", &ANY)]);

pub(super) static MOVED: Takes = takes(&[("from", true), ("to", true)], &[]);

pub(super) static IMPORT: Takes = takes(
    &[
        // What has to be there depends on the version.
        ("to", false),
        ("id", false),
        ("identity", false),
        ("for_each", false),
        ("provider", false),
    ],
    &[],
)
.later(&["identity"]);

pub(super) static REMOVED: Takes = takes(
    &[("from", true)],
    &[
        ("lifecycle", &REMOVED_LIFECYCLE),
        ("provisioner", &ANY),
        ("connection", &ANY),
    ],
);

static REMOVED_LIFECYCLE: Takes = takes(&[("destroy", false)], &[]);

/// OpenTofu's, of 1.10 and of later versions.
static ENCRYPTION: Takes = takes(
    &[],
    &[
        ("key_provider", &ANY),
        ("method", &ANY),
        ("state", &ANY),
        ("plan", &ANY),
        ("remote_state_data_sources", &ANY),
    ],
);

pub(super) static TERRAFORM: Takes = takes(
    &[
        ("required_version", false),
        ("experiments", false),
        ("language", false),
    ],
    &[
        ("required_providers", &ANY),
        ("backend", &ANY),
        ("cloud", &ANY),
        ("provider_meta", &ANY),
        ("encryption", &ENCRYPTION),
        ("state_store", &ANY),
    ],
)
.later(&["encryption", "state_store"]);

/// The data source that Terraform has without a provider.
pub(super) const REMOTE: &str = "terraform_remote_state";

/// What it takes.
pub(super) static REMOTE_STATE: Takes = takes(
    &[
        ("backend", true),
        ("config", false),
        ("workspace", false),
        ("defaults", false),
        ("outputs", false),
        ("count", false),
        ("for_each", false),
        ("depends_on", false),
        ("provider", false),
    ],
    &[("lifecycle", &ANY), ("_", &ANY)],
);

/// The attributes that it has.
pub(super) const OF_REMOTE: &[&str] = &["backend", "config", "defaults", "outputs", "workspace"];

/// The blocks at the top of a file.
static TOP: &[&str] = &[
    "action",
    "check",
    "data",
    "ephemeral",
    "import",
    "language",
    "list",
    "locals",
    "module",
    "moved",
    "output",
    "provider",
    "removed",
    "resource",
    "terraform",
    "variable",
];

/// Whether a file may have a block of a sort at its top.
pub(super) fn is_top(word: &str) -> bool {
    TOP.contains(&word)
}

/// Whether Terraform 1.11 does not take such a block yet, but a later version or OpenTofu.
pub(super) fn is_later_top(word: &str) -> bool {
    matches!(word, "action" | "language" | "list")
}

/// The sort of block that may have been meant.
pub(super) fn near_top(word: &str) -> Option<&'static str> {
    nearest(word, TOP.iter().copied())
}

/// What OpenTofu 1.10 takes of what Terraform 1.11 does not take yet.
pub(super) const OPENTOFU: &[&str] = &["deprecated", "encryption"];

/// How many labels a block in another one has; `None` if that is checked elsewhere, or not known.
fn labels(word: &str) -> Option<usize> {
    match word {
        "data" | "provisioner" | "state_store" | "action_trigger" => None,
        "key_provider" | "method" => Some(2),
        "backend" | "provider_meta" => Some(1),
        _ => Some(0),
    }
}

/// A block that is checked.
pub(super) struct Looked<'t> {
    /// What its arguments are reported to belong to.
    pub(super) subject: Arc<str>,
    /// What precedes their names.
    pub(super) path: String,
    pub(super) header: Place,
    pub(super) arguments: Vec<(&'t str, Place)>,
    pub(super) blocks: Vec<(Block<'t>, usize, Place)>,
}

impl Takes {
    /// Whether Terraform 1.11 does not take something yet, but a later version or OpenTofu.
    pub(super) fn is_later(&self, word: &str) -> bool {
        self.later.contains(&word)
    }

    /// Whether a block that has no other in it takes these arguments, and needs no others.
    pub(super) fn takes_all(&self, names: &[&str]) -> bool {
        self.arguments.is_none_or(|known| {
            names
                .iter()
                .all(|name| known.iter().any(|(known, _)| known == name))
                && known
                    .iter()
                    .all(|(name, is_needed)| !is_needed || names.contains(name))
        })
    }

    /// What a block has that it does not take, and lacks that it needs, as far down as it is known.
    pub(super) fn check(
        &'static self,
        looked: Looked<'_>,
        place: &dyn Fn(usize, Span) -> Place,
        found: &mut Vec<Argument>,
    ) {
        let mut open = vec![(self, looked)];
        while let Some((takes, looked)) = open.pop() {
            let mut tell = |name: &str, at: Place, wrong: Wrong, near: Option<&str>| {
                found.push(Argument {
                    resource: looked.subject.clone(),
                    name: format!("{}{name}", looked.path).into(),
                    place: at,
                    wrong,
                    near: near.map(str::to_owned),
                    is_likely: false,
                    is_static: true,
                    is_own: true,
                });
            };
            if let Some(known) = takes.arguments {
                for (name, at) in &looked.arguments {
                    if !known.iter().any(|(known, _)| known == name) {
                        let near = nearest(name, known.iter().map(|(known, _)| *known));
                        tell(name, *at, Wrong::Unknown, near);
                    }
                }
                for (name, _) in known.iter().filter(|(_, is_needed)| *is_needed) {
                    if !looked.arguments.iter().any(|(given, _)| given == name) {
                        tell(name, looked.header, Wrong::Missing, None);
                    }
                }
            }
            let Some(known) = takes.blocks else { continue };
            for (block, file, at) in &looked.blocks {
                let Some((word, inner)) = known.iter().find(|(word, _)| *word == block.kind()) else {
                    let near = nearest(block.kind(), known.iter().map(|(known, _)| *known));
                    tell(block.kind(), *at, Wrong::UnknownBlock, near);
                    continue;
                };
                if let Some(wanted) = labels(word).filter(|wanted| *wanted != block.labels().count()) {
                    tell(word, *at, Wrong::Labels(wanted), None);
                }
                let attributes = block.body().attributes();
                let inside = Looked {
                    subject: looked.subject.clone(),
                    path: format!("{}{word}.", looked.path),
                    header: *at,
                    arguments: attributes
                        .map(|a| (a.name(), place(*file, a.name_span())))
                        .collect(),
                    blocks: block
                        .body()
                        .blocks()
                        .map(|b| (b, *file, place(*file, b.header_span())))
                        .collect(),
                };
                open.push((inner, inside));
            }
        }
    }
}
