//! Checks of all stacks together.

use super::*;

#[test]
fn watched_files() {
    let rule = "invalid-value s/stack.tm";
    finds(
        "//- s/stack.tm\nstack {\n  watch = [\"../..\", \"/d\", \"gone\", \"/f\"]\n}\n//- d/x\n//- f\n",
        &[
            &format!("{rule} «\"../..\"» error stacks: path ../.. is outside project root"),
            &format!(
                "{rule} «\"/d\"» error stacks: stack.watch must be a list of regular files but directory \"/d\" was provided"
            ),
        ],
    );
}

#[test]
fn ids() {
    for id in ["a b", "ü", "a/b"] {
        attribute(
            &format!("id = \"{id}\""),
            &[&format!(
                "invalid-name s/stack.tm «\"{id}\"» error stacks: \"stack.id\" \"{id}\" doesn't match \"^[a-zA-Z0-9_-]{{1,64}}$\""
            )],
        );
    }
    let long = "x".repeat(65);
    assert_eq!(
        project(&format!("stack {{\n  id = \"{long}\"\n}}\n"))
            .findings()
            .len(),
        1
    );
    finds(
        "//- a/x.tm\nstack {\n  id = \"One\"\n}\n//- b/x.tm\nstack {\n  id = \"one\"\n}\n",
        &[
            "duplicate-name b/x.tm «\"one\"» error stacks: duplicated ID found on stacks: stack \"/b\" and \"/a\" have same ID \"one\"",
        ],
    );
}

#[test]
fn tags() {
    for (tag, words) in [
        ("A", "tags must start with lowercase alphanumeric ([0-9a-z])"),
        ("-a", "tags must start with lowercase alphanumeric ([0-9a-z])"),
        ("a-", "tags must end with lowercase alphanumeric ([0-9a-z])"),
        ("a b", "[a-z._-/] are the only permitted characters in tags"),
        ("aüb", "[a-z._-/] are the only permitted characters in tags"),
        ("aGk=", "[a-z._-/] are the only permitted characters in tags"),
        ("aü", "[a-z._-/] are the only permitted characters in tags"),
        ("ü", "tags must start with lowercase alphanumeric ([0-9a-z])"),
    ] {
        attribute(
            &format!("tags = [\"{tag}\"]"),
            &[&format!(
                "invalid-name s/stack.tm «\"{tag}\"» error stacks: \"{tag}\": {words}"
            )],
        );
    }
    attribute("tags = [\"a.b_c/d-e\", \"0\"]", &[]);
    attribute(
        "tags = [\"\"]",
        &["terramate/tag-empty s/stack.tm «\"\"» warning"],
    );
}

/// The result of `run` with a line in a stack.
#[track_caller]
fn verdict(line: &str) -> (Option<bool>, Option<&'static str>, Option<String>) {
    let found = project(&format!("stack {{\n  {line}\n}}\n"));
    let analysis = found.analysis();
    let (_, project) = analysis.projects().next().unwrap();
    let run = &project.resolution.verdicts[0];
    (run.ok, run.stage, run.because.clone())
}

#[test]
fn what_terramate_may_fail_to_evaluate_is_not_called_right() {
    let unknown = |name: &str| {
        let because = format!("`{name}` of stack `/s` is known only when Terramate runs");
        (None, None, Some(because))
    };
    assert_eq!(verdict("name = tm_file(\"nope\")"), unknown("name"));
    assert_eq!(verdict("id = tm_file(\"nope\")"), unknown("id"));
    assert_eq!(
        verdict("description = tm_sha1(tm_file(\"x\"))"),
        unknown("description")
    );
    assert_eq!(verdict("watch = [tm_file(\"x\")]"), unknown("watch"));
    assert_eq!(
        verdict("name = tm_try(tm_file(\"nope\"), \"x\")"),
        unknown("name")
    );
    // What the value depends on is known, but not whether the rest of it exists.
    for value in [
        "tm_try([tm_file(\"nope\"), \"b\"][1], \"c\")",
        "\"${tm_try(\"a\")}${[tm_file(\"x\"), \"b\"][1]}\"",
        "tm_can([tm_file(\"x\"), 1][1]) ? \"a\" : \"b\"",
    ] {
        assert_eq!(verdict(&format!("name = {value}")), unknown("name"), "{value}");
    }
    // These never fail, and some need nothing that is unknown.
    for line in [
        "name = tm_uuid()",
        "description = \"at ${tm_timestamp()}\"",
        "name = tm_try(\"x\", tm_file(\"x\"))",
    ] {
        assert_eq!(verdict(line).0, Some(true), "{line}");
    }
    // So do the values of a `sharing_backend`.
    let sharing = |filename: &str| {
        let found = project(&format!(
            "//- terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n  config {{\n    experiments = [\"outputs-sharing\"]\n  }}\n}}\n//- s/x.tm\nstack {{\n}}\nsharing_backend \"a\" {{\n  type = terraform\n  command = [\"x\"]\n  filename = {filename}\n}}\n"
        ));
        let analysis = found.analysis();
        let (_, project) = analysis.projects().next().unwrap();
        project.resolution.verdicts[0].ok
    };
    assert_eq!(sharing("tm_file(\"nope\")"), None);
    assert_eq!(sharing("tm_uuid()"), Some(true));
    // The type of a value is known anyway.
    assert_eq!(verdict("watch = tm_timestamp()").1, Some("load"));
    assert_eq!(verdict("after = [tm_timecmp(\"a\", \"b\")]").1, Some("load"));
}

#[test]
fn what_is_too_large_for_us_leaves_the_verdict_open() {
    let found = project("stack {\n}\n").error("t/stack.tm", ReadError::TooLarge(1 << 40));
    let analysis = found.analysis();
    let (_, project) = analysis.projects().next().unwrap();
    let run = &project.resolution.verdicts[0];
    assert_eq!(
        (run.ok, run.because.as_deref()),
        (None, Some("`/t/stack.tm` is too large for us"))
    );
}

#[test]
fn what_terramate_leaves_to_chance_is_unknown() {
    let run = |value: &str| {
        let files = format!(
            "//- g.tm\nglobals {{\n  cfg = {{\n  }}\n  ver = 1\n}}\n//- p/g.tm\nglobals \"cfg\" {{\n  a = 1\n}}\n//- p/d/s.tm\nstack {{\n}}\nglobals {{\n  cfg = {value}\n}}\n"
        );
        let analysis = project(&files).analysis();
        let (_, project) = analysis.projects().next().unwrap();
        let verdict = &project.resolution.verdicts[0];
        (verdict.ok, verdict.because.as_deref().map(str::to_owned))
    };
    let (ok, because) = run("global.ver");
    assert_eq!(ok, None);
    assert!(because.unwrap().contains("changes from run to run"));
    assert_eq!(run("1").0, Some(false));
    assert_eq!(run("{ b = global.ver }").0, Some(true));
    assert_eq!(run("{ b = global.ver }\n  seen = global.cfg.a").0, None);
}

#[test]
fn a_value_that_cannot_be_evaluated_has_two_messages() {
    let messages = |text: &str| {
        let found = project(&format!("//- terramate.tm\n{text}//- s/x.tm\nstack {{\n}}\n"));
        let analysis = found.analysis();
        let (_, project) = analysis.projects().next().unwrap();
        let errors = project.resolution.verdicts[0].errors.iter();
        errors.map(|error| error.message.clone()).collect::<Vec<_>>()
    };
    let version = |value: &str| messages(&format!("terramate {{\n  required_version = {value}\n}}\n"));
    assert!(version("global.x").contains(&"Variables may not be used here.".to_owned()));
    let called = version("tm_upper(\"x\")");
    assert!(
        called.contains(&"Functions may not be called here.".to_owned()),
        "{called:?}"
    );
    let of_experiment = |name: &str, block: &str| {
        messages(&format!(
            "terramate {{\n  required_version = \">= 0.1\"\n  config {{\n    experiments = [\"{name}\"]\n  }}\n}}\n{block}"
        ))
    };
    assert_eq!(
        of_experiment("scripts", "script \"a\" {\n  job {\n  }\n}\n"),
        [
            "(script): missing command or commands",
            "(script): missing or invalid job"
        ]
    );
    assert_eq!(
        of_experiment(
            "outputs-sharing",
            "sharing_backend \"a\" {\n  type = terraform\n  command = [\"x\"]\n}\n"
        ),
        [
            "attribute \"sharing_backend.filename\" is required",
            "empty \"sharing_backend\".filename"
        ]
    );
}
