//! Nested blocks: what `terraform validate` rejects in them, and what only their values show.
//!
//! What is expected is what Terraform 1.11 says with a provider of the same schema.

use applyorder_core::engine::RunOptions;

use super::module;

/// In which words a module is rejected, and whether already by `validate`.
fn rejected(text: &str) -> Vec<(String, bool)> {
    let fixture = module(text, RunOptions::default());
    let mut found = Vec::new();
    for finding in fixture.analysis.findings() {
        let d = &finding.diagnostic;
        let by_validate = d.enforced.iter().any(|e| e.command == "validate");
        found.extend(d.engine_message.clone().map(|words| (words, by_validate)));
    }
    found.sort();
    found
}

/// Stacks with blocks.
fn stack(for_each: &str, blocks: &str) -> String {
    format!(
        "resource \"spacelift_stack\" \"a\" {{\n  for_each   = {for_each}\n  name       = \"a\"\n  repository = \
         \"r\"\n  branch     = \"main\"\n{blocks}\n}}\n"
    )
}

fn dynamic(content: &str) -> String {
    format!(
        "  dynamic \"ansible\" {{\n    for_each = each.value\n    content {{\n      playbook = {content}\n    }}\n  }}"
    )
}

#[test]
fn what_values_show_is_rejected_by_plan() {
    let playbook = "  ansible {\n    playbook = each.value\n  }";
    let both = format!("{}\n  kubernetes {{\n  }}", dynamic("\"x\""));
    for (values, blocks, words) in [
        ("\"x\"", playbook.to_owned(), &[][..]),
        ("null", playbook.to_owned(), &["Missing required argument"]),
        (
            "{ a = \"x\" }",
            playbook.to_owned(),
            &["Incorrect attribute value type"],
        ),
        ("\"\"", playbook.to_owned(), &["must not be an empty string"]),
        ("[\"x\"]", dynamic("ansible.value"), &[]),
        (
            "[\"x\", \"y\"]",
            dynamic("ansible.value"),
            &["Too many ansible blocks"],
        ),
        (
            "[\"\"]",
            dynamic("ansible.value"),
            &["must not be an empty string"],
        ),
        ("[{ x = \"p\" }]", dynamic("ansible.value.x"), &[]),
        ("[\"x\"]", both.clone(), &["Conflicting configuration arguments"]),
        ("[]", both, &[]),
    ] {
        let found = rejected(&stack(&format!("{{ k = {values} }}"), &blocks));
        let expected: Vec<(String, bool)> = words.iter().map(|w| ((*w).to_owned(), false)).collect();
        assert_eq!(found, expected, "{values}\n{blocks}");
    }
}

#[test]
fn what_is_undeclared_is_rejected_by_validate_whether_or_not_there_are_instances() {
    let undeclared = "  ansible {\n    playbook = local.nope\n  }";
    for for_each in ["{ k = 1 }", "{}"] {
        let text = stack(for_each, undeclared);
        let words = "Reference to undeclared local value".to_owned();
        assert_eq!(rejected(&text), [(words, true)], "{text}");
    }
}

#[test]
fn json_has_the_same_blocks() {
    let text = |more: &str| {
        format!(
            "locals {{\n}}\n//- /w/a.tf.json\n{{\"resource\": {{\"spacelift_stack\": {{\"a\": {{\"name\": \"a\", \
             \"repository\": \"r\", \"branch\": \"main\", \"//\": \"a note\", {more}}}}}}}}}\n"
        )
    };
    for (more, words) in [
        (r#""lifecycle": {"ignore_changes": ["branch"]}"#, &[][..]),
        (r#""provisioner": [{"local-exec": {"command": "true"}}]"#, &[]),
        (
            r#""dynamic": {"ansible": {"for_each": ["x"], "content": {"playbook": "${ansible.value}"}}}"#,
            &[],
        ),
        (r#""ansible": null"#, &[]),
        (
            r#""ansible": [{"playbook": "${local.nope}"}]"#,
            &["Reference to undeclared local value"],
        ),
        (
            r#""ansible": {"playbook": "x", "nope": 1}"#,
            &["Unsupported argument"],
        ),
        (
            r#""ansible": [{"playbook": "x"}, {"playbook": "y"}]"#,
            &["Too many ansible blocks"],
        ),
    ] {
        let found = rejected(&text(more));
        let expected: Vec<(String, bool)> = words.iter().map(|w| ((*w).to_owned(), true)).collect();
        assert_eq!(found, expected, "{more}");
    }
}
