//! Text of linted files must not affect a terminal, or a system that scans the log.

use crate::support::{Tree, run_in};

/// A name with a terminal escape, a line break, two workflow commands, and a bidirectional control character.
pub(crate) const EVIL: &str = r#""a\e[31m\n::error::x\n##[error]y\u009b\u202e""#;

pub(crate) fn tree() -> Tree {
    let evil = format!(
        "spec:\n  manifests:\n    - name: {EVIL}\n      type: kustomize\n      path: .\n    \
         - name: b\n      type: kustomize\n      path: .\n      dependsOn: [{EVIL}, c, b]\n"
    );
    Tree::new(&[
        ("tazuna.yaml", evil.as_str()),
        // The same characters verbatim, in a snippet and in a file name.
        (
            "::error::d\u{1b}[1m/tazuna.yaml",
            "spec:\n  manifests:\n    - name: x\u{202e}y\u{9b} # \u{1b}[31m ##[error]\n      type: kustomize\n      dependsOn: [gone]\n",
        ),
        // Texts with a special meaning in Markdown, HTML and SARIF messages, and delimiters of other formats.
        (
            "m/tazuna.yaml",
            "spec:\n  manifests:\n    - name: a\n      type: kustomize\n      path: .\n      \
             dependsOn: ['[x](command:y)</script>&\"|`%0A::error::,title=z', '<!--]]>']\n",
        ),
        ("applyorder.toml", "\"a\\u001b[31m\\n::error::\" = 1\n"),
    ])
}

pub(crate) fn is_harmless(text: &str) -> bool {
    let acts = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    !text.contains(acts)
        && !text.contains("##[")
        && !text.contains("##vso[")
        && !text.lines().any(|l| l.trim_start().starts_with("::"))
}

#[test]
fn every_format_is_harmless() {
    let tree = tree();
    for args in [
        &["lint", "--format", "human"][..],
        &["lint", "--format", "concise", "--min-severity", "hint"],
        &["lint", "--format", "grouped", "--min-severity", "hint"],
        &["lint", "--format", "json"],
        &["lint", "--format", "json-lines"],
        &["lint", "--format", "sarif"],
        &["lint", "--format", "gitlab=/dev/stdout"],
        &["lint", "--format", "junit"],
        &["lint", "--format", "checkstyle"],
        &["lint", "--format", "rdjson"],
        &["lint", "--show-files"],
        &["lint", "--verbose", "--isolated"],
        &["order", "--isolated"],
        &["order", "--isolated", "--format", "human"],
        &["order", "--isolated", "--format", "columns"],
        &["order", "--isolated", "--format", "plain"],
        &["order", "--isolated", "--format", "json"],
        &["graph", "--isolated"],
        &["graph", "--isolated", "--format", "dot"],
        &["graph", "--isolated", "--format", "svg"],
        &["graph", "--isolated", "--format", "json"],
        &["graph", "--isolated", "--format", "html"],
        &["order", "--isolated", "--edges", "all"],
        &["graph", "--isolated", "--format", "mermaid"],
        &["graph", "--isolated", "--format", "dot"],
        &["graph", "--isolated", "--format", "svg"],
        &["graph", "--isolated", "--format", "html"],
        &["graph", "--isolated", "--format", "json"],
        &["init", "--dry-run", "--isolated"],
        &["why", "b", "b", "--isolated", "tazuna.yaml"],
        &["why", "b", "no\u{1b}[31m\n::error::", "--isolated"],
        &["deps", "b", "--isolated"],
        &["deps", "b", "--isolated", "--format", "table"],
        &["deps", "b", "--isolated", "--format", "plain"],
        &["deps", "b", "--isolated", "--format", "json"],
        &["deps", "no\u{1b}[31m\n::error::"],
        &["explain", "no\u{1b}[31m\n::error::"],
        &["lint", "--select", "no\u{1b}[31m\n::error::"],
        &["lint", "no\u{1b}[31m\n::error::"],
        &["config", "show"],
    ] {
        let answer = tree.run(args);
        assert!(is_harmless(&answer.stdout), "{args:?}: {:?}", answer.stdout);
        assert!(is_harmless(&answer.stderr), "{args:?}: {:?}", answer.stderr);
        assert!(!answer.stdout.is_empty() || !answer.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn names_in_a_ring_and_in_a_partial_run_are_harmless() {
    let entry = |name: &str, on: &str| {
        format!("    - {{name: {name}, type: kustomize, path: ., dependsOn: [{on}]}}\n")
    };
    let ring = format!(
        "spec:\n  manifests:\n{}{}{}",
        entry(EVIL, "b"),
        entry("b", EVIL),
        entry("\"stuck\\e[1m\"", EVIL)
    );
    let tree = Tree::new(&[("tazuna.yaml", &ring)]);
    for args in [
        &["lint"][..],
        &["lint", "--verbose"],
        &["order", "--format", "human"],
    ] {
        let answer = tree.run(args);
        assert_eq!(answer.code, 1, "{answer:?}");
        assert!(
            is_harmless(&answer.stdout) && is_harmless(&answer.stderr),
            "{args:?}: {answer:?}"
        );
        assert!(
            answer.stdout.contains("cut here") && answer.stdout.contains("stuck"),
            "{args:?}: {answer:?}"
        );
    }
    let map = |name: &str, note: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  annotations: {{kapp.k14s.io/change-group: \
             {note}}}\n---\n"
        )
    };
    let rule = "b, kapp.k14s.io/change-rule: upsert after upserting a";
    let tree = Tree::new(&[("app/a.yaml", &format!("{}{}", map(EVIL, "a"), map("b", rule)))]);
    let plain = tree
        .run(&["order", "app", "--engine", "kapp", "--format", "plain"])
        .stdout;
    let name = plain.lines().next().unwrap();
    for format in ["human", "table"] {
        let args = [
            "simulate", "app", "--engine", "kapp", "--failed", name, "--format", format,
        ];
        let answer = tree.run(&args);
        assert!(answer.stdout.contains("no longer waits for"), "{answer:?}");
        assert!(
            is_harmless(&answer.stdout) && is_harmless(&answer.stderr),
            "{answer:?}"
        );
    }
}

#[test]
fn the_names_between_nuls_are_harmless_too() {
    let answer = tree().run(&["order", "-0", "--isolated", "tazuna.yaml"]);
    assert!(answer.stdout.split('\0').all(is_harmless), "{:?}", answer.stdout);
}

#[test]
fn an_escaped_name_is_accepted_back() {
    let order = "spec:\n  manifests:\n    - name: b\n      type: kustomize\n      path: .\n";
    let tree = Tree::new(&[("tazuna.yaml", order)]);
    assert_eq!(tree.run(&["deps", "b"]).code, 0);
}

#[test]
fn json_keeps_the_data() {
    let answer = tree().run(&["lint", "--format", "json", "--isolated"]);
    let names: Vec<String> = answer.json()["projects"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|p| p["units"].as_array().unwrap().clone())
        .map(|u| u["name"].as_str().unwrap().to_owned())
        .collect();
    assert!(
        names.contains(&"a\u{1b}[31m\n::error::x\n##[error]y\u{9b}\u{202e}".to_owned()),
        "{names:?}"
    );
}

#[cfg(unix)]
#[test]
fn lines_of_files_outside_the_tree_are_not_shown() {
    let secret = "spec:\n  manifests:\n    # hunter2\n    - {name: pass-word, type: kustomize, path: ., dependsOn: [pass-phrase, pass-phrase]} # swordfish\n";
    let tree = Tree::new(&[
        ("out/tazuna.yaml", secret),
        (
            "in/tazuna.yaml",
            "spec:\n  manifests:\n    - name: g\n      includes: [{path: ../out/tazuna.yaml}]\n",
        ),
        ("in/own/tazuna.yaml", secret),
    ]);
    std::fs::create_dir_all(tree.path("in/linked")).unwrap();
    std::os::unix::fs::symlink(tree.path("out/tazuna.yaml"), tree.path("in/linked/tazuna.yaml")).unwrap();
    let is_git = crate::selection::git(&tree, &["init", "-q", "in"]);
    let lint = |args: &[&str]| run_in(&tree.path("in"), args, None, &[]);
    for args in [
        &["lint", "linked"][..],
        &["lint", "linked/tazuna.yaml"],
        &["lint", "--engine", "tazuna", "tazuna.yaml"],
        &["lint", "--diff", "--unsafe-fixes", "linked"],
        &["lint", "--format", "sarif", "linked"],
        &["lint", "--format", "json", "linked"],
    ] {
        let answer = lint(args);
        let all = answer.shown();
        let is_json = args.contains(&"json");
        for secret in ["hunter2", "swordfish", "pass-phrase", "pass-word"] {
            // A report for programs contains the names of units.
            let is_unit = is_json && secret == "pass-word";
            assert!(is_unit || !all.contains(secret), "{args:?}: {all}");
        }
    }
    let answer = lint(&["lint", "linked"]);
    assert!(
        answer.stdout.contains("tazuna.yaml:4:"),
        "the place is said: {answer:?}"
    );
    assert!(
        answer
            .stdout
            .contains("error[unknown-dependency]: Dependency on an unknown unit"),
        "and the kind: {answer:?}"
    );
    assert!(
        answer.stdout.contains("(outside this tree: not shown)"),
        "{answer:?}"
    );
    assert_eq!(answer.code, 1);
    // Such a file is not written, either.
    let fixed = lint(&["lint", "--fix", "--unsafe-fixes", "linked"]);
    assert_eq!(
        std::fs::read_to_string(tree.path("out/tazuna.yaml")).unwrap(),
        secret,
        "{fixed:?}"
    );
    // Files in the tree are shown, and so is what was named.
    assert!(lint(&["lint", "own"]).stdout.contains("swordfish"));
    assert!(lint(&["lint", "../out"]).stdout.contains("swordfish"));
    assert!(lint(&["lint", "../out/tazuna.yaml"]).stdout.contains("swordfish"));
    if is_git {
        let from_below = run_in(&tree.path("in/linked"), &["lint", "../own"], None, &[]);
        assert!(
            from_below.stdout.contains("swordfish"),
            "one work tree: {from_below:?}"
        );
    }
}
