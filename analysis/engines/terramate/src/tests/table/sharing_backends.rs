//! `sharing_backend` blocks.

use super::*;

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
