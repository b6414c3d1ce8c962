//! `check`: the project's own expectations on its order.

use crate::support::{Answer, Tree};

const CHAIN: &str = "spec:\n  manifests:\n    - {name: db, type: kustomize, path: ., dependsOn: []}\n    \
    - {name: api, type: kustomize, path: ., dependsOn: [db]}\n    \
    - {name: web-a, type: kustomize, path: ., dependsOn: [api]}\n    \
    - {name: web-b, type: kustomize, path: .}\n";

fn check(expectations: &str) -> Answer {
    let tree = Tree::new(&[("tazuna.yaml", CHAIN), ("applyorder.toml", expectations)]);
    tree.run(&["check"])
}

#[test]
fn expectations_are_met_or_not_and_say_why() {
    for (expectation, code, said) in [
        (
            "first = \"db\"\nthen = \"web-a\"",
            0,
            "met      `db` before `web-a`",
        ),
        (
            "first = \"db\"\nthen = \"web-*\"",
            1,
            "`web-b` does not wait for `db`",
        ),
        (
            "first = \"web-a\"\nthen = \"db\"",
            1,
            "`db` does not wait for `web-a`",
        ),
        ("first = \"db\"\nthen = \"gone\"", 1, "unknown unit `gone`"),
        ("max-layers = 3", 0, "at most 3 layers"),
        ("max-layers = 2", 1, "there are 3 layers"),
        (
            "no-edges = { from = \"web-*\", to = \"db\" }",
            0,
            "met      `web-*` does not",
        ),
        (
            "no-edges = { from = \"*\", to = \"db\" }",
            1,
            "`api` depends on `db`",
        ),
    ] {
        let answer = check(&format!("[[expect]]\n{expectation}\n"));
        assert_eq!(answer.code, code, "{expectation}: {answer:?}");
        assert!(answer.stdout.contains(said), "{expectation}: {answer:?}");
    }
}

#[test]
fn an_expectation_holds_in_every_environment_and_for_the_projects_of_its_file() {
    let tree = Tree::new(&[
        ("a/tazuna.yaml", CHAIN),
        ("a/applyorder.toml", "[[expect]]\nmax-layers = 2\n"),
        ("b/tazuna.yaml", CHAIN),
        ("b/applyorder.toml", "[[expect]]\nmax-layers = 3\n"),
        ("applyorder.toml", "[[expect]]\nfirst = \"x\"\nthen = \"y\"\n"),
    ]);
    assert_eq!(tree.run(&["check", "a"]).code, 1);
    assert_eq!(tree.run(&["check", "b"]).code, 0);
    let json = tree.run(&["check", "--format", "json"]).json();
    assert_eq!(json["met"], false);
    let met: Vec<_> = json["expectations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| (e["project"].as_str().unwrap(), e["met"].as_bool().unwrap()))
        .collect();
    assert_eq!(
        met,
        [("tazuna:a/tazuna.yaml", false), ("tazuna:b/tazuna.yaml", true)]
    );
}

#[test]
fn a_cycle_has_no_layers_and_what_is_broken_is_said() {
    let tree = Tree::new(&[
        (
            "tazuna.yaml",
            &CHAIN.replace("dependsOn: []", "dependsOn: [web-a]"),
        ),
        ("applyorder.toml", "[[expect]]\nmax-layers = 9\n"),
    ]);
    let answer = tree.run(&["check"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(
        answer.stdout.starts_with("unknown  at most 9 layers"),
        "{answer:?}"
    );
    for (text, said) in [
        (
            "[[expect]]\nfirst = \"a\"\n",
            "expected one of `first` with `then`",
        ),
        ("[[expect]]\nlayers = 1\n", "unknown field `layers`"),
    ] {
        tree.write("applyorder.toml", text);
        let answer = tree.run(&["lint", "--format", "concise"]);
        assert!(answer.stdout.contains(said), "{answer:?}");
        assert_eq!(tree.run(&["check"]).code, 2);
    }
    tree.write("applyorder.toml", "");
    let answer = tree.run(&["check"]);
    assert_eq!(answer.code, 0);
    assert!(answer.stderr.contains("no expectations"), "{answer:?}");
}
