//! Documents without a directory: the targets of relative paths in them are unknown.

use camino::Utf8Path;

use super::{Analysis, Finding, Workspace};
use applyorder_core::diagnostic::FileId;
use applyorder_core::rules::{limit_reached, missing_file, unknown_dependency};

impl Workspace {
    /// Sets the path of documents that have no directory: only their texts are known below it.
    pub fn set_nowhere(&mut self, dir: &Utf8Path) {
        self.files.set_nowhere(dir);
    }
}

impl Analysis {
    /// Drops, from the findings in a document without a directory, those that files next to it could refute.
    pub(super) fn keep_certain(&self, file: FileId, found: &mut Vec<Finding<'_>>) {
        let path = self.path(file);
        if !self.ground().files.is_nowhere(path) {
            return;
        }
        // A project that is a directory includes everything in it, which is unknown.
        let is_open = |finding: &Finding<'_>| {
            let mut projects = finding.projects.iter().filter_map(|ix| self.project(*ix));
            projects.any(|project| project.seed.root != path)
        };
        found.retain(|finding| match finding.diagnostic.rule {
            rule if rule == &missing_file::RULE || rule == &limit_reached::RULE => false,
            rule if rule == &unknown_dependency::RULE => !is_open(finding),
            _ => true,
        });
    }
}
