//! `exec` and `apply`: with programs that only write down what they get.

mod inputs;
mod refusals;
mod signals;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::support::{Answer, Tree, command};

/// A program that writes down its arguments, directory, inputs and signals. `DO` says what it does besides.
const PROGRAM: &str = r#"#!/bin/sh
case "$1" in version|--version) echo "${VERSION-0.60.0}"; exit 0;; esac
for arg in "$0" "$@"; do printf '%s\n' "$arg"; done > "$RECORD/argv"
pwd > "$RECORD/cwd"
eval "${DO:-}"
"#;

const GOOD: &str = "apiVersion: v1
kind: ConfigMap
metadata:
  name: first
  annotations:
    kapp.k14s.io/change-group: one
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: second
  annotations:
    kapp.k14s.io/change-rule: upsert after upserting one
";

const CYCLE: &str = "apiVersion: v1
kind: ConfigMap
metadata:
  name: first
  annotations:
    kapp.k14s.io/change-group: one
    kapp.k14s.io/change-rule: upsert after upserting two
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: second
  annotations:
    kapp.k14s.io/change-group: two
    kapp.k14s.io/change-rule: upsert after upserting one
";

/// A tree with programs of all engines in `bin` and a directory where they write.
struct Stage {
    tree: Tree,
}

impl Stage {
    fn new(files: &[(&str, &str)]) -> Self {
        let stage = Self {
            tree: Tree::new(files),
        };
        for program in [
            "kapp",
            "ank",
            "ank-server",
            "tazuna",
            "terramate",
            "terraform",
            "tofu",
        ] {
            stage.program(program);
        }
        fs::create_dir_all(stage.tree.path("record")).unwrap();
        stage
    }

    fn program(&self, name: &str) {
        let path = self.tree.path(&format!("bin/{name}"));
        self.tree.write(&format!("bin/{name}"), PROGRAM);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// applyorder with the programs in front of `PATH`.
    fn command(&self, env: &[(&str, &str)]) -> Command {
        let mut command = command(&self.tree.root());
        let path = std::env::var("PATH").unwrap();
        command
            .env("PATH", format!("{}:{path}", self.tree.path("bin").display()))
            .env("RECORD", self.tree.path("record"))
            .envs(env.iter().copied());
        command
    }

    fn run(&self, args: &[&str], stdin: &str, env: &[(&str, &str)]) -> Answer {
        use std::io::Write;
        let mut child = self
            .command(env)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Who does not read its input may be gone already.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let output = child.wait_with_output().unwrap();
        Answer {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn exec(&self, args: &[&str]) -> Answer {
        self.run(&[&["exec", "--"], args].concat(), "", &[])
    }

    /// What the program wrote down; `None` where it was not started.
    fn record(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.tree.path("record").join(name)).ok()
    }

    fn was_started(&self) -> bool {
        self.record("argv").is_some()
    }
}

fn last_line(answer: &Answer) -> &str {
    answer.stderr.lines().last().unwrap_or_default()
}

/// That an engine was not started, and what was said.
#[track_caller]
fn refused<'a>(stage: &Stage, answer: &'a Answer, because: &str) -> &'a str {
    assert_eq!(answer.code, 125, "{answer:?}");
    assert!(!stage.was_started(), "{answer:?}");
    let last = last_line(answer);
    assert!(
        last.contains("was NOT started") && last.contains(because),
        "{answer:?}"
    );
    last
}

#[test]
fn arguments_directory_streams_and_code_are_handed_over() {
    let stage = Stage::new(&[("config/a.yaml", GOOD)]);
    let args = [
        "exec",
        "--",
        "kapp",
        "deploy",
        "-a",
        "my $app",
        "-f",
        "config",
        "-y",
        "--labels=",
        "--",
    ];
    let env = [("DO", "cat > \"$RECORD/stdin\"; echo out; echo err >&2; exit 7")];
    let answer = stage.run(&args, "y\n", &env);
    assert_eq!(answer.code, 7, "{answer:?}");
    let argv = [
        "kapp",
        "deploy",
        "-a",
        "my $app",
        "-f",
        "config",
        "-y",
        "--labels=",
        "--",
    ]
    .join("\n");
    // A script is told its path by its interpreter; the rest is as it was given.
    let (_, given) = stage
        .record("argv")
        .unwrap()
        .split_once('\n')
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    assert_eq!(given.trim_end(), argv.split_once('\n').unwrap().1);
    assert_eq!(
        stage.record("cwd").unwrap().trim(),
        stage.tree.root().to_str().unwrap()
    );
    assert_eq!(
        stage.record("stdin").unwrap(),
        "y\n",
        "not an input: it is the engine's"
    );
    assert_eq!(answer.stdout, "out\n");
    let lines: Vec<&str> = answer.stderr.lines().collect();
    assert_eq!(
        lines,
        [
            "applyorder: apply of 2 resources in 2 layers, 1 file: no problems, everything known",
            "applyorder: starting kapp",
            "err",
            "applyorder: kapp was started and ended with 7",
        ]
    );
}

#[test]
fn quiet_keeps_the_last_line() {
    let stage = Stage::new(&[("a.yaml", GOOD)]);
    let answer = stage.run(&["exec", "-q", "--", "kapp", "deploy", "-f", "a.yaml"], "", &[]);
    assert_eq!(answer.stderr, "applyorder: kapp was started and ended with 0\n");
}

#[test]
fn the_report_says_whether_it_was_started() {
    let stage = Stage::new(&[("good.yaml", GOOD), ("bad.yaml", CYCLE)]);
    let report = || {
        serde_json::from_str::<serde_json::Value>(&fs::read_to_string(stage.tree.path("r.json")).unwrap())
            .unwrap()
    };
    let run = |file: &str, code: &str| {
        let args = [
            "exec",
            "--report-file",
            "r.json",
            "--",
            "kapp",
            "deploy",
            "-f",
            file,
            "--kubeconfig-yaml=secret",
        ];
        stage.run(
            &args,
            "",
            &[("DO", &format!("cp r.json \"$RECORD\"; exit {code}"))],
        )
    };
    assert_eq!(run("bad.yaml", "0").code, 125);
    let stopped = report();
    assert_eq!(
        (&stopped["started"], &stopped["exit_code"]),
        (&false.into(), &125.into())
    );
    assert_eq!(stopped["rejected_by_engine"], true);
    assert_eq!(stopped["command"][4], "--kubeconfig-yaml=***");
    assert_eq!(run("good.yaml", "3").code, 3);
    let during: serde_json::Value = serde_json::from_str(&stage.record("r.json").unwrap()).unwrap();
    assert_eq!(
        (&during["started"], &during["exit_code"]),
        (&true.into(), &serde_json::Value::Null)
    );
    let ended = report();
    assert_eq!(
        (&ended["started"], &ended["exit_code"], &ended["signal"]),
        (&true.into(), &3.into(), &serde_json::Value::Null)
    );
    assert_eq!(
        (&ended["engine"], &ended["engine_version"], &ended["action"]),
        (&"kapp".into(), &"0.60.0".into(), &"apply".into())
    );
}

#[test]
fn a_missing_program_is_said_with_where_it_was_looked_for() {
    let stage = Stage::new(&[("a.yaml", GOOD)]);
    fs::remove_file(stage.tree.path("bin/kapp")).unwrap();
    let bin = stage.tree.path("bin").display().to_string();
    let args = ["exec", "--", "kapp", "deploy", "-f", "a.yaml"];
    let answer = stage.run(&args, "", &[("PATH", &bin)]);
    assert_eq!(answer.code, 127, "{answer:?}");
    assert!(
        last_line(&answer).contains(&format!("it was looked for in the directories of PATH ({bin})")),
        "{answer:?}"
    );
    stage.tree.write("bin/kapp", "#!/bin/sh\n");
    let answer = stage.run(&args, "", &[("PATH", &bin)]);
    assert_eq!(answer.code, 126, "{answer:?}");
    assert!(last_line(&answer).contains("is not executable"), "{answer:?}");
    let answer = stage.exec(&["bin/none/kapp", "deploy", "-f", "a.yaml"]);
    assert_eq!(answer.code, 127, "{answer:?}");
}

#[test]
fn a_path_and_another_name_are_taken_as_they_are_given() {
    let stage = Stage::new(&[("a.yaml", GOOD)]);
    let answer = stage.exec(&["./bin/kapp", "deploy", "-f", "a.yaml"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    stage.program("kapp-0.60");
    fs::remove_file(stage.tree.path("record/argv")).unwrap();
    let answer = stage.exec(&["kapp-0.60", "deploy", "-f", "a.yaml"]);
    refused(&stage, &answer, "`kapp-0.60` is not a program of an engine");
    let args = [
        "exec",
        "--engine",
        "kapp",
        "--",
        "kapp-0.60",
        "deploy",
        "-f",
        "a.yaml",
    ];
    assert_eq!(stage.run(&args, "", &[]).code, 0);
}

#[test]
fn every_engine_reads_its_own_command_line() {
    let stage = Stage::new(&[
        (
            "tazuna.yaml",
            "spec:\n  manifests:\n    - {name: a, type: kustomize, path: a, dependsOn: [b]}\n    - {name: b, type: kustomize, path: b}\n",
        ),
        (
            "cyclic.yaml",
            "spec:\n  manifests:\n    - {name: a, type: kustomize, path: a, dependsOn: [b]}\n    - {name: b, type: kustomize, path: b, dependsOn: [a]}\n",
        ),
        (
            "terramate.tm",
            "terramate {\n  required_version = \">= 0.1\"\n}\n",
        ),
        (
            "s1/stack.tm",
            "stack {\n  after = [\"/s2\"]\n  tags = [\"x\"]\n}\n",
        ),
        ("s2/stack.tm", "stack {\n}\n"),
        (
            "loop/terramate.tm",
            "terramate {\n  required_version = \">= 0.1\"\n}\n",
        ),
        (
            "loop/s1/stack.tm",
            "stack {\n  after = [\"/s2\"]\n  tags = [\"x\"]\n}\n",
        ),
        (
            "loop/s2/stack.tm",
            "stack {\n  after = [\"/s1\"]\n  tags = [\"y\"]\n}\n",
        ),
        (
            "one.yaml",
            "apiVersion: v1\nworkloads:\n  a:\n    runtime: podman\n    agent: x\n    runtimeConfig: \"image: a\"\n    dependencies:\n      b: ADD_COND_RUNNING\n",
        ),
        (
            "two.yaml",
            "apiVersion: v1\nworkloads:\n  b:\n    runtime: podman\n    agent: x\n    runtimeConfig: \"image: a\"\n    dependencies:\n      a: ADD_COND_RUNNING\n",
        ),
    ]);
    let code = |args: &[&str], version: &str| {
        let _ = fs::remove_file(stage.tree.path("record/argv"));
        let answer = stage.run(&[&["exec", "--"], args].concat(), "", &[("VERSION", version)]);
        assert_eq!(answer.code == 0, stage.was_started(), "{answer:?}");
        answer.code
    };
    assert_eq!(code(&["tazuna", "apply"], ""), 0);
    assert_eq!(code(&["tazuna", "apply", "-f", "cyclic.yaml"], ""), 125);
    assert_eq!(
        code(&["tazuna", "destroy", "-f", "cyclic.yaml"], ""),
        0,
        "it looks at no cycle"
    );
    assert_eq!(code(&["terramate", "run", "--", "true"], "0.17.2"), 0);
    assert_eq!(
        code(&["terramate", "run", "-C", "loop", "--", "true"], "0.17.2"),
        125
    );
    assert_eq!(
        code(
            &["terramate", "run", "--reverse", "-C", "loop", "--", "true"],
            "0.17.2"
        ),
        125
    );
    assert_eq!(
        code(
            &["terramate", "run", "-C", "loop", "--tags", "none", "--", "true"],
            "0.17.2"
        ),
        0,
        "nothing is selected"
    );
    for (tags, expected) in [("x", 0), ("x,y", 125)] {
        assert_eq!(
            code(
                &["terramate", "list", "-C", "loop", "--run-order", "--tags", tags],
                "0.17.2"
            ),
            expected,
            "one of the cycle is left out where only `x` is selected"
        );
    }
    assert_eq!(code(&["terramate", "list", "-C", "loop"], "0.17.2"), 0);
    assert_eq!(
        code(&["terramate", "list", "-C", "loop", "--run-order"], "0.17.2"),
        125
    );
    assert_eq!(code(&["ank", "apply", "one.yaml", "two.yaml"], "1.0.1"), 125);
    assert_eq!(
        code(&["ank", "apply", "-d", "one.yaml", "two.yaml"], "1.0.1"),
        0,
        "it looks at no cycle"
    );
}

#[test]
fn the_usual_command_is_printed_and_started() {
    let stage = Stage::new(&[
        (
            "applyorder.toml",
            "[[kapp.app]]\nname = \"shop\"\nfiles = [\"config\"]\nnamespace = \"n\"\n",
        ),
        ("config/a.yaml", GOOD),
        (
            "bad/tazuna.yaml",
            "spec:\n  manifests:\n    - {name: a, type: kustomize, path: a, dependsOn: [a]}\n",
        ),
    ]);
    let answer = stage.run(
        &["apply", "--print-command", "config", "--engine", "kapp"],
        "",
        &[],
    );
    assert_eq!(
        (answer.code, &*answer.stdout),
        (0, "kapp deploy -a shop -f config -n n\n"),
        "{answer:?}"
    );
    assert!(!stage.was_started());
    let answer = stage.run(&["apply", "--engine", "kapp"], "", &[]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(
        stage
            .record("argv")
            .unwrap()
            .ends_with("deploy\n-a\nshop\n-f\nconfig\n-n\nn\n")
    );
    fs::remove_file(stage.tree.path("record/argv")).unwrap();
    let answer = stage.run(
        &["apply", "--for", "delete", "--print-command", "--engine", "kapp"],
        "",
        &[],
    );
    assert_eq!(answer.stdout, "kapp delete -a shop -n n\n", "{answer:?}");
    let answer = stage.run(&["apply", "bad"], "", &[]);
    assert_eq!(
        answer.stdout,
        format!("cd {} && tazuna apply\n", stage.tree.path("bad").display())
    );
    refused(&stage, &answer, "1 problem");
    let answer = stage.run(&["apply"], "", &[]);
    refused(
        &stage,
        &answer,
        "there are 2 projects, name one: tazuna:bad/tazuna.yaml, kapp:shop",
    );
    let answer = stage.run(&["apply", "--print-command", "kapp:shop"], "", &[]);
    assert_eq!(
        answer.stdout, "kapp deploy -a shop -f config -n n\n",
        "{answer:?}"
    );
    let answer = stage.run(&["apply", "kapp:none"], "", &[]);
    refused(&stage, &answer, "there is no project `kapp:none`");
    let answer = stage.run(
        &["apply", "--engine", "kapp", "--changed", "ConfigMap/first"],
        "",
        &[],
    );
    refused(&stage, &answer, "");
}

/// What a project is declared with belongs to its usual command: without it something else would run than what was
/// checked.
#[test]
fn the_usual_command_of_each_engine_has_what_its_project_is_declared_with() {
    let settings = "[[kapp.app]]\nname = \"shop\"\nfiles = [\"k\"]\nnamespace = \"n\"\ninto-ns = \"i\"\nmap-ns = [\"a=b\"]\n\
        [[ankaios.apply]]\nname = \"car\"\nfiles = [\"ank/one.yaml\", \"ank/two.yaml\"]\nagent = \"g\"\n\
        [spacelift]\nvar-files = [\"shared.tfvars\", \"tf/own.tfvars\"]\n";
    let workload = |name: &str| {
        format!(
            "apiVersion: v1\nworkloads:\n  {name}:\n    runtime: podman\n    agent: x\n    runtimeConfig: \"image: a\"\n"
        )
    };
    let stage = Stage::new(&[
        ("applyorder.toml", settings),
        ("k/a.yaml", GOOD),
        ("ank/one.yaml", &workload("a")),
        ("ank/two.yaml", &workload("b")),
        ("tf/main.tf", STACKS),
        ("tf/own.tfvars", ""),
        ("shared.tfvars", ""),
        ("tofu/main.tofu", STACKS),
        (
            "tm/terramate.tm",
            "terramate {\n  required_version = \">= 0.1\"\n}\n",
        ),
        ("tm/s/stack.tm", "stack {\n}\n"),
        (
            "taz/prod.yaml",
            "spec:\n  environments: [p]\n  manifests:\n    - {name: a, type: kustomize, path: a}\n",
        ),
    ]);
    let root = stage.tree.root().display().to_string();
    for (args, command) in [
        (
            &["--engine", "kapp"][..],
            "kapp deploy -a shop -f k --into-ns i --map-ns a=b -n n",
        ),
        (
            &["--engine", "kapp", "--namespace", "m", "--into-ns", "j"],
            "kapp deploy -a shop -f k --into-ns j --map-ns a=b -n m",
        ),
        (
            &["--engine", "ankaios", "ankaios:car"],
            "ank --no-wait apply --agent g ank/one.yaml ank/two.yaml",
        ),
        (
            &["ankaios:car", "--agent", "h", "--for", "delete"],
            "ank --no-wait apply -d --agent h ank/one.yaml ank/two.yaml",
        ),
        (
            &["tf", "--var", "a=1"],
            "cd {root}/tf && terraform apply -var-file={root}/shared.tfvars -var-file=own.tfvars -var=a=***",
        ),
        (
            &["tofu", "--for", "delete"],
            "cd {root}/tofu && tofu destroy -var-file={root}/shared.tfvars -var-file={root}/tf/own.tfvars",
        ),
        (
            &["tm", "--tags", "a,b", "--no-tags", "c"],
            "cd {root}/tm && terramate run --tags a,b --no-tags c -- terraform apply",
        ),
        (
            &["tm", "--for", "delete"],
            "cd {root}/tm && terramate run --reverse -- terraform destroy",
        ),
        (
            &["--engine", "tazuna", "taz/prod.yaml", "-e", "p", "--tags", "x"],
            "cd {root}/taz && tazuna apply -f prod.yaml -e p -t x",
        ),
    ] {
        let answer = stage.run(&[&["apply", "--print-command"], args].concat(), "", &[]);
        let wanted = format!("{}\n", command.replace("{root}", &root));
        assert_eq!(
            (answer.code, &answer.stdout),
            (0, &wanted),
            "{args:?}: {answer:?}"
        );
    }
    assert!(!stage.was_started());
}

const STACKS: &str = "resource \"spacelift_stack\" \"a\" {
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

/// Just before the start what lies beside the module and in the environment is what Terraform reads.
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
    // A file wins over the environment, and the command line over both.
    stage.tree.write("terraform.tfvars", "up = { a = \"b\" }\n");
    let answer = stage.run(&plan, "", &[version, ("TF_VAR_up", ring)]);
    assert_eq!(answer.code, 0, "{answer:?}");
    let _ = fs::remove_file(stage.tree.path("record/argv"));
    let given = format!("-var=up={ring}");
    let answer = stage.run(&[&plan[..], &[&given]].concat(), "", &[version]);
    refused(&stage, &answer, "would fail when it gets there");
    // A linter elsewhere has another environment: there it is no error, and nothing of it is read.
    let answer = stage.run(&["lint"], "", &[("TF_VAR_up", ring)]);
    assert_eq!(answer.code, 0, "{answer:?}");
    // Where a service runs the module, it has values of its own.
    stage.tree.write("terraform.tfvars", format!("up = {ring}\n"));
    stage.tree.write(
        "cloud.tf",
        "terraform {\n  cloud {\n    organization = \"o\"\n  }\n}\n",
    );
    let answer = stage.run(&plan, "", &[version]);
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
