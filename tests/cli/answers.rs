//! `why`, `deps`, `rules`, `explain`, and what packagers ask for.

use crate::support::Tree;

const CHAIN: &str = "spec:
  manifests:
    - name: cni
      type: kustomize
      path: .
    - name: db
      type: kustomize
      path: .
      dependsOn:
        - cni
    - name: app
      type: kustomize
      path: .
      dependsOn:
        - db
        - cni
    - name: logs
      type: kustomize
      path: .
";

fn tree() -> Tree {
    Tree::new(&[("tazuna.yaml", CHAIN)])
}

#[test]
fn why_shows_each_step_with_its_place() {
    let tree = tree();
    insta::assert_snapshot!(tree.run(&["why", "db", "cni"]).shown());
    let turned = tree.run(&["why", "cni", "db"]).stdout;
    let asked = tree.run(&["why", "db", "cni"]).stdout;
    assert_eq!(turned, asked + "cni does not wait for db\n");
    let none = tree.run(&["why", "logs", "app"]);
    assert_eq!(none.code, 1);
    assert!(
        none.stdout.starts_with("nothing orders logs and app\n"),
        "{none:?}"
    );
    assert_eq!(tree.run(&["why", "logs", "nope"]).code, 2);
}

#[test]
fn deps_are_shown_as_a_tree_a_table_and_a_list() {
    let tree = tree();
    insta::assert_snapshot!(tree.run(&["deps", "app"]).shown());
    insta::assert_snapshot!(
        tree.run(&["deps", "cni", "--reverse", "--format", "table"])
            .shown()
    );
    assert_eq!(
        tree.run(&["deps", "app", "--format", "plain"]).stdout,
        "cni\ndb\n"
    );
    assert_eq!(
        tree.run(&["deps", "db", "--reverse", "--format", "plain"]).stdout,
        "app\n"
    );
    assert_eq!(tree.run(&["deps", "cni", "--format", "plain"]).stdout, "");
}

#[test]
fn depth_limits_the_walk() {
    let chain: String = (0..10)
        .map(|i| {
            let depends = if i == 0 {
                String::new()
            } else {
                format!(", dependsOn: [m{}]", i - 1)
            };
            format!("    - {{name: m{i}, type: kustomize, path: .{depends}}}\n")
        })
        .collect();
    let text = format!("spec:\n  manifests:\n{chain}");
    let tree = Tree::new(&[("tazuna.yaml", text.as_str())]);
    let plain = |depth: &str| {
        tree.run(&["deps", "m9", "--format", "plain", "--depth", depth])
            .stdout
    };
    assert_eq!(plain("2"), "m8\nm7\n");
    assert_eq!(
        tree.run(&["deps", "m9", "--depth", "2"]).stdout.lines().count(),
        3
    );
    assert_eq!(plain("99").lines().count(), 9);
    assert_eq!(tree.run(&["deps", "m9", "--depth", "0"]).code, 2);
}

#[test]
fn every_rule_can_be_explained() {
    let tree = Tree::new(&[]);
    let rules = tree.run(&["rules", "--format", "json"]).json();
    let rules = rules["rules"].as_array().unwrap().clone();
    assert!(rules.len() > 10);
    for rule in rules {
        let id = rule["id"].as_str().unwrap();
        let page = tree.run(&["explain", id]);
        assert_eq!(page.code, 0);
        assert!(page.stdout.starts_with(&format!("# {id}\n")), "{page:?}");
        assert!(page.stdout.contains("## "), "{id} says nothing");
    }
    let table = tree.run(&["rules"]).stdout;
    assert!(
        table.starts_with("rule ") && table.contains("\ncycle "),
        "{table}"
    );
}

#[test]
fn packagers_get_completions_and_a_manual() {
    let tree = Tree::new(&[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = tree.run(&["completions", shell]);
        assert!(
            script.code == 0 && script.stdout.contains("_APPLYORDER_COMPLETE"),
            "{shell}: {script:?}"
        );
    }
    let man = tree.run(&["man"]);
    assert!(!man.stdout.contains("lint(1)"), "a page that nobody has");
    assert!(man.stdout.contains(".TH applyorder 1") && man.stdout.contains("show\\-files"));
    assert_eq!(
        tree.run(&["--version"]).stdout,
        format!("applyorder {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn why_says_which_way_round_it_is() {
    let tree = Tree::new(&[(
        "tazuna.yaml",
        "spec:\n  manifests:\n    - {name: a, type: kustomize, path: .}\n    - {name: b, type: kustomize, path: ., dependsOn: [a]}\n",
    )]);
    let turned = tree.run(&["why", "a", "b"]);
    assert!(
        turned.stdout.starts_with("b runs after a, 1 step\n"),
        "{turned:?}"
    );
    assert!(turned.stdout.ends_with("a does not wait for b\n"), "{turned:?}");
    let asked = tree.run(&["why", "b", "a"]);
    assert!(!asked.stdout.contains("does not wait"), "{asked:?}");
}

#[test]
fn time_runs_down_and_each_line_stands_between_its_units() {
    let dir = crate::support::examples();
    let run = |args: &[&str]| crate::support::run_in(&dir, args, None, &[("LC_ALL", "C.UTF-8")]).shown();
    insta::assert_snapshot!(run(&["why", "storefront", "cilium", "tazuna/shop"]));
    insta::assert_snapshot!(run(&["why", "session-cache", "catalog", "tazuna/shop"]));
    insta::assert_snapshot!(run(&["why", "frontend", "database", "ankaios/shop"]));
    insta::assert_snapshot!(run(&["why", "vault", "vault", "tazuna/broken"]));
    insta::assert_snapshot!(run(&["deps", "storefront", "tazuna/shop"]));
    insta::assert_snapshot!(run(&["deps", "Namespace/shop", "--reverse", "kapp/shop"]));
    insta::assert_snapshot!(run(&["deps", "vault", "tazuna/broken"]));
}
