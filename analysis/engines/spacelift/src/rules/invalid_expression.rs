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
    use super::RULE;
    use crate::tests::{speaks, stacks};

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
