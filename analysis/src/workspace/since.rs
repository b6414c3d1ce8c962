//! Changes while work is running.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::names::ChangedOf;
use super::settled::read_among;
use applyorder_core::diagnostic::FileId;
use applyorder_core::files::{CameOrWent, Overlay, Questions};
use applyorder_core::store::Table;

/// The changes since some work was started.
#[derive(Default)]
pub(super) struct Since {
    /// The files whose content changed.
    pub(super) files: Arc<FxHashSet<FileId>>,
    /// The paths that were created or deleted.
    pub(super) happened: Arc<CameOrWent>,
    /// The names that were added or removed.
    pub(super) names: ChangedOf,
}

impl Since {
    /// The files whose content changed.
    pub(super) fn files(&self) -> impl ExactSizeIterator<Item = FileId> {
        self.files.iter().copied()
    }

    /// Those of the files whose content was requested.
    pub(super) fn read_of<'a>(
        &'a self,
        questions: &'a Questions,
        table: &'a Table,
    ) -> impl Iterator<Item = FileId> {
        read_among(questions, self.files(), |file| self.has_changed(file), table)
    }

    /// Whether the content of a file changed.
    pub(super) fn has_changed(&self, file: FileId) -> bool {
        self.files.contains(&file)
    }

    /// Whether the answer to some query changed because something was created or deleted.
    pub(super) fn came_or_went(&self, questions: &Questions, files: &Overlay) -> bool {
        if self.happened.is_empty() {
            return false;
        }
        questions.differ_after(&self.happened, files, |path| files.text(path).is_some())
    }
}
