//! What is up to date, while work is running.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Project, Workspace};
use applyorder_core::diagnostic::FileId;
use applyorder_core::files::{Question, Questions};
use applyorder_core::store::Table;

/// What of a workspace is up to date, determined project by project on demand: valid for one state of it.
pub struct Settled {
    table: Arc<Table>,
    projects: RefCell<FxHashMap<usize, bool>>,
}

impl Workspace {
    /// Whether everything is up to date.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.out.is_empty()
            && self.stale.is_empty()
            && self.rediscover.is_empty()
            && self.newer.is_empty()
            && self.unconfigured.is_none()
    }

    /// Queries about what is up to date now.
    #[must_use]
    pub fn settled(&self) -> Settled {
        Settled {
            table: self.store.snapshot(),
            projects: RefCell::default(),
        }
    }

    /// Whether everything is up to date that affects a file: it belongs to a project, and to none that is
    /// stale.
    #[must_use]
    pub fn is_settled_for(&self, file: FileId) -> bool {
        self.is_settled() || self.is_settled_among(file, &self.settled())
    }

    /// The same while not everything is up to date; `settled` must be of this state of the workspace.
    #[must_use]
    pub fn is_settled_among(&self, file: FileId, settled: &Settled) -> bool {
        if self.unsought.contains(&file) {
            return false;
        }
        let mut projects = self.projects.of_file(file).peekable();
        let is_settled = |i: usize| {
            let known = settled.projects.borrow().get(&i).copied();
            known.unwrap_or_else(|| {
                let is_settled = self.is_project_settled(i, &settled.table);
                settled.projects.borrow_mut().insert(i, is_settled);
                is_settled
            })
        };
        projects.peek().is_some() && projects.all(is_settled)
    }

    fn is_project_settled(&self, i: usize, table: &Table) -> bool {
        let Some(project) = self.projects.get(i) else {
            return true;
        };
        !self.stale.contains_key(&i)
            && !self.is_out(project)
            && !self.is_unread(project, table)
            && !self.may_be_replaced(project)
            && !self.awaits_config(project, table)
    }

    /// Whether a project reads a text that is still to be read.
    pub(super) fn is_unread(&self, project: &Project, table: &Table) -> bool {
        let newer = self.newer.keys().copied();
        let is_newer = |file: FileId| self.newer.contains_key(&file);
        read_among(&project.questions, newer, is_newer, table)
            .next()
            .is_some()
    }

    /// The queries of readers of some files.
    pub(super) fn questions_for(&self, files: impl Iterator<Item = FileId>) -> FxHashMap<Question, FileId> {
        let table = self.store.snapshot();
        let question = |file: FileId| Some((Question::Read(table.get(file)?.path().clone()), file));
        files.filter_map(question).collect()
    }
}

/// Those of some files whose content was requested. Iterates over the smaller of the two sets.
pub(super) fn read_among<'a>(
    questions: &'a Questions,
    files: impl ExactSizeIterator<Item = FileId> + 'a,
    is_one: impl Fn(FileId) -> bool + 'a,
    table: &'a Table,
) -> impl Iterator<Item = FileId> + 'a {
    let are_few = files.len() <= questions.len();
    let is_read = |file: &FileId| {
        let path = table.get(*file).map(|file| file.path().clone());
        path.is_some_and(|path| questions.contain(&Question::Read(path)))
    };
    let asked = are_few.then(|| files.filter(is_read));
    let read = move |question: &Question| match question {
        Question::Read(path) => table.id(path).filter(|file| is_one(*file)),
        _ => None,
    };
    let found = (!are_few).then(|| questions.iter().filter_map(read));
    asked.into_iter().flatten().chain(found.into_iter().flatten())
}
