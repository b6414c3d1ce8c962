//! Findings that comments or a baseline accept.

use crate::support::Tree;

/// A manifest that depends on itself, and one with an unknown dependency.
const TWO: &str = "spec:\n  manifests:\n    - name: a\n      type: kustomize\n      path: .\n      \
    dependsOn: [a]\n    - name: b\n      type: kustomize\n      path: .\n      dependsOn:\n        - gone # kept\n";

fn rules(tree: &Tree, args: &[&str]) -> Vec<String> {
    let answer = tree.run(&[&["lint", "--format", "concise", "--quiet"], args].concat());
    assert_eq!(answer.stderr, "", "{answer:?}");
    let rule = |line: &str| line.split(['[', ']']).nth(1).unwrap().to_owned();
    answer.stdout.lines().map(rule).collect()
}

fn with(text: &str, line: &str, new: &str) -> String {
    assert!(text.contains(line), "{text}");
    text.replace(line, new)
}

#[test]
fn a_comment_on_the_line_or_above_it_ignores_its_rules() {
    let tree = Tree::new(&[("tazuna.yaml", TWO)]);
    assert_eq!(rules(&tree, &[]), ["self-dependency", "unknown-dependency"]);
    for own in [
        "dependsOn: [a] # applyorder: ignore[self-dependency] later",
        "# applyorder: ignore[cycle, self-dependency]\n      dependsOn: [a]",
        "# applyorder: ignore[self-dependency]\n      # why\n      dependsOn: [a]",
    ] {
        tree.write("tazuna.yaml", with(TWO, "dependsOn: [a]", own));
        let left = rules(&tree, &["--ignore", "unused-ignore"]);
        assert_eq!(left, ["unknown-dependency"], "{own}");
    }
    for other in [
        "dependsOn: [a] # applyorder: ignore[cycle]",
        "dependsOn: [a]\n      # applyorder: ignore[self-dependency]",
        "# applyorder: ignore[self-dependency]\n\n      dependsOn: [a]",
        "dependsOn: [a] # see applyorder: ignore[self-dependency]",
        "description: 'applyorder: ignore[self-dependency]'\n      dependsOn: [a]",
        "dependsOn: [a] # applyorder: ignore",
    ] {
        tree.write("tazuna.yaml", with(TWO, "dependsOn: [a]", other));
        let left = rules(&tree, &["--ignore", "unused-ignore"]);
        assert_eq!(left, ["self-dependency", "unknown-dependency"], "{other}");
    }
    tree.write(
        "tazuna.yaml",
        format!("# applyorder: ignore-file[unknown-dependency]\n{TWO}"),
    );
    assert_eq!(rules(&tree, &[]), ["self-dependency"]);
    tree.write("tazuna.yaml", format!("{TWO}# applyorder: ignore-file\n"));
    assert_eq!(rules(&tree, &[]), [""; 0]);
}

#[test]
fn what_is_ignored_does_not_fail_and_the_verdict_stays() {
    let text = format!("# applyorder: ignore-file\n{TWO}");
    let tree = Tree::new(&[("tazuna.yaml", &text)]);
    let answer = tree.run(&["lint", "--format", "json"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert_eq!(answer.json()["projects"][0]["verdicts"][0]["ok"], false);
}

#[test]
fn what_ignores_nothing_is_reported_and_removed() {
    let clean = with(TWO, "      dependsOn: [a]\n", "");
    let clean = with(&clean, "      dependsOn:\n        - gone # kept\n", "");
    let text = with(
        &clean,
        "    - name: b\n",
        "    # applyorder: ignore[cycle] once\n    - name: b # applyorder: ignore[self-dependency]\n",
    );
    let text = format!("{text}# applyorder: ignore-file[unknown-dependency]\r\n");
    let tree = Tree::new(&[("tazuna.yaml", &text)]);
    assert_eq!(rules(&tree, &[]), ["unused-ignore"; 3]);
    // A rule that was not checked, or only partly, is not known to be unused.
    assert_eq!(rules(&tree, &["--tags", "x"]), [""; 0]);
    assert_eq!(rules(&tree, &["--engine", "tazuna"]), [""; 0]);
    assert_eq!(
        rules(&tree, &["--isolated", "--select", "unused-ignore,cycle"]),
        ["unused-ignore"]
    );
    let fixed = tree.run(&["lint", "--fix"]);
    assert_eq!(fixed.code, 0, "{fixed:?}");
    assert_eq!(std::fs::read_to_string(tree.path("tazuna.yaml")).unwrap(), clean);
}

#[test]
fn of_several_rules_the_unused_ones_are_removed() {
    let own = "dependsOn: [a] # applyorder: ignore[cycle, self-dependency, duplicate-name] x";
    let tree = Tree::new(&[("tazuna.yaml", &with(TWO, "dependsOn: [a]", own))]);
    let answer = tree.run(&["lint", "--format", "concise", "--fix"]);
    assert!(answer.stderr.contains("fixed 1 finding"), "{answer:?}");
    let text = std::fs::read_to_string(tree.path("tazuna.yaml")).unwrap();
    let left = "dependsOn: [a] # applyorder: ignore[self-dependency] x";
    assert_eq!(text, with(TWO, "dependsOn: [a]", left));
}

#[test]
fn an_ignore_that_cannot_be_understood_says_why() {
    let tree = Tree::new(&[]);
    for (comment, said) in [
        (
            "ignore[self-dependancy]",
            "unknown rule `self-dependancy`; did you mean `self-dependency`?",
        ),
        ("ignore", "expected `ignore[RULE]`"),
        ("ignore[cycle", "expected `]`"),
    ] {
        tree.write("tazuna.yaml", format!("{TWO}# applyorder: {comment}\n"));
        let answer = tree.run(&["lint", "--format", "concise"]);
        assert!(answer.stdout.contains("[unused-ignore] "), "{answer:?}");
        assert!(answer.stdout.contains(said), "{answer:?}");
    }
}

#[test]
fn comments_of_hcl_are_comments_too() {
    let text = "stack {\n  after = [\n    \"/gone\", // applyorder: ignore[unknown-dependency] x\n  ]\n}\n";
    let tree = Tree::new(&[
        ("applyorder.toml", "[terramate]\nroot = true\n"),
        ("s/stack.tm", text),
    ]);
    assert_eq!(rules(&tree, &[]), [""; 0]);
    tree.write("s/stack.tm", text.replace("// applyorder", "// see applyorder"));
    assert_eq!(rules(&tree, &[]), ["unknown-dependency"]);
    tree.write(
        "s/stack.tm",
        "/* applyorder: ignore[unknown-dependency] */\nstack {\n}\n",
    );
    assert_eq!(rules(&tree, &[]), ["unused-ignore"]);
    tree.run(&["lint", "--fix"]);
    assert_eq!(
        std::fs::read_to_string(tree.path("s/stack.tm")).unwrap(),
        "stack {\n}\n"
    );
}

#[test]
fn ignores_are_added_where_comments_can_be() {
    let tree = Tree::new(&[("tazuna.yaml", TWO)]);
    let answer = tree.run(&["lint", "--add-ignores=until\nMay"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stderr.contains("added 2 comments in 1 file"), "{answer:?}");
    let expected = with(
        TWO,
        "dependsOn: [a]\n",
        "dependsOn: [a] # applyorder: ignore[self-dependency] until May\n",
    );
    let expected = with(
        &expected,
        "        - gone # kept\n",
        "        # applyorder: ignore[unknown-dependency] until May\n        - gone # kept\n",
    );
    assert_eq!(
        std::fs::read_to_string(tree.path("tazuna.yaml")).unwrap(),
        expected
    );
    assert_eq!(rules(&tree, &[]), [""; 0]);
}

#[test]
fn findings_that_no_comment_can_ignore_are_counted_with_the_reason() {
    let block = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    \
        kapp.k14s.io/change-rule: |\n      upsert\n      sometime upserting x\n";
    let json = "{\"resource\": {\"spacelift_stack_dependency\": {\"d\": {\"stack_id\": \"${spacelift_stack.a.id}\", \
                \"depends_on_stack_id\": \"${spacelift_stack.b.id}\"}}}}";
    let tree = Tree::new(&[
        ("m/main.tf.json", json),
        ("k/a.yaml", block),
        ("t/tazuna.yaml", TWO),
    ]);
    let answer = tree.run(&["lint", "--add-ignores"]);
    let of_json = "2 findings cannot be ignored by a comment: in JSON, which has no comments";
    assert!(answer.stderr.contains("added 2 comments in 1 file"), "{answer:?}");
    assert!(answer.stderr.contains(of_json), "{answer:?}");
    let inside = "1 finding cannot be ignored by a comment: where a comment would have no effect";
    assert!(answer.stderr.contains(inside), "{answer:?}");
    // Everything that is counted is still reported, and nothing else.
    assert_eq!(rules(&tree, &[]).len(), 3);
    let quiet = tree.run(&["lint", "--add-ignores", "--quiet"]);
    assert_eq!(quiet.stderr, "", "{quiet:?}");
}

#[test]
fn a_text_that_no_comment_can_be_in_stays() {
    // The reference is inside a block scalar.
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    \
        kapp.k14s.io/change-rule: |\n      upsert sometime upserting x\n";
    let tree = Tree::new(&[("a.yaml", text)]);
    let found = rules(&tree, &[]);
    if found.is_empty() {
        panic!("nothing is found to be ignored");
    }
    tree.run(&["lint", "--add-ignores"]);
    let now = std::fs::read_to_string(tree.path("a.yaml")).unwrap();
    let comment = |l: &&str| !l.trim_start().starts_with('#');
    let without: Vec<&str> = now
        .lines()
        .filter(comment)
        .map(|l| l.split(" # applyorder").next().unwrap())
        .collect();
    assert_eq!(without, text.lines().collect::<Vec<_>>());
    assert!(!now.contains("upserting x #"), "{now}");
}

#[test]
fn a_baseline_hides_what_was_there() {
    let tree = Tree::new(&[("d/tazuna.yaml", TWO)]);
    let written = tree.run(&["lint", "--write-baseline", "known.json"]);
    assert_eq!((written.code, written.stdout.as_str()), (0, ""), "{written:?}");
    assert!(written.stderr.contains("2 in the baseline"), "{written:?}");
    let moved = format!("# moved\n{TWO}").replace("[a]", "[a, lost]");
    tree.write("d/tazuna.yaml", &moved);
    assert_eq!(
        rules(&tree, &["--baseline", "known.json"]),
        ["unknown-dependency"]
    );
    let answer = tree.run(&["lint", "--baseline", "known.json", "d/tazuna.yaml"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stderr.contains("2 in the baseline"), "{answer:?}");
    let again = std::fs::read(tree.path("known.json")).unwrap();
    tree.write("d/tazuna.yaml", TWO);
    tree.run(&["lint", "--write-baseline", "known.json"]);
    assert_eq!(std::fs::read(tree.path("known.json")).unwrap(), again);
    for (text, said) in [
        ("{}", "known.json: is not a baseline"),
        ("{\"version\": 2, \"findings\": []}", "unknown version 2"),
    ] {
        tree.write("known.json", text);
        let answer = tree.run(&["lint", "--baseline", "known.json"]);
        assert_eq!(answer.code, 2);
        assert!(answer.stderr.contains(said), "{answer:?}");
    }
    assert_eq!(tree.run(&["lint", "--baseline", "none.json"]).code, 2);
}
