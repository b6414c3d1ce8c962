//! Text of linted files must not act on a terminal, nor on a system that watches the log.

use crate::support::Tree;

/// A name with a terminal escape, a line break, two workflow commands, and a mark that turns the writing.
const EVIL: &str = r#""a\e[31m\n::error::x\n##[error]y\u009b\u202e""#;

pub(crate) fn tree() -> Tree {
    let evil = format!(
        "spec:\n  manifests:\n    - name: {EVIL}\n      type: kustomize\n      path: .\n    \
         - name: b\n      type: kustomize\n      path: .\n      dependsOn: [{EVIL}, c, b]\n"
    );
    Tree::new(&[
        ("tazuna.yaml", evil.as_str()),
        // The same characters as they are, in a snippet and in a file's name.
        (
            "::error::d\u{1b}[1m/tazuna.yaml",
            "spec:\n  manifests:\n    - name: x\u{202e}y\u{9b} # \u{1b}[31m ##[error]\n      type: kustomize\n      dependsOn: [gone]\n",
        ),
        // What acts in Markdown, HTML, SARIF's messages, and where a value ends in other formats.
        (
            "m/tazuna.yaml",
            "spec:\n  manifests:\n    - name: a\n      type: kustomize\n      path: .\n      \
             dependsOn: ['[x](command:y)</script>&\"|`%0A::error::,title=z', '<!--]]>']\n",
        ),
        ("applyorder.toml", "\"a\\u001b[31m\\n::error::\" = 1\n"),
    ])
}

fn is_harmless(text: &str) -> bool {
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
        &["order", "--isolated", "--format", "plain"],
        &["order", "--isolated", "--format", "json"],
        &["graph", "--isolated"],
        &["graph", "--isolated", "--format", "dot"],
        &["graph", "--isolated", "--format", "svg"],
        &["graph", "--isolated", "--format", "json"],
        &["graph", "--isolated", "--format", "html"],
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
