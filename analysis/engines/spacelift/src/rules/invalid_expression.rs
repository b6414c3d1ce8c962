//! `spacelift/invalid-expression`: an expression that Terraform cannot evaluate, whatever the values of variables and
//! resources are.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InProject;

use crate::inputs::ValuesFaultKind;
use crate::judge::stage;
use crate::model::FaultKind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/invalid-expression",
    severity: Severity::Error,
    summary: "An expression that Terraform cannot evaluate",
    docs: include_str!("../../../../../docs/rules/spacelift/invalid-expression.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for (kind, stage) in [
        (FaultKind::InvalidExpression, stage::CONFIG),
        (FaultKind::FailingExpression, stage::VALUES),
    ] {
        for fault in project.faults(kind) {
            let message = format!("`{}`: {}", fault.static_at, in_a_sentence(&fault.subject));
            let d = Diagnostic::new(&RULE, fault.place, message).unit(fault.static_at.clone());
            let finding = project.fault_finding(fault, d);
            found.push(project.rejected(finding, stage, fault.heuristic, ""));
        }
    }
    for fault in &project.model.values_faults {
        if let ValuesFaultKind::Expression(name, why) = &fault.what {
            let message = format!("`{name}`: {}", in_a_sentence(why));
            let d = Diagnostic::new(&RULE, fault.place, message)
                .note("a file of values has neither variables nor functions");
            found.push(project.of_values(fault, d));
        }
    }
}

/// The message of an evaluation, as a part of a sentence.
fn in_a_sentence(why: &str) -> String {
    let mut letters = why.trim_end_matches('.').chars();
    let first = letters.next().map(char::to_lowercase).into_iter().flatten();
    first.chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use applyorder_core::engine::RunOptions;

    use super::RULE;
    use crate::tests::{module, speaks, stacks, verdict};

    /// `terraform validate` reports two equal keys if it knows them; for others `plan` does.
    #[test]
    fn a_duplicate_key_of_a_for_is_reported() {
        let all = "resource \"spacelift_stack\" \"all\" {\n  count = 2\n  name = NAME\n  repository = \"r\"\n  branch = \
                   \"main\"\n}\nlocals {\n  by = { for s in LIST : s.name => s.repository }\n}\noutput \"o\" {\n  value = \
                   local.by\n}\n";
        let verdicts = |name: &str, list: &str, groups: bool| {
            let value = if groups { "s.repository..." } else { "s.repository" };
            let text = all
                .replace("NAME", name)
                .replace("LIST", list)
                .replace("s.repository", value);
            let fixture = module(&text, RunOptions::default());
            ["validate", "plan"].map(|command| verdict(&fixture, command))
        };
        let literal = "[{ name = \"a\", repository = \"r\" }, { name = \"a\", repository = \"q\" }]";
        let each = "\"a-${count.index}\"";
        assert_eq!(verdicts(each, literal, false), [Some(false); 2]);
        assert_eq!(verdicts(each, literal, true), [Some(true); 2]);
        for list in ["spacelift_stack.all", "spacelift_stack.all[*]"] {
            assert_eq!(verdicts(each, list, false), [Some(true); 2], "{list}");
            assert_eq!(
                verdicts("\"a\"", list, false),
                [Some(true), Some(false)],
                "{list}"
            );
            assert_eq!(verdicts("\"a\"", list, true), [Some(true); 2], "{list}");
        }
    }

    #[test]
    fn a_key_that_only_values_give_twice_is_told_as_surely_as_they_are() {
        let text = |names: [&str; 2], meta: &str, value: &str| {
            let stack = |label: &str, name: &str| {
                stacks(&[label]).replace(&format!("\"{label}\"\n  repo"), &format!("{name}\n  repo"))
            };
            format!(
                "variable \"v\" {{\n  default = \"a\"\n}}\n{}{}resource \"terraform_data\" \"t\" {{\n{meta}  input = {value}\n}}\n",
                stack("a", names[0]),
                stack("b", names[1])
            )
        };
        let by_name = "{ for s in [spacelift_stack.a, spacelift_stack.b] : s.name => s.id }";
        let same = ["\"a\"", "\"a\""];
        let found = |names, meta, value: &str| {
            let fixture = module(&text(names, meta, value), RunOptions::default());
            let (_, project) = fixture.analysis.projects().next().unwrap();
            let plan = project.resolution.verdicts.iter().find(|v| v.command == "plan");
            let found = crate::tests::found(&fixture, &RULE);
            (
                plan.unwrap().ok,
                found.iter().map(|d| d.severity).collect::<Vec<_>>(),
            )
        };
        use applyorder_core::diagnostic::Severity;
        assert_eq!(found(same, "", by_name), (Some(false), vec![Severity::Error]));
        // Reported once, regardless of the number of instances.
        assert_eq!(
            found(same, "  count = 2\n", by_name),
            (Some(false), vec![Severity::Error])
        );
        assert_eq!(found(same, "  count = 0\n", by_name), (Some(true), vec![]));
        assert_eq!(found(["\"a\"", "\"b\""], "", by_name), (Some(true), vec![]));
        assert_eq!(
            found(same, "", &by_name.replace("s.id }", "s.id... }")),
            (Some(true), vec![])
        );
        let tried = format!("try({by_name}, {{}})");
        assert_eq!(found(same, "", &tried), (Some(true), vec![]));
        // The variable may have another value than its default.
        assert_eq!(
            found(["\"a\"", "var.v"], "", by_name),
            (None, vec![Severity::Warning])
        );
        // Terraform does not know IDs yet.
        let ids = by_name.replace("s.name", "s.id");
        assert_eq!(found(same, "", &ids).1, vec![]);
    }

    /// The result of Terraform 1.11.4 for failures caused by values that it knows when it plans.
    #[test]
    fn a_failure_by_known_values_alone_fails_plan() {
        let verdicts = |text: &str, options: RunOptions| {
            let two = stacks(&["s"]).replace("\"s\"\n  repo", "\"s-${count.index}\"\n  count = 2\n  repo");
            let fixture = module(&format!("{two}{}{text}", stacks(&["a"])), options);
            let found = crate::tests::found(&fixture, &RULE).len();
            let said = ["validate", "plan"].map(|command| verdict(&fixture, command));
            (said, found)
        };
        let output = |value: &str| {
            let text = format!("output \"o\" {{\n  value = {value}\n}}\n");
            verdicts(&text, RunOptions::default())
        };
        for value in [
            "one(spacelift_stack.s[*].name)",
            "one(spacelift_stack.s[*].id)",
            "element([for s in spacelift_stack.s : s if s.name == \"x\"], 0)",
            "spacelift_stack.s[*].name[2]",
            "{ a = 1 }[spacelift_stack.s[0].name]",
            "{ for s in spacelift_stack.s : s.name => {} }[\"t-0\"]",
            "tonumber(spacelift_stack.a.name)",
            "spacelift_stack.a.name + 1",
            "regex(\"^x\", spacelift_stack.a.name)",
            "spacelift_stack.a.github_enterprise[0]",
        ] {
            assert_eq!(output(value), ([Some(true), Some(false)], 1), "{value}");
        }
        for value in [
            "try(one(spacelift_stack.s[*].name), \"\")",
            "can(tonumber(spacelift_stack.a.name))",
            "length(spacelift_stack.s) == 2 ? 1 : one(spacelift_stack.s[*].name)",
        ] {
            assert_eq!(output(value), ([Some(true); 2], 0), "{value}");
        }
        // Which arm is used is known once the stack exists.
        let ahead = "spacelift_stack.a.id == \"\" ? 1 : one(spacelift_stack.s[*].name)";
        assert_eq!(output(ahead).0, [Some(true), None]);
        // It is not evaluated, or perhaps not.
        let count = |count: &str| {
            let text = format!(
                "variable \"n\" {{\n  type = number\n}}\nresource \"terraform_data\" \"d\" {{\n  count = {count}\n  input = \
                 one(spacelift_stack.s[*].name)\n}}\n"
            );
            let given = RunOptions::default().with(&crate::config::VAR, ["n=1"]);
            verdicts(&text, given)
        };
        assert_eq!(count("0"), ([Some(true); 2], 0));
        assert_eq!(count("var.n"), ([Some(true), Some(false)], 1));
        assert_eq!(count("length(spacelift_stack.a.id)"), ([Some(true), None], 0));
        // A `check` that is false is a warning; one that fails is an error.
        let check = |condition: &str| {
            let text = format!(
                "check \"c\" {{\n  assert {{\n    condition     = {condition}\n    error_message = \"m\"\n  }}\n}}\n"
            );
            verdicts(&text, RunOptions::default())
        };
        assert_eq!(check("spacelift_stack.a.name == \"b\""), ([Some(true); 2], 0));
        let fails = check("tonumber(spacelift_stack.a.name) == 1");
        assert_eq!(fails, ([Some(true), Some(false)], 1));
        assert_eq!(check("spacelift_stack.a.name").0, [Some(true), Some(false)]);
    }

    /// The result of `terraform validate` 1.11, also for unused expressions.
    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let text = r#"
variable "list" {
  type = list(string)
}
locals {
  sum    = 1 + "a"
  none   = upper()
  typed  = 1 + var.list
  chosen = true ? 1 : upper()
  tried  = try(upper(), 1)
  later  = 1 + terraform_data.a.id
  each   = each.key
}
output "o" {
  value = nofunction(1)
}
resource "terraform_data" "a" {
  input = [for name in [] : upper()]
  triggers_replace = {
    a = "a" * 2
  }
  lifecycle {
    postcondition {
      condition     = "a" > 1 && self.id != ""
      error_message = "e"
    }
  }
}
"#;
        speaks(
            &RULE,
            &(stacks(&["a"]) + text),
            &[
                "\"a\"",
                "upper()",
                "var.list",
                "each.key",
                "nofunction",
                // The arguments of other providers' resources are evaluated as a whole.
                "{\n    a = \"a\" * 2\n  }",
                "\"a\" > 1 && self.id != \"\"",
            ],
        );
    }
}
