//! Verdicts of Terraform 1.11.4 on JSON, compared with ours.

use applyorder_analysis::fixture::Fixture;
use applyorder_core::engine::RunOptions;

use super::{dependency, module, picture, stacks};

fn validated(json: &str) -> Option<bool> {
    let text = format!("{}//- /w/x.tf.json\n{json}\n", stacks(&["a"]));
    let fixture = module(&text, RunOptions::default());
    let (_, project) = fixture.analysis.projects().next().expect("a project");
    let mut verdicts = project.resolution.verdicts.iter();
    verdicts.find(|v| v.command == "validate").expect("a verdict").ok
}

#[test]
fn a_file_that_is_not_valid_is_still_a_project() {
    let stack = r#"{"resource":{"spacelift_stack":{"a":{"name":"a","repository":"r" "branch":"m"}}}}"#;
    let other = r#"{"resource":{"other_thing":{"a":{"name":"a" "b":"c"}}}}"#;
    for (text, invalid) in [(stack, 1), (other, 0)] {
        let text = format!("//- /w/a/main.tf\n{}//- /w/b/x.tf.json\n{text}\n", stacks(&["a"]));
        let fixture = Fixture::with_options(crate::ALONE, &text, RunOptions::default());
        assert_eq!(fixture.analysis.projects().count(), 1 + invalid, "{text}");
        let found = fixture.analysis.findings();
        let found: Vec<_> = found.iter().map(|f| f.diagnostic.rule.id).collect();
        assert_eq!(found, vec!["syntax-error"; invalid], "{text}");
    }
}

#[test]
fn a_block_that_needs_a_name_has_one() {
    let rejected = [
        r#"{"resource":{}}"#,
        r#"{"resource":null}"#,
        r#"{"resource":[]}"#,
        r#"{"resource":[{}]}"#,
        r#"{"resource":[null,{"terraform_data":{"b":{}}}]}"#,
        r#"{"resource":{"terraform_data":{}}}"#,
        r#"{"resource":{"terraform_data":null}}"#,
        r#"{"resource":{"terraform_data":[{}]}}"#,
        r#"{"data":{"terraform_remote_state":{}}}"#,
        r#"{"variable":{}}"#,
        r#"{"variable":null}"#,
        r#"{"output":{}}"#,
        r#"{"module":{}}"#,
        r#"{"provider":{}}"#,
        r#"{"check":{}}"#,
        r#"{"terraform":{"backend":{}}}"#,
        r#"{"resource":{"terraform_data":{"b":{"provisioner":{}}}}}"#,
        r#"{"resource":{"spacelift_stack":{"b":{"name":"b","repository":"r","branch":"m","dynamic":{}}}}}"#,
    ];
    for text in rejected {
        assert_eq!(validated(text), Some(false), "{text}");
    }
    let taken = [
        r#"{"resource":{"terraform_data":{"b":null}}}"#,
        r#"{"resource":{"terraform_data":{"b":[]}}}"#,
        r#"{"resource":{"terraform_data":{"b":{"lifecycle":null}}}}"#,
        r#"{"resource":{"terraform_data":{"b":{"lifecycle":[]}}}}"#,
        r#"{"resource":{"spacelift_stack":{"b":{"name":"b","repository":"r","branch":"m","ansible":null}}}}"#,
        r#"{"locals":{}}"#,
        r#"{"locals":null}"#,
        r#"{"terraform":null}"#,
        r#"{"terraform":{"required_providers":{}}}"#,
        r#"{"moved":[]}"#,
    ];
    for text in taken {
        assert_eq!(validated(text), Some(true), "{text}");
    }
}

/// The stack that `a` depends on, by what Terraform makes of files that override others.
#[test]
fn what_overrides_in_json_counts_in_the_order_of_names() {
    let up = |name: &str| {
        format!(
            r#"{{"resource":{{"spacelift_stack_dependency":{{"d":{{"depends_on_stack_id":"${{spacelift_stack.{name}.id}}"}}}}}}}}"#
        )
    };
    let native = |name: &str| {
        format!(
            "resource \"spacelift_stack_dependency\" \"d\" {{\n  depends_on_stack_id = spacelift_stack.{name}.id\n}}"
        )
    };
    let base = stacks(&["a", "b", "c"]) + &dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id");
    let cases = [
        (vec![("override.tf.json", up("c"))], "c"),
        (
            vec![("a_override.tf", native("c")), ("b_override.tf.json", up("b"))],
            "b",
        ),
        (
            vec![("b_override.tf", native("c")), ("a_override.tf.json", up("b"))],
            "c",
        ),
        (
            vec![("z_override.tf", native("c")), ("z_override.tf.json", up("b"))],
            "b",
        ),
        (
            vec![("override.tf", native("c")), ("a_override.tf.json", up("b"))],
            "c",
        ),
        (
            vec![("override.tf.json", up("c")), ("Z_override.tf.json", up("b"))],
            "c",
        ),
        (
            vec![(
                "override.tf.json",
                up("c").replace(r#"{"d":"#, r#"[{"d":"#).replace("}}}}", "}}]}}"),
            )],
            "c",
        ),
        // The second object of a list too, and null gives it no value.
        (
            vec![(
                "override.tf.json",
                up("c")
                    .replace(r#"{"d":{"#, r#"{"d":[{"depends_on_stack_id":null},{"#)
                    .replace("}}}}", "}]}}}"),
            )],
            "c",
        ),
    ];
    for (files, upstream) in cases {
        let over: String = files
            .iter()
            .map(|(name, text)| format!("//- /w/{name}\n{text}\n"))
            .collect();
        let fixture = module(&format!("{base}{over}"), RunOptions::default());
        let wanted = format!("spacelift_stack.a -> spacelift_stack.{upstream}");
        assert_eq!(picture(&fixture), [wanted], "{over}");
    }
}
