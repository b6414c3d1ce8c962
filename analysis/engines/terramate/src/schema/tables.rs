//! The tables of [`super`]: one per block.

/// The required type of an attribute. Only attributes that Terramate evaluates while it loads have a type here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ty {
    /// Not checked.
    Any,
    Text,
    Bool,
    /// One of these strings.
    TextOf(&'static [&'static str]),
    /// `"on"`, `"off"` or a boolean.
    Switch,
    /// Anything but a null string: Terramate reports nothing else.
    NotNull,
    /// A list of strings, or null.
    Set,
    /// A list of some of these strings, or null.
    SetOf(&'static [&'static str]),
    /// A list of strings that is not empty.
    Paths,
    /// One of these words, without quotes.
    Keyword(&'static [&'static str]),
}

/// The labels of a nested block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Labels {
    /// Not checked.
    Free,
    /// No labels; Terramate's message, with `{}` for the label, and whether it reports them already while it
    /// searches for the root of the project.
    None(&'static str, bool),
}

/// The contents of a block.
pub(super) struct Inside {
    /// `None`: anything.
    pub(super) attributes: Option<&'static [(&'static str, Ty)]>,
    pub(super) blocks: Option<&'static [(&'static str, &'static Inside)]>,
    /// Terramate's message for an unknown attribute, with `{}` for its name and `{known}` for the known ones,
    /// and for a block.
    pub(super) words: (&'static str, &'static str),
    /// The blocks that are allowed once.
    pub(super) once: &'static [&'static str],
    /// The required attributes, each with Terramate's message if it is missing.
    pub(super) needs: &'static [(&'static str, &'static str)],
    /// The labels of the block, if it is in another.
    pub(super) labels: Labels,
    /// Whether Terramate does not report it.
    pub(super) silent: bool,
    /// Whether it is a `map`.
    pub(super) is_map: bool,
}

const NO_BLOCK: &str = "unrecognized block \"{}\"";
/// Anything.
pub(super) const FREE: Inside = Inside {
    attributes: None,
    blocks: None,
    words: ("", ""),
    once: &[],
    needs: &[],
    labels: Labels::Free,
    silent: false,
    is_map: false,
};

const TERRAMATE: Inside = Inside {
    attributes: Some(&[
        ("required_version", Ty::Text),
        ("required_version_allow_prereleases", Ty::Bool),
    ]),
    blocks: Some(&[("config", &CONFIG)]),
    words: ("unsupported attribute \"{}\"", NO_BLOCK),
    ..FREE
};
/// Within `terramate`, blocks are merged before they are checked.
pub(super) const UNLABELLED: Labels = Labels::None("block type \"{}\" does not support labels", true);
pub(super) static SAFEGUARDS: [&str; 7] = [
    "all",
    "none",
    "git",
    "git-untracked",
    "git-uncommitted",
    "git-out-of-sync",
    "outdated-code",
];
const CONFIG: Inside = Inside {
    attributes: Some(&[
        ("experiments", Ty::Set),
        ("disable_safeguards", Ty::SetOf(&SAFEGUARDS)),
    ]),
    blocks: Some(&[
        ("git", &GIT),
        ("generate", &GENERATE),
        ("change_detection", &CHANGE_DETECTION),
        ("run", &RUN),
        ("cloud", &CLOUD),
        ("targets", &TARGETS),
        ("telemetry", &TELEMETRY),
    ]),
    words: ("unrecognized attribute terramate.config.{}", NO_BLOCK),
    labels: UNLABELLED,
    ..FREE
};
/// Nothing in it is checked.
const TARGETS: Inside = Inside {
    labels: UNLABELLED,
    ..FREE
};
const GIT: Inside = Inside {
    attributes: Some(&[
        ("default_branch", Ty::Text),
        ("default_remote", Ty::Text),
        ("check_untracked", Ty::Bool),
        ("check_uncommitted", Ty::Bool),
        ("check_remote", Ty::Bool),
    ]),
    blocks: Some(&[]),
    words: ("unrecognized attribute terramate.config.git.{}", NO_BLOCK),
    labels: UNLABELLED,
    ..FREE
};
const GENERATE: Inside = Inside {
    attributes: Some(&[("hcl_magic_header_comment_style", Ty::TextOf(&["//", "#"]))]),
    blocks: Some(&[]),
    words: ("unrecognized attribute terramate.config.generate.{}", NO_BLOCK),
    labels: UNLABELLED,
    ..FREE
};
const RUN: Inside = Inside {
    attributes: Some(&[("check_gen_code", Ty::Bool)]),
    blocks: Some(&[("env", &RUN_ENV)]),
    // This is its message, although it means `run`.
    words: ("unrecognized attribute terramate.config.run.env.{}", NO_BLOCK),
    labels: UNLABELLED,
    ..FREE
};
const RUN_ENV: Inside = Inside {
    attributes: None,
    blocks: Some(&[]),
    words: ("", NO_BLOCK),
    labels: UNLABELLED,
    ..FREE
};
const CLOUD: Inside = Inside {
    attributes: Some(&[
        ("organization", Ty::Text),
        ("location", Ty::TextOf(&["eu", "us"])),
    ]),
    blocks: Some(&[("targets", &CLOUD_TARGETS)]),
    words: ("unrecognized attribute terramate.config.cloud.{}", NO_BLOCK),
    labels: UNLABELLED,
    ..FREE
};
const CLOUD_TARGETS: Inside = Inside {
    attributes: Some(&[("enabled", Ty::Bool)]),
    blocks: Some(&[]),
    words: (
        "unrecognized attribute terramate.config.cloud.targets.{}",
        NO_BLOCK,
    ),
    labels: UNLABELLED,
    ..FREE
};
const CHANGE_DETECTION: Inside = Inside {
    attributes: None,
    blocks: Some(&[("terragrunt", &TERRAGRUNT), ("git", &DETECTION_GIT)]),
    words: ("", NO_BLOCK),
    labels: UNLABELLED,
    ..FREE
};
const TERRAGRUNT: Inside = Inside {
    attributes: Some(&[("enabled", Ty::NotNull)]),
    blocks: Some(&[]),
    words: ("", ""),
    silent: true,
    labels: UNLABELLED,
    ..FREE
};
const DETECTION_GIT: Inside = Inside {
    attributes: Some(&[("untracked", Ty::Switch), ("uncommitted", Ty::Switch)]),
    blocks: Some(&[]),
    words: (
        "unrecognized attribute terramate.config.change_detection.git.{}",
        NO_BLOCK,
    ),
    labels: UNLABELLED,
    ..FREE
};
const TELEMETRY: Inside = Inside {
    attributes: Some(&[("enabled", Ty::NotNull)]),
    blocks: Some(&[]),
    words: ("", ""),
    silent: true,
    labels: UNLABELLED,
    ..FREE
};

const VENDOR: Inside = Inside {
    attributes: Some(&[("dir", Ty::Text)]),
    blocks: Some(&[("manifest", &MANIFEST)]),
    words: (
        "unrecognized attribute vendor.{}",
        "unexpected block {} inside vendor",
    ),
    once: &["manifest"],
    ..FREE
};
const MANIFEST: Inside = Inside {
    attributes: Some(&[]),
    blocks: Some(&[("default", &MANIFEST_DEFAULT)]),
    words: (
        "unrecognized attribute manifest.{}",
        "unexpected block {} inside manifest",
    ),
    once: &["default"],
    labels: Labels::None("block {} has unexpected label", false),
    ..FREE
};
const MANIFEST_DEFAULT: Inside = Inside {
    attributes: Some(&[("files", Ty::Set)]),
    blocks: Some(&[]),
    words: (
        "unrecognized attribute default.{}",
        "unexpected block {} inside default",
    ),
    ..FREE
};

const NO_LABEL: Labels = Labels::None("No labels are expected for {} blocks.", false);
const ASSERT: Inside = Inside {
    attributes: Some(&[("assertion", Ty::Any), ("message", Ty::Any), ("warning", Ty::Any)]),
    blocks: Some(&[]),
    words: (
        "unrecognized attribute assert.{}",
        "unexpected block {} inside assert",
    ),
    needs: &[
        ("assertion", "assert.assertion is required"),
        ("message", "assert.message is required"),
    ],
    labels: NO_LABEL,
    ..FREE
};
const STACK_FILTER: Inside = Inside {
    attributes: Some(&[("project_paths", Ty::Paths), ("repository_paths", Ty::Paths)]),
    blocks: Some(&[]),
    words: (
        "unrecognized attribute stack_filter.{}",
        "unexpected block {} inside stack_filter",
    ),
    labels: NO_LABEL,
    ..FREE
};
const GLOBALS: Inside = Inside {
    attributes: None,
    blocks: Some(&[("map", &MAP)]),
    words: ("", NO_BLOCK),
    ..FREE
};
/// The `lets` of a script.
const LETS: Inside = Inside {
    words: ("", "unrecognized block: the block {} is not expected here"),
    ..GLOBALS
};
const LETS_OF_GENERATE: Inside = Inside {
    labels: NO_LABEL,
    ..LETS
};
/// Checked as a whole, see [`super::map`].
static MAP: Inside = Inside { is_map: true, ..FREE };
const CONTENT: Inside = Inside {
    labels: NO_LABEL,
    ..FREE
};
const OF_GENERATE: (&str, &str) = (
    "An argument named \"{}\" is not expected here",
    "Blocks of type \"{}\" are not expected here",
);
const GENERATE_HCL: Inside = Inside {
    attributes: Some(&[("condition", Ty::Any), ("inherit", Ty::Any)]),
    blocks: Some(&[
        ("content", &CONTENT),
        ("lets", &LETS_OF_GENERATE),
        ("assert", &ASSERT),
        ("stack_filter", &STACK_FILTER),
    ]),
    words: OF_GENERATE,
    once: &["content"],
    ..FREE
};
const GENERATE_FILE: Inside = Inside {
    attributes: Some(&[
        ("content", Ty::Any),
        ("condition", Ty::Any),
        ("inherit", Ty::Any),
        ("context", Ty::Keyword(&["stack", "root"])),
    ]),
    blocks: Some(&[
        ("lets", &LETS_OF_GENERATE),
        ("assert", &ASSERT),
        ("stack_filter", &STACK_FILTER),
    ]),
    words: OF_GENERATE,
    needs: &[(
        "content",
        "The argument \"content\" is required, but no definition was found.",
    )],
    ..FREE
};

const SCRIPT: Inside = Inside {
    attributes: Some(&[("name", Ty::Any), ("description", Ty::Any)]),
    blocks: Some(&[("job", &JOB), ("lets", &LETS)]),
    words: (
        "(script): unrecognized attribute",
        "(script): unrecognized block: {}",
    ),
    ..FREE
};
const JOB: Inside = Inside {
    attributes: Some(&[
        ("name", Ty::Any),
        ("description", Ty::Any),
        ("command", Ty::Any),
        ("commands", Ty::Any),
    ]),
    blocks: Some(&[]),
    words: (
        "(script.job): unrecognized attribute: {}",
        "(script): unrecognized block: {}",
    ),
    ..FREE
};

const INPUT: Inside = Inside {
    attributes: Some(&[
        ("backend", Ty::Any),
        ("value", Ty::Any),
        ("from_stack_id", Ty::Any),
        ("sensitive", Ty::Any),
        ("mock", Ty::Any),
    ]),
    blocks: None,
    words: ("unrecognized attribute {}", ""),
    needs: &[
        ("backend", "attribute \"input.backend\" is required"),
        ("from_stack_id", "attribute \"input.from_stack_id\" is required"),
        ("value", "attribute \"input.value\" is required"),
    ],
    ..FREE
};
const OUTPUT: Inside = Inside {
    attributes: Some(&[
        ("backend", Ty::Any),
        ("value", Ty::Any),
        ("description", Ty::Any),
        ("sensitive", Ty::Any),
    ]),
    blocks: None,
    words: ("unrecognized attribute {}", ""),
    // Terramate's message for it names `input`.
    needs: &[
        ("backend", "attribute \"input.backend\" is required"),
        ("value", "attribute \"input.value\" is required"),
    ],
    ..FREE
};
const SHARING_BACKEND: Inside = Inside {
    attributes: Some(&[
        ("type", Ty::Keyword(&["terraform"])),
        ("filename", Ty::Any),
        ("command", Ty::Any),
    ]),
    blocks: None,
    words: ("unrecognized attribute {}", ""),
    needs: &[
        ("command", "attribute \"sharing_backend.command\" is required"),
        ("filename", "attribute \"sharing_backend.filename\" is required"),
        ("type", "attribute \"sharing_backend.type\" is required"),
    ],
    ..FREE
};

const IMPORT: Inside = Inside {
    attributes: Some(&[("source", Ty::Any)]),
    blocks: Some(&[]),
    words: OF_GENERATE,
    needs: &[(
        "source",
        "The argument \"source\" is required, but no definition was found.",
    )],
    ..FREE
};

/// The blocks whose contents are checked.
pub(super) const BLOCKS: [(&str, &Inside); 11] = [
    ("terramate", &TERRAMATE),
    ("globals", &GLOBALS),
    ("vendor", &VENDOR),
    ("assert", &ASSERT),
    ("generate_hcl", &GENERATE_HCL),
    ("generate_file", &GENERATE_FILE),
    ("script", &SCRIPT),
    ("input", &INPUT),
    ("output", &OUTPUT),
    ("sharing_backend", &SHARING_BACKEND),
    ("import", &IMPORT),
];
