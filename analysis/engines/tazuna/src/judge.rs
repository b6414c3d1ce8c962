//! The stages of `tazuna check`, `apply` and `destroy` (Tazuna G5, "the verdict").

use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::{Command, Finding, Reports, Stage as Step};

/// The stages of a run, in the order in which the commands go through them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Stage {
    /// Reading the root file.
    Read,
    /// Rendering it as a Go template.
    Template,
    /// From YAML to typed values.
    Decode,
    /// `spec.minimumSupportedTazunaVersion`.
    Version,
    /// `apiVersion` and `kind`.
    Header,
    /// The values of `spec`, before includes are expanded.
    Spec,
    /// Whether the environment is declared.
    Environment,
    /// Reading the included files.
    Includes,
    /// The values of the expanded list; not of `check`.
    Expanded,
    /// The names of the expanded list.
    Names,
    /// Whether every dependency refers to another manifest.
    References,
    /// Whether the dependencies have a cycle.
    Cycle,
}

impl Stage {
    /// The stage in a word or two.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Template => "template",
            Self::Decode => "decode",
            Self::Version => "version",
            Self::Header => "header",
            Self::Spec => "spec",
            Self::Environment => "environment",
            Self::Includes => "includes",
            Self::Expanded => "expanded spec",
            Self::Names => "names",
            Self::References => "dependsOn",
            Self::Cycle => "cycle",
        }
    }

    const fn reporting(self, reports: Reports) -> Step {
        Step {
            name: self.name(),
            reports,
        }
    }

    const fn at_first(self) -> Step {
        self.reporting(Reports::First)
    }
}

/// The prefix of `apply` and `destroy` for the errors of names, which they report as one.
const OF_NAMES: &str = "manifest name validation failed (run 'tazuna check' to see details, or 'tazuna check --fix' to \
                        auto-fix)";

/// All stages, in the order of [`Stage`]. No member of a cycle is named, so one error covers all of them.
const fn stages(names: Reports, references: Reports) -> [Step; 12] {
    [
        Stage::Read.at_first(),
        Stage::Template.at_first(),
        Stage::Decode.at_first(),
        Stage::Version.at_first(),
        Stage::Header.at_first(),
        Stage::Spec.at_first(),
        Stage::Environment.at_first(),
        Stage::Includes.at_first(),
        Stage::Expanded.at_first(),
        Stage::Names.reporting(names),
        Stage::References.reporting(references),
        Stage::Cycle.reporting(Reports::All),
    ]
}

/// `check` reports every invalid reference; nothing that it rejects belongs to the stage that only the others
/// have.
static CHECK: [Step; 12] = stages(Reports::All, Reports::All);
static APPLY: [Step; 12] = stages(Reports::Lines(OF_NAMES), Reports::First);

/// The commands a verdict is given for.
pub(super) static COMMANDS: [Command; 3] = [
    Command {
        name: "check",
        stages: &CHECK,
        warns_when_rejecting: false,
    },
    Command {
        name: "apply",
        stages: &APPLY,
        warns_when_rejecting: false,
    },
    // It warns about names and checks no references.
    Command {
        name: "destroy",
        stages: APPLY.split_at(Stage::References as usize).0,
        warns_when_rejecting: false,
    },
];

/// A finding that every command rejects that reaches a stage.
pub(super) fn rejected(stage: Stage, diagnostic: Diagnostic, subject: &str) -> Finding {
    let found = Finding::new(diagnostic).about(subject);
    let found = match stage {
        Stage::Expanded => found,
        _ => found.rejected("check", stage.name()),
    };
    let found = found.rejected("apply", stage.name());
    if stage > Stage::Expanded {
        return found;
    }
    found.rejected("destroy", stage.name())
}

/// A finding about a name that `check` rejects; `apply` rejects it or warns, and `destroy` only warns.
pub(super) fn rejected_name(is_strict: bool, diagnostic: Diagnostic, subject: &str) -> Finding {
    let stage = Stage::Names.name();
    let found = Finding::new(diagnostic).about(subject).rejected("check", stage);
    let found = if is_strict {
        found.rejected("apply", stage)
    } else {
        found.warned("apply", stage)
    };
    found.warned("destroy", stage)
}

/// Whether a finding stops a command before the list is expanded.
pub(super) fn is_before_expansion(found: &Finding) -> bool {
    let early = |stage: &str| {
        let at = CHECK.iter().position(|s| s.name == stage);
        at.is_some_and(|at| at <= Stage::Includes as usize)
    };
    found
        .rejections
        .iter()
        .any(|r| r.command == "check" && early(r.stage))
}
