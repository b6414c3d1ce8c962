//! `check`: the project's own expectations about its order.

use crate::support::{Answer, Tree};

const CHAIN: &str = "spec:\n  manifests:\n    - {name: db, type: kustomize, path: ., dependsOn: []}\n    \
    - {name: api, type: kustomize, path: ., dependsOn: [db]}\n    \
    - {name: web-a, type: kustomize, path: ., dependsOn: [api]}\n    \
    - {name: web-b, type: kustomize, path: .}\n";

fn check(expectations: &str) -> Answer {
    let tree = Tree::new(&[("tazuna.yaml", CHAIN), ("applyorder.toml", expectations)]);
    run(&tree, &["check", "--verbose"])
}

fn run(tree: &Tree, args: &[&str]) -> Answer {
    tree.run_with(args, None, &[("LC_ALL", "C.UTF-8"), ("TERM", "xterm")])
}

#[test]
fn expectations_are_met_or_not_and_say_why() {
    for (expectation, code, said) in [
        (
            "first = \"db\"\nthen = \"web-a\"",
            0,
            "✓ 1 expectation is met\n✓ `db` before `web-a`   applyorder.toml:1\n",
        ),
        (
            "first = \"db\"\nthen = \"web-*\"",
            1,
            "    `web-b` does not wait for `db`; to meet it: dependsOn: [db]   tazuna.yaml:6\n",
        ),
        (
            "first = \"web-a\"\nthen = \"db\"",
            1,
            "✗ `web-a` before `db`   applyorder.toml:1\n    `web-a` waits for `db`: the other way around\n",
        ),
        ("first = \"db\"\nthen = \"gone\"", 1, "unknown unit `gone`"),
        ("first = \"db\"\nthen = \"db\"", 1, "no unit runs after itself"),
        (
            "no-edges = { from = \"gone\", to = \"db\" }",
            1,
            "unknown unit `gone`",
        ),
        ("max-layers = 3", 0, "at most 3 layers"),
        ("max-layers = 2", 1, "found 3 layers"),
        (
            "no-edges = { from = \"web-*\", to = \"db\" }",
            0,
            "✓ `web-*` does not depend on `db`",
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
fn an_expectation_applies_in_every_environment_and_to_the_projects_of_its_file() {
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
fn a_cycle_has_no_layers_and_the_broken_part_is_reported() {
    let tree = Tree::new(&[
        (
            "tazuna.yaml",
            &CHAIN.replace("dependsOn: []", "dependsOn: [web-a]"),
        ),
        ("applyorder.toml", "[[expect]]\nmax-layers = 9\n"),
    ]);
    let answer = tree.run(&["check"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stdout.contains("? at most 9 layers"), "{answer:?}");
    for (text, said) in [
        (
            "[[expect]]\nfirst = \"a\"\n",
            "expected one of `first` with `then`",
        ),
        ("[[expect]]\nlayers = 1\n", "unknown key `layers`"),
    ] {
        tree.write("applyorder.toml", text);
        let answer = tree.run(&["lint", "--format", "concise"]);
        assert!(answer.stdout.contains(said), "{answer:?}");
        for command in ["check", "order", "graph"] {
            let answer = tree.run(&[command]);
            assert_eq!(answer.code, 2);
            assert!(answer.stderr.contains(said), "{command}: {answer:?}");
            assert!(!answer.stderr.contains("no expectations"), "{answer:?}");
        }
        assert_eq!(tree.run(&["check", "--format", "json"]).json()["met"], false);
    }
    tree.write("applyorder.toml", "");
    let answer = tree.run(&["check"]);
    assert_eq!(answer.code, 0);
    assert!(answer.stderr.contains("no expectations"), "{answer:?}");
}

#[test]
fn what_is_not_met_comes_with_the_line_that_would_meet_it() {
    let tree = Tree::new(&[
        (
            "tazuna.yaml",
            &CHAIN
                .replace("dependsOn: [api]}", "dependsOn: [api, web-b]}")
                .replace("dependsOn: [db]}", "dependsOn: []}"),
        ),
        (
            "applyorder.toml",
            "[[expect]]\nfirst = \"db\"\nthen = \"web-a\"\n\n[[expect]]\nmax-layers = 5\n",
        ),
    ]);
    let answer = run(&tree, &["check"]);
    let shown = "\
✗ 1 of 2 expectations is not met
✗ `db` before `web-a`   applyorder.toml:1
    `web-a` does not wait for `db`; to meet it: dependsOn: [api, web-b, db]   tazuna.yaml:5
✓ 1 other (--verbose)
";
    assert_eq!((answer.stdout.as_str(), answer.code), (shown, 1), "{answer:?}");
    let json = tree.run(&["check", "--format", "json"]).json();
    let suggestion = &json["expectations"][0]["suggestion"];
    assert_eq!(suggestion["text"], "dependsOn: [api, web-b, db]");
    assert_eq!(json["expectations"][0]["line"], 1);
    // It holds once it is written.
    tree.write(
        "tazuna.yaml",
        CHAIN.replace("dependsOn: [api]}", "dependsOn: [api, web-b, db]}"),
    );
    assert_eq!(run(&tree, &["check"]).code, 0);
    let ascii = tree.run_with(&["check", "--verbose"], None, &[("LC_ALL", "C")]);
    assert!(ascii.stdout.is_ascii(), "{ascii:?}");
}

#[test]
fn the_engines_say_it_in_their_own_words() {
    let kapp = |name: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  namespace: ns\n  annotations:\n    \
             kapp.k14s.io/change-group: g/{name}\n---\n"
        )
    };
    let workload = |name: &str| {
        format!("  {name}:\n    runtime: podman\n    agent: x\n    runtimeConfig: \"image: i\"\n")
    };
    let expect = |first: &str, then: &str| format!("[[expect]]\nfirst = \"{first}\"\nthen = \"{then}\"\n");
    let tree = Tree::new(&[
        ("m/terramate.tm", "terramate {\n}\n"),
        ("m/a/stack.tm", "stack {\n}\n"),
        ("m/b/stack.tm", "stack {\n  after = [\"/c\"]\n}\n"),
        ("m/c/stack.tm", "stack {\n}\n"),
        (
            "m/applyorder.toml",
            &format!("{}[terramate]\nroot = true\n", expect("/a", "/b")),
        ),
        ("k/all.yaml", &format!("{}{}", kapp("a"), kapp("b"))),
        ("k/applyorder.toml", &expect("ConfigMap/a@ns", "ConfigMap/b@ns")),
        (
            "n/m.yaml",
            &format!("apiVersion: v1\nworkloads:\n{}{}", workload("a"), workload("b")),
        ),
        ("n/applyorder.toml", &expect("a", "b")),
    ]);
    for (dir, said) in [
        ("m", "to meet it: after = [\"/c\", \"/a\"]   m/b/stack.tm:2"),
        (
            "k",
            "to meet it: kapp.k14s.io/change-rule: upsert after upserting g/a   k/all.yaml:",
        ),
        ("n", "to meet it: dependencies: a: ADD_COND_RUNNING   n/m.yaml:7"),
    ] {
        let answer = run(&tree, &["check", dir]);
        assert_eq!(answer.code, 1, "{answer:?}");
        assert!(answer.stdout.contains(said), "{said}: {answer:?}");
    }
    let delete = run(&tree, &["check", "k", "--for", "delete"]);
    assert!(delete.stdout.contains("delete after deleting g/a"), "{delete:?}");
}

const EXPECTED: &str = "[[expect]]\nfirst = \"db\"\nthen = \"web-b\"\n";

#[test]
fn lint_reports_what_is_not_as_expected_and_changes_no_verdict() {
    let tree = Tree::new(&[("a/tazuna.yaml", CHAIN), ("a/applyorder.toml", EXPECTED)]);
    let answer = tree.run(&["lint", "--format", "concise"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    let said =
        "a/applyorder.toml:3:8: error[unmet-expectation] unmet expectation: `web-b` does not wait for `db`";
    assert!(answer.stdout.contains(said), "{answer:?}");
    let json = tree.run(&["lint", "--format", "json"]).json();
    let project = &json["projects"][0];
    let found = &project["diagnostics"][0];
    assert_eq!(found["rule"], "unmet-expectation", "{json:#}");
    assert_eq!(found["related"][0]["message"], "to meet it: dependsOn: [db]");
    assert_eq!(found["related"][0]["place"]["path"], "a/tazuna.yaml");
    assert_eq!(project["verdicts"][0]["ok"], true);
    // Naming the file in which it could be met reports it, naming another one does not.
    let named = tree.run(&["lint", "--format", "concise", "a/tazuna.yaml"]);
    assert!(named.stdout.contains(said), "{named:?}");
    for (rules, code) in [("\"off\"", 0), ("\"warning\"", 0), ("\"error\"", 1)] {
        tree.write(
            "a/applyorder.toml",
            format!("{EXPECTED}[rules]\nunmet-expectation = {rules}\n"),
        );
        assert_eq!(tree.run(&["lint"]).code, code, "{rules}");
    }
    tree.write("a/applyorder.toml", EXPECTED.replace("web-b", "api"));
    assert_eq!(tree.run(&["lint"]).code, 0);
}

#[test]
fn an_expected_unit_is_unknown_only_where_all_projects_are_read() {
    let expected = EXPECTED.replace("web-b", "web-c");
    let tree = Tree::new(&[
        ("a/tazuna.yaml", CHAIN),
        ("b/tazuna.yaml", CHAIN),
        ("applyorder.toml", &expected),
    ]);
    let said = "applyorder.toml:3:8: error[unmet-expectation] unmet expectation: unknown unit `web-c`; did you mean `web-a`?";
    let whole = tree.run(&["lint", "--format", "concise"]);
    assert!(whole.stdout.contains(said), "{whole:?}");
    for part in [&["a"][..], &["a/tazuna.yaml"], &["--engine", "tazuna"]] {
        let answer = tree.run(&[&["lint", "--format", "concise"], part].concat());
        assert_eq!(answer.code, 0, "{answer:?}");
    }
    // One of the projects has it.
    tree.write(
        "b/tazuna.yaml",
        CHAIN.replace(
            "web-b, type: kustomize, path: .",
            "web-c, type: kustomize, path: ., dependsOn: [db]",
        ),
    );
    assert_eq!(tree.run(&["lint"]).code, 0);
}

#[test]
fn what_is_expected_in_a_file_that_is_extended_is_reported_there() {
    let tree = Tree::new(&[
        ("a/tazuna.yaml", CHAIN),
        ("a/applyorder.toml", "extend = \"../shared.toml\"\n"),
        ("shared.toml", EXPECTED),
    ]);
    let answer = tree.run(&["lint", "--format", "concise"]);
    assert!(
        answer
            .stdout
            .contains("shared.toml:3:8: error[unmet-expectation]"),
        "{answer:?}"
    );
    let checked = tree.run(&["check", "--format", "json"]).json();
    let places: Vec<(&str, u64)> = (checked["expectations"].as_array().unwrap().iter())
        .map(|e| (e["file"].as_str().unwrap(), e["line"].as_u64().unwrap()))
        .collect();
    assert_eq!(places, [("shared.toml", 1)]);
}
