//! Texts of files: those that an editor has and those on the disk, and what a changed text makes stale.

use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

use super::disk_look::{Gone, Left};
use super::job::{Job, Subject};
use super::work::Due;
use super::{Candidate, Stale, Text, Workspace};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{EngineIx, Engines, Offer};
use applyorder_core::files::{Files, Question};
use applyorder_core::store::{File, ShapeChange};

/// Up to this many bytes are read at once: the wait is not noticeable.
pub(super) const AT_ONCE: usize = 64 << 10;

/// Up to this many files are read at once if nothing is known of them: what depends on each has to be found.
const FEW_AT_ONCE: usize = 64;

/// A file with another text than engines have read.
pub(super) struct Newer {
    /// Its state when they did.
    before: Arc<File>,
    /// Whether a text in between was used that means something else than that one: what is known of the file
    /// then comes from two texts.
    was_seen_otherwise: bool,
}

impl Newer {
    /// The changes of its text, given the changes from the previous one.
    pub(super) fn change(&self, change: ShapeChange, engines: Engines) -> ShapeChange {
        if self.was_seen_otherwise {
            ShapeChange {
                shape: true,
                discovery: engines.iter().map(|(engine, _)| engine).collect(),
            }
        } else {
            change
        }
    }
}

impl Workspace {
    /// Sets the unsaved text of a file: it is opened, or was edited.
    pub fn set_text(&mut self, path: &Utf8Path, text: Arc<str>) {
        let appears = self.files.kind(path, true).is_none();
        if self.files.text(path).is_none() {
            self.opened.push(path.to_owned());
        }
        self.files.set(path, text.clone());
        let candidate = self.candidate(path, Offer::Opened, Some(&text));
        self.set_candidate(path, candidate);
        let id = self.store.intern(path);
        self.take(id, Ok(text.clone()));
        self.check_again(id);
        for name in self.files.other_names(path) {
            self.take_by_other_name(&name, &text);
        }
        if appears {
            self.existence_changed(&[path]);
        }
    }

    /// Drops the unsaved text of a file: it is closed. The file is then read from the disk again, and treated
    /// as it was offered before it was opened.
    pub fn close(&mut self, path: &Utf8Path) {
        self.close_all([path]);
    }

    /// The same for several files, with one check of the disk.
    pub fn close_all<'a>(&mut self, paths: impl IntoIterator<Item = &'a Utf8Path>) {
        let mut changed: Vec<Utf8PathBuf> = Vec::new();
        for path in paths {
            let names = self.files.other_names(path);
            if !self.files.remove(path) {
                continue;
            }
            let id = self.store.intern(path);
            if let Some(opened) = self.candidates.get(&id) {
                let candidate = match opened.offered {
                    Some(offer) => self.candidate(path, offer, None),
                    None => Candidate::default(),
                };
                self.set_candidate(path, candidate);
            }
            changed.extend(names);
            changed.push(path.to_owned());
        }
        if !changed.is_empty() {
            self.changed_on_disk(&changed);
        }
    }

    /// Sets the unsaved text of a file that was read by another name.
    fn take_by_other_name(&mut self, name: &Utf8Path, text: &Arc<str>) {
        let table = self.store.snapshot();
        let known = table
            .id(name)
            .filter(|id| table.get(*id).is_some_and(|f| f.was_read()));
        drop(table);
        if let Some(id) = known {
            self.take(id, Ok(text.clone()));
        }
        if self.known(name).is_some() {
            let candidate = self.candidate(name, Offer::Found, Some(text));
            self.set_candidate(name, candidate);
        }
    }

    /// The unsaved text of a file.
    #[must_use]
    pub fn unsaved(&self, path: &Utf8Path) -> Option<&Arc<str>> {
        self.files.text(path)
    }

    /// Applies the state of files at and below paths where something was deleted, except for unsaved texts.
    pub(super) fn take_below(&mut self, gone: Gone) {
        if gone.paths.is_empty() {
            return;
        }
        let table = self.store.snapshot();
        // Those that became known since the check.
        let since = table.iter().skip(gone.of).filter(|(_, f)| gone.has(f.path()));
        let since: Vec<Left> = since.map(|(id, file)| Left::of(id, file, &self.files)).collect();
        let below = gone.below.into_iter().chain(since);
        let is_saved = |id: FileId| table.get(id).is_some_and(|f| self.files.text(f.path()).is_none());
        let below: Vec<Left> = below.filter(|left| is_saved(left.file)).collect();
        drop(table);
        for Left {
            file,
            is_there,
            content,
        } in below
        {
            if !is_there && let Some(gone) = self.candidates.remove(&file) {
                self.unsought.insert(file);
                self.other_candidates(&gone.engines, 0);
            }
            if let Some(text) = content {
                self.take(file, text);
            }
        }
    }

    /// Records for running passes that they may see a content other than the current one.
    fn note_change(&mut self, file: FileId) {
        for out in &mut self.out {
            Arc::make_mut(&mut out.changed).insert(file);
        }
    }

    fn is_known(&self, id: FileId, text: &Text) -> bool {
        let table = self.store.snapshot();
        match (table.get(id).and_then(|f| f.content()), text) {
            (Some(Ok(known)), Ok(text)) => known.text == *text,
            (Some(Err(known)), Err(error)) => known == error,
            _ => false,
        }
    }

    pub(super) fn take(&mut self, id: FileId, text: Text) {
        if self.is_known(id, &text) {
            return;
        }
        self.snapshot = None;
        self.note_change(id);
        self.check_again(id);
        self.moved.insert(id);
        let Some(before) = self.store.put_text(id, text) else {
            return;
        };
        match self.newer.entry(id) {
            Entry::Occupied(mut newer) => {
                let newer = newer.get_mut();
                newer.was_seen_otherwise |= !before.is_known_as(&newer.before);
            }
            Entry::Vacant(slot) => drop(slot.insert(Newer {
                before,
                was_seen_otherwise: false,
            })),
        }
    }

    /// The files with another text that are to be read next.
    pub(super) fn due_reads(&mut self, short: Duration) -> Option<Due> {
        let waiting = self
            .newer
            .iter()
            .filter(|(file, _)| !self.is_going(Subject::File(**file)));
        let table = self.store.snapshot();
        let (mut due, mut others) = (Vec::new(), Vec::new());
        let mut size = 0;
        for (file, Newer { before, .. }) in waiting {
            let job = Job::Read(*file, before.clone());
            // Nothing was known of it that would have to be compared.
            if !before.has_facts() {
                due.push(job);
                continue;
            }
            let source = table.get(*file).and_then(|f| f.source());
            size += source.map_or(0, |source| source.text.len());
            others.push(job);
        }
        let is_wanted_now = short == Duration::MAX;
        let most = if short.is_zero() { 0 } else { AT_ONCE };
        let are_few = is_wanted_now || due.len() <= FEW_AT_ONCE;
        let all_fit = is_wanted_now || size <= most && due.len() + others.len() <= FEW_AT_ONCE;
        if all_fit || !are_few {
            due.append(&mut others);
        }
        let is_long = due.is_empty() || !are_few;
        let jobs = if due.is_empty() { others } else { due };
        (!jobs.is_empty()).then_some(Due {
            jobs,
            is_long,
            is_first: true,
        })
    }

    /// The projects that asked for the content of some files, each with those of them.
    fn readers_of(&self, files: impl Iterator<Item = FileId>) -> FxHashMap<usize, FxHashSet<FileId>> {
        let mut readers: FxHashMap<usize, FxHashSet<FileId>> = FxHashMap::default();
        let wanted = self.questions_for(files);
        match &self.asked {
            Some(asked) => {
                for (question, file) in &wanted {
                    for asker in asked.readers_of(question.path()) {
                        readers.entry(asker as usize).or_default().insert(*file);
                    }
                }
                // The others are searches for projects.
                readers.retain(|i, _| *i < self.projects.len());
            }
            None if wanted.is_empty() => {}
            None => {
                for (i, project) in self.projects.iter().enumerate() {
                    let files: FxHashSet<FileId> = project.questions.among(&wanted).copied().collect();
                    if !files.is_empty() {
                        readers.insert(i, files);
                    }
                }
            }
        }
        readers
    }

    /// Applies the changes of other texts of files.
    pub(super) fn were_read(&mut self, read: &[(FileId, ShapeChange)]) {
        let shaped = read.iter().filter(|(_, change)| change.shape);
        for (i, files) in self.readers_of(shaped.map(|(file, _)| *file)) {
            self.note_stale(i, Stale::Edited(files));
        }
        self.may_declare_others(read.iter().filter(|(_, c)| c.shape).map(|(file, _)| *file));
        for (file, change) in read.iter().filter(|(_, change)| !change.discovery.is_empty()) {
            let question = Question::Read(self.store.path(*file));
            let candidate = self.candidates.get(file);
            let looks_at_it = |engine: &EngineIx| {
                let discovery = self.discovery.get(engine.index());
                candidate.is_some_and(|c| c.engines.contains(engine))
                    || discovery.is_some_and(|d| d.questions.contain(&question))
            };
            let engines: Vec<EngineIx> = change.discovery.iter().copied().filter(looks_at_it).collect();
            if !engines.is_empty() {
                self.unsought.insert(*file);
                self.rediscover.extend(engines);
            }
        }
    }
}
