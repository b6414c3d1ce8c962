//! From what became stale to projects that are up to date: how they are found.

use std::sync::Arc;
use std::time::Duration;

use camino::Utf8Path;
use rustc_hash::FxHashMap;
use tracing::debug_span;

use super::{Candidate, Changes, Project, Stale, Workspace};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Cx, EngineIx, Offer, ProjectSeed};
use applyorder_core::files::path_order;

impl Workspace {
    /// Brings everything up to date, and says what reads otherwise now.
    pub fn refresh(&mut self) -> Changes {
        let mut changes = Changes::default();
        loop {
            let (found, passes) = self.begin_passes(Duration::MAX);
            changes.add(found);
            let Some(passes) = passes else { break };
            changes.add(self.end_passes(passes.run()));
        }
        changes
    }

    pub(super) fn find_projects(&mut self, changes: &mut Changes) {
        let mut candidates: Vec<(Arc<Utf8Path>, FileId, &Candidate)> = self
            .candidates
            .iter()
            .map(|(id, c)| (self.store.path(*id), *id, c))
            .filter(|(path, _, _)| !self.configs.is_excluded(path))
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
        for (new, seed) in seeds.into_iter().enumerate() {
            let at = self.projects.len();
            if let Some(i) = kept.get(&new)
                && let Some(project) = old.get(*i)
            {
                if let Some(why) = stale_old.remove(i) {
                    self.stale.insert(at, why);
                }
                self.projects.push(project.clone());
            } else if let Some(engine) = self.engines.get(seed.engine) {
                self.stale.insert(at, Stale::Everything);
                self.projects.push(Arc::new(Project::unseen(engine, seed)));
            }
        }
        for (project, used) in old.iter().zip(&used) {
            if !used {
                changes.files.extend(project.files());
            }
        }
    }
}
