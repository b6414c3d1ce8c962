//! Work on files and projects: started by the owner of the workspace, run anywhere, and applied by the owner
//! again.
//!
//! There are four kinds: reading changed texts, searching for projects, a pass over a project, and checking an
//! open file of a project without a pass. Long work uses a fork of the store, so that the owner can continue:
//! concurrent changes make the same work due again, and the running one is then stopped.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use camino::Utf8Path;
use rustc_hash::{FxHashMap, FxHashSet};
use tracing::{Span, debug_span};

use super::job::{Job, Outcome, Shared, Subject, Work};
use super::names::ChangedOf;
use super::passes::dirs_around;
use super::since::Since;
use super::{Changes, PassGround, Stale, Workspace};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::Stop;
use applyorder_core::files::CameOrWent;

/// Work that was started and not applied completely.
pub(super) struct Out {
    pub(super) shared: Arc<Shared>,
    /// What is running, how it is stopped, and why a project is resolved.
    pub(super) going: FxHashMap<Subject, (Stop, Option<Stale>)>,
    is_long: bool,
    /// Whether it comes before other work: it is about open files.
    is_first: bool,
    /// The files whose content changed since.
    pub(super) changed: Arc<FxHashSet<FileId>>,
    /// The paths that were created or deleted since.
    pub(super) happened: Arc<CameOrWent>,
    /// The names that were added or removed since.
    pub(super) names: ChangedOf,
}

/// What is to be done next.
pub(super) struct Due {
    pub(super) jobs: Vec<Job>,
    pub(super) is_long: bool,
    pub(super) is_first: bool,
}

impl Changes {
    /// Combines both.
    pub fn add(&mut self, other: Self) {
        self.files.extend(other.files);
        self.projects |= other.projects;
        self.orders |= other.orders;
    }
}

/// How many times longer than estimated work that is done at once may take; then it is stopped, and done
/// elsewhere.
const GRACE: u32 = 2;

/// Results are applied for this long: the wait is not noticeable.
const SLICE: Duration = Duration::from_millis(5);

/// How many texts are applied in one go, and as how many of them a pass counts.
const MANY: usize = 512;
const PASS: usize = 16;

impl Workspace {
    /// Returns the work to be done next: first what takes no longer than `short` by estimate, then the rest.
    /// Must be called until nothing is returned; short work must be run and applied in between.
    pub fn begin(&mut self, short: Duration) -> (Changes, Option<Work>) {
        // Searching for projects and reading them list the same directories.
        self.recent.keep_lists();
        let span = Span::current();
        let _span = debug_span!("begin").entered();
        let mut changes = Changes::default();
        self.stop_what_is_stale();
        self.bring_forward();
        self.leave_out();
        if self.seeds_differ {
            self.take_seeds(&mut changes);
        }
        let due = self
            .due_reads(short)
            .or_else(|| self.due_searches(short))
            .or_else(|| self.due_looks(short))
            .or_else(|| self.due_passes(short));
        self.report_moved(&mut changes);
        if !changes.files.is_empty() {
            self.snapshot = None;
        }
        let Some(due) = due else {
            if self.out.is_empty() {
                self.recent.forget();
            }
            return (changes, None);
        };
        let store = if due.is_long {
            Arc::new(self.store.fork())
        } else {
            self.store.clone()
        };
        let limit = match short.checked_mul(GRACE).filter(|_| !due.is_long) {
            Some(limit) => Stop::after(limit),
            None => Stop::default(),
        };
        let mut going = FxHashMap::default();
        let mut waiting = VecDeque::with_capacity(due.jobs.len());
        for job in due.jobs {
            let stop = if due.is_long {
                Stop::default()
            } else {
                limit.clone()
            };
            let why = match &job {
                Job::Pass(passing) => Some(passing.why.clone()),
                _ => None,
            };
            going.insert(job.subject(), (stop.clone(), why));
            waiting.push_back((job, stop));
        }
        let ground = Arc::new(PassGround {
            store,
            files: self.files.clone(),
            configs: self.configs.clone(),
            options: self.options.clone(),
            unwanted: self.unwanted.clone(),
            names: self.declared_names(),
        });
        let shared = Arc::new(Shared {
            ground,
            engines: self.engines,
            only: self.only,
            progress: self.progress.clone(),
            span,
            waiting: Mutex::new(waiting),
            done: Mutex::default(),
        });
        self.out.push(Out {
            shared: shared.clone(),
            going,
            is_long: due.is_long,
            is_first: due.is_first,
            changed: Arc::default(),
            happened: Arc::default(),
            names: ChangedOf::default(),
        });
        let is_long = due.is_long;
        (changes, Some(Work { shared, is_long }))
    }

    /// Applies what is done so far, and returns what changed.
    pub fn take_over(&mut self) -> Changes {
        let mut changes = Changes::default();
        loop {
            let (slice, is_more) = self.take_over_some();
            changes.add(slice);
            if !is_more {
                return changes;
            }
        }
    }

    /// The same for no more than takes no noticeable time, and whether there is more.
    pub fn take_over_some(&mut self) -> (Changes, bool) {
        self.take_over_for(SLICE)
    }

    /// The same for a time, or a little longer.
    pub(super) fn take_over_for(&mut self, slice: Duration) -> (Changes, bool) {
        let _span = debug_span!("take_over").entered();
        let since = Instant::now();
        let mut changes = Changes::default();
        let mut garbage: Vec<Arc<dyn Any + Send + Sync>> = Vec::new();
        let is_more = loop {
            let is_more = self.take_over_many(&mut changes, &mut garbage);
            if !is_more || since.elapsed() >= slice {
                break is_more;
            }
        };
        self.out.retain(|out| !out.going.is_empty());
        self.forget_what_was_sought();
        self.report_moved(&mut changes);
        // What was searched for is read next.
        if self.is_settled() {
            self.recent.forget();
        }
        if !changes.files.is_empty() {
            self.snapshot = None;
        }
        if !garbage.is_empty() {
            // Freeing the data of a large project takes long.
            rayon::spawn(move || drop(garbage));
        }
        (changes, is_more)
    }

    /// Applies the first of what is done, and returns whether some is left. State that was replaced is added to `garbage`.
    fn take_over_many(
        &mut self,
        changes: &mut Changes,
        garbage: &mut Vec<Arc<dyn Any + Send + Sync>>,
    ) -> bool {
        let mut is_more = false;
        let mut left = MANY;
        for at in 0..self.out.len() {
            let Some(out) = self.out.get_mut(at) else { break };
            let mut done = std::mem::take(&mut *out.shared.done());
            if done.is_empty() {
                continue;
            }
            let weights = done.iter().map(|(_, outcome)| match outcome {
                Outcome::Read(_) => 1,
                _ => PASS,
            });
            let fits = |weight: &usize| {
                let fits = left >= *weight;
                left = left.saturating_sub(*weight);
                fits
            };
            let most = weights.take_while(fits).count();
            if most < done.len() {
                is_more = true;
                let rest = done.split_off(most);
                out.shared.done().extend(rest);
            }
            if done.is_empty() {
                continue;
            }
            let store = out.shared.ground.store.clone();
            if !Arc::ptr_eq(&store, &self.store) {
                self.store.join(&store, &out.changed);
            }
            let since = self.since(at);
            let Some(out) = self.out.get_mut(at) else { break };
            let whys: Vec<Option<Stale>> = done
                .iter()
                .map(|(subject, _)| out.going.remove(subject)?.1)
                .collect();
            let is_limited = !out.is_long;
            let dropped = self.take_over_from(done, whys, &since, is_limited, changes);
            if !is_limited {
                garbage.extend(dropped);
            }
        }
        is_more
    }

    /// Returns what is no longer needed.
    fn take_over_from(
        &mut self,
        done: Vec<(Subject, Outcome)>,
        whys: Vec<Option<Stale>>,
        since: &Since,
        is_limited: bool,
        changes: &mut Changes,
    ) -> Vec<Arc<dyn Any + Send + Sync>> {
        let mut garbage: Vec<Arc<dyn Any + Send + Sync>> = Vec::new();
        // The set of projects changes last: the numbers of the current ones stay valid for the other results.
        let (mut read, mut searched) = (Vec::new(), Vec::new());
        for ((subject, outcome), why) in done.into_iter().zip(whys) {
            match (subject, outcome) {
                (Subject::File(file), Outcome::Read(change)) => {
                    if !since.has_changed(file)
                        && let Some(newer) = self.newer.remove(&file)
                    {
                        read.push((file, newer.change(change, self.engines)));
                        garbage.push(Arc::new(newer));
                    }
                }
                (Subject::Engine(engine), Outcome::Searched(found)) => searched.push((engine, Some(found))),
                (Subject::Engine(engine), _) => searched.push((engine, None)),
                (Subject::Project(number), Outcome::Passed(passed)) => {
                    if let Some(i) = self.projects.index_of(number) {
                        let old = self.passed_over(i, *passed, why, since, is_limited, changes);
                        garbage.extend(old.map(|old| old as Arc<dyn Any + Send + Sync>));
                    }
                }
                (Subject::Look(file, number), Outcome::Looked(found)) => {
                    if let Some(i) = self.projects.index_of(number) {
                        self.looked((file, i), &found, since, changes);
                    }
                }
                _ => {}
            }
        }
        self.were_read(&read);
        for (engine, found) in searched {
            self.searched(engine, found, since);
        }
        if self.seeds_differ {
            self.take_seeds(changes);
        }
        garbage
    }

    /// Records for work that is running that something was created or deleted at some paths.
    pub(super) fn note_came_or_went<'a>(&mut self, paths: impl Iterator<Item = &'a Utf8Path> + Clone) {
        for out in &mut self.out {
            let happened = Arc::make_mut(&mut out.happened);
            paths.clone().for_each(|path| happened.add(path));
        }
    }

    /// The changes since some work was started.
    fn since(&self, out: usize) -> Since {
        let Some(out) = self.out.get(out) else {
            return Since::default();
        };
        Since {
            files: out.changed.clone(),
            happened: out.happened.clone(),
            names: out.names.clone(),
        }
    }

    /// Stops the work that will have to be done again.
    fn stop_what_is_stale(&mut self) {
        if self.out.is_empty() {
            return;
        }
        let projects = self.stale.keys().filter_map(|i| self.projects.get(*i));
        let projects = projects.map(|project| Subject::Project(project.number));
        let engines = self.rediscover.iter().map(|engine| Subject::Engine(*engine));
        for subject in projects.chain(engines) {
            self.stop(subject);
        }
    }

    /// Stops the work on something.
    pub(super) fn stop(&self, subject: Subject) {
        for out in &self.out {
            if let Some((stop, _)) = out.going.get(&subject) {
                stop.request();
            }
        }
    }

    /// Takes back projects that wait for their first pass among others and were opened in the meantime.
    fn bring_forward(&mut self) {
        let opened = std::mem::take(&mut self.opened);
        if opened.is_empty() || self.out.is_empty() {
            return;
        }
        let dirs = dirs_around(opened.iter().map(|path| &**path));
        let mut back: Vec<(u64, Stale)> = Vec::new();
        let mut outs = std::mem::take(&mut self.out);
        for out in outs.iter_mut().filter(|out| out.is_long && !out.is_first) {
            let mut waiting = out.shared.waiting();
            if waiting.is_empty() {
                continue;
            }
            waiting.retain(|(job, _)| {
                let Job::Pass(passing) = job else { return true };
                if !passing.project.is_around(&dirs) {
                    return true;
                }
                back.push((passing.project.number, passing.why.clone()));
                out.going.remove(&Subject::Project(passing.project.number));
                false
            });
        }
        outs.retain(|out| !out.going.is_empty());
        self.out = outs;
        if back.is_empty() {
            return;
        }
        for (number, why) in back {
            if let Some(i) = self.projects.index_of(number) {
                self.note_stale(i, why);
            }
        }
    }

    /// Forgets the started work: it will never end. Its subjects stay as they are.
    pub fn abandon_work(&mut self) {
        for out in std::mem::take(&mut self.out) {
            for (subject, (stop, _)) in out.going {
                stop.request();
                if let Subject::File(file) = subject {
                    self.newer.remove(&file);
                }
            }
        }
    }

    /// Whether work on a subject is running.
    pub(super) fn is_going(&self, subject: Subject) -> bool {
        self.out.iter().any(|out| out.going.contains_key(&subject))
    }
}
