//! Verdicts of Terraform 1.11.4 and OpenTofu 1.10.7 on files that override others, compared with ours.

use applyorder_core::engine::RunOptions;

use super::{module, picture, stacks};
use crate::config::FLAVOR;

/// What `validate` says of a module and a file that overrides it.
fn validated(base: &str, over: &str, program: &str) -> Option<bool> {
    let own = stacks(&["zz"]);
    let text = format!("{own}{base}//- /w/z_override.tf\n{over}\n");
    let fixture = module(&text, RunOptions::default().with(&FLAVOR, [program]));
    let (_, project) = fixture.analysis.projects().next().expect("a project");
    let mut verdicts = project.resolution.verdicts.iter();
    verdicts.find(|v| v.command == "validate").expect("a verdict").ok
}

fn both(base: &str, over: &str, wanted: bool) {
    for program in ["terraform", "tofu"] {
        let ok = validated(base, over, program);
        assert_eq!(ok, Some(wanted), "{program}\n{base}---\n{over}");
    }
}

#[test]
fn what_is_overridden_is_no_second_one() {
    let state = |inside: &str| format!("terraform {{\n{inside}}}\n");
    let (local, cloud) = ("  backend \"local\" {\n  }\n", "  cloud {\n  }\n");
    both(&state(local), &state(local), true);
    both(&state(local), &state(&format!("{local}{cloud}")), true);
    both(&state(local), &state(&local.repeat(2)), false);
    let plain = "provider \"spacelift\" {\n}\n";
    let named = "provider \"spacelift\" {\n  alias = \"k\"\n}\n";
    both(plain, plain, true);
    both("", &plain.repeat(2), true);
    both(named, &named.repeat(2), true);
    both("", named, false);
    let version = |wanted: &str| state(&format!("  required_version = \"{wanted}\"\n"));
    both(&version("~> 9.0"), &version(">= 1.0"), true);
    assert_eq!(validated(&version(">= 1.0"), &version("~> 9.0"), "tofu"), None);
}

#[test]
fn some_blocks_override_nothing() {
    let base = "variable \"v\" {\n  default = 1\n}\noutput \"o\" {\n  value = 1\n}\n";
    let condition = "    condition     = var.v > 0\n    error_message = \"no\"\n";
    for over in [
        "moved {\n  from = spacelift_stack.x\n  to   = spacelift_stack.zz\n}".to_owned(),
        "import {\n  to = spacelift_stack.zz\n  id = \"x\"\n}".to_owned(),
        format!("check \"c\" {{\n  assert {{\n{condition}  }}\n}}"),
        format!("variable \"v\" {{\n  validation {{\n{condition}  }}\n}}"),
        format!("output \"o\" {{\n  precondition {{\n{condition}  }}\n}}"),
        format!(
            "resource \"spacelift_stack\" \"zz\" {{\n  lifecycle {{\n    precondition {{\n{condition}    }}\n  }}\n}}"
        ),
    ] {
        both(base, &over, false);
    }
    let removed = "removed {\n  from = spacelift_stack.zz\n  lifecycle {\n    destroy = false\n  }\n}";
    assert_eq!(validated(base, removed, "terraform"), Some(true));
    assert_eq!(validated(base, removed, "tofu"), Some(false));
    let ephemeral = "ephemeral \"spacelift_stack\" \"e\" {\n  a = var.nope\n}";
    assert_eq!(validated(base, ephemeral, "terraform"), Some(true));
}

#[test]
fn the_source_of_a_call_is_overridden() {
    let call = |source: &str| format!("module \"m\" {{\n{source}}}\n");
    let output = "output \"o\" {\n  value = module.m.n\n}\n";
    let base = format!("{}{output}", call("  source = \"./m\"\n"));
    let child = "//- /w/n/main.tf\noutput \"n\" {\n  value = 1\n}\n//- /w/m/main.tf\n";
    let over = |source: &str| format!("{}{child}", call(&format!("  source = \"{source}\"\n")));
    both(&base, &over("./n"), true);
    both(&base, &over("./gone"), false);
    both(&format!("{}{output}", call("")), &over("./n"), false);
}

#[test]
fn a_stack_comes_from_where_the_override_says() {
    let text = format!(
        "{}resource \"spacelift_stack_dependency\" \"d\" {{\n  stack_id            = spacelift_stack.a.id\n  \
         depends_on_stack_id = module.m.id\n}}\nmodule \"m\" {{\n  source = \"./m\"\n}}\n//- /w/z_override.tf\nmodule \"m\" \
         {{\n  source = \"./n\"\n}}\n//- /w/m/main.tf\noutput \"id\" {{\n  value = \"from-m\"\n}}\n//- /w/n/main.tf\n{}output \
         \"id\" {{\n  value = spacelift_stack.in.id\n}}\n",
        stacks(&["a"]),
        stacks(&["in"])
    );
    let fixture = module(&text, RunOptions::default());
    assert_eq!(
        picture(&fixture),
        ["spacelift_stack.a -> module.m.spacelift_stack.in"]
    );
}

#[test]
fn a_word_is_no_key_of_an_instance() {
    let many = "resource \"spacelift_stack\" \"m\" {\n  for_each   = { true = \"a\" }\n  name       = \"m\"\n  \
                repository = \"r\"\n  branch     = \"b\"\n}\n";
    for (key, wanted) in [
        ("true", false),
        ("null", false),
        ("\"true\"", true),
        ("local.on", true),
    ] {
        let text = format!("{many}locals {{\n  on = true\n  y  = spacelift_stack.m[{key}].id\n}}\n");
        both(&text, "", wanted);
    }
}
