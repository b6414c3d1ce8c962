//! Verdicts of OpenTofu 1.10.10 compared with ours, where they differ from Terraform's.

use applyorder_core::diagnostic::Severity;
use applyorder_core::engine::RunOptions;

use super::{module, picture, stacks, verdict};
use crate::config::{VAR, VAR_FILE};

/// The results of `tofu validate` and `tofu plan` for a module; `None` if left open.
fn verdicts(text: &str) -> [Option<bool>; 2] {
    verdicts_with(text, RunOptions::default())
}

fn verdicts_with(text: &str, options: RunOptions) -> [Option<bool>; 2] {
    let own = stacks(&["zz"]);
    let fixture = module(&format!("{text}//- /w/zz.tofu\n{own}"), options);
    ["validate", "plan"].map(|command| verdict(&fixture, command))
}

#[test]
fn an_operand_that_is_not_needed_may_fail() {
    for (text, wanted) in [
        ("locals { y = false && tonumber(\"x\") == 1 }\n", [Some(true); 2]),
        ("locals { y = null != null && null.a == 1 }\n", [Some(true); 2]),
        ("locals { y = null.a || true }\n", [Some(true); 2]),
        ("locals { y = true && null.a }\n", [Some(false); 2]),
        ("locals { y = false && var.nope }\n", [Some(false); 2]),
        (
            "variable \"x\" {\n  default = null\n}\nlocals { y = var.x != null && var.x.a > 1 }\n",
            [Some(true); 2],
        ),
        (
            "resource \"terraform_data\" \"a\" {\n  count = false && spacelift_stack.zz.id != \"\" ? 1 : 0\n}\n",
            [Some(true); 2],
        ),
    ] {
        assert_eq!(verdicts(text), wanted, "{text}");
    }
}

#[test]
fn a_provider_with_for_each_is_named_with_a_key() {
    let stack = "resource \"spacelift_context\" \"a\" {\n  name = \"a\"\n";
    let repeated = "provider \"spacelift\" {\n  alias = \"by\"\n  for_each = toset([\"eu\"])\n}\n";
    let single = "provider \"spacelift\" {\n  alias = \"by\"\n}\n";
    for (provider, named, wanted) in [
        (repeated, "spacelift.by[\"eu\"]", Some(true)),
        (repeated, "spacelift.by", Some(false)),
        (single, "spacelift.by[\"eu\"]", Some(false)),
        (single, "spacelift.by", Some(true)),
    ] {
        let text = format!("{provider}{stack}  provider = {named}\n}}\n");
        assert_eq!(verdicts(&text)[0], wanted, "{text}");
    }
    let child = "//- /w/m/main.tf\nresource \"spacelift_context\" \"a\" {\n  name = \"a\"\n}\n";
    for (named, wanted) in [
        ("spacelift.by[\"eu\"]", Some(true)),
        ("spacelift.by[each.key]", Some(true)),
        ("spacelift.by", Some(false)),
    ] {
        let text = format!(
            "{repeated}module \"m\" {{\n  source = \"./m\"\n  for_each = toset([\"eu\"])\n  providers = {{\n    spacelift = \
             {named}\n  }}\n}}\n{child}"
        );
        assert_eq!(verdicts(&text)[0], wanted, "{text}");
    }
    let text = "provider \"spacelift\" {\n  for_each = toset([\"eu\"])\n}\n";
    assert_eq!(verdicts(text)[0], Some(false));
}

#[test]
fn what_a_provider_is_repeated_by_is_known_before_the_modules_are_read() {
    let data = "data \"spacelift_stack\" \"d\" {\n  stack_id = \"x\"\n}\n";
    for (each, wanted) in [
        ("toset([1])", false),
        ("sensitive(toset([\"a\"]))", false),
        ("[\"a\"]", false),
        ("null", false),
        ("toset([spacelift_stack.zz.id])", false),
        ("try(toset([spacelift_stack.zz.id]), {})", false),
        ("{ a = data.spacelift_stack.d.id }", false),
        ("{ a = each.key }", false),
        ("{ for k in [\"a\"] : k => k }", true),
        ("toset([path.module, path.root, terraform.workspace])", true),
        ("toset(local.all)", true),
        ("{}", true),
    ] {
        let text = format!(
            "locals {{\n  all = [\"a\"]\n}}\n{data}provider \"spacelift\" {{\n  alias = \"by\"\n  for_each = {each}\n}}\n"
        );
        assert_eq!(verdicts(&text)[0], Some(wanted), "{text}");
    }
}

#[test]
fn a_note_that_something_is_deprecated_is_not_empty() {
    for (note, wanted) in [
        ("\"old\"", true),
        ("1", true),
        ("\" \"", false),
        ("null", false),
        ("local.x", false),
    ] {
        for kind in ["variable", "output"] {
            let rest = if kind == "output" {
                "value = 1"
            } else {
                "default = 1"
            };
            let text = format!("{kind} \"d\" {{\n  deprecated = {note}\n  {rest}\n}}\n");
            assert_eq!(verdicts(&text)[0], Some(wanted), "{text}");
        }
    }
    let text = "variable \"e\" {\n  ephemeral = true\n  default = 1\n}\n";
    assert_eq!(verdicts(text)[0], None);
}

#[test]
fn a_resource_needs_the_instance_of_a_provider_that_it_names() {
    const PROVIDER: &str = "provider \"spacelift\" {\n  alias = \"by\"\n  for_each = toset([\"eu\"])\n}\n";
    let context =
        |inside: &str| format!("resource \"spacelift_context\" \"a\" {{\n  name = \"a\"\n{inside}}}\n");
    let of = |key: &str| context(&format!("  provider = spacelift.by[{key}]\n"));
    let (ok, rejected, open) = ([Some(true); 2], [Some(true), Some(false)], [Some(true), None]);
    for (text, wanted) in [
        (of("\"eu\""), ok),
        (of("\"us\""), rejected),
        (of("null"), rejected),
        (of("sensitive(\"eu\")"), rejected),
        (of("spacelift_stack.zz.id"), open),
        (context("  count = 0\n  provider = spacelift.by[\"us\"]\n"), ok),
        (context("  for_each = toset([\"eu\"])\n  provider = spacelift.by[each.key]\n"), ok),
        (context("  for_each = toset([\"eu\", \"us\"])\n  provider = spacelift.by[each.key]\n"), rejected),
        (
            "data \"spacelift_context\" \"a\" {\n  context_id = \"a\"\n  provider = spacelift.by[\"us\"]\n}\n".to_owned(),
            rejected,
        ),
    ] {
        assert_eq!(verdicts(&format!("{PROVIDER}{text}")), wanted, "{text}");
    }
    // The keys may have changed when OpenTofu runs.
    let given = "variable \"v\" {\n  default = {\n    eu = 1\n  }\n}\n";
    let text = format!(
        "{}{given}{}",
        PROVIDER.replace("toset([\"eu\"])", "var.v"),
        of("\"us\"")
    );
    assert_eq!(verdicts(&text), open, "{text}");
}

#[test]
fn a_called_module_needs_the_instance_of_a_provider_where_a_resource_uses_it() {
    const PROVIDER: &str = "provider \"spacelift\" {\n  alias = \"by\"\n  for_each = toset([\"eu\"])\n}\n";
    const ONE: &str = "resource \"spacelift_context\" \"a\" {\n  name = \"a\"\n}\n";
    let call = |inside: &str, key: &str| {
        format!(
            "module \"m\" {{\n  source = \"./m\"\n{inside}  providers = {{\n    spacelift = spacelift.by[{key}]\n  }}\n}}\n"
        )
    };
    let (ok, rejected) = ([Some(true); 2], [Some(true), Some(false)]);
    let nested = format!("module \"n\" {{\n  source = \"./n\"\n}}\n//- /w/m/n/main.tf\n{ONE}");
    let passed = nested.replace(
        "./n\"\n",
        "./n\"\n  providers = {\n    spacelift = spacelift\n  }\n",
    );
    let none = ONE.replace("  name", "  count = 0\n  name");
    let each = "  for_each = toset([\"eu\", \"us\"])\n";
    for (call, child, wanted) in [
        (call("", "\"eu\""), ONE, ok),
        (call("", "\"us\""), ONE, rejected),
        (call("", "\"us\""), &*none, ok),
        (call("", "\"us\""), "output \"o\" {\n  value = 1\n}\n", ok),
        (call(each, "each.key"), ONE, rejected),
        (call("", "\"us\""), &*nested, rejected),
        (call("", "\"us\""), &*passed, rejected),
    ] {
        let text = format!("{PROVIDER}{call}//- /w/m/main.tf\n{child}");
        assert_eq!(verdicts(&text), wanted, "{text}");
    }
}

#[test]
fn what_only_its_later_versions_take_is_open() {
    for (inside, wanted) in [
        ("  lifecycle {\n    enabled = false\n  }\n", None),
        ("  lifecycle {\n    prevent_destroy = false\n  }\n", Some(true)),
        ("  lifecycle {\n    prevent_destroy = local.on\n  }\n", None),
        ("  lifecycle {\n    prevent_destroy = \"x\"\n  }\n", Some(false)),
    ] {
        let text = format!(
            "locals {{\n  on = true\n}}\nresource \"spacelift_context\" \"a\" {{\n  name = \"a\"\n{inside}}}\n"
        );
        assert_eq!(verdicts(&text)[0], wanted, "{text}");
    }
    let text = "variable \"v\" {\n  default = 1\n  deprecated = \"no\"\n}\n";
    assert_eq!(verdicts(text)[0], Some(true));
}

#[test]
fn blocks_of_its_own_are_looked_at() {
    let encryption = |inside: &str| format!("terraform {{\n  encryption {{\n{inside}  }}\n}}\n");
    assert_eq!(verdicts(&encryption("    foo = 1\n"))[0], Some(false));
    let method = "    method \"unencrypted\" \"m\" {\n    }\n";
    assert_eq!(verdicts(&encryption(method))[0], Some(true));
    assert_eq!(verdicts(&encryption("    method {\n    }\n"))[0], Some(false));
}

#[test]
fn a_computed_source_is_followed_if_it_does_not_depend_on_a_variable() {
    let text = "locals { s = join(\"\", [\"./\", \"m\"]) }\nmodule \"m\" {\n  source = local.s\n}\noutput \"o\" {\n  value = \
                module.m.nope\n}\n//- /w/m/main.tofu\noutput \"x\" {\n  value = 1\n}\n";
    assert_eq!(verdicts(text), [Some(false); 2]);
    assert_eq!(verdicts(&text.replace("m.nope", "m.x")), [Some(true); 2]);
    let own = text.replace("\"m\"])", "local.name])");
    let own = format!("locals {{\n  name = \"m\"\n}}\n{own}");
    assert_eq!(verdicts(&own), [Some(false); 2]);
    let partly = text.replace("\"m\"])", "local.all[0]])");
    let partly = format!("locals {{\n  all = [\"m\", spacelift_stack.zz.id]\n}}\n{partly}");
    assert_eq!(verdicts(&partly), [Some(false); 2]);
    let nowhere = text.replace("\"./\"", "\"./no\"");
    assert_eq!(verdicts(&nowhere), [Some(false); 2]);
    // A variable may have another value when OpenTofu runs.
    let given = text.replace("\"m\"])", "var.m])") + "//- /w/v.tf\nvariable \"m\" {\n  default = \"m\"\n}\n";
    assert_eq!(verdicts(&given), [None; 2]);
}

/// Source: `GetPathAttr` in `static_scope.go` of OpenTofu.
#[test]
fn a_computed_source_may_have_the_path_of_the_module() {
    let child = |source: &str| {
        format!(
            "//- /w/m/main.tf\nmodule \"n\" {{\n  source = {source}\n}}\noutput \"x\" {{\n  value = module.n.x\n}}\n//- \
             /w/m/n/main.tf\noutput \"x\" {{\n  value = 1\n}}\n"
        )
    };
    let root = |source: &str| {
        format!(
            "module \"m\" {{\n  source = {source}\n}}\noutput \"o\" {{\n  value = module.m.x\n}}\n{}",
            child("\"./n\"")
        )
    };
    for (text, wanted) in [
        (root("\"${path.module}/m\""), Some(true)),
        (root("\"${path.root}/m\""), Some(true)),
        (root("\"${path.root}/m/n\""), Some(true)),
        (root("\"${path.module}/none\""), Some(false)),
        (root("\"${path.cwd}/m\""), None),
        (root("\"./${terraform.workspace}\""), None),
        // The directory of a called module is seen from the root.
        (
            format!(
                "module \"m\" {{\n  source = \"./m\"\n}}\n{}",
                child("\"./${path.module}/n\"")
            ),
            Some(false),
        ),
        (
            format!(
                "module \"m\" {{\n  source = \"./m\"\n}}\n{}",
                child("\"./../${path.module}/n\"")
            ),
            Some(true),
        ),
    ] {
        assert_eq!(verdicts(&text), [wanted; 2], "{text}");
    }
}

/// Source: `static_scope.go` of OpenTofu: variables as they are passed, local values.
#[test]
fn a_computed_source_is_followed_if_its_variables_are_certain() {
    let root = |variable: &str, source: &str| {
        format!(
            "variable \"kind\" {{\n{variable}}}\nmodule \"m\" {{\n  source = {source}\n}}\noutput \"o\" {{\n  value = \
             module.m.x\n}}\n//- /w/m/a/main.tf\noutput \"x\" {{\n  value = 1\n}}\n//- /w/m/b/main.tf\noutput \"y\" {{\n  \
             value = 1\n}}\n"
        )
    };
    let with = |vars: &[&str]| RunOptions::default().with(&VAR, vars.iter().copied());
    let text = "  type = string\n";
    let source = "\"./m/${var.kind}\"";
    let (ok, rejected, open) = ([Some(true); 2], [Some(false); 2], [None; 2]);
    for (variable, source, vars, wanted) in [
        (text, source, &["kind=a"][..], ok),
        (text, source, &["kind=b"], rejected),
        (text, source, &["kind=nowhere"], rejected),
        (text, source, &[], open),
        ("  default = \"a\"\n", source, &[], open),
        ("  default = \"b\"\n", source, &[], open),
        ("  default = \"b\"\n", source, &["kind=a"], ok),
        (
            "  type = object({ name = string, own = optional(string, \"a\") })\n",
            "\"./m/${var.kind.own}\"",
            &["kind={ name = \"x\" }"],
            ok,
        ),
        (
            "  default = \"a\"\n  nullable = false\n  type = any\n",
            source,
            &["kind=null"],
            ok,
        ),
        // OpenTofu does not accept secrets here.
        ("  sensitive = true\n", source, &["kind=a"], open),
        (
            text,
            "\"./m/${var.kind == spacelift_stack.zz.id ? \"a\" : \"b\"}\"",
            &["kind=a"],
            rejected,
        ),
    ] {
        let found = verdicts_with(&root(variable, source), with(vars));
        assert_eq!(found, wanted, "{variable} {source} {vars:?}");
    }
    let file = root(text, source) + "//- /w/own.tfvars\nkind = \"a\"\n";
    let given = RunOptions::default().with(&VAR_FILE, ["/w/own.tfvars"]);
    assert_eq!(verdicts_with(&file, given), ok);
    // A file next to the module may have changed when OpenTofu runs.
    let beside = file.replace("own.tfvars", "terraform.tfvars");
    assert_eq!(verdicts(&beside), open);
}

#[test]
fn a_computed_source_in_a_called_module_is_what_all_its_calls_pass() {
    let call = |name: &str, inside: &str| {
        format!(
            "module \"{name}\" {{\n  source = \"./m\"\n{inside}}}\noutput \"{name}\" {{\n  value = module.{name}.x\n}}\n"
        )
    };
    let child = "//- /w/m/main.tf\nvariable \"kind\" {\n  default = \"a\"\n}\nlocals {\n  at = \"./${var.kind}\"\n}\nmodule \"n\" \
                 {\n  source = local.at\n}\noutput \"x\" {\n  value = module.n.x\n}\n//- /w/m/a/main.tf\noutput \"x\" {\n  value = \
                 1\n}\n//- /w/m/b/main.tf\noutput \"y\" {\n  value = 1\n}\n";
    let (ok, rejected, open) = ([Some(true); 2], [Some(false); 2], [None; 2]);
    let (a, b) = ("  kind = \"a\"\n", "  kind = \"b\"\n");
    let named = "  kind = local.k\n";
    let zz = "  kind = spacelift_stack.zz.name\n";
    for (calls, wanted) in [
        (call("one", a), ok),
        (call("one", ""), ok),
        (call("one", b), rejected),
        (call("one", named) + "locals {\n  k = \"a\"\n}\n", ok),
        (call("one", named) + "locals {\n  k = \"b\"\n}\n", rejected),
        (call("one", zz), open),
        (call("one", a) + &call("two", ""), ok),
        // One directory, from which each call makes a different module.
        (call("one", a) + &call("two", b), open),
    ] {
        let text = format!("{calls}{child}");
        assert_eq!(verdicts(&text), wanted, "{calls}");
    }
}

/// Source: as above. A default may be replaced when OpenTofu runs, so what is found in the module is likely.
#[test]
fn a_module_whose_source_is_likely_has_likely_findings_and_dependencies() {
    let child = stacks(&["s"]) + "output \"id\" {\n  value = spacelift_stack.s.id\n}\n";
    let edge = "resource \"spacelift_stack_dependency\" \"d\" {\n  stack_id = module.m.id\n  depends_on_stack_id = \
                spacelift_stack.zz.id\n}\n";
    let text = format!(
        "variable \"v\" {{\n  default = \"./m\"\n}}\nmodule \"m\" {{\n  source = var.v\n}}\n{edge}//- /w/zz.tofu\n{}//- \
         /w/m/main.tf\n{child}resource \"spacelift_stack\" \"t\" {{\n  name = \"t\"\n}}\n",
        stacks(&["zz"])
    );
    let fixture = module(&text, RunOptions::default());
    let edges = picture(&fixture);
    assert_eq!(edges, ["module.m.spacelift_stack.s -> spacelift_stack.zz ?"]);
    let (_, project) = fixture.analysis.projects().next().unwrap();
    let found = project.resolution.diagnostics.iter();
    let mut missing = found.filter(|d| d.rule.id == "missing-field");
    assert!(
        missing
            .by_ref()
            .all(|d| d.severity == Severity::Warning && d.enforced.is_empty())
    );
    assert_eq!(verdict(&fixture, "validate"), None);
    let certain = module(&text, RunOptions::default().with(&VAR, ["v=./m"]));
    assert_eq!(verdict(&certain, "validate"), Some(false));
}
