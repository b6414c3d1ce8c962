//! Where Spacelift's provider comes from.

use applyorder_core::engine::RunOptions;

use super::{found, module, stacks};

const REQUIRED: &str = "terraform {\n  required_providers {\n    spacelift = {\n      source = \"spacelift-io/spacelift\"\n    }\n  }\n}\n";

/// What is said of `provider`, and what `validate` says.
fn said(text: &str) -> (Vec<String>, Option<bool>) {
    let fixture = module(text, RunOptions::default());
    let all = found(&fixture, &applyorder_core::rules::invalid_value::RULE);
    let all = all.into_iter().map(|d| d.message).collect();
    let (_, project) = fixture.analysis.projects().next().unwrap();
    let mut verdicts = project.resolution.verdicts.iter();
    (all, verdicts.find(|v| v.command == "validate").unwrap().ok)
}

#[test]
fn a_called_module_says_itself_where_the_provider_comes_from() {
    let text = |root: &str, call: &str, child: &str| {
        format!(
            "{root}{}module \"m\" {{\n  source = \"./m\"\n{call}}}\n//- /w/m/main.tf\n{child}{}",
            stacks(&["a"]),
            stacks(&["b", "c"])
        )
    };
    let message = "`provider` of `module.m.spacelift_stack.b`: the module does not say where it comes from: Terraform looks \
                   for `hashicorp/spacelift`, which its registry does not have";
    assert_eq!(said(&text(REQUIRED, "", "")), (vec![message.to_owned()], None));
    assert_eq!(said(&text(REQUIRED, "", REQUIRED)), (vec![], Some(true)));
    // Where no module says it, or it is installed, it comes from somewhere.
    assert_eq!(said(&text("", "", "")), (vec![], Some(true)));
    let lock = "//- /w/.terraform.lock.hcl\nprovider \"registry.terraform.io/hashicorp/spacelift\" {\n  version = \"1.0.0\"\n}\n";
    let locked = format!("{}{lock}", text(REQUIRED, "", ""));
    assert_eq!(said(&locked), (vec![], Some(true)));
    // What is passed is reported where it is passed.
    let passed = text(REQUIRED, "  providers = {\n    spacelift = spacelift\n  }\n", "");
    assert_eq!(said(&passed), (vec![], Some(false)));
}
