//! What is up to date, while work goes on.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Project, Workspace};
use applyorder_core::diagnostic::FileId;
use applyorder_core::files::Question;

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

    /// Whether all is up to date that concerns a file: it belongs to a project, and to none that is stale.
    #[must_use]
    pub fn is_settled_for(&self, file: FileId) -> bool {
        self.is_settled() || self.settled_files().contains(&file)
    }

    /// The files of which [`Self::is_settled_for`] holds while not everything is up to date.
    #[must_use]
    pub fn settled_files(&self) -> FxHashSet<FileId> {
        let unread = self.questions_for_unread();
        let table = self.store.snapshot();
        let (mut settled, mut others) = (FxHashSet::default(), FxHashSet::default());
        for (i, project) in self.projects.iter().enumerate() {
            let is_settled = !self.stale.contains_key(&i)
                && !self.is_out(project)
                && (unread.is_empty() || !project.asks(&unread))
                && !self.may_be_replaced(project)
                && !self.awaits_config(project, &table);
            let files = if is_settled { &mut settled } else { &mut others };
            files.extend(project.files());
        }
        settled.retain(|file| !others.contains(file) && !self.unsought.contains(file));
        settled
    }

    /// What who asks about a text that is not read yet has asked.
    pub(super) fn questions_for_unread(&self) -> FxHashMap<Question, FileId> {
        self.questions_for(self.newer.keys().copied())
    }

    /// What who reads some files has asked.
    pub(super) fn questions_for(&self, files: impl Iterator<Item = FileId>) -> FxHashMap<Question, FileId> {
        let table = self.store.snapshot();
        let question = |file: FileId| Some((Question::Read(table.get(file)?.path().clone()), file));
        files.filter_map(question).collect()
    }
}

impl Project {
    /// Whether one of these things was asked.
    pub(super) fn asks(&self, questions: &FxHashMap<Question, FileId>) -> bool {
        self.questions.among(questions).next().is_some()
    }
}
