//! The fields of a manifest: the one table for reading, completion and hover.

use super::manifest::Known;

/// The top level.
pub(crate) static TOP: Known = Known {
    of: "manifest",
    fields: &[
        ("apiVersion", "Version of the manifest format: `v1`."),
        ("workloads", "The workloads by name."),
        (
            "configs",
            "Values for templates, by name: a string, or lists and mappings of strings.",
        ),
    ],
};

/// A workload.
pub(crate) static WORKLOAD: Known = Known {
    of: "workload",
    fields: &[
        (
            "runtime",
            "Runtime that runs it: `podman`, `podman-kube` or `containerd`.",
        ),
        (
            "agent",
            "Name of the agent; may be a template. Empty: not scheduled.",
        ),
        (
            "restartPolicy",
            "When it is started again: `NEVER` (default), `ON_FAILURE`, `ALWAYS`. Restarts ignore dependencies.",
        ),
        (
            "dependencies",
            "Workloads it waits for before its first start, each with a condition.",
        ),
        (
            "tags",
            "Tags: a mapping of strings in `v1`, a list of `key` and `value` in `v0.1`.",
        ),
        ("runtimeConfig", "YAML text for the runtime; may be a template."),
        (
            "configs",
            "Configs for its templates: the name in the template and the name of the config.",
        ),
        ("files", "Files mounted into it."),
        (
            "controlInterfaceAccess",
            "What it may do through the control interface.",
        ),
    ],
};

/// An entry of `files`.
pub(crate) static FILE: Known = Known {
    of: "file entry",
    fields: &[
        ("mountPoint", "Absolute path in the workload."),
        ("data", "Content as text; may be a template."),
        ("binaryData", "Content in Base64; may be a template."),
    ],
};

/// `controlInterfaceAccess`.
pub(crate) static ACCESS: Known = Known {
    of: "control interface access",
    fields: &[
        ("allowRules", "What is allowed."),
        ("denyRules", "What is denied, whatever is allowed."),
    ],
};

/// A rule of `controlInterfaceAccess`.
pub(crate) static RULE: Known = Known {
    of: "access rule",
    fields: &[
        ("type", "`StateRule` or `LogRule`."),
        (
            "operation",
            "Of a `StateRule`: `Nothing`, `Read`, `Write` or `ReadWrite`.",
        ),
        (
            "filterMasks",
            "Of a `StateRule`: paths of the state, each part a name or `*`.",
        ),
        (
            "workloadNames",
            "Of a `LogRule`: names of workloads, with at most one `*` each.",
        ),
    ],
};

/// The runtimes that agents know.
pub(crate) const RUNTIMES: &[&str] = &["podman", "podman-kube", "containerd"];
/// The operations of a `StateRule`.
pub(crate) const OPERATIONS: &[&str] = &["Nothing", "Read", "Write", "ReadWrite"];

/// Characters of names.
pub(crate) fn is_name(text: &str) -> bool {
    text.bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

/// The longest name.
pub(crate) const MAX_NAME: usize = 63;
