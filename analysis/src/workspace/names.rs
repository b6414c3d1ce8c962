//! The names that files declare for projects that do not read them: who asks for one is stale when it comes or goes.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::since::Since;
use super::{Project, Stale, Workspace};
use applyorder_core::declared::{ChangedNames, DeclaredNames, NamesOfFiles};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::EngineIx;

/// What the files of each engine declare, as it was at some moment.
#[derive(Clone, Default)]
pub(super) struct SharedNames(Arc<[Option<DeclaredNames>]>);

impl SharedNames {
    /// What those of one engine do.
    pub(super) fn of(&self, engine: EngineIx) -> Option<&DeclaredNames> {
        self.0.get(engine.index())?.as_ref()
    }
}

/// Names that came or went, by engine.
pub(super) type ChangedOf = FxHashMap<EngineIx, ChangedNames>;

impl Workspace {
    /// What files declare now, as far as they were read.
    pub(super) fn declared_names(&self) -> SharedNames {
        let names = self.discovery.iter().map(|d| d.names.as_ref());
        SharedNames(
            names
                .map(|names| names.map(|names| names.names().clone()))
                .collect(),
        )
    }

    /// Takes notice of what some files with other facts declare now.
    pub(super) fn may_declare_others(&mut self, files: impl Iterator<Item = FileId>) {
        if self.discovery.iter().all(|discovery| discovery.names.is_none()) {
            return;
        }
        let mut changed = ChangedOf::default();
        for file in files {
            self.read_names(file, &mut changed);
        }
        self.names_changed(&changed);
    }

    fn read_names(&mut self, file: FileId, changed: &mut ChangedOf) {
        let table = self.store.snapshot();
        let Some(of) = table.get(file) else { return };
        for ((engine, _), discovery) in self.engines.iter().zip(&mut self.discovery) {
            let Some(names) = &mut discovery.names else {
                continue;
            };
            let declared = match of.facts(engine) {
                Some(facts) => facts.declared(),
                // The next search reads it.
                None if of.source().is_some() => continue,
                None => Vec::new(),
            };
            changed
                .entry(engine)
                .or_default()
                .extend(names.set(file, declared));
        }
    }

    /// Takes notice of what a search found to be declared, in place of what was before.
    pub(super) fn other_names(&mut self, engine: EngineIx, before: Option<NamesOfFiles>, since: &Since) {
        let now = self.discovery.get(engine.index()).and_then(|d| d.names.as_ref());
        let nothing = NamesOfFiles::default();
        let (before, now) = (before.as_ref().unwrap_or(&nothing), now.unwrap_or(&nothing));
        let mut changed = ChangedOf::from_iter([(engine, before.differences(now))]);
        // What they declare now was read while the search went on; of the others it will be read.
        for file in since
            .files()
            .filter(|file| !self.newer.contains_key(file))
            .collect::<Vec<_>>()
        {
            self.read_names(file, &mut changed);
        }
        self.names_changed(&changed);
    }

    fn names_changed(&mut self, changed: &ChangedOf) {
        if changed.values().all(FxHashSet::is_empty) {
            return;
        }
        for out in &mut self.out {
            for (engine, names) in changed {
                out.names.entry(*engine).or_default().extend(names);
            }
        }
        let projects = self.projects.iter().enumerate();
        let asking = projects.filter(|(_, project)| project.asks_for(changed));
        for i in asking.map(|(i, _)| i).collect::<Vec<_>>() {
            self.note_stale(i, Stale::names());
        }
    }
}

impl Stale {
    /// Other files declare other names; its own are as they were.
    pub(super) fn names() -> Self {
        Self::Edited(FxHashSet::default())
    }
}

impl Since {
    /// Whether names came or went that a project asked for.
    pub(super) fn names_differ(&self, project: &Project) -> bool {
        project.asks_for(&self.names)
    }
}

impl Project {
    fn asks_for(&self, changed: &ChangedOf) -> bool {
        let names = changed.get(&self.seed.engine);
        names.is_some_and(|names| self.questions.ask_for(names))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use camino::Utf8Path;

    use super::super::Workspace;
    use super::super::tests::{states, workspace_of};

    /// Waits for a group of another app.
    const WAITS: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    \
                         kapp.k14s.io/change-rule: upsert after upserting x/g\n";

    const DECLARES: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n  annotations:\n    \
                            kapp.k14s.io/change-group: x/g\n";

    /// Three apps, the second of which declares what the first waits for.
    fn apps() -> Workspace {
        let other = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  annotations:\n    \
                     kapp.k14s.io/change-group: x/c\n";
        let apps = [("a", WAITS), ("b", DECLARES), ("c", other)];
        let mut workspace = workspace_of(apps.map(|(dir, text)| (format!("/w/{dir}/a.yaml").into(), text)));
        workspace.refresh();
        workspace
    }

    /// Whether the first app is told that nobody declares what it waits for.
    fn is_unknown(workspace: &mut Workspace) -> bool {
        let first = &states(workspace)[0];
        let mut findings = first.findings().iter();
        findings.any(|finding| finding.rule.id == "unknown-dependency")
    }

    /// Which apps were passed over after a new text of a file; whether the first one's group is unknown then.
    fn after(workspace: &mut Workspace, path: &str, text: Option<&str>) -> (Vec<bool>, bool) {
        let before = states(workspace);
        match text {
            Some(text) => workspace.set_text(Utf8Path::new(path), text.into()),
            None => workspace.close(Utf8Path::new(path)),
        }
        workspace.refresh();
        let after = states(workspace);
        let passed = |i: usize| !std::sync::Arc::ptr_eq(&before[i], &after[i]);
        ((0..3).map(passed).collect(), is_unknown(workspace))
    }

    #[test]
    fn a_name_that_is_added_or_removed_affects_what_looked_it_up() {
        let mut workspace = apps();
        assert!(!is_unknown(&mut workspace));
        let mut edit = |dir: &str, group: &str| {
            let text = DECLARES.replace("x/g", group);
            after(&mut workspace, &format!("/w/{dir}/a.yaml"), Some(&text))
        };
        assert_eq!(edit("b", "x/other"), (vec![true, true, false], true));
        assert_eq!(edit("c", "x/more"), (vec![false, false, true], true));
        assert_eq!(edit("c", "x/g"), (vec![true, false, true], false));
        // It is declared all the same, but nobody is asked where.
        assert_eq!(edit("b", "x/g"), (vec![true, true, false], false));
        assert_eq!(edit("c", "'y/{name}'"), (vec![true, false, true], false));
        assert_eq!(edit("b", "x/other"), (vec![true, true, false], true));
        assert_eq!(edit("c", "'x/{name}'"), (vec![true, false, true], false));
    }

    #[test]
    fn a_file_that_comes_or_goes_declares_what_it_has() {
        let mut workspace = apps();
        let (c, none) = ("/w/c/more.yaml", DECLARES.replace("x/g", "x/other"));
        let b = after(&mut workspace, "/w/b/a.yaml", Some(&none));
        assert_eq!(b, (vec![true, true, false], true));
        let comes = after(&mut workspace, c, Some(DECLARES));
        assert_eq!(comes, (vec![true, false, true], false));
        assert_eq!(after(&mut workspace, c, None), (vec![true, false, true], true));
        let unrelated = after(&mut workspace, c, Some(&none));
        assert_eq!(unrelated, (vec![false, false, true], true));
    }

    #[test]
    fn a_name_that_comes_while_a_pass_goes_on_is_seen_when_it_ends() {
        let mut workspace = apps();
        let waits = WAITS.replace("x/g", "x/late");
        workspace.set_text(Utf8Path::new("/w/a/a.yaml"), waits.as_str().into());
        let mut out = Vec::new();
        while let (_, Some(work)) = workspace.begin(Duration::ZERO) {
            if work.subjects().iter().any(|subject| subject.project().is_some()) {
                out.push(work);
                break;
            }
            work.run(&|| {});
            workspace.take_over();
        }
        assert_eq!(out.len(), 1);
        // What the app asked for before stays.
        let late = DECLARES.replace("x/g", "x/g\n    kapp.k14s.io/change-group.late: x/late");
        workspace.set_text(Utf8Path::new("/w/b/a.yaml"), late.as_str().into());
        let (_, read) = workspace.begin(Duration::ZERO);
        read.unwrap().run(&|| {});
        workspace.take_over();
        for work in out {
            work.run(&|| {});
        }
        workspace.take_over();
        assert!(!workspace.is_settled());
        workspace.refresh();
        assert!(!is_unknown(&mut workspace));
    }
}
