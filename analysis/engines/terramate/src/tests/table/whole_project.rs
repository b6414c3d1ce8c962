//! What is checked of all stacks together.

use super::*;

#[test]
fn watched_files() {
    let rule = "invalid-value s/stack.tm";
    finds(
        "//- s/stack.tm\nstack {\n  watch = [\"../..\", \"/d\", \"gone\", \"/f\"]\n}\n//- d/x\n//- f\n",
        &[
            &format!("{rule} «\"../..\"» error stacks: path ../.. is outside project root"),
            &format!(
                "{rule} «\"/d\"» error stacks: stack.watch must be a list of regular files but directory \"/d\" was provided"
            ),
        ],
    );
}

#[test]
fn ids() {
    for id in ["a b", "ü", "a/b"] {
        attribute(
            &format!("id = \"{id}\""),
            &[&format!(
                "invalid-name s/stack.tm «\"{id}\"» error stacks: \"stack.id\" \"{id}\" doesn't match \"^[a-zA-Z0-9_-]{{1,64}}$\""
            )],
        );
    }
    let long = "x".repeat(65);
    assert_eq!(
        project(&format!("stack {{\n  id = \"{long}\"\n}}\n"))
            .findings()
            .len(),
        1
    );
    finds(
        "//- a/x.tm\nstack {\n  id = \"One\"\n}\n//- b/x.tm\nstack {\n  id = \"one\"\n}\n",
        &[
            "duplicate-name b/x.tm «\"one\"» error stacks: duplicated ID found on stacks: stack \"/b\" and \"/a\" have same ID \"one\"",
        ],
    );
}

#[test]
fn tags() {
    for (tag, words) in [
        ("A", "tags must start with lowercase alphanumeric ([0-9a-z])"),
        ("-a", "tags must start with lowercase alphanumeric ([0-9a-z])"),
        ("a-", "tags must end with lowercase alphanumeric ([0-9a-z])"),
        ("a b", "[a-z._-/] are the only permitted characters in tags"),
        ("aüb", "[a-z._-/] are the only permitted characters in tags"),
    ] {
        attribute(
            &format!("tags = [\"{tag}\"]"),
            &[&format!(
                "invalid-name s/stack.tm «\"{tag}\"» error stacks: \"{tag}\": {words}"
            )],
        );
    }
    attribute("tags = [\"a.b_c/d-e\", \"0\"]", &[]);
    attribute(
        "tags = [\"\"]",
        &["terramate/tag-empty s/stack.tm «\"\"» warning"],
    );
}
