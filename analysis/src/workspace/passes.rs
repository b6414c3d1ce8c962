//! Passes over projects: begun by the owner of the workspace, made anywhere, and taken over by the owner again.
//!
//! A pass that may take long works on a fork of the store, so that the owner can go on: what changes meanwhile makes the
//! project stale again as soon as the pass is taken over.

use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use tracing::{Span, debug_span};

use super::hints::ProjectHints;
use super::{Changes, Progress, Project, Stale, Workspace};
use applyorder_core::config::Configs;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Cx, RunOptions};
use applyorder_core::files::{AskedPaths, Overlay, Question};
use applyorder_core::rules::Rule;
use applyorder_core::store::Store;

/// Passes over some projects, ready to be made on any thread.
pub struct Passes {
    number: u64,
    is_long: bool,
    pub(super) stale: Vec<(Arc<Project>, Stale)>,
    store: Arc<Store>,
    files: Overlay,
    configs: Arc<Configs>,
    options: Arc<RunOptions>,
    unwanted: Arc<[&'static Rule]>,
    progress: Arc<Progress>,
    span: Span,
}

/// What passes have made.
pub struct Passed {
    number: u64,
    store: Arc<Store>,
    projects: Vec<Project>,
}

/// Passes that were begun and not taken over yet.
pub(super) struct Out {
    number: u64,
    /// Where they read files.
    pub(super) store: Arc<Store>,
    /// The numbers of their projects.
    projects: FxHashSet<u64>,
    /// The files whose content changed since.
    pub(super) changed: FxHashSet<FileId>,
    /// The paths at which something came or went since.
    pub(super) happened: Vec<Utf8PathBuf>,
}

impl Changes {
    /// Both.
    pub fn add(&mut self, other: Self) {
        self.files.extend(other.files);
        self.projects |= other.projects;
        self.orders |= other.orders;
    }
}

impl Workspace {
    /// Finds projects where there may be others, and gives the passes over stale ones that are to be made next: first
    /// those that together take no longer than `short`, as far as one can tell, then the others. To be called until
    /// nothing is given, what is short being made and taken over in between.
    pub fn begin_passes(&mut self, short: Duration) -> (Changes, Option<Passes>) {
        // Who looks for projects and who reads them list the same directories.
        self.recent.keep_lists();
        let mut changes = Changes::default();
        if !self.rediscover.is_empty() {
            self.find_projects(&mut changes);
            self.progress.find(self.projects.len());
        }
        let (chosen, is_long) = self.next_stale(short);
        let stale: Vec<(Arc<Project>, Stale)> = chosen
            .into_iter()
            .filter_map(|i| Some((self.projects.get(i)?.clone(), self.stale.remove(&i)?)))
            .collect();
        self.tell_moved(&mut changes);
        if !changes.files.is_empty() || changes.projects {
            self.snapshot = None;
        }
        if stale.is_empty() {
            if self.out.is_empty() {
                self.recent.forget();
            }
            return (changes, None);
        }
        self.passes_begun += 1;
        let store = if is_long {
            Arc::new(self.store.fork())
        } else {
            self.store.clone()
        };
        self.out.push(Out {
            number: self.passes_begun,
            store: store.clone(),
            projects: stale.iter().map(|(project, _)| project.number).collect(),
            changed: FxHashSet::default(),
            happened: Vec::new(),
        });
        let passes = Passes {
            number: self.passes_begun,
            is_long,
            stale,
            store,
            files: self.files.clone(),
            configs: self.configs.clone(),
            options: self.options.clone(),
            unwanted: self.unwanted.clone(),
            progress: self.progress.clone(),
            span: Span::current(),
        };
        (changes, Some(passes))
    }

    /// The stale projects whose passes come next, by their indices, and whether they may take long.
    fn next_stale(&self, short: Duration) -> (Vec<usize>, bool) {
        let waiting = |i: &&usize| self.projects.get(**i).is_some_and(|p| !self.is_out(p));
        let stale: Vec<usize> = self.stale.keys().filter(waiting).copied().collect();
        if short == Duration::MAX {
            return (stale, false);
        }
        let mut known: Vec<(Duration, usize)> = stale
            .iter()
            .filter_map(|i| Some((self.projects.get(*i)?.took?, *i)))
            .collect();
        known.sort_unstable();
        let mut sum = Duration::ZERO;
        let quick: Vec<usize> = known
            .into_iter()
            .take_while(|(took, _)| {
                sum += *took;
                sum <= short
            })
            .map(|(_, i)| i)
            .collect();
        if !quick.is_empty() {
            return (quick, false);
        }
        // Nobody knows how long those take that were never passed over: together, but what is open comes before the
        // rest is read.
        let is_new = |i: &usize| self.projects.get(*i).is_some_and(|p| p.took.is_none());
        let new: Vec<usize> = stale.iter().copied().filter(is_new).collect();
        let (open, others): (Vec<usize>, Vec<usize>) = new.into_iter().partition(|i| self.is_around_open(*i));
        if let Some(first) = [open, others].into_iter().find(|some| !some.is_empty()) {
            return (first, true);
        }
        // The others each by itself: who asks about one does not wait for another.
        let took = |i: &usize| self.projects.get(*i).and_then(|project| project.took);
        (stale.into_iter().min_by_key(took).into_iter().collect(), true)
    }

    /// Whether an unsaved text is in the directory of a project.
    fn is_around_open(&self, project: usize) -> bool {
        let Some(project) = self.projects.get(project) else {
            return false;
        };
        let root = &project.seed.root;
        let dir = root.parent().unwrap_or(root);
        self.files
            .unsaved()
            .any(|path| path.starts_with(root) || path.starts_with(dir))
    }

    /// Takes over what passes have made, and says what reads otherwise now.
    pub fn end_passes(&mut self, passed: Passed) -> Changes {
        let mut changes = Changes::default();
        let Some(at) = self.out.iter().position(|out| out.number == passed.number) else {
            return changes;
        };
        let out = self.out.swap_remove(at);
        if !Arc::ptr_eq(&passed.store, &self.store) {
            self.store.join(&passed.store, &out.changed);
        }
        let numbers = self.projects.iter().map(|project| project.number);
        let indices: FxHashMap<u64, usize> = numbers.zip(0..).collect();
        let changed: Vec<(FileId, Question)> = out
            .changed
            .iter()
            .map(|file| (*file, Question::Read(self.store.path(*file))))
            .collect();
        let happened: Vec<&Utf8Path> = out.happened.iter().map(Utf8PathBuf::as_path).collect();
        for project in passed.projects {
            let Some((i, old)) = indices
                .get(&project.number)
                .and_then(|i| Some((*i, self.projects.get_mut(*i)?)))
            else {
                continue;
            };
            if !Arc::ptr_eq(&project.questions, &old.questions) {
                self.questions_version += 1;
                self.asked = None;
            }
            if old.took.is_none() {
                changes.files.extend(project.files());
            }
            project.differences(old, &mut changes.files);
            for (file, question) in &changed {
                if project.questions.contain(question) {
                    note_edit(&mut self.stale, i, *file);
                }
            }
            if !happened.is_empty() {
                let asked = AskedPaths::new([(0, &*project.questions)]);
                let is_unsaved = |path: &Utf8Path| self.files.text(path).is_some();
                if !asked
                    .differing_after(&happened, &self.files, is_unsaved)
                    .is_empty()
                {
                    note_other_world(&mut self.stale, i);
                }
            }
            let before = std::mem::replace(old, Arc::new(project));
            // Nobody waits until the state before is freed.
            rayon::spawn(move || drop(before));
            changes.orders = true;
            self.snapshot = None;
        }
        self.tell_moved(&mut changes);
        if self.out.is_empty() {
            self.recent.forget();
        }
        if !changes.files.is_empty() {
            self.snapshot = None;
        }
        changes
    }

    /// Forgets the passes that were begun: they will never end. Their projects stay as they are.
    pub fn abandon_passes(&mut self) {
        self.out.clear();
    }

    /// Adds the files whose text moved, and those with findings that speak of them.
    fn tell_moved(&mut self, changes: &mut Changes) {
        let moved = std::mem::take(&mut self.moved);
        if !moved.is_empty() {
            for project in &self.projects {
                changes.files.extend(project.files_speaking_of(&moved));
            }
            changes.files.extend(moved);
        }
    }

    /// Whether a pass over a project goes on.
    pub(super) fn is_out(&self, project: &Project) -> bool {
        self.out.iter().any(|out| out.projects.contains(&project.number))
    }

    /// Whether everything is up to date.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.out.is_empty() && self.stale.is_empty() && self.rediscover.is_empty()
    }

    /// Whether all is up to date that concerns a file: it belongs to a project, and to none that is stale.
    #[must_use]
    pub fn is_settled_for(&self, file: FileId) -> bool {
        self.is_settled() || self.settled_files().contains(&file)
    }
}

impl Workspace {
    /// The files of which [`Self::is_settled_for`] holds while not everything is up to date.
    #[must_use]
    pub fn settled_files(&self) -> FxHashSet<FileId> {
        let (mut settled, mut others) = (FxHashSet::default(), FxHashSet::default());
        for (i, project) in self.projects.iter().enumerate() {
            let is_settled = !self.stale.contains_key(&i) && !self.is_out(project);
            let files = if is_settled { &mut settled } else { &mut others };
            files.extend(project.files());
        }
        settled.retain(|file| self.rediscover.is_empty() && !others.contains(file));
        settled
    }
}

/// Notes that the content of a file has another shape.
pub(super) fn note_edit(stale: &mut FxHashMap<usize, Stale>, project: usize, file: FileId) {
    match stale.entry(project).or_insert_with(|| Stale::Edited(Vec::new())) {
        Stale::Edited(files) if !files.contains(&file) => files.push(file),
        _ => {}
    }
}

/// Notes that other files or directories may be there.
pub(super) fn note_other_world(stale: &mut FxHashMap<usize, Stale>, project: usize) {
    if !matches!(stale.get(&project), Some(Stale::World | Stale::Everything)) {
        stale.insert(project, Stale::World);
    }
}

impl Passes {
    /// Whether it may take so long that it is better made elsewhere.
    #[must_use]
    pub fn is_long(&self) -> bool {
        self.is_long
    }

    /// Makes them.
    #[must_use]
    pub fn run(self) -> Passed {
        let resolve = |(project, why): &(Arc<Project>, Stale)| self.resolve(project, why);
        let projects = match self.stale.as_slice() {
            // One alone is not worth the way to another thread and back.
            [one] => vec![self.span.in_scope(|| resolve(one))],
            many => many
                .par_iter()
                .map(|one| self.span.in_scope(|| resolve(one)))
                .collect(),
        };
        Passed {
            number: self.number,
            store: self.store,
            projects,
        }
    }

    fn resolve(&self, old: &Project, why: &Stale) -> Project {
        let since = Instant::now();
        let (engine, seed) = (old.engine(), &old.seed);
        let _span = debug_span!("resolve", engine = engine.meta().id, root = seed.root.as_str()).entered();
        let mut hints = ProjectHints::default();
        let mut cx =
            Cx::new(&self.store, &self.files, &self.configs, engine, seed.engine).without(&self.unwanted);
        match why {
            Stale::Edited(files) if !old.carried.is_worn() => {
                hints = old.hints.after(files);
                let edits = (files.clone(), old.questions.clone());
                cx = cx.after(old.carried.clone(), Some(edits));
            }
            Stale::World if !old.carried.is_worn() => {
                cx = cx.after(Arc::new(old.carried.in_another_world()), None);
            }
            _ => {}
        }
        // The command line refuses options that an engine does not know before it comes here; in a server's
        // settings they are for the engines that know them.
        let options = self.options.only(engine.meta().options);
        let resolution = engine.resolve(&cx, seed, &options);
        let carried = cx.carried().clone();
        self.progress.resolve_one();
        old.after(since.elapsed(), resolution, hints, cx.into_questions(), carried)
    }
}
