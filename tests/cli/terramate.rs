//! Terramate's examples, and a Terramate project in a repository of another project.

use crate::support::{Tree, examples, run_in};

#[test]
fn the_examples_are_as_they_say() {
    let dir = examples().join("terramate");
    let run = |args: &[&str]| run_in(&dir, args, None, &[]).shown();
    insta::assert_snapshot!(run(&["order", "shop"]));
    insta::assert_snapshot!(run(&["lint", "broken"]));
    let sound = run_in(&dir, &["lint", "shop"], None, &[]);
    assert_eq!(sound.code, 0, "{sound:?}");
    assert_eq!(sound.stdout, "", "{sound:?}");
    let why = [
        "why",
        "--selected",
        "/platform/monitoring",
        "shop",
        "--tags",
        "app",
    ];
    let why = run_in(&dir, &why, None, &[]);
    assert_eq!(why.code, 0, "{why:?}");
    assert!(why.stdout.contains("is wanted by"), "{why:?}");
}

#[test]
fn a_root_is_declared() {
    let tree = Tree::new(&[
        (
            "own/applyorder.toml",
            "[terramate]\nroot = true\nversion = \"0.15.0\"\n",
        ),
        ("own/b/stack.tm", "stack {\n}\n"),
        ("own/c/applyorder.toml", "fail-on = \"warning\"\n"),
        ("own/c/stack.tm", "stack {\n  before = [\"/b\"]\n}\n"),
    ]);
    let answer = tree.run(&["order", "own", "--format", "plain"]);
    assert_eq!(
        (answer.code, answer.stdout.as_str()),
        (0, "/c\n/b\n"),
        "{answer:?}"
    );
    let json = tree.run(&["order", "own", "--format", "json"]).json();
    assert_eq!(json["projects"][0]["root"], "own");
    assert_eq!(json["projects"][0]["engine_version"], "0.15.0");
}

#[test]
fn what_is_broken_above_all_stacks_stops_the_search_for_a_root() {
    let tree = Tree::new(&[("x.tm", "foo {\n}\n"), ("a/stack.tm", "stack {\n}\n")]);
    let verdict = |tree: &Tree| {
        tree.run(&["lint", "a", "--format", "json"]).json()["projects"][0]["verdicts"][0].clone()
    };
    assert_eq!(verdict(&tree)["stage"], "load");
    let sound = Tree::new(&[("x.tm", "globals {\n}\n"), ("a/stack.tm", "stack {\n}\n")]);
    assert_eq!(verdict(&sound)["stage"], "root");
}
