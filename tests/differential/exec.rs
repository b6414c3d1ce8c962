//! `exec` in front of the real programs: what it refuses they reject, and what it starts ends as without it.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::skipped::skip;
use crate::terramate::oracle;

/// A program with and without applyorder in front of it, in a directory.
fn both(dir: &Path, program: &Path, args: &[&str]) -> (Output, Output) {
    let run = |mut command: Command| {
        command
            .current_dir(dir)
            .env("GIT_CEILING_DIRECTORIES", "/")
            .env("CHECKPOINT_DISABLE", "1");
        command.args(args).stdin(Stdio::null()).output().unwrap()
    };
    let mut checked = Command::new(env!("CARGO_BIN_EXE_applyorder"));
    checked.args(["exec", "-q", "--"]).arg(program);
    (run(Command::new(program)), run(checked))
}

fn write(dir: &Path, path: &str, text: &str) {
    let path = dir.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn terramate_behind_exec_says_what_it_says_alone() {
    let Some(oracle) = oracle::find() else { return };
    let temp = crate::temp::temporary();
    let dir = temp.path().canonicalize().unwrap();
    write(
        &dir,
        "terramate.tm",
        "terramate {\n  required_version = \">= 0.1\"\n}\n",
    );
    write(
        &dir,
        "a/stack.tm",
        "stack {\n  after = [\"/b\"]\n  tags = [\"x\"]\n}\n",
    );
    write(&dir, "b/stack.tm", "stack {\n}\n");
    for args in [
        &["list"][..],
        &["list", "--run-order", "--tags", "x"],
        &["run", "-X", "--quiet", "--", "pwd"],
        &["run", "-X", "--quiet", "--reverse", "--", "pwd"],
    ] {
        let (alone, checked) = both(&dir, oracle.program(), args);
        assert!(
            alone.status.success() && checked.status.success(),
            "{args:?}: {alone:?} {checked:?}"
        );
        assert!(
            !alone.stdout.is_empty() && alone.stdout == checked.stdout,
            "{args:?}: {alone:?} {checked:?}"
        );
    }
    write(&dir, "b/stack.tm", "stack {\n  after = [\"/a\"]\n}\n");
    for (args, starts) in [
        (&["run", "-X", "--", "pwd"][..], false),
        (&["run", "-X", "--tags", "x", "--", "pwd"], false),
        (&["run", "-X", "--tags", "none", "--", "pwd"], true),
        (&["list", "--run-order"], false),
        (&["list"], true),
    ] {
        let (alone, checked) = both(&dir, oracle.program(), args);
        assert_eq!(alone.status.success(), starts, "{args:?}: {alone:?}");
        assert_eq!(
            checked.status.code(),
            Some(if starts { 0 } else { 125 }),
            "{args:?}: {checked:?}"
        );
        assert_eq!(
            checked.stdout.is_empty(),
            !starts || alone.stdout.is_empty(),
            "{args:?}: {checked:?}"
        );
    }
}

/// Where Terraform is, and a module without providers, ready to be applied.
fn terraform(dir: &Path) -> Option<()> {
    let version = Command::new("terraform").arg("version").output();
    if !version.is_ok_and(|o| o.status.success()) {
        skip("real terraform", "it is not installed");
        return None;
    }
    // Built into Terraform: nothing is downloaded.
    let module = "resource \"terraform_data\" \"a\" {\n  provisioner \"local-exec\" {\n    command = \"touch started; exec sleep 20\"\n  }\n}\n";
    write(dir, "main.tf", module);
    let made = Command::new("terraform")
        .args(["init", "-input=false"])
        .current_dir(dir)
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    Some(())
}

#[test]
fn terraform_behind_exec_says_what_it_says_alone() {
    let temp = crate::temp::temporary();
    let dir = temp.path().canonicalize().unwrap();
    if terraform(&dir).is_none() {
        return;
    }
    for args in [
        &["validate", "-no-color"][..],
        &["plan", "-no-color", "-detailed-exitcode"],
    ] {
        let (alone, checked) = both(&dir, Path::new("terraform"), args);
        assert_eq!(
            alone.status.code(),
            checked.status.code(),
            "{args:?}: {alone:?} {checked:?}"
        );
        assert_eq!(alone.stdout, checked.stdout, "{args:?}");
    }
    write(
        &dir,
        "lost.tf",
        "resource \"spacelift_stack_dependency\" \"d\" {\n  stack_id = spacelift_stack.lost.id\n  depends_on_stack_id = \"b\"\n}\n",
    );
    let (alone, checked) = both(&dir, Path::new("terraform"), &["validate"]);
    assert!(!alone.status.success());
    assert_eq!(checked.status.code(), Some(125), "{checked:?}");
}

/// With one Ctrl-C Terraform stops gently; with a second one it aborts, and may lose what it did.
#[cfg(target_os = "linux")]
#[test]
fn terraform_gets_one_interrupt_of_the_terminal() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let temp = crate::temp::temporary();
    let dir = temp.path().canonicalize().unwrap();
    if terraform(&dir).is_none() {
        return;
    }
    let setsid = Command::new("setsid").arg("--version").output();
    if !setsid.is_ok_and(|o| o.status.success()) {
        return skip("pseudo-terminal", "there is no setsid");
    }
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
    let other = || {
        std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(&name)
            .unwrap()
    };
    let mut command = Command::new("setsid");
    command.args(["--ctty", "--wait", env!("CARGO_BIN_EXE_applyorder"), "exec", "--"]);
    command
        .args(["terraform", "apply", "-auto-approve", "-no-color"])
        .current_dir(&dir);
    command.env("CHECKPOINT_DISABLE", "1");
    let mut child = command
        .stdin(other())
        .stdout(other())
        .stderr(other())
        .spawn()
        .unwrap();
    drop(command);
    let mut terminal = std::fs::File::from(terminal);
    let mut reader = terminal.try_clone().unwrap();
    let shown = std::thread::spawn(move || {
        let mut shown = Vec::new();
        let mut part = [0; 4096];
        // The last one who holds the other end is gone then.
        while let Ok(n @ 1..) = reader.read(&mut part) {
            shown.extend_from_slice(&part[..n]);
        }
        String::from_utf8_lossy(&shown).into_owned()
    });
    let start = Instant::now();
    while !dir.join("started").exists() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "it does not come to its resource"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    terminal.write_all(b"\x03").unwrap();
    let status = child.wait().unwrap();
    let shown = shown.join().unwrap();
    assert!(shown.contains("Interrupt received."), "{shown}");
    assert!(!shown.contains("Two interrupts received"), "{shown}");
    assert_eq!(status.code(), Some(1), "{shown}");
    assert!(
        shown
            .trim_end()
            .ends_with("applyorder: terraform was started and ended with 1"),
        "{shown}"
    );
}
