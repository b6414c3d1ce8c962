//! The expressions that nothing else needed: Terraform evaluates all of a configuration when it plans.

use applyorder_syntax::hcl::eval::{DEFAULT_STEPS, Data, INFINITY, Place, Value};

use super::super::fault::{FaultKind, FaultText};
use super::super::key::Key;
use super::super::module::{Attr, Decl};
use super::super::parts::Inner;
use super::super::validate::{StateFault, check_state, of_other_repetition};
use super::super::world::{Each, InstIx, Res, World};
use super::triggers::{MOST, triggers};
use crate::read::{Ref, Target};
use crate::schema::{DATA, Kind, META, builtin};

/// Steps that are reserved for other evaluations.
const KEPT: u64 = DEFAULT_STEPS / 4;

/// Evaluates what is left, to find out whether it fails.
pub(super) fn evaluate(world: &World<'_>) {
    let count = world.insts.borrow().len();
    for inst in 0..count {
        let Some(module) = world.module(inst) else {
            continue;
        };
        if world.budget.left() < KEPT {
            let place = Place {
                file: module
                    .files
                    .first()
                    .map_or(0, |f| u32::try_from(*f).unwrap_or(u32::MAX)),
                span: applyorder_syntax::text::Span::at(0),
            };
            return world.leave_values_open(place, "not all expressions are evaluated");
        }
        let is_open = |attr: &&Attr<'_>| attr.expr.as_text().is_none();
        let mut locals: Vec<&Attr<'_>> = module.locals.values().filter(is_open).collect();
        locals.sort_unstable_by_key(|attr| (attr.file, attr.name_at));
        for attr in locals {
            world.ask_named(inst, "local", attr.name);
            world.local(inst, attr.name);
        }
        let mut variables: Vec<&Decl<'_>> = module.variables.values().collect();
        variables.sort_unstable_by_key(|decl| (decl.file, decl.facts.header));
        for decl in variables {
            world.ask_named(inst, "var", decl.name());
            world.variable(inst, decl.name());
        }
        for (number, decl) in module.outputs.iter().enumerate() {
            world.ask_named(inst, "output", decl.name());
            let value = world.output(inst, number);
            if let Some(attr) = decl.attr("value").filter(|_| inst == 0) {
                storable(world, &value, attr);
            }
        }
        for (number, decl) in module.resources.iter().enumerate() {
            resource(world, inst, number, decl);
            triggers(world, inst, number, decl);
            provisioners(world, inst, number, decl);
        }
        for (number, call) in module.calls.iter().enumerate() {
            arguments(world, inst, number, call);
        }
    }
}

/// Checks what `each` and `count` mean in the arguments of a call.
fn arguments<'a>(world: &World<'a>, inst: InstIx, number: usize, call: &Decl<'a>) {
    let made = world.calls(inst, number);
    let is_likely = world.inst(inst).heuristic || made.expansion.is_heuristic();
    if call.has_gap || made.insts.is_empty() {
        return;
    }
    for attr in call.attrs.iter().filter(|attr| !META.contains(&attr.name)) {
        let file = u32::try_from(attr.file).unwrap_or(u32::MAX);
        for (place, why) in of_other_repetition(attr.expr, call, file) {
            let address = format!("{}module.{}.{}", world.inst(inst).path, call.name(), attr.name);
            world.ask(address.as_str().into(), address.into());
            let text = FaultText::new(FaultKind::FailingExpression, why.to_owned());
            world.fails(place, &text.likely(is_likely));
        }
    }
}

/// Leaves open whether a value can be stored: Terraform cannot write infinity to the state.
fn storable(world: &World<'_>, value: &Value, attr: &Attr<'_>) {
    if value
        .first_unknown()
        .is_some_and(|unknown| &*unknown.why == INFINITY)
    {
        world.leave_values_open(attr.written(), INFINITY);
    }
}

fn resource<'a>(world: &World<'a>, inst: InstIx, number: usize, decl: &Decl<'a>) {
    let open: Vec<&Attr<'a>> = decl
        .attrs
        .iter()
        .filter(|attr| !META.contains(&attr.name) && attr.expr.as_text().is_none())
        .collect();
    let by = decl.attr("count").or_else(|| decl.attr("for_each"));
    if decl.has_gap || (open.is_empty() && by.is_none()) {
        return;
    }
    if decl.decides() == Kind::Other
        && let Some(by) = by
    {
        let none = Res {
            inst,
            decl: number,
            key: Key::None,
        };
        world.ask_argument(&none, by.name);
        let value = world.eval(inst, &Each::None, by.expr, by.file);
        let address = world.static_address(inst, decl);
        let fits = world.note_repetition((inst, &address), by, &value);
        world.note_read(by, &value);
        let unknown = match &value.data {
            Data::Set(..) => value.first_unknown(),
            _ => value.as_unknown(),
        };
        if let Some(unknown) = unknown {
            // It may be known only after `apply`, or be invalid.
            world.leave_open_instances(by, &unknown.why);
        }
        if fits.is_err() || !is_small(&value) {
            let each = Each::Open("which instances there are is unknown".into());
            for attr in open {
                world.eval(inst, &each, attr.expr, attr.file);
            }
            return;
        }
    }
    for (key, _) in world.expansion(inst, number).instances() {
        let res = Res {
            inst,
            decl: number,
            key,
        };
        for attr in &open {
            world.ask_argument(&res, attr.name);
            if let Some(value) = world.attribute(&res, attr.name) {
                if decl.ty() == DATA {
                    storable(world, &value, attr);
                }
                super::secrets::stored(world, &res, decl, attr.name, &value);
            }
        }
        if decl.is_data() && decl.ty() == builtin(true) {
            state(world, &res, decl);
        }
    }
}

/// Checks where a data source reads a state, if the module itself does not say it.
fn state<'a>(world: &World<'a>, res: &Res, decl: &Decl<'a>) {
    let is_asked =
        |(_, named): &(usize, &Ref)| matches!(named.target, Target::Variable(_) | Target::Module(..));
    if !decl.refs.iter().any(is_asked) && res.key == Key::None {
        return;
    }
    let Some(fault) = check_state(|name| world.attribute(res, name), world.is_tofu()) else {
        return;
    };
    let (StateFault::Invalid(name, why) | StateFault::Open(name, why)) = &fault;
    let Some(attr) = decl.attr(name).or_else(|| decl.attr("backend")) else {
        return;
    };
    match fault {
        StateFault::Invalid(..) => {
            let is_likely = world
                .attribute(res, attr.name)
                .is_some_and(|value| value.has_heuristic());
            let text = FaultText::new(FaultKind::FailingExpression, format!("{why}."));
            world.fails(attr.written(), &text.likely(is_likely));
        }
        StateFault::Open(..) => world.leave_values_open(attr.written(), why),
    }
}

/// Evaluates the provisioners of a resource and their connections, as Terraform does once the resource is created.
fn provisioners<'a>(world: &World<'a>, inst: InstIx, number: usize, decl: &Decl<'a>) {
    let is_made = |inner: &&Inner<'a>| {
        let when = inner.block.body().attribute("when").map(|when| when.value());
        matches!(inner.word, "provisioner" | "connection") && when.and_then(|when| when.as_names()).is_none()
    };
    let inner: Vec<_> = decl.blocks.iter().filter(is_made).collect();
    if inner.is_empty() || decl.has_gap {
        return;
    }
    let own = [("self", Value::unknown("what comes of the resource is not known"))];
    world.is_applied.set(true);
    for (_, each) in world.expansion(inst, number).instances().into_iter().take(MOST) {
        for inner in &inner {
            let body = inner.block.body();
            let around = body
                .attributes()
                .chain(body.blocks().flat_map(|block| block.body().attributes()));
            for attribute in around {
                world.eval_with(inst, &each, attribute.value(), inner.header.file, &own);
            }
        }
    }
    world.is_applied.set(false);
}

/// Whether a value of `count` or `for_each` makes few instances.
fn is_small(value: &Value) -> bool {
    let most = i64::try_from(MOST).unwrap_or(i64::MAX);
    let by_number = value
        .as_number()
        .and_then(|n| n.as_i64())
        .is_some_and(|n| n <= most);
    let by_entries = value.elements().map(<[Value]>::len);
    let by_keys = value.members().map(|m| m.len());
    by_number || by_entries.or(by_keys).is_some_and(|n| n <= MOST)
}

#[cfg(test)]
mod tests {
    use applyorder_core::engine::RunOptions;

    use crate::tests::{module, stacks, verdict};

    /// The result of Terraform 1.11.4 before anything is applied; with a state it may know more.
    #[test]
    fn instances_of_other_resources_by_what_is_not_known_leave_plan_open() {
        for (by, ok) in [
            ("count = terraform_data.x.id", None),
            ("count = length(terraform_data.x.id)", None),
            ("for_each = toset([terraform_data.x.id])", None),
            ("for_each = { (terraform_data.x.id) = 1 }", None),
            ("for_each = { for k, v in terraform_data.many : v.id => k }", None),
            ("for_each = { a = terraform_data.x.id }", Some(true)),
            ("for_each = terraform_data.many", Some(true)),
            (
                "for_each = { for k, v in terraform_data.many : k => v.id }",
                Some(true),
            ),
            ("count = length(terraform_data.many)", Some(true)),
            ("for_each = toset(keys(terraform_data.many))", Some(true)),
            ("for_each = toset([for k, v in terraform_data.many : v.id])", None),
            // `input` is known when planning, and of `output` only its type.
            ("count = terraform_data.x.input", Some(true)),
            ("count = terraform_data.x.output", None),
            ("count = terraform_data.many[\"k\"].input", Some(true)),
            (
                "count = terraform_data.x.triggers_replace == null ? 1 : 0",
                Some(true),
            ),
            ("input = terraform_data.x.output.y", Some(false)),
            ("input = terraform_data.x.input.y", Some(false)),
            ("input = terraform_data.many[\"k\"].input.y", Some(false)),
            // An ID is a string, whose value is known once it is applied.
            ("count = terraform_data.x.id == 5 ? 1 : 0", Some(true)),
            ("count = spacelift_stack.a.id == 5 ? 1 : 0", Some(true)),
            ("count = spacelift_stack.a.id != true ? 1 : 0", Some(true)),
            ("count = spacelift_stack.a.id == [\"x\"] ? 1 : 0", Some(true)),
            ("count = spacelift_stack.a.id == \"\" ? 1 : 0", None),
            ("count = spacelift_stack.a.id == null ? 1 : 0", None),
            (
                "count = contains([spacelift_stack.a.id, \"\"], \"\") ? 1 : 0",
                Some(true),
            ),
            ("count = contains([spacelift_stack.a.id], \"\") ? 1 : 0", None),
            ("input = index([spacelift_stack.a.id], \"\")", None),
            // The value of an attribute is converted to its type.
            ("count = length(spacelift_stack.b.labels) - 1", Some(true)),
            ("input = { \"5\" = 1 }[spacelift_stack.b.description]", Some(true)),
            (
                "input = { y = 1 }[tolist(spacelift_stack.b.labels)[0]]",
                Some(true),
            ),
            (
                "input = { z = 1 }[tolist(spacelift_stack.b.labels)[0]]",
                Some(false),
            ),
            ("count = spacelift_stack.b.autodeploy == true ? 1 : 0", Some(true)),
            ("input = { b = 1 }[spacelift_context.c.name]", Some(false)),
            ("input = { c = 1 }[spacelift_context.c.name]", Some(true)),
            // An attribute that is not set may be null, or a default of the provider.
            (
                "input = spacelift_stack.a.description == null ? tonumber(\"x\") : 1",
                None,
            ),
            (
                "input = spacelift_stack.a.branch == null ? tonumber(\"x\") : 1",
                Some(true),
            ),
            // The same in a whole resource.
            (
                "input = { y = 1 }[[spacelift_stack.b][0].description]",
                Some(false),
            ),
            (
                "input = { \"5\" = 1 }[[spacelift_stack.b][0].description]",
                Some(true),
            ),
            (
                "count = length([for s in [spacelift_stack.b] : s if s.autodeploy])",
                Some(true),
            ),
            // If the resource exists, an ignored attribute keeps its value.
            ("input = { y = 1 }[spacelift_context.kept.name]", None),
            (
                "input = { y = 1 }[spacelift_context.kept.description]",
                Some(false),
            ),
            (
                "lifecycle {\n    replace_triggered_by = [terraform_data.many[\"k\"]]\n  }",
                Some(true),
            ),
            (
                "lifecycle {\n    replace_triggered_by = [terraform_data.many[\"l\"]]\n  }",
                Some(false),
            ),
            (
                "lifecycle {\n    replace_triggered_by = [terraform_data.many]\n  }",
                Some(true),
            ),
            (
                "lifecycle {\n    replace_triggered_by = [terraform_data.many[*].id]\n  }",
                Some(false),
            ),
            (
                "lifecycle {\n    replace_triggered_by = [(terraform_data.x)]\n  }",
                Some(false),
            ),
            (
                "lifecycle {\n    replace_triggered_by = [\"${terraform_data.x.id}\"]\n  }",
                Some(false),
            ),
            (
                "lifecycle {\n    replace_triggered_by = [terraform_data.many[\"${\"k\"}\"]]\n  }",
                Some(false),
            ),
            (
                "lifecycle {\n    replace_triggered_by = [terraform_data.none]\n  }",
                Some(false),
            ),
        ] {
            let text = format!(
                "{}{}resource \"spacelift_context\" \"c\" {{\n  name = \"c\"\n}}\nresource \"spacelift_context\" \"kept\" {{\n  name = \
                 \"c\"\n  description = \"d\"\n  lifecycle {{\n    ignore_changes = [name]\n  }}\n}}\nresource \"terraform_data\" \"x\" {{\n  input = 1\n}}\nresource \"terraform_data\" \"many\" {{\n  \
                 for_each = toset([\"k\"])\n  input = 1\n}}\nresource \"terraform_data\" \"none\" {{\n  count = 0\n}}\n\
                 resource \"terraform_data\" \"t\" {{\n  {by}\n}}\n",
                stacks(&["a"]),
                stacks(&["b"]).replace(
                    "name",
                    "autodeploy = \"true\"\n  description = 5\n  labels = [\"z\", \"y\", \"z\"]\n  name"
                )
            );
            let fixture = module(&text, RunOptions::default());
            let verdicts = ["validate", "plan"].map(|command| verdict(&fixture, command));
            assert_eq!(verdicts, [Some(true), ok], "{by}");
        }
    }

    #[test]
    fn a_whole_resource_has_all_attributes_of_its_type() {
        let of = |value: &str, locked: &str| {
            let text = format!(
                "{}resource \"spacelift_gcp_service_account\" \"g\" {{\n  count = 1\n  stack_id = spacelift_stack.a.id\n  \
                 token_scopes = [\"x\"]\n}}\ndata \"spacelift_environment_variable\" \"v\" {{\n  count = 1\n  stack_id = \
                 spacelift_stack.a.id\n  name = \"n\"\n}}\noutput \"o\" {{\n  sensitive = true\n  value = {value}\n}}\n{locked}",
                stacks(&["a"]),
            );
            let fixture = module(&text, RunOptions::default());
            verdict(&fixture, "plan")
        };
        let account = "spacelift_gcp_service_account.g[*]";
        assert_eq!(of(&format!("{account}.service_account_email"), ""), Some(true));
        assert_eq!(of(&format!("{account}.module_id"), ""), Some(true));
        assert_eq!(of(&format!("{account}.nope"), ""), Some(false));
        assert_ne!(
            of("data.spacelift_environment_variable.v[*].checksum", ""),
            Some(false)
        );
        let locked = "//- /w/.terraform.lock.hcl\nprovider \"registry.terraform.io/spacelift-io/spacelift\" {\n  version = \"9.0.0\"\n}\n";
        assert_eq!(of(&format!("{account}.nope"), locked), None);
    }

    /// The result of Terraform 1.11.4.
    #[test]
    fn an_output_of_the_root_does_not_hold_what_a_resource_keeps_secret() {
        let of = |value: &str| {
            let text = format!(
                "{}resource \"terraform_data\" \"d\" {{\n  input = sensitive(\"x\")\n}}\nresource \"spacelift_context\" \"c\" \
                 {{\n  name = sensitive(\"x\")\n}}\noutput \"o\" {{\n  value = {value}\n}}\n",
                stacks(&["a"]),
            );
            verdict(&module(&text, RunOptions::default()), "plan")
        };
        for (value, ok) in [
            ("terraform_data.d.input", false),
            ("terraform_data.d.output", true),
            ("terraform_data.d", false),
            ("spacelift_context.c.name", false),
            ("spacelift_context.c.id", true),
            ("spacelift_context.c", false),
        ] {
            assert_eq!(of(value), Some(ok), "{value}");
        }
    }

    /// The result of Terraform 1.11.4.
    #[test]
    fn a_remote_state_whose_backend_is_a_value_is_checked_when_planning() {
        let of = |backend: &str| {
            let text = format!(
                "{}variable \"b\" {{\n  default = \"{backend}\"\n}}\ndata \"terraform_remote_state\" \"s\" {{\n  backend = \
                 var.b\n  config = {{ bucket = \"b\", key = \"k\", region = \"r\" }}\n}}\n",
                stacks(&["a"]),
            );
            let fixture = module(&text, RunOptions::default());
            ["validate", "plan"].map(|command| verdict(&fixture, command))
        };
        assert_eq!(of("s3"), [Some(true), Some(true)]);
        // Another value may be given.
        assert_eq!(of("nope"), [Some(true), None]);
        assert_eq!(of("oci"), [Some(true), None]);
    }

    /// The result of Terraform 1.11.4, which looks at its own backend only when it plans.
    #[test]
    fn a_backend_is_checked_when_planning() {
        let of = |backend: &str| {
            let text = format!("{}terraform {{\n  backend {backend}\n}}\n", stacks(&["a"]));
            let fixture = module(&text, RunOptions::default());
            ["validate", "plan"].map(|command| verdict(&fixture, command))
        };
        for (backend, ok) in [
            ("\"s3\" {}", Some(true)),
            (
                "\"s3\" {\n    bucket = \"b\"\n    encrypt = \"true\"\n  }",
                Some(true),
            ),
            ("\"s3\" {\n    bucket = {}\n  }", Some(false)),
            ("\"s3\" {\n    bucket = upper(\"b\")\n  }", Some(false)),
            ("\"s3\" {\n    bukcet = \"b\"\n  }", Some(false)),
            // Terraform 1.9 takes it.
            ("\"s3\" {\n    role_arn = \"r\"\n  }", None),
            (
                "\"remote\" {\n    workspaces {\n      name = \"x\"\n    }\n  }",
                Some(true),
            ),
            ("\"local\" {\n    workspaces {\n    }\n  }", Some(false)),
            ("\"nope\" {}", Some(false)),
            ("\"swift\" {}", None),
        ] {
            assert_eq!(of(backend), [Some(true), ok], "{backend}");
        }
    }

    /// The result of Terraform 1.11.4 when it applies.
    #[test]
    fn a_provisioner_that_fails_by_known_values_leaves_apply_open() {
        for (command, ok) in [
            ("\"true ${spacelift_stack.a.name}\"", Some(true)),
            ("\"true ${self.id}\"", Some(true)),
            ("\"true ${tonumber(spacelift_stack.a.name)}\"", None),
            ("[\"true\"][length(spacelift_stack.a.name)]", None),
        ] {
            let text = format!(
                "{}resource \"terraform_data\" \"d\" {{\n  provisioner \"local-exec\" {{\n    command = {command}\n  }}\n}}\n",
                stacks(&["a"])
            );
            let fixture = module(&text, RunOptions::default());
            let verdicts = ["plan", "apply"].map(|command| verdict(&fixture, command));
            assert_eq!(verdicts, [Some(true), ok], "{command}");
        }
    }
}
