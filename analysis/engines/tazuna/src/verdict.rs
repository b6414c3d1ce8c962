//! What `tazuna check`, `apply` and `destroy` would say, from the findings and the stages they fail at.

use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_core::diagnostic::{Diagnostic, Enforced};
use applyorder_core::engine::{EngineError, Verdict};

/// The stages of a run, in the order in which the commands go through them (Tazuna G5, "the verdict").
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
    /// Whether every dependency leads somewhere else.
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

    /// Whether a command reports everything that fails at this stage, and not just the first.
    const fn reports_all(self, command: Command) -> bool {
        match self {
            Self::Names => true,
            Self::References => matches!(command, Command::Check),
            // No member of a cycle is named, so one error stands for all of them.
            Self::Cycle => true,
            _ => false,
        }
    }
}

/// The commands a verdict is given for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// `tazuna check`.
    Check,
    /// `tazuna apply`.
    Apply,
    /// `tazuna destroy`.
    Destroy,
}

impl Command {
    pub(super) const ALL: [Self; 3] = [Self::Check, Self::Apply, Self::Destroy];

    /// The last stage that it comes to. `destroy` warns of names and looks at no reference.
    const fn last(self) -> Stage {
        match self {
            Self::Check | Self::Apply => Stage::Cycle,
            Self::Destroy => Stage::Expanded,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Apply => "apply",
            Self::Destroy => "destroy",
        }
    }
}

/// Which commands reject a finding, and at which of their stages. Up to its last stage, `destroy` goes as `apply` does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rejected {
    /// The stage of `check`.
    pub(super) check: Option<Stage>,
    /// The stage of `apply`.
    pub(super) apply: Option<Stage>,
}

impl Rejected {
    /// By both commands at one stage.
    pub(super) const fn both(stage: Stage) -> Self {
        Self {
            check: Some(stage),
            apply: Some(stage),
        }
    }

    pub(super) fn by(self, command: Command) -> Option<Stage> {
        match command {
            Command::Check => self.check,
            Command::Apply => self.apply,
            Command::Destroy => self.apply.filter(|stage| *stage <= command.last()),
        }
    }
}

/// A finding, and what the commands make of it.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The finding.
    pub(super) diagnostic: Diagnostic,
    /// Who rejects it.
    pub(super) rejected: Rejected,
    /// What the engine's error is about.
    pub(super) subject: String,
    /// Further keys of the engine's error.
    pub(super) details: BTreeMap<&'static str, serde_json::Value>,
    /// The text of `apply`, where it differs from that of `check`.
    pub(super) apply_message: Option<String>,
    /// Whether `apply` prints it as a warning and goes on.
    pub(super) apply_warns: bool,
    /// Whether another finding stands for the same line of the engine's report.
    pub(super) repeated: bool,
}

impl Found {
    /// A finding of which the engine says nothing.
    pub(super) fn lint(diagnostic: Diagnostic) -> Self {
        Self::rejected(Rejected::default(), diagnostic, String::new())
    }

    /// A finding that some command rejects.
    pub(super) fn rejected(rejected: Rejected, diagnostic: Diagnostic, subject: impl Into<String>) -> Self {
        Self {
            diagnostic,
            rejected,
            subject: subject.into(),
            details: BTreeMap::new(),
            apply_message: None,
            apply_warns: false,
            repeated: false,
        }
    }

    /// A further place of what is one line in the engine's report.
    pub(super) fn repeats(mut self) -> Self {
        self.repeated = true;
        self
    }

    /// With a further key of the engine's error.
    pub(super) fn detail(mut self, key: &'static str, value: impl Into<serde_json::Value>) -> Self {
        self.details.insert(key, value.into());
        self
    }

    fn error(&self, command: Command) -> EngineError {
        let own = self.diagnostic.engine_message.clone();
        let message = match command {
            Command::Check => own,
            Command::Apply | Command::Destroy => self.apply_message.clone().or(own),
        };
        EngineError {
            rule: self.diagnostic.rule.id,
            subject: self.subject.clone(),
            message: message.unwrap_or_default(),
            details: self.details.clone(),
        }
    }
}

/// Something that cannot be known: the stage it belongs to, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unknown {
    /// The stage whose outcome is open.
    pub(super) stage: Stage,
    /// Why, as a sentence without its full stop.
    pub(super) because: String,
}

/// Marks on every finding whether `check` and `apply` reject it and what they report first, and gives the
/// verdicts of all commands. Findings of one stage stand in the order in which Tazuna comes to them.
pub(super) fn judge(
    found: &mut [Found],
    unknown: &[Unknown],
    environment: Option<&Arc<str>>,
    mark: bool,
) -> [Verdict; 3] {
    Command::ALL.map(|command| {
        let mark = mark && command != Command::Destroy;
        let first = found.iter().filter_map(|f| f.rejected.by(command)).min();
        let open = unknown
            .iter()
            .filter(|u| u.stage <= command.last() && first.is_none_or(|s| u.stage < s))
            .min_by_key(|u| u.stage);
        let mut errors = Vec::new();
        let mut warnings = Vec::new();
        for f in found.iter_mut() {
            let warns = match command {
                Command::Check => false,
                Command::Apply => f.apply_warns,
                Command::Destroy => f.apply_warns || f.rejected.apply == Some(Stage::Names),
            };
            if warns && !f.repeated {
                warnings.push(f.error(command));
            }
            let Some(stage) = f.rejected.by(command) else {
                continue;
            };
            let reported =
                first == Some(stage) && open.is_none() && (stage.reports_all(command) || errors.is_empty());
            if reported && !f.repeated {
                errors.push(f.error(command));
            }
            if mark {
                f.diagnostic.enforced.push(Enforced {
                    command: command.name(),
                    stage: stage.name(),
                    first: reported,
                });
            }
        }
        if first.is_some() {
            warnings.clear();
        }
        Verdict {
            command: command.name(),
            environment: environment.cloned(),
            ok: if open.is_some() {
                None
            } else {
                Some(first.is_none())
            },
            stage: if open.is_some() {
                None
            } else {
                first.map(Stage::name)
            },
            errors,
            warnings,
            because: open.map(|u| u.because.clone()),
        }
    })
}
