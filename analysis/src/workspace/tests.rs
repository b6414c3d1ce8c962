//! Which projects a change makes stale.

use std::sync::Arc;
use std::time::Duration;

use applyorder_core::config::ConfigSource;
use applyorder_core::engine::{Offer, RunOptions};
use applyorder_core::files::MemoryFiles;
use camino::{Utf8Path, Utf8PathBuf};

use super::{Project, Workspace};

const MANIFESTS: &str = "spec:\n  manifests:\n    - {name: a, type: kustomize, path: ., dependsOn: [gone]}\n";

/// A project of Tazuna in each of some directories.
fn workspace(dirs: &[&str]) -> (Workspace, Vec<Utf8PathBuf>) {
    let mut files = MemoryFiles::new();
    let paths: Vec<Utf8PathBuf> = dirs
        .iter()
        .map(|dir| format!("/w/{dir}/tazuna.yaml").into())
        .collect();
    for path in &paths {
        files.insert(path.clone(), MANIFESTS);
    }
    let mut workspace = Workspace::new(applyorder_engines::all(), Arc::new(files), RunOptions::default());
    workspace.offer(&paths, Offer::Found);
    let dirs = paths
        .iter()
        .filter_map(|path| path.parent())
        .map(Utf8Path::to_owned);
    (workspace, dirs.collect())
}

fn states(workspace: &mut Workspace) -> Vec<Arc<Project>> {
    let analysis = workspace.analysis();
    analysis.projects().map(|(_, project)| project.clone()).collect()
}

#[test]
fn a_configuration_passes_only_the_projects_it_holds_for() {
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

#[test]
fn what_is_open_is_passed_over_before_the_rest_and_long_passes_are_apart() {
    let (mut workspace, _) = workspace(&["a", "b", "c"]);
    workspace.set_text(Utf8Path::new("/w/b/tazuna.yaml"), MANIFESTS.into());
    let mut sizes = Vec::new();
    while let (_, Some(passes)) = workspace.begin_passes(Duration::ZERO) {
        sizes.push(passes.stale.len());
        let _ = workspace.end_passes(passes.run());
    }
    assert_eq!(sizes, [1, 2]);
    workspace.set_options(RunOptions::default());
    let mut begun = Vec::new();
    while let (_, Some(passes)) = workspace.begin_passes(Duration::ZERO) {
        begun.push(passes);
    }
    let apart: Vec<usize> = begun.iter().map(|passes| passes.stale.len()).collect();
    assert_eq!(apart, [1, 1, 1]);
    // Each is taken over by itself: what it is about need not wait for the others.
    let file = |workspace: &mut Workspace, dir: &str| {
        let path = format!("/w/{dir}/tazuna.yaml");
        workspace.analysis().file(Utf8Path::new(&path)).unwrap()
    };
    let last = begun.pop().unwrap();
    let root = last.stale[0].0.seed.root.clone();
    let _ = workspace.end_passes(last.run());
    let settled: Vec<bool> = ["a", "b", "c"]
        .iter()
        .map(|dir| {
            let file = file(&mut workspace, dir);
            workspace.is_settled_for(file) == root.as_str().contains(&format!("/{dir}/"))
        })
        .collect();
    assert_eq!(settled, [true; 3]);
}
