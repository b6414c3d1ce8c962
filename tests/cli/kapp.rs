//! kapp from a user's perspective: what makes an app, rendered sources, group relations, partial runs.

use serde_json::Value;

use crate::support::{Tree, examples, run_in};

fn config_map(name: &str, annotations: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  annotations: {{{annotations}}}\n")
}

fn named(tree: &Tree, args: &[&str]) -> Vec<String> {
    let answer = tree.run(&[&["order", "--format", "plain"], args].concat());
    assert_eq!(answer.code, 0, "{answer:?}");
    answer.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn several_paths_are_one_app_in_the_order_given() {
    let a = config_map("a", "kapp.k14s.io/change-group: g");
    let tree = Tree::new(&[
        ("a.yaml", &a),
        ("one/b.yaml", &config_map("b", "")),
        ("two/c.yaml", &config_map("c", "kapp.k14s.io/change-group: g")),
    ]);
    let of = |names: &[&str]| names.iter().map(|n| format!("ConfigMap/{n}")).collect::<Vec<_>>();
    assert_eq!(
        named(&tree, &["--engine", "kapp", "two/c.yaml", "a.yaml"]),
        of(&["c", "a"])
    );
    assert_eq!(
        named(&tree, &["--engine", "kapp", "a.yaml", "two/c.yaml"]),
        of(&["a", "c"])
    );
    // Hooks pass files of all kinds: without `--engine`, they belong to the project that contains them.
    assert_eq!(named(&tree, &["two/c.yaml", "a.yaml"]), of(&["a", "b", "c"]));
    // A manifest without annotations belongs to the files that are named with it.
    assert_eq!(
        named(&tree, &["--engine", "kapp", "one/b.yaml", "a.yaml"]),
        of(&["b", "a"])
    );
    assert_eq!(named(&tree, &["--engine", "kapp", "two", "one"]), of(&["c", "b"]));
    let stdin = tree.run_with(
        &["order", "--format", "plain", "--engine", "kapp", "-", "a.yaml"],
        Some(config_map("piped", "").as_bytes()),
        &[],
    );
    assert_eq!(stdin.stdout, "ConfigMap/piped\nConfigMap/a\n");
}

#[test]
fn one_file_is_looked_at_in_its_app() {
    let rule = "kapp.k14s.io/change-rule: upsert after upserting g";
    let tree = Tree::new(&[
        ("a.yaml", &config_map("a", "kapp.k14s.io/change-group: g")),
        ("b.yaml", &config_map("b", rule)),
    ]);
    let answer = tree.run(&["lint", "b.yaml"]);
    assert_eq!((answer.code, &*answer.stdout), (0, ""), "{answer:?}");
    // As a set of its own, it lacks the group.
    let piped = tree.run_with(
        &["lint", "--engine", "kapp", "--format", "concise", "-"],
        Some(config_map("b", rule).as_bytes()),
        &[],
    );
    assert!(
        piped.stdout.contains("<stdin>:5:66: warning[unknown-dependency]"),
        "{piped:?}"
    );
}

#[test]
fn texts_name_standard_input_as_kapp_does() {
    let tree = Tree::new(&[]);
    let answer = tree.run_with(
        &["lint", "--engine", "kapp", "-"],
        Some(b"apiVersion: v1\nkind: ConfigMap\n"),
        &[],
    );
    assert_eq!(answer.code, 1);
    assert!(
        answer.stderr.contains("to be non-empty (stdin doc 1)"),
        "{answer:?}"
    );
}

const TEMPLATE: &str = "#@ load(\"@ytt:data\", \"data\")
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: #@ data.values.namespace
  annotations:
    kapp.k14s.io/change-rule: upsert after upserting g/missing
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: twice
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: twice
";

const RENDERED: &str = "apiVersion: v1
kind: ConfigMap
metadata:
  annotations:
    kapp.k14s.io/change-rule: upsert after upserting g/missing
  name: settings
  namespace: demo
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: made
  annotations:
    kapp.k14s.io/change-rule: upsert before g
";

#[test]
fn findings_in_rendered_text_are_led_back_to_their_source() {
    let tree = Tree::new(&[
        (
            "applyorder.toml",
            "[[kapp.app]]\nname = \"web\"\nfiles = [\"config\"]\nrender = [\"cat\", \"out.txt\"]\n",
        ),
        ("config/app.yaml", TEMPLATE),
        ("out.txt", RENDERED),
        (
            "broken.toml",
            "[[kapp.app]]\nname = \"web\"\nfiles = [\"config\"]\nrender = [\"cat\", \"gone\"]\n",
        ),
    ]);
    let answer = tree.run(&["lint", "--render", "--format", "concise"]);
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{answer:?}");
    assert!(
        lines[0].starts_with("config/app.yaml:8:54: warning[unknown-dependency]"),
        "{lines:?}"
    );
    assert!(
        lines[1].starts_with("rendered:web:14:31: error[invalid-value]"),
        "{lines:?}"
    );
    let source = tree.run(&["lint", "--render", "--format", "concise", "config/app.yaml"]);
    assert_eq!(source.stdout.lines().count(), 1, "{source:?}");
    // Without the configuration nothing is run, and nothing is reported about what is unknown.
    let isolated = tree.run(&["lint", "--isolated", "--format", "concise"]);
    assert_eq!(isolated.stdout, "", "{isolated:?}");
    let failed = tree.run(&["lint", "--render", "--config", "broken.toml"]);
    assert_eq!(failed.code, 2, "{failed:?}");
    assert!(
        failed
            .stderr
            .contains("`cat gone`, which renders web: ended with exit code 1")
    );
    let elsewhere = tree.run(&["lint", "--render", "--config", "broken.toml", "out.txt"]);
    assert!(!elsewhere.stderr.contains("which renders"), "{elsewhere:?}");
}

#[test]
fn no_verdict_is_given_of_an_app_that_is_not_rendered() {
    let tree = Tree::new(&[
        (
            "applyorder.toml",
            "[[kapp.app]]\nname = \"web\"\nfiles = [\"a.yaml\"]\nrender = [\"cat\", \"out.txt\"]\n",
        ),
        ("a.yaml", &config_map("a", "")),
    ]);
    let verdict = |args: &[&str]| {
        let answer = tree.run(&[&["lint", "--format", "json"], args].concat());
        let told: Value = serde_json::from_str(&answer.stdout).unwrap();
        let verdict = &told["projects"][0]["verdicts"][0];
        (answer.code, verdict["ok"].clone(), verdict["because"].clone())
    };
    let unknown = Value::from("the resources that `cat out.txt` renders are unknown");
    assert_eq!(verdict(&[]), (0, Value::Null, unknown.clone()));
    assert_eq!(verdict(&["--render"]), (2, Value::Null, unknown));
    tree.write("out.txt", config_map("a", ""));
    assert_eq!(verdict(&["--render"]), (0, Value::from(true), Value::Null));
}

#[test]
fn a_command_runs_only_where_the_user_allows_it() {
    let config = |touched: &str| {
        format!(
            "[[kapp.app]]\nname = \"web\"\nfiles = [\"config\"]\nrender = [\"sh\", \"-c\", \"touch {touched}; cat out.txt\"]\n"
        )
    };
    let tree = Tree::new(&[
        ("applyorder.toml", &config("ran")),
        ("config/app.yaml", TEMPLATE),
        ("out.txt", RENDERED),
        ("home/keep", ""),
    ]);
    let home = tree.path("home");
    let run = |args: &[&str]| tree.run_with(args, None, &[("XDG_CONFIG_HOME", home.to_str().unwrap())]);
    let ran = |name: &str| tree.path(name).exists();
    let answer = run(&["lint"]);
    assert!(!ran("ran"), "{answer:?}");
    assert!(
        answer
            .stderr
            .contains("was not run; use --render, or `applyorder trust"),
        "{answer:?}"
    );
    let trusted = run(&["trust"]);
    assert_eq!(trusted.code, 0, "{trusted:?}");
    assert!(!ran("ran"));
    run(&["lint"]);
    assert!(ran("ran"));
    assert!(run(&["trust", "--list"]).stdout.contains("touch ran"));
    // Another command is not trusted.
    tree.write("applyorder.toml", config("other"));
    run(&["lint"]);
    assert!(!ran("other"));
    run(&["lint", "--render"]);
    assert!(ran("other"));
    assert_eq!(run(&["trust", "--revoke"]).code, 0);
    assert_eq!(run(&["trust", "--list"]).stdout, "");
}

#[test]
fn an_inferred_app_is_never_sure_of_two_files() {
    let files = [
        (
            "dev/app.yaml",
            &*config_map("app", "kapp.k14s.io/change-group: g, a: dev"),
        ),
        (
            "prod/app.yaml",
            &*config_map("app", "kapp.k14s.io/change-group: g, a: prod"),
        ),
        ("kapp.yaml", "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\n"),
    ];
    let tree = Tree::new(&files);
    let answer = tree.run(&["lint"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stdout.contains("warning[duplicate-name]"), "{answer:?}");
    assert!(answer.stdout.contains("[[kapp.app]]"), "{answer:?}");
    let order = run_in(&tree.root(), &["order", "--verbose"], None, &[]);
    assert!(
        order
            .stderr
            .contains("the nearest directory with a kapp Config (kapp.yaml)"),
        "{order:?}"
    );
    tree.write(
        "applyorder.toml",
        "[[kapp.app]]\nname = \"both\"\nfiles = [\"dev\", \"prod\"]\n",
    );
    let declared = tree.run(&["lint"]);
    assert_eq!(declared.code, 1, "{declared:?}");
    assert!(declared.stdout.contains("error[duplicate-name]"), "{declared:?}");
}

#[test]
fn a_partial_run_orders_only_what_changes() {
    let dir = examples().join("kapp");
    let run = |args: &[&str]| run_in(&dir, args, None, &[]);
    let changed = "Deployment/storefront@shop,ConfigMap/storefront@shop";
    insta::assert_snapshot!(run(&["simulate", "shop", "--changed", changed]).shown());
    assert_eq!(run(&["simulate", "shop"]).code, 2);
    let misspelt = run(&["simulate", "shop", "--changed", "Deployment/storefornt@shop"]);
    assert!(
        misspelt
            .stderr
            .contains("did you mean `Deployment/storefront@shop"),
        "{misspelt:?}"
    );
}

#[test]
fn a_partial_run_shows_the_lost_order_and_the_workaround() {
    let tree = Tree::new(&[]);
    copy(&examples().join("kapp/shop"), &tree.path("shop"));
    let human = |args: &[&str]| tree.run(&[&["simulate", "shop", "--format", "human"], args].concat());
    let failed = human(&["--failed", "Job/migrate@shop"]);
    insta::assert_snapshot!(failed.shown());
    // The suggested command keeps the order that it promises to keep.
    let way_out = failed
        .stdout
        .lines()
        .find_map(|l| l.trim().strip_prefix("To keep the order: applyorder "));
    let args: Vec<&str> = way_out.unwrap().split(' ').collect();
    let kept = tree.run(&[&args[..], &["--format", "human"]].concat());
    insta::assert_snapshot!(kept.shown());
    assert!(!kept.stdout.contains('!'), "{kept:?}");
    let all = human(&["--failed", "Job/migrate@shop", "--verbose"]).stdout;
    assert!(
        all.contains("\n    ·  Namespace/shop") && !all.contains("--verbose"),
        "{all}"
    );
    let ascii = tree.run_with(
        &[
            "simulate",
            "shop",
            "--failed",
            "Job/migrate@shop",
            "--format",
            "human",
        ],
        None,
        &[("LC_ALL", "C")],
    );
    assert!(
        ascii.stdout.is_ascii() && ascii.stdout.contains(" - 1 of 8 resources is applied"),
        "{ascii:?}"
    );
    let table = tree
        .run(&["simulate", "shop", "--failed", "Job/migrate@shop"])
        .stdout;
    assert!(
        table.contains("\n  to keep the order: applyorder simulate --changed "),
        "{table}"
    );
}

#[test]
fn after_a_failure_what_waits_for_it_is_left_to_do() {
    let one = |name: &str, group: &str, after: &str| {
        config_map(
            name,
            &format!("kapp.k14s.io/change-group: {group}, kapp.k14s.io/change-rule: {after}"),
        )
    };
    let files = [
        one("db", "db", "delete after deleting app"),
        one("migrate", "migrate", "upsert after upserting db"),
        one("app", "app", "upsert after upserting migrate"),
        one("smoke", "smoke", "upsert after upserting app"),
    ];
    let tree = Tree::new(&[("app/a.yaml", &files.join("---\n"))]);
    let names = |args: &[&str]| {
        let answer = tree.run(&[&["simulate", "app", "--format", "plain"], args].concat());
        assert_eq!(answer.code, 0, "{answer:?}");
        answer.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        names(&["--failed", "ConfigMap/migrate"]),
        ["ConfigMap/app", "ConfigMap/smoke"]
    );
    assert_eq!(
        names(&["--failed", "ConfigMap/app", "--for", "delete"]),
        ["ConfigMap/app", "ConfigMap/db"]
    );
    let table = tree.run(&["simulate", "app", "--failed", "ConfigMap/migrate"]);
    assert!(table.stdout.contains("unchanged: 2 resources"), "{table:?}");
    assert!(
        table.stdout.contains("kapp may have stopped before them"),
        "{table:?}"
    );
}

#[test]
fn an_update_shows_what_happens_to_each() {
    let text = |data: &str| format!("{}data: {{a: {data}}}\n", config_map("kept", ""));
    let gone = config_map("gone", "");
    let tree = Tree::new(&[
        (
            "app/a.yaml",
            &format!(
                "{}---\n{}",
                text("new"),
                config_map("same", "kapp.k14s.io/change-group: g")
            ),
        ),
        (
            "before.yaml",
            &format!(
                "{}---\n{gone}---\n{}",
                text("old"),
                config_map("same", "kapp.k14s.io/change-group: g")
            ),
        ),
    ]);
    let answer = tree.run(&["simulate", "app", "--state", "before.yaml"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    let rows: Vec<Vec<&str>> = answer
        .stdout
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    assert_eq!(rows[3], ["1", "upsert", "ConfigMap/kept", "app/a.yaml:1"]);
    assert_eq!(rows[4], ["1", "delete", "ConfigMap/gone", "before.yaml:8"]);
    assert_eq!(rows[5], ["unchanged:", "1", "resource:", "ConfigMap/same"]);
}

#[test]
fn what_is_applied_makes_no_app_of_its_own() {
    let text = config_map("a", "kapp.k14s.io/change-group: g");
    let declared = "[[kapp.app]]\nname = \"shop\"\nfiles = [\"a.yaml\"]\n";
    let tree = Tree::new(&[
        ("a.yaml", &text),
        ("before.yaml", &text),
        ("applyorder.toml", declared),
    ]);
    let answer = tree
        .run(&["order", "--state", "before.yaml", "--format", "json"])
        .json();
    let projects = answer["projects"].as_array().unwrap();
    let keys: Vec<&str> = projects.iter().map(|p| p["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["kapp:shop"]);
}

#[test]
fn a_relation_of_groups_is_one_entry_or_all_its_edges() {
    let mut files = String::new();
    for n in 0..30 {
        files += &format!(
            "{}---\n",
            config_map(&format!("c{n}"), "kapp.k14s.io/change-group: g")
        );
    }
    for n in 0..20 {
        let rule = "kapp.k14s.io/change-rule: upsert after upserting g";
        files += &format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: j{n}\n  annotations: {{{rule}}}\n---\n"
        );
    }
    let tree = Tree::new(&[("a.yaml", &files)]);
    let few = tree.run(&["order", "--format", "json"]).json();
    let groups = few["projects"][0]["groups"].as_array().unwrap();
    let of_rule: Vec<_> = groups.iter().filter(|g| g["kind"] == "explicit").collect();
    assert_eq!(of_rule.len(), 1);
    assert_eq!(
        (&of_rule[0]["from_count"], &of_rule[0]["to_count"]),
        (&20.into(), &30.into())
    );
    assert_eq!(of_rule[0]["through"], "member of change group `g`");
    assert_eq!(few["projects"][0]["edges"].as_array().unwrap().len(), 0);
    let all = tree.run(&["order", "--format", "json", "--edges", "all"]).json();
    let edges = all["projects"][0]["edges"].as_array().unwrap();
    assert_eq!(edges.len(), 600);
    assert!(
        edges
            .iter()
            .all(|e| e["place"]["path"] == "a.yaml" && e["reason"] == "change-rule")
    );
    assert_eq!(all["projects"][0]["groups"].as_array().unwrap().len(), 0);
    let plain = tree.run(&["order", "--format", "plain", "--edges", "all"]);
    assert_eq!(plain.stdout.lines().count(), 600);
    assert!(
        plain.stdout.starts_with("Job/j0\tConfigMap/c0\n"),
        "{}",
        plain.stdout
    );
}

#[test]
fn why_names_the_default_binding() {
    let dir = examples().join("kapp");
    let answer = run_in(
        &dir,
        &["why", "Service/storefront@shop", "Namespace/shop", "shop"],
        None,
        &[],
    );
    insta::assert_snapshot!(answer.shown());
}

#[test]
fn the_examples_are_as_they_say() {
    let dir = examples().join("kapp");
    let run = |args: &[&str]| run_in(&dir, args, None, &[]).shown();
    insta::assert_snapshot!(run(&["lint", "shop"]));
    insta::assert_snapshot!(run(&["lint", "broken", "--format", "concise"]));
    insta::assert_snapshot!(run(&["order", "shop"]));
    insta::assert_snapshot!(run(&["order", "shop", "--for", "delete"]));
}

#[test]
fn edges_of_a_deletion_are_those_of_its_graph() {
    let files = [
        config_map("a", "kapp.k14s.io/change-rule: upsert after upserting g"),
        config_map(
            "b",
            "kapp.k14s.io/change-group: g, kapp.k14s.io/change-rule: delete before deleting h",
        ),
        config_map("c", "kapp.k14s.io/change-group: h"),
    ];
    let tree = Tree::new(&[("a.yaml", &files.join("---\n"))]);
    let edges = |operation: &str| {
        let answer = tree.run(&["order", "--format", "json", "--edges", "all", "--for", operation]);
        let report: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        let edges = report["projects"][0]["edges"].as_array().unwrap().clone();
        let name = |edge: &serde_json::Value, key: &str| edge[key].as_str().unwrap().to_owned();
        let pairs = edges.iter().map(|e| [name(e, "from"), name(e, "to")]);
        pairs.collect::<Vec<_>>()
    };
    assert_eq!(edges("apply"), [["ConfigMap/a", "ConfigMap/b"]]);
    assert_eq!(edges("delete"), [["ConfigMap/c", "ConfigMap/b"]]);
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

#[test]
fn an_unreadable_file_is_reported_once() {
    let tree = Tree::new(&[("app/a.yaml", &config_map("a", "kapp.k14s.io/change-group: g"))]);
    std::fs::write(tree.path("app/bad.yaml"), b"\xff\xfea: \xe9\n").unwrap();
    let times = |args: &[&str]| {
        let answer = tree.run(args);
        assert_eq!(answer.code, 2, "{answer:?}");
        format!("{}{}", answer.stdout, answer.stderr)
            .lines()
            .filter(|line| {
                line.contains("bad.yaml") && line.contains("not UTF-8") && !line.contains("stops:")
            })
            .count()
    };
    assert_eq!(
        times(&["lint", "--engine", "kapp", "--format", "concise", "app"]),
        1
    );
    // Without the finding, it is still reported.
    let ignored = ["lint", "--engine", "kapp", "--ignore", "unreadable-file", "app"];
    assert_eq!(times(&ignored), 1);
    assert_eq!(times(&["order", "--engine", "kapp", "app"]), 1);
}
