//! Which commands reject a finding that several projects have.

use std::borrow::Cow;

use super::{Analysis, Finding};
use applyorder_core::diagnostic::Enforced;

impl Analysis {
    /// The commands that reject a finding in any of its projects, each once. What is first in one of them is
    /// first.
    #[must_use]
    pub fn enforced<'a>(&self, finding: &Finding<'a>) -> Cow<'a, [Enforced]> {
        let d = finding.diagnostic;
        if finding.projects.len() < 2 {
            return Cow::Borrowed(&d.enforced);
        }
        let mut all = d.enforced.clone();
        for project in finding.projects.iter().filter_map(|p| self.project(*p)) {
            let same = project.diagnostics_of(d.place.file).find(|o| {
                o.rule.id == d.rule.id && o.message == d.message && self.span(o.place) == self.span(d.place)
            });
            for by in same.iter().flat_map(|o| &o.enforced) {
                match all
                    .iter_mut()
                    .find(|e| e.command == by.command && e.stage == by.stage)
                {
                    Some(known) => known.first |= by.first,
                    None => all.push(by.clone()),
                }
            }
        }
        Cow::Owned(all)
    }
}

/// The commands that reject a finding, grouped by stage.
#[must_use]
pub fn by_stage(enforced: &[Enforced]) -> Vec<(&'static str, Vec<&'static str>)> {
    let mut stages: Vec<(&str, Vec<&str>)> = Vec::new();
    for e in enforced {
        match stages.iter_mut().find(|(stage, _)| *stage == e.stage) {
            Some((_, commands)) => commands.push(e.command),
            None => stages.push((e.stage, vec![e.command])),
        }
    }
    stages
}
