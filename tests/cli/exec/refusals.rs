//! What keeps an engine from being started, and what does not.

use super::{CYCLE, GOOD, Stage, last_line, refused};

#[test]
fn nothing_silences_what_the_engine_rejects() {
    let settings = "fail-on = \"error\"\nexclude = [\"config\", \"*\"]\nbaseline = \"known.json\"\n[rules]\ncycle = \"off\"\n\
        \"kapp/*\" = \"off\"\n[[overrides]]\nfiles = [\"**\"]\nrules = { cycle = \"off\", kapp = \"off\" }\n";
    let stage = Stage::new(&[("applyorder.toml", settings), ("config/a.yaml", CYCLE)]);
    // A baseline that knows all there is.
    let lint = ["lint", "--isolated", "config", "--write-baseline", "known.json"];
    assert_eq!(stage.tree.run(&lint).code, 0);
    assert_eq!(stage.tree.run(&["lint", "config"]).code, 0);
    let run = |more: &[&str], env: &[(&str, &str)]| {
        let args = [&["exec"], more, &["--", "kapp", "deploy", "-f", "config"]].concat();
        let answer = stage.run(&args, "", env);
        refused(&stage, &answer, "kapp itself would stop before its first change");
        assert!(answer.stderr.contains("error[cycle]"), "{answer:?}");
    };
    run(&[], &[]);
    run(&["--config", "rules.cycle=\"off\""], &[]);
    run(&["--config", "exclude=[\"**\"]"], &[]);
    let env = [
        ("APPLYORDER_EXCLUDE", "config"),
        ("APPLYORDER_FORCE_EXCLUDE", "1"),
        ("APPLYORDER_BASELINE", "known.json"),
        ("APPLYORDER_IGNORE", "cycle"),
        ("APPLYORDER_SELECT", "hint"),
        ("APPLYORDER_EXIT_ZERO", "1"),
        ("APPLYORDER_SINCE", "HEAD"),
        ("APPLYORDER_MIN_SEVERITY", "error"),
        ("APPLYORDER_ENGINE", "kapp"),
    ];
    run(&["-q"], &env);
    stage.tree.write(".gitignore", "config\n");
    run(&[], &[]);
}

#[test]
fn apply_takes_its_project_whatever_is_excluded() {
    let settings = "exclude = [\"shop\"]\n[[overrides]]\nfiles = [\"**\"]\nrules = { cycle = \"off\" }\n";
    let stage = Stage::new(&[("applyorder.toml", settings), ("shop/a.yaml", CYCLE)]);
    let answer = stage.run(&["apply", "--engine", "kapp", "--force-exclude", "shop"], "", &[]);
    refused(&stage, &answer, "kapp itself would stop before its first change");
    assert!(answer.stderr.contains("error[cycle]"), "{answer:?}");
}

#[test]
fn a_broken_configuration_is_refused() {
    let stage = Stage::new(&[("applyorder.toml", "[rules]\nnone = \"off\"\n"), ("a.yaml", GOOD)]);
    let answer = stage.exec(&["kapp", "deploy", "-f", "a.yaml"]);
    refused(&stage, &answer, "unknown rule `none`");
}

#[test]
fn only_the_operation_asked_for_counts() {
    let rule = |of: &str, on: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {of}\n  annotations:\n    kapp.k14s.io/change-group: {of}\n    \
             kapp.k14s.io/change-rule: delete before deleting {on}\n---\n"
        )
    };
    let app = "[[kapp.app]]\nname = \"shop\"\nfiles = [\"config\"]\n";
    let stage = Stage::new(&[
        ("applyorder.toml", app),
        ("config/a.yaml", &(rule("a", "b") + &rule("b", "a"))),
    ]);
    let answer = stage.exec(&["kapp", "delete", "-a", "shop"]);
    refused(&stage, &answer, "kapp itself would stop");
    let answer = stage.exec(&["kapp", "delete", "-a", "other"]);
    refused(&stage, &answer, "declare its files");
    let answer = stage.exec(&["kapp", "deploy", "-a", "shop", "-f", "config"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(
        answer.stderr.contains("of other commands or selections of kapp"),
        "{answer:?}"
    );
}

#[test]
fn what_the_engine_is_silent_on_stops_by_its_severity() {
    // A cycle that Ankaios accepts and never gets out of is an error; a rule without targets is a warning.
    let dangling = GOOD.replace("upserting one", "upserting none");
    let stage = Stage::new(&[("a.yaml", &dangling)]);
    let answer = stage.exec(&["kapp", "deploy", "-f", "a.yaml"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(
        answer.stderr.contains("1 problem, everything known"),
        "{answer:?}"
    );
    std::fs::remove_file(stage.tree.path("record/argv")).unwrap();
    let strict = [
        "exec",
        "--fail-on",
        "warning",
        "--",
        "kapp",
        "deploy",
        "-f",
        "a.yaml",
    ];
    let answer = stage.run(&strict, "", &[]);
    refused(&stage, &answer, "kapp itself would report nothing");
    // What is not the engine's to say the user may rate.
    stage.tree.write(
        "applyorder.toml",
        "[rules]\nunknown-dependency = \"off\"\ninert-dependency = \"off\"\n",
    );
    let answer = stage.run(&strict, "", &[]);
    assert_eq!(answer.code, 0, "{answer:?}");
}

#[test]
fn what_is_not_known_is_counted_aloud_or_refused() {
    let template = format!("#@ load(\"@ytt:data\", \"data\")\n{GOOD}");
    let stage = Stage::new(&[("a.yaml", &template)]);
    let answer = stage.run(
        &[
            "exec",
            "--require-complete",
            "--",
            "kapp",
            "deploy",
            "-f",
            "a.yaml",
        ],
        "",
        &[],
    );
    refused(
        &stage,
        &answer,
        "1 reference was not checked (--require-complete)",
    );
    let answer = stage.exec(&["kapp", "deploy", "-f", "a.yaml"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(
        answer
            .stderr
            .contains("1 reference not checked (--require-complete refuses)"),
        "{answer:?}"
    );
}

#[test]
fn what_cannot_be_derived_is_refused_with_the_reason() {
    let stage = Stage::new(&[("a.yaml", GOOD)]);
    let deploy = |more: &[&str]| stage.exec(&[&["kapp", "deploy", "-f", "a.yaml"], more].concat());
    refused(
        &stage,
        &deploy(&["--filter-kind", "Pod"]),
        "`--filter-kind` leaves resources out",
    );
    refused(
        &stage,
        &deploy(&["--flag-of-tomorrow"]),
        "is not a known flag of kapp",
    );
    refused(
        &stage,
        &stage.exec(&["kapp", "inspect", "-a", "x"]),
        "run it without applyorder",
    );
    refused(
        &stage,
        &stage.exec(&["sh", "-c", "kapp deploy"]),
        "`sh` is not a program of an engine",
    );
    refused(
        &stage,
        &stage.exec(&["sudo", "kapp", "deploy"]),
        "`sudo` is not a program",
    );
}

#[test]
fn another_version_is_refused_or_said() {
    let root = "terramate {\n  required_version = \">= 0.1\"\n}\n";
    let stage = Stage::new(&[("t.tm", root), ("s/s.tm", "stack {\n}\n")]);
    let run = |version: &str| {
        stage.run(
            &["exec", "--", "terramate", "run", "--", "true"],
            "",
            &[("VERSION", version)],
        )
    };
    let answer = run("0.13.3");
    refused(
        &stage,
        &answer,
        "before 0.14.0 stacks ran in another, depth-first order",
    );
    let answer = run("99.0.0");
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(
        answer
            .stderr
            .starts_with("warning: Terramate 99.0.0 is newer than what is known"),
        "{answer:?}"
    );
    let answer = run("unknown");
    assert!(
        answer
            .stderr
            .starts_with("warning: the version of terramate is not known"),
        "{answer:?}"
    );
    let answer = run("0.17.2");
    assert!(!answer.stderr.contains("warning"), "{answer:?}");
    assert_eq!(
        last_line(&answer),
        "applyorder: terramate was started and ended with 0"
    );
}
