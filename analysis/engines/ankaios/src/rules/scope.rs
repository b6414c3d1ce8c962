//! The inputs of the checks of rules, and the messages that they attribute to Ankaios.

use std::sync::Arc;

use applyorder_core::diagnostic::{Diagnostic, FileId, FixStep, Place, Severity};
use applyorder_core::engine::{Dependency, EngineIx, Unit, UnitIx};
use applyorder_core::layer::{Finding, Memo, Pass, Scopes};

use crate::judge::{APPLY, STARTUP, stage, wrapped};
use crate::load::Role;
use crate::model::Model;
use crate::read::{Fault, FaultKind, Manifest, Said, TAGGED, Workload};
use crate::relate::Related;

/// The scopes of the checks.
pub(crate) struct Ankaios;

impl Scopes for Ankaios {
    type Source<'a> = InSource<'a>;
    type Project<'a> = InProject<'a>;
}

/// One manifest, by itself.
pub(crate) struct InSource<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) role: Role,
    pub(super) file: FileId,
    pub(super) engine: EngineIx,
    /// Whether `--agent` is given.
    pub(super) has_agent: bool,
    pub(super) memo: &'a Memo,
}

impl InSource<'_> {
    pub(crate) fn place(&self, index: u32) -> Place {
        Place::anchor(self.file, self.engine, index)
    }

    pub(super) fn workload(&self, fault: &Fault) -> Option<&Workload> {
        self.manifest.workloads.get(fault.workload? as usize)
    }

    /// The faults, each with the position at which the server finds it. For a text that cannot be read, only
    /// that is reported.
    pub(super) fn faults(&self) -> impl Iterator<Item = (u32, &Fault)> {
        let (is_broken, role) = (self.manifest.is_broken, self.role);
        let faults = (0u32..).zip(&self.manifest.faults);
        // What only the other entry point rejects is reported in the project that it belongs to.
        let is_here = move |f: &Fault| {
            let (startup, apply) = (f.startup.is_some(), f.apply.is_some() || f.loses.is_some());
            !startup && !apply || startup && role.starts_up() || apply && role.applies()
        };
        // If nothing starts up from the manifest, what `--agent` replaces is not reported.
        let is_replaced = move |f: &Fault| {
            let apply = f
                .apply
                .as_ref()
                .filter(|_| !role.starts_up() && f.loses.is_none());
            apply.is_some_and(|said| self.said_of_agent(f, said).is_none())
        };
        faults.filter(move |(_, f)| {
            is_here(f) && !is_replaced(f) && (!is_broken || matches!(f.kind, FaultKind::Yaml(..)))
        })
    }

    /// The message of `ank apply` about a fault with the given `--agent`.
    fn said_of_agent(&self, fault: &Fault, said: &Said) -> Option<Said> {
        match said.stage {
            // `--agent` provides what is missing, if there is a mapping to put it into.
            stage::AGENT if self.has_agent => match &fault.kind {
                FaultKind::LocalTag(_) => Some(both(stage::CONVERT, TAGGED)),
                kind => kind.is_no_mapping().then(|| both(stage::AGENT, NO_WORKLOAD)),
            },
            stage::CONVERT | stage::STATE if self.has_agent && fault.is_of_agent => None,
            _ => Some(said.clone()),
        }
    }

    /// The finding for a fault, with the messages of both entry points.
    pub(super) fn finding(&self, (at, fault): (u32, &Fault), mut diagnostic: Diagnostic) -> Finding {
        // The server checks the keys of all configs before the aliases of workloads.
        let is_late = matches!(
            fault.kind,
            FaultKind::Name {
                what: "config alias" | "config reference",
                ..
            }
        );
        let is_last = fault
            .startup
            .as_ref()
            .is_some_and(|said| said.stage == stage::NAMES)
            && matches!(fault.kind, FaultKind::AccessRule(_));
        let at = if is_late || is_last {
            at.saturating_add(LATE)
        } else {
            at
        };
        if let Some(workload) = self.workload(fault) {
            let name: Arc<str> = (*workload.name.value).into();
            if !diagnostic.units.contains(&name) {
                diagnostic.units.push(name);
            }
        }
        let apply = fault
            .apply
            .as_ref()
            .and_then(|said| self.said_of_agent(fault, said));
        let subject = self.workload(fault).map_or("", |w| &*w.name.value).to_owned();
        said(
            self.role,
            fault.startup.as_ref(),
            apply.as_ref(),
            self.losing(fault, diagnostic),
        )
        .about(subject)
        .at(at)
    }

    /// Adds what `ank apply` drops because of a fault.
    fn losing(&self, fault: &Fault, diagnostic: Diagnostic) -> Diagnostic {
        let Some(field) = fault.loses.filter(|_| self.role.applies()) else {
            return diagnostic;
        };
        match self.workload(fault) {
            Some(workload) => diagnostic.note(format!(
                "`ank apply` accepts this and silently drops all `{field}` of `{}`",
                workload.name.value
            )),
            None => diagnostic.note(format!(
                "`ank apply` accepts this and silently drops all `{field}`"
            )),
        }
    }
}

/// Faults of a stage from this number on are those that the server finds after all others.
pub(super) const LATE: u32 = u32::MAX / 2;

/// The message of `ank apply --agent` if a workload is not a mapping.
const NO_WORKLOAD: &str = "Could not find workload to update.";

/// A finding with the messages of the entry points.
pub(super) fn said(
    role: Role,
    startup: Option<&Said>,
    apply: Option<&Said>,
    diagnostic: Diagnostic,
) -> Finding {
    let startup = startup.filter(|_| role.starts_up());
    let apply = apply.filter(|_| role.applies());
    let text = |command: &str, said: &Said| wrapped(command, said.stage, &said.words);
    let mut diagnostic = diagnostic;
    if let Some(first) = startup
        .map(|s| text(STARTUP, s))
        .or_else(|| apply.map(|a| text(APPLY, a)))
    {
        diagnostic = diagnostic.engine_message(first);
    }
    if startup.is_some() || apply.is_some() {
        diagnostic = diagnostic.severity(Severity::Error);
    }
    let mut finding = Finding::new(diagnostic);
    if let Some(said) = startup {
        finding = finding.rejected(STARTUP, said.stage);
    }
    if let Some(said) = apply {
        finding = finding
            .rejected(APPLY, said.stage)
            .message_of(APPLY, text(APPLY, said));
    }
    finding
}

/// The same message of both, at one step.
pub(super) fn both(step: &'static str, words: impl Into<Box<str>>) -> Said {
    Said {
        stage: step,
        words: words.into(),
    }
}

/// A project as a whole.
pub(crate) struct InProject<'a> {
    pub(crate) pass: &'a Pass<'a>,
    pub(crate) model: &'a Arc<Model>,
    pub(crate) related: &'a Related,
}

impl InProject<'_> {
    pub(super) fn role(&self) -> Role {
        self.model.role()
    }

    pub(super) fn place(&self, source: u32, index: u32) -> Place {
        self.model.place(self.pass, source, index)
    }

    /// A place in the manifest of a unit.
    pub(super) fn place_of(&self, unit: UnitIx, index: u32) -> Place {
        let source = self.model.units.get(unit.0 as usize).map_or(0, |u| u.source);
        self.place(source, index)
    }

    pub(super) fn units(&self) -> impl Iterator<Item = (UnitIx, &Unit)> {
        self.model
            .stated_units()
            .map(|(unit, stated)| (unit, &stated.unit))
    }

    pub(super) fn name(&self, unit: UnitIx) -> &str {
        self.model.name(unit).map_or("", |name| name)
    }

    /// Whether findings that depend on several workloads belong to this project: a manifest that `ank apply`
    /// takes together with others leaves them to that apply.
    pub(super) fn concludes(&self) -> bool {
        self.role().applies() && !self.model.is_broken
    }

    /// The step that removes a dependency. An empty `dependencies:` would be rejected.
    pub(super) fn remove(&self, written: &Dependency) -> Option<FixStep> {
        let (_, workload) = self.model.workload(written.unit)?;
        Some(match (workload.dependencies.len(), workload.dependencies_key) {
            (1, Some(key)) => FixStep::RemoveKey(self.place_of(written.unit, key)),
            _ => FixStep::RemoveKey(written.place),
        })
    }

    /// The fixes of a finding, with the list entry that shared rules remove replaced by the entry of a mapping.
    pub(super) fn in_mapping(&self, mut diagnostic: Diagnostic, written: &Dependency) -> Diagnostic {
        for fix in &mut diagnostic.fixes {
            for step in &mut fix.steps {
                if let (FixStep::RemoveEntry(_), Some(remove)) = (&*step, self.remove(written)) {
                    *step = remove;
                }
            }
        }
        diagnostic
    }
}
