//! Conditions that Terraform checks against values when it plans: `validation` of variables, `precondition` of outputs,
//! `precondition` and `postcondition` of resources. Those of a `check` only warn.
//!
//! Source: Terraform 1.11, `evalVariableValidations` and `evalCheckRule`: a condition that is not known yet is skipped,
//! and checked again by `apply`.

use std::collections::BTreeSet;

use applyorder_core::diagnostic::Place;
use applyorder_syntax::hcl::Block;
use applyorder_syntax::hcl::eval::{Marks, Place as Written, Value};

use super::super::module::{Decl, Spot, written};
use super::super::validate::{not_message, not_met};
use super::super::world::{Each, InstIx, Res, World};
use super::super::{Argument, Wrong};

/// The conditions of a project, and those that do not hold.
pub(super) struct Held<'w, 'a> {
    pub(super) world: &'w World<'a>,
    pub(super) found: Vec<Argument>,
    /// The conditions that are already reported: each is reported for one instance only.
    pub(super) told: BTreeSet<Place>,
}

/// The conditions that do not hold. The first unknown one is recorded in the world. `known`: what is already reported
/// about arguments, at the places where they are written.
pub(super) fn check(world: &World<'_>, known: &[Argument]) -> Vec<Argument> {
    let mut held = Held {
        world,
        found: Vec::new(),
        told: known.iter().map(|argument| argument.place).collect(),
    };
    let count = world.insts.borrow().len();
    for inst in 0..count {
        let Some(module) = world.module(inst) else {
            continue;
        };
        let mut variables: Vec<&Decl<'_>> = module.variables.values().collect();
        variables.sort_unstable_by_key(|decl| (decl.file, decl.facts.header));
        for decl in variables {
            held.variable(inst, decl);
        }
        for decl in &module.outputs {
            let address = format!("{}output.{}", world.inst(inst).path, decl.name());
            for inner in decl.blocks.iter().filter(|inner| inner.word == "precondition") {
                held.condition(
                    inst,
                    &Each::None,
                    (&address, inner.block, inner.header.file),
                    None,
                    None,
                );
            }
        }
        for (number, decl) in module.resources.iter().enumerate() {
            held.resource(inst, number, decl);
        }
        for file in module
            .files
            .iter()
            .filter(|file| !module.overriding.contains(file))
        {
            held.checks(inst, *file);
        }
    }
    held.found
}

impl<'a> Held<'_, 'a> {
    fn variable(&mut self, inst: InstIx, decl: &Decl<'a>) {
        let name = decl.name();
        let own = decl.blocks.iter().filter(|inner| inner.word == "validation");
        if decl.has_gap {
            return;
        }
        let address = format!("{}var.{name}", self.world.inst(inst).path);
        // In a called module the place is that of the argument, where `validate` reports it too.
        let caller = self.world.inst(inst).caller;
        let passed = caller.and_then(|(caller, call)| {
            let call = self.world.module(caller)?.calls.get(call)?;
            Some(call.attr(name).map_or(call.header(), |attr| attr.value()))
        });
        if caller.is_none()
            && let Some((why, is_likely)) = self.wrong_value(inst, name, decl)
        {
            let place = super::place_of(self.world, decl.name_spot());
            self.found.push(of_value(&address, place, why, is_likely));
            return;
        }
        if let Some(passed) = passed
            && let Some((value, why)) = self.world.unfit(inst, name, decl)
        {
            let place = super::place_of(self.world, passed);
            if self.told.insert(place) {
                let why = format!("what is passed does not have its type: {why}");
                let is_likely = value.has_heuristic() || self.world.inst(inst).heuristic;
                self.found.push(of_value(&address, place, why, is_likely));
            }
            return;
        }
        if let Some(null) = self.world.unset(inst, name, decl) {
            let place = super::place_of(self.world, passed.unwrap_or_else(|| decl.name_spot()));
            if self.told.insert(place) {
                let why = "it must not be null".to_owned();
                let argument = of_value(&address, place, why, null.has_heuristic());
                self.found.push(argument);
            }
            return;
        }
        if caller.is_none() && self.world.is_asked_for(name, decl) {
            let why = format!("`{address}` has no default, and no value is given");
            self.world.leave_values_open_at(decl.name_spot(), &why);
        }
        for inner in own {
            self.world.ask_named(inst, "var", name);
            let of = (&*address, inner.block, inner.header.file);
            self.condition(inst, &Each::None, of, passed, None);
        }
    }

    /// Why a variable of the root does not accept the value it is given, and whether that is only likely.
    fn wrong_value(&self, inst: InstIx, name: &'a str, decl: &Decl<'a>) -> Option<(String, bool)> {
        if let Some((why, is_likely)) = self.world.refused(name, decl) {
            return Some((format!("what is given has no value: {why}"), is_likely));
        }
        let (value, why) = self.world.unfit(inst, name, decl)?;
        Some((
            format!("what is given does not have its type: {why}"),
            value.has_heuristic(),
        ))
    }

    fn resource(&mut self, inst: InstIx, number: usize, decl: &Decl<'a>) {
        let lifecycle = decl.blocks.iter().filter(|inner| inner.word == "lifecycle");
        let conditions: Vec<(Block<'a>, usize)> = lifecycle
            .flat_map(|inner| {
                inner
                    .block
                    .body()
                    .blocks()
                    .map(|block| (block, inner.header.file))
            })
            .filter(|(block, _)| matches!(block.kind(), "precondition" | "postcondition"))
            .collect();
        let Some((first, file)) = conditions.first().copied().filter(|_| !decl.has_gap) else {
            return;
        };
        let expansion = self.world.expansion(inst, number);
        let instances = expansion.instances();
        if instances.is_empty() && expansion.is_unknown() {
            let at = written(first.header_span(), file);
            self.not_known(at, "which instances there are is unknown");
        }
        for (key, each) in instances {
            let res = Res {
                inst,
                decl: number,
                key,
            };
            let address = self.world.address(&res);
            for (block, file) in &conditions {
                self.world.ask_argument(&res, "lifecycle");
                let own = (block.kind() == "postcondition").then_some(&res);
                self.condition(inst, &each, (&address, *block, *file), None, own);
            }
        }
    }

    /// Checks a condition. `passed`: where to report that it does not hold, instead of at the condition; `own`: what
    /// `self` means.
    fn condition(
        &mut self,
        inst: InstIx,
        each: &Each,
        (address, block, file): (&str, Block<'a>, usize),
        passed: Option<Spot>,
        own: Option<&Res>,
    ) {
        let Some(condition) = block.body().attribute("condition") else {
            return;
        };
        let expr = condition.value();
        let here = (inst, each, own);
        let (value, is_ahead) = self.world.eval_condition(here, expr, file);
        // Terraform always evaluates it.
        let message = block.body().attribute("error_message");
        let message = message.map(|message| self.world.eval_condition(here, message.value(), file).0);
        let at = written(expr.span(), file);
        // Of a variable the message is only evaluated if the condition holds.
        let is_used = block.kind() != "validation" || value.as_bool() != Some(true);
        if let Some(why) = message.as_ref().filter(|_| is_used).and_then(not_message) {
            self.world
                .leave_values_open(at, &format!("the message of the condition: {why}"));
        }
        if let Some(unknown) = value.as_unknown() {
            self.not_known(at, &unknown.why);
            return;
        }
        let Some(why) = not_met(&value) else { return };
        if is_ahead && !self.world.is_planned() {
            // A plan does not know it.
            self.world.fails_apply(at, &why);
            return;
        }
        let place = super::place_of(self.world, passed.unwrap_or_else(|| self.world.spot(at)));
        if !self.told.insert(place) {
            return;
        }
        // Secrets are not shown.
        let message = message
            .as_ref()
            .filter(|message| message.all_marks() == Marks::NONE);
        let message = message.and_then(Value::as_str).map(str::trim);
        let why = match message.filter(|text| !text.is_empty()) {
            Some(message) => format!("{why}: {message}"),
            None => why,
        };
        let is_likely = value.has_heuristic() || self.world.inst(inst).heuristic;
        let wrong = Wrong::Condition(why);
        let argument = Argument::of_values(address, block.kind(), place, wrong, is_likely);
        self.found.push(argument);
    }

    fn not_known(&self, at: Written, why: &str) {
        let why = format!("whether the condition holds is not known: {why}");
        self.world.leave_values_open(at, &why);
    }
}

fn of_value(address: &str, place: Place, why: String, is_likely: bool) -> Argument {
    Argument::of_values(address, "value", place, Wrong::Condition(why), is_likely)
}

#[cfg(test)]
mod tests {
    use applyorder_core::diagnostic::Severity;
    use applyorder_core::engine::RunOptions;

    use crate::config::VAR;
    use crate::tests::{module, stacks};

    /// The verdict on a command, and the findings on values: severity and message.
    fn said(text: &str, vars: &[&str], command: &str) -> (Option<bool>, Vec<(Severity, String)>) {
        let options = match vars {
            [] => RunOptions::default(),
            vars => RunOptions::default().with(&VAR, vars.iter().copied()),
        };
        let fixture = module(&format!("{text}{}", stacks(&["zz"])), options);
        let (_, project) = fixture.analysis.projects().next().expect("a project");
        let mut verdicts = project.resolution.verdicts.iter();
        let verdict = verdicts.find(|v| v.command == command).expect("a verdict");
        let found = project.resolution.diagnostics.iter();
        let found = found.filter(|d| d.rule.id == "invalid-value");
        (
            verdict.ok,
            found.map(|d| (d.severity, d.message.clone())).collect(),
        )
    }

    fn variable(default: &str) -> String {
        format!(
            "variable \"v\" {{\n  type = string\n{default}  validation {{\n    condition     = var.v != \"bad\"\n    \
             error_message = \"Not ${{var.v}}.\"\n  }}\n}}\n"
        )
    }

    /// If a variable is not nullable, its default replaces null.
    #[test]
    fn null_is_not_a_value_of_a_variable_that_is_not_nullable() {
        let variable = |rest: &str| format!("variable \"v\" {{\n  type = list(string)\n{rest}}}\n");
        let counted = "resource \"terraform_data\" \"d\" {\n  count = length(var.v)\n}\n";
        let by_default = variable("  default  = [\"a\"]\n  nullable = false\n") + counted;
        assert_eq!(said(&by_default, &["v=null"], "plan"), (Some(true), vec![]));
        let message = "`value` of `var.v`: it must not be null".to_owned();
        let unset = variable("  nullable = false\n");
        let rejected = (Some(false), vec![(Severity::Error, message)]);
        assert_eq!(said(&unset, &["v=null"], "plan"), rejected);
        assert_eq!(said(&variable(""), &["v=null"], "plan"), (Some(true), vec![]));
    }

    #[test]
    fn a_given_value_is_held_against_the_conditions_of_its_variable() {
        let message = "`validation` of `var.v`: the condition is false: Not bad.".to_owned();
        let text = variable("");
        assert_eq!(said(&text, &["v=good"], "plan"), (Some(true), vec![]));
        let error = vec![(Severity::Error, message.clone())];
        assert_eq!(said(&text, &["v=bad"], "plan"), (Some(false), error.clone()));
        // The value must have the type of the variable.
        let number = text.replace("type = string", "type = number");
        let (ok, found) = said(&number, &["v=x"], "plan");
        assert_eq!((ok, found.len()), (Some(false), 1), "{found:?}");
        // `validate` does not read values.
        assert_eq!(said(&text, &["v=bad"], "validate"), (Some(true), error));
        // The value is not given anywhere.
        assert_eq!(said(&text, &[], "plan"), (None, vec![]));
        // The variable may have another value than its default when Terraform runs.
        let likely = vec![(Severity::Warning, message)];
        assert_eq!(
            said(&variable("  default = \"bad\"\n"), &[], "plan"),
            (None, likely)
        );
    }

    /// The result of Terraform 1.11.4 once it knows the value.
    #[test]
    fn an_argument_must_have_the_type_of_its_variable() {
        let plan = |ty: &str, passed: &str| {
            let text = format!(
                "{}module \"m\" {{\n  source = \"./m\"\n  n      = {passed}\n}}\n//- /w/m/main.tf\nvariable \"n\" {{\n  type = \
                 {ty}\n}}\n//- /w/zz.tf\n",
                stacks(&["a", "5"]).replace("\"spacelift_stack\" \"5\"", "\"spacelift_stack\" \"five\"")
            );
            let (ok, found) = said(&text, &[], "plan");
            (ok, found.len())
        };
        assert_eq!(plan("number", "spacelift_stack.a.name"), (Some(false), 1));
        assert_eq!(plan("number", "spacelift_stack.five.name"), (Some(true), 0));
        assert_eq!(plan("number", "spacelift_stack.a.id"), (Some(true), 0));
        assert_eq!(plan("string", "spacelift_stack.a.name"), (Some(true), 0));
        assert_eq!(plan("list(bool)", "[spacelift_stack.a.name]"), (Some(false), 1));
        // `validate` already reports it.
        assert_eq!(plan("number", "\"x\""), (Some(false), 0));
    }

    #[test]
    fn without_a_value_of_a_variable_a_plan_is_open_and_a_ring_is_rejected_all_the_same() {
        let text = "variable \"v\" {\n}\n";
        assert_eq!(said(text, &[], "validate").0, Some(true));
        assert_eq!(said(text, &[], "plan").0, None);
        assert_eq!(said(text, &["v=x"], "plan").0, Some(true));
        let ring = format!(
            "{text}{}resource \"spacelift_stack_dependency\" \"d\" {{\n  stack_id = spacelift_stack.a.id\n  \
             depends_on_stack_id = spacelift_stack.a.id\n}}\n",
            stacks(&["a"])
        );
        assert_eq!(said(&ring, &[], "plan").0, None);
        assert_eq!(said(&ring, &[], "apply").0, Some(false));
    }

    /// Terraform 1.11 evaluates both sides of `&&` and `||`.
    #[test]
    fn instances_that_depend_on_one_side_alone_leave_a_plan_open() {
        let plan = |locals: &str, count: &str| {
            let one =
                |name: &str| format!("resource \"terraform_data\" \"{name}\" {{\n  count = {count}\n}}\n");
            let text = format!(
                "locals {{\n  on = false\n{locals}}}\nresource \"terraform_data\" \"a\" {{\n}}\n{}{}",
                one("b"),
                one("c")
            );
            said(&text, &[], "plan").0
        };
        let side = "local.on && terraform_data.a.id != \"\"";
        assert_eq!(plan("", "local.on ? 1 : 0"), Some(true));
        assert_eq!(plan("", &format!("{side} ? 1 : 0")), None);
        assert_eq!(plan(&format!("  both = {side}\n"), "local.both ? 1 : 0"), None);
    }

    #[test]
    fn conditions_of_resources_and_outputs_are_held_as_far_as_they_are_known() {
        let data = |count: &str, word: &str, condition: &str| {
            format!(
                "locals {{\n  n = 1\n}}\nresource \"terraform_data\" \"a\" {{\n{count}  lifecycle {{\n    {word} {{\n      condition \
                 = {condition}\n      error_message = \"no\"\n    }}\n  }}\n}}\n"
            )
        };
        let plan = |text: &str| said(text, &[], "plan");
        assert_eq!(plan(&data("", "precondition", "local.n == 1")).0, Some(true));
        let (ok, found) = plan(&data("", "precondition", "local.n == 2"));
        assert_eq!((ok, found.len()), (Some(false), 1));
        let (ok, found) = plan(&data("  count = 3\n", "precondition", "count.index < local.n"));
        assert_eq!((ok, found.len()), (Some(false), 1));
        // Without instances it is not checked.
        assert_eq!(
            plan(&data("  count = 0\n", "precondition", "local.n == 2")).0,
            Some(true)
        );
        // The attributes of the resource are known once it is created.
        assert_eq!(plan(&data("", "postcondition", "self.id != \"\"")).0, None);
        let output = "locals {\n  n = \"1\"\n}\noutput \"o\" {\n  value = 1\n  precondition {\n    condition     = local.n == \
                      terraform_data.b.id\n    error_message = \"no\"\n  }\n}\nresource \"terraform_data\" \"b\" {\n}\n";
        assert_eq!(plan(output).0, None);
        // A check only warns.
        let check = "locals {\n  n = 1\n}\ncheck \"c\" {\n  assert {\n    condition     = local.n == 2\n    error_message = \
                     \"no\"\n  }\n}\n";
        assert_eq!(plan(check), (Some(true), vec![]));
    }

    #[test]
    fn what_is_passed_to_a_module_is_said_once() {
        let child = format!("//- /w/m/main.tf\n{}", variable(""));
        let call = |value: &str| format!("module \"m\" {{\n  source = \"./m\"\n  v      = {value}\n}}\n");
        let text = |head: &str, value: &str| format!("{head}{}{}{child}", call(value), stacks(&["y"]));
        // With a literal value `validate` reports it.
        let (ok, found) = said(&text("", "\"bad\""), &[], "validate");
        assert_eq!((ok, found.len()), (Some(false), 1), "{found:?}");
        let head = "variable \"given\" {\n}\n";
        let (ok, found) = said(&text(head, "var.given"), &["given=bad"], "plan");
        assert_eq!((ok, found.len()), (Some(false), 1), "{found:?}");
        assert_eq!(
            said(&text(head, "var.given"), &["given=bad"], "validate").0,
            Some(true)
        );
    }

    fn stack_with(lifecycle: &str) -> String {
        let own = stacks(&["s"]);
        let end = own.rfind('}').expect("a block");
        format!("{}  lifecycle {{\n{lifecycle}  }}\n}}\n", &own[..end])
    }

    fn postcondition(condition: &str) -> String {
        format!(
            "    postcondition {{\n      condition     = {condition}\n      error_message = \"Not met.\"\n    }}\n"
        )
    }

    /// The provider's default is certain. What has none is null when it is created, and may be empty if it exists.
    #[test]
    fn a_condition_reads_attributes_of_self_that_are_not_set() {
        for (condition, ok, severity) in [
            ("!self.autodeploy", Some(true), None),
            ("self.autodeploy", Some(false), Some(Severity::Error)),
            ("self.description == null", Some(true), None),
            ("self.description != null", None, Some(Severity::Warning)),
            ("self.labels != null", None, Some(Severity::Warning)),
            ("self.space_id == \"root\"", None, None),
        ] {
            let (verdict, found) = said(&stack_with(&postcondition(condition)), &[], "plan");
            let severities: Vec<_> = found.iter().map(|(severity, _)| *severity).collect();
            assert_eq!(
                (verdict, severities),
                (ok, severity.into_iter().collect()),
                "{condition}"
            );
        }
    }

    #[test]
    fn a_plan_accepts_a_condition_that_is_false_once_it_is_applied() {
        let text = stack_with(&postcondition("self.id == null"));
        assert_eq!(said(&text, &[], "plan"), (Some(true), vec![]));
        assert_eq!(said(&text, &[], "apply"), (None, vec![]));
        // Of this one a plan knows that it is not null.
        let inside = postcondition("self.id == null");
        let data = format!("resource \"terraform_data\" \"d\" {{\n  lifecycle {{\n{inside}  }}\n}}\n");
        assert_eq!(said(&data, &[], "plan").0, Some(false));
    }

    /// What is ignored are changes: when it is created, the resource has what is written.
    #[test]
    fn an_attribute_whose_changes_are_ignored_probably_has_the_written_value() {
        let text = stack_with("    ignore_changes = [autodeploy, name]\n");
        for (condition, wanted) in [
            ("!spacelift_stack.s.autodeploy", Some(true)),
            ("spacelift_stack.s.autodeploy", None),
            ("spacelift_stack.s.name == \"s\"", Some(true)),
            ("spacelift_stack.s.name != \"s\"", None),
        ] {
            let inside = postcondition(condition).replace("post", "pre");
            let data = format!("resource \"terraform_data\" \"d\" {{\n  lifecycle {{\n{inside}  }}\n}}\n");
            let (verdict, found) = said(&format!("{text}{data}"), &[], "plan");
            let severities: Vec<_> = found.iter().map(|(severity, _)| *severity).collect();
            let warned = wanted.is_none().then_some(Severity::Warning);
            assert_eq!(
                (verdict, severities),
                (wanted, warned.into_iter().collect()),
                "{condition}"
            );
        }
    }
}
