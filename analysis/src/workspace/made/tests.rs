//! What rests, and that it is made again as it was.

use std::fmt::Write as _;
use std::time::Duration;

use camino::Utf8Path;

use crate::workspace::Workspace;
use crate::workspace::tests::{MANIFESTS, states, workspace, workspace_of};

/// All that an engine made of the projects.
fn made(workspace: &mut Workspace) -> String {
    let mut out = String::new();
    for project in states(workspace) {
        let made = &project.resolution;
        writeln!(out, "{} {:?}", project.seed.root, project.units()).unwrap();
        writeln!(out, "{:?} {:?}", made.verdicts, made.engine_version).unwrap();
        writeln!(out, "{:?} {:?}", made.members, made.links).unwrap();
        writeln!(out, "{:?} {:?}", *made.variants, *made.symbols).unwrap();
        writeln!(out, "{:?}", project.findings().iter().collect::<Vec<_>>()).unwrap();
    }
    out
}

fn do_all(workspace: &mut Workspace) {
    while let (_, Some(work)) = workspace.begin(Duration::ZERO) {
        work.run(&|| {});
        workspace.take_over();
    }
}

#[test]
fn an_inactive_project_is_released_and_made_again_as_it_was() {
    let both = |rest: bool| {
        let (mut workspace, _) = workspace(&["a", "b", "c"]);
        if rest {
            workspace.let_rest();
        }
        workspace.set_text(Utf8Path::new("/w/b/tazuna.yaml"), MANIFESTS.into());
        do_all(&mut workspace);
        workspace
    };
    let (mut kept, mut resting) = (both(false), both(true));
    let at_rest = |workspace: &mut Workspace| -> Vec<bool> {
        let states = states(workspace);
        states.iter().map(|project| project.resolution.rests()).collect()
    };
    assert_eq!(at_rest(&mut kept), [false; 3]);
    assert_eq!(at_rest(&mut resting), [true, false, true]);
    // What is asked of all does not wake them.
    for project in states(&mut resting) {
        assert_eq!(project.units().len(), 1);
        assert_eq!(resting.analysis().files_and_links(&project).count(), 1);
        assert!(project.unresolved().next().is_none());
    }
    assert!(!resting.has_hint_tasks() || resting.hint_tasks().len() == 1);
    assert_eq!(at_rest(&mut resting), [true, false, true]);
    assert_eq!(made(&mut resting), made(&mut kept));
    assert_eq!(at_rest(&mut resting), [false; 3]);
    // An edit begins anew and ends where it would have ended.
    let (mut kept, mut resting) = (both(false), both(true));
    for workspace in [&mut kept, &mut resting] {
        for text in [
            MANIFESTS.replace("gone", "b"),
            MANIFESTS.replace("name: a", "name: z"),
        ] {
            workspace.set_text(Utf8Path::new("/w/a/tazuna.yaml"), text.into());
            do_all(workspace);
        }
    }
    assert_eq!(at_rest(&mut resting), [false, false, true]);
    assert_eq!(made(&mut resting), made(&mut kept));
}

#[test]
fn a_project_with_something_to_be_found_later_does_not_rest() {
    let text = "spec:\n  manifests:\n    - {name: a, type: kustomize, path: .}\n    - {name: b, type: kustomize, path: ., \
                dependsOn: [a]}\n    - {name: c, type: kustomize, path: ., dependsOn: [a, b]}\n";
    let mut workspace = workspace_of([("/w/a/tazuna.yaml".into(), text)]);
    workspace.let_rest();
    do_all(&mut workspace);
    assert!(!states(&mut workspace)[0].resolution.rests());
    assert_eq!(workspace.hint_tasks().len(), 1);
}
