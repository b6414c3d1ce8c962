//! Which projects a change makes stale.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use applyorder_core::config::ConfigSource;
use applyorder_core::engine::{Offer, RunOptions};
use applyorder_core::files::MemoryFiles;
use camino::{Utf8Path, Utf8PathBuf};

use super::job::Subject;
use super::{Project, Work, Workspace};
use crate::fixture::{ChangingFiles, Look, NotedFiles};

pub(super) const MANIFESTS: &str =
    "spec:\n  manifests:\n    - {name: a, type: kustomize, path: ., dependsOn: [gone]}\n";

/// A project of Tazuna in each of some directories.
pub(super) fn workspace(dirs: &[&str]) -> (Workspace, Vec<Utf8PathBuf>) {
    let dirs: Vec<Utf8PathBuf> = dirs.iter().map(|dir| format!("/w/{dir}").into()).collect();
    let files = dirs.iter().map(|dir| (dir.join("tazuna.yaml"), MANIFESTS));
    (workspace_of(files), dirs)
}

/// This many projects of Tazuna: `p0`, `p1`, ...
fn many(count: usize) -> Workspace {
    workspace_of((0..count).map(|i| (format!("/w/p{i}/tazuna.yaml").into(), MANIFESTS)))
}

/// A workspace of some files.
pub(super) fn workspace_of(given: impl IntoIterator<Item = (Utf8PathBuf, &'static str)>) -> Workspace {
    let mut files = MemoryFiles::new();
    let mut paths = Vec::new();
    for (path, text) in given {
        files.insert(path.clone(), text);
        paths.push(path);
    }
    let mut workspace = Workspace::new(applyorder_engines::all(), Arc::new(files), RunOptions::default());
    workspace.offer(&paths, Offer::Found);
    workspace
}

pub(super) fn states(workspace: &mut Workspace) -> Vec<Arc<Project>> {
    let analysis = workspace.analysis();
    analysis.projects().map(|(_, project)| project.clone()).collect()
}

#[test]
fn a_configuration_passes_only_the_projects_it_applies_to() {
    let (mut workspace, dirs) = workspace(&["a", "b", "b/c"]);
    let source = ConfigSource::default();
    workspace.load_configs(&source, &dirs).unwrap();
    workspace.refresh();
    let config = Utf8Path::new("/w/b/applyorder.toml");
    let mut passed = |text: &str| -> Vec<bool> {
        let before = states(&mut workspace);
        workspace.set_text(config, text.into());
        workspace.load_configs(&source, &dirs).unwrap();
        workspace.refresh();
        let after = states(&mut workspace);
        before
            .iter()
            .zip(&after)
            .map(|(old, new)| !Arc::ptr_eq(old, new))
            .collect()
    };
    let off = "[rules]\nunknown-dependency = \"off\"\n";
    assert_eq!(passed(off), [false, true, true]);
    assert_eq!(passed(&format!("# a comment\n{off}")), [false, false, false]);
    assert_eq!(passed("preview = true\n"), [false, true, true]);
    let findings = |project: &Arc<Project>| project.findings().iter().count();
    let states = states(&mut workspace);
    assert!(states.iter().all(|project| findings(project) > 0));
}

/// The projects that some work is to resolve, by their directories; `None`: it is other work.
fn passes(workspace: &Workspace, work: &Work) -> Option<Vec<String>> {
    let name = |subject: &Subject| {
        let Subject::Project(number) = subject else {
            return None;
        };
        let project = workspace.projects.iter().find(|p| p.number == *number)?;
        Some(project.seed.root.parent()?.file_name()?.to_owned())
    };
    let mut names: Vec<String> = work.subjects().iter().map(name).collect::<Option<_>>()?;
    names.sort();
    Some(names)
}

/// Starts all pending work.
fn begin_all(workspace: &mut Workspace) -> Vec<Work> {
    let mut begun = Vec::new();
    while let (_, Some(work)) = workspace.begin(Duration::ZERO) {
        if passes(workspace, &work).is_some() {
            begun.push(work);
        } else {
            work.run(&|| {});
            workspace.take_over();
        }
    }
    begun
}

fn settled(workspace: &mut Workspace, dir: &str) -> bool {
    let path = format!("/w/{dir}/tazuna.yaml");
    let file = workspace.analysis().file(Utf8Path::new(&path)).unwrap();
    workspace.is_settled_for(file)
}

/// Sets the duration of each pass.
fn take(workspace: &mut Workspace, took: Duration) {
    workspace.snapshot = None;
    for project in workspace.projects.list_mut() {
        let project = Arc::get_mut(project).unwrap();
        (project.took, project.took_whole) = (Some(took), took);
    }
}

#[test]
fn what_is_open_is_passed_over_before_the_rest_and_long_passes_are_apart() {
    let (mut workspace, _) = workspace(&["a", "b", "c", "d"]);
    workspace.set_text(Utf8Path::new("/w/b/tazuna.yaml"), MANIFESTS.into());
    let begun = begin_all(&mut workspace);
    let names: Vec<_> = begun
        .iter()
        .map(|work| passes(&workspace, work).unwrap())
        .collect();
    assert_eq!(names, [&["b"][..], &["a", "c", "d"]]);
    // What is opened while it waits is moved forward.
    workspace.set_text(Utf8Path::new("/w/d/tazuna.yaml"), MANIFESTS.into());
    let forward = begin_all(&mut workspace);
    assert_eq!(passes(&workspace, &forward[0]), Some(vec!["d".to_owned()]));
    forward[0].run(&|| {});
    workspace.take_over();
    assert!(settled(&mut workspace, "d") && !settled(&mut workspace, "a"));
    for work in begun {
        work.run(&|| {});
    }
    workspace.take_over();
    assert!(workspace.is_settled());
    workspace.set_options(RunOptions::default());
    workspace.slow = workspace.projects.iter().map(|project| project.number).collect();
    let mut begun = begin_all(&mut workspace);
    let apart: Vec<usize> = begun.iter().map(|work| work.subjects().len()).collect();
    assert_eq!(apart, [1; 4]);
    // Each is applied by itself: its subject need not wait for the others.
    let last = begun.pop().unwrap();
    let of_last = passes(&workspace, &last).unwrap();
    last.run(&|| {});
    workspace.take_over();
    for dir in ["a", "b", "c", "d"] {
        assert_eq!(settled(&mut workspace, dir), of_last == [dir]);
    }
}

#[test]
fn a_pass_that_an_edit_makes_stale_is_stopped_and_others_go_on() {
    let (mut workspace, _) = workspace(&["a", "b"]);
    workspace.set_text(Utf8Path::new("/w/a/tazuna.yaml"), MANIFESTS.into());
    workspace.refresh();
    workspace.set_options(RunOptions::default());
    let begun = begin_all(&mut workspace);
    let before = states(&mut workspace);
    let text = MANIFESTS.replace("gone", "lost");
    workspace.set_text(Utf8Path::new("/w/a/tazuna.yaml"), text.as_str().into());
    // The text is read; resolving its project waits for the running pass.
    assert!(begin_all(&mut workspace).is_empty());
    for work in begun {
        work.run(&|| {});
    }
    let changes = workspace.take_over();
    let table = workspace.store().snapshot();
    let mut files = changes
        .files
        .iter()
        .map(|file| table.get(*file).unwrap().path().as_str());
    assert!(
        !files.any(|path| path == "/w/a/tazuna.yaml"),
        "a stopped pass has a result"
    );
    assert!(settled(&mut workspace, "b") && !settled(&mut workspace, "a"));
    workspace.refresh();
    let after = states(&mut workspace);
    let says = |project: &Project, word: &str| {
        let mut findings = project.findings().iter();
        findings.any(|finding| finding.message.contains(word))
    };
    assert!(says(&before[0], "gone") && says(&after[0], "lost") && !says(&after[0], "gone"));
}

#[test]
fn a_project_is_up_to_date_while_texts_of_another_are_read_and_projects_looked_for() {
    let (mut workspace, _) = workspace(&["a", "b"]);
    workspace.refresh();
    let text = format!("{MANIFESTS}    - includes: [{{path: ../c/part.yaml}}]\n");
    workspace.set_text(Utf8Path::new("/w/a/tazuna.yaml"), text.as_str().into());
    let mut seen = Vec::new();
    while let (_, Some(work)) = workspace.begin(Duration::ZERO) {
        seen.extend(work.subjects());
        assert!(settled(&mut workspace, "b") && !settled(&mut workspace, "a"));
        work.run(&|| {});
        workspace.take_over();
    }
    assert!(
        matches!(
            seen[..],
            [Subject::File(_), Subject::Engine(_), Subject::Project(_)]
        ),
        "{seen:?}"
    );
    assert!(settled(&mut workspace, "a"));
}

#[test]
fn many_passes_are_made_in_one_go_whatever_they_take() {
    let mut workspace = many(60);
    workspace.set_text(Utf8Path::new("/w/p7/tazuna.yaml"), MANIFESTS.into());
    workspace.refresh();
    for slow in [false, true] {
        workspace.set_options(RunOptions::default());
        take(&mut workspace, Duration::from_millis(1));
        if slow {
            workspace.slow = workspace.projects.iter().map(|project| project.number).collect();
        }
        let begun = begin_all(&mut workspace);
        let passes: Vec<_> = begun
            .iter()
            .map(|work| passes(&workspace, work).unwrap())
            .collect();
        assert_eq!(passes[0], ["p7"], "what is open comes first");
        assert_eq!((passes.len(), passes[1].len()), (2, 59));
        for work in begun {
            work.run(&|| {});
        }
        workspace.take_over();
        assert!(workspace.is_settled());
    }
}

#[test]
fn of_what_is_not_open_little_is_done_at_once() {
    let mut workspace = many(60);
    workspace.set_text(Utf8Path::new("/w/p7/tazuna.yaml"), MANIFESTS.into());
    let at_once = |workspace: &mut Workspace, took: u64| {
        workspace.refresh();
        workspace.set_options(RunOptions::default());
        take(workspace, Duration::from_millis(took));
        let (_, work) = workspace.begin(Duration::from_millis(20));
        let work = work.unwrap();
        let passes = passes(workspace, &work).unwrap();
        work.run_here();
        workspace.take_over();
        (work.is_long(), passes)
    };
    let (is_long, passes) = at_once(&mut workspace, 1);
    assert!(
        !is_long && passes.len() == 5 && passes.contains(&"p7".to_owned()),
        "{passes:?}"
    );
    assert_eq!(at_once(&mut workspace, 10), (false, vec!["p7".to_owned()]));
}

#[test]
fn what_was_done_is_taken_over_in_slices() {
    let mut workspace = many(600);
    workspace.refresh();
    workspace.set_options(RunOptions::default());
    for work in begin_all(&mut workspace) {
        work.run(&|| {});
    }
    let mut slices = 1;
    while workspace.take_over_for(Duration::ZERO).1 {
        assert!(!workspace.is_settled());
        slices += 1;
    }
    assert_eq!(slices, 19);
    assert!(workspace.is_settled());
}

#[test]
fn a_configuration_without_settings_of_engines_triggers_no_search_for_projects() {
    let (mut workspace, dirs) = workspace(&["a", "b"]);
    let source = ConfigSource::default();
    workspace.load_configs(&source, &dirs).unwrap();
    workspace.refresh();
    let config = Utf8Path::new("/w/applyorder.toml");
    let mut searches = |text: &str| {
        workspace.set_text(config, text.into());
        workspace.load_configs(&source, &dirs).unwrap();
        let mut searches = 0;
        while let (_, Some(work)) = workspace.begin(Duration::ZERO) {
            let subjects = work.subjects();
            searches += subjects
                .iter()
                .filter(|s| matches!(s, Subject::Engine(_)))
                .count();
            work.run(&|| {});
            workspace.take_over();
        }
        searches
    };
    assert_eq!(searches("[rules]\nunknown-dependency = \"info\"\n"), 0);
    assert!(searches("[tazuna]\nroots = [\"a/tazuna.yaml\"]\n") > 0);
    assert!(searches("exclude = [\"b\"]\n") > 0);
}

#[test]
fn only_affected_projects_wait_for_a_configuration() {
    let (mut workspace, dirs) = workspace(&["a", "b"]);
    let source = ConfigSource::default();
    workspace.load_configs(&source, &dirs).unwrap();
    workspace.refresh();
    let load = workspace.config_load(&source, Vec::new());
    workspace.await_configs(false, &["/w/b".into()]);
    let a = MANIFESTS.replace("gone", "lost");
    workspace.set_text(Utf8Path::new("/w/a/tazuna.yaml"), a.as_str().into());
    workspace.set_text(Utf8Path::new("/w/b/tazuna.yaml"), a.as_str().into());
    let begun = begin_all(&mut workspace);
    let passed: Vec<_> = begun
        .iter()
        .map(|work| passes(&workspace, work).unwrap())
        .collect();
    assert_eq!(passed, [["a"]]);
    begun[0].run(&|| {});
    workspace.take_over();
    assert!(settled(&mut workspace, "a") && !settled(&mut workspace, "b"));
    // A directory that was not searched for one waits too.
    assert!(!workspace.take_configs(load.run()).unwrap());
    workspace.refresh();
    assert!(workspace.is_settled() && settled(&mut workspace, "b"));
}

#[test]
fn added_directories_are_looked_at_and_nothing_else() {
    let mut files = MemoryFiles::new();
    files.insert("/w/new/deep/applyorder.toml", "preview = true\n");
    let workspace = Workspace::new(applyorder_engines::all(), Arc::new(files), RunOptions::default());
    let source = ConfigSource::default();
    let mut workspace = workspace;
    let mut add = |dir: &str| {
        let load = workspace.added_config_dirs(&source, vec![dir.into()]);
        let must_load = workspace.take_configs(load.run()).unwrap();
        (must_load, workspace.knows_config_of(Utf8Path::new(dir)))
    };
    assert_eq!(add("/w/other/deep"), (false, true));
    assert_eq!(add("/w/new"), (false, true));
    assert_eq!(add("/w/new/deep/er"), (true, false));
}

#[test]
fn the_owner_does_not_look_at_what_is_gone() {
    let mut files = MemoryFiles::new();
    let paths: Vec<Utf8PathBuf> = (0..50).map(|i| format!("/w/p{i}/tazuna.yaml").into()).collect();
    for path in &paths {
        files.insert(path.clone(), MANIFESTS);
    }
    let owner = std::thread::current().id();
    let looks = Arc::new(AtomicUsize::new(0));
    let counted = looks.clone();
    let note = move |_: Look, _: &Utf8Path| {
        counted.fetch_add(
            usize::from(std::thread::current().id() == owner),
            Ordering::Relaxed,
        );
    };
    let files = Arc::new(NotedFiles { files, note });
    let mut workspace = Workspace::new(applyorder_engines::all(), files, RunOptions::default());
    workspace.offer(&paths, Offer::Found);
    workspace.refresh();
    let before = looks.load(Ordering::Relaxed);
    // If something happened to a directory, everything in it may have been deleted.
    let look = workspace.look_at(vec!["/w".into()]);
    let seen = std::thread::spawn(move || look.run()).join().unwrap();
    workspace.take_seen(seen);
    assert_eq!(looks.load(Ordering::Relaxed), before);
}

#[test]
fn what_is_gone_and_back_at_once_is_read_again() {
    let (dir, path) = (Utf8Path::new("/w/a"), Utf8Path::new("/w/a/tazuna.yaml"));
    let disk = ChangingFiles::default();
    disk.insert(path, MANIFESTS);
    let back = disk.clone();
    // It exists again after the directory was checked, and before its content is.
    let note = move |_: Look, seen: &Utf8Path| {
        if seen == path && back.text(path).is_none() {
            back.insert(
                path,
                "spec:\n  manifests:\n    - {name: b, type: kustomize, path: .}\n",
            );
        }
    };
    let files = NotedFiles {
        files: disk.clone(),
        note,
    };
    let mut workspace = Workspace::new(applyorder_engines::all(), Arc::new(files), RunOptions::default());
    workspace.offer(&[path.to_owned()], Offer::Found);
    workspace.refresh();
    let messages = |workspace: &mut Workspace| -> Vec<String> {
        let states = states(workspace);
        let findings = states.iter().flat_map(|project| project.findings().iter());
        findings.map(|finding| finding.message.to_string()).collect()
    };
    let unknown = |messages: &[String]| messages.iter().filter(|m| m.contains("gone")).count();
    assert_eq!(unknown(&messages(&mut workspace)), 1);
    disk.remove(path);
    workspace.changed_on_disk(&[dir]);
    workspace.refresh();
    assert!(disk.text(path).is_some());
    assert_eq!(unknown(&messages(&mut workspace)), 0);
}
