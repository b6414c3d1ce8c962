//! The values of data sources, which are known only when Terraform runs.

use applyorder_core::engine::RunOptions;

use super::{module, stacks};

const DATA: &str = "data \"spacelift_stacks\" \"all\" {\n}\ndata \"spacelift_stack\" \"s\" {\n  stack_id = \"s\"\n}\ndata \
                    \"terraform_remote_state\" \"net\" {\n  backend = \"local\"\n}\ndata \"aws_subnets\" \"all\" {\n}\n";

/// The result of `terraform plan` with an output of this value.
fn plan(value: &str) -> Option<bool> {
    let locals = "locals {\n  by_name = { a = 1 }\n}\n";
    plan_of(&format!("{locals}output \"o\" {{\n  value = {value}\n}}\n"))
}

fn plan_of(more: &str) -> Option<bool> {
    let text = format!("{}{DATA}{more}", stacks(&["zz"]));
    let fixture = module(&text, RunOptions::default());
    let (_, project) = fixture.analysis.projects().next().expect("a project");
    let mut verdicts = project.resolution.verdicts.iter();
    verdicts.find(|v| v.command == "plan").expect("a verdict").ok
}

#[test]
fn a_plan_goes_on_with_a_value_that_cannot_fail() {
    for value in [
        "data.spacelift_stack.s.name",
        "data.spacelift_stack.s.id",
        "\"x-${data.spacelift_stack.s.name}\"",
        "data.aws_subnets.all.ids",
        "length(data.aws_subnets.all.ids)",
        "toset(data.aws_subnets.all.ids)",
        "[for id in data.aws_subnets.all.ids : upper(id)]",
        "data.spacelift_stacks.all.stacks[*].stack_id",
        "try(data.terraform_remote_state.net.outputs.id, \"none\")",
        "can(data.terraform_remote_state.net.outputs.id)",
        "lookup(data.terraform_remote_state.net.outputs, \"id\", \"none\")",
        "data.spacelift_stack.s.name == \"x\" ? 1 : 2",
        "one([data.spacelift_stack.s.name])",
        "\"${data.spacelift_stack.s.autodeploy}\"",
        // Terraform converts a part of a text once it is known.
        "\"x-${terraform_data.d.output}\"",
        // A plan does not look into values that are known only after apply.
        "terraform_data.d.output[0]",
    ] {
        let own = "resource \"terraform_data\" \"d\" {\n  input = [1]\n}\n";
        let value = format!("{value}\n}}\n{own}locals {{");
        assert_eq!(plan(&value), Some(true), "{value}");
    }
}

#[test]
fn whether_a_plan_fails_by_what_is_looked_up_is_unknown() {
    for value in [
        "data.spacelift_stacks.all.stacks[0].stack_id",
        "data.aws_subnets.all.ids[0]",
        "one(data.spacelift_stacks.all.stacks[*].stack_id)",
        "element(data.aws_subnets.all.ids, 0)",
        "data.terraform_remote_state.net.outputs.id",
        "data.terraform_remote_state.net.outputs[\"id\"]",
        "lookup(data.terraform_remote_state.net.outputs, \"id\")",
        "jsondecode(data.spacelift_stack.s.description)",
        "local.by_name[data.spacelift_stack.s.name]",
        "data.spacelift_stack.s.name + 1",
        "-data.spacelift_stack.s.name",
        "ceil(data.spacelift_stack.s.name)",
        "data.spacelift_stack.s.name ? 1 : 2",
        "replace(\"a\", data.spacelift_stacks.all.stacks[*].stack_id...)",
        "local.by_name[\"x-${data.spacelift_stack.s.name}\"]",
        "try(data.aws_subnets.all.ids[0], data.aws_subnets.all.ids[1])",
        "data.spacelift_stack.s.name == \"x\" ? local.by_name.b : 2",
        "data.spacelift_stack.s.name == \"x\" ? data.aws_subnets.all.ids[0] : \"\"",
        "{ for id in data.aws_subnets.all.ids : lower(id) => id }",
    ] {
        assert_eq!(plan(value), None, "{value}");
    }
}

#[test]
fn instances_that_rest_on_what_is_looked_up_leave_a_plan_open() {
    let other = |by: &str| plan_of(&format!("resource \"terraform_data\" \"d\" {{\n  {by}\n}}\n"));
    assert_eq!(other("count = length(data.aws_subnets.all.ids)"), None);
    assert_eq!(other("for_each = toset(data.aws_subnets.all.ids)"), None);
    assert_eq!(other("count = 2"), Some(true));
    let keyed = "resource \"terraform_data\" \"d\" {\n  for_each = toset([\"a\"])\n}\nresource \"spacelift_stack\" \"e\" {\n  \
                 for_each = toset([\"a\"])\n  name = \"e\"\n  repository = \"r\"\n  branch = \"b\"\n}\noutput \"o\" {\n  value = ";
    for (value, expected) in [
        ("spacelift_stack.e[data.spacelift_stack.s.name].id", None),
        ("terraform_data.d[data.spacelift_stack.s.name].id", None),
        ("spacelift_stack.e[spacelift_stack.zz.id].id", Some(true)),
        ("spacelift_stack.e[\"a\"].id", Some(true)),
    ] {
        assert_eq!(plan_of(&format!("{keyed}{value}\n}}\n")), expected, "{value}");
    }
}

/// What `terraform plan` 1.11 says: a plan knows what attributes a resource has.
#[test]
fn a_whole_resource_is_an_object_when_planning() {
    let own = "resource \"terraform_data\" \"d\" {\n  input = [1]\n}\nresource \"terraform_data\" \"c\" {\n  \
               count = 1\n}\n";
    let plan = |value: &str| plan(&format!("{value}\n}}\n{own}locals {{"));
    for value in [
        "(terraform_data.d).lost",
        "(terraform_data.c)[0].lost",
        "(terraform_data.d)[0]",
        "upper(terraform_data.d)",
        "tolist(spacelift_stack.zz)",
        "distinct(spacelift_stack.zz)",
        "sum(spacelift_stack.zz)",
    ] {
        assert_eq!(plan(value), Some(false), "{value}");
    }
    for value in [
        "(terraform_data.d)[\"input\"]",
        "terraform_data.d.id",
        "keys(spacelift_stack.zz)",
        "[for c in terraform_data.c : c.id]",
    ] {
        assert_eq!(plan(value), Some(true), "{value}");
    }
}
