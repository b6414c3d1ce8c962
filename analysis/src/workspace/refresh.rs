//! From what became stale to projects that are up to date: how they are found.

use std::sync::Arc;
use std::time::Duration;

use camino::Utf8Path;
use rustc_hash::{FxHashMap, FxHashSet};
use tracing::debug_span;

use super::{Candidate, Changes, Found, Project, Stale, Workspace};
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

    /// Puts the files in order that engines recognised, where they may be others than before.
    fn find_candidates(&mut self, concerned: &FxHashSet<EngineIx>) {
        let is_unknown = |engine: &EngineIx| {
            let discovery = self.discovery.get(engine.index());
            discovery.is_some_and(|d| d.found.is_none())
        };
        let unknown: FxHashSet<EngineIx> = concerned.iter().copied().filter(is_unknown).collect();
        if unknown.is_empty() {
            return;
        }
        let mut candidates: Vec<(Arc<Utf8Path>, FileId, &Candidate)> = self
            .candidates
            .iter()
            .filter(|(_, c)| c.engines.iter().any(|engine| unknown.contains(engine)))
            .map(|(id, c)| (self.store.path(*id), *id, c))
            .filter(|(path, _, _)| !self.configs.is_excluded(path))
            .collect();
        candidates.sort_by(|a, b| path_order(&a.0, &b.0));
        for engine in unknown {
            let own = candidates.iter().filter(|(_, _, c)| c.engines.contains(&engine));
            let mut found = Found::default();
            for (_, file, candidate) in own {
                found.files.push(*file);
                let is_explicit = candidate.offered == Some(Offer::Explicit);
                found.explicit.extend(is_explicit.then_some(*file));
            }
            found.explicit.sort_by_key(|file| self.named.get(file).copied());
            if let Some(discovery) = self.discovery.get_mut(engine.index()) {
                discovery.found = Some(found);
            }
        }
    }

    pub(super) fn find_projects(&mut self, changes: &mut Changes) {
        let concerned = std::mem::take(&mut self.rediscover);
        self.find_candidates(&concerned);
        let mut seeds: Vec<ProjectSeed> = self.given.iter().cloned().collect();
        for (index, engine) in self.engines.iter() {
            if self.given.is_some() || self.only.is_some_and(|only| only != index) {
                continue;
            }
            let Some(discovery) = self.discovery.get_mut(index.index()) else {
                continue;
            };
            if concerned.contains(&index) {
                let _span = debug_span!("projects", engine = engine.meta().id).entered();
                let Found { files, explicit } = discovery.found.get_or_insert_default();
                let cx = Cx::new(&self.store, &self.files, &self.configs, engine, index)
                    .chosen(self.only == Some(index));
                let mut found = engine.projects(&cx, files, explicit);
                found.iter_mut().for_each(|seed| seed.engine = index);
                discovery.questions = cx.into_questions();
                discovery.seeds = found;
                self.asked = None;
            }
            seeds.extend_from_slice(&discovery.seeds);
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
