//! `spacelift/invalid-expression`: an expression that Terraform cannot evaluate, whatever variables and resources say.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InProject;

use crate::judge::stage;
use crate::model::{FaultKind, ValuesFaultKind};

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
    for fault in project.faults(FaultKind::InvalidExpression) {
        let message = format!("`{}`: {}", fault.static_at, in_a_sentence(&fault.subject));
        let d = Diagnostic::new(&RULE, fault.place, message).unit(fault.static_at.clone());
        let finding = project.fault_finding(fault, d);
        found.push(project.rejected(finding, stage::CONFIG, fault.heuristic, ""));
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

/// What an evaluation says, as a part of a sentence.
fn in_a_sentence(why: &str) -> String {
    let mut letters = why.trim_end_matches('.').chars();
    let first = letters.next().map(char::to_lowercase).into_iter().flatten();
    first.chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use applyorder_core::engine::RunOptions;

    use super::RULE;
    use crate::tests::{module, speaks, stacks};

    /// Of keys that `terraform validate` knows it says that two are alike; of others `plan` does.
    #[test]
    fn a_key_that_a_for_gives_twice_is_not_passed_over() {
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
            let (_, project) = fixture.analysis.projects().next().unwrap();
            ["validate", "plan"].map(|command| {
                let mut all = project.resolution.verdicts.iter();
                all.find(|v| v.command == command).unwrap().ok
            })
        };
        let literal = "[{ name = \"a\", repository = \"r\" }, { name = \"a\", repository = \"q\" }]";
        let each = "\"a-${count.index}\"";
        assert_eq!(verdicts(each, literal, false), [Some(false); 2]);
        assert_eq!(verdicts(each, literal, true), [Some(true); 2]);
        for list in ["spacelift_stack.all", "spacelift_stack.all[*]"] {
            assert_eq!(verdicts(each, list, false), [Some(true); 2], "{list}");
            assert_eq!(verdicts("\"a\"", list, false), [Some(true), None], "{list}");
            assert_eq!(verdicts("\"a\"", list, true), [Some(true); 2], "{list}");
        }
    }

    /// What `terraform validate` 1.11 says, of what nothing uses as well.
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
                // In what other providers take, the value as a whole.
                "{\n    a = \"a\" * 2\n  }",
                "\"a\" > 1 && self.id != \"\"",
            ],
        );
    }
}
