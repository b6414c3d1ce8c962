//! `exec` and `apply`, with programs that only record what they receive.

mod inputs;
mod refusals;
mod signals;
mod terraform;
mod usual;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::support::{Answer, Tree, command};

/// A program that records its arguments, directory, inputs and signals. `DO` says what else it does.
const PROGRAM: &str = r#"#!/bin/sh
case "$1" in version|--version) sleep "${ANSWERS_AFTER-0}"; echo "${VERSION-0.60.0}"; exit 0;; esac
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

/// A tree with programs of all engines in `bin` and a directory for their records.
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

    /// applyorder with the programs first on the `PATH`.
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
        // A program that does not read its input may have exited already.
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

    /// What the program recorded; `None` if it was not started.
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

/// Checks that an engine was not started, and the message.
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
    // A script receives its path from its interpreter; the rest is as given.
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
fn a_missing_program_is_reported_with_the_searched_directories() {
    let stage = Stage::new(&[("a.yaml", GOOD)]);
    fs::remove_file(stage.tree.path("bin/kapp")).unwrap();
    let bin = stage.tree.path("bin").display().to_string();
    let args = ["exec", "--", "kapp", "deploy", "-f", "a.yaml"];
    let answer = stage.run(&args, "", &[("PATH", &bin)]);
    assert_eq!(answer.code, 127, "{answer:?}");
    assert!(
        last_line(&answer).contains(&format!("was not found in the directories of PATH ({bin})")),
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
fn a_cycle_that_terramate_does_not_look_at_stops_nothing() {
    let stage = Stage::new(&[
        (
            "terramate.tm",
            "terramate {\n  required_version = \">= 0.1\"\n}\n",
        ),
        ("s1/stack.tm", "stack {\n  tags = [\"x\"]\n}\n"),
        (
            "s2/stack.tm",
            "stack {\n  after = [\"/s1\"]\n  before = [\"/s1\"]\n  tags = [\"y\"]\n}\n",
        ),
    ]);
    for (tags, expected) in [("x", 0), ("x,y", 125)] {
        let args = ["exec", "--", "terramate", "list", "--run-order", "--tags", tags];
        let answer = stage.run(&args, "", &[("VERSION", "0.17.2")]);
        assert_eq!(answer.code, expected, "{tags}: {answer:?}");
    }
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
        ("loop/s2/stack.tm", "stack {\n  after = [\"/s1\"]\n}\n"),
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
fn of_ankaios_only_what_the_command_minds_stops_it() {
    let workload = |name: &str, more: &str| {
        format!("  {name}: {{runtime: podman, agent: x, runtimeConfig: 'image: a', {more}}}\n")
    };
    let missed = [
        workload(
            "a",
            "dependencies: {b: ADD_COND_RUNNING, c: ADD_COND_RUNNING, d: ADD_COND_RUNNING}",
        ),
        workload("b", "dependencies: {a: ADD_COND_RUNNING}"),
        workload("c", ""),
        workload("d", "dependencies: {c: ADD_COND_RUNNING}"),
    ]
    .concat();
    let missed = format!("apiVersion: v1\nworkloads:\n{missed}");
    let lost = format!(
        "apiVersion: v0.1\nworkloads:\n{}",
        workload("a", "dependencies: 5")
    );
    let stage = Stage::new(&[
        (
            "bare.yaml",
            "apiVersion: v1\nworkloads:\n  a: {runtime: podman, runtimeConfig: 'image: a'}\n",
        ),
        ("missed.yaml", &missed),
        ("lost.yaml", &lost),
        ("extra.yaml", "apiVersion: v1\nworkloads: {}\nextra: {a: b}\n"),
        (
            "nested.yaml",
            "apiVersion: v1\nworkloads: {}\nconfigs: {k: {apiVersion: apps/v1}}\n",
        ),
    ]);
    let code = |args: &[&str]| {
        let _ = fs::remove_file(stage.tree.path("record/argv"));
        let answer = stage.run(&[&["exec", "--"], args].concat(), "", &[("VERSION", "1.0.1")]);
        assert_eq!(answer.code == 0, stage.was_started(), "{answer:?}");
        answer.code
    };
    for (args, wanted) in [
        (&["ank", "apply", "--agent", "x", "bare.yaml"][..], 0),
        (&["ank", "apply", "bare.yaml"], 125),
        (&["ank", "apply", "missed.yaml"], 125),
        (&["ank", "apply", "-d", "missed.yaml"], 0),
        (&["ank", "apply", "lost.yaml"], 125),
        (&["ank", "apply", "-d", "lost.yaml"], 0),
        (&["ank", "apply", "-d", "extra.yaml"], 125),
        (&["ank", "apply", "nested.yaml"], 125),
        (&["ank", "apply", "-d", "nested.yaml"], 125),
        (&["ank-server", "-k", "-m", "nested.yaml"], 0),
    ] {
        assert_eq!(code(args), wanted, "{args:?}");
    }
}
