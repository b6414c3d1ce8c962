//! `invalid-value` of references: an id that is not the id of a dependency. And of arguments: an empty string,
//! and what does not go together.
//!
//! Source: spec section 2.2: the id of a dependency holds a `/`.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::invalid_value::RULE;

use super::{InProject, said};
use crate::judge::stage;
use crate::model::{Argument, Of, Wrong, seen_from};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for reference in &project.model.references {
        let message = match &reference.of {
            Of::Stack(stack) => format!(
                "this is the id of `{}`, and not of a dependency",
                project.name(*stack)
            ),
            Of::Text(text) => format!("`{text}` is not the id of a dependency, which holds a `/`"),
            _ => continue,
        };
        let mut d = Diagnostic::new(&RULE, reference.of_place, message).unit(reference.address.clone());
        if let Of::Stack(stack) = reference.of {
            let mut own = project
                .model
                .dependencies
                .iter()
                .filter(|d| d.edge().is_some_and(|(from, to)| from == stack || to == stack));
            if let (Some(only), None) = (own.next(), own.next())
                && let Some(inside) = seen_from(&reference.address, &only.address)
            {
                let steps = vec![FixStep::Replace(reference.of_place, format!("{inside}.id"))];
                d = d.fix(format!("take the id of `{inside}`"), Safety::Unsafe, steps);
            }
        }
        let heuristic = reference.heuristic;
        let finding = said(
            "not-a-dependency-id",
            &reference.address,
            project.likely(d, heuristic),
        )
        .detail("at", format!("{}.stack_dependency_id", reference.address));
        found.push(project.rejected(finding, stage::API, heuristic, "unexpected stack_dependency_id"));
    }
    for argument in &project.model.arguments {
        let (resource, name) = (&argument.resource, &argument.name);
        let (message, words) = match &argument.wrong {
            Wrong::Empty => (
                format!("`{name}` of `{resource}` is empty"),
                "must not be an empty string",
            ),
            Wrong::Conflict(names) => {
                let others: Vec<&str> = names.iter().map(|n| &**n).filter(|n| *n != &**name).collect();
                let message = format!(
                    "`{name}` of `{resource}` conflicts with `{}`",
                    others.join("`, `")
                );
                (message, "Conflicting configuration arguments")
            }
            Wrong::Computed => (
                format!("`{name}` of `{resource}` is computed: a template takes plain texts here"),
                "",
            ),
            Wrong::Name(why) if why.is_empty() => (
                format!("invalid name `{name}`: use only letters, digits, `_` and `-`"),
                "",
            ),
            Wrong::Name(why) => (format!("invalid name `{name}`: {why}"), ""),
            Wrong::Secret(why) => (format!("`{name}` of `{resource}`: {why}"), secret(argument)),
            Wrong::Condition(why) => (format!("`{name}` of `{resource}`: {why}"), ""),
            Wrong::Labels(wanted) => (format!("`{name}` needs {}", labels(*wanted)), ""),
            Wrong::UnknownType => (
                format!("the provider has no `{name}` of this kind"),
                "Invalid resource type",
            ),
            _ => continue,
        };
        let mut d = Diagnostic::new(&RULE, argument.place, message).unit(resource.clone());
        if let Some(near) = &argument.near {
            d = d.label(format!("did you mean `{near}`?"));
        }
        let d = project.likely(d, argument.is_likely);
        found.push(project.of_argument("invalid-argument", argument, d, words));
    }
}

/// What Terraform says of a secret value.
fn secret(argument: &Argument) -> &'static str {
    match &*argument.name {
        "count" => "Invalid count argument",
        "for_each" => "Invalid for_each argument",
        _ if !argument.is_own => "Invalid use of ephemeral value",
        _ => "",
    }
}

fn labels(wanted: usize) -> String {
    match wanted {
        0 => "no labels".to_owned(),
        1 => "one label".to_owned(),
        more => format!("{more} labels"),
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::{dependency, reference, speaks, stacks};

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let text = [
            stacks(&["a", "b"]),
            dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id"),
            reference("x", "spacelift_stack.a.id", "o", "TF_VAR_o"),
            reference("y", "\"plain\"", "o", "TF_VAR_p"),
            reference("z", "spacelift_stack_dependency.d.id", "o", "TF_VAR_q"),
            reference("u", "\"a/b\"", "o", "TF_VAR_r"),
        ];
        speaks(&RULE, &text.concat(), &["spacelift_stack.a.id", "\"plain\""]);
    }

    #[test]
    fn types_that_the_provider_does_not_have() {
        let text = "data \"spacelift_stack_dependency\" \"d\" {\n}\nresource \"spacelift_stak\" \"s\"                     {\n}\nresource \"aws_s3\" \"b\" {\n}\n";
        speaks(
            &RULE,
            text,
            &["\"spacelift_stack_dependency\"", "\"spacelift_stak\""],
        );
    }

    /// What `terraform validate` 1.11 says with the provider at 8565261.
    #[test]
    fn empty_texts_and_what_does_not_go_together() {
        let text = r#"
resource "spacelift_stack" "a" {
  name       = ""
  repository = "r"
  branch     = "main"
  ansible {
    playbook = "p"
  }
  pulumi {
    login_url  = "u"
    stack_name = "n"
  }
}
resource "spacelift_stack" "b" {
  name       = "b"
  repository = "r"
  branch     = "main"
  project_root = ""
  ansible {
    playbook = "p"
  }
  dynamic "pulumi" {
    for_each = []
    content {
      login_url  = "u"
      stack_name = "n"
    }
  }
}
resource "spacelift_environment_variable" "e" {
  stack_id   = spacelift_stack.b.id
  context_id = "c"
  name       = "E"
}
"#;
        speaks(&RULE, text, &["\"\"", "pulumi"]);
    }
}
