//! `lint --since` and `--staged`: only what is new, read from git without a checkout.

use crate::selection::{commit, git};
use crate::support::{Answer, Tree, run_in};

const ROOT: &str = "spec:\n  manifests:\n    - name: group\n      includes:\n        - path: base/base.yaml\n        \
    - path: apps.yaml\n    - name: old\n      type: kustomize\n      path: .\n      dependsOn: [missing]\n";

fn manifests(entries: &[(&str, &str)]) -> String {
    let entry = |(name, needs): &(&str, &str)| {
        format!("    - name: {name}\n      type: kustomize\n      path: .\n      dependsOn: [{needs}]\n")
    };
    let entries: String = entries.iter().map(entry).collect();
    format!("spec:\n  manifests:\n{entries}")
}

/// A committed tree with an old finding.
fn tree() -> Option<Tree> {
    let tree = Tree::new(&[
        ("tazuna.yaml", ROOT),
        ("base/base.yaml", &manifests(&[("cni", ""), ("dns", "cni")])),
        ("base/keep.txt", ""),
        ("apps.yaml", &manifests(&[("app", "dns")])),
    ]);
    if !git(&tree, &["init", "-q", "-b", "main"]) {
        crate::skipped::skip("git", "it cannot be run");
        return None;
    }
    commit(&tree, "one");
    Some(tree)
}

fn lint(tree: &Tree, args: &[&str]) -> Answer {
    tree.run(&[&["lint", "--format", "concise", "--ignore", "tazuna/*"], args].concat())
}

/// The findings, without columns and messages.
fn found(answer: &Answer) -> Vec<String> {
    let short = |line: &str| {
        let mut parts = line.split(['[', ']']);
        let path = parts.next().unwrap().split(':').next().unwrap().to_owned();
        format!("{path} {}", parts.next().unwrap())
    };
    answer.stdout.lines().map(short).collect()
}

#[test]
fn an_unchanged_file_that_dangles_because_of_a_change_is_shown() {
    let Some(tree) = tree() else { return };
    assert_eq!(found(&lint(&tree, &[])), ["tazuna.yaml unknown-dependency"]);
    let nothing = lint(&tree, &["--since", "HEAD"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (0, ""), "{nothing:?}");
    assert!(nothing.stderr.contains("1 not new"), "{nothing:?}");
    tree.write("base/base.yaml", manifests(&[("cni", ""), ("coredns", "cni")]));
    let dangling = ["apps.yaml unknown-dependency"];
    for paths in [&[][..], &["base/base.yaml"], &["base"], &["."]] {
        let answer = lint(&tree, &[&["--since", "HEAD"], paths].concat());
        assert_eq!(found(&answer), dangling, "{paths:?} {answer:?}");
        assert_eq!(answer.code, 1);
    }
    let inside = ["lint", "--format", "concise", "--since", "HEAD", "base.yaml"];
    let answer = run_in(&tree.path("base"), &inside, None, &[]);
    assert_eq!(found(&answer), ["../apps.yaml unknown-dependency"], "{answer:?}");
    // Its whole file is deleted.
    std::fs::remove_file(tree.path("base/base.yaml")).unwrap();
    for paths in [&[][..], &["base/base.yaml"]] {
        let answer = lint(&tree, &[&["--since", "HEAD"], paths].concat());
        let found = found(&answer);
        assert!(
            found.contains(&"tazuna.yaml missing-file".to_owned()),
            "{paths:?} {answer:?}"
        );
        assert!(!answer.stdout.contains("`missing`"), "{answer:?}");
    }
}

#[test]
fn lines_that_move_bring_nothing_new() {
    let Some(tree) = tree() else { return };
    tree.write("tazuna.yaml", format!("# one\n# two\n{ROOT}"));
    assert_eq!(lint(&tree, &["--since", "HEAD"]).code, 0);
}

#[test]
fn a_branch_is_compared_with_where_it_began() {
    let Some(tree) = tree() else { return };
    assert!(git(&tree, &["checkout", "-q", "-b", "work"]));
    tree.write("apps.yaml", manifests(&[("app", "dns"), ("web", "gone")]));
    commit(&tree, "work");
    assert!(git(&tree, &["checkout", "-q", "main"]));
    tree.write("apps.yaml", manifests(&[("app", "lost")]));
    commit(&tree, "two");
    assert!(git(&tree, &["checkout", "-q", "work"]));
    let answer = lint(&tree, &["--since", "main"]);
    assert_eq!(found(&answer), ["apps.yaml unknown-dependency"], "{answer:?}");
    assert!(answer.stdout.contains("`gone`"), "{answer:?}");
}

#[test]
fn what_is_staged_is_looked_at_whatever_is_on_the_disk() {
    let Some(tree) = tree() else { return };
    tree.write("apps.yaml", manifests(&[("app", "gone")]));
    assert_eq!(lint(&tree, &["--staged"]).stdout, "", "not staged yet");
    assert!(git(&tree, &["add", "-A"]));
    tree.write("apps.yaml", manifests(&[("app", "dns")]));
    let answer = lint(&tree, &["--staged"]);
    assert_eq!(found(&answer), ["apps.yaml unknown-dependency"], "{answer:?}");
    assert!(answer.stdout.contains("`gone`"), "{answer:?}");
    assert_eq!(found(&lint(&tree, &["--staged", "apps.yaml"])), found(&answer));
    // Another index, as `git commit FILE` has one.
    let index = tree.path(".git/other");
    std::fs::copy(tree.path(".git/index"), &index).unwrap();
    assert!(git(&tree, &["reset", "-q"]));
    let env = [("GIT_INDEX_FILE", index.to_str().unwrap())];
    let args = ["lint", "--format", "concise", "--staged", "--ignore", "tazuna/*"];
    let other = tree.run_with(&args, None, &env);
    assert_eq!(found(&other), found(&answer), "{other:?}");
    assert_eq!(lint(&tree, &["--staged"]).stdout, "");
    for flag in ["--fix", "--diff", "--add-ignores"] {
        assert_eq!(lint(&tree, &["--staged", flag]).code, 2);
    }
}

#[test]
fn before_the_first_commit_all_that_is_staged_is_new() {
    let tree = Tree::new(&[("tazuna.yaml", &manifests(&[("app", "gone")]))]);
    if !git(&tree, &["init", "-q", "-b", "main"]) {
        return crate::skipped::skip("git", "it cannot be run");
    }
    assert_eq!(lint(&tree, &["--staged"]).stdout, "", "not staged yet");
    assert!(git(&tree, &["add", "-A"]));
    let answer = lint(&tree, &["--staged"]);
    assert_eq!(found(&answer), ["tazuna.yaml unknown-dependency"], "{answer:?}");
    assert_eq!(lint(&tree, &["--since", "HEAD"]).code, 2);
}

#[test]
fn only_what_is_new_is_fixed() {
    let Some(tree) = tree() else { return };
    tree.write("apps.yaml", manifests(&[("app", "dns, dns")]));
    commit(&tree, "two");
    let new = manifests(&[("app", "dns, dns"), ("web", "dns, dns")]);
    tree.write("apps.yaml", &new);
    let answer = lint(&tree, &["--since", "HEAD", "--fix", "--min-severity", "hint"]);
    assert!(answer.stderr.contains("fixed 1 finding"), "{answer:?}");
    let fixed = manifests(&[("app", "dns, dns"), ("web", "dns")]);
    assert_eq!(std::fs::read_to_string(tree.path("apps.yaml")).unwrap(), fixed);
}

#[test]
fn a_revision_that_is_not_there_fails() {
    let Some(tree) = tree() else { return };
    let answer = lint(&tree, &["--since", "nothing"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(
        answer.stderr.contains("unknown git revision nothing"),
        "{answer:?}"
    );
    assert!(git(&tree, &["checkout", "-q", "--orphan", "other"]));
    commit(&tree, "other");
    let answer = lint(&tree, &["--since", "main"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stderr.contains("no commit in common"), "{answer:?}");
    let bare = Tree::new(&[("tazuna.yaml", ROOT)]);
    let answer = lint(&bare, &["--staged"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stderr.contains("not in a git work tree"), "{answer:?}");
    let args = ["lint", "--engine", "tazuna", "-", "--since", "HEAD"];
    assert_eq!(tree.run_with(&args, Some(ROOT.as_bytes()), &[]).code, 2);
}
