//! `wrong-type` of arguments: a list, a whole resource or a word where the provider expects something else.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::wrong_type::RULE;

use super::InProject;
use crate::model::{Argument, Wrong};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for argument in &project.model.arguments {
        let (resource, name) = (&argument.resource, &argument.name);
        let (message, words) = match &argument.wrong {
            Wrong::Type(why) => (
                format!("`{name}` of `{resource}`: {why}"),
                words(argument).to_owned(),
            ),
            Wrong::TooMany(most) if project.model.is_blueprint => {
                (format!("more than {most} stacks in a {resource}"), String::new())
            }
            Wrong::TooMany(most) => (
                format!("`{resource}` takes at most {most} of `{name}`"),
                format!("Too many {} blocks", name.rsplit('.').next().unwrap_or(name)),
            ),
            _ => continue,
        };
        let mut d = Diagnostic::new(&RULE, argument.place, message).unit(resource.clone());
        if argument.near.is_some() && project.model.is_blueprint {
            let steps = vec![FixStep::WrapInList(argument.place)];
            d = d.fix("wrap it in a list", Safety::Unsafe, steps);
        } else if let Some(near) = &argument.near {
            let steps = vec![FixStep::Replace(argument.place, near.clone())];
            d = d.fix("take the id", Safety::Unsafe, steps);
        }
        let d = project.likely(d, argument.is_likely);
        found.push(project.of_argument("wrong-type", argument, d, &words));
    }
}

/// Terraform's message about a value of another type.
fn words(argument: &Argument) -> &'static str {
    match &*argument.name {
        _ if !argument.is_own => "Incorrect attribute value type",
        "count" => "Invalid count argument",
        "for_each" => "Invalid for_each argument",
        "default" => "Invalid default value for variable",
        "type" => "Invalid type specification",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use applyorder_core::engine::RunOptions;

    use super::RULE;
    use crate::tests::{dependency, module, speaks, stacks};

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let text = [
            stacks(&["a", "b"]),
            dependency("x", "[spacelift_stack.a.id]", "spacelift_stack.b.id"),
            dependency("y", "spacelift_stack.a", "spacelift_stack.b.id"),
        ];
        speaks(
            &RULE,
            &text.concat(),
            &["[spacelift_stack.a.id]", "spacelift_stack.a"],
        );
    }

    /// The results of `terraform validate` and `plan` 1.11 with the provider at 8565261.
    #[test]
    fn validate_knows_types_and_plan_values() {
        let stack = |name: &str, lines: &str| {
            format!(
                "resource \"spacelift_stack\" \"{name}\" {{\n  repository = \"r\"\n  branch = \"main\"\n  {lines}\n}}\n"
            )
        };
        for (lines, more, rejecting) in [
            ("name = [\"a\"]", "", &["validate", "plan", "apply"][..]),
            (
                "name = local.l",
                "locals {\n  l = [\"a\"]\n}\n",
                &["validate", "plan", "apply"],
            ),
            (
                "name = var.l",
                "variable \"l\" {\n  type = list(string)\n}\n",
                &["validate", "plan", "apply"],
            ),
            (
                "name = \"a\"\n  administrative = \"yes\"",
                "",
                &["validate", "plan", "apply"],
            ),
            ("name = \"a\"\n  administrative = \"true\"", "", &[]),
            ("name = 3", "", &[]),
            (
                "name = \"a\"\n  labels = \"l\"",
                "",
                &["validate", "plan", "apply"],
            ),
            ("name = \"a\"\n  labels = [\"l\", 3]", "", &[]),
            (
                "name = \"a\"\n  github_enterprise {\n    namespace = [\"n\"]\n  }",
                "",
                &["validate", "plan", "apply"],
            ),
            (
                "for_each = toset([\"k\"])\n  name = [each.key]",
                "",
                &["validate", "plan", "apply"],
            ),
            (
                "for_each = { k = { n = \"x\" } }\n  name = each.value",
                "",
                &["plan", "apply"],
            ),
            ("for_each = { k = { n = \"x\" } }\n  name = each.value.n", "", &[]),
            (
                "name = \"a\"\n  dynamic \"github_enterprise\" {\n    for_each = spacelift_stack.o.name\n    content {\n      \
                 namespace = \"n\"\n    }\n  }\n}\nresource \"spacelift_stack\" \"o\" {\n  repository = \"r\"\n  branch = \
                 \"main\"\n  name = \"o\"",
                "",
                &["plan", "apply"],
            ),
            (
                "name = \"a\"\n  dynamic \"github_enterprise\" {\n    for_each = [spacelift_stack.o.name]\n    content {\n      \
                 namespace = \"n\"\n    }\n  }\n}\nresource \"spacelift_stack\" \"o\" {\n  repository = \"r\"\n  branch = \
                 \"main\"\n  name = \"o\"",
                "",
                &[],
            ),
        ] {
            let fixture = module(&(stack("s", lines) + more), RunOptions::default());
            let found = crate::tests::found(&fixture, &RULE);
            let commands = found.iter().flat_map(|d| d.enforced.iter().map(|e| e.command));
            let commands: Vec<&str> = commands.collect();
            assert_eq!(commands, rejecting, "{lines}");
        }
    }
}
