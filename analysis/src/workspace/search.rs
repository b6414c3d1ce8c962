//! How projects are found: the engines' results for the files that they recognized.

use std::sync::Arc;
use std::time::Duration;

use camino::Utf8Path;
use rustc_hash::FxHashMap;
use tracing::debug_span;

use super::job::{Job, Shared, Subject, timed};
use super::since::Since;
use super::texts::AT_ONCE;
use super::work::Due;
use super::{Changes, Discovery, Found, Project, Recognised, Stale, Workspace};
use applyorder_core::declared::NamesOfFiles;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Cx, EngineIx, Offer, ProjectSeed, Stop};
use applyorder_core::files::{Questions, path_order};

/// An engine that is to search for its projects.
pub(super) struct Searching {
    pub(super) engine: EngineIx,
    candidates: Candidates,
}

/// The files that an engine recognized.
enum Candidates {
    /// Sorted.
    Known(Arc<Found>),
    /// Unsorted.
    Unsorted {
        files: Vec<FileId>,
        /// Those that were named, in that order: as often as they were named.
        explicit: Vec<FileId>,
    },
}

/// The result of a search.
pub(super) struct Searched {
    found: Arc<Found>,
    seeds: Vec<ProjectSeed>,
    names: Option<NamesOfFiles>,
    questions: Arc<Questions>,
    took: Duration,
}

impl Workspace {
    /// The engines that are to search for their projects next.
    pub(super) fn due_searches(&mut self, short: Duration) -> Option<Due> {
        let mut engines: Recognised = self.rediscover.iter().copied().collect();
        engines.retain(|engine| !self.is_going(Subject::Engine(*engine)));
        if engines.is_empty() {
            return None;
        }
        engines.sort_unstable();
        let mut sum = Duration::ZERO;
        let is_quick = |engine: &EngineIx| {
            let discovery = self.discovery.get(engine.index());
            // A text that is still to be read makes it long.
            let known = discovery.filter(|d| d.others <= AT_ONCE && self.newer.is_empty());
            match known.and_then(|d| d.took) {
                Some(took) => {
                    sum = sum.saturating_add(took);
                    sum <= short
                }
                None => short == Duration::MAX,
            }
        };
        let (quick, long): (Recognised, Recognised) = engines.into_iter().partition(is_quick);
        let is_long = quick.is_empty();
        // What they find may depend on the configuration.
        if is_long && self.unconfigured.is_some() {
            return None;
        }
        let due = if is_long { long } else { quick };
        let jobs = due.into_iter().map(|engine| {
            self.rediscover.remove(&engine);
            Job::Search(Searching {
                engine,
                candidates: self.candidates_of(engine),
            })
        });
        Some(Due {
            jobs: jobs.collect(),
            is_long,
            is_first: true,
        })
    }

    /// Engines that the user excluded find nothing.
    pub(super) fn leave_out(&mut self) {
        let is_left_out =
            |engine: &EngineIx| self.given.is_some() || self.only.is_some_and(|only| only != *engine);
        for engine in self.rediscover.extract_if(is_left_out) {
            if let Some(discovery) = self.discovery.get_mut(engine.index()) {
                *discovery = Discovery::default();
            }
            self.seeds_differ = true;
        }
    }

    fn candidates_of(&self, engine: EngineIx) -> Candidates {
        let known = self.discovery.get(engine.index()).and_then(|d| d.found.clone());
        match known {
            Some(found) => Candidates::Known(found),
            None => {
                let own = self
                    .candidates
                    .iter()
                    .filter(|(_, c)| c.engines.contains(&engine));
                let mut files = Vec::new();
                let mut explicit: Vec<(usize, FileId)> = Vec::new();
                for (file, candidate) in own {
                    files.push(*file);
                    if candidate.offered == Some(Offer::Explicit) {
                        let places = self.named.get(file).map_or(&[usize::MAX][..], Vec::as_slice);
                        explicit.extend(places.iter().map(|place| (*place, *file)));
                    }
                }
                explicit.sort_unstable();
                let explicit = explicit.into_iter().map(|(_, file)| file).collect();
                Candidates::Unsorted { files, explicit }
            }
        }
    }

    /// Applies the result of an engine's search; `None`: it was stopped.
    pub(super) fn searched(&mut self, engine: EngineIx, found: Option<Searched>, since: &Since) {
        let (Some(discovery), Some(found)) = (self.discovery.get_mut(engine.index()), found) else {
            if let Some(discovery) = self.discovery.get_mut(engine.index()) {
                discovery.took = None;
            }
            self.rediscover.insert(engine);
            return;
        };
        discovery.took = Some(found.took);
        discovery.others = 0;
        // Otherwise its candidates have changed since.
        if !self.rediscover.contains(&engine) {
            discovery.found = Some(found.found);
        }
        let names = std::mem::replace(&mut discovery.names, found.names);
        discovery.seeds = found.seeds;
        discovery.questions = found.questions;
        let questions = discovery.questions.clone();
        self.forget_asked();
        self.seeds_differ = true;
        let table = self.store.snapshot();
        let reads = since.read_of(&questions, &table).next().is_some();
        if reads || since.came_or_went(&questions, &self.files) {
            self.rediscover.insert(engine);
        }
        self.other_names(engine, names, since);
    }

    /// Creates projects from what the engines found, and keeps those that existed before.
    pub(super) fn take_seeds(&mut self, changes: &mut Changes) {
        self.seeds_differ = false;
        let given = self.given.iter();
        let found = self.discovery.iter().flat_map(|discovery| &discovery.seeds);
        let seeds: Vec<ProjectSeed> = given.chain(found).cloned().collect();
        let same = seeds.len() == self.projects.len()
            && seeds
                .iter()
                .zip(self.projects.iter())
                .all(|(seed, project)| *seed == *project.seed);
        self.progress.find(seeds.len());
        if same {
            return;
        }
        changes.projects = true;
        self.snapshot = None;
        self.questions_version += 1;
        self.forget_asked();
        let old = self.projects.to_vec();
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
                    used.get(*i) == Some(&false) && old.get(*i).is_some_and(|project| *project.seed == *seed)
                });
            if let Some(i) = same
                && let Some(used) = used.get_mut(i)
            {
                *used = true;
                kept.insert(new, i);
            }
        }
        let mut projects = Vec::with_capacity(seeds.len());
        for (new, seed) in seeds.into_iter().enumerate() {
            let at = projects.len();
            if let Some(i) = kept.get(&new)
                && let Some(project) = old.get(*i)
            {
                if let Some(why) = stale_old.remove(i) {
                    self.stale.insert(at, why);
                }
                projects.push(project.clone());
            } else if let Some(engine) = self.engines.get(seed.engine) {
                self.stale.insert(at, Stale::Everything);
                projects.push(Arc::new(Project::unseen(engine, seed)));
            }
        }
        self.projects.replace(projects);
        for (project, used) in old.iter().zip(&used) {
            if !used {
                changes.files.extend(project.files());
                self.stop(Subject::Project(project.number));
            }
        }
        // Freeing the data of many projects takes long.
        rayon::spawn(move || drop(old));
    }

    /// Whether an engine may find other projects than the current ones.
    pub(super) fn is_searching(&self, engine: EngineIx) -> bool {
        self.rediscover.contains(&engine) || self.is_going(Subject::Engine(engine))
    }

    /// Whether the running search may replace a project: it was found by its surroundings, or is about a file
    /// that caused the search.
    pub(super) fn may_be_replaced(&self, project: &Project) -> bool {
        self.is_searching(project.seed.engine)
            && (project.seed.inferred
                || !self.unsought.is_empty() && project.files().any(|file| self.unsought.contains(&file)))
    }

    /// Forgets what the searches were for, once all have ended.
    pub(super) fn forget_what_was_sought(&mut self) {
        let mut engines = self.engines.iter();
        if !self.unsought.is_empty() && !engines.any(|(engine, _)| self.is_searching(engine)) {
            self.unsought.clear();
        }
    }
}

impl Shared {
    pub(super) fn search(&self, searching: &Searching, stop: &Stop) -> Searched {
        let index = searching.engine;
        let ((found, seeds, names, questions), took) = timed(|| {
            let found = match &searching.candidates {
                Candidates::Known(found) => found.clone(),
                Candidates::Unsorted { files, explicit } => Arc::new(self.sorted(files, explicit)),
            };
            let Some(engine) = self.engines.get(index) else {
                return (found, Vec::new(), None, Arc::default());
            };
            let _span = debug_span!("projects", engine = engine.meta().id).entered();
            let ground = &self.ground;
            let cx = Cx::new(&ground.store, &ground.files, &ground.configs, engine, index)
                .chosen(self.only == Some(index))
                .until(stop);
            let mut seeds = engine.projects(&cx, &found.files, &found.explicit);
            seeds.iter_mut().for_each(|seed| seed.engine = index);
            // A single project has no others.
            let shares_names = engine.shares_names() && seeds.len() > 1;
            let names = shares_names.then(|| cx.declared_by(&found.files));
            (found, seeds, names, cx.into_questions())
        });
        Searched {
            found,
            seeds,
            names,
            questions,
            took,
        }
    }

    fn sorted(&self, files: &[FileId], explicit: &[FileId]) -> Found {
        let mut sorted: Vec<(Arc<Utf8Path>, FileId)> = files
            .iter()
            .map(|file| (self.ground.store.path(*file), *file))
            .filter(|(path, _)| !self.ground.configs.is_excluded(path))
            .collect();
        sorted.sort_by(|a, b| path_order(&a.0, &b.0));
        let is_in = |file: &FileId| !self.ground.configs.is_excluded(&self.ground.store.path(*file));
        Found {
            files: sorted.into_iter().map(|(_, file)| file).collect(),
            explicit: explicit.iter().copied().filter(is_in).collect(),
        }
    }
}
