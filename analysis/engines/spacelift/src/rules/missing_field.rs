//! `missing-field` of resources: an argument without which Terraform rejects the block.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
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
        let mut d = Diagnostic::new(&RULE, argument.place, message).unit(resource.clone());
        if let Some(stub) = argument
            .near
            .as_ref()
            .filter(|_| project.is_native(argument.place))
        {
            let name = name.rsplit('.').next().unwrap_or(name).to_owned();
            let title = format!("insert `{name}`, to be filled in");
            let step = FixStep::InsertKeyAfter(argument.place, name, stub.clone());
            d = d.fix(title, Safety::Unsafe, vec![step]);
        }
        let d = project.likely(d, argument.is_likely);
        found.push(project.of_argument("missing-argument", argument, d, words));
    }
}

#[cfg(test)]
mod tests {
    use applyorder_core::engine::RunOptions;

    use super::RULE;
    use crate::tests::{fixed, found, module, speaks, stacks};

    /// What is missing is put in by its type, also in a nested block; in a dynamic one it is not known where.
    #[test]
    fn what_is_missing_is_put_in_to_be_filled_in() {
        let stack = |lines: &str| stacks(&["a"]).replace("  branch     = \"main\"\n", lines);
        let main = "  branch     = \"main\"\n";
        for (text, after) in [
            (stack(""), Some("branch = \"\"")),
            (
                stack(&format!("{main}  gitlab {{\n  }}\n")),
                Some("namespace = \"\""),
            ),
            (
                stack(&format!(
                    "{main}  dynamic \"gitlab\" {{\n    for_each = [1]\n    content {{\n    }}\n  }}\n"
                )),
                None,
            ),
            (
                format!(
                    "{}module \"m\" {{\n  source = \"./m\"\n}}\n//- /w/m/main.tf\nvariable \"all\" {{\n  type = \
                     list(string)\n}}\n",
                    stacks(&["a"])
                ),
                Some("all = []"),
            ),
        ] {
            let fixture = module(&text, RunOptions::default());
            let found = found(&fixture, &RULE);
            let [found] = found.as_slice() else {
                panic!("{text}: {found:#?}")
            };
            assert_eq!(found.fixes.len(), usize::from(after.is_some()), "{text}");
            if let Some(after) = after {
                let fixed = fixed(&fixture, found, 0);
                assert!(fixed.contains(after), "{fixed}");
            }
        }
    }

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
