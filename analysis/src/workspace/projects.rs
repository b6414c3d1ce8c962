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
    by_number: FxHashMap<u64, usize>,
    members: ByFile,
    found: ByFile,
}

/// Files, each with the numbers of projects.
#[derive(Default)]
struct ByFile(BTreeSet<(FileId, u64)>);

impl Deref for Projects {
    type Target = [Arc<Project>];

    fn deref(&self) -> &[Arc<Project>] {
        &self.list
    }
}

impl Projects {
    /// The index of the project with a number.
    pub(super) fn index_of(&self, number: u64) -> Option<usize> {
        self.by_number.get(&number).copied()
    }

    /// The indices of the projects that a file belongs to, or that have a finding in it; may contain
    /// duplicates.
    pub(super) fn of_file(&self, file: FileId) -> impl Iterator<Item = usize> {
        let numbers = self.members.of(file).chain(self.found.of(file));
        numbers.filter_map(|number| self.index_of(number))
    }

    /// Replaces the state of a project, and returns the previous one.
    pub(super) fn put(&mut self, i: usize, project: Arc<Project>) -> Option<Arc<Project>> {
        let before = std::mem::replace(self.list.get_mut(i)?, project.clone());
        let number = project.number;
        self.members.change(number, before.members(), project.members());
        self.found.change(number, found_in(&before), found_in(&project));
        Some(before)
    }

    /// Replaces all projects, and returns the previous ones.
    pub(super) fn replace(&mut self, projects: Vec<Arc<Project>>) -> Vec<Arc<Project>> {
        let nothing = std::iter::empty;
        let numbers: FxHashSet<u64> = projects.iter().map(|project| project.number).collect();
        for project in self.list.iter().filter(|p| !numbers.contains(&p.number)) {
            self.members.change(project.number, project.members(), nothing());
            self.found.change(project.number, found_in(project), nothing());
        }
        for project in projects
            .iter()
            .filter(|p| !self.by_number.contains_key(&p.number))
        {
            self.members.change(project.number, nothing(), project.members());
            self.found.change(project.number, nothing(), found_in(project));
        }
        self.by_number = projects.iter().map(|project| project.number).zip(0..).collect();
        std::mem::replace(&mut self.list, projects)
    }

    #[cfg(test)]
    pub(super) fn list_mut(&mut self) -> &mut [Arc<Project>] {
        &mut self.list
    }
}

fn found_in(project: &Project) -> impl Iterator<Item = FileId> + Clone {
    project.findings().files().collect::<Vec<_>>().into_iter()
}

impl ByFile {
    fn of(&self, file: FileId) -> impl Iterator<Item = u64> {
        let of_file = self.0.range((file, 0)..=(file, u64::MAX));
        of_file.map(|(_, number)| *number)
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
            self.0.remove(&(*file, number));
        }
        for file in now.difference(&before) {
            self.0.insert((*file, number));
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
        let known = projects.members.0.union(&projects.found.0).copied();
        assert_eq!(known.collect::<BTreeSet<_>>(), expected);
        assert_eq!(projects.by_number.len(), projects.len());
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
