//! Blocks of the top level.

use super::*;

#[test]
fn blocks_and_attributes_that_there_are_not() {
    finds(
        "stak {\n}\n",
        &["unknown-field s/stack.tm «stak» error load: unrecognized block \"stak\""],
    );
    finds(
        "name = \"x\"\n",
        &["unknown-field s/stack.tm «name» error load: unrecognized attribute \"name\""],
    );
}

#[test]
fn labels() {
    for (text, header, words) in [
        (
            "terramate \"x\" {\n}\n",
            "terramate \"x\"",
            "block type \"terramate\" does not support labels",
        ),
        (
            "import \"x\" {\n  source = \"/x.tm\"\n}\n",
            "import \"x\"",
            "import must have no labels but got [x]",
        ),
        (
            "generate_hcl {\n  content {\n  }\n}\n",
            "generate_hcl",
            "generate_hcl must have single label instead got []",
        ),
        (
            "generate_file \"a\" \"b\" {\n  content = \"\"\n}\n",
            "generate_file \"a\" \"b\"",
            "generate_file must have single label instead got [a b]",
        ),
        (
            "assert \"x\" {\n  assertion = true\n  message = \"\"\n}\n",
            "assert \"x\"",
            "block assert has unexpected label x",
        ),
        (
            "vendor \"x\" {\n}\n",
            "vendor \"x\"",
            "block vendor has unexpected label x",
        ),
    ] {
        let found = project(text).findings();
        let expected = format!("missing-field s/stack.tm «{header}» error load: {words}");
        assert!(found.contains(&expected), "{text}: {found:?}");
    }
    // In a stack it is not checked.
    finds(
        "stack \"x\" {\n}\n",
        &["terramate/stack-label s/stack.tm «\"x\"» warning"],
    );
}

#[test]
fn what_blocks_need() {
    for (text, header, words) in [
        (
            "generate_hcl \"a\" {\n}\n",
            "generate_hcl \"a\"",
            "generate_hcl must have at least one 'content' block",
        ),
        (
            "generate_file \"a\" {\n}\n",
            "generate_file \"a\"",
            "The argument \"content\" is required, but no definition was found.",
        ),
        (
            "assert {\n  assertion = true\n}\n",
            "assert",
            "assert.message is required",
        ),
        (
            "assert {\n  message = \"\"\n}\n",
            "assert",
            "assert.assertion is required",
        ),
    ] {
        finds(
            text,
            &[&format!(
                "missing-field s/stack.tm «{header}» error load: {words}"
            )],
        );
    }
    let needs = |what: &str, words: &str| format!("missing-field s/x.tm «{what}» error load: {words}");
    let required = |name: &str| format!("attribute \"input.{name}\" is required");
    for (text, expected) in [
        (
            "script \"a\" {\n}\n",
            needs("script \"a\"", "(script): missing or invalid job"),
        ),
        (
            "script \"a\" {\n  job {\n  }\n}\n",
            needs("job", "(script): missing command or commands"),
        ),
        (
            "script \"a\" {\n  job {\n    command = [\"x\"]\n    commands = [[\"x\"]]\n  }\n}\n",
            "invalid-value s/x.tm «commands» error load: (script): conflicting attribute already set"
                .to_owned(),
        ),
        (
            "script {\n  job {\n    command = [\"x\"]\n  }\n}\n",
            needs("script", "(script): must provide at least one label"),
        ),
        (
            "input \"a\" {\n  backend = \"x\"\n  value = 1\n}\n",
            needs("input \"a\"", &required("from_stack_id")),
        ),
        (
            "output \"a\" {\n  backend = \"x\"\n}\n",
            needs("output \"a\"", &required("value")),
        ),
        (
            "output {\n  backend = \"x\"\n  value = 1\n}\n",
            needs("output", "expected a single label but 0 given"),
        ),
        (
            "sharing_backend \"a\" {\n  command = [\"x\"]\n  filename = \"x\"\n}\n",
            needs(
                "sharing_backend \"a\"",
                "attribute \"sharing_backend.type\" is required",
            ),
        ),
    ] {
        let files = format!(
            "//- terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n  config {{\n    experiments = [\"scripts\", \"outputs-sharing\"]\n  }}\n}}\n//- s/x.tm\n{text}"
        );
        finds(&files, &[&expected]);
    }
}

#[test]
fn one_of_a_kind() {
    finds(
        "//- s/a.tm\nvendor {\n}\n//- s/b.tm\nvendor {\n}\n",
        &["duplicate-key s/b.tm «vendor» error load: block \"vendor\" can only appear once"],
    );
    finds(
        "//- terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n//- z.tm\nterramate {\n  required_version = \">= 0.2\"\n}\n",
        &[
            "duplicate-key z.tm «required_version» error load: attribute \"required_version\" redeclared in file \"/z.tm\" (first defined in \"/terramate.tm\")",
        ],
    );
    finds(
        "//- s/a.tm\nstack {\n}\n//- s/b.tm\nstack {\n}\n",
        &["terramate/stack-duplicate s/b.tm «stack» error load: duplicated stack blocks across configs"],
    );
}

#[test]
fn what_does_not_belong_into_a_block() {
    for (text, span, words) in [
        (
            "terramate {\n  required_versio = \"1\"\n}\n",
            "required_versio",
            "unsupported attribute \"required_versio\"",
        ),
        (
            "terramate {\n  konfig {\n  }\n}\n",
            "konfig",
            "unrecognized block \"konfig\"",
        ),
        (
            "terramate {\n  config {\n    experiment = []\n  }\n}\n",
            "experiment",
            "unrecognized attribute terramate.config.experiment",
        ),
        (
            "terramate {\n  config {\n    git {\n      branch = \"main\"\n    }\n  }\n}\n",
            "branch",
            "unrecognized attribute terramate.config.git.branch",
        ),
        (
            "terramate {\n  config {\n    run {\n      parallel = 2\n    }\n  }\n}\n",
            "parallel",
            "unrecognized attribute terramate.config.run.env.parallel",
        ),
        (
            "terramate {\n  config {\n    change_detection {\n      git {\n        trackd = true\n      }\n    }\n  }\n}\n",
            "trackd",
            "unrecognized attribute terramate.config.change_detection.git.trackd",
        ),
        (
            "vendor {\n  path = \"/v\"\n}\n",
            "path",
            "unrecognized attribute vendor.path",
        ),
        (
            "assert {\n  assertion = true\n  message = \"\"\n  level = 1\n}\n",
            "level",
            "unrecognized attribute assert.level",
        ),
        (
            "generate_file \"a\" {\n  content = \"\"\n  when = true\n}\n",
            "when",
            "An argument named \"when\" is not expected here",
        ),
        (
            "generate_hcl \"a\" {\n  content {\n  }\n  body {\n  }\n}\n",
            "body",
            "Blocks of type \"body\" are not expected here",
        ),
    ] {
        let found = project(text).findings();
        let expected = format!("unknown-field s/stack.tm «{span}» error load: {words}");
        assert!(found.contains(&expected), "{text}: {found:?}");
    }
}

#[test]
fn what_has_another_type() {
    let text = "terramate {\n  config {\n    git {\n      check_remote = \"off\"\n    }\n  }\n}\n";
    let found = project(text).findings();
    assert!(
        found
            .iter()
            .any(|f| f.starts_with("wrong-type s/stack.tm «\"off\"» error load:")),
        "{found:?}"
    );
}

#[test]
fn terramate_crashes_at_a_null_string() {
    let null = "true ? null : \"\"";
    let root = |path: &str, name: &str| {
        let (open, close) = (path.replace('.', " {\n"), "}\n".repeat(path.split('.').count()));
        format!(
            "//- terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n  {open} {{\n{name} = {null}\n{close}}}\n"
        )
    };
    for (path, name) in [
        ("config.change_detection.terragrunt", "enabled"),
        ("config.change_detection.git", "untracked"),
        ("config.telemetry", "enabled"),
        ("config.git", "default_branch"),
        ("config.generate", "hcl_magic_header_comment_style"),
        ("config.cloud", "location"),
    ] {
        finds(
            &root(path, name),
            &[
                &format!("wrong-type terramate.tm «{null}» error load: panic: value is null").replace(
                    "wrong-type",
                    if matches!(name, "location" | "hcl_magic_header_comment_style") {
                        "invalid-value"
                    } else {
                        "wrong-type"
                    },
                ),
            ],
        );
    }
    // Of another type, Terramate ignores it.
    finds(&root("config.telemetry", "enabled").replace(null, "null"), &[]);
}

#[test]
fn patterns_of_a_file_for_another_context_are_not_read() {
    for context in ["root", "\"stack\"", "nope"] {
        let file = format!(
            "generate_file \"/a\" {{\n  content = \"\"\n  context = {context}\n  stack_filter {{\n    project_paths = []\n  }}\n}}\n"
        );
        let found = project(&file).findings();
        assert!(
            found
                .iter()
                .any(|f| f.ends_with("stack_filter is only supported with context = \"stack\"")),
            "{found:?}"
        );
        assert!(!found.iter().any(|f| f.contains("project_paths")), "{found:?}");
    }
}

#[test]
fn patterns_of_stacks() {
    for (value, words) in [
        (
            "[\"[a-z0-9]\"]",
            "compiling match pattern for project_paths: expected close range character",
        ),
        ("[]", "project_paths must not be empty"),
        ("null", "project_paths must not be empty"),
        ("\"/a\"", "value must be a list(string), got \"string\""),
        (
            "[\"a\", 1]",
            "value must be a set(string) but val[1] = \"number\"",
        ),
        (
            "[global.x]",
            "evaluating project_paths: Variables may not be used here.",
        ),
    ] {
        finds(
            &format!(
                "generate_file \"a\" {{\n  content = \"\"\n  stack_filter {{\n    project_paths = {value}\n  }}\n}}\n"
            ),
            &[&format!("wrong-type s/stack.tm «{value}» error load: {words}")],
        );
    }
    finds(
        "generate_file \"a\" {\n  content = \"\"\n  stack_filter {\n    project_paths = [\"/a/*\", \"{b\"]\n  }\n}\n",
        &[],
    );
}

#[test]
fn what_terramate_overlooks_in_a_block_is_a_warning() {
    let text = "terramate {\n  config {\n    telemetry {\n      enable = false\n    }\n  }\n}\n";
    let found = project(text).findings();
    assert!(
        found
            .iter()
            .any(|f| f == "unknown-field s/stack.tm «enable» warning"),
        "{found:?}"
    );
    // The environment of runs is free, and so are blocks for code generation.
    let free = "terramate {\n  config {\n    run {\n      env {\n        A = global.x\n      }\n    }\n  }\n}\n\
                generate_hcl \"a\" {\n  content {\n    b {\n    }\n  }\n  lets {\n    c = 1\n  }\n}\n";
    let found = project(free).findings();
    assert!(!found.iter().any(|f| f.contains("error")), "{found:?}");
}
