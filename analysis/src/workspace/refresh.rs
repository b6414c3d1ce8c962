//! From what became stale to projects that are up to date: they are found, and resolved on all processors.

use std::sync::Arc;

use camino::Utf8Path;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use tracing::{Span, debug_span};

use super::hints::ProjectHints;
use super::{Candidate, Changes, Project, Stale, Workspace};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Cx, EngineIx, Offer, ProjectSeed};
use applyorder_core::files::path_order;

impl Workspace {
    /// Brings everything up to date, and says what reads otherwise now.
    pub fn refresh(&mut self) -> Changes {
        // Who looks for projects and who reads them list the same directories.
        self.recent.keep_lists();
        let changes = self.bring_up_to_date();
        self.recent.forget();
        changes
    }

    fn bring_up_to_date(&mut self) -> Changes {
        let mut changes = Changes::default();
        if self.rediscover {
            self.rediscover = false;
            self.find_projects(&mut changes);
        }
        let stale: Vec<(usize, Stale)> = std::mem::take(&mut self.stale).into_iter().collect();
        let resolve = |(i, why): &(usize, Stale)| {
            let old = self.projects.get(*i)?;
            Some((*i, self.resolve(&old.seed, Some((old, why)))?))
        };
        // One alone is not worth the way to another thread and back.
        let span = Span::current();
        let resolved: Vec<(usize, Project)> = match stale.as_slice() {
            [one] => resolve(one).into_iter().collect(),
            many => many
                .par_iter()
                .filter_map(|one| span.in_scope(|| resolve(one)))
                .collect(),
        };
        if !resolved.is_empty() {
            self.snapshot = None;
        }
        for (i, project) in resolved {
            if let Some(old) = self.projects.get_mut(i) {
                if !Arc::ptr_eq(&project.questions, &old.questions) {
                    self.questions_version += 1;
                    self.asked = None;
                }
                project.differences(old, &mut changes.files);
                *old = Arc::new(project);
            }
        }
        let moved = std::mem::take(&mut self.moved);
        if !moved.is_empty() {
            for project in &self.projects {
                changes.files.extend(project.files_speaking_of(&moved));
            }
            changes.files.extend(moved);
        }
        if !changes.files.is_empty() || changes.projects {
            self.snapshot = None;
        }
        changes
    }

    fn find_projects(&mut self, changes: &mut Changes) {
        let mut candidates: Vec<(Arc<Utf8Path>, FileId, &Candidate)> = self
            .candidates
            .iter()
            .map(|(id, c)| (self.store.path(*id), *id, c))
            .collect();
        candidates.sort_by(|a, b| path_order(&a.0, &b.0));
        let mut seeds: Vec<ProjectSeed> = self.given.iter().cloned().collect();
        for (index, engine) in self.engines.iter() {
            if self.given.is_some() || self.only.is_some_and(|only| only != index) {
                continue;
            }
            let of = |c: &&Candidate| c.engines.contains(&index);
            let _span = debug_span!("projects", engine = engine.meta().id).entered();
            let found: Vec<FileId> = candidates
                .iter()
                .filter(|(_, _, c)| of(c))
                .map(|(_, id, _)| *id)
                .collect();
            let mut explicit: Vec<FileId> = candidates
                .iter()
                .filter(|(_, _, c)| of(c) && c.offered == Some(Offer::Explicit))
                .map(|(_, id, _)| *id)
                .collect();
            explicit.sort_by_key(|id| self.named.get(id).copied());
            let cx = Cx::new(&self.store, &self.files, &self.configs, engine, index)
                .chosen(self.only == Some(index));
            let mut found = engine.projects(&cx, &found, &explicit);
            found.iter_mut().for_each(|seed| seed.engine = index);
            if let Some(discovery) = self.discovery.get_mut(index.index()) {
                discovery.questions = cx.into_questions();
                self.asked = None;
                discovery.seeds.clone_from(&found);
            }
            seeds.extend(found);
        }
        let same = seeds.len() == self.projects.len()
            && seeds
                .iter()
                .zip(&self.projects)
                .all(|(seed, project)| *seed == project.seed);
        if same {
            return;
        }
        changes.projects = true;
        self.questions_version += 1;
        self.asked = None;
        let old = std::mem::take(&mut self.projects);
        let mut stale_old = std::mem::take(&mut self.stale);
        let mut by_root: FxHashMap<(EngineIx, &Utf8Path), Vec<usize>> = FxHashMap::default();
        for (i, project) in old.iter().enumerate() {
            let root = (project.seed.engine, project.seed.root.as_path());
            by_root.entry(root).or_default().push(i);
        }
        let mut kept: FxHashMap<usize, usize> = FxHashMap::default();
        let mut used = vec![false; old.len()];
        for (new, seed) in seeds.iter().enumerate() {
            let same = by_root
                .get(&(seed.engine, seed.root.as_path()))
                .into_iter()
                .flatten()
                .copied()
                .find(|i| {
                    used.get(*i) == Some(&false) && old.get(*i).is_some_and(|project| project.seed == *seed)
                });
            if let Some(i) = same
                && let Some(used) = used.get_mut(i)
            {
                *used = true;
                kept.insert(new, i);
            }
        }
        let span = Span::current();
        let mut fresh: FxHashMap<usize, Project> = seeds
            .par_iter()
            .enumerate()
            .filter(|(new, _)| !kept.contains_key(new))
            .filter_map(|(new, seed)| Some((new, span.in_scope(|| self.resolve(seed, None))?)))
            .collect();
        for new in 0..seeds.len() {
            if let Some(project) = fresh.remove(&new) {
                changes.files.extend(project.files());
                self.projects.push(Arc::new(project));
            } else if let Some(project) = kept.get(&new).and_then(|i| old.get(*i)) {
                if let Some(why) = kept.get(&new).and_then(|i| stale_old.remove(i)) {
                    self.stale.insert(self.projects.len(), why);
                }
                self.projects.push(project.clone());
            }
        }
        for (project, used) in old.iter().zip(&used) {
            if !used {
                changes.files.extend(project.files());
            }
        }
    }

    fn resolve(&self, seed: &ProjectSeed, old: Option<(&Arc<Project>, &Stale)>) -> Option<Project> {
        let engine = self.engines.get(seed.engine)?;
        let _span = debug_span!("resolve", engine = engine.meta().id, root = seed.root.as_str()).entered();
        let mut hints = ProjectHints::default();
        let mut cx =
            Cx::new(&self.store, &self.files, &self.configs, engine, seed.engine).without(&self.unwanted);
        match old {
            Some((old, Stale::Edited(files))) if !old.carried.is_worn() => {
                hints = old.hints.after(files);
                let edits = (files.clone(), old.questions.clone());
                cx = cx.after(old.carried.clone(), Some(edits));
            }
            Some((old, Stale::World)) if !old.carried.is_worn() => {
                cx = cx.after(Arc::new(old.carried.in_another_world()), None);
            }
            _ => {}
        }
        // The command line refuses options that an engine does not know before it comes here; in a server's
        // settings they are for the engines that know them.
        let options = self.options.only(engine.meta().options);
        let resolution = engine.resolve(&cx, seed, &options);
        let carried = cx.carried().clone();
        Some(Project::new(
            engine,
            seed.clone(),
            resolution,
            hints,
            cx.into_questions(),
            carried,
        ))
    }
}
