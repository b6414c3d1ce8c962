//! The two entry points of Ankaios, and their steps.
//!
//! Source: `ank-server -m` and `ank apply` of 1.0.1 and 1.1.0-pre, section 2 of the notes on Ankaios.

use applyorder_core::layer::{Command, Reports, Stage};

/// `ank-server -m FILE`.
pub(crate) const STARTUP: &str = "startup";
/// `ank apply FILE…`.
pub(crate) const APPLY: &str = "apply";

/// Steps; those with the same name in both commands are identical.
pub(crate) mod stage {
    pub(crate) const READ: &str = "read";
    pub(crate) const YAML: &str = "yaml";
    pub(crate) const TAGS: &str = "tags";
    pub(crate) const PARSE: &str = "parse";
    pub(crate) const VERSION: &str = "version";
    pub(crate) const CONFIGS: &str = "configs";
    pub(crate) const RENDER: &str = "render";
    pub(crate) const NAMES: &str = "names";
    pub(crate) const CYCLE: &str = "cycle";
    pub(crate) const JSON: &str = "json";
    pub(crate) const SCHEMA: &str = "schema";
    pub(crate) const KEYS: &str = "keys";
    pub(crate) const MERGE: &str = "merge";
    pub(crate) const AGENT: &str = "agent";
    pub(crate) const CONVERT: &str = "convert";
    pub(crate) const MASKS: &str = "masks";
    pub(crate) const STATE: &str = "state";
}

/// The steps of `ank apply -d`, which checks no agent, no config and no cycle: it takes the files through their
/// steps, and removes from the state what they name.
pub(crate) const OF_DELETION: [&str; 9] = [
    stage::READ,
    stage::YAML,
    stage::JSON,
    stage::SCHEMA,
    stage::KEYS,
    stage::VERSION,
    stage::TAGS,
    stage::MERGE,
    stage::MASKS,
];

/// Whether `ank apply` takes each file through a step: it opens all of them, and takes each through the others
/// before the next.
pub(crate) fn is_of_files(step: &str) -> bool {
    step != stage::MASKS && OF_DELETION.contains(&step)
}

const fn first(name: &'static str) -> Stage {
    Stage {
        name,
        reports: Reports::First,
    }
}

const fn all(name: &'static str) -> Stage {
    Stage {
        name,
        reports: Reports::Round,
    }
}

/// The commands, each with its steps in order.
pub(crate) static COMMANDS: [Command; 2] = [
    Command {
        name: STARTUP,
        stages: &[
            first(stage::READ),
            first(stage::YAML),
            first(stage::TAGS),
            first(stage::PARSE),
            first(stage::VERSION),
            first(stage::CONFIGS),
            first(stage::RENDER),
            first(stage::NAMES),
            first(stage::CYCLE),
        ],
        warns_when_rejecting: false,
    },
    Command {
        name: APPLY,
        stages: &[
            first(stage::READ),
            first(stage::YAML),
            first(stage::JSON),
            all(stage::SCHEMA),
            first(stage::KEYS),
            first(stage::VERSION),
            first(stage::TAGS),
            first(stage::MERGE),
            first(stage::AGENT),
            first(stage::CONVERT),
            first(stage::MASKS),
            first(stage::STATE),
            first(stage::CONFIGS),
            first(stage::RENDER),
            first(stage::NAMES),
            first(stage::CYCLE),
        ],
        warns_when_rejecting: true,
    },
];

/// The whole text that an entry point prints for an error of one of its steps.
pub(crate) fn wrapped(command: &str, step: &str, words: &str) -> String {
    if command == STARTUP {
        return match step {
            stage::READ => format!("Could not read the startup config: '{words}'"),
            stage::YAML => {
                format!("Invalid tags format in startup manifest: 'Failed to parse YAML: {words}'")
            }
            stage::TAGS => format!("Invalid tags format in startup manifest: '{words}'"),
            stage::PARSE => format!("Parsing start config failed with error: '{words}'"),
            stage::RENDER | stage::NAMES => {
                format!("server error: 'Resulting State is invalid, reason: '{words}''")
            }
            _ => format!("server error: '{words}'"),
        };
    }
    let rejected = |text: String| format!("SetState failed with: 'Update rejected: '{text}''");
    let inner = match step {
        stage::YAML | stage::CONVERT => format!("Invalid manifest data provided: {words}"),
        stage::JSON => format!("Failed to convert manifest for schema validation: {words}"),
        stage::SCHEMA => format!("Manifest schema validation failed:\n{words}"),
        stage::MASKS | stage::CYCLE => rejected(words.to_owned()),
        stage::STATE => rejected(format!(
            "Resulting State is invalid, reason: 'Could not parse into CompleteState: '{words}''"
        )),
        stage::CONFIGS => format!("SetState failed with: '{words}'"),
        stage::RENDER | stage::NAMES => rejected(format!("Resulting State is invalid, reason: '{words}'")),
        _ => words.to_owned(),
    };
    format!("Command failed: '{inner}'")
}

/// The server's message about a missing config.
pub(crate) fn missing_config(name: &str) -> String {
    format!("Workload references config key '{name}' that does not exist")
}
/// The end of the server's messages about names of configs and agents.
pub(crate) const CONSTRAINT: &str =
    "Only a-z, A-Z, 0-9 chars, underscore (_), and hyphen (-) allowed. Maximum length is 63 characters.";

/// The server's message about an agent's name.
pub(crate) fn agent_name(name: &str) -> String {
    format!("Unsupported agent name '{name}'. {CONSTRAINT}")
}

/// The message of the cycle check.
pub(crate) fn cycle(name: &str) -> String {
    format!("workload dependency '{name}' is part of a cycle.")
}
