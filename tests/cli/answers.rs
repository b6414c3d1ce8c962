//! `why`, `deps`, `rules`, `explain`, and the commands for packagers.

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
        // Headings start at the margin, and everything else is indented.
        assert!(page.stdout.starts_with(&format!("{id}\n  ")), "{page:?}");
        assert!(
            page.stdout.contains("\n\nWhat it does\n  "),
            "{id} says nothing: {page:?}"
        );
        assert!(
            !page.stdout.contains("```") && !page.stdout.contains("\n#"),
            "{page:?}"
        );
        assert!(
            // Code is not wrapped.
            page.stdout
                .lines()
                .all(|line| line.starts_with("    ") || line.chars().count() <= 100),
            "{page:?}"
        );
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
    assert!(man.stdout.contains(".TH applyorder 1"), "{man:?}");
    assert_eq!(tree.run(&["man", "--dir", "share/man1"]).code, 0);
    let files: Vec<String> = std::fs::read_dir(tree.path("share/man1"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    let page = |name: &str| std::fs::read_to_string(tree.path(&format!("share/man1/{name}.1"))).unwrap();
    assert_eq!(page("applyorder"), man.stdout);
    assert_eq!(page("applyorder-lint"), tree.run(&["man", "lint"]).stdout);
    assert_eq!(
        page("applyorder-config-show"),
        tree.run(&["man", "config", "show"]).stdout
    );
    assert!(page("applyorder-lint").contains("show\\-files"));
    // Every page that another one names exists, and each has its own name.
    for file in &files {
        let text = std::fs::read_to_string(tree.path(&format!("share/man1/{file}"))).unwrap();
        let name = file.strip_suffix(".1").unwrap();
        assert!(text.contains(&format!(".TH {name} 1")), "{file}: {text}");
        for named in text.lines().filter_map(|line| line.strip_suffix("(1)")) {
            let named = named.replace('\\', "");
            assert!(files.contains(&format!("{named}.1")), "{file} names {named}");
        }
    }
    assert!(files.len() > 20, "{files:?}");
    let wrong = tree.run(&["man", "simulat"]);
    assert!(
        wrong.code == 2 && wrong.stderr.contains("did you mean `simulate`?"),
        "{wrong:?}"
    );
    assert_eq!(
        tree.run(&["--version"]).stdout,
        format!("applyorder {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn why_shows_the_direction() {
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
fn time_runs_down_and_each_line_is_between_its_units() {
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

#[test]
fn a_page_is_drawn_for_the_terminal() {
    let tree = Tree::new(&[]);
    let look = |env: &[(&str, &str)]| tree.run_with(&["explain", "cycle"], None, env).stdout;
    let plain = look(&[]);
    assert!(
        plain.contains("\n\nExample\n    - name: db\n      dependsOn: [app]\n"),
        "{plain}"
    );
    let colored = look(&[("FORCE_COLOR", "1")]);
    assert!(colored.contains("\u{1b}[1mExample\u{1b}[0m\n"), "{colored}");
    let mut bare = colored.clone();
    for style in ["\u{1b}[1;4m", "\u{1b}[1m", "\u{1b}[36m", "\u{1b}[3m", "\u{1b}[0m"] {
        bare = bare.replace(style, "");
    }
    let without_marks = |text: &str| text.replace('`', "");
    assert_eq!(without_marks(&bare), without_marks(&plain), "the same words");
    let narrow = look(&[("COLUMNS", "60")]);
    let widest = narrow.lines().map(|line| line.chars().count()).max();
    assert!(
        widest.is_some_and(|widest| (50..=60).contains(&widest)),
        "{narrow}"
    );
    // Programs get the Markdown.
    let json = tree.run(&["explain", "cycle", "--format", "json"]).json();
    assert!(
        json["page"].as_str().unwrap().contains("## Example\n```yaml\n"),
        "{json}"
    );
}

#[test]
fn units_of_several_projects_are_distinguished_on_the_path() {
    let text = |other: &str| {
        format!(
            "spec:\n  manifests:\n    - {{name: a, type: kustomize, path: ., dependsOn: []}}\n    \
             - {{name: b, type: kustomize, path: ., dependsOn: [a]}}\n    \
             - {{name: {other}, type: kustomize, path: ., dependsOn: [b]}}\n"
        )
    };
    let tree = Tree::new(&[("x/tazuna.yaml", &text("c")), ("y/tazuna.yaml", &text("d"))]);
    let key = "tazuna:x/tazuna.yaml#";
    let answer = tree.run(&["why", &format!("{key}b"), &format!("{key}a")]);
    let units: Vec<&str> = answer.stdout.lines().filter(|line| line.contains(key)).collect();
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(
        units.contains(&&*format!("  1  {key}a")) && units.contains(&&*format!("  2  {key}b")),
        "{answer:?}"
    );
    // A name that only one of them has is displayed like the others: with its project, and what is displayed is
    // accepted as input.
    for from in ["c", &format!("{key}c")] {
        for to in ["a", &format!("{key}a")] {
            let answer = tree.run(&["why", from, to]);
            let names = ["a", "b", "c"].map(|name| format!("{key}{name}\n"));
            let is_there = |name: &String| answer.stdout.contains(&**name);
            assert!(names.iter().all(is_there), "{answer:?}");
            assert!(!answer.stdout.contains("  c\n"), "{answer:?}");
        }
    }
    assert_eq!(tree.run(&["why", "b", "a"]).code, 2);
    let deps = tree.run(&["deps", "c", "--format", "plain"]);
    assert_eq!(deps.stdout, format!("{key}b\n{key}a\n"), "{deps:?}");
    let tree_of = tree.run(&["deps", "c"]).stdout;
    assert_eq!(tree_of.matches(key).count(), 3, "{tree_of}");
    tree.write(
        "x/tazuna.yaml",
        text("c").replace("dependsOn: []", "dependsOn: [b]"),
    );
    let order = tree.run(&["order", "--format", "human"]).stdout;
    let explain = order
        .lines()
        .find_map(|line| line.strip_prefix("explain: applyorder "));
    let words: Vec<&str> = explain
        .unwrap()
        .split(' ')
        .map(|word| word.trim_matches('\''))
        .collect();
    let answer = tree.run(&words);
    assert!(
        answer.code == 0 && answer.stdout.contains("waits for itself"),
        "{words:?}: {answer:?}"
    );
}
