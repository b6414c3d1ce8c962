//! `missing-field` of resources: an argument without which Terraform rejects the block.

use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::missing_field::RULE;

use super::InProject;
use crate::model::Wrong;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for argument in &project.model.arguments {
        let (resource, name) = (&argument.resource, &argument.name);
        let listed = |names: &[String]| format!("`{}`", names.join("`, `"));
        let (message, words) = match &argument.wrong {
            Wrong::Missing => (
                format!("`{resource}` needs `{name}`"),
                "Missing required argument",
            ),
            Wrong::OneOf(names) => (
                format!("`{resource}` needs one of {}", listed(names)),
                "Invalid combination of arguments",
            ),
            Wrong::Needs { names, any: true } => (
                format!("`{resource}` needs one of {}", listed(names)),
                "Missing required argument",
            ),
            Wrong::Needs { names, any: false } => (
                format!("`{name}` of `{resource}` needs {}", listed(names)),
                "Missing required argument",
            ),
            _ => continue,
        };
        let d = Diagnostic::new(&RULE, argument.place, message).unit(resource.clone());
        let d = project.likely(d, argument.is_likely);
        found.push(project.of_argument("missing-argument", argument, d, words));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let text = "resource \"spacelift_stack\" \"a\" {\n  name       = \"A\"\n  repository = \"r\"\n}\n";
        speaks(&RULE, text, &["resource \"spacelift_stack\" \"a\""]);
        // What is being typed is not known to be missing.
        let text =
            "resource \"spacelift_stack\" \"a\" {\n  name       = \"A\"\n  repository = \"r\"\n  branch\n}\n";
        speaks(&RULE, text, &[]);
    }

    /// What `terraform validate` 1.11 says with the provider at 8565261.
    #[test]
    fn nested_blocks_null_and_what_has_to_be_there_together() {
        let text = r#"
variable "v" {}
resource "spacelift_stack" "a" {
  name       = null
  repository = var.v
  branch     = "main"
  gitlab {
  }
}
resource "spacelift_environment_variable" "e" {
  name  = "E"
  value = "x"
}
resource "spacelift_environment_variable" "f" {
  stack_id = var.v
  name     = "F"
  value_wo = "x"
}
"#;
        speaks(
            &RULE,
            text,
            &[
                "resource \"spacelift_stack\" \"a\"",
                "gitlab",
                "resource \"spacelift_environment_variable\" \"e\"",
                "value_wo",
            ],
        );
    }
}
