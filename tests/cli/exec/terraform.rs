//! Terraform and OpenTofu, for modules with Spacelift stacks.

use std::fs;

use super::{Stage, refused};

pub(super) const STACKS: &str = "resource \"spacelift_stack\" \"a\" {
  name       = \"a\"
  repository = \"r\"
  branch     = \"main\"
}
resource \"spacelift_stack\" \"b\" {
  name       = \"b\"
  repository = \"r\"
  branch     = \"main\"
}
";

fn dependency(from: &str, to: &str) -> String {
    format!(
        "resource \"spacelift_stack_dependency\" \"{from}_{to}\" {{
  stack_id            = spacelift_stack.{from}.id
  depends_on_stack_id = spacelift_stack.{to}.id
}}
"
    )
}

#[test]
fn terraform_and_tofu_read_a_module() {
    let good = STACKS.to_owned() + &dependency("a", "b");
    let cyclic = good.clone() + &dependency("b", "a");
    let lost = STACKS.to_owned() + &dependency("a", "lost");
    let stage = Stage::new(&[
        ("good/main.tf", &good),
        ("cyclic/main.tf", &cyclic),
        ("lost/main.tf", &lost),
        ("mixed/main.tf", &good),
        ("mixed/extra.tofu", &dependency("a", "lost")),
    ]);
    let code = |args: &[&str]| {
        let _ = fs::remove_file(stage.tree.path("record/argv"));
        let answer = stage.run(
            &[&["exec", "--"], args].concat(),
            "",
            &[("VERSION", "Terraform v1.11.4")],
        );
        assert_eq!(answer.code == 0, stage.was_started(), "{answer:?}");
        answer.code
    };
    assert_eq!(code(&["terraform", "-chdir=good", "apply", "-auto-approve"]), 0);
    assert_eq!(code(&["terraform", "-chdir=cyclic", "apply"]), 125);
    assert_eq!(code(&["terraform", "-chdir=lost", "validate"]), 125);
    assert_eq!(code(&["terraform", "-chdir=lost", "plan"]), 125);
    assert_eq!(code(&["terraform", "-chdir=lost", "destroy"]), 125);
    assert_eq!(
        code(&["terraform", "-chdir=mixed", "plan"]),
        0,
        "it reads no .tofu"
    );
    assert_eq!(code(&["tofu", "-chdir=mixed", "plan"]), 125);
}

/// If a file is missing at the start, nothing creates it before it is read.
#[test]
fn a_file_that_is_missing_when_terraform_starts_is_missing_for_sure() {
    let read = |value: &str| format!("{STACKS}locals {{\n  a = {value}\n}}\n");
    let stage = Stage::new(&[
        ("gone/main.tf", &read("file(\"gone\")")),
        (
            "asked/main.tf",
            &read("fileexists(\"gone\") ? file(\"gone\") : \"\""),
        ),
        (
            "either/main.tf",
            &read("fileexists(\"gone\") ? \"\" : file(\"gone\")"),
        ),
    ]);
    let code = |dir: &str| {
        let _ = fs::remove_file(stage.tree.path("record/argv"));
        let args = ["exec", "--", "terraform", &format!("-chdir={dir}"), "plan"];
        let answer = stage.run(&args, "", &[("VERSION", "Terraform v1.11.4")]);
        assert_eq!(answer.code == 0, stage.was_started(), "{answer:?}");
        answer.code
    };
    assert_eq!([code("gone"), code("asked"), code("either")], [125, 0, 125]);
}

#[test]
fn what_stops_it_first_says_how_it_stops() {
    let depends = |name: &str, [own, on]: [&str; 2]| {
        format!(
            "resource \"spacelift_stack_dependency\" \"{name}\" {{\n  stack_id = {own}.id\n  depends_on_stack_id = \
             {on}.id\n}}\n"
        )
    };
    let [a, b] = ["spacelift_stack.a", "spacelift_stack.b"];
    let ring = STACKS.to_owned() + &depends("ab", [a, b]) + &depends("ba", [b, a]);
    let broken = ring.clone() + &depends("x", [a, "spacelift_stack.gone"]);
    for (module, words) in [
        (ring, "would fail when it gets there"),
        (broken, "would stop before its first change"),
    ] {
        let stage = Stage::new(&[("main.tf", &module)]);
        let answer = stage.run(
            &["exec", "--", "terraform", "apply"],
            "",
            &[("VERSION", "Terraform v1.11.4")],
        );
        refused(&stage, &answer, words);
    }
}

/// Just before the start, the files next to the module and the environment are what Terraform reads.
#[test]
fn the_environment_and_files_of_values_are_certain_before_the_start() {
    let module = STACKS.to_owned()
        + "variable \"up\" {\n  type    = map(string)\n  default = {}\n}\nresource \"spacelift_stack_dependency\" \"d\" \
           {\n  for_each            = var.up\n  stack_id            = each.key == \"a\" ? spacelift_stack.a.id : \
           spacelift_stack.b.id\n  depends_on_stack_id = each.value == \"a\" ? spacelift_stack.a.id : \
           spacelift_stack.b.id\n}\n";
    let ring = "{ a = \"b\", b = \"a\" }";
    let version = ("VERSION", "Terraform v1.11.4");
    let stage = Stage::new(&[("main.tf", &module)]);
    let plan = ["exec", "--", "terraform", "apply"];
    let answer = stage.run(&plan, "", &[version]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(
        answer.stderr.contains("resting on variable `up`: its default"),
        "{answer:?}"
    );
    let _ = fs::remove_file(stage.tree.path("record/argv"));
    let answer = stage.run(&plan, "", &[version, ("TF_VAR_up", ring)]);
    let said = refused(&stage, &answer, "would fail when it gets there");
    assert!(said.contains("NOT started"), "{said}");
    assert!(
        answer.stderr.contains("resting on variable `up`: `TF_VAR_up`"),
        "{answer:?}"
    );
    // A file takes precedence over the environment, and the command line over both.
    stage.tree.write("terraform.tfvars", "up = { a = \"b\" }\n");
    let answer = stage.run(&plan, "", &[version, ("TF_VAR_up", ring)]);
    assert_eq!(answer.code, 0, "{answer:?}");
    let _ = fs::remove_file(stage.tree.path("record/argv"));
    let given = format!("-var=up={ring}");
    let answer = stage.run(&[&plan[..], &[&given]].concat(), "", &[version]);
    refused(&stage, &answer, "would fail when it gets there");
    // A linter elsewhere has another environment: there it is not an error, and none of it is read.
    let answer = stage.run(&["lint"], "", &[("TF_VAR_up", ring)]);
    assert_eq!(answer.code, 0, "{answer:?}");
    // If a service runs the module, it has its own values.
    stage.tree.write("terraform.tfvars", format!("up = {ring}\n"));
    stage.tree.write(
        "cloud.tf",
        "terraform {\n  cloud {\n    organization = \"o\"\n  }\n}\n",
    );
    let answer = stage.run(&plan, "", &[version]);
    assert_eq!(answer.code, 0, "{answer:?}");
}

#[test]
fn the_workspace_is_certain_just_before_terraform_starts() {
    let module = STACKS.to_owned()
        + "resource \"spacelift_stack_dependency\" \"ab\" {\n  stack_id            = spacelift_stack.a.id\n  \
           depends_on_stack_id = spacelift_stack.b.id\n}\nresource \"spacelift_stack_dependency\" \"ba\" {\n  count \
           = terraform.workspace == \"prod\" ? 1 : 0\n  stack_id = spacelift_stack.b.id\n  depends_on_stack_id = \
           spacelift_stack.a.id\n}\n";
    let stage = Stage::new(&[("main.tf", &module)]);
    let version = ("VERSION", "Terraform v1.11.4");
    let plan = ["exec", "--", "terraform", "apply"];
    let answer = stage.run(&plan, "", &[version]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stderr.contains("the workspace `default`"), "{answer:?}");
    let _ = fs::remove_file(stage.tree.path("record/argv"));
    let answer = stage.run(&plan, "", &[version, ("TF_WORKSPACE", "prod")]);
    refused(&stage, &answer, "would fail when it gets there");
    stage.tree.write(".terraform/environment", "prod");
    let answer = stage.run(&plan, "", &[version]);
    refused(&stage, &answer, "would fail when it gets there");
    let answer = stage.run(&["lint"], "", &[("TF_WORKSPACE", "prod")]);
    assert_eq!(answer.code, 0, "{answer:?}");
}

#[test]
fn what_a_service_runs_is_applied_only_when_asked_for() {
    let module = STACKS.to_owned() + "data \"spacelift_current_stack\" \"me\" {\n}\n";
    let stage = Stage::new(&[("main.tf", &module)]);
    let answer = stage.run(&["apply"], "", &[]);
    refused(
        &stage,
        &answer,
        "Spacelift itself runs this module (--local runs it here)",
    );
    let answer = stage.run(&["apply", "--local"], "", &[("VERSION", "Terraform v1.11.4")]);
    assert_eq!(
        (answer.code, &*answer.stdout),
        (0, "terraform apply\n"),
        "{answer:?}"
    );
    let answer = stage.run(
        &["apply", "--local", "--print-command", "--var", "key=secret"],
        "",
        &[],
    );
    assert_eq!(answer.stdout, "terraform apply -var=key=***\n", "{answer:?}");
}
