//! `mv`.

use std::fs;

use crate::skipped::skip;
use crate::support::Tree;

const ROOT: &str = "terramate {\n  required_version = \">= 0.1\"\n}\n";

fn tree() -> Tree {
    Tree::new(&[
        ("terramate.tm", ROOT),
        ("old/x/stack.tm", "stack {\n  after = [\"../../a\"]\n}\n"),
        ("old/main.tf", "# nothing\n"),
        ("a/stack.tm", "stack {\n}\n"),
        ("b/stack.tm", "stack {\n  after = [\"/old/x\", \"../old\"]\n}\n"),
    ])
}

#[test]
fn the_difference_is_shown_and_nothing_done() {
    let tree = tree();
    let answer = tree.run(&["mv", "old", "deep/new", "--diff"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert_eq!(
        answer.stdout,
        "--- a/b/stack.tm\n+++ b/b/stack.tm\n@@ -1,3 +1,3 @@\n stack {\n-  after = [\"/old/x\", \"../old\"]\n\
         +  after = [\"/deep/new/x\", \"../deep/new\"]\n }\n\
         --- a/old/x/stack.tm\n+++ b/deep/new/x/stack.tm\n@@ -1,3 +1,3 @@\n stack {\n-  after = [\"../../a\"]\n\
         +  after = [\"../../../a\"]\n }\n"
    );
    assert!(tree.path("old/x/stack.tm").exists() && !tree.path("deep").exists());
}

#[test]
fn the_directory_moves_and_the_order_stays() {
    let tree = tree();
    let answer = tree.run(&["mv", "old", "deep/new"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(!tree.path("old").exists() && tree.path("deep/new/main.tf").exists());
    assert_eq!(
        fs::read_to_string(tree.path("b/stack.tm")).unwrap(),
        "stack {\n  after = [\"/deep/new/x\", \"../deep/new\"]\n}\n"
    );
    let order = tree.run(&["order", "--format", "plain"]);
    assert_eq!(order.stdout, "/a\n/deep/new/x\n/b\n", "{order:?}");
}

#[test]
fn an_order_that_depends_on_a_directory_path_is_reported_as_changed() {
    let tree = tree();
    tree.write("a/below/stack.tm", "stack {\n}\n");
    let kept = tree.run(&["mv", "old", "new"]);
    assert_eq!(kept.code, 0, "{kept:?}");
    assert!(!kept.stderr.contains("after the move"), "{kept:?}");
    let moved = tree.run(&["mv", "a/below", "beside"]);
    assert_eq!(moved.code, 0, "{moved:?}");
    assert!(
        moved.stderr.contains("the order is not the same after the move"),
        "{moved:?}"
    );
}

#[test]
fn a_file_of_a_module_stays_in_its_directory() {
    let tree = Tree::new(&[
        ("main.tf", "module \"m\" {\n  source = \"./m\"\n}\n"),
        (
            "m/main.tf",
            "resource \"spacelift_stack\" \"a\" {\n  name = \"a\"\n  branch = \"m\"\n  repository = \"r\"\n}\n",
        ),
    ]);
    let answer = tree.run(&["mv", "m/main.tf", "new/main.tf"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stderr.contains("would not be found there"), "{answer:?}");
    assert_eq!(tree.run(&["mv", "m/main.tf", "m/other.tf"]).code, 0);
}

#[test]
fn units_named_by_directories_are_renamed_in_expectations() {
    let tree = tree();
    let expect = |first: &str| format!("[[expect]]\nfirst = \"{first}\"\nthen = \"/b\"\n");
    tree.write("applyorder.toml", expect("/old/x"));
    assert_eq!(tree.run(&["check"]).code, 0);
    let answer = tree.run(&["mv", "old", "deep/new"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    let text = fs::read_to_string(tree.path("applyorder.toml")).unwrap();
    assert_eq!(text, expect("/deep/new/x"));
    assert_eq!(tree.run(&["check"]).code, 0);
}

#[test]
fn an_expectation_stays_where_another_unit_keeps_the_name() {
    let tree = units();
    let expect = "[[expect]]\nfirst = \"db\"\nthen = \"web\"\n";
    tree.write("applyorder.toml", expect);
    let answer = tree.run(&["mv", "tazuna:tz/tazuna.yaml#db", "store"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert_eq!(fs::read_to_string(tree.path("applyorder.toml")).unwrap(), expect);
}

#[test]
fn what_cannot_be_done_whole_is_not_done() {
    let tree = tree();
    tree.write(
        "c/stack.tm",
        "stack {\n  after = [tm_join(\"/\", [\"\", \"old\"])]\n}\n",
    );
    let answer = tree.run(&["mv", "old", "new"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(
        answer.stderr.contains("c/stack.tm:2") && answer.stderr.contains("nothing was moved"),
        "{answer:?}"
    );
    assert!(tree.path("old/x/stack.tm").exists() && !tree.path("new").exists());
}

#[test]
fn a_broken_file_may_name_the_path() {
    let tree = tree();
    tree.write("c/stack.tm", "stack {\n  after = [\"/old\n}\n");
    let answer = tree.run(&["mv", "old", "new"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(
        answer.stderr.contains("c/stack.tm") && answer.stderr.contains("may name the path"),
        "{answer:?}"
    );
    assert!(tree.path("old").exists());
    // A file that cannot name it does not block the move.
    tree.write("c/stack.tm", "stack {\n  after = [\"/elsewhere\n}\n");
    assert_eq!(tree.run(&["mv", "old", "new"]).code, 0);
}

#[test]
fn moves_that_make_no_sense_are_refused() {
    let tree = tree();
    tree.write("lost/file", "");
    let outside = crate::temp::temporary();
    let outside = outside.path().join("x");
    for (old, new, why) in [
        ("none", "new", "unknown path or unit `none`"),
        (
            "/a",
            "/c",
            "this name comes from the path of a/stack.tm: move its directory instead",
        ),
        ("old", "a", "a: already exists"),
        ("old", "old/new", "is inside OLD"),
        ("old", outside.to_str().unwrap(), "is outside the project"),
        ("old", ".old", "begins with a dot"),
        ("old/x/stack.tm", "new.tm", "move the directory"),
    ] {
        let answer = tree.run(&["mv", old, new]);
        assert_eq!(answer.code, 2, "{old} {new}: {answer:?}");
        assert!(answer.stderr.contains(why), "{old} {new}: {answer:?}");
        assert!(tree.path("old/x/stack.tm").exists());
    }
}

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: NAME\n  annotations:\n    kapp.k14s.io/change-group: g\n";

/// A project of each engine except Terramate, some of them declared.
fn of_each_engine() -> Tree {
    Tree::new(&[
        (
            "tz/tazuna.yaml",
            "spec:\n  manifests:\n    - {name: web, type: kustomize, path: ./apps/web}\n    - includes:\n        - path: \
             parts/b.yaml\n",
        ),
        (
            "tz/parts/b.yaml",
            "spec:\n  manifests:\n    - {name: b, type: kustomize, path: apps/b}\n",
        ),
        ("tz/apps/web/kustomization.yaml", "resources: []\n"),
        ("tz/apps/b/kustomization.yaml", "resources: []\n"),
        (
            "tf/main.tf",
            "resource \"spacelift_stack\" \"a\" {\n  name = \"a\"\n  branch = \"m\"\n  repository = \
             \"r\"\n}\nmodule \"m\" {\n  source = \"./mods/m\"\n}\n",
        ),
        (
            "tf/mods/m/main.tf",
            "resource \"spacelift_stack\" \"b\" {\n  name = \"b\"\n  branch = \"m\"\n  repository = \"r\"\n}\n",
        ),
        ("k/config/a.yaml", &MAP.replace("NAME", "a")),
        ("k/more.yaml", &MAP.replace("NAME", "more")),
        (
            "ank/startup.yaml",
            "apiVersion: v1\nworkloads:\n  a:\n    runtime: podman\n    agent: x\n    runtimeConfig: \"image: i\"\n",
        ),
        ("vendor/x/tazuna.yaml", "spec: {manifests: [{name: x}]}\n"),
        (
            "applyorder.toml",
            "exclude = [\"vendor/**\"]\n[[kapp.app]]\nname = \"shop\"\nfiles = [\"k/config\", \
             \"k/more.yaml\"]\n[[ankaios.apply]]\nname = \"car\"\nfiles = [\"ank/startup.yaml\"]\n",
        ),
    ])
}

#[test]
fn whatever_the_engine_and_in_the_configuration_paths_follow_and_the_order_stays() {
    let order = |tree: &Tree| {
        let answer = tree.run(&["order", "--format", "plain"]);
        assert_eq!(answer.code, 0, "{answer:?}");
        // Names that two projects share contain the path of one of them.
        let lines = answer.stdout.lines().filter(|line| !line.contains('#'));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let tree = of_each_engine();
    let before = order(&tree);
    for unit in ["web", "b", "ConfigMap/a", "module.m.spacelift_stack.b"] {
        assert!(
            before.iter().any(|line| line.ends_with(unit)),
            "{unit} in {before:?}"
        );
    }
    for (old, new, file, line) in [
        (
            "tz/apps",
            "tz/charts/all",
            "tz/tazuna.yaml",
            "path: ./charts/all/web}",
        ),
        ("tz/parts/b.yaml", "tz/c.yaml", "tz/tazuna.yaml", "- path: c.yaml"),
        ("tf/mods", "modules", "tf/main.tf", "source = \"../modules/m\""),
        (
            "k",
            "kapp",
            "applyorder.toml",
            "files = [\"kapp/config\", \"kapp/more.yaml\"]",
        ),
        (
            "ank/startup.yaml",
            "car.yaml",
            "applyorder.toml",
            "files = [\"car.yaml\"]",
        ),
        (
            "vendor",
            "lib/third",
            "applyorder.toml",
            "exclude = [\"lib/third/**\"]",
        ),
        (
            "kapp/config/a.yaml",
            "kapp/config/b.yaml",
            "applyorder.toml",
            "files = [\"kapp/config\"",
        ),
    ] {
        let answer = tree.run(&["mv", old, new]);
        assert_eq!(answer.code, 0, "{old} {new}: {answer:?}");
        let text = fs::read_to_string(tree.path(file)).unwrap();
        assert!(text.contains(line), "{old} {new}: {text}");
        assert_eq!(order(&tree), before, "{old} {new}");
    }
    let part = fs::read_to_string(tree.path("tz/c.yaml")).unwrap();
    assert!(part.contains("path: charts/all/b}"), "{part}");
}

#[test]
fn what_would_be_lost_or_cannot_be_written_is_not_moved() {
    let tree = of_each_engine();
    tree.write(
        "tz/parts/b.yaml",
        "spec:\n  manifests:\n    - {name: b, type: kustomize, path: 'apps/{{ \"b\" }}'}\n",
    );
    for (old, new, why) in [
        (
            "tz/apps",
            "tz/charts",
            "`apps/b` would have to become `charts/b`, but is not written as a plain string",
        ),
        ("k/config/a.yaml", "k/a.yaml", "would not be found there"),
        ("k/config/a.yaml", "k/config/a.txt", "would not be found there"),
        ("tf/main.tf", "tf/mods/main.tf", "would not be found there"),
        (
            "tz/tazuna.yaml",
            "tz/root.yaml",
            "a project is found by the name of this file",
        ),
        (
            "vendor",
            "../vendor",
            "would leave the directory of the configuration",
        ),
    ] {
        let answer = tree.run(&["mv", old, new]);
        assert_eq!(answer.code, 2, "{old} {new}: {answer:?}");
        assert!(answer.stderr.contains(why), "{old} {new}: {answer:?}");
        assert!(tree.path(old).exists());
    }
}

#[test]
fn what_no_project_has_is_not_moved() {
    let tree = Tree::new(&[("a/file", "x")]);
    let answer = tree.run(&["mv", "a", "b"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stderr.contains("not part of a project"), "{answer:?}");
    assert!(tree.path("a").exists());
}

#[test]
fn it_can_be_run_from_anywhere_in_the_project() {
    let tree = tree();
    let answer = crate::support::run_in(&tree.path("a"), &["mv", "../old/", "../new/"], None, &[]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(tree.path("new/x/stack.tm").exists());
}

/// Units of three engines, each referred to from a second file if the engine supports that.
fn units() -> Tree {
    Tree::new(&[
        (
            "tz/tazuna.yaml",
            "spec:\n  manifests:\n    - {name: db, type: kustomize, path: ./charts}\n    - includes: [{path: parts/b.yaml}]\n",
        ),
        (
            "tz/parts/b.yaml",
            "spec:\n  manifests:\n    - {name: web, type: kustomize, path: ./charts, dependsOn: [db]}\n",
        ),
        ("tz/charts/kustomization.yaml", "resources: []\n"),
        ("tz/parts/charts/kustomization.yaml", "resources: []\n"),
        (
            "tf/main.tf",
            "resource \"spacelift_stack\" \"db\" {\n  name = \"d\"\n  branch = \"m\"\n  repository = \"r\"\n}\n\
             resource \"spacelift_stack\" \"web\" {\n  name = \"w\"\n  branch = \"m\"\n  repository = \"r\"\n}\n",
        ),
        (
            "tf/order.tf",
            "resource \"spacelift_stack_dependency\" \"d\" {\n  stack_id = spacelift_stack.web.id\n  \
             depends_on_stack_id = spacelift_stack.db.id\n}\n",
        ),
        (
            "ank/startup.yaml",
            "apiVersion: v1\nworkloads:\n  db:\n    runtime: podman\n    agent: x\n    runtimeConfig: \"image: i\"\n  \
             web:\n    runtime: podman\n    agent: x\n    runtimeConfig: \"image: i\"\n    dependencies: {db: \
             ADD_COND_RUNNING}\n",
        ),
        (
            "ank/applyorder.toml",
            "[[ankaios.apply]]\nname = \"car\"\nfiles = [\"startup.yaml\"]\n\n[[expect]]\nfirst = \"db\"\nthen = \"web\"\n",
        ),
        ("tz/applyorder.toml", "[[expect]]\nfirst = 'db'\nthen = \"w*\"\n"),
        (
            "tf/applyorder.toml",
            "[[expect]]\nno-edges = { from = \"spacelift_stack.db\", to = \"spacelift_stack.web\" }\n",
        ),
    ])
}

/// The units that are renamed, in the directory of each engine, with their new names.
const RENAMED: [(&str, &str, &str); 3] = [
    ("tz", "db", "store"),
    ("tf", "spacelift_stack.db", "spacelift_stack.store"),
    ("ank", "db", "store"),
];

#[test]
fn a_unit_is_renamed_with_all_references() {
    for (dir, old, new) in RENAMED {
        let tree = units();
        let before = texts(&tree);
        let run = |args: &[&str]| crate::support::run_in(&tree.path(dir), args, None, &[]);
        let order = run(&["order", "--format", "plain"]).stdout;
        let shown = run(&["mv", old, new, "--diff"]);
        assert_eq!(shown.code, 0, "{dir}: {shown:?}");
        assert!(shown.stdout.contains("store"), "{shown:?}");
        assert_eq!(texts(&tree), before);
        let answer = run(&["mv", old, new]);
        assert_eq!(answer.code, 0, "{dir}: {answer:?}");
        assert!(answer.stderr.contains("renamed"), "{answer:?}");
        let wanted: Vec<String> = before
            .iter()
            .map(|(path, text)| {
                let renames = path.starts_with(&format!("{dir}/"));
                if renames {
                    text.replace("db", "store")
                } else {
                    text.clone()
                }
            })
            .collect();
        assert!(texts(&tree).values().eq(&wanted), "{dir}: {:?}", texts(&tree));
        let renamed = order.replace("db", "store");
        assert_ne!(renamed, order);
        assert_eq!(run(&["order", "--format", "plain"]).stdout, renamed, "{dir}");
    }
}

#[test]
fn a_rename_that_was_interrupted_is_completed_by_the_same_command() {
    for (dir, old, new) in RENAMED {
        let [tree, whole] = [units(), units()];
        let rename = |tree: &Tree| crate::support::run_in(&tree.path(dir), &["mv", old, new], None, &[]);
        assert_eq!(rename(&whole).code, 0);
        // All files were written except the one that declares the unit.
        let references = match dir {
            "tz" => "tz/parts/b.yaml",
            "tf" => "tf/order.tf",
            _ => continue,
        };
        tree.write(references, fs::read_to_string(whole.path(references)).unwrap());
        let answer = rename(&tree);
        assert_eq!(answer.code, 0, "{dir}: {answer:?}");
        assert_eq!(texts(&tree), texts(&whole));
    }
}

#[test]
fn a_path_comes_before_a_unit_of_its_name() {
    let tree = units();
    let run = |args: &[&str]| crate::support::run_in(&tree.path("tz"), args, None, &[]);
    tree.write("tz/web", "");
    let answer = run(&["mv", "web", "shop"]);
    assert!(answer.stderr.contains("not part of a project"), "{answer:?}");
    let answer = run(&["mv", "tazuna:tazuna.yaml#web", "shop"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(
        fs::read_to_string(tree.path("tz/parts/b.yaml"))
            .unwrap()
            .contains("{name: shop, ")
    );
}

#[test]
fn a_unit_that_cannot_be_renamed_is_reported() {
    let tree = units();
    for (old, new, why) in [
        ("tazuna:tz/tazuna.yaml#db", "web", "web is already a manifest of"),
        ("ankaios:car#db", "a b", "a b"),
        ("ankaios:car#db", "web", "web is already a workload of"),
        ("db", "store", "several projects have a unit of that name; write "),
        ("spacelift_stack.bd", "x", "; did you mean `spacelift_stack.db`?"),
    ] {
        let before = texts(&tree);
        let answer = tree.run(&["mv", old, new]);
        assert_eq!(answer.code, 2, "{old} {new}: {answer:?}");
        assert!(answer.stderr.contains(why), "{old} {new}: {answer:?}");
        assert_eq!(texts(&tree), before);
    }
}

/// Every file with its text, by its path.
fn texts(tree: &Tree) -> std::collections::BTreeMap<String, String> {
    let mut open = vec![tree.root()];
    let mut found = std::collections::BTreeMap::new();
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let text = fs::read_to_string(&path).unwrap();
                found.insert(
                    path.strip_prefix(tree.root()).unwrap().display().to_string(),
                    text,
                );
            }
        }
    }
    found
}

#[test]
#[cfg(target_os = "linux")]
fn killed_at_any_system_call_it_is_completed_by_the_next_run() {
    use std::process::Command;
    let strace = |dir: &std::path::Path, args: &[&str]| {
        let mut strace = Command::new("strace");
        strace
            .args(["-f", "-o", "/dev/null"])
            .args(args)
            .current_dir(dir)
            .output()
    };
    let moved = tree();
    if !strace(&moved.root(), &["true"]).is_ok_and(|output| output.status.success()) {
        return skip("killed mv", "there is no strace, or it may not trace");
    }
    assert_eq!(moved.run(&["mv", "old", "new/deep"]).code, 0);
    let moved = texts(&moved);
    let mut killed = 0;
    for call in ["openat", "write", "fsync", "rename", "mkdir", "unlink", "fchmod"] {
        for nth in 1.. {
            let tree = tree();
            let traced = format!("trace={call}");
            let inject = format!("inject={call}:signal=KILL:when={nth}");
            let program = env!("CARGO_BIN_EXE_applyorder");
            let args = ["-e", &traced, "-e", &inject, program, "mv", "old", "new/deep"];
            if strace(&tree.root(), &args).unwrap().status.success() {
                break;
            }
            killed += 1;
            tree.run(&["mv", "old", "new/deep"]);
            assert_eq!(texts(&tree), moved, "{call} {nth}");
        }
    }
    assert!(killed > 10, "{killed}");
}
