//! What prevents an engine from being started, and what does not.

use super::{CYCLE, GOOD, Stage, last_line, refused};
use crate::selection::{commit, git};

#[test]
fn nothing_silences_what_the_engine_rejects() {
    let settings = "fail-on = \"error\"\nexclude = [\"config\", \"*\"]\nbaseline = \"known.json\"\n[rules]\ncycle = \"off\"\n\
        \"kapp/*\" = \"off\"\n[[overrides]]\nfiles = [\"**\"]\nrules = { cycle = \"off\", kapp = \"off\" }\n";
    let stage = Stage::new(&[("applyorder.toml", settings), ("config/a.yaml", CYCLE)]);
    // A baseline with all findings.
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

/// A way to silence findings, with the arguments of `lint` and of `exec`.
struct Silencer {
    name: &'static str,
    settings: &'static str,
    /// Prepended to what is checked.
    comment: &'static str,
    lint: &'static [&'static str],
    exec: &'static [&'static str],
    env: &'static [(&'static str, &'static str)],
}

const NONE: Silencer = Silencer {
    name: "",
    settings: "",
    comment: "",
    lint: &[],
    exec: &[],
    env: &[],
};

/// Each silences `lint`, which shows that it works, but not `exec`.
const SILENCERS: [Silencer; 17] = [
    Silencer {
        name: "severity off",
        settings: "[rules]\ncycle = \"off\"\n",
        ..NONE
    },
    Silencer {
        name: "severity hint",
        settings: "[rules]\ncycle = \"hint\"\n",
        ..NONE
    },
    Silencer {
        name: "severity of every rule of the engine",
        settings: "[rules]\n\"kapp/*\" = \"off\"\ncycle = \"off\"\n",
        ..NONE
    },
    Silencer {
        name: "severity on the command line",
        lint: &["--config", "rules.cycle=\"off\""],
        exec: &["--config", "rules.cycle=\"off\""],
        ..NONE
    },
    Silencer {
        name: "overrides",
        settings: "[[overrides]]\nfiles = [\"**\"]\nrules = { cycle = \"off\" }\n",
        ..NONE
    },
    Silencer {
        name: "exclude",
        settings: "exclude = [\"config\"]\n",
        lint: &["--force-exclude"],
        ..NONE
    },
    Silencer {
        name: "exclude, as a variable",
        env: &[
            ("APPLYORDER_EXCLUDE", "config"),
            ("APPLYORDER_FORCE_EXCLUDE", "1"),
        ],
        ..NONE
    },
    Silencer {
        name: "a baseline",
        settings: "baseline = \"known.json\"\n",
        ..NONE
    },
    Silencer {
        name: "a baseline, as a variable",
        env: &[("APPLYORDER_BASELINE", "known.json")],
        ..NONE
    },
    Silencer {
        name: "an ignore for the file",
        comment: "# applyorder: ignore-file[cycle]\n",
        ..NONE
    },
    Silencer {
        name: "an ignore for whatever is in the file",
        comment: "# applyorder: ignore-file\n",
        ..NONE
    },
    Silencer {
        name: "select",
        env: &[("APPLYORDER_SELECT", "syntax-error")],
        ..NONE
    },
    Silencer {
        name: "ignore",
        env: &[("APPLYORDER_IGNORE", "cycle")],
        ..NONE
    },
    Silencer {
        name: "since",
        env: &[("APPLYORDER_SINCE", "HEAD")],
        ..NONE
    },
    Silencer {
        name: "staged",
        env: &[("APPLYORDER_STAGED", "1")],
        ..NONE
    },
    Silencer {
        name: "fail-on, where the severity is lowered",
        settings: "fail-on = \"error\"\n[rules]\ncycle = \"warning\"\n",
        exec: &["--fail-on", "error"],
        ..NONE
    },
    Silencer {
        name: "exit-zero",
        env: &[("APPLYORDER_EXIT_ZERO", "1")],
        ..NONE
    },
];

#[test]
fn no_silencer_of_lint_silences_what_the_engine_rejects() {
    for silencer in SILENCERS {
        let name = silencer.name;
        let text = format!("{}{CYCLE}", silencer.comment);
        let stage = Stage::new(&[("applyorder.toml", ""), ("config/a.yaml", &text)]);
        let known = ["lint", "--isolated", "config", "--write-baseline", "known.json"];
        assert_eq!(stage.tree.run(&known).code, 0);
        if !git(&stage.tree, &["init", "-q", "-b", "main"]) {
            return crate::skipped::skip("git", "it cannot be run");
        }
        commit(&stage.tree, "all");
        let lint = |args: &[&str], env: &[(&str, &str)]| {
            let args = [&["lint", "config"], args].concat();
            stage.run(&args, "", env).code
        };
        if silencer.comment.is_empty() {
            assert_eq!(lint(&[], &[]), 1, "{name}: there is nothing to be silenced");
        }
        stage.tree.write("applyorder.toml", silencer.settings);
        assert_eq!(
            lint(silencer.lint, silencer.env),
            0,
            "{name}: it does not silence `lint`"
        );
        let command = ["--", "kapp", "deploy", "-f", "config"];
        let args = [&["exec"], silencer.exec, &command].concat();
        let answer = stage.run(&args, "", silencer.env);
        refused(&stage, &answer, "kapp itself would stop before its first change");
        // What a comment ignores is not shown.
        let shown = ["error[cycle]", "(cycle). kapp itself would stop"];
        let shown = shown[usize::from(!silencer.comment.is_empty())];
        assert!(answer.stderr.contains(shown), "{name}: {answer:?}");
        assert!(!answer.stderr.contains("no problems"), "{name}: {answer:?}");
    }
}

/// An engine may itself exit with 2 (`terraform plan -detailed-exitcode`), and scripts would take our exit code for its
/// own.
#[test]
fn a_failure_before_the_start_does_not_use_an_engine_code() {
    let stage = Stage::new(&[("a.yaml", GOOD)]);
    let deploy = ["--", "kapp", "deploy", "-f", "a.yaml"];
    for (before, env) in [
        (&["exec", "--select", "hint"][..], &[][..]),
        (&["exec", "--fail-on", "never"], &[]),
        (&["exec", "--timeout", "0"], &[]),
        (&["exec"], &[("APPLYORDER_TIMEOUT", "soon")]),
        (&["--log", "a=b=c", "exec"], &[]),
        (&["--config", "none.toml", "exec"], &[]),
        (&["exec", "--engine", "none"], &[]),
    ] {
        let answer = stage.run(&[before, &deploy].concat(), "", env);
        refused(&stage, &answer, "");
        assert!(last_line(&answer).ends_with("(exit 125)"), "{answer:?}");
    }
    for args in [
        &["exec"][..],
        &["exec", "kapp", "deploy"],
        &["apply", "--no-such-flag"],
        &["apply", "--engine", "none"],
    ] {
        refused(&stage, &stage.run(args, "", &[]), "");
    }
    assert_eq!(stage.run(&["exec", "--help"], "", &[]).code, 0);
    assert_eq!(stage.run(&["lint", "--no-such-flag"], "", &[]).code, 2);
}

#[test]
fn the_question_for_the_version_counts_for_the_time_limit() {
    let stage = Stage::new(&[("a.yaml", GOOD)]);
    let deploy = |timeout: &str, takes: &str| {
        let args = [
            "exec",
            "--timeout",
            timeout,
            "--",
            "kapp",
            "deploy",
            "-f",
            "a.yaml",
        ];
        stage.run(&args, "", &[("ANSWERS_AFTER", takes)])
    };
    let began = std::time::Instant::now();
    let answer = deploy("1", "15");
    refused(
        &stage,
        &answer,
        "kapp did not print its version within 1 second (--timeout)",
    );
    assert!(began.elapsed().as_secs() < 15, "{:?}", began.elapsed());
    assert_eq!(deploy("20", "0").code, 0);
    assert!(stage.was_started());
}

/// The command that `apply` prints says what is about to run: if it cannot be printed, nothing is started.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_printed_is_not_started() {
    let stage = Stage::new(&[("a.yaml", GOOD)]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = stage.command(&[]);
    command.args(["apply", "--engine", "kapp", "a.yaml"]).stdout(full);
    let output = command.stdin(std::process::Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(125), "{output:?}");
    assert!(!stage.was_started());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("was NOT started: the output cannot be written"),
        "{said}"
    );
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
fn only_the_requested_operation_is_checked() {
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
fn findings_the_engine_does_not_report_stop_by_severity() {
    // A cycle that Ankaios accepts but never gets out of is an error; a rule without targets is a warning.
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
    // The user may set the level of what the engine does not reject.
    stage.tree.write(
        "applyorder.toml",
        "[rules]\nunknown-dependency = \"off\"\ninert-dependency = \"off\"\n",
    );
    let answer = stage.run(&strict, "", &[]);
    assert_eq!(answer.code, 0, "{answer:?}");
}

#[test]
fn unknown_references_are_counted_or_rejected() {
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
            .contains("1 reference not checked (rejected by --require-complete)"),
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

#[cfg(unix)]
#[test]
fn a_path_through_a_link_and_back_is_refused() {
    // `config` next to the link is fine; what kapp would read, `real/config`, is not.
    let stage = Stage::new(&[
        ("config/a.yaml", GOOD),
        ("real/config/a.yaml", CYCLE),
        ("real/sub/x", ""),
    ]);
    std::os::unix::fs::symlink("real/sub", stage.tree.path("link")).unwrap();
    let answer = stage.exec(&["kapp", "deploy", "-f", "link/../config"]);
    refused(&stage, &answer, "follows a link and then");
    let answer = stage.exec(&["kapp", "deploy", "-f", "real/../config"]);
    assert_eq!(answer.code, 0, "{answer:?}");
}

#[test]
fn another_version_is_rejected_or_reported() {
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
            .starts_with("warning: terramate 99.0.0 is newer than any known version"),
        "{answer:?}"
    );
    let answer = run("unknown");
    assert!(
        answer
            .stderr
            .starts_with("warning: the version of terramate is unknown"),
        "{answer:?}"
    );
    let answer = run("0.17.2");
    assert!(!answer.stderr.contains("warning"), "{answer:?}");
    assert_eq!(
        last_line(&answer),
        "applyorder: terramate was started and ended with 0"
    );
}
