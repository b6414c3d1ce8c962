//! The settings in `terramate` blocks.

use super::*;

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
