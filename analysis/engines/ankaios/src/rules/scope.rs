//! What the checks of rules look at, and what they say that Ankaios says.

use std::sync::Arc;

use applyorder_core::diagnostic::{Diagnostic, FileId, FixStep, Place};
use applyorder_core::engine::{Dependency, EngineIx, Unit, UnitIx};
use applyorder_core::layer::{Finding, Pass, Scopes};

use crate::judge::{APPLY, STARTUP, stage, wrapped};
use crate::load::Role;
use crate::model::Model;
use crate::read::{Fault, FaultKind, Manifest, Said, Workload};
use crate::relate::Related;

/// What checks look at.
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
}

impl InSource<'_> {
    pub(crate) fn place(&self, index: u32) -> Place {
        Place::anchor(self.file, self.engine, index)
    }

    pub(super) fn workload(&self, fault: &Fault) -> Option<&Workload> {
        self.manifest.workloads.get(fault.workload? as usize)
    }

    /// The faults, each with where the server comes to it. Beside text that cannot be read nothing else is said.
    pub(super) fn faults(&self) -> impl Iterator<Item = (u32, &Fault)> {
        let is_broken = self.manifest.is_broken;
        let faults = (0u32..).zip(&self.manifest.faults);
        faults.filter(move |(_, f)| !is_broken || matches!(f.kind, FaultKind::Yaml(..)))
    }

    /// The finding for a fault, with what both entry points say of it.
    pub(super) fn finding(&self, (at, fault): (u32, &Fault), mut diagnostic: Diagnostic) -> Finding {
        // The server looks at the keys of all configs before it looks at what workloads call them.
        let is_late = matches!(
            fault.kind,
            FaultKind::Name {
                what: "config alias" | "config reference",
                ..
            }
        );
        let at = if is_late {
            at.saturating_add(u32::MAX / 2)
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
            .filter(|said| !(self.has_agent && said.stage == stage::AGENT));
        let subject = self.workload(fault).map_or("", |w| &*w.name.value).to_owned();
        said(
            self.role,
            fault.startup.as_ref(),
            apply,
            self.losing(fault, diagnostic),
        )
        .about(subject)
        .at(at)
    }

    /// Says what `ank apply` drops because of a fault.
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

/// A finding with what the entry points say.
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

/// The same words of both, at one step.
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
        (0u32..).map(UnitIx).zip(&self.related.variant.units)
    }

    pub(super) fn name(&self, unit: UnitIx) -> &str {
        self.related
            .variant
            .units
            .get(unit.0 as usize)
            .map_or("", |u| &*u.name)
    }

    /// Whether findings that rest on what several workloads say belong to this project: a manifest that `ank apply`
    /// takes together with others leaves them to that apply.
    pub(super) fn concludes(&self) -> bool {
        self.role().applies() && !self.model.is_broken
    }

    /// The step that takes a dependency away. An empty `dependencies:` would be refused.
    pub(super) fn remove(&self, written: &Dependency) -> Option<FixStep> {
        let (_, workload) = self.model.workload(written.unit)?;
        Some(match (workload.dependencies.len(), workload.dependencies_key) {
            (1, Some(key)) => FixStep::RemoveKey(self.place_of(written.unit, key)),
            _ => FixStep::RemoveKey(written.place),
        })
    }

    /// The fixes of a finding, with the entry of a list that shared rules remove made the entry of a mapping.
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
