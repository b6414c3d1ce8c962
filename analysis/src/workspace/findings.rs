//! The findings of a snapshot of the workspace, as they are reported.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::analysis::Analysis;
use super::project::ProjectIx;
use applyorder_core::diagnostic::{Diagnostic, FileId, Place};
use applyorder_core::rules::Rule;
use applyorder_core::store::Source;
use applyorder_syntax::text::Span;

/// A finding, and the projects that have it in common.
#[derive(Clone, Debug)]
pub struct Finding<'a> {
    /// The finding, as it is where it is most severe.
    pub diagnostic: &'a Diagnostic,
    /// The projects; empty: it belongs to none (a configuration file).
    pub projects: Vec<ProjectIx>,
}

impl Analysis {
    /// The findings of all files, in the byte order of their paths; see [`Self::findings_of`].
    #[must_use]
    pub fn findings(&self) -> Vec<Finding<'_>> {
        // This also computes what all files share, which must not happen first within a parallel task.
        let files = self.files_with_findings();
        let findings = files.par_iter().flat_map_iter(|file| self.findings_of(*file));
        findings.collect()
    }

    /// The findings in a file, in the order of their places; those that several projects have in common once.
    /// Findings that a comment ignores are omitted, and all of a file that the configuration excludes.
    #[must_use]
    pub fn findings_of(&self, file: FileId) -> Vec<Finding<'_>> {
        let mut found = self.all_findings_of(file);
        if self.ground().configs.is_excluded(self.path(file)) {
            found.retain(|f| f.projects.is_empty());
            return found;
        }
        self.keep_certain(file, &mut found);
        let ignores = self.ignores();
        let is_ignored = |rule: &Rule, place: Place| {
            let line = |source: &Arc<Source>| source.lines().line(self.span(place).start);
            let line = self.source(place.file).map(line);
            line.is_some_and(|line| ignores.hides(self, place.file, rule, line))
        };
        found.retain(|f| {
            let d = f.diagnostic;
            let places = [Some(d.place), d.part_of].into_iter().flatten();
            f.projects.is_empty() || !places.into_iter().any(|place| is_ignored(d.rule, place))
        });
        let before = found.len();
        found.extend(ignores.unused(self, file));
        if found.len() > before {
            self.sort(&mut found);
        }
        found
    }

    /// Whether a file has more than `count` findings, ignored ones included.
    #[must_use]
    pub fn has_more_findings_in(&self, file: FileId, count: usize) -> bool {
        let projects = self.projects_with(file).into_iter();
        let mut found = projects.flat_map(|(_, project)| project.diagnostics_of(file));
        found.nth(count).is_some()
    }

    /// The same with those that comments ignore.
    pub(super) fn all_findings_of(&self, file: FileId) -> Vec<Finding<'_>> {
        let mut found: Vec<Finding<'_>> = Vec::new();
        let mut known: FxHashMap<(&'static str, Span, &str), usize> = FxHashMap::default();
        let own = self
            .config_diagnostics()
            .iter()
            .filter(|d| d.place.file == file)
            .map(|d| (None, d))
            .chain(self.unexpected().of(file));
        let projects = self.projects_with(file).into_iter();
        let projects = projects.flat_map(|(ix, p)| p.diagnostics_of(file).map(move |d| (Some(ix), d)));
        for (project, diagnostic) in own.chain(projects) {
            let at = *known
                .entry((
                    diagnostic.rule.id,
                    self.span(diagnostic.place),
                    &diagnostic.message,
                ))
                .or_insert(found.len());
            match found.get_mut(at) {
                Some(finding) => {
                    // They come one after the other.
                    let another = project.filter(|p| finding.projects.last() != Some(p));
                    finding.projects.extend(another);
                    // One project may reject what the other only reports.
                    if diagnostic.severity > finding.diagnostic.severity {
                        finding.diagnostic = diagnostic;
                    }
                }
                None => found.push(Finding {
                    diagnostic,
                    projects: project.into_iter().collect(),
                }),
            }
        }
        self.sort(&mut found);
        found
    }

    fn sort<'a>(&self, found: &mut [Finding<'a>]) {
        found.sort_by_cached_key(|f| {
            let d: &'a Diagnostic = f.diagnostic;
            (
                self.span(d.place),
                std::cmp::Reverse(d.severity),
                d.rule.id,
                &*d.message,
            )
        });
    }

    /// Whether a finding applies in the current state of the projects; see [`Project::confirms`].
    #[must_use]
    pub fn confirms(&self, finding: &Finding<'_>) -> bool {
        let mut projects = finding.projects.iter().filter_map(|p| self.project(*p));
        projects.all(|p| p.confirms(finding.diagnostic))
    }

    /// The files that have findings, in the byte order of their paths.
    #[must_use]
    pub fn files_with_findings(&self) -> Vec<FileId> {
        let mut files: Vec<FileId> = self
            .projects()
            .flat_map(|(_, p)| p.findings().files())
            .chain(self.config_diagnostics().iter().map(|d| d.place.file))
            .chain(self.unexpected().files())
            .chain(self.ignores().files(self))
            .collect();
        files.sort_by(|a, b| self.path(*a).cmp(self.path(*b)));
        files.dedup();
        files
    }
}
