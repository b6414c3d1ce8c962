//! `diff`: what differs in the order between revisions.

mod random;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::selection::{commit, git};
use crate::skipped::skip;
use crate::support::{Answer, Tree, examples, run_in};

/// A repository with one commit on `main`; `None`, with a message, without git.
fn repository(files: &[(&str, &str)]) -> Option<Tree> {
    let tree = Tree::new(files);
    let made = git(&tree, &["init", "-q", "-b", "main"]) && commit(&tree, "one");
    if !made {
        skip("git", "it cannot be run");
    }
    made.then_some(tree)
}

/// The example of a shop, committed.
fn shop() -> Option<Tree> {
    let dir = examples().join("tazuna/shop");
    let files = ["tazuna.yaml", "apps.yaml", "data.yaml", "platform.yaml"];
    let texts = files.map(|name| (name, std::fs::read_to_string(dir.join(name)).unwrap()));
    let texts: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    repository(&texts)
}

/// Replaces texts in a file, each of which must exist.
fn edit(tree: &Tree, path: &str, changes: &[(&str, &str)]) {
    let mut text = std::fs::read_to_string(tree.path(path)).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{path} has no {from}");
        text = text.replace(from, to);
    }
    tree.write(path, text);
}

fn edit_shop(tree: &Tree) {
    edit(
        tree,
        "data.yaml",
        &[
            ("[postgres-operator, external-secrets]", "[postgres-operator]"),
            ("[external-secrets]", "[orders-db]"),
        ],
    );
    edit(tree, "platform.yaml", &[("[cert-manager]", "[cilium]")]);
}

fn diff(tree: &Tree, args: &[&str]) -> Answer {
    tree.run_with(
        &[&["diff"], args].concat(),
        None,
        &[("LC_ALL", "C.UTF-8"), ("TERM", "xterm")],
    )
}

fn json(tree: &Tree, args: &[&str]) -> Value {
    let answer = diff(tree, &[args, &["--format", "json"]].concat());
    assert_eq!(answer.code, 0, "{answer:?}");
    let document = answer.json();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema/applyorder-1.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&document).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    document
}

/// `A B` for each pair of a list of the only run.
fn pairs(document: &Value, list: &str) -> Vec<String> {
    let found = document["projects"].as_array().unwrap().iter();
    let found = found.flat_map(|p| p["runs"].as_array().unwrap());
    let found = found.flat_map(|run| run[list].as_array().unwrap());
    found
        .map(|w| format!("{} {}", w["from"].as_str().unwrap(), w["to"].as_str().unwrap()))
        .collect()
}

#[test]
fn three_changes_of_the_shop_are_shown_worst_first() {
    let Some(tree) = shop() else { return };
    edit_shop(&tree);
    let answer = diff(&tree, &["main"]);
    let shown = "\
tazuna.yaml · main → working tree · 6 → 7 layers · 4 of 10 manifests move

− lost
    ingress-nginx  no longer waits for  cert-manager      platform.yaml:20  now beside it
    orders-db      no longer waits for  external-secrets  data.yaml:14      only layers keep them apart
    session-cache  no longer waits for  external-secrets  data.yaml:19      only layers keep them apart
+ gained
    session-cache  now waits for  orders-db  data.yaml:19  ran ahead of it before
  moved
    ◂ ingress-nginx  3 → 2    ▸ session-cache  3 → 5
    ▸ checkout       5 → 6    ▸ storefront     6 → 7
  longest chain 6 → 7, now through session-cache and 1 more
";
    assert_eq!((answer.stdout.as_str(), answer.code), (shown, 0), "{answer:?}");
    assert_eq!(diff(&tree, &["main", "--exit-code"]).code, 1);
    let ascii = tree.run_with(&["diff", "main"], None, &[("LC_ALL", "C")]);
    assert!(ascii.stdout.is_ascii(), "{ascii:?}");
    let colored = diff(&tree, &["main", "--color", "always"]);
    assert!(colored.stdout.contains("\x1b[1;31m− lost\x1b[0m"), "{colored:?}");
}

#[test]
fn nothing_that_differs_is_one_line() {
    let Some(tree) = shop() else { return };
    for args in [
        &["main"][..],
        &["HEAD"],
        &["main..HEAD"],
        &["main", "--for", "delete"],
    ] {
        let answer = diff(&tree, &[args, &["--exit-code"]].concat());
        assert_eq!(answer.code, 0, "{answer:?}");
        assert!(answer.stdout.starts_with("✓ same order as "), "{answer:?}");
        assert_eq!(answer.stdout.lines().count(), 1);
    }
    assert_eq!(json(&tree, &["main"])["changed"], false);
    // Text without an effect on the order.
    edit(
        &tree,
        "data.yaml",
        &[("description: the one", "description: one")],
    );
    assert_eq!(diff(&tree, &["main"]).stdout, "✓ same order as main\n");
}

#[test]
fn a_revision_means_where_the_branch_began_and_two_mean_themselves() {
    let Some(tree) = shop() else { return };
    assert!(git(&tree, &["checkout", "-q", "-b", "work"]));
    edit(&tree, "platform.yaml", &[("[cert-manager]", "[cilium]")]);
    commit(&tree, "work");
    assert!(git(&tree, &["checkout", "-q", "main"]));
    edit(&tree, "data.yaml", &[("[external-secrets]", "[orders-db]")]);
    commit(&tree, "main");
    assert!(git(&tree, &["checkout", "-q", "work"]));
    assert_eq!(
        pairs(&json(&tree, &["main"]), "lost"),
        ["ingress-nginx cert-manager"]
    );
    let exact = json(&tree, &["main..work"]);
    assert_eq!(
        pairs(&exact, "lost"),
        ["ingress-nginx cert-manager", "session-cache orders-db"]
    );
    // Uncommitted changes affect the working tree only.
    edit(&tree, "data.yaml", &[("[external-secrets]", "[cilium]")]);
    assert_eq!(json(&tree, &["main..work"]), exact);
    let now = json(&tree, &["main"]);
    let lost = ["ingress-nginx cert-manager", "session-cache external-secrets"];
    assert_eq!(pairs(&now, "lost"), lost);
    assert_eq!(now["after"]["revision"], Value::Null);
}

#[test]
fn what_git_cannot_give_fails_and_says_why() {
    let Some(tree) = shop() else { return };
    for (args, said) in [
        (&["nothing"][..], "unknown git revision nothing"),
        (&["main..nothing"], "unknown git revision nothing"),
        (&["main...work"], "REV..REV2"),
        (&["main", "gone.yaml"], "now or before"),
        (&["main", "-"], "no earlier revision"),
    ] {
        let answer = diff(&tree, args);
        assert_eq!(answer.code, 2, "{answer:?}");
        assert!(answer.stderr.contains(said), "{answer:?}");
    }
    edit(&tree, "platform.yaml", &[("[cert-manager]", "[cilium]")]);
    commit(&tree, "two");
    assert!(git(&tree, &["branch", "-q", "old", "HEAD~1"]) && git(&tree, &["branch", "-q", "new", "HEAD"]));
    let clone = Tree::new(&[]);
    let from = format!("file://{}", tree.root().display());
    let all = [
        "clone",
        "-q",
        "--depth",
        "1",
        "--no-single-branch",
        &from,
        "clone",
    ];
    assert!(git(&clone, &all));
    // Both tips exist, and nothing says that one is the other's parent.
    for args in [["diff", "origin/old"], ["diff", "HEAD~1"]] {
        let answer = run_in(&clone.path("clone"), &args, None, &[]);
        assert_eq!(answer.code, 2, "{answer:?}");
        assert!(answer.stderr.contains("fetch-depth: 0"), "{answer:?}");
    }
    let answer = run_in(
        &clone.path("clone"),
        &["diff", "origin/old..origin/new"],
        None,
        &[],
    );
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stdout.contains("no longer waits for"), "{answer:?}");
    let bare = Tree::new(&[("tazuna.yaml", "spec: {}\n")]);
    let answer = diff(&bare, &["main"]);
    assert!(
        answer.code == 2 && answer.stderr.contains("not in a git work tree"),
        "{answer:?}"
    );
}

const KAPP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: NAME\n  namespace: ns\n  annotations:\n    \
    kapp.k14s.io/change-group: g/NAME\n    kapp.k14s.io/change-rule: upsert after upserting g/AFTER\n---\n";

#[test]
fn every_engine_is_compared() {
    let kapp = |edges: &[(&str, &str)]| -> String {
        edges
            .iter()
            .map(|(n, a)| KAPP.replace("NAME", n).replace("AFTER", a))
            .collect()
    };
    let spacelift = |on: &str| {
        let stack = |n: &str| {
            format!(
                "resource \"spacelift_stack\" \"{n}\" {{\n  name = \"{n}\"\n  repository = \"r\"\n  branch = \"b\"\n}}\n"
            )
        };
        format!(
            "{}{}{}resource \"spacelift_stack_dependency\" \"d\" {{\n  stack_id = spacelift_stack.c.id\n  \
             depends_on_stack_id = spacelift_stack.{on}.id\n}}\n",
            stack("a"),
            stack("b"),
            stack("c")
        )
    };
    let ankaios = |on: &str| {
        format!(
            "apiVersion: v1\nworkloads:\n  a:\n    runtime: podman\n    agent: x\n    runtimeConfig: \"image: i\"\n  \
             b:\n    runtime: podman\n    agent: x\n    runtimeConfig: \"image: i\"\n  c:\n    runtime: podman\n    \
             agent: x\n    dependencies:\n      {on}: ADD_COND_RUNNING\n    runtimeConfig: \"image: i\"\n"
        )
    };
    let tazuna = |on: &str| {
        let unit =
            |n: &str, on: &str| format!("    - {{name: {n}, type: kustomize, path: ., dependsOn: [{on}]}}\n");
        format!(
            "spec:\n  manifests:\n{}{}{}",
            unit("a", ""),
            unit("b", ""),
            unit("c", on)
        )
    };
    let config = "[[kapp.app]]\nname = \"app\"\nfiles = [\"config\"]\n";
    let files = |on: &str| {
        vec![
            ("t/tazuna.yaml", tazuna(on)),
            ("m/terramate.tm", "terramate {\n}\n".to_owned()),
            ("m/a/stack.tm", "stack {\n}\n".to_owned()),
            ("m/b/stack.tm", "stack {\n}\n".to_owned()),
            ("m/c/stack.tm", format!("stack {{\n  after = [\"/m/{on}\"]\n}}\n")),
            ("k/applyorder.toml", config.to_owned()),
            (
                "k/config/all.yaml",
                kapp(&[("a", "none"), ("b", "none"), ("c", on)]),
            ),
            ("n/manifest.yaml", ankaios(on)),
            ("s/main.tf", spacelift(on)),
        ]
    };
    let before = files("a");
    let before: Vec<(&str, &str)> = before.iter().map(|(p, t)| (*p, t.as_str())).collect();
    let Some(tree) = repository(&before) else { return };
    assert_eq!(diff(&tree, &["main"]).stdout, "✓ same order as main\n");
    for (path, text) in files("b") {
        tree.write(path, text);
    }
    let document = json(&tree, &["main"]);
    let mut engines: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for project in document["projects"].as_array().unwrap() {
        let run = &project["runs"][0];
        let mut rows = Vec::new();
        for list in ["lost", "gained"] {
            for wait in run[list].as_array().unwrap() {
                rows.push(format!(
                    "{list} {} {}",
                    wait["from"].as_str().unwrap(),
                    wait["to"].as_str().unwrap()
                ));
            }
        }
        engines.insert(project["engine"].as_str().unwrap(), rows);
    }
    let expected = [
        ("ankaios", ["c", "a", "b"].map(str::to_owned)),
        ("kapp", ["c", "a", "b"].map(|n| format!("ConfigMap/{n}@ns"))),
        (
            "spacelift",
            ["c", "a", "b"].map(|n| format!("spacelift_stack.{n}")),
        ),
        ("tazuna", ["c", "a", "b"].map(str::to_owned)),
        ("terramate", ["c", "a", "b"].map(|n| format!("/m/{n}"))),
    ];
    for (engine, [c, a, b]) in expected {
        assert_eq!(
            engines[engine],
            [format!("lost {c} {a}"), format!("gained {c} {b}")],
            "{engine}"
        );
    }
    let only = json(&tree, &["main", "k", "--engine", "kapp", "--for", "delete"]);
    assert_eq!(only["projects"].as_array().unwrap().len(), 1);
    assert_eq!(only["operation"], "delete");
}

const ROOT: &str = "spec:\n  manifests:\n";

fn unit(name: &str, on: &str) -> String {
    format!("    - name: {name}\n      type: kustomize\n      path: .\n      dependsOn: [{on}]\n")
}

fn tazuna(units: &[(&str, &str)]) -> String {
    units
        .iter()
        .fold(ROOT.to_owned(), |text, (name, on)| text + &unit(name, on))
}

#[test]
fn added_and_removed_cycles_verdicts_and_units_are_reported() {
    let before = tazuna(&[("a", ""), ("b", "a"), ("c", "b"), ("d", "c"), ("old", "d")]);
    let Some(tree) = repository(&[("tazuna.yaml", &before)]) else {
        return;
    };
    // `b` is removed, and with it the order of `c` and `a`; `old` has another name; `d` and `e` wait for each other.
    let after = tazuna(&[("a", ""), ("c", ""), ("d", "c, e"), ("new", "d"), ("e", "d, a")]);
    tree.write("tazuna.yaml", after);
    let shown = diff(&tree, &["main"]).stdout;
    let order = [
        "↻ new cycle",
        "✗ the engine",
        "− lost",
        "removed",
        "added",
        "renamed",
    ];
    let places: Vec<usize> = order
        .iter()
        .map(|t| shown.find(t).unwrap_or_else(|| panic!("no {t}: {shown}")))
        .collect();
    assert!(places.is_sorted(), "{shown}");
    for said in [
        "d  waits for itself  through e",
        "tazuna check  now stops",
        "c  no longer waits for  a",
        "through b",
        "new  was named  old",
        "5 → no order",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    let document = json(&tree, &["main"]);
    let run = &document["projects"][0]["runs"][0];
    assert_eq!(
        run["renamed"][0],
        serde_json::json!({"before": "old", "after": "new"})
    );
    assert_eq!(run["removed"][0]["unit"], "b");
    assert_eq!(run["added"][0]["unit"], "e");
    assert_eq!(run["lost"][0]["via"], "b");
    assert_eq!(run["lost"].as_array().unwrap().len(), 1, "{run}");
    commit(&tree, "two");
    let back = json(&tree, &["HEAD..HEAD~1"]);
    let run = &back["projects"][0]["runs"][0];
    assert_eq!(
        (&run["cycles"], run["cycles_gone"].as_array().unwrap().len()),
        (&serde_json::json!([]), 1)
    );
    let verdict = &back["projects"][0]["verdicts"][0];
    assert_eq!(
        (&verdict["before"], &verdict["after"]),
        (&false.into(), &true.into())
    );
}

#[test]
fn projects_and_environments_come_and_go() {
    let one = tazuna(&[("a", ""), ("b", "a")]);
    let Some(tree) = repository(&[("x/tazuna.yaml", &one), ("y/tazuna.yaml", &one)]) else {
        return;
    };
    std::fs::remove_file(tree.path("x/tazuna.yaml")).unwrap();
    tree.write("z/tazuna.yaml", tazuna(&[("a", "a")]));
    let shown = diff(&tree, &["main"]).stdout;
    for said in [
        "x/tazuna.yaml · main → working tree · project removed · 2 layers",
        "z/tazuna.yaml · main → working tree · new project · no order",
        "a  waits for itself",
        "✓ same order in 1 other project",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    // A deleted path still tells which project it belonged to.
    let document = json(&tree, &["main", "x"]);
    assert_eq!(document["projects"].as_array().unwrap().len(), 1);
    assert_eq!(document["projects"][0]["there"], "before");
    let document = json(&tree, &["main", "z/tazuna.yaml"]);
    assert_eq!(document["projects"][0]["there"], "after");
    // A file of a project selects the whole project, even if it is new.
    let includes = "spec:\n  manifests:\n    - name: g\n      includes: [{path: more.yaml}]\n";
    tree.write(
        "y/tazuna.yaml",
        format!("{includes}{}", unit("b", "") + &unit("z", "b")),
    );
    tree.write("y/more.yaml", tazuna(&[("a", "")]));
    let document = json(&tree, &["main", "y/more.yaml"]);
    assert_eq!(pairs(&document, "lost"), ["b a"]);
}

#[test]
fn without_a_project_nothing_is_called_the_same() {
    let Some(tree) = repository(&[("readme.md", "")]) else {
        return;
    };
    let answer = diff(&tree, &["main"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{answer:?}");
    assert!(answer.stderr.contains("no project found"), "{answer:?}");
    let comment = diff(&tree, &["main", "--format", "markdown"]);
    assert!(
        comment.stdout.ends_with(" -->\nno project found\n"),
        "{comment:?}"
    );
}

#[test]
fn a_changed_condition_is_reported() {
    let text = |condition: &str| {
        format!(
            "apiVersion: v1\nworkloads:\n  a:\n    runtime: podman\n    agent: x\n    runtimeConfig: \"image: i\"\n  \
             b:\n    runtime: podman\n    agent: x\n    dependencies:\n      a: {condition}\n    runtimeConfig: \"image: i\"\n"
        )
    };
    let Some(tree) = repository(&[("m.yaml", &text("ADD_COND_SUCCEEDED"))]) else {
        return;
    };
    tree.write("m.yaml", text("ADD_COND_RUNNING"));
    let document = json(&tree, &["main"]);
    assert_eq!(pairs(&document, "conditions"), ["b a"]);
    let change = &document["projects"][0]["runs"][0]["conditions"][0];
    assert_ne!(change["before"], change["after"], "{change}");
    assert!(diff(&tree, &["main"]).stdout.contains("! conditions"));
}

#[test]
fn what_would_have_to_be_rendered_is_unknown() {
    let text = |after: &str| {
        KAPP.replace("NAME", "a").replace("AFTER", "none")
            + &KAPP.replace("NAME", "b").replace("AFTER", after)
    };
    let config = "[[kapp.app]]\nname = \"app\"\nfiles = [\"config\"]\nrender = [\"touch\", \"rendered\"]\n";
    let Some(tree) = repository(&[("applyorder.toml", config), ("config/all.yaml", &text("a"))]) else {
        return;
    };
    let answer = diff(&tree, &["main"]);
    assert_eq!(
        answer.stdout,
        "✓ same order as main, as far as known: 1 part is unknown\n"
    );
    tree.write("config/all.yaml", text("none"));
    let document = json(&tree, &["main"]);
    assert_eq!(document["projects"][0]["runs"][0]["lost"][0]["certain"], false);
    assert_eq!(
        document["projects"][0]["unknown_after"][0],
        "the resources that `touch rendered` renders are unknown"
    );
    let answer = diff(&tree, &["main", "--render"]);
    assert!(
        answer.code == 2 && answer.stderr.contains("never rendered"),
        "{answer:?}"
    );
    assert!(!tree.path("rendered").exists());
}

#[test]
fn many_rows_are_folded_and_verbose_shows_them() {
    let names: Vec<String> = (0..40).map(|n| format!("u{n}")).collect();
    let all = |on: &str| {
        let units: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), on)).collect();
        // Without any dependency, Tazuna runs manifests one by one.
        tazuna(&[&[("zero", ""), ("base", "zero")][..], &units].concat())
    };
    let Some(tree) = repository(&[("tazuna.yaml", &all("base"))]) else {
        return;
    };
    tree.write("tazuna.yaml", all(""));
    let shown = diff(&tree, &["main"]).stdout;
    assert_eq!(shown.matches("no longer waits for").count(), 20, "{shown}");
    assert_eq!(shown.matches("… 20 more (--verbose)").count(), 2, "{shown}");
    let whole = diff(&tree, &["main", "--verbose"]).stdout;
    assert_eq!(whole.matches("no longer waits for").count(), 40, "{whole}");
    let comment = diff(&tree, &["main", "--format", "markdown"]).stdout;
    assert!(
        comment.contains("<details><summary>20 more</summary>"),
        "{comment}"
    );
    assert_eq!(pairs(&json(&tree, &["main"]), "lost").len(), 40);
}
