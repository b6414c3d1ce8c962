//! Which units are part of a run: `--changed-since`, `why --selected`.

use std::process::{Command, Stdio};

use crate::skipped::skip;
use crate::support::Tree;

const ROOT: &str = "terramate {\n  required_version = \">= 0.1\"\n}\n";

/// A repository with one commit; `None`, with a message, without git.
fn repository(files: &[(&str, &str)]) -> Option<Tree> {
    let tree = Tree::new(files);
    let made = git(&tree, &["init", "-q", "-b", "main"]) && commit(&tree, "one");
    if !made {
        skip("git", "it cannot be run");
    }
    made.then_some(tree)
}

pub(crate) fn git(tree: &Tree, args: &[&str]) -> bool {
    Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(args)
        .current_dir(tree.root())
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

pub(crate) fn commit(tree: &Tree, message: &str) -> bool {
    git(tree, &["add", "-A"]) && git(tree, &["commit", "-q", "-m", message])
}

fn stacks() -> Option<Tree> {
    repository(&[
        ("terramate.tm", ROOT),
        (".gitignore", "*.log\n"),
        (
            "a/stack.tm",
            "stack {\n  after = [\"/b\"]\n  wants = [\"/d\"]\n}\n",
        ),
        ("a/sub/main.tf", ""),
        ("b/stack.tm", "stack {\n  watch = [\"/shared/file\"]\n}\n"),
        ("b/c/stack.tm", "stack {\n}\n"),
        ("d/stack.tm", "stack {\n}\n"),
        ("shared/file", "1"),
    ])
}

fn order(tree: &Tree, args: &[&str]) -> String {
    let answer = tree.run(&[&["order", "--format", "plain"], args].concat());
    assert_eq!(answer.code, 0, "{answer:?}");
    answer.stdout
}

#[test]
fn what_changed_since_a_revision_is_selected() {
    let Some(tree) = stacks() else { return };
    assert_eq!(order(&tree, &["--changed-since", "HEAD"]), "");
    tree.write("shared/file", "2");
    commit(&tree, "two");
    assert_eq!(order(&tree, &["--changed-since", "HEAD"]), "");
    assert_eq!(order(&tree, &["--changed-since", "HEAD~1"]), "/b\n", "watched");
    tree.write("b/c/ä ö.tf", "");
    assert_eq!(
        order(&tree, &["--changed-since", "HEAD"]),
        "/b/c\n",
        "not tracked yet, in the nearest stack"
    );
    assert_eq!(order(&tree, &["--changed-since", "HEAD~1"]), "/b\n/b/c\n");
    tree.write("b/c/x.log", "");
    tree.write("a/sub/main.tf", "changed");
    assert_eq!(
        order(&tree, &["--changed-since", "HEAD"]),
        "/b/c\n/d\n/a\n",
        "and what it wants"
    );
    assert_eq!(
        order(&tree, &["--changed-since", "HEAD", "--as", "list"]),
        "/b/c\n/a\n"
    );
    git(&tree, &["add", "-A"]);
    assert_eq!(
        order(&tree, &["--changed-since", "HEAD"]),
        "/b/c\n/d\n/a\n",
        "staged counts as well"
    );
    commit(&tree, "three");
    std::fs::remove_dir_all(tree.path("b/c")).unwrap();
    assert_eq!(
        order(&tree, &["--changed-since", "HEAD"]),
        "/b\n",
        "what is gone counts for the stack around it"
    );
}

#[test]
fn a_revision_that_git_does_not_know_is_an_error() {
    let Some(tree) = stacks() else { return };
    for revision in ["nothing", "--all", ""] {
        let answer = tree.run(&["order", &format!("--changed-since={revision}")]);
        assert_eq!(answer.code, 2, "{answer:?}");
        assert!(answer.stderr.contains("unknown git revision"), "{answer:?}");
    }
    let clone = crate::temp::temporary();
    tree.write("a/x", "");
    commit(&tree, "two");
    let url = format!("file://{}", tree.root().display());
    let cloned = git(
        &tree,
        &[
            "clone",
            "-q",
            "--depth",
            "1",
            &url,
            clone.path().join("c").to_str().unwrap(),
        ],
    );
    assert!(cloned);
    let dir = clone.path().join("c");
    let answer = crate::support::run_in(&dir, &["order", "--changed-since", "HEAD~1"], None, &[]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stderr.contains("fetch-depth: 0"), "{answer:?}");
}

#[test]
fn without_git_there_is_nothing_to_compare_with() {
    let tree = Tree::new(&[("terramate.tm", ROOT), ("a/stack.tm", "stack {\n}\n")]);
    let answer = tree.run(&["order", "--changed-since", "HEAD"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stderr.contains("not in a git work tree"), "{answer:?}");
    let Some(tree) = stacks() else { return };
    let answer = tree.run_with(
        &["order", "--changed-since", "HEAD"],
        None,
        &[("PATH", "/nowhere")],
    );
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stderr.contains("git cannot be started"), "{answer:?}");
}

#[test]
fn an_engine_without_changes_refuses_it() {
    let Some(tree) = repository(&[("tazuna.yaml", "spec:\n  manifests: []\n")]) else {
        return;
    };
    let answer = tree.run(&["order", "--changed-since", "HEAD"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(
        answer.stderr.contains("Tazuna has no option --changed-since"),
        "{answer:?}"
    );
}

#[test]
fn why_a_unit_is_part_of_a_run_or_is_not() {
    let tree = Tree::new(&[
        ("terramate.tm", ROOT),
        (
            "a/stack.tm",
            "stack {\n  tags = [\"net\"]\n  wants = [\"/d\"]\n}\n",
        ),
        ("b/stack.tm", "stack {\n  tags = [\"db\"]\n}\n"),
        ("d/stack.tm", "stack {\n}\n"),
    ]);
    let wanted = tree.run(&["why", "--selected", "/d", "--tags", "net"]);
    let out = tree.run(&["why", "--selected", "/b", "--tags", "net", "--cwd", "a"]);
    insta::assert_snapshot!(format!("{}{}", wanted.shown(), out.shown()));
    assert_eq!(tree.run(&["why", "--selected", "/b"]).code, 0);
    assert_eq!(
        tree.run(&["why", "--selected", "/b", "b"]).code,
        0,
        "a path, not a unit"
    );
    assert_eq!(tree.run(&["why", "--selected", "/nope"]).code, 2);
    assert_eq!(tree.run(&["why", "/b"]).code, 2);
    let json = tree
        .run(&["why", "--selected", "/d", "--tags", "net", "--format", "json"])
        .json();
    assert_eq!(json["selected"], true);
    assert_eq!(json["unit"], "/d");
    assert_eq!(json["reasons"][2]["message"], "`/a` wants `/d`");
    assert_eq!(json["reasons"][2]["place"]["path"], "a/stack.tm");
}

#[test]
fn an_option_of_one_engine_is_for_its_projects() {
    let tree = Tree::new(&[
        ("t/terramate.tm", ROOT),
        ("t/a/stack.tm", "stack {\n  tags = [\"x\"]\n}\n"),
        ("t/b/stack.tm", "stack {\n}\n"),
        (
            "z/tazuna.yaml",
            "spec:\n  manifests:\n    - {name: a, type: kustomize, path: .}\n",
        ),
    ]);
    let plain = |args: &[&str]| tree.run(&[&["order", "--format", "plain"], args].concat());
    let cwd = plain(&["--no-tags", "x"]);
    assert_eq!((cwd.code, cwd.stdout.as_str()), (0, "a\n/b\n"), "{cwd:?}");
    let nobody = plain(&["--namespace", "x"]);
    assert_eq!(nobody.code, 2, "{nobody:?}");
    assert!(
        nobody
            .stderr
            .contains("none of Tazuna, Terramate has the option --namespace"),
        "{nobody:?}"
    );
}

#[test]
fn standard_input_is_part_of_its_project() {
    let name = |name: &str| {
        format!("spec:\n  manifests:\n    - {{name: {name}, type: kustomize, path: ., dependsOn: [first]}}\n")
    };
    let tree = Tree::new(&[
        (
            "tazuna.yaml",
            "spec:\n  manifests:\n    - {name: first, type: kustomize, path: .}\n    - includes: [{path: apps.yaml}]\n",
        ),
        ("apps.yaml", &name("app")),
    ]);
    let answer = tree.run_with(
        &["order", "--format", "plain", "--stdin-filename", "apps.yaml", "-"],
        Some(name("piped").as_bytes()),
        &[],
    );
    assert_eq!(
        (answer.code, answer.stdout.as_str()),
        (0, "first\npiped\n"),
        "{answer:?}"
    );
}

#[cfg(unix)]
#[test]
fn what_could_be_ours_and_was_not_read_fails_the_run() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;

    let tree = Tree::new(&[
        ("tazuna.yaml", "spec:\n  manifests: []\n"),
        ("other.yaml", "a: 1\n"),
    ]);
    let strange = |name: &[u8]| tree.root().join(std::ffi::OsStr::from_bytes(name));
    std::fs::write(strange(b"\xfc.jpg"), "").unwrap();
    let answer = tree.run(&["lint"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    std::fs::write(strange(b"\xfc.yaml"), "").unwrap();
    let answer = tree.run(&["lint"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stderr.contains("its name is not UTF-8"), "{answer:?}");
    std::fs::remove_file(strange(b"\xfc.yaml")).unwrap();
    let other = tree.path("other.yaml");
    std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::File::open(&other).is_ok() {
        // The user that runs the tests can read everything.
        return;
    }
    let answer = tree.run(&["lint"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(
        answer.stderr.contains("other.yaml: permission denied"),
        "{answer:?}"
    );
}

#[test]
fn a_rule_in_preview_is_not_selected_in_silence() {
    let tree = Tree::new(&[("tazuna.yaml", "spec:\n  manifests: []\n")]);
    let select = ["lint", "--select", "kapp/no-delete-counterpart"];
    let answer = tree.run(&select);
    assert!(
        answer.stderr.contains("is in preview: use --preview"),
        "{answer:?}"
    );
    let answer = tree.run(&[&select[..], &["--preview"]].concat());
    assert!(!answer.stderr.contains("--preview"), "{answer:?}");
}

#[test]
fn a_run_of_changes_since_a_revision_is_predicted() {
    let Some(tree) = stacks() else { return };
    tree.write("b/main.tf", "");
    let answer = tree.run(&["simulate", "--changed-since", "HEAD"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stdout.contains("/b  "), "{answer:?}");
    assert!(answer.stdout.contains("unchanged: 3 stacks: "), "{answer:?}");
    let selected = |unit: &str| tree.run(&["why", "--selected", unit, "--changed-since", "HEAD"]);
    assert_eq!((selected("/b").code, selected("/d").code), (0, 1));
    assert!(
        selected("/b").stdout.contains("b/main.tf"),
        "{:?}",
        selected("/b")
    );
    let answer = tree.run(&["simulate", "--changed-since", "nothing"]);
    assert!(
        answer.code == 2 && answer.stderr.contains("unknown git revision"),
        "{answer:?}"
    );
    assert_eq!(
        tree.run(&["simulate", "--changed-since", "HEAD", "--changed", "/b"])
            .code,
        2
    );
    let answer = tree.run(&["simulate"]);
    assert!(answer.stderr.contains("--changed-since REV"), "{answer:?}");
}

/// Terramate's own list ignores here that `/p/c` is in `/p`: it puts it first.
#[test]
fn a_list_of_changed_stacks_keeps_nested_stacks_after_their_parents() {
    let stack = |after: &str| format!("stack {{\n  after = [{after}]\n}}\n");
    let Some(tree) = repository(&[
        ("terramate.tm", ROOT),
        ("p/stack.tm", &stack("\"/z\"")),
        ("p/c/stack.tm", &stack("")),
        ("z/stack.tm", &stack("")),
        ("a/stack.tm", &stack("\"/p\"")),
    ]) else {
        return;
    };
    for dir in ["p", "p/c", "z", "a"] {
        tree.write(&format!("{dir}/main.tf"), "locals {}\n");
    }
    for changed in [["--changed-since", "HEAD"], ["--changed", "/a,/p,/p/c,/z"]] {
        let order = |command: &str| {
            let args = ["order", "--format", "plain", "--as", command];
            let answer = tree.run(&[&args[..], &changed].concat());
            assert_eq!(answer.code, 0, "{answer:?}");
            answer.stdout
        };
        assert_eq!(order("list"), "/z\n/p\n/p/c\n/a\n");
        assert_eq!(order("run"), order("list"));
    }
}
