//! `order`: layers, plain lists, several projects, no order.

use crate::support::{Tree, examples, run_in};

const DAG: &str = "spec:\n  manifests:\n    - {name: cni, type: kustomize, path: ., tags: [base]}\n    \
    - {name: db, type: kustomize, path: ., dependsOn: [cni], tags: [base]}\n    \
    - {name: app, type: kustomize, path: ., dependsOn: [db]}\n    \
    - {name: logs, type: kustomize, path: .}\n";

#[test]
fn the_example_as_a_table() {
    let dir = examples().join("tazuna");
    insta::assert_snapshot!(run_in(&dir, &["order", "shop"], None, &[]).shown());
    insta::assert_snapshot!(run_in(&dir, &["order", "shop", "--for", "delete"], None, &[]).shown());
}

#[test]
fn one_name_a_line() {
    let tree = Tree::new(&[("tazuna.yaml", DAG)]);
    assert_eq!(
        tree.run(&["order", "--format", "plain"]).stdout,
        "cni\nlogs\ndb\napp\n"
    );
    assert_eq!(tree.run(&["order", "-0"]).stdout, "cni\0logs\0db\0app\0");
}

#[test]
fn tags_limit_the_run() {
    let tree = Tree::new(&[("tazuna.yaml", DAG)]);
    assert_eq!(
        tree.run(&["order", "--format", "plain", "--tags", "base"]).stdout,
        "cni\ndb\n"
    );
}

#[test]
fn a_cycle_has_no_order() {
    let text = "spec:\n  manifests:\n    - {name: a, type: kustomize, path: ., dependsOn: [b]}\n    \
        - {name: b, type: kustomize, path: ., dependsOn: [a]}\n";
    let tree = Tree::new(&[("tazuna.yaml", text)]);
    let answer = tree.run(&["order"]);
    assert_eq!(answer.code, 1);
    insta::assert_snapshot!(answer.shown());
    assert_eq!(tree.run(&["order", "--format", "plain"]).stdout, "");
}

#[test]
fn an_order_that_the_engine_rejects_is_shown_and_marked() {
    let text =
        "spec:\n  manifests:\n    - {name: a, type: kustomize}\n    - {name: b, type: kustomize, path: .}\n";
    let tree = Tree::new(&[("tazuna.yaml", text)]);
    let answer = tree.run(&["order", "--format", "plain"]);
    assert_eq!((answer.code, &*answer.stdout), (1, "a\nb\n"));
    insta::assert_snapshot!(answer.stderr);
    // `destroy` reads the values as well, but follows list order: it ignores dependencies.
    assert_eq!(tree.run(&["order", "--for", "delete"]).code, 1);
    let text = "spec:\n  manifests:\n    - {name: a, type: kustomize, path: ., dependsOn: [b]}\n    - {name: b, type: kustomize, path: ., dependsOn: [a]}\n";
    let tree = Tree::new(&[("tazuna.yaml", text)]);
    assert_eq!(tree.run(&["order"]).code, 1);
    let answer = tree.run(&["order", "--for", "delete", "--format", "plain"]);
    assert_eq!((answer.code, &*answer.stdout), (0, "a\nb\n"), "{answer:?}");
}

#[test]
fn several_projects_are_headed_and_ambiguous_names_qualified() {
    let tree = Tree::new(&[
        ("a/tazuna.yaml", DAG),
        (
            "b/tazuna.yaml",
            "spec:\n  manifests:\n    - {name: cni, type: kustomize, path: .}\n",
        ),
    ]);
    let shown = tree.run(&["order"]).stdout;
    assert!(shown.contains("tazuna:a/tazuna.yaml: apply") && shown.contains("tazuna:b/tazuna.yaml: apply"));
    let plain = tree.run(&["order", "--format", "plain"]).stdout;
    assert_eq!(
        plain,
        [
            "a/tazuna.yaml#cni",
            "a/tazuna.yaml#logs",
            "a/tazuna.yaml#db",
            "a/tazuna.yaml#app",
            "b/tazuna.yaml#cni"
        ]
        .map(|name| format!("tazuna:{name}\n"))
        .concat()
    );
    let ambiguous = tree.run(&["deps", "cni"]);
    assert_eq!(ambiguous.code, 2);
    assert!(
        ambiguous.stderr.contains("tazuna:b/tazuna.yaml#cni"),
        "{ambiguous:?}"
    );
    for name in plain.lines() {
        assert_eq!(tree.run(&["deps", name]).code, 0, "{name}");
    }
    assert_eq!(tree.run(&["order", "b"]).stdout.matches("apply").count(), 1);
}

#[test]
fn neither_an_empty_directory_nor_a_missing_path_has_an_order() {
    let tree = Tree::new(&[("a.txt", ""), ("empty/b.txt", "")]);
    for command in ["order", "graph", "check", "lint"] {
        let answer = tree.run(&[command, "empty"]);
        let said = "nothing to check: no project in empty (1 file looked at)\n";
        assert!(answer.code == 0 && answer.stderr.starts_with(said), "{answer:?}");
        let missing = tree.run(&[command, "gone"]);
        let said = "error: gone: no such file or directory\n";
        assert_eq!((missing.code, missing.stderr.as_str()), (2, said), "{command}");
    }
    let document: serde_json::Value = tree.run(&["order", "--format", "json"]).json();
    assert_eq!(document["projects"], serde_json::json!([]));
}

const STACKS: [(&str, &str); 4] = [
    (
        "terramate.tm.hcl",
        "terramate {\n  required_version = \">= 0.1.0\"\n}\n",
    ),
    ("net/stack.tm.hcl", "stack {\n  tags = [\"base\"]\n}\n"),
    ("net/dns/stack.tm.hcl", "stack {\n}\n"),
    ("app/stack.tm.hcl", "stack {\n  after = [\"/net/dns\"]\n}\n"),
];

#[test]
fn a_selection_is_the_engines_own() {
    let tree = Tree::new(&STACKS);
    let plain = |args: &[&str]| tree.run(&[&["order", "--format", "plain"], args].concat());
    assert_eq!(plain(&[]).stdout, "/net\n/net/dns\n/app\n");
    assert_eq!(plain(&["--tags", "base"]).stdout, "/net\n");
    assert_eq!(plain(&["--cwd", "net"]).stdout, "/net\n/net/dns\n");
    assert_eq!(plain(&["--changed", "/net,/app"]).stdout, "/net\n/app\n");
    assert_eq!(plain(&["--changed", "terramate:.#/net"]).stdout, "/net\n");
    assert_eq!(plain(&["--for", "delete"]).stdout, "/app\n/net/dns\n/net\n");
    assert_eq!(plain(&["--as", "list"]).stdout, "/net\n/net/dns\n/app\n");
    for (args, hint) in [
        (["--changed", "/nett"], "did you mean `/net`?"),
        (["--as", "lst"], "did you mean `list`?"),
        (["--env", "prod"], "Terramate has no option --env"),
    ] {
        let answer = plain(&args);
        assert_eq!(answer.code, 2, "{answer:?}");
        assert!(answer.stderr.contains(hint), "{answer:?}");
    }
}

#[test]
fn from_a_directory_inside_the_whole_project_is_shown() {
    let tree = Tree::new(&STACKS);
    let answer = run_in(&tree.path("net"), &["order", "--format", "plain"], None, &[]);
    assert_eq!(answer.stdout, "/net\n/net/dns\n/app\n", "{answer:?}");
}

#[test]
fn implicit_steps_say_why() {
    insta::assert_snapshot!(Tree::new(&STACKS).run(&["why", "/app", "/net"]).shown());
}

#[test]
fn all_environments_are_those_of_no_flag() {
    let text = "spec:\n  environments: {prod: {}}\n  manifests:\n    - {name: 'a{{ .Environment }}', type: kustomize, path: .}\n";
    let tree = Tree::new(&[("tazuna.yaml", text)]);
    let shown = |args: &[&str]| tree.run(&[&["order"], args].concat()).stdout;
    assert!(shown(&[]).contains("aprod"));
    assert_eq!(shown(&["-e", "all"]), shown(&[]));
    assert!(!shown(&["-e", "prod"]).contains("none given"));
}

#[test]
fn people_see_columns_where_they_fit_and_else_what_each_waits_for() {
    let run = |args: &[&str], columns: &str| {
        let env = [("COLUMNS", columns), ("LC_ALL", "C.UTF-8"), ("TERM", "xterm")];
        run_in(&examples(), &[&["order"], args].concat(), None, &env).shown()
    };
    let human = ["--format", "human"];
    insta::assert_snapshot!(run(&[&human[..], &["tazuna/shop"]].concat(), "120"));
    insta::assert_snapshot!(run(&[&human[..], &["tazuna/shop"]].concat(), "80"));
    insta::assert_snapshot!(run(&[&human[..], &["ankaios/shop"]].concat(), "80"));
    insta::assert_snapshot!(run(&["--format", "columns", "kapp/shop"], "20"));
}

#[test]
fn without_an_order_what_is_certain_is_shown_with_the_cycle_and_what_is_stuck() {
    for engine in ["tazuna", "terramate", "kapp", "spacelift", "ankaios"] {
        let args = ["order", "--format", "human", &format!("{engine}/broken")];
        let answer = run_in(&examples(), &args, None, &[("LC_ALL", "C.UTF-8")]);
        assert_eq!(answer.code, 1, "{answer:?}");
        insta::assert_snapshot!(format!("no_order_{engine}"), answer.shown());
    }
}

#[test]
fn a_ring_is_shown_though_one_in_it_waits_for_itself_too() {
    let text = "spec:\n  manifests:\n    - {name: a, type: kustomize, path: ., dependsOn: [b]}\n    - {name: b, type: \
                kustomize, path: ., dependsOn: [b, a]}\n";
    let tree = Tree::new(&[("tazuna.yaml", text)]);
    let shown = tree.run(&["order", "--format", "human"]).stdout;
    let rows: Vec<Vec<&str>> = shown
        .lines()
        .map(|line| {
            line.split_whitespace()
                .filter(|w| w.starts_with(char::is_alphanumeric))
                .collect()
        })
        .filter(|words: &Vec<&str>| {
            words.last() == Some(&"here") || matches!(words.first(), Some(&("a" | "b")))
        })
        .collect();
    let own = rows.iter().filter(|words| words.starts_with(&["b", "b"])).count();
    let ring = rows
        .iter()
        .filter(|words| words.starts_with(&["a", "b"]) || words.starts_with(&["b", "a"]));
    assert_eq!((ring.count(), own), (2, 1), "{shown}");
}

#[test]
fn a_long_ring_leaves_its_middle_out() {
    let manifest = |n: usize| {
        format!(
            "    - {{name: m{n}, type: kustomize, path: ., dependsOn: [m{}]}}\n",
            (n + 1) % 30
        )
    };
    let all: String = (0..30).map(manifest).collect();
    let tree = Tree::new(&[("tazuna.yaml", &format!("spec:\n  manifests:\n{all}"))]);
    let shown = tree.run(&["order", "--format", "human"]).stdout;
    assert!(shown.contains("23 more"), "{shown}");
    assert_eq!(shown.matches("tazuna.yaml:").count(), 7, "{shown}");
}

#[test]
fn a_dumb_terminal_and_one_without_utf_8_get_ascii() {
    for env in [("TERM", "dumb"), ("LC_ALL", "C")] {
        for args in [
            &["order", "--format", "human", "tazuna/shop"][..],
            &["order", "--format", "human", "tazuna/broken"],
            &["deps", "storefront", "tazuna/shop"],
            &["why", "storefront", "cilium", "tazuna/shop"],
        ] {
            let answer = run_in(
                &examples(),
                args,
                None,
                &[("LC_ALL", "C.UTF-8"), env, ("COLUMNS", "120")],
            );
            let odd: Vec<char> = answer.stdout.chars().filter(|c| !c.is_ascii()).collect();
            // The separators in a sentence are text, and so are names.
            assert!(odd.is_empty(), "{env:?} {args:?}: {odd:?}\n{}", answer.stdout);
        }
    }
}

#[test]
fn color_changes_no_word() {
    let run = |color: &str| {
        let args = ["order", "--format", "human", "--color", color, "tazuna/broken"];
        run_in(&examples(), &args, None, &[("LC_ALL", "C.UTF-8")]).stdout
    };
    let (plain, colored) = (run("never"), run("always"));
    let mut stripped = String::new();
    let mut rest = colored.as_str();
    while let Some((before, behind)) = rest.split_once("\u{1b}[") {
        stripped.push_str(before);
        rest = behind.split_once('m').unwrap().1;
    }
    stripped.push_str(rest);
    assert_ne!(plain, colored);
    assert_eq!(plain, stripped);
}
