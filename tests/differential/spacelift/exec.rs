//! `exec` in front of Terraform and OpenTofu with the provider, end to end.

use std::path::Path;
use std::process::{Command, Output};

use super::oracle::{self, Oracle};

const HEAD: &str = r#"terraform {
  required_providers {
    spacelift = {
      source = "spacelift-io/spacelift"
    }
  }
}
resource "spacelift_stack" "s" {
  for_each   = toset(["a", "b"])
  name       = each.key
  repository = "r"
  branch     = "main"
}
variable "edges" {
  type    = map(string)
  default = {}
}
resource "spacelift_stack_dependency" "d" {
  for_each            = var.edges
  stack_id            = spacelift_stack.s[each.key].id
  depends_on_stack_id = spacelift_stack.s[each.value].id
}
"#;

fn exec(oracle: &Oracle, dir: &Path, args: &[&str], env: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_applyorder"));
    command.args(["exec", "--", oracle.program]).args(args);
    let command = oracle.prepare(&mut command, dir);
    command.envs(env.iter().copied()).output().unwrap()
}

fn account(dir: &Path) -> String {
    std::fs::read_to_string(dir.join("account")).unwrap_or_default()
}

#[test]
fn a_cycle_is_stopped_before_terraform_applies_half_of_it() {
    for program in ["terraform", "tofu"] {
        if let Some(oracle) = oracle::find(program) {
            is_stopped(&oracle);
        }
    }
}

fn is_stopped(oracle: &Oracle) {
    let temp = crate::temp::temporary();
    let dir = temp.path().canonicalize().unwrap();
    std::fs::write(dir.join("main.tf"), HEAD).unwrap();
    std::fs::write(dir.join("given.tfvars"), "edges = { a = \"b\", b = \"a\" }\n").unwrap();
    let apply = ["apply", "-auto-approve", "-input=false", "-no-color"];
    let given = [&apply[..], &["-var-file=given.tfvars"]].concat();

    // Terraform alone finds nothing in the plan, and then fails halfway through.
    let plan = oracle.run(&dir, &["plan", "-input=false", "-no-color"]);
    assert!(plan.status.success(), "{plan:?}");
    let checked = exec(
        oracle,
        &dir,
        &["plan", "-input=false", "-var-file=given.tfvars"],
        &[],
    );
    assert_eq!(checked.status.code(), Some(0), "{checked:?}");
    for (args, env) in [
        (&given[..], &[][..]),
        (&apply[..], &[("TF_VAR_edges", "{ a = \"b\", b = \"a\" }")]),
    ] {
        let stopped = exec(oracle, &dir, args, env);
        assert_eq!(stopped.status.code(), Some(125), "{stopped:?}");
        assert!(stopped.stdout.is_empty(), "{stopped:?}");
        assert_eq!(account(&dir), "", "nothing was applied");
        assert!(!dir.join("terraform.tfstate").exists());
    }
    let alone = oracle.run(&dir, &apply);
    assert_eq!(alone.status.code(), Some(1), "{alone:?}");
    assert_eq!(
        account(&dir).lines().count(),
        1,
        "the other half is applied: {alone:?}"
    );

    // Without the cycle it is started, and its exit code is passed on.
    std::fs::write(dir.join("given.tfvars"), "edges = { a = \"b\" }\n").unwrap();
    let done = exec(oracle, &dir, &given, &[]);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(said.contains("Apply complete!"), "{said}");
    let same = [
        "plan",
        "-detailed-exitcode",
        "-input=false",
        "-var-file=given.tfvars",
    ];
    let unchanged = exec(oracle, &dir, &same, &[]);
    assert_eq!(unchanged.status.code(), Some(0), "{unchanged:?}");
    let changed = exec(oracle, &dir, &["plan", "-detailed-exitcode", "-input=false"], &[]);
    assert_eq!(changed.status.code(), Some(2), "{changed:?}");
    std::fs::write(dir.join("wrong.tf"), "locals {\n  x = local.lost\n}\n").unwrap();
    let wrong = exec(oracle, &dir, &given, &[]);
    assert!(!wrong.status.success(), "{wrong:?}");
}
