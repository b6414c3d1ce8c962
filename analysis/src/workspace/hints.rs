//! Searches that wait until the user stops typing: which are due, and how their results are applied.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::{Changes, Project, Workspace};
use applyorder_core::config::Configs;
use applyorder_core::diagnostic::{Diagnostic, FileId};
use applyorder_core::engine::{Findings, Hint, HintSearch, Hints, Stop};
use applyorder_core::rules::cycle;
use applyorder_core::store::Table;

/// The state of the search for hints of a project.
#[derive(Clone, Debug, Default)]
pub(super) struct ProjectHints {
    /// Those that are shown, adjusted to the configuration.
    pub(super) shown: Arc<[Hint]>,
    /// Why the search was incomplete.
    pub(super) limit: Option<String>,
    /// Whether this state of the project was searched.
    pub(super) searched: bool,
}

impl ProjectHints {
    /// Findings with these hints, and with the marks of all edges of cycles. If a finding is more specific at
    /// the same place, the hint is omitted.
    pub(super) fn beside(&self, findings: &Findings) -> Findings {
        let is_replaced = |hint: &Diagnostic| {
            let mut same_file = findings.of(hint.place.file);
            same_file.any(|d| d.place == hint.place && d.rule.replaces.contains(&hint.rule.id))
        };
        let hints = self.shown.iter().map(|hint| &hint.diagnostic);
        let hints = hints.filter(|hint| !is_replaced(hint)).cloned();
        let mut marks: Vec<Diagnostic> = findings.of_rule(&cycle::RULE).flat_map(cycle::marks).collect();
        // Findings are unsorted, and cycles of several environments share edges.
        marks.sort_by_cached_key(|mark| (mark.place, mark.part_of, mark.message.clone()));
        findings.with_hints(marks.into_iter().chain(hints).collect())
    }

    /// The hints that remain after an edit of some files: a hint is dropped if a file on its path is edited.
    pub(super) fn after(&self, edited: &FxHashSet<FileId>) -> Self {
        let stays = |hint: &&Hint| !hint.files.iter().any(|file| edited.contains(file));
        Self {
            shown: self.shown.iter().filter(stays).cloned().collect(),
            limit: self.limit.clone(),
            searched: false,
        }
    }
}

/// A search that is due, on one state of one project.
pub struct HintTask {
    project: Arc<Project>,
    search: HintSearch,
    configs: Arc<Configs>,
    table: Arc<Table>,
}

/// What a search found.
pub struct FoundHints {
    before: Arc<Project>,
    project: Arc<Project>,
    /// The files whose findings change.
    differing: FxHashSet<FileId>,
}

impl HintTask {
    /// Runs it. The result after a stop must not be used.
    #[must_use]
    pub fn run(&self, stop: &Stop) -> FoundHints {
        self.taken((self.search)(stop))
    }

    /// The result if nothing was found.
    #[must_use]
    pub fn nothing(&self) -> FoundHints {
        self.taken(Hints::default())
    }

    fn taken(&self, found: Hints) -> FoundHints {
        let engine = self.project.engine().meta().id;
        let adjusted = found.hints.into_iter().filter_map(|hint| {
            let path = self.table.get(hint.diagnostic.place.file)?.path();
            let diagnostic = self
                .configs
                .of(path)
                .adjusted(hint.diagnostic, engine, Some(path))?;
            Some(Hint { diagnostic, ..hint })
        });
        let project = self.project.with_hints(ProjectHints {
            shown: adjusted.collect(),
            limit: found.limit,
            searched: true,
        });
        let mut differing = FxHashSet::default();
        project.differences(&self.project, &mut differing);
        FoundHints {
            before: self.project.clone(),
            project: Arc::new(project),
            differing,
        }
    }
}

impl Project {
    /// Whether a finding applies in this state of the project. Findings of rules do; a hint that was found in
    /// an earlier state is searched again.
    #[must_use]
    pub fn confirms(&self, diagnostic: &Diagnostic) -> bool {
        let is_old_hint =
            !self.hints.searched && self.hints.shown.iter().any(|hint| hint.diagnostic == *diagnostic);
        if !is_old_hint {
            return true;
        }
        let Some(search) = self.resolution.hints.as_ref() else {
            return false;
        };
        let now = search(&Stop::default());
        let same = |hint: &Hint| {
            let d = &hint.diagnostic;
            d.rule == diagnostic.rule && d.place == diagnostic.place && d.fixes == diagnostic.fixes
        };
        now.hints.iter().any(same)
    }
}

impl Workspace {
    /// Whether some project was not searched since its last change.
    #[must_use]
    pub fn has_hint_tasks(&self) -> bool {
        let is_due =
            |p: &Arc<Project>| !p.hints.searched && p.resolution.has_hint_search() && !self.is_out(p);
        self.projects.iter().any(is_due)
    }

    /// The searches of all projects that were not searched since their last change.
    #[must_use]
    pub fn hint_tasks(&self) -> Vec<HintTask> {
        let due = self
            .projects
            .iter()
            .filter(|p| !p.hints.searched && p.resolution.has_hint_search() && !self.is_out(p));
        let table = self.store.snapshot();
        let task = |project: &Arc<Project>| {
            Some(HintTask {
                project: project.clone(),
                search: project.resolution.hints.clone()?,
                configs: self.configs.clone(),
                table: table.clone(),
            })
        };
        due.filter_map(task).collect()
    }

    /// Applies the results of searches, except for projects that have changed since.
    pub fn set_hints(&mut self, found: Vec<FoundHints>) -> Changes {
        let mut changes = Changes::default();
        for found in found {
            let Some(i) = self.projects.index_of(found.before.number) else {
                continue;
            };
            let is_same = |project: &Arc<Project>| Arc::ptr_eq(project, &found.before);
            if self.projects.get(i).is_some_and(is_same) {
                self.projects.put(i, found.project);
                changes.files.extend(found.differing);
                self.snapshot = None;
            }
        }
        changes
    }

    /// Searches the hints of all projects, on all processors.
    pub fn search_hints(&mut self) -> Changes {
        let tasks = self.hint_tasks();
        let found = tasks.par_iter().map(|task| task.run(&Stop::default()));
        let found = found.collect();
        self.set_hints(found)
    }
}
