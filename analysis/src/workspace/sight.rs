//! Problems in open files that are known before their projects are read: users who open a file of a large
//! project see them in the meantime.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::job::{Job, Shared, stopped};
use super::since::Since;
use super::work::Due;
use super::{Changes, Project, Workspace};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{EngineIx, Findings, Stop};

/// A file that is to be checked by itself.
pub(super) struct Looking {
    pub(super) file: FileId,
    /// The one of its projects that has had no pass yet.
    pub(super) project: Arc<Project>,
}

/// The open files of projects that have had no pass yet.
#[derive(Default)]
pub(super) struct AtSight {
    /// Those whose current text is still to be checked, each with the engines that were already given it: while
    /// one engine is still searching, the files that wait for it are checked repeatedly.
    opened: FxHashMap<FileId, Vec<EngineIx>>,
    /// Those with findings, each with its project's number.
    known: Vec<(FileId, u64)>,
}

impl Workspace {
    /// The open files that are to be checked by themselves next.
    pub(super) fn due_looks(&mut self, short: Duration) -> Option<Due> {
        if self.at_sight.opened.is_empty() {
            return None;
        }
        // In that case nothing is reported before everything is read.
        if short == Duration::MAX {
            self.at_sight.opened.clear();
            return None;
        }
        let unseen = self.unseen();
        let mut by_root: FxHashMap<(EngineIx, &str), Vec<&Arc<Project>>> = FxHashMap::default();
        for project in &unseen {
            let root = (project.seed.engine, project.seed.root.as_str());
            by_root.entry(root).or_default().push(project);
        }
        let table = self.store.snapshot();
        let mut jobs = Vec::new();
        let mut waiting = FxHashMap::default();
        for (file, mut given) in std::mem::take(&mut self.at_sight.opened) {
            let (Some(candidate), Some(path)) = (self.candidates.get(&file), table.get(file)) else {
                continue;
            };
            let path = path.path();
            let mut is_waiting = false;
            for engine in &candidate.engines {
                if given.contains(engine) {
                    continue;
                }
                let roots = path
                    .ancestors()
                    .filter_map(|root| by_root.get(&(*engine, root.as_str())));
                let projects = roots.flatten().copied();
                let waits = self.newer.contains_key(&file)
                    || self.is_searching(*engine)
                    || self.is_unconfigured(path)
                    || projects.clone().any(|project| !self.is_found(project));
                if waits {
                    is_waiting = true;
                } else {
                    given.push(*engine);
                    let project = projects.cloned();
                    jobs.extend(project.map(|project| Job::Look(Looking { file, project })));
                }
            }
            if is_waiting {
                waiting.insert(file, given);
            }
        }
        self.at_sight.opened = waiting;
        (!jobs.is_empty()).then_some(Due {
            jobs,
            is_long: true,
            is_first: true,
        })
    }

    /// The projects that have had no pass yet.
    fn unseen(&self) -> Vec<Arc<Project>> {
        let stale = self.stale.keys().filter_map(|i| self.projects.get(*i));
        let out = self.out.iter().flat_map(|out| out.going.keys());
        let numbers: FxHashSet<u64> = out.filter_map(|subject| subject.project()).collect();
        let going = self.projects.iter().filter(|_| !numbers.is_empty());
        let going = going.filter(|project| numbers.contains(&project.number));
        let mut unseen: Vec<Arc<Project>> = stale.chain(going).filter(|p| p.is_unseen()).cloned().collect();
        unseen.sort_unstable_by_key(|project| project.number);
        unseen.dedup_by_key(|project| project.number);
        unseen
    }

    /// Whether no running work may replace a project, or change its configuration.
    fn is_found(&self, project: &Project) -> bool {
        !self.may_be_replaced(project) && !self.awaits_config(project, &self.store.snapshot())
    }

    /// Applies the findings of checking a file by itself.
    pub(super) fn looked(
        &mut self,
        (file, i): (FileId, usize),
        found: &Findings,
        since: &Since,
        changes: &mut Changes,
    ) {
        let is_changed = since.has_changed(file);
        let Some(project) = self.projects.get(i).filter(|project| project.is_unseen()) else {
            return;
        };
        if is_changed || found.has_none_in(file) {
            return;
        }
        self.at_sight.known.push((file, project.number));
        let project = Arc::new(project.with_findings_in(file, found));
        self.projects.put(i, project);
        changes.files.insert(file);
        self.snapshot = None;
    }

    /// Records that a file has another text, or was opened.
    pub(super) fn check_again(&mut self, file: FileId) {
        if self.files.text(&self.store.path(file)).is_some() {
            self.at_sight.opened.insert(file, Vec::new());
        }
        let before = self.at_sight.known.extract_if(.., |(known, _)| *known == file);
        for (_, number) in before {
            if let Some(i) = self.projects.index_of(number)
                && let Some(project) = self.projects.get(i).filter(|project| project.is_unseen())
            {
                let project = Arc::new(project.with_findings_in(file, &Findings::default()));
                self.projects.put(i, project);
                self.snapshot = None;
            }
        }
    }

    /// Forgets the findings of checking files of a project by themselves: all of it is known now.
    pub(super) fn is_seen(&mut self, project: u64) {
        self.at_sight.known.retain(|(_, number)| *number != project);
    }

    /// The files of projects without a pass that can have reported findings.
    #[must_use]
    pub fn files_at_sight(&self) -> FxHashSet<FileId> {
        if self.at_sight.known.is_empty() {
            return FxHashSet::default();
        }
        // Otherwise the findings of a project are not up to date.
        let is_current = |i: usize| match self.projects.get(i) {
            Some(project) if project.is_unseen() => self.is_found(project),
            Some(project) => !self.stale.contains_key(&i) && !self.is_out(project),
            None => true,
        };
        let known = self.at_sight.known.iter().map(|(file, _)| *file);
        known
            .filter(|file| !self.newer.contains_key(file) && self.projects.of_file(*file).all(is_current))
            .collect()
    }
}

impl Shared {
    pub(super) fn look(&self, looking: &Looking, stop: &Stop) -> Option<Findings> {
        let project = &*looking.project;
        let (engine, seed) = (project.engine(), &project.seed);
        let cx = self.ground.cx(engine, seed.engine).until(stop);
        let options = self.ground.options.only(engine.meta().options);
        stopped(|| engine.at_sight(&cx, seed, &options, looking.file))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use applyorder_core::config::ConfigSource;
    use camino::{Utf8Path, Utf8PathBuf};

    use super::super::job::Subject;
    use super::super::tests::workspace_of;
    use super::super::{Work, Workspace};

    const OPEN: &str = "/w/b/stack.tm";

    /// Three stacks, one of which is open with another text; everything but its project's pass is done.
    fn opened(text: &str) -> (Workspace, Work) {
        let files = [
            (
                "/w/terramate.tm",
                "terramate {\n  required_version = \">= 0.1\"\n}\n",
            ),
            ("/w/a/stack.tm", "stack {\n  id = \"a\"\n}\n"),
            (
                "/w/a/inner/stack.tm",
                "stack {\n  id = \"inner\"\n  tags = [\"net\"]\n}\n",
            ),
            (OPEN, "stack {\n  id = \"b\"\n}\n"),
            ("/w/skipped/stack.tm", "stack {\n  after = [\"/gone\"]\n}\n"),
            ("/w/skipped/.tmskip", ""),
        ];
        let mut workspace = workspace_of(files.map(|(path, text)| (path.into(), text)));
        let dirs: Vec<Utf8PathBuf> = ["/w", "/w/a", "/w/a/inner", "/w/b", "/w/skipped"]
            .map(Into::into)
            .to_vec();
        workspace.load_configs(&ConfigSource::default(), &dirs).unwrap();
        workspace.set_text(Utf8Path::new(OPEN), text.into());
        let pass = up_to_pass(&mut workspace);
        (workspace, pass)
    }

    fn up_to_pass(workspace: &mut Workspace) -> Work {
        loop {
            let (_, work) = workspace.begin(Duration::ZERO);
            let work = work.unwrap();
            if matches!(work.subjects()[..], [Subject::Project(_)]) {
                return work;
            }
            work.run(&|| {});
            workspace.take_over();
        }
    }

    fn told(workspace: &mut Workspace, path: &str) -> Vec<String> {
        let files = workspace.files_at_sight();
        let analysis = workspace.analysis();
        let file = analysis
            .file(Utf8Path::new(path))
            .filter(|file| files.contains(file));
        let found = file.map(|file| analysis.findings_of(file)).unwrap_or_default();
        let line =
            |f: &super::super::Finding<'_>| format!("{}: {}", f.diagnostic.rule.id, f.diagnostic.message);
        found.iter().map(line).collect()
    }

    #[test]
    fn findings_of_a_file_and_the_directories_that_it_names_are_known_before_the_rest_is_read() {
        let text = "# applyorder: ignore-file[cycle]\nstack {\n  id = \"b\"\n  after = [\"../a\", \"/gone\", \"/skipped\", \"net\", \"tag:none\", \"/w\"]\n  name = [\n}\n";
        let (mut workspace, pass) = opened(text);
        let early = told(&mut workspace, OPEN);
        assert!(early.iter().any(|f| f.starts_with("syntax-error")), "{early:?}");
        let sound = text.replace("  name = [\n", "");
        // It is edited while the rest is read.
        workspace.set_text(Utf8Path::new(OPEN), sound.as_str().into());
        assert_eq!(told(&mut workspace, OPEN), [""; 0]);
        while let (_, Some(work)) = workspace.begin(Duration::ZERO) {
            work.run(&|| {});
            workspace.take_over();
        }
        let expected = [
            "unknown-dependency: unknown directory `/gone`",
            "unknown-dependency: unknown directory `/w`",
        ];
        assert_eq!(told(&mut workspace, OPEN), expected);
        pass.run(&|| {});
        workspace.take_over();
        workspace.refresh();
        // Only then is it known what a comment ignores.
        workspace.search_hints();
        assert!(workspace.files_at_sight().is_empty());
        let analysis = workspace.analysis();
        let file = analysis.file(Utf8Path::new(OPEN)).unwrap();
        let found = analysis.findings_of(file);
        let messages: Vec<&str> = found.iter().map(|f| &*f.diagnostic.message).collect();
        assert_eq!(
            messages,
            [
                "comment ignores nothing: no `cycle` in this file",
                "unknown directory `/gone`",
                "no stacks in `/skipped`",
                "`net` is read as a path: tag filters start with `tag:`",
                "no stack matches `tag:none`",
                "unknown directory `/w`",
            ]
        );
    }

    #[test]
    fn a_file_that_is_not_loaded_has_no_findings() {
        let (mut workspace, _pass) = opened("stack {\n  id = \"b\"\n}\n");
        let skipped = "/w/skipped/stack.tm";
        workspace.set_text(Utf8Path::new(skipped), "stack {\n".into());
        while let (_, Some(work)) = workspace.begin(Duration::ZERO) {
            work.run(&|| {});
            workspace.take_over();
        }
        assert_eq!(told(&mut workspace, skipped), [""; 0]);
        assert_eq!(told(&mut workspace, OPEN), [""; 0]);
    }

    #[test]
    fn what_one_engine_is_given_is_not_given_again_while_another_searches() {
        let text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  about: workloads\n";
        let (path, other) = (Utf8Path::new("/w/a.yaml"), Utf8Path::new("/w/b.yaml"));
        let mut workspace = workspace_of([(path.into(), text), (other.into(), "x: 1\n")]);
        let dirs = [Utf8PathBuf::from("/w")];
        workspace.load_configs(&ConfigSource::default(), &dirs).unwrap();
        workspace.refresh();
        let ankaios = applyorder_engines::all().index_of("ankaios");
        let is_ankaios = |subject: &Subject| matches!(subject, Subject::Engine(e) if Some(*e) == ankaios);
        workspace.set_text(other, "apiVersion: v1\nworkloads: {}\n".into());
        let (mut held, mut looks) = (Vec::new(), 0);
        let mut begun = 0;
        while begun < 100
            && let (_, Some(work)) = workspace.begin(Duration::ZERO)
        {
            begun += 1;
            let subjects = work.subjects();
            looks += subjects.iter().filter(|s| matches!(s, Subject::Look(..))).count();
            let is_search = subjects.iter().any(is_ankaios);
            // Ankaios is still searching, and the pass over what kapp finds in the meantime takes its time.
            if is_search || matches!(subjects[..], [Subject::Project(_)]) {
                held.push(work);
            } else {
                work.run(&|| {});
                workspace.take_over();
            }
            if is_search {
                // A project of kapp from now on; Ankaios may recognize it as well.
                let group = "  name: a\n  annotations: {kapp.k14s.io/change-group: x/g}\n";
                workspace.set_text(path, text.replace("  name: a\n", group).into());
            }
        }
        assert_eq!(looks, 1, "of {begun} pieces of work");
    }
}
