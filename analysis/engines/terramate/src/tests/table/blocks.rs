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
fn values_of_a_sharing_backend() {
    let files = |values: &str| {
        format!(
            "//- terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n  config {{\n    experiments = [\"outputs-sharing\"]\n  }}\n}}\n//- s/x.tm\nstack {{\n}}\nsharing_backend \"a\" {{\n  type = terraform\n{values}}}\n"
        )
    };
    for (name, value, rule, words) in [
        (
            "command",
            "[]",
            "invalid-value",
            "\"sharing_backend.command\" must be a non-empty list of strings",
        ),
        (
            "command",
            "[\"x\", 1]",
            "wrong-type",
            "element 1 of attribute sharing_backend.command is not a string but number",
        ),
        (
            "command",
            "\"x\"",
            "wrong-type",
            "\"sharing_backend.command\" must be a list(string) but \"string\" given",
        ),
        (
            "command",
            "null",
            "wrong-type",
            "\"sharing_backend.command\" must be a list(string) but \"dynamic\" given",
        ),
        (
            "command",
            "tm_toset([\"x\"])",
            "wrong-type",
            "\"sharing_backend.command\" must be a list(string) but \"set of string\" given",
        ),
        (
            "command",
            "[nope()]",
            "invalid-value",
            "There is no function named \"nope\"",
        ),
        (
            "command",
            "[\"x\", true ? null : \"\"]",
            "wrong-type",
            "panic: value is null",
        ),
        (
            "filename",
            "true ? null : \"\"",
            "wrong-type",
            "panic: value is null",
        ),
        (
            "filename",
            "1",
            "wrong-type",
            "\"filename\" must be a string but number given",
        ),
        (
            "filename",
            "null",
            "wrong-type",
            "\"filename\" must be a string but dynamic given",
        ),
        (
            "filename",
            "\"\"",
            "invalid-value",
            "empty \"sharing_backend\".filename",
        ),
        (
            "filename",
            "global.x",
            "invalid-value",
            "There is no variable named \"global\"",
        ),
    ] {
        let other = match name {
            "command" => "  filename = tm_upper(\"f\")\n",
            _ => "  command = tm_split(\",\", \"a,b\")\n",
        };
        let expected = format!("{rule} s/x.tm «{value}» error load: {words}");
        finds(&files(&format!("{other}  {name} = {value}\n")), &[&expected]);
    }
    finds(
        &files("  filename = tm_upper(\"f\")\n  command = tm_split(\",\", \"a,b\")\n"),
        &[],
    );
}

#[test]
fn experiments() {
    let off = "(script is an experimental feature, it must be enabled before usage with `terramate.config.experiments = [\"scripts\"]`)";
    let script = "script \"a\" {\n  job {\n    command = [\"x\"]\n  }\n}\n";
    finds(
        script,
        &[&format!(
            "terramate/experiment-off s/stack.tm «script \"a\"» error load: unrecognized block \"script\" {off}"
        )],
    );
    let on = "//- terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n  config {\n    experiments = [\"scripts\"]\n  }\n}\n";
    finds(&format!("{on}//- s/x.tm\n{script}"), &[]);
    finds(
        &format!("{on}//- s/x.tm\n{script}//- s/y.tm\n{script}"),
        &[
            "duplicate-name s/y.tm «script \"a\"» error load: (script): multiple script blocks with same labels in the same directory",
        ],
    );
    let none = on.replace("[\"scripts\"]", "null");
    finds(
        &format!("{none}//- s/x.tm\n{script}"),
        &[&format!(
            "terramate/experiment-off s/x.tm «script \"a\"» error load: unrecognized block \"script\" {off}"
        )],
    );
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
fn a_bool_may_be_null_if_it_has_the_type_of_one() {
    let root = |value: &str| {
        let check = format!("config {{\n    run {{\n      check_gen_code = {value}\n    }}\n  }}");
        format!("//- terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n  {check}\n}}\n")
    };
    finds(&root("true ? null : false"), &[]);
    finds(
        &root("null"),
        &[
            "wrong-type terramate.tm «null» error load: terramate.config.run.check_gen_code is not a bool but \"dynamic\"",
        ],
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
fn labels_in_the_configuration_of_the_project() {
    let root = |block: &str| {
        format!(
            "//- terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n  config {{\n    {block} {{\n    }}\n  }}\n}}\n"
        )
    };
    finds(&root("targets"), &[]);
    for block in ["targets", "telemetry", "cloud"] {
        finds(
            &root(&format!("{block} \"\"")),
            &[&format!(
                "missing-field terramate.tm «{block} \"\"» error load: block type \"{block}\" does not support labels"
            )],
        );
    }
}

#[test]
fn environments_are_evaluated_with_functions() {
    let root = |id: &str| {
        format!(
            "//- terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n}}\nenvironment {{\n  id = {id}\n  name = \"n\"\n}}\n"
        )
    };
    finds(&root("tm_lower(\"DEV\")"), &[]);
    for (id, words) in [
        (
            "tm_nope()",
            "eval expression: evaluating id: There is no function named \"tm_nope\"",
        ),
        (
            "global.x",
            "eval expression: evaluating id: There is no variable named \"global\"",
        ),
        (
            "tm_tobool(null)",
            "config has an invalid schema: id must be string, got bool",
        ),
        ("true ? null : \"\"", "panic: value is null"),
    ] {
        let found = project(&root(id)).findings();
        assert_eq!(
            found,
            [format!("wrong-type terramate.tm «{id}» error load: {words}")]
        );
    }
}

#[test]
fn environments_are_evaluated_with_what_terramate_knows_of_the_project() {
    let run = |id: &str| {
        let found = project(&format!(
            "//- terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n}}\nenvironment {{\n  id = \"/b\"\n  name = \"n\"\n}}\nenvironment {{\n  id = {id}\n  name = \"n\"\n}}\n//- a/s.tm\nstack {{\n}}\n//- b/s.tm\nstack {{\n}}\n//- f.txt\n/b\n"
        ));
        let analysis = found.analysis();
        let (_, project) = analysis.projects().next().unwrap();
        let run = &project.resolution.verdicts[0];
        (run.ok, run.errors.first().map(|e| e.message.clone()))
    };
    let fails = |words: &str| (Some(false), Some(words.to_owned()));
    for id in [
        "terramate.version",
        "terramate.root.path.fs.basename",
        "\"${terramate.stacks.list[0]}\"",
        "tm_join(\"\", terramate.stacks.list)",
        "tm_file(\"f.txt\")",
    ] {
        assert_eq!(run(id), (Some(true), None), "{id}");
    }
    let again = fails("environment '/b' already defined");
    for id in ["terramate.stacks.list[1]", "tm_trimspace(tm_file(\"f.txt\"))"] {
        assert_eq!(run(id), again, "{id}");
    }
    assert_eq!(
        run("terramate.stacks.list"),
        fails("config has an invalid schema: id must be string, got list of string")
    );
    assert_eq!(
        run("terramate.stack.name"),
        fails("eval expression: evaluating id: This object does not have an attribute named \"stack\".")
    );
    assert_eq!(run("tm_timestamp()").0, None);
}

#[test]
fn environments_may_be_imported() {
    let block = |id: &str| format!("environment {{\n  id = \"{id}\"\n  name = \"n\"\n}}\n");
    let files = |id: &str| {
        format!(
            "//- terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n}}\nimport {{\n  source = \"/i/e.txt\"\n}}\n{}//- i/e.txt\n{}",
            block("a"),
            block(id)
        )
    };
    finds(&files("b"), &[]);
    let twice = project(&files("a")).findings();
    assert_eq!(twice.len(), 1, "{twice:?}");
    assert!(twice[0].starts_with("duplicate-name terramate.tm"), "{twice:?}");
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

#[test]
fn equal_blocks_of_bundles_and_components_are_one() {
    finds(
        "//- c/a.tm\ncomponent \"c\" {\n  source = \"/x\"\n}\n//- c/b.tm\ncomponent \"c\" {\n  inputs {\n    a = 1\n  }\n}\ndefine bundle metadata {\n  class = \"a\"\n  name = \"b\"\n}\ndefine bundle metadata {\n  version = \"1\"\n}\n",
        &[],
    );
    finds(
        "//- c/a.tm\ncomponent \"c\" {\n  source = \"/x\"\n  inputs {\n    a = 1\n  }\n}\n//- c/b.tm\ncomponent \"c\" {\n  inputs {\n    a = 2\n  }\n}\n",
        &[
            "duplicate-key c/b.tm «a» error load: attribute \"a\" redeclared in file \"/c/b.tm\" (first defined in \"/c/a.tm\")",
        ],
    );
    finds(
        "//- c/a.tm\ngenerate_hcl \"x\" {\n  content {\n  }\n  lets {\n    a = 1\n  }\n  lets {\n    a = 2\n  }\n}\n",
        &[
            "invalid-value c/a.tm «a» error load: attribute \"a\" redeclared in file \"/c/a.tm\" (first defined in \"/c/a.tm\")",
        ],
    );
    // So are blocks in them.
    let map = |rest: &str| {
        format!(
            "globals \"g\" {{\n  map \"m\" {{\n    for_each = []\n    key = \"k\"\n    {rest}\n  }}\n}}\n"
        )
    };
    let said = |name: &str| {
        format!(
            "duplicate-key c/b.tm «{name}» error load: attribute \"{name}\" redeclared in file \"/c/b.tm\" (first defined in \"/c/a.tm\")"
        )
    };
    let tree = format!("//- c/a.tm\n{}//- c/b.tm\n{}", map("value = 1"), map("value = 2"));
    let all = ["for_each", "key", "value"].map(said);
    finds(&tree, &all.each_ref().map(String::as_str));
    // What all of them lack is reported once.
    finds(
        "//- c/a.tm\ncomponent \"c\" {\n}\ncomponent \"c\" {\n}\n",
        &[
            "missing-field c/a.tm «component \"c\"» error load: \"component\" block requires a \"source\" attribute",
        ],
    );
}

#[test]
fn of_a_block_that_cannot_be_merged_nothing_else_is_said() {
    let said = |files: &str| {
        let analysis = project(files).analysis();
        let (_, project) = analysis.projects().next().unwrap();
        let errors = project.resolution.verdicts[0].errors.iter();
        errors.map(|e| e.rule).collect::<Vec<_>>()
    };
    let inputs = "  inputs {\n    a = 1\n  }\n";
    assert_eq!(
        said(&format!("//- c/a.tm\ncomponent \"c\" {{\n{inputs}{inputs}}}\n")),
        ["duplicate-key"]
    );
    assert_eq!(
        said(&format!("//- c/a.tm\ncomponent \"c\" {{\n{inputs}}}\n")),
        ["missing-field"]
    );
}

#[test]
fn settings_of_a_wrong_type_are_named_as_terramate_names_them() {
    for (block, attribute, words) in [
        (
            "run",
            "check_gen_code = 1",
            "run.check_gen_code is not a bool but \"number\"",
        ),
        (
            "git",
            "default_branch = []",
            "git.branch is not a string but \"tuple\"",
        ),
        (
            "git",
            "check_remote = \"x\"",
            "git.check_remote is not a boolean but \"string\"",
        ),
        (
            "cloud",
            "targets {\n enabled = []\n}",
            "cloud.targets.enabled is not a boolean but \"tuple\"",
        ),
        (
            "cloud",
            "location = \"x\"",
            "cloud.location is not a valid region",
        ),
        (
            "generate",
            "hcl_magic_header_comment_style = \"x\"",
            "generate.hcl_magic_header_comment_style must be either `//` or `#` but \"x\" was given",
        ),
    ] {
        let found = project(&format!(
            "//- terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n  config {{\n    {block} {{\n      {attribute}\n    }}\n  }}\n}}\n"
        ))
        .findings();
        assert!(
            found[0].ends_with(&format!("load: terramate.config.{words}")),
            "{found:?}"
        );
    }
}

#[test]
fn settings_without_a_value_are_named_as_terramate_names_them() {
    for (line, words) in [
        (
            "config {\n    disable_safeguards = 1\n  }",
            "field \"disable_safeguards\" must be a set(string) but found a \"number\"",
        ),
        (
            "config {\n    disable_safeguards = [\"x\"]\n  }",
            "invalid keyword \"x\"",
        ),
        (
            "config {\n    disable_safeguards = global.x\n  }",
            "evaluating terramate.config.disable_safeguards attribute: Variables may not be used here.",
        ),
        (
            "config {\n    git {\n      default_branch = tm_upper(\"x\")\n    }\n  }",
            "failed to evaluate terramate.config.default_branch attribute: Functions may not be called here.",
        ),
        (
            "config {\n    cloud {\n      location = global.x\n    }\n  }",
            "failed to evaluate terramate.config.cloud.location attribute: Variables may not be used here.",
        ),
        (
            "required_version_allow_prereleases = 1",
            "attribute is not a bool",
        ),
    ] {
        let found = project(&format!(
            "//- terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n  {line}\n}}\n"
        ))
        .findings();
        assert!(found[0].ends_with(&format!("load: {words}")), "{found:?}");
    }
}

#[test]
fn what_is_set_twice_in_blocks_inside_is_shown_at_the_second() {
    let git = |branch: &str| format!("    git {{\n      default_branch = {branch}\n    }}\n");
    let found = project(&format!(
        "//- terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n  config {{\n{}{}  }}\n}}\n//- a/x.tm\ncomponent \"c\" {{\n  source = \"x\"\n  inputs {{\n    a = 1\n  }}\n  inputs {{\n    a = 2\n  }}\n}}\n",
        git("\"one\""),
        git("\"two\"")
    ));
    let analysis = found.analysis();
    let files = analysis.files_with_findings().into_iter();
    let mut lines: Vec<usize> = files
        .flat_map(|file| analysis.findings_of(file))
        .filter_map(|f| {
            let file = f.diagnostic.place.file;
            let text = &analysis.source(file)?.text;
            let before = &text[..analysis.span(f.diagnostic.place).start as usize];
            (f.diagnostic.rule.id == "duplicate-key").then(|| before.lines().count())
        })
        .collect();
    lines.sort_unstable();
    assert_eq!(lines, [7, 8]);
}
