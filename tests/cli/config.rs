//! Configuration: files, flags, environment variables.

use crate::support::Tree;

const CYCLE: (&str, &str) = (
    "tazuna.yaml",
    "spec:\n  manifests:\n    - name: db\n      type: kustomize\n      path: .\n      dependsOn: [app]\n    \
     - name: app\n      type: kustomize\n      path: .\n      dependsOn: [db]\n",
);

#[test]
fn a_mistake_in_the_configuration_is_shown_and_fails_the_run() {
    let tree = Tree::new(&[(
        "applyorder.toml",
        "fail-on = \"error\"\n[tazuna]\ngeneratoin = \"G1\"\n",
    )]);
    insta::assert_snapshot!(tree.run(&["lint"]).shown());
    assert_eq!(tree.run(&["lint", "--isolated"]).code, 0);
    assert_eq!(tree.run(&["lint", "--exit-zero"]).code, 2);
}

#[test]
fn all_errors_are_reported_together_with_a_missing_file() {
    let tree = Tree::new(&[(
        "applyorder.toml",
        "fail-on = \"eror\"\nextend = \"../gone.toml\"\nrots = 1\n[tazuna]\ngeneration = \"G9\"\n[rules]\n\"cycl\" = \
         \"off\"\ncycle = \"offf\"\n",
    )]);
    let answer = tree.run(&["lint", "--format", "concise", "--quiet"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    let messages = answer.stdout.lines().map(|line| {
        let (place, message) = line
            .split_once(": error[invalid-config] invalid configuration: ")
            .unwrap();
        format!("{} {message}", place.trim_start_matches("applyorder.toml:"))
    });
    let messages: Vec<String> = messages.collect();
    assert!(
        messages[1].starts_with("2:10 `")
            && messages[1].ends_with("gone.toml` cannot be read: no such file or directory"),
        "{messages:?}"
    );
    assert_eq!(
        messages,
        [
            "1:11 invalid fail-on `eror`: expected `hint`, `info`, `warning` or `error`",
            &messages[1],
            "3:1 unknown key `rots`",
            "5:14 invalid generation `G9`: expected `G1`, `G2`, `G3`, `G4` or `G5`",
            "7:1 unknown rule `cycl`; did you mean `cycle`?",
            "8:9 invalid severity `offf`: expected `off`, `hint`, `info`, `warning` or `error`",
        ]
    );
}

#[test]
fn an_unknown_rule_is_named_with_the_nearest() {
    let tree = Tree::new(&[("applyorder.toml", "[rules]\n\"self-dependancy\" = \"off\"\n")]);
    let answer = tree.run(&["lint", "--format", "concise"]);
    assert_eq!(answer.code, 2);
    assert_eq!(
        answer.stdout,
        "applyorder.toml:2:1: error[invalid-config] invalid configuration: unknown rule \
         `self-dependancy`; did you mean `self-dependency`?\n"
    );
}

#[test]
fn what_was_probably_meant_is_an_unsafe_fix() {
    let tree = Tree::new(&[
        (
            "applyorder.toml",
            "fail-on = \"eror\"\npreveiw = true\n[tazuna]\ngeneratoin = 'G5'\n[rules]\n\"cycl\" = 'wraning'\n\
             tazuuna = \"off\"\n[[expect]]\nfirst = 'dB'\nthen = \"web\"\n",
        ),
        (
            "tazuna.yaml",
            "# applyorder: ignore[self-dependancy]\nkind: Tazuna\nspec:\n  manifests:\n    - {name: db, type: \
             kustomize, path: .}\n    - {name: web, type: kustomize, path: ., dependsOn: [db]}\n",
        ),
        ("kustomization.yaml", "resources: []\n"),
    ]);
    // The findings of one round are found again once the configuration is valid.
    insta::assert_snapshot!(tree.run(&["lint", "--diff", "--unsafe-fixes"]).shown());
    let fixed = tree.run(&["lint", "--fix", "--unsafe-fixes", "--format", "concise"]);
    assert_eq!((fixed.code, &*fixed.stdout), (0, ""), "{fixed:?}");
}

#[test]
fn what_the_configuration_names_and_is_not_there_is_shown_where_it_is_named() {
    let tree = Tree::new(&[
        (
            "applyorder.toml",
            "[tazuna]\nroots = [\"gone.yaml\"]\n[spacelift]\nvar-files = [\n  \"gone.tfvars\",\n]\n",
        ),
        (
            "main.tf",
            "resource \"spacelift_stack\" \"a\" {\n  name       = \"a\"\n  repository = \"r\"\n  branch     = \"b\"\n}\n",
        ),
    ]);
    let answer = tree.run(&["lint", "--format", "concise", "--quiet"]);
    let of_config = answer.stdout.lines().filter(|line| line.contains("gone"));
    assert_eq!(
        of_config.collect::<Vec<_>>(),
        [
            "applyorder.toml:2:10: error[unreadable-file] `gone.yaml` cannot be read: no such file or directory",
            "applyorder.toml:5:3: warning[missing-file] `gone.tfvars` cannot be read: no such file or directory",
        ],
        "{answer:?}"
    );
}

#[test]
fn rules_can_be_set_to_another_level() {
    let tree = Tree::new(&[CYCLE, ("applyorder.toml", "[rules]\ncycle = \"warning\"\n")]);
    let concise = |args: &[&str]| tree.run(&[&["lint", "--format", "concise", "--quiet"], args].concat());
    let answer = concise(&[]);
    assert!(answer.stdout.contains(" warning[cycle] "), "{answer:?}");
    assert_eq!(answer.code, 0);
    assert_eq!(concise(&["--config", "rules.cycle=\"error\""]).code, 1);
    assert_eq!(concise(&["--config", "rules.cycle=off"]).stdout, "");
    assert_eq!(concise(&["--config", "fail-on=warning"]).code, 1);
    assert_eq!(concise(&["--isolated"]).code, 1);
}

#[test]
fn one_file_can_be_named_for_everything() {
    let tree = Tree::new(&[CYCLE, ("other/strict.toml", "[rules]\ncycle = \"off\"\n")]);
    assert_eq!(tree.run(&["lint", "--config", "other/strict.toml"]).code, 0);
    let missing = tree.run(&["lint", "--config", "nowhere.toml"]);
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("nowhere.toml"), "{missing:?}");
    assert_eq!(tree.run(&["lint", "--config", "no.such=1"]).code, 2);
}

#[test]
fn the_nearest_file_upwards_is_used() {
    let tree = Tree::new(&[
        ("applyorder.toml", "[tazuna]\ngeneration = \"G4\"\n"),
        (
            "a/.applyorder.toml",
            "extend = \"../applyorder.toml\"\nfail-on = \"warning\"\n",
        ),
        ("a/b/x", ""),
        ("c/x", ""),
    ]);
    let shown = tree.run(&["config", "show", "a/b"]).stdout;
    assert!(shown.starts_with("# a/.applyorder.toml\n"), "{shown}");
    assert!(
        shown.contains("generation = \"G4\"") && shown.contains("fail-on = \"warning\""),
        "{shown}"
    );
    let above = tree.run(&["config", "show", "c"]).stdout;
    let fail_on = above.lines().find(|line| line.starts_with("fail-on"));
    assert!(fail_on.is_some_and(|line| line.ends_with("# default")), "{above}");
    assert_eq!(tree.run(&["config", "show", "nowhere"]).code, 2);
}

#[test]
fn variables_mirror_flags_and_flags_win() {
    let tree = Tree::new(&[CYCLE]);
    let concise = [("APPLYORDER_FORMAT", "concise")];
    let answer = tree.run_with(&["lint"], None, &concise);
    assert!(answer.stdout.contains(" error[cycle] "), "{answer:?}");
    assert!(
        tree.run_with(&["lint", "--format", "json"], None, &concise)
            .stdout
            .starts_with('{')
    );
    assert_eq!(
        tree.run_with(&["lint"], None, &[("APPLYORDER_EXIT_ZERO", "1")])
            .code,
        0
    );
    assert_eq!(
        tree.run_with(&["lint"], None, &[("APPLYORDER_EXIT_ZERO", "0")])
            .code,
        1
    );
    assert_eq!(
        tree.run_with(&["lint"], None, &[("APPLYORDER_IGNORE", "cycle,hint")])
            .code,
        0
    );
    assert_eq!(
        tree.run_with(&["lint"], None, &[("APPLYORDER_QUIET", "true")])
            .stderr,
        ""
    );
}

#[test]
fn a_variable_that_does_not_apply_is_ignored() {
    let tree = Tree::new(&[CYCLE]);
    let code = |args: &[&str], env: &[(&str, &str)]| tree.run_with(args, None, env).code;
    let sarif = [("APPLYORDER_FORMAT", "sarif")];
    assert_eq!(code(&["lint"], &sarif), 1);
    for args in [
        &["order"][..],
        &["why", "db", "app"],
        &["deps", "db"],
        &["rules"],
        &["config", "show"],
    ] {
        let plain = tree.run(args);
        assert_eq!(tree.run_with(args, None, &sarif), plain, "{args:?}");
    }
    // A value that no command accepts is an error.
    assert_eq!(code(&["rules"], &[("APPLYORDER_FORMAT", "serif")]), 2);
    assert_eq!(code(&["lint"], &[("APPLYORDER_FAIL_ON", "eror")]), 2);
    // A flag takes precedence over a variable that conflicts with it.
    assert_eq!(code(&["lint", "--verbose"], &[("APPLYORDER_QUIET", "1")]), 1);
    assert_eq!(code(&["lint", "--diff"], &[("APPLYORDER_WATCH", "1")]), 0);
    // An option of another engine.
    let namespace = [("APPLYORDER_NAMESPACE", "x")];
    assert_eq!(code(&["lint"], &namespace), 1);
    assert_eq!(code(&["lint", "--engine", "tazuna"], &namespace), 1);
    assert_eq!(code(&["lint", "--namespace", "x"], &[]), 2);
}

#[test]
fn the_schema_accepts_what_the_program_accepts() {
    let tree = Tree::new(&[]);
    let schema: serde_json::Value = serde_json::from_str(&tree.run(&["config", "schema"]).stdout).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let good = serde_json::json!({"fail-on": "warning", "rules": {"cycle": "off"},
        "kapp": {"app": [{"name": "a", "files": ["x"]}]}});
    assert!(validator.is_valid(&good));
    assert!(!validator.is_valid(&serde_json::json!({"fail_on": "warning"})));
}

#[test]
fn a_configuration_that_cannot_be_extended_is_shown_where_it_is_named() {
    let tree = Tree::new(&[
        ("tazuna.yaml", "spec: {}\n"),
        ("applyorder.toml", "fail-on = \"error\"\nextend = \"gone.toml\"\n"),
    ]);
    let answer = tree.run(&["lint", "--format", "concise"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(
        answer
            .stdout
            .starts_with("applyorder.toml:2:10: error[invalid-config]"),
        "{answer:?}"
    );
    assert!(answer.stdout.contains("gone.toml` cannot be read"), "{answer:?}");
}

#[test]
fn a_configuration_for_another_version_is_rejected_with_one_error() {
    let tree = Tree::new(&[
        CYCLE,
        (
            "applyorder.toml",
            "fial-on = \"x\"\nrequired-version = \">=999\"\n",
        ),
    ]);
    let answer = tree.run(&["lint", "--format", "concise"]);
    assert_eq!(answer.code, 2);
    let wrong = "applyorder.toml:2:20: error[invalid-config] ";
    let line = answer.stdout.lines().find(|line| line.starts_with(wrong));
    let requires = format!(
        "requires applyorder >=999, and this is {}",
        env!("CARGO_PKG_VERSION")
    );
    assert!(line.is_some_and(|line| line.contains(&requires)), "{answer:?}");
    assert!(!answer.stdout.contains("fial-on"), "{answer:?}");
    tree.write(
        "applyorder.toml",
        "required-version = \">=0.1\"\nfail-on = \"warning\"\n",
    );
    assert_eq!(tree.run(&["lint"]).code, 1);
    let shown = tree.run(&["config", "show"]).stdout;
    assert!(shown.contains("required-version = \">=0.1\""), "{shown}");
    // A configuration that starts from one for another version is refused with it.
    tree.write("base.toml", "required-version = \"<0.0.1\"\n");
    tree.write("applyorder.toml", "extend = \"base.toml\"\n");
    let answer = tree.run(&["lint", "--format", "concise"]);
    assert!(
        answer.code == 2 && answer.stdout.contains("base.toml:1:20: error[invalid-config]"),
        "{answer:?}"
    );
    let flag = tree.run(&["lint", "--isolated", "--config", "required-version=>=999"]);
    assert!(
        flag.code == 2 && flag.stderr.contains("requires applyorder >=999"),
        "{flag:?}"
    );
}
