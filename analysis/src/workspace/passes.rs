//! Passes over projects: which are due, and how their results are applied.

use std::cell::LazyCell;
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8Path;
use rustc_hash::{FxHashMap, FxHashSet};
use tracing::{debug, debug_span};

use super::expectations::{self, Answers};
use super::hints::ProjectHints;
use super::job::{Job, Shared, Subject, stopped, timed};
use super::made::{Made, PassGround};
use super::since::Since;
use super::what_if::MOST;
use super::work::Due;
use super::{Changes, Project, Stale, Workspace};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Carried, Findings, Operation, Resolution, Stop};
use applyorder_core::files::{Question, Questions};

/// A project that is to be resolved, and why.
pub(super) struct Passing {
    pub(super) project: Arc<Project>,
    pub(super) why: Stale,
    /// Whether little of the result is kept if none of its files is open.
    pub(super) may_rest: bool,
}

/// The time limit of passes that are run one after the other.
const TOGETHER: Duration = Duration::from_millis(20);

/// If much changes at once, most of it is not open: this is the divisor of the time for it while the user
/// waits.
const NOT_OPEN: u32 = 4;

/// If there are more long passes than this, they are run one after the other too.
const FEW: usize = 4;

/// The result of a pass.
pub(super) struct PassedOver {
    /// The state that it started from.
    before: Arc<Project>,
    /// `None`: it was stopped.
    made: Option<Passed>,
    took: Duration,
    questions: Arc<Questions>,
    carried: Option<Arc<Carried>>,
}

/// The output of a completed pass.
struct Passed {
    made: Made,
    hints: ProjectHints,
    findings: Findings,
    answers: Answers,
    /// The files whose findings differ from the state before.
    differing: FxHashSet<FileId>,
}

impl Workspace {
    /// The projects that are to be resolved next.
    pub(super) fn due_passes(&mut self, short: Duration) -> Option<Due> {
        let (chosen, is_long, is_first) = self.next_stale(short);
        let mut jobs = Vec::with_capacity(chosen.len());
        for i in chosen {
            if let Some(project) = self.projects.get(i).cloned()
                && let Some(why) = self.stale.remove(&i)
            {
                let may_rest = self.lets_rest && is_long;
                jobs.push(Job::Pass(Passing {
                    project,
                    why,
                    may_rest,
                }));
            }
        }
        (!jobs.is_empty()).then_some(Due {
            jobs,
            is_long,
            is_first,
        })
    }

    /// The stale projects whose passes come next, by index, whether they may take long, and whether they come
    /// before others.
    fn next_stale(&self, short: Duration) -> (Vec<usize>, bool, bool) {
        if self.stale.is_empty() {
            return (Vec::new(), false, true);
        }
        let table = self.store.snapshot();
        let is_ready = |i: &usize| {
            let Some(project) = self.projects.get(*i) else {
                return false;
            };
            let waits = self.is_unread(project, &table)
                || self.stale.get(i).is_some_and(|why| {
                    matches!(why, Stale::Everything) && self.is_searching(project.seed.engine)
                })
                || self.may_be_replaced(project)
                || self.awaits_config(project, &table);
            !self.is_out(project) && !waits
        };
        let stale: Vec<usize> = self.stale.keys().copied().filter(is_ready).collect();
        if short == Duration::MAX {
            return (stale, false, true);
        }
        let dirs = dirs_around(self.files.unsaved());
        let is_open = |i: &usize| self.projects.get(*i).is_some_and(|p| p.is_around(&dirs));
        let is_known = |i: &usize| self.projects.get(*i).is_some_and(|p| p.took.is_some());
        let (mut known, new): (Vec<usize>, Vec<usize>) = stale.into_iter().partition(is_known);
        known.sort_by_cached_key(|i| (!is_open(i), self.may_take(*i)));
        let mut sum = Duration::ZERO;
        let unsaved = LazyCell::new(|| {
            let unsaved = self.files.unsaved();
            unsaved
                .map(|path| (Question::Read(path.into()), ()))
                .collect::<FxHashMap<_, _>>()
        });
        let reads_open = |i: &usize| {
            let project = self.projects.get(*i);
            project.is_some_and(|project| project.questions.among(&unsaved).next().is_some())
        };
        let is_quick = |i: &usize| {
            let with = self.may_take(*i).map(|took| sum.saturating_add(took));
            let fits = with.filter(|with| *with <= short / NOT_OPEN || *with <= short && reads_open(i));
            sum = fits.unwrap_or(sum);
            fits.is_some()
        };
        let (quick, known): (Vec<usize>, Vec<usize>) = known.into_iter().partition(is_quick);
        if !quick.is_empty() {
            return (quick, false, true);
        }
        // The duration of a first pass is unknown: they run together. What is open comes before the rest is
        // read.
        let (new_open, new): (Vec<usize>, Vec<usize>) = new.into_iter().partition(is_open);
        let (open, known): (Vec<usize>, Vec<usize>) = known.into_iter().partition(is_open);
        let all = [
            (new_open, true),
            (self.in_one_go(open), true),
            (new, false),
            (self.in_one_go(known), false),
        ];
        let next = all.into_iter().find(|(projects, _)| !projects.is_empty());
        let (projects, is_first) = next.unwrap_or_default();
        (projects, true, is_first)
    }

    /// The projects that are resolved together. A long one is resolved by itself, so that a request for another
    /// does not wait for it, unless there are many of those.
    fn in_one_go(&self, mut projects: Vec<usize>) -> Vec<usize> {
        let is_short = |i: &usize| self.may_take(*i).is_some_and(|took| took <= TOGETHER);
        let short = projects.partition_point(is_short);
        if short > 0 {
            projects.truncate(short);
        } else if projects.len() <= FEW {
            projects.truncate(1);
        }
        projects
    }

    /// How long a pass may take, as an estimate.
    fn may_take(&self, project: usize) -> Option<Duration> {
        let of = self.projects.get(project)?;
        let took = match self.stale.get(&project) {
            Some(Stale::Edited(_)) => of.took?,
            _ => of.took?.max(of.took_whole),
        };
        let is_slow = self.slow.contains(&of.number);
        Some(if is_slow { Duration::MAX } else { took })
    }

    /// Applies the result of a pass, and returns the previous state.
    pub(super) fn passed_over(
        &mut self,
        i: usize,
        passed: PassedOver,
        why: Option<Stale>,
        since: &Since,
        is_limited: bool,
        changes: &mut Changes,
    ) -> Option<Arc<Project>> {
        let old = self.projects.get(i)?.clone();
        let PassedOver {
            before,
            made,
            took,
            questions,
            carried,
        } = passed;
        let why = why.unwrap_or(Stale::Everything);
        let Some(passed) = made else {
            // What was computed so far is reused by the next pass, even if this one queried the disk for it.
            let is_same = old.carried.as_ref().zip(carried.as_ref());
            let (project, why) = if is_same.is_some_and(|(old, new)| Arc::ptr_eq(old, new)) {
                (old.with_carried(carried, questions), why)
            } else {
                (old.with_carried(carried, old.questions.clone()), Stale::World)
            };
            if is_limited {
                self.slow.insert(old.number);
            }
            self.projects.put(i, Arc::new(project));
            self.snapshot = None;
            self.note_stale(i, why);
            return None;
        };
        self.slow.remove(&old.number);
        self.is_seen(old.number);
        let took_whole = if matches!(why, Stale::Edited(_)) {
            old.took_whole
        } else {
            took
        };
        let found = (passed.findings, passed.hints, passed.answers);
        let project = old.after([took, took_whole], passed.made, found, questions, carried);
        if !Arc::ptr_eq(&project.questions, &old.questions) {
            self.questions_version += 1;
            self.forget_asked();
        }
        if old.took.is_none() {
            changes.files.extend(project.files());
        }
        // An unknown unit is reported only if nothing else is unknown.
        let is_open = |project: &Project| project.unresolved().next().is_some();
        if project.answers != old.answers || is_open(&project) != is_open(&old) {
            let config = self.configs.of(&project.seed.root);
            changes.files.extend(expectations::file(&config, &self.store));
        }
        // Hints were found in between.
        if Arc::ptr_eq(&before, &old) {
            changes.files.extend(passed.differing);
        } else {
            project.differences(&old, &mut changes.files);
        }
        let table = self.store.snapshot();
        let edited = since.read_of(&project.questions, &table);
        let edited: FxHashSet<FileId> = edited.filter(|file| !self.newer.contains_key(file)).collect();
        if !edited.is_empty() {
            self.note_stale(i, Stale::Edited(edited));
        }
        if since.names_differ(&project) {
            self.note_stale(i, Stale::names());
        }
        if since.came_or_went(&project.questions, &self.files) {
            self.note_stale(i, Stale::World);
        }
        self.projects.put(i, Arc::new(project));
        changes.orders = true;
        self.snapshot = None;
        Some(old)
    }

    /// Records that a project has to be resolved, and why.
    pub(super) fn note_stale(&mut self, project: usize, why: Stale) {
        let before = self.stale.remove(&project);
        let why = match (before, why) {
            (Some(Stale::Everything), _) | (_, Stale::Everything) => Stale::Everything,
            (Some(Stale::World), _) | (_, Stale::World) => Stale::World,
            (Some(Stale::Edited(mut files)), Stale::Edited(others)) => {
                files.extend(others);
                Stale::Edited(files)
            }
            (None, why) => why,
        };
        self.stale.insert(project, why);
    }

    /// Whether a pass over a project is running.
    pub(super) fn is_out(&self, project: &Project) -> bool {
        self.is_going(Subject::Project(project.number))
    }
}

/// The directories of some paths, with all their parents.
pub(super) fn dirs_around<'a>(paths: impl Iterator<Item = &'a Utf8Path>) -> FxHashSet<&'a str> {
    let mut dirs = FxHashSet::default();
    for path in paths {
        let mut around = path.ancestors().skip(1);
        while around.next().is_some_and(|dir| dirs.insert(dir.as_str())) {}
        dirs.insert(path.as_str());
    }
    dirs
}

impl Shared {
    pub(super) fn pass(&self, passing: &Passing, stop: &Stop) -> PassedOver {
        let (old, why) = (&*passing.project, &passing.why);
        let before = old.carried.as_ref().filter(|before| !before.is_worn());
        let (engine, seed) = (old.engine(), &old.seed);
        let _span = debug_span!("resolve", engine = engine.meta().id, root = seed.root.as_str()).entered();
        let mut hints = ProjectHints::default();
        let mut cx = self.ground.cx(engine, seed.engine);
        match (why, before) {
            (Stale::Edited(files), Some(before)) => {
                hints = old.hints.after(files);
                let edits = (files.iter().copied().collect(), old.questions.clone());
                cx = cx.after(before.clone(), Some(edits));
            }
            (Stale::World, Some(before)) => {
                cx = cx.after(Arc::new(before.in_another_world()), None);
            }
            _ => {}
        }
        let cx = cx.until(stop);
        // The command line rejects options that an engine does not know before this point; in a server's
        // settings they are for the engines that know them.
        let options = self.ground.options.only(engine.meta().options);
        let (made, took) = timed(|| stopped(|| engine.resolve(&cx, seed, &options)));
        let carried = cx.carried().clone();
        let questions = cx.into_questions();
        match &made {
            Some(_) => self.progress.resolve_one(),
            None => debug!(root = seed.root.as_str(), "stopped"),
        }
        let made = made.map(|resolution| {
            let findings = hints.beside(&resolution.diagnostics);
            let config = self.ground.configs.of(&seed.root);
            let answers = expectations::answers(engine, &resolution, Operation::Apply, &config.expect);
            let differing = findings.differences(old.findings()).into_iter().collect();
            let made = if passing.may_rest
                && hints.shown.is_empty()
                && took < MOST
                && !self.is_open(&resolution)
                && !finds_hints(&resolution, stop)
            {
                Made::resting(resolution, engine, seed, &self.ground)
            } else {
                Made::whole(resolution)
            };
            // It was searched to determine whether it may rest.
            hints.searched |= made.rests();
            Passed {
                made,
                hints,
                findings,
                answers,
                differing,
            }
        });
        let rests = made.as_ref().is_some_and(|passed| passed.made.rests());
        PassedOver {
            before: passing.project.clone(),
            made,
            took,
            questions,
            carried: (!rests).then_some(carried),
        }
    }

    /// Whether one of a project's files is open.
    fn is_open(&self, resolution: &Resolution) -> bool {
        let PassGround { store, files, .. } = &*self.ground;
        let mut paths = resolution.members.iter().map(|member| store.path(member.file));
        paths.any(|path| files.text(&path).is_some())
    }
}

/// Whether a project has results of a search that runs when the user stops typing.
fn finds_hints(resolution: &Resolution, stop: &Stop) -> bool {
    let Some(search) = &resolution.hints else {
        return false;
    };
    let found = search(stop);
    stop.is_requested() || !found.hints.is_empty() || found.limit.is_some()
}
