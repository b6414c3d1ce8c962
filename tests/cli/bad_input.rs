//! Unreadable input, and files that are not ours.

use std::process::Stdio;

use crate::skipped::skip;
use crate::support::{Tree, command};

const MANIFEST: &str = "spec:\n  manifests:\n    - name: cni\n      type: kustomize\n      path: .\n";

#[test]
fn a_missing_path_fails_the_run_and_the_rest_is_still_linted() {
    let tree = Tree::new(&[(
        "tazuna.yaml",
        "spec:\n  manifests:\n    - name: a\n      type: kustomize\n      \
        path: .\n      dependsOn: [a]\n",
    )]);
    let answer = tree.run(&["lint", "nowhere", "tazuna.yaml", "--format", "concise"]);
    assert_eq!(answer.code, 2);
    assert!(
        answer.stderr.contains("nowhere: no such file or directory"),
        "{answer:?}"
    );
    assert!(answer.stdout.contains("error[self-dependency]"), "{answer:?}");
    assert_eq!(tree.run(&["lint", "nowhere", "--exit-zero"]).code, 2);
}

#[test]
fn what_is_not_ours_is_never_reported_on() {
    let tree = Tree::new(&[
        ("broken.yaml", "a: [\n"),
        ("x.json", "{"),
        ("main.py", "def f(:\n"),
    ]);
    let answer = tree.run(&["lint"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""));
    let nothing = "nothing to check: no project in . (3 files looked at)\n";
    assert!(answer.stderr.starts_with(nothing), "{answer:?}");
    let named = tree.run(&["lint", "broken.yaml"]);
    assert_eq!((named.code, named.stdout.as_str()), (0, ""));
    assert!(
        named.stderr.contains("broken.yaml: not part of any project"),
        "{named:?}"
    );
}

#[test]
fn a_directory_with_the_name_of_a_root_is_named() {
    let tree = Tree::new(&[("a/tazuna.yaml/keep", ""), ("b/tazuna.yaml", MANIFEST)]);
    let answer = tree.run(&["lint", "--format", "concise"]);
    assert!(answer.stdout.contains("a/tazuna.yaml"), "{answer:?}");
    assert!(!answer.stdout.contains("b/tazuna.yaml"), "{answer:?}");
    assert_ne!(answer.code, 0);
}

#[test]
fn a_root_that_cannot_be_read_fails_the_run() {
    let tree = Tree::new(&[("b/tazuna.yaml", MANIFEST)]);
    let large = 64 * 1024 * 1024 + 1;
    for (name, bytes) in [("binary", vec![0xff, 0xfe, 0, 1]), ("large", vec![b'#'; large])] {
        tree.write("a/tazuna.yaml", bytes);
        let answer = tree.run(&["lint", "--format", "concise"]);
        assert_eq!(answer.code, 2, "{name}: {answer:?}");
        assert!(answer.stderr.contains("a/tazuna.yaml"), "{name}: {answer:?}");
        assert!(answer.stderr.contains("in 2 projects"), "{name}: {answer:?}");
    }
}

#[test]
fn a_file_of_an_app_that_cannot_be_read_fails_the_run() {
    let tree = Tree::new(&[
        ("applyorder.toml", "[[kapp.app]]\nname = \"a\"\nfiles = [\"k\"]\n"),
        (
            "k/z.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: z}\n",
        ),
    ]);
    let large = 64 * 1024 * 1024 + 1;
    for (name, bytes) in [("binary", vec![0xff, 0xfe, 0, 1]), ("large", vec![b'#'; large])] {
        tree.write("k/a.yaml", bytes);
        let answer = tree.run(&["lint", "--format", "concise"]);
        assert_eq!(answer.code, 2, "{name}: {answer:?}");
        if name == "binary" {
            // The error is reported, and only once.
            assert!(
                answer.stdout.contains("k/a.yaml:1:1: error[") && answer.stdout.lines().count() == 1,
                "{answer:?}"
            );
            assert!(!answer.stderr.contains("k/a.yaml"), "{answer:?}");
        } else {
            // A warning does not explain why the run failed.
            assert!(answer.stderr.contains("error: k/a.yaml: "), "{answer:?}");
        }
    }
}

#[test]
fn a_loop_of_links_ends() {
    let tree = Tree::new(&[("a/tazuna.yaml", MANIFEST)]);
    std::os::unix::fs::symlink(tree.path("a"), tree.path("a/again")).unwrap();
    std::os::unix::fs::symlink("tazuna.yml", tree.path("tazuna.yml")).unwrap();
    let answer = tree.run(&["lint"]);
    assert!(
        answer.stderr.starts_with("✓ a/tazuna.yaml: ") && answer.stderr.lines().count() == 1,
        "{answer:?}"
    );
}

#[test]
fn links_that_lead_to_themselves_are_named() {
    let tree = Tree::new(&[
        (
            "a/tazuna.yaml",
            "spec:\n  manifests:\n    - includes: [{path: loop.yaml}]\n    - includes: [{path: dangling.yaml}]\n",
        ),
        (
            "b/tazuna.yaml",
            "spec:\n  manifests:\n    - {name: b, type: kustomize, path: ., dependsOn: [b]}\n",
        ),
        ("c/keep", ""),
    ]);
    std::os::unix::fs::symlink("loop.yaml", tree.path("a/loop.yaml")).unwrap();
    std::os::unix::fs::symlink("nowhere.yaml", tree.path("a/dangling.yaml")).unwrap();
    std::os::unix::fs::symlink("tazuna.yaml", tree.path("c/tazuna.yaml")).unwrap();
    let answer = tree.run(&["lint", "--format", "concise"]);
    for (file, name) in [("a/tazuna.yaml", "loop.yaml"), ("a/tazuna.yaml", "dangling.yaml")] {
        let named = |line: &str| line.starts_with(file) && line.contains(name);
        assert!(answer.stdout.lines().any(named), "{name}: {answer:?}");
    }
    let said = |line: &str| line.contains("c/tazuna.yaml");
    assert!(
        answer.stdout.lines().chain(answer.stderr.lines()).any(said),
        "{answer:?}"
    );
    assert!(answer.stdout.contains("error[self-dependency]"), "{answer:?}");
}

#[test]
fn deep_nesting_is_answered() {
    let deep = format!(
        "spec:\n  manifests: {}{}\n",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    let tree = Tree::new(&[("a/tazuna.yaml", deep.as_str()), ("b/tazuna.yaml", MANIFEST)]);
    let answer = tree.run(&["lint", "--format", "concise"]);
    // A limit of applyorder is not an error in the file.
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stdout.contains("a/tazuna.yaml"), "{answer:?}");
    assert!(answer.stdout.contains("warning[limit-reached]"), "{answer:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_too_large_for_memory_is_reported_and_the_rest_is_linted() {
    let large = format!("{MANIFEST}{}", "# a line that is read\n".repeat(1_000_000));
    let tree = Tree::new(&[
        ("a/tazuna.yaml", large.as_str()),
        (
            "b/tazuna.yaml",
            "spec:\n  manifests:\n    - {name: a, type: kustomize, path: ., dependsOn: [a]}\n",
        ),
    ]);
    let limited = std::process::Command::new("sh")
        .args([
            "-c",
            "ulimit -v 1500000; exec \"$0\" lint --isolated --format concise",
        ])
        .arg(env!("CARGO_BIN_EXE_applyorder"))
        .current_dir(tree.root())
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&limited.stdout);
    assert_eq!(limited.status.code(), Some(2), "{limited:?}");
    assert!(
        stdout.contains("b/tazuna.yaml:3:55: error[self-dependency]"),
        "{stdout}"
    );
    assert!(
        stdout.contains("a/tazuna.yaml:1:1: warning[limit-reached]"),
        "{stdout}"
    );
    assert!(stdout.contains("needs more memory than is left"), "{stdout}");
}

#[test]
fn wrong_arguments_give_2_and_the_nearest_word() {
    let tree = Tree::new(&[("tazuna.yaml", MANIFEST)]);
    for (args, hint) in [
        (&["lint", "--select", "cycel"][..], "cycle"),
        (&["lint", "--engine", "tazna"], "tazuna"),
        (&["explain", "self-dependancy"], "self-dependency"),
        (&["explain", "nested-include"], "tazuna/nested-include"),
        (&["deps", "cno"], "cni"),
        (&["lint", "--namespace", "x"], "Tazuna has no option --namespace"),
        (&["lint", "--min-severity", "bad"], "warning"),
        (&["lnt"], "lint"),
        (&["order", "-0", "--format", "json"], "--null"),
        (&["lint", "-"], "--stdin-filename"),
    ] {
        let answer = tree.run(args);
        assert_eq!(answer.code, 2, "{args:?}: {answer:?}");
        assert!(answer.stderr.contains(hint), "{args:?}: {answer:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_not_an_error() {
    let manifests: String = (0..2000)
        .map(|i| {
            format!("    - name: m{i}\n      type: kustomize\n      path: .\n      dependsOn: [gone{i}]\n")
        })
        .collect();
    let text = format!("spec:\n  manifests:\n{manifests}");
    let tree = Tree::new(&[("tazuna.yaml", text.as_str())]);
    for args in [
        &["lint"][..],
        &["lint", "--format", "json"],
        &["order", "--format", "plain"],
        &["man"],
    ] {
        let mut child = command(&tree.root())
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(
            !stderr.contains("panicked") && !stderr.contains("roken pipe"),
            "{args:?}: {stderr}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_without_a_writer_is_not_waited_for() {
    let tree = Tree::new(&[("tazuna.yaml", MANIFEST)]);
    std::fs::create_dir(tree.path("a")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(tree.path("a/tazuna.yaml"))
        .status();
    if !made.is_ok_and(|s| s.success()) {
        return skip("a pipe", "there is no mkfifo");
    }
    let answer = tree.run(&["lint"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stdout.contains("is not a regular file"), "{answer:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_is_full_fails_the_run() {
    let text = "spec:\n  manifests:\n    - {name: a, type: kustomize, path: ., dependsOn: [a]}\n";
    let tree = Tree::new(&[("tazuna.yaml", text)]);
    for args in [
        &["lint"][..],
        &["lint", "--format", "json"],
        &["lint", "--statistics"],
        &["order", "--format", "json"],
        &["config", "show"],
        &["explain", "cycle"],
        &["completions", "bash"],
        &["man"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = crate::support::command(&tree.root())
            .args(args)
            .stdout(full)
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(
            stderr.contains("error: the output cannot be written: "),
            "{args:?}: {stderr}"
        );
    }
    let to_file = tree.run(&["lint", "--format", "json=/dev/full"]);
    assert_eq!(to_file.code, 2, "{to_file:?}");
    assert!(to_file.stderr.contains("/dev/full: "), "{to_file:?}");
}

#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_looked_into_fails_the_run_and_the_rest_is_linted() {
    use std::os::unix::fs::PermissionsExt as _;
    let text = "spec:\n  manifests:\n    - {name: a, type: kustomize, path: ., dependsOn: [a]}\n";
    let into = "spec:\n  manifests:\n    - {name: a, type: kustomize, path: ../locked/x}\n";
    let stack = "variable \"name\" {}\nresource \"spacelift_stack\" \"b\" {\n  name = var.name\n  branch = \"m\"\n  \
                 repository = \"r\"\n}\noutput \"id\" {\n  value = spacelift_stack.b.id\n}\n";
    let caller = "module \"m\" {\n  source = \"../locked/m\"\n  name = \"n\"\n}\nresource \"spacelift_stack_dependency\" \
                  \"d\" {\n  stack_id = module.m.id\n  depends_on_stack_id = \"x\"\n}\n";
    let tree = Tree::new(&[
        ("own/tazuna.yaml", text),
        ("into/tazuna.yaml", into),
        ("tf/main.tf", caller),
        ("locked/tazuna.yaml", text),
        ("locked/x/kustomization.yaml", ""),
        ("locked/m/main.tf", stack),
    ]);
    let locked = tree.path("locked");
    let set = |mode| std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(mode)).unwrap();
    set(0);
    let is_locked = std::fs::read_dir(&locked).is_err();
    let answer = tree.run(&["lint", "--format", "concise"]);
    let left_out = tree.run(&["lint", "--format", "concise", "--exclude", "locked"]);
    set(0o700);
    if !is_locked {
        return crate::skipped::skip("locked directory", "who runs this may look into every directory");
    }
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(
        answer.stderr.contains("locked") && !answer.stderr.contains("ignore"),
        "{answer:?}"
    );
    let own = |line: &&str| line.starts_with("own/tazuna.yaml:3:");
    assert!(answer.stdout.lines().any(|line| own(&line)), "{answer:?}");
    // Its content is unknown; that the module cannot be read is its only finding.
    let others: Vec<&str> = answer.stdout.lines().filter(|line| !own(line)).collect();
    assert!(
        others.iter().all(|line| line.contains("permission denied")) && others.len() == 1,
        "{answer:?}"
    );
    // Excluded files are not read.
    assert_eq!(left_out.code, 1, "{left_out:?}");
}

/// The run continues: what could be read has its findings.
#[test]
fn a_missing_file_of_a_flag_is_reported() {
    let stack = "resource \"spacelift_stack\" \"a\" {\n  name = \"a\"\n}\n";
    let tree = Tree::new(&[("main.tf", stack)]);
    for flag in ["var-file", "state"] {
        let answer = tree.run(&[
            "lint",
            &format!("--{flag}"),
            "gone",
            "--engine",
            "spacelift",
            "--format",
            "concise",
        ]);
        assert_eq!(answer.code, 2, "{answer:?}");
        let said = format!("error: --{flag} gone: no such file or directory");
        assert!(answer.stderr.contains(&said), "{answer:?}");
        assert!(answer.stdout.contains("needs `branch`"), "{answer:?}");
    }
}

/// A snapshot in another format is invalid input of the run, and not a finding; the rest is still answered.
#[test]
fn a_snapshot_of_another_form_fails_every_command_that_takes_one() {
    let stack = "resource \"spacelift_stack\" \"a\" {\n  name       = \"a\"\n  repository = \"r\"\n  branch     = \"b\"\n}\n";
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: b\n";
    let workload = "apiVersion: v1\nworkloads:\n  a:\n    runtime: podman\n    agent: x\n    runtimeConfig: \"image: i\"\n";
    let tree = Tree::new(&[
        ("tf/main.tf", stack),
        ("kapp/app.yml", map),
        ("ank/manifest.yaml", workload),
        ("text", "no json"),
        ("object.json", "{\"a\": 1}"),
        (
            "version.json",
            "{\"format_version\": \"2.0\", \"planned_values\": {}}",
        ),
        ("other.yml", "a: 1"),
        (
            "plan.json",
            "{\"format_version\": \"1.2\", \"planned_values\": {}}",
        ),
        (
            "another.json",
            "{\"format_version\": \"1.2\", \"planned_values\": {\"root_module\": {\"resources\": [{\"address\": \"aws_vpc.main\", \"mode\": \"managed\", \"type\": \"aws_vpc\"}]}}}",
        ),
    ]);
    let run = |engine: &str, state: &str, path: &str, command: &[&str]| {
        tree.run(&[command, &["--engine", engine, "--state", state, path]].concat())
    };
    let commands: [&[&str]; 7] = [
        &["lint"],
        &["order"],
        &["graph", "--format", "dot"],
        &["deps", "spacelift_stack.a"],
        &["why", "spacelift_stack.a", "spacelift_stack.a"],
        &["simulate", "--changed", "spacelift_stack.a"],
        &["check"],
    ];
    for command in commands {
        let answer = run("spacelift", "text", "tf", command);
        assert_eq!(answer.code, 2, "{command:?}: {answer:?}");
        let said = "error: --state text: not the output of `terraform show -json`: ";
        assert!(answer.stderr.contains(said), "{command:?}: {answer:?}");
        assert_ne!(
            run("spacelift", "plan.json", "tf", command).code,
            2,
            "{command:?}"
        );
    }
    assert!(
        run("spacelift", "text", "tf", &["order"])
            .stdout
            .contains("spacelift_stack.a")
    );
    for (engine, state, path, why) in [
        ("spacelift", "object.json", "tf", "missing field `format_version`"),
        (
            "spacelift",
            "version.json",
            "tf",
            "its format version 2.0 is not supported",
        ),
        (
            "spacelift",
            "another.json",
            "tf",
            "no root module declares what it has (`aws_vpc.main`)",
        ),
        ("kapp", "other.yml", "kapp/app.yml", "cannot be read"),
        (
            "ankaios",
            "other.yml",
            "ank/manifest.yaml",
            "not the output of `ank get state -o yaml`",
        ),
    ] {
        let answer = run(engine, state, path, &["lint"]);
        assert_eq!(answer.code, 2, "{engine}: {answer:?}");
        let said = answer
            .stderr
            .lines()
            .filter(|line| line.starts_with("error: --state"));
        let said: Vec<&str> = said.collect();
        assert!(said.len() == 1 && said[0].contains(why), "{engine}: {answer:?}");
    }
}
