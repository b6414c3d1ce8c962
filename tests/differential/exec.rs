//! `exec` in front of the real programs: they reject what it refuses, and what it starts ends as without it.

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
fn terramate_under_exec_prints_the_same() {
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

/// The real `kapp`, built in the module of its packages.
pub(crate) fn kapp() -> Option<std::path::PathBuf> {
    if let Some(given) = std::env::var_os("APPLYORDER_KAPP_CLI") {
        return Some(given.into());
    }
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kapp");
    let version = "-X github.com/vmware-tanzu/carvel-kapp/pkg/kapp/version.Version=0.60.1";
    let built = Command::new("go")
        .args(["build", "-ldflags", version, "-o"])
        .arg(&program)
        .arg("github.com/vmware-tanzu/carvel-kapp/cmd/kapp")
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential/kapp/oracle"))
        .output();
    if built.as_ref().is_ok_and(|o| o.status.success()) {
        return Some(program);
    }
    let why = built.map_or_else(
        |e| e.to_string(),
        |o| String::from_utf8_lossy(&o.stderr).into_owned(),
    );
    skip("real kapp", &format!("it cannot be built: {why}"));
    None
}

/// Two resources with one change rule each.
fn resources(rules: [&str; 2]) -> String {
    let one = |name: &str, rule: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  annotations:\n    \
             kapp.k14s.io/change-group: \"x/{name}\"\n    kapp.k14s.io/change-rule: \"{rule}\"\n---\n"
        )
    };
    one("a", rules[0]) + &one("b", rules[1])
}

/// There is no cluster: what is started fails when it contacts one, and what is refused never does.
#[test]
fn kapp_under_exec_asks_the_cluster_or_is_not_started() {
    let Some(program) = kapp() else { return };
    let temp = crate::temp::temporary();
    let dir = temp.path().canonicalize().unwrap();
    let cluster = "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: \"https://127.0.0.1:1\"}}]\ncontexts: \
                   [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {}}]\ncurrent-context: c\n";
    write(&dir, "cluster", cluster);
    write(
        &dir,
        "good/all.yaml",
        &resources(["upsert before deleting x/none", "upsert after upserting x/a"]),
    );
    write(
        &dir,
        "ring/all.yaml",
        &resources(["upsert after upserting x/b", "upsert after upserting x/a"]),
    );
    write(
        &dir,
        "back/all.yaml",
        &resources(["delete after deleting x/b", "delete after deleting x/a"]),
    );
    let run = |checked: bool, args: &[&str], input: Option<&str>| {
        let mut command = Command::new(&program);
        if checked {
            command = Command::new(env!("CARGO_BIN_EXE_applyorder"));
            command.args(["exec", "-q", "--"]).arg(&program);
        }
        command
            .args(args)
            .current_dir(&dir)
            .env("KUBECONFIG", dir.join("cluster"));
        let stdin = input.map_or_else(Stdio::null, |file| {
            std::fs::File::open(dir.join(file)).unwrap().into()
        });
        command.stdin(stdin).output().unwrap()
    };
    let asked = |output: &Output| String::from_utf8_lossy(&output.stderr).contains("127.0.0.1:1");
    for (args, input, starts) in [
        (&["deploy", "-a", "app", "-f", "good", "-y"][..], None, true),
        (&["deploy", "-a", "app", "-f-", "-y"], Some("good/all.yaml"), true),
        (&["deploy", "-a", "app", "-f", "back", "-y"], None, true),
        (&["deploy", "-a", "app", "-f", "ring", "-y"], None, false),
        (
            &["deploy", "-a", "app", "-f-", "-y"],
            Some("ring/all.yaml"),
            false,
        ),
        (
            &["deploy", "-a", "app", "-f", "good", "-f", "ring", "-y"],
            None,
            false,
        ),
    ] {
        let checked = run(true, args, input);
        if !starts {
            assert_eq!(checked.status.code(), Some(125), "{args:?}: {checked:?}");
            assert!(!asked(&checked), "{args:?}: {checked:?}");
            continue;
        }
        let alone = run(false, args, input);
        assert!(
            asked(&alone) && asked(&checked),
            "{args:?}: {alone:?} {checked:?}"
        );
        assert_eq!(alone.status.code(), checked.status.code(), "{args:?}");
        assert_eq!(alone.stdout, checked.stdout, "{args:?}");
        let said = String::from_utf8_lossy(&checked.stderr).into_owned();
        assert!(!said.contains("version of kapp is unknown"), "{said}");
    }
}

/// Where Terraform is, and a module without providers, ready to be applied.
fn terraform(dir: &Path) -> Option<()> {
    let version = Command::new("terraform").arg("version").output();
    if !version.is_ok_and(|o| o.status.success()) {
        skip("real terraform", "it is not installed");
        return None;
    }
    // A built-in resource of Terraform: nothing is downloaded.
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
fn terraform_under_exec_prints_the_same() {
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

/// With one Ctrl-C, Terraform stops gracefully; with a second one it aborts, and may lose its results.
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
        // The last process that holds the other end has ended then.
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
