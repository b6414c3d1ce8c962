//! What is read and what is reported: `exclude`, `[[overrides]]`, `baseline`.

use crate::support::Tree;

/// Two manifests, the second of which waits for one that does not exist.
fn dangling(name: &str) -> String {
    format!(
        "spec:\n  manifests:\n    - {{name: {name}, type: kustomize, path: ., dependsOn: [gone]}}\n    \
         - {{name: other, type: kustomize, path: .}}\n"
    )
}

fn tree(config: &str) -> Tree {
    Tree::new(&[
        ("applyorder.toml", config),
        ("own/tazuna.yaml", &dangling("a")),
        ("vendor/x/tazuna.yaml", &dangling("b")),
    ])
}

/// The files with findings, without duplicates.
fn found(tree: &Tree, args: &[&str]) -> Vec<String> {
    let answer = tree.run(&[&["lint", "--format", "concise"], args].concat());
    assert!(matches!(answer.code, 0 | 1), "{answer:?}");
    let file = |line: &str| line.split(':').next().unwrap().to_owned();
    let mut files: Vec<String> = answer.stdout.lines().map(file).collect();
    files.dedup();
    files
}

const OWN: &str = "own/tazuna.yaml";
const VENDORED: &str = "vendor/x/tazuna.yaml";

#[test]
fn what_is_excluded_is_not_looked_for() {
    let tree = tree("exclude = [\"vendor/**\"]\n");
    assert_eq!(found(&tree, &[]), [OWN]);
    assert_eq!(found(&tree, &["--isolated"]), [OWN, VENDORED]);
    assert_eq!(found(&tree, &["--exclude", "own"]), [""; 0]);
    assert_eq!(found(&tree, &["--config", "exclude=[]"]), [OWN, VENDORED]);
    assert_eq!(
        found(&tree, &["--isolated", "--config", "exclude=[\"own/**\"]"]),
        [VENDORED]
    );
    let order = tree.run(&["order", "--format", "json"]).json();
    assert_eq!(order["projects"].as_array().unwrap().len(), 1);
}

#[test]
fn what_is_named_is_read_unless_that_is_excluded_too() {
    let tree = tree("exclude = [\"vendor/**\"]\n");
    for path in [VENDORED, "vendor", "vendor/x"] {
        assert_eq!(found(&tree, &[path]), [VENDORED], "{path}");
        assert_eq!(found(&tree, &["--force-exclude", path]), [""; 0], "{path}");
    }
    assert_eq!(found(&tree, &[".", VENDORED]), [OWN, VENDORED]);
    assert_eq!(found(&tree, &["--force-exclude", OWN, VENDORED]), [OWN]);
    let nothing = tree.run(&["lint", "--force-exclude", VENDORED]);
    assert_eq!(nothing.code, 0, "{nothing:?}");
    let inside = crate::support::run_in(&tree.path("vendor/x"), &["lint"], None, &[]);
    assert_eq!(inside.code, 1, "{inside:?}");
    let wrong = tree.run(&["lint", "--exclude", "a{"]);
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.stderr.contains("--exclude a{: invalid pattern"),
        "{wrong:?}"
    );
}

#[test]
fn in_a_project_the_engine_decides_and_findings_are_not_shown() {
    let stack = |name: &str, after: &str| {
        format!("stack {{\n  name = \"{name}\"\n  id = \"{name}\"\n  after = [\"{after}\"]\n}}\n")
    };
    let tree = Tree::new(&[
        (
            "applyorder.toml",
            "exclude = [\"/b\"]\n[terramate]\nroot = true\n",
        ),
        ("a/stack.tm.hcl", &stack("a", "/b")),
        ("b/stack.tm.hcl", &stack("b", "/gone")),
    ]);
    let plain = tree.run(&["order", "--format", "plain"]);
    assert_eq!(plain.stdout, "/b\n/a\n", "{plain:?}");
    assert_eq!(found(&tree, &["--min-severity", "hint"]), [""; 0]);
    assert_eq!(found(&tree, &["--min-severity", "hint", "b"]), ["b/stack.tm.hcl"]);
}

#[test]
fn a_file_that_is_excluded_and_broken_fails_nothing() {
    let tree = tree("exclude = [\"vendor\"]\n");
    tree.write("vendor/applyorder.toml", "fail-on = 3\n");
    tree.write("vendor/tazuna.yaml", b"\xff\xfe");
    let answer = tree.run(&["lint", "--exit-zero"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert_eq!(tree.run(&["lint", "--exit-zero", "vendor"]).code, 2);
}

#[test]
fn other_levels_apply_in_some_files() {
    let config = "[rules]\nunknown-dependency = \"warning\"\n\n[[overrides]]\nfiles = [\"vendor/**\"]\n\
        rules = { unknown-dependency = \"off\" }\n";
    let tree = tree(config);
    assert_eq!(found(&tree, &[]), [OWN]);
    assert_eq!(tree.run(&["lint"]).code, 0);
    let raised = config.replace("\"off\"", "\"error\"");
    tree.write("applyorder.toml", raised);
    let answer = tree.run(&["lint", "--format", "concise"]);
    let severities: Vec<&str> = answer
        .stdout
        .lines()
        .filter_map(|line| line.split(' ').nth(1))
        .collect();
    assert_eq!(
        severities,
        ["warning[unknown-dependency]", "error[unknown-dependency]"],
        "{answer:?}"
    );
    // A rule that is off everywhere except in some files is still checked there.
    let turned = "rules.unknown-dependency = \"off\"\n[[overrides]]\nfiles = [\"own\"]\nrules.unknown-dependency = \"error\"\n";
    tree.write("applyorder.toml", turned);
    assert_eq!(found(&tree, &[]), [OWN]);
    tree.write(
        "applyorder.toml",
        "[[overrides]]\nfiles = [\"a\"]\nrules = { unknown-dependncy = \"off\" }\n",
    );
    let wrong = tree.run(&["lint", "--format", "concise"]);
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.stdout.contains(
            "applyorder.toml:3:11: error[invalid-config] invalid configuration: unknown rule \
         `unknown-dependncy`; did you mean `unknown-dependency`?"
        ),
        "{wrong:?}"
    );
}

#[test]
fn a_baseline_of_the_configuration_is_the_one_of_the_flag() {
    let tree = tree("baseline = \"known.json\"\n");
    let missing = tree.run(&["lint"]);
    assert_eq!(missing.code, 2, "{missing:?}");
    assert!(
        missing.stderr.contains("known.json") && missing.stderr.contains("applyorder.toml"),
        "{missing:?}"
    );
    assert_eq!(tree.run(&["lint", "--write-baseline", "known.json"]).code, 0);
    let answer = tree.run(&["lint"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{answer:?}");
    assert!(answer.stderr.contains("in the baseline"), "{answer:?}");
    tree.write("own/tazuna.yaml", dangling("c"));
    assert_eq!(found(&tree, &[]), [OWN]);
    // The flag takes precedence, and a new baseline includes what the old one hides.
    tree.write("none.json", "{\"version\":1,\"findings\":[]}");
    assert_eq!(found(&tree, &["--baseline", "none.json"]), [OWN, VENDORED]);
    assert_eq!(tree.run(&["lint", "--write-baseline", "known.json"]).code, 0);
    assert_eq!(found(&tree, &[]), [""; 0]);
}

#[test]
fn each_value_of_the_configuration_says_where_it_comes_from() {
    let tree = Tree::new(&[
        (
            "applyorder.toml",
            "extend = \"base.toml\"\nexclude = [\"vendor/**\"]\nrules.cycle = \"warning\"\n\n[[overrides]]\nfiles = [\"old/**\"]\n\
             [overrides.rules]\n\"kapp/*\" = \"hint\"\n",
        ),
        (
            "base.toml",
            "fail-on = \"warning\"\nbaseline = \"known.json\"\n[rules]\n\"unknown-field\" = \"off\"\n",
        ),
    ]);
    let answer = tree.run(&["config", "show", "--config", "tazuna.generation=G1"]);
    insta::assert_snapshot!(answer.shown());
    let shown: Tree = Tree::new(&[("applyorder.toml", &answer.stdout)]);
    assert_eq!(shown.run(&["config", "show"]).code, 0, "{answer:?}");
}
