//! `lint --fix`: the order and the verdicts of every selection stay the same, whatever is fixed.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

use crate::support::Tree;

/// A Tazuna root with findings that have safe fixes: duplicate entries and keys, keys in another case.
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
            // Mostly upward, so that there usually is an order.
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

/// A tree of Terramate stacks with duplicate entries in their lists.
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

/// Everything that decides what runs when: the order and the verdicts of each selection, without places.
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

/// kapp resources with unused groups, a namespace that is ignored, and unused ignore comments.
fn resources() -> impl Strategy<Value = String> {
    let entry = (
        proptest::collection::vec(0..5usize, 0..3),
        proptest::sample::select(vec!["used", "lonely", "used-and-lonely"]),
        proptest::sample::select(vec!["upsert after upserting", "delete before deleting"]),
        any::<bool>(),
    );
    proptest::collection::vec(entry, 1..5).prop_map(|entries| {
        let mut text = String::new();
        for (n, (others, groups, rule, is_cluster_wide)) in entries.into_iter().enumerate() {
            let kind = if is_cluster_wide { "Namespace" } else { "ConfigMap" };
            text.push_str(&format!(
                "apiVersion: v1\nkind: {kind}\nmetadata:\n  name: m{n}\n  namespace: d # applyorder: ignore[cycle]\n  annotations:\n"
            ));
            if groups != "lonely" {
                text.push_str(&format!("    kapp.k14s.io/change-group: g{n}\n"));
            }
            if groups != "used" {
                text.push_str(&format!("    kapp.k14s.io/change-group.lonely: lonely{n} # alone\n"));
            }
            for (i, other) in others.iter().enumerate() {
                let on = other % n.max(1);
                text.push_str(&format!("    kapp.k14s.io/change-rule.r{i}: {rule} g{on}\n"));
            }
            text.push_str("---\n");
        }
        text
    })
}

/// Ankaios workloads with an alias of a field, and unused ignore comments.
fn workloads() -> impl Strategy<Value = String> {
    let entry = (
        proptest::collection::vec(0..5usize, 0..3),
        proptest::sample::select(vec!["filterMask", "filterMasks"]),
        proptest::sample::select(vec!["one", "two"]),
        any::<bool>(),
    );
    proptest::collection::vec(entry, 1..5).prop_map(|entries| {
        let mut text = "apiVersion: v1\nworkloads:\n".to_owned();
        for (n, (others, field, agent, is_ignored)) in entries.into_iter().enumerate() {
            let comment = if is_ignored { " # applyorder: ignore[cycle, ankaios/*]" } else { "" };
            text.push_str(&format!("  w{n}:{comment}\n    runtime: podman\n    agent: {agent}\n"));
            text.push_str("    runtimeConfig: |\n      image: x\n    dependencies:\n");
            let others: std::collections::BTreeSet<usize> = others.iter().map(|o| o % n.max(1)).collect();
            for other in others.iter().filter(|other| **other != n) {
                text.push_str(&format!("      w{other}: ADD_COND_RUNNING\n"));
            }
            text.push_str(&format!(
                "    controlInterfaceAccess:\n      allowRules:\n        - type: StateRule\n          operation: Read\n          {field}: [\"*\"]\n"
            ));
        }
        text
    })
}

/// Spacelift stacks with unused ignore comments.
fn spacelift_stacks() -> impl Strategy<Value = String> {
    let entry = (proptest::collection::vec(0..5usize, 0..3), any::<bool>());
    proptest::collection::vec(entry, 1..5).prop_map(|entries| {
        let mut text = String::new();
        for (n, (others, is_ignored)) in entries.into_iter().enumerate() {
            let comment = if is_ignored { "# applyorder: ignore[cycle] old\n" } else { "" };
            text.push_str(&format!(
                "{comment}resource \"spacelift_stack\" \"s{n}\" {{\n  name       = \"s{n}\"\n  repository = \"r\"\n  branch     = \"main\"\n}}\n"
            ));
            let others: std::collections::BTreeSet<usize> = others.iter().map(|o| o % n.max(1)).collect();
            for other in others.iter().filter(|other| **other != n) {
                text.push_str(&format!(
                    "resource \"spacelift_stack_dependency\" \"d{n}_{other}\" {{\n  stack_id            = spacelift_stack.s{n}.id // applyorder: ignore[cycle]\n  depends_on_stack_id = spacelift_stack.s{other}.id\n}}\n"
                ));
            }
        }
        text
    })
}

/// How many of the generated projects had something to fix.
fn fixed_among<T: std::fmt::Debug>(
    made: &impl Strategy<Value = T>,
    tree_of: impl Fn(&T) -> Tree,
    selections: &[&[&str]],
) -> usize {
    let fixed = std::cell::Cell::new(0);
    let done = runner().run(made, |value| {
        let tree = tree_of(&value);
        fixed.set(fixed.get() + usize::from(check_order_stays(&tree, selections)?));
        Ok(())
    });
    done.unwrap();
    fixed.get()
}

#[test]
fn in_tazuna() {
    let selections: [&[&str]; 3] = [&[], &["--tags", "x"], &["--for", "delete", "--tags", "y"]];
    let fixed = fixed_among(
        &manifests(),
        |text| Tree::new(&[("tazuna.yaml", text)]),
        &selections,
    );
    assert!(fixed > 5, "{fixed}");
}

#[test]
fn in_terramate() {
    let selections: [&[&str]; 3] = [&[], &["--tags", "x"], &["--changed", "/s0"]];
    let tree_of = |stacks: &Vec<(String, String)>| {
        let tree = Tree::new(&[("applyorder.toml", "[terramate]\nroot = true\n")]);
        stacks.iter().for_each(|(path, text)| tree.write(path, text));
        tree
    };
    let fixed = fixed_among(&stacks(), tree_of, &selections);
    assert!(fixed > 5, "{fixed}");
}

#[test]
fn in_kapp() {
    let app = "[[kapp.app]]\nname = \"shop\"\nfiles = [\"config\"]\n";
    let tree_of = |text: &String| Tree::new(&[("applyorder.toml", app), ("config/all.yaml", text)]);
    let selections: [&[&str]; 2] = [&[], &["--for", "delete"]];
    let fixed = fixed_among(&resources(), tree_of, &selections);
    assert!(fixed > 5, "{fixed}");
}

#[test]
fn in_ankaios() {
    let selections: [&[&str]; 2] = [&[], &["--for", "delete"]];
    let fixed = fixed_among(
        &workloads(),
        |text| Tree::new(&[("all.ank.yaml", text)]),
        &selections,
    );
    assert!(fixed > 5, "{fixed}");
}

#[test]
fn in_spacelift() {
    let selections: [&[&str]; 3] = [&[], &["--for", "delete"], &["--changed", "spacelift_stack.s0"]];
    let fixed = fixed_among(
        &spacelift_stacks(),
        |text| Tree::new(&[("main.tf", text)]),
        &selections,
    );
    assert!(fixed > 5, "{fixed}");
}
