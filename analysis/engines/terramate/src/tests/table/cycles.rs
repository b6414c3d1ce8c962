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
fn a_cycle_is_reported_next_to_a_stack_in_it_that_waits_for_itself() {
    finds(
        "//- u/p/x.tm\nstack {\n  before = [\"/x\"]\n}\n//- u/x.tm\nstack {\n  after = [\"/x/dev\"]\n}\n//- x/dev/x.tm\nstack {\n}\n//- x/x.tm\nstack {\n  after = [\"/x\"]\n}\n",
        &[
            &format!(
                "cycle u/x.tm «\"/x/dev\"» error order: {}",
                words("/u -> /x/dev -> /u/p -> /u", "/u")
            ),
            "self-dependency x/x.tm «\"/x\"» error order",
        ],
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

#[test]
fn a_cut_breaks_the_cycle_also_if_a_directory_represents_several_stacks() {
    // Without `/x/db`, `..` of the same stack still leads there.
    let files = "//- x/app/s.tm\nstack {\n  after = [\"/x/db\", \"..\"]\n}\n//- x/db/s.tm\nstack {\n  after = [\"/x/app\"]\n}\n";
    let analysis = project(files).analysis();
    let (_, project) = analysis.projects().next().unwrap();
    let found: Vec<_> = project
        .findings()
        .iter()
        .filter(|d| d.rule.id == "cycle")
        .collect();
    let fixes = |d: &applyorder_core::diagnostic::Diagnostic| {
        d.fixes.iter().map(|f| f.title.clone()).collect::<Vec<_>>()
    };
    let fixes: Vec<String> = found.iter().flat_map(|d| fixes(d)).collect();
    let breaking: Vec<&String> = fixes
        .iter()
        .filter(|title| title.contains("breaks the cycle"))
        .collect();
    assert_eq!(
        breaking,
        ["remove the dependency of `/x/db` on `/x/app` (breaks the cycle)"],
        "{fixes:?}"
    );
}
