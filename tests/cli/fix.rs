//! `lint --fix` and `--diff`: what changes, what stays byte for byte, and that the order stays.

use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

use crate::support::{Tree, examples};

/// Findings with safe fixes (an entry twice, a key in another case), among comments, quotes and two kinds of line ends.
const UNTIDY: &str = "# kept\r\nspec:\r\n  manifests:\r\n    - name: 'a'   # kept\r\n      type: kustomize\r\n      \
    path: \".\"\r\n    - name: b\n      type: kustomize\n      Path: .\n      dependsOn: [a,  \"a\", a] # kept\n";

const TIDY: &str = "# kept\r\nspec:\r\n  manifests:\r\n    - name: 'a'   # kept\r\n      type: kustomize\r\n      \
    path: \".\"\r\n    - name: b\n      type: kustomize\n      path: .\n      dependsOn: [a] # kept\n";

fn text(tree: &Tree, path: &str) -> String {
    std::fs::read_to_string(tree.path(path)).unwrap()
}

#[test]
fn safe_fixes_change_nothing_else() {
    let tree = Tree::new(&[("tazuna.yaml", UNTIDY)]);
    let args = ["lint", "--min-severity", "hint", "--fix"];
    let answer = tree.run(&args);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stderr.contains("fixed 3 findings in 1 file"), "{answer:?}");
    assert_eq!(text(&tree, "tazuna.yaml"), TIDY);
    assert_eq!(std::fs::read_dir(tree.root()).unwrap().count(), 1);
    let again = tree.run(&args);
    assert!(!again.stderr.contains("fixed"), "{again:?}");
    assert_eq!(text(&tree, "tazuna.yaml"), TIDY);
}

#[test]
fn only_what_is_shown_is_fixed() {
    let tree = Tree::new(&[("tazuna.yaml", UNTIDY)]);
    tree.run(&["lint", "--fix", "--select", "duplicate-dependency"]);
    assert_eq!(
        text(&tree, "tazuna.yaml"),
        TIDY.replace("      path: .\n", "      Path: .\n")
    );
    let tree = Tree::new(&[("tazuna.yaml", UNTIDY)]);
    let answer = tree.run(&["lint", "--fix", "--ignore", "hint,info,warning"]);
    assert_eq!(text(&tree, "tazuna.yaml"), UNTIDY, "{answer:?}");
}

#[test]
fn a_diff_changes_nothing_and_can_be_applied() {
    let tree = Tree::new(&[("d/tazuna.yaml", UNTIDY)]);
    let answer = tree.run(&["lint", "--min-severity", "hint", "--diff"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(
        answer.stderr.contains("would fix 3 findings in 1 file"),
        "{answer:?}"
    );
    assert_eq!(text(&tree, "d/tazuna.yaml"), UNTIDY);
    let patched = Command::new("git")
        .args(["apply", "--whitespace=nowarn", "-"])
        .current_dir(tree.root())
        .stdin(Stdio::piped())
        .spawn()
        .and_then(|mut child| {
            use std::io::Write as _;
            child.stdin.take().unwrap().write_all(answer.stdout.as_bytes())?;
            child.wait()
        });
    match patched {
        Ok(status) => assert!(status.success(), "{}", answer.stdout),
        Err(e) => return crate::skipped::skip("git", &e.to_string()),
    }
    assert_eq!(text(&tree, "d/tazuna.yaml"), TIDY);
    let nothing = tree.run(&["lint", "--min-severity", "hint", "--diff"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (0, ""), "{nothing:?}");
}

/// A copy of the example that is broken in three ways.
fn broken() -> Tree {
    let files = ["tazuna.yaml", "platform.yaml", "apps.yaml"];
    let read = |f: &&str| {
        let text = std::fs::read_to_string(examples().join("tazuna/broken").join(f)).unwrap();
        ((*f).to_owned(), text)
    };
    let files: Vec<(String, String)> = files.iter().map(read).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (&**p, &**t)).collect();
    Tree::new(&files)
}

#[test]
fn unsafe_fixes_are_told_of_shown_and_applied_and_a_cycle_is_not_cut() {
    let tree = broken();
    let answer = tree.run(&["lint", "--fix"]);
    assert!(
        answer
            .stderr
            .contains("2 unsafe fixes: preview with --diff --unsafe-fixes"),
        "{answer:?}"
    );
    insta::assert_snapshot!(tree.run(&["lint", "--diff", "--unsafe-fixes"]).shown());
    let answer = tree.run(&["lint", "--fix", "--unsafe-fixes", "--format", "concise"]);
    assert_eq!(answer.code, 1);
    let errors = || answer.stdout.lines().filter(|line| line.contains(" error["));
    assert_eq!(errors().count(), 1, "{answer:?}");
    assert!(errors().all(|line| line.contains("error[cycle]")), "{answer:?}");
}

#[test]
fn what_overlaps_is_fixed_in_rounds() {
    let repeated = "a, ".repeat(400);
    let text_of = |list: &str| {
        format!(
            "spec:\n  manifests:\n    - {{name: a, type: kustomize, path: .}}\n    \
             - {{name: b, type: kustomize, path: ., dependsOn: [{list}]}}\n"
        )
    };
    let tree = Tree::new(&[("tazuna.yaml", &text_of(repeated.trim_end_matches(", ")))]);
    let answer = tree.run(&["lint", "--min-severity", "hint", "--fix"]);
    assert!(
        answer.stderr.contains("fixed 399 findings in 1 file"),
        "{answer:?}"
    );
    assert_eq!(text(&tree, "tazuna.yaml"), text_of("a"));
}

#[cfg(unix)]
#[test]
fn a_linked_file_is_fixed_once_and_stays_a_link() {
    let tree = Tree::new(&[("real/x.yaml", UNTIDY)]);
    std::os::unix::fs::symlink("real/x.yaml", tree.path("tazuna.yaml")).unwrap();
    let answer = tree.run(&["lint", "--min-severity", "hint", "--fix"]);
    assert!(answer.stderr.contains("fixed 3 findings"), "{answer:?}");
    assert!(tree.path("tazuna.yaml").is_symlink());
    assert_eq!(text(&tree, "real/x.yaml"), TIDY);
}

#[test]
fn what_cannot_be_written_is_said() {
    let tree = Tree::new(&[("tazuna.yaml", UNTIDY)]);
    // What stands in the way of the new text, whoever runs this.
    std::fs::create_dir(tree.path(".tazuna.yaml.applyorder-new")).unwrap();
    let answer = tree.run(&["lint", "--min-severity", "hint", "--fix"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stderr.contains("nothing was fixed"), "{answer:?}");
    assert_eq!(text(&tree, "tazuna.yaml"), UNTIDY);
}

#[test]
fn standard_input_is_not_rewritten() {
    let tree = Tree::new(&[]);
    for flag in ["--fix", "--diff"] {
        let args = ["lint", "--engine", "tazuna", "-", flag];
        let answer = tree.run_with(&args, Some(UNTIDY.as_bytes()), &[]);
        assert_eq!(answer.code, 2, "{answer:?}");
        assert!(answer.stderr.contains("not standard input"), "{answer:?}");
    }
}

/// A root of Tazuna with things that safe fixes cure: entries and keys written twice, keys in another case.
fn manifests() -> impl Strategy<Value = String> {
    let entry = (
        proptest::collection::vec(0..6usize, 0..4),
        proptest::sample::select(vec!["path", "Path", "path: x\n      path"]),
        proptest::sample::select(vec!["dependsOn", "DependsOn"]),
        proptest::sample::select(vec!["", "      tags: [x]\n", "      tags: [y, x]\n"]),
        any::<bool>(),
    );
    proptest::collection::vec(entry, 1..6).prop_map(|entries| {
        let mut text = "spec:\n  manifests:\n".to_owned();
        for (n, (needs, path, key, tags, block)) in entries.into_iter().enumerate() {
            text.push_str(&format!(
                "    - name: m{n}\n      type: kustomize\n      {path}: .\n{tags}"
            ));
            // Mostly upwards, so that there mostly is an order.
            let names = needs.iter().map(|need| format!("m{}", need % n.max(1)));
            let names: Vec<String> = names.collect();
            match (names.is_empty(), block) {
                (true, _) => {}
                (false, true) => {
                    text.push_str(&format!("      {key}:\n"));
                    names
                        .iter()
                        .for_each(|name| text.push_str(&format!("        - {name}\n")));
                }
                (false, false) => text.push_str(&format!("      {key}: [{}]\n", names.join(", "))),
            }
        }
        text
    })
}

/// A tree of Terramate stacks whose lists hold entries twice.
fn stacks() -> impl Strategy<Value = Vec<(String, String)>> {
    let entry = (
        proptest::collection::vec(0..5usize, 0..4),
        proptest::sample::select(vec!["after", "before", "wants"]),
        proptest::sample::select(vec!["", "  tags = [\"x\"]\n", "  tags = [\"x\", \"x\"]\n"]),
    );
    proptest::collection::vec(entry, 1..5).prop_map(|entries| {
        let stack = |(n, (others, list, tags)): (usize, (Vec<usize>, &str, &str))| {
            let paths = others.iter().map(|o| format!("\"/s{}\"", o % n.max(1)));
            let paths: Vec<String> = paths.collect();
            let text = format!("stack {{\n{tags}  {list} = [{}]\n}}\n", paths.join(", "));
            (format!("s{n}/stack.tm"), text)
        };
        entries.into_iter().enumerate().map(stack).collect()
    })
}

/// Everything that decides what runs when: of each selection, order and verdicts without places.
fn answers(tree: &Tree, selections: &[&[&str]]) -> Vec<Value> {
    selections
        .iter()
        .map(|selection| {
            let json = tree
                .run(&[&["order", "--format", "json"], *selection].concat())
                .json();
            let of = |p: &Value| {
                let verdicts = p["verdicts"].as_array().unwrap().iter();
                let verdicts: Vec<Value> = verdicts
                    .map(|v| serde_json::json!([v["command"], v["environment"], v["ok"], v["stage"]]))
                    .collect();
                serde_json::json!([p["order"], verdicts, p["variants"].as_array().map(Vec::len)])
            };
            json["projects"].as_array().unwrap().iter().map(of).collect()
        })
        .collect()
}

fn check_order_stays(tree: &Tree, selections: &[&[&str]]) -> Result<bool, TestCaseError> {
    let before = answers(tree, selections);
    let answer = tree.run(&["lint", "--min-severity", "hint", "--fix"]);
    prop_assert_ne!(answer.code, 2, "{:?}", answer);
    prop_assert_eq!(answers(tree, selections), before);
    prop_assert!(
        !answer.stderr.contains("safe fixes: preview with --diff,"),
        "{:?}",
        answer
    );
    Ok(answer.stderr.contains("fixed "))
}

fn runner() -> TestRunner {
    TestRunner::new(Config {
        cases: 12,
        max_shrink_iters: 30,
        failure_persistence: None,
        ..Config::default()
    })
}

#[test]
fn safe_fixes_change_the_order_of_no_selection() {
    let fixed = std::cell::Cell::new(0);
    let tazuna: [&[&str]; 3] = [&[], &["--tags", "x"], &["--for", "delete", "--tags", "y"]];
    let done = runner().run(&manifests(), |text| {
        let tree = Tree::new(&[("tazuna.yaml", &text)]);
        fixed.set(fixed.get() + usize::from(check_order_stays(&tree, &tazuna)?));
        Ok(())
    });
    done.unwrap();
    let terramate: [&[&str]; 3] = [&[], &["--tags", "x"], &["--changed", "/s0"]];
    let done = runner().run(&stacks(), |stacks| {
        let tree = Tree::new(&[("applyorder.toml", "[terramate]\nroot = true\n")]);
        stacks.iter().for_each(|(path, text)| tree.write(path, text));
        fixed.set(fixed.get() + usize::from(check_order_stays(&tree, &terramate)?));
        Ok(())
    });
    done.unwrap();
    assert!(fixed.get() > 10, "{}", fixed.get());
}
