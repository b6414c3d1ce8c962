//! Values that are sensitive, ephemeral or no `count` or `for_each` where they would have to be, as far as that shows only
//! with values.
//!
//! Source: Terraform 1.11, the walk of `plan`.

use std::collections::BTreeSet;

use applyorder_core::diagnostic::Place;
use applyorder_syntax::hcl::eval::{Marks, Value};

use super::super::Argument;
use super::super::module::Decl;
use super::super::validate::{marks_of, of_output};
use super::super::world::{PERHAPS_SENSITIVE, Res, STORED, World};

/// The one resource type that Terraform has itself: what it stores is known.
const DATA: &str = "terraform_data";

/// What is wrong with the values of outputs, and what was noted in the world about what is passed to modules,
/// about `count` and about `for_each`. `known`: what is already wrong with arguments, at the places where they
/// are written.
pub(super) fn check(world: &World<'_>, known: &[Argument]) -> Vec<Argument> {
    let mut told: BTreeSet<Place> = known.iter().map(|argument| argument.place).collect();
    let count = world.insts.borrow().len();
    for inst in 0..count {
        let Some(module) = world.module(inst) else {
            continue;
        };
        for (number, decl) in module.outputs.iter().enumerate() {
            let Some(attr) = decl.attr("value") else { continue };
            let value = world.output(inst, number);
            let address = format!("{}output.{}", world.inst(inst).path, decl.name());
            let is_root = world.inst(inst).caller.is_none();
            let said = marks_of(world, decl);
            if !is_root
                && value.as_unknown().is_some()
                && said.has(Marks::EPHEMERAL)
                && !value.marks.has(Marks::EPHEMERAL)
            {
                world.leave_values_open(attr.written(), "whether the value is ephemeral is not known");
                continue;
            }
            if is_root && !said.has(Marks::SENSITIVE) && value.all_marks().is_perhaps_sensitive() {
                world.leave_values_open(attr.written(), PERHAPS_SENSITIVE);
            }
            for why in of_output(is_root, said, &value) {
                world.note_secret((inst, &address), (attr.name, attr.value()), &value, why);
            }
        }
    }
    let found = world.refused.take().into_iter().filter_map(|refused| {
        let place = super::place_of(world, refused.spot);
        told.insert(place).then(|| {
            Argument::of_values(
                refused.resource,
                refused.name,
                place,
                refused.wrong,
                refused.is_likely,
            )
        })
    });
    found.collect()
}

/// An argument of a resource of another provider, which must not be ephemeral where it is stored. Of others than
/// Terraform's own resource that is not known.
pub(super) fn stored<'a>(world: &World<'a>, res: &Res, decl: &Decl<'a>, name: &'a str, value: &Value) {
    let Some(attr) = decl
        .attr(name)
        .filter(|_| value.all_marks().has(Marks::EPHEMERAL))
    else {
        return;
    };
    if decl.ty() == DATA {
        let address = world.static_address(res.inst, decl);
        world.note_secret((res.inst, &address), (attr.name, attr.value()), value, STORED);
    } else if !decl.ty().starts_with("spacelift_") {
        let why = format!("whether `{}` stores `{name}` is not known", decl.ty());
        world.leave_values_open(attr.written(), &why);
    }
}

#[cfg(test)]
mod tests {
    use applyorder_core::diagnostic::Severity;
    use applyorder_core::engine::RunOptions;

    use crate::config::VAR;
    use crate::tests::{module, stacks};

    /// The verdict on a command if `on` is true, and how many values are reported as secret.
    fn said(text: &str, command: &str) -> (Option<bool>, usize) {
        let head = "variable \"on\" {\n  type = bool\n}\nvariable \"e\" {\n  default   = \"e\"\n  ephemeral = \
                    true\n}\nvariable \"s\" {\n  default   = \"s\"\n  sensitive = true\n}\nlocals {\n  e = [for x in [\"a\"] : \
                    var.on ? var.e : x]\n}\n";
        let options = RunOptions::default().with(&VAR, ["on=true", "e=e", "s=s"]);
        let fixture = module(&format!("{head}{text}{}", stacks(&["zz"])), options);
        let (_, project) = fixture.analysis.projects().next().expect("a project");
        let mut verdicts = project.resolution.verdicts.iter();
        let verdict = verdicts.find(|v| v.command == command).expect("a verdict");
        let found = project.resolution.diagnostics.iter();
        let found = found.filter(|d| d.rule.id == "invalid-value").count();
        (verdict.ok, found)
    }

    /// What Terraform 1.11.4 says: `validate` does not know what is chosen.
    #[test]
    fn what_values_show_is_rejected_when_it_is_planned() {
        let stack = |lines: &str| stacks(&["a"]).replace("  branch ", &format!("{lines}  branch "));
        let child =
            "//- /w/m/main.tf\nvariable \"v\" {\n  default = \"v\"\n}\noutput \"o\" {\n  value = var.v\n}\n";
        let call =
            |value: &str| format!("module \"m\" {{\n  source = \"./m\"\n  v      = {value}\n}}\n{child}");
        let output = |lines: &str| format!("output \"o\" {{\n{lines}}}\n");
        let data = |lines: &str| format!("resource \"terraform_data\" \"d\" {{\n{lines}}}\n");
        let pool = "resource \"spacelift_worker_pool\" \"p\" {\n  name = \"p\"\n}\n";
        for text in [
            stack("  description = local.e[0]\n"),
            stack(
                "  dynamic \"gitlab\" {\n    for_each = slice([for x in split(\",\", var.e) : x], 0, 1)\n    content {\n      \
                   namespace = gitlab.value\n    }\n  }\n",
            ),
            data("  input = local.e\n"),
            data("  count = length(local.e[0])\n"),
            data("  for_each = toset([var.s])\n"),
            output("  value = local.e\n"),
            output("  value = { a = var.s }\n"),
            call("local.e[0]"),
            // What the provider's schema says of an attribute.
            format!("{pool}{}", output("  value = spacelift_worker_pool.p.config\n")),
            format!(
                "{pool}{}",
                data("  for_each = toset([spacelift_worker_pool.p.csr])\n")
            ),
            stack("  import_state = \"x\"\n") + &output("  value = [spacelift_stack.a.import_state]\n"),
            stack("  import_state = \"x\"\n") + &output("  value = spacelift_stack.a\n"),
            format!("{pool}{}", output("  value = spacelift_worker_pool.p\n")),
            format!(
                "{}{}",
                pool.replace("{\n", "{\n  count = 2\n"),
                output("  value = spacelift_worker_pool.p[*]\n")
            ),
            "data \"spacelift_worker_pool\" \"d\" {\n  worker_pool_id = \"x\"\n}\n".to_owned()
                + &output("  value = { p = data.spacelift_worker_pool.d }\n"),
        ] {
            assert_eq!(said(&text, "plan"), (Some(false), 1), "{text}");
        }
        let passed = "module \"n\" {\n  source = \"./n\"\n}\noutput \"o\" {\n  value = module.n.o\n}\n";
        let child = format!(
            "//- /w/n/main.tf\n{}output \"o\" {{\n  value     = \"x\"\n  sensitive = true\n}}\n",
            stacks(&["y"])
        );
        // What an output of a module says of itself Terraform 1.11 forgets, and others do not.
        assert_eq!(said(&format!("{passed}{child}"), "plan"), (None, 0));
        let each = passed.replace(
            "output \"o\" {\n  value =",
            "resource \"terraform_data\" \"d\" {\n  for_each =",
        );
        let each = format!("{}{}", each.replace("module.n.o", "toset([module.n.o])"), child);
        assert_eq!(said(&each, "plan"), (None, 0));
        let shown = passed.replace("= module.n.o", "= nonsensitive(module.n.o)");
        assert_eq!(said(&format!("{shown}{child}"), "plan"), (Some(true), 0));
        let told = child.replace("\"x\"", "sensitive(\"x\")");
        assert_eq!(said(&format!("{passed}{told}"), "plan"), (Some(false), 1));
        let open = "resource \"other_thing\" \"d\" {\n  a = local.e[0]\n}\n";
        assert_eq!(said(open, "plan"), (None, 0));
    }

    /// The result of Terraform 1.11.4 when it plans. A default may be replaced by then.
    #[test]
    fn values_that_repeat_nothing_are_rejected_when_they_are_certain() {
        let child = "//- /w/m/main.tf\nlocals {\n  x = 1\n}\n";
        for (by, value, why) in [
            ("count", "-1", "must not be negative"),
            ("count", "1.5", "a whole number is required"),
            ("count", "\"x\"", "a number is required"),
            ("count", "null", "it is null"),
            ("for_each", "null", "it is null"),
            ("for_each", "[\"x\"]", "a map or a set of strings is required"),
            ("for_each", "1", "a map or a set of strings is required"),
        ] {
            for block in [
                format!("resource \"terraform_data\" \"d\" {{\n  {by} = var.v\n}}\n"),
                format!("module \"m\" {{\n  source = \"./m\"\n  {by} = var.v\n}}\n{child}"),
                stacks(&["a"]).replace("  branch ", &format!("  {by} = var.v\n  branch ")),
            ] {
                let text = format!("variable \"v\" {{\n  type = any\n  default = {value}\n}}\n{block}");
                let given = [format!("v={value}")];
                let given = RunOptions::default().with(&VAR, given);
                for (options, severity, ok) in [
                    (RunOptions::default(), Severity::Warning, None),
                    (given, Severity::Error, Some(false)),
                ] {
                    let fixture = module(&format!("{}{text}", stacks(&["zz"])), options);
                    let (_, project) = fixture.analysis.projects().next().expect("a project");
                    let mut verdicts = project.resolution.verdicts.iter();
                    let plan = verdicts.find(|v| v.command == "plan").expect("a verdict");
                    assert_eq!(plan.ok, ok, "{by} {value}: {block}");
                    let mut found = project.resolution.diagnostics.iter();
                    let found = found.find(|d| d.message.contains(why));
                    let found = found.map(|d| (d.rule.id, d.severity));
                    assert_eq!(found, Some(("wrong-type", severity)), "{by} {value}: {block}");
                }
            }
        }
    }
}
