//! Cycles.

use super::*;

fn words(path: &str, start: &str) -> String {
    format!("cycle detected: {path}: checking node id \"{start}\"")
}

#[test]
fn a_stack_that_waits_for_itself() {
    for entry in [".", "", "/s", "../s", "../s/"] {
        attribute(
            &format!("after = [\"{entry}\"]"),
            &[&format!(
                "self-dependency s/stack.tm «\"{entry}\"» error order: {}",
                words("/s -> /s", "/s")
            )],
        );
    }
    attribute(
        "before = [\"..\"]",
        &[&format!(
            "cycle s/stack.tm «\"..\"» error order: {}",
            words("/s -> /s", "/s")
        )],
    );
    finds(
        "stack {\n  tags   = [\"x\"]\n  before = [\"tag:x\"]\n}\n",
        &[&format!(
            "self-dependency s/stack.tm «\"tag:x\"» error order: {}",
            words("/s -> /s", "/s")
        )],
    );
}

#[test]
fn stacks_that_wait_for_each_other() {
    finds(
        "//- a/x.tm\nstack {\n  after = [\"/b\"]\n}\n//- b/x.tm\nstack {\n  after = [\"/a\"]\n}\n",
        &[&format!(
            "cycle a/x.tm «\"/b\"» error order: {}",
            words("/a -> /b -> /a", "/a")
        )],
    );
}

#[test]
fn nesting_is_an_edge_too() {
    finds(
        "//- p/x.tm\nstack {\n  after = [\"/p/c\"]\n}\n//- p/c/x.tm\nstack {\n}\n",
        &[&format!(
            "cycle p/x.tm «\"/p/c\"» error order: {}",
            words("/p -> /p/c -> /p", "/p")
        )],
    );
}

#[test]
fn wants_may_have_cycles() {
    finds(
        "//- a/x.tm\nstack {\n  wants = [\"/b\"]\n}\n//- b/x.tm\nstack {\n  wants = [\"/a\"]\n}\n",
        &[&format!(
            "terramate/wants-cycle a/x.tm «\"/b\"» warning: {}",
            words("/a -> /b -> /a", "/a")
        )],
    );
}
