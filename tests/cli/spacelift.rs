//! The hook of a stack that manages stacks, as documented in `docs/engines/spacelift.md`.

use std::path::Path;
use std::process::Command;

use crate::support::{Tree, examples};

/// The lines of the hook on the page.
fn hook() -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/engines/spacelift.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, list) = page.split_once("after_plan = [").unwrap();
    let (list, _) = list.split_once(']').unwrap();
    list.lines()
        .filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix("\","))
        .map(str::to_owned)
        .collect()
}

const STACKS: &str = r#"
variable "ring" {}
resource "spacelift_stack" "a" {
  name       = "a"
  repository = "r"
  branch     = "main"
}
resource "spacelift_stack" "b" {
  name       = "b"
  repository = "r"
  branch     = "main"
}
resource "spacelift_stack_dependency" "one" {
  stack_id            = spacelift_stack.a.id
  depends_on_stack_id = spacelift_stack.b.id
}
resource "spacelift_stack_dependency" "other" {
  count               = var.ring ? 1 : 0
  stack_id            = spacelift_stack.b.id
  depends_on_stack_id = spacelift_stack.a.id
}
"#;

/// The exit code of the hook for a plan, which `terraform` prints.
fn run(plan: &str) -> i32 {
    let tree = Tree::new(&[
        ("main.tf", STACKS),
        ("stored.json", plan),
        (
            "bin/terraform",
            "#!/bin/sh\ncat \"$(dirname \"$0\")/../stored.json\"\n",
        ),
    ]);
    let script = hook().join(" && ");
    let binary = Path::new(env!("CARGO_BIN_EXE_applyorder")).parent().unwrap();
    let path = format!(
        "{}:{}:{}",
        tree.path("bin").display(),
        binary.display(),
        std::env::var("PATH").unwrap()
    );
    let made = Command::new("chmod")
        .arg("+x")
        .arg(tree.path("bin/terraform"))
        .status()
        .unwrap();
    assert!(made.success());
    let status = Command::new("sh")
        .args(["-c", &script])
        .current_dir(tree.root())
        .env("PATH", path)
        .output()
        .unwrap();
    status.status.code().unwrap()
}

fn plan(ring: bool) -> String {
    let other = if ring {
        r#",{"address":"spacelift_stack_dependency.other[0]","mode":"managed","type":"spacelift_stack_dependency","index":0,"values":{}}"#
    } else {
        ""
    };
    format!(
        r#"{{"format_version":"1.2","variables":{{"ring":{{"value":{ring}}}}},"planned_values":{{"root_module":{{"resources":[
        {{"address":"spacelift_stack.a","mode":"managed","type":"spacelift_stack","values":{{"name":"a"}}}}{other}]}}}}}}"#
    )
}

#[test]
fn the_hook_of_an_administrative_stack_stops_a_run_with_a_ring() {
    assert_eq!(hook().len(), 2);
    assert_eq!(run(&plan(true)), 1);
    assert_eq!(run(&plan(false)), 0);
}

#[test]
fn the_examples_are_as_they_say() {
    let dir = examples().join("spacelift");
    let ordered = crate::support::run_in(&dir, &["lint", "ordered"], None, &[]);
    assert_eq!(ordered.code, 0, "{}", ordered.stdout);
    let broken = crate::support::run_in(&dir, &["lint", "broken"], None, &[]);
    assert_eq!(broken.code, 1);
    for rule in [
        "error[cycle]",
        "error[unknown-dependency]",
        "warning[duplicate-dependency]",
    ] {
        assert!(broken.stdout.contains(rule), "{rule} in:\n{}", broken.stdout);
    }
    let stack = "module.network[\"dev\"].spacelift_stack.this";
    let failed = "module.database[\"dev\"].spacelift_stack.this";
    let args = ["simulate", "--changed", stack, "--failed", failed, "ordered"];
    let answer = crate::support::run_in(&dir, &args, None, &[]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(
        answer
            .stdout
            .contains("held back by a failure: `spacelift_stack.app[\"dev\"]`"),
        "{}",
        answer.stdout
    );
}

#[test]
fn an_order_in_which_stacks_may_be_missing_says_so() {
    let stack = |name: &str, more: &str| {
        format!(
            "resource \"spacelift_stack\" \"{name}\" {{\n  {more}name = \"{name}\"\n  branch = \"m\"\n  repository = \"r\"\n}}\n"
        )
    };
    let text = [
        "variable \"names\" {\n  type = set(string)\n}\n".to_owned(),
        stack("a", ""),
        stack("b", "for_each = var.names\n  "),
    ];
    let tree = Tree::new(&[("main.tf", &text.concat())]);
    let answer = tree.run(&["order"]);
    assert!(
        answer
            .stdout
            .contains("which instances there are is not known: `spacelift_stack.b.for_each`"),
        "{answer:?}"
    );
    let json = tree.run(&["order", "--format", "json"]).json();
    assert_eq!(json["projects"][0]["order"]["apply"]["guaranteed"], false);
}
