//! Standard input, pipes and files that change.

use std::process::{Command, Stdio};

use super::{CYCLE, GOOD, Stage, last_line, refused};

const KEEP: (&str, &str) = ("DO", "cat > \"$RECORD/stdin\"");

#[test]
fn standard_input_is_checked_and_handed_over() {
    let stage = Stage::new(&[]);
    let args = ["exec", "--", "kapp", "deploy", "-a", "app", "-f", "-"];
    let answer = stage.run(&args, CYCLE, &[KEEP]);
    let last = refused(&stage, &answer, "kapp itself would stop before its first change");
    assert!(last.contains("(exit 125)"));
    let big = format!("{GOOD}# {}\n", "x".repeat(300_000));
    let answer = stage.run(&args, &big, &[KEEP]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(stage.record("stdin").unwrap() == big, "not the same bytes");
    let answer = stage.run(&args, GOOD, &[("DO", "exit 4")]);
    assert_eq!(
        answer.code, 4,
        "who does not read it is not waited for: {answer:?}"
    );
}

/// Runs a shell command in which `applyorder` is the command under test.
fn shell(stage: &Stage, line: &str, env: &[(&str, &str)]) -> crate::support::Answer {
    let own = stage.command(env);
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).env("APPLY", own.get_program());
    shell.current_dir(own.get_current_dir().unwrap());
    for (name, value) in own.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let output = shell.stdin(Stdio::null()).output().unwrap();
    crate::support::Answer {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_of_the_shell_is_handed_over_under_its_name() {
    let big = format!("{GOOD}# {}\n", "x".repeat(300_000));
    let stage = Stage::new(&[("good", &big), ("bad", CYCLE)]);
    let env = [("DO", "cat /dev/fd/3 > \"$RECORD/pipe\"")];
    let line = |file: &str| {
        format!("cat {file} | {{ \"$APPLY\" exec -- kapp deploy -a app -f /dev/fd/3 3<&0 </dev/null; }}")
    };
    let answer = shell(&stage, &line("bad"), &env);
    refused(&stage, &answer, "kapp itself would stop");
    let answer = shell(&stage, &line("good"), &env);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(stage.record("argv").unwrap().ends_with("-f\n/dev/fd/3\n"));
    assert!(stage.record("pipe").unwrap() == big, "not the same bytes");
    // A regular file with such a name can be read again.
    let file = "\"$APPLY\" exec -- kapp deploy -a app -f /dev/fd/3 3<good </dev/null";
    let answer = shell(&stage, file, &env);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(stage.record("pipe").unwrap() == big, "not the same bytes");
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_substitution_is_handed_over_under_its_name() {
    if !Command::new("bash")
        .arg("--version")
        .output()
        .is_ok_and(|o| o.status.success())
    {
        return crate::skipped::skip("bash", "it is not installed");
    }
    let stage = Stage::new(&[("good", GOOD), ("bad", CYCLE)]);
    let env = [("DO", "for last; do :; done; cat \"$last\" > \"$RECORD/pipe\"")];
    let line = |file: &str| format!("exec bash -c '\"$APPLY\" exec -- kapp deploy -a app -f <(cat {file})'");
    let answer = shell(&stage, &line("bad"), &env);
    refused(&stage, &answer, "kapp itself would stop");
    let answer = shell(&stage, &line("good"), &env);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert_eq!(stage.record("pipe").unwrap(), GOOD);
}

#[test]
fn a_named_pipe_is_handed_over_under_its_name() {
    let stage = Stage::new(&[("good", GOOD)]);
    let env = [("DO", "cat pipe > \"$RECORD/pipe\"")];
    let line = "mkfifo pipe && { cat good > pipe & \"$APPLY\" exec -- kapp deploy -a app -f pipe; }";
    let answer = shell(&stage, line, &env);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert_eq!(stage.record("pipe").unwrap(), GOOD);
}

#[test]
fn what_is_neither_a_file_nor_a_pipe_is_refused() {
    let stage = Stage::new(&[("config/a.yaml", GOOD)]);
    refused(
        &stage,
        &stage.exec(&["kapp", "deploy", "-f", "/dev/null"]),
        "neither a file nor a pipe",
    );
    refused(
        &stage,
        &stage.exec(&["kapp", "deploy", "-f", "none"]),
        "no such file",
    );
    let url = stage.exec(&["kapp", "deploy", "-f", "https://example.org/a.yaml"]);
    refused(&stage, &url, "is downloaded by kapp");
    let binary = stage.tree.path("config/b.yaml");
    std::fs::write(&binary, b"\xff").unwrap();
    refused(
        &stage,
        &stage.exec(&["kapp", "deploy", "-f", "config"]),
        "config/b.yaml: is not UTF-8",
    );
    std::fs::remove_file(&binary).unwrap();
    assert!(Command::new("mkfifo").arg(&binary).status().unwrap().success());
    // A pipe inside a directory: kapp would block on it.
    refused(
        &stage,
        &stage.exec(&["kapp", "deploy", "-f", "config"]),
        "config/b.yaml: is not a regular file",
    );
}

#[test]
fn what_changes_before_the_start_is_refused() {
    let stage = Stage::new(&[("config/a.yaml", GOOD)]);
    // The report is written just before the start, here into the directory that kapp will read.
    let args = [
        "exec",
        "--report-file",
        "config/z.json",
        "--",
        "kapp",
        "deploy",
        "-f",
        "config",
    ];
    let answer = stage.run(&args, "", &[]);
    refused(&stage, &answer, "config changed while it was checked");
    assert!(last_line(&answer).contains("(exit 125)"));
    // The same, over a file that was read.
    std::fs::remove_file(stage.tree.path("config/z.json")).unwrap();
    let args = [
        "exec",
        "--report-file",
        "config/a.yaml",
        "--",
        "kapp",
        "deploy",
        "-f",
        "config",
    ];
    let answer = stage.run(&args, "", &[]);
    refused(&stage, &answer, "changed while it was checked");
}
