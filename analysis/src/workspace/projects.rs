//! The projects of a workspace, indexed by their numbers, and by the files that belong to them.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Project;
use applyorder_core::diagnostic::FileId;

/// The projects, by engine and root.
#[derive(Default)]
pub(super) struct Projects {
    list: Vec<Arc<Project>>,
    index: ProjectIndex,
}

/// Leads from files and numbers to projects. A copy shares what does not change, so that a snapshot has one.
#[derive(Clone, Default)]
pub(super) struct ProjectIndex {
    by_number: Arc<FxHashMap<u64, usize>>,
    members: ByFile,
    found: ByFile,
}

/// Files, each with the numbers of projects: a part for each [`PART`] files.
#[derive(Clone, Default)]
struct ByFile(Vec<Arc<BTreeSet<(FileId, u64)>>>);

/// A change copies a part that a snapshot shares.
const PART: usize = 128;

impl Deref for Projects {
    type Target = [Arc<Project>];

    fn deref(&self) -> &[Arc<Project>] {
        &self.list
    }
}

impl Projects {
    /// As it is now.
    pub(super) fn index(&self) -> &ProjectIndex {
        &self.index
    }

    /// The index of the project with a number.
    pub(super) fn index_of(&self, number: u64) -> Option<usize> {
        self.index.of_number(number)
    }

    /// See [`ProjectIndex::of_file`].
    pub(super) fn of_file(&self, file: FileId) -> impl Iterator<Item = usize> {
        self.index.of_file(file)
    }

    /// Replaces the state of a project, and returns the previous one.
    pub(super) fn put(&mut self, i: usize, project: Arc<Project>) -> Option<Arc<Project>> {
        let before = std::mem::replace(self.list.get_mut(i)?, project.clone());
        let number = project.number;
        let ProjectIndex { members, found, .. } = &mut self.index;
        members.change(number, before.members(), project.members());
        found.change(number, found_in(&before), found_in(&project));
        Some(before)
    }

    /// Replaces all projects, and returns the previous ones.
    pub(super) fn replace(&mut self, projects: Vec<Arc<Project>>) -> Vec<Arc<Project>> {
        let nothing = std::iter::empty;
        let ProjectIndex {
            by_number,
            members,
            found,
        } = &mut self.index;
        let numbers: FxHashSet<u64> = projects.iter().map(|project| project.number).collect();
        for project in self.list.iter().filter(|p| !numbers.contains(&p.number)) {
            members.change(project.number, project.members(), nothing());
            found.change(project.number, found_in(project), nothing());
        }
        for project in projects.iter().filter(|p| !by_number.contains_key(&p.number)) {
            members.change(project.number, nothing(), project.members());
            found.change(project.number, nothing(), found_in(project));
        }
        let numbers = projects.iter().map(|project| project.number).zip(0..);
        *by_number = Arc::new(numbers.collect());
        std::mem::replace(&mut self.list, projects)
    }

    #[cfg(test)]
    pub(super) fn list_mut(&mut self) -> &mut [Arc<Project>] {
        &mut self.list
    }
}

impl ProjectIndex {
    fn of_number(&self, number: u64) -> Option<usize> {
        self.by_number.get(&number).copied()
    }

    /// The indices of the projects that a file belongs to, or that have a finding in it; may contain
    /// duplicates.
    pub(super) fn of_file(&self, file: FileId) -> impl Iterator<Item = usize> {
        let numbers = self.members.of(file).chain(self.found.of(file));
        numbers.filter_map(|number| self.of_number(number))
    }
}

fn found_in(project: &Project) -> impl Iterator<Item = FileId> + Clone {
    project.findings().files().collect::<Vec<_>>().into_iter()
}

impl ByFile {
    fn of(&self, file: FileId) -> impl Iterator<Item = u64> {
        let part = self.0.get(file.0 as usize / PART).into_iter();
        let of_file = part.flat_map(move |part| part.range((file, 0)..=(file, u64::MAX)));
        of_file.map(|(_, number)| *number)
    }

    fn part(&mut self, file: FileId) -> Option<&mut BTreeSet<(FileId, u64)>> {
        let at = file.0 as usize / PART;
        if self.0.len() <= at {
            self.0.resize_with(at + 1, Arc::default);
        }
        self.0.get_mut(at).map(Arc::make_mut)
    }

    /// Most states of a project have the files of the one before, in the same order.
    fn change(
        &mut self,
        number: u64,
        before: impl Iterator<Item = FileId> + Clone,
        after: impl Iterator<Item = FileId> + Clone,
    ) {
        if before.clone().eq(after.clone()) {
            return;
        }
        let now: FxHashSet<FileId> = after.collect();
        let before: FxHashSet<FileId> = before.collect();
        for file in before.difference(&now) {
            if let Some(part) = self.part(*file) {
                part.remove(&(*file, number));
            }
        }
        for file in now.difference(&before) {
            if let Some(part) = self.part(*file) {
                part.insert((*file, number));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{MANIFESTS, workspace};
    use super::*;
    use camino::Utf8Path;

    /// Checks that the index agrees with iterating over all projects.
    fn holds(projects: &Projects) {
        let mut expected: BTreeSet<(FileId, u64)> = BTreeSet::new();
        for (i, project) in projects.iter().enumerate() {
            assert_eq!(projects.index_of(project.number), Some(i));
            expected.extend(project.files().map(|file| (file, project.number)));
        }
        let ProjectIndex {
            by_number,
            members,
            found,
        } = projects.index();
        let parts = members.0.iter().chain(&found.0);
        let known = parts.flat_map(|part| part.iter().copied());
        assert_eq!(known.collect::<BTreeSet<_>>(), expected);
        assert_eq!(by_number.len(), projects.len());
        for (file, number) in expected {
            let of_file: Vec<usize> = projects.of_file(file).collect();
            assert!(of_file.contains(&projects.index_of(number).unwrap()));
        }
    }

    #[test]
    fn files_and_numbers_lead_to_projects_whatever_changes() {
        let (mut workspace, paths) = workspace(&["a", "b", "c"]);
        workspace.refresh();
        assert_eq!(workspace.projects.len(), 3);
        holds(&workspace.projects);
        let a = Utf8Path::new("/w/a/tazuna.yaml");
        for text in [
            format!("{MANIFESTS}    - includes: [{{path: ../b/tazuna.yaml}}]\n"),
            "kind: Tazuna\n".to_owned(),
            "nothing: of ours\n".to_owned(),
            MANIFESTS.to_owned(),
        ] {
            workspace.set_text(a, text.as_str().into());
            workspace.refresh();
            workspace.search_hints();
            holds(&workspace.projects);
        }
        workspace.changed_on_disk(&paths);
        workspace.close(a);
        workspace.refresh();
        holds(&workspace.projects);
    }
}
