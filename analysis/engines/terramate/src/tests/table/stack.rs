//! The `stack` block.

use super::*;

#[test]
fn attributes_and_blocks_that_there_are_not() {
    attribute(
        "depends_on = []",
        &["unknown-field s/stack.tm «depends_on» error load: unrecognized attribute stack.\"depends_on\""],
    );
    // Values come first.
    attribute(
        "depends_on = [global.x]",
        &[
            "unknown-field s/stack.tm «depends_on» error load: failed to evaluate \"depends_on\" attribute: eval expression: There is no variable named \"global\"",
        ],
    );
    finds(
        "stack {\n  config {\n  }\n}\n",
        &["terramate/stack-nested-block s/stack.tm «config» error load: unrecognized block \"config\""],
    );
}

#[test]
fn variables_and_functions() {
    let failed = "failed to evaluate \"after\" attribute: eval expression:";
    attribute(
        "after = [global.x]",
        &[&format!(
            "terramate/stack-variable s/stack.tm «global.x» error load: {failed} There is no variable named \"global\""
        )],
    );
    for name in ["concat", "tm_sensitive", "tm_nonsensitive", "tm_ephemeralasnull"] {
        let function = project(&format!("stack {{\n  after = {name}([])\n}}\n")).findings();
        assert_eq!(function.len(), 1);
        let start = format!("terramate/stack-function s/stack.tm «{name}» error load: ");
        assert!(function[0].starts_with(&start), "{function:?}");
    }
    attribute("after = tm_try(global.x, [])", &[]);
    attribute("after = [for x in [] : x]", &[]);
}

#[test]
fn versions_are_matched() {
    for call in [
        "\"0.17.2\", \"~> 0.17\"",
        "\"0.17.2-rc1\", \">= 0.17.0\", { allow_prereleases = true }",
    ] {
        attribute(
            &format!("tags = tm_version_match({call}) ? [\"a\"] : [\"B\"]"),
            &[],
        );
    }
    for call in ["\"0.17.2-rc1\", \">= 0.17.0\"", "\"0.16.0\", \"~> 0.17\""] {
        attribute(
            &format!("tags = tm_version_match({call}) ? [\"B\"] : [\"a\"]"),
            &[],
        );
    }
    // The branch that is not taken may fail, and then has no type.
    attribute("after = true ? [] : tm_version_match(\"x\", \"\")", &[]);
    attribute(
        "after = tm_try(true ? [] : tm_version_match(\"x\", \"\"), 1)",
        &[],
    );
    for call in ["\"x\", \"> 1\"", "\"1.0.0\", \"> x\"", "\"1.0.0\", \"1.0.0\", {}"] {
        let found = project(&format!("stack {{\n  after = [tm_version_match({call})]\n}}\n")).findings();
        assert!(
            found.len() == 1 && found[0].starts_with("terramate/stack-function "),
            "{found:?}"
        );
    }
}

#[test]
fn scalars_are_strings() {
    for (name, value, found) in [
        ("name", "1", "number"),
        ("name", "true", "bool"),
        ("name", "[]", "tuple"),
        ("name", "null", "dynamic"),
    ] {
        attribute(
            &format!("{name} = {value}"),
            &[&format!(
                "wrong-type s/stack.tm «{value}» error load: field stack.{name} must be a string but given \"{found}\""
            )],
        );
    }
    attribute(
        "description = 1",
        &[
            "wrong-type s/stack.tm «1» error load: field stack.\"description\" must be a \"string\" but given \"number\"",
        ],
    );
    for name in ["id", "from_bundle_file", "from_bundle_label"] {
        attribute(
            &format!("{name} = 1"),
            &[&format!(
                "wrong-type s/stack.tm «1» error load: field stack.{name} must be a string but is \"number\""
            )],
        );
    }
}

#[test]
fn lists_are_lists_of_strings() {
    for name in ["after", "before", "wants", "wanted_by", "tags", "watch"] {
        for (value, found) in [
            ("\"x\"", "string"),
            ("{}", "object"),
            ("1", "number"),
            ("tm_toset([\"x\"])", "set of string"),
        ] {
            attribute(
                &format!("{name} = {value}"),
                &[&format!(
                    "wrong-type s/stack.tm «{value}» error load: field \"{name}\" must be a set(string) but found a \"{found}\""
                )],
            );
        }
        for (value, found) in [("1", "number"), ("null", "dynamic"), ("[]", "tuple")] {
            attribute(
                &format!("{name} = [{value}]"),
                &[&format!(
                    "wrong-type s/stack.tm «{value}» error load: field \"{name}\" must be a set(string) but element 0 has type \"{found}\""
                )],
            );
        }
        attribute(&format!("{name} = null"), &[]);
    }
    attribute(
        "tags = [\"x\", \"x\"]",
        &[
            "duplicate-dependency s/stack.tm «\"x\"» error load: duplicated entry \"x\" in the index 1 of field \"tags\" of type set(string)",
        ],
    );
}

#[test]
fn terramate_crashes_at_a_null_string() {
    let null = "true ? null : \"\"";
    for name in ["id", "name", "description", "from_bundle_file"] {
        attribute(
            &format!("{name} = {null}"),
            &[&format!(
                "wrong-type s/stack.tm «{null}» error load: panic: value is null"
            )],
        );
    }
    for name in ["after", "before", "wants", "wanted_by", "tags", "watch"] {
        let found = project(&format!("stack {{\n  {name} = [{null}]\n}}\n")).findings();
        assert!(
            found.len() == 1 && found[0].ends_with("error load: panic: value is null"),
            "{found:?}"
        );
        attribute(&format!("{name} = true ? null : [\"\"]"), &[]);
    }
}

#[test]
fn all_errors_of_a_block_are_reported() {
    finds(
        "stack {\n  name  = 1\n  after = 2\n  x     = 3\n}\n",
        &[
            "wrong-type s/stack.tm «1» error load: field stack.name must be a string but given \"number\"",
            "wrong-type s/stack.tm «2» error load: field \"after\" must be a set(string) but found a \"number\"",
            "unknown-field s/stack.tm «x» error load: unrecognized attribute stack.\"x\"",
        ],
    );
}
