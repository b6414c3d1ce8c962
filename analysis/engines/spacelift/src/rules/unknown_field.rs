//! `unknown-field` of resources: an argument or a block that a block does not take, an attribute that it does not give.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::unknown_field::RULE;

use super::{InProject, SCHEMA};
use crate::judge::stage;
use crate::model::{FaultKind, Wrong};
use crate::schema::VERSION;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for argument in &project.model.arguments {
        let (resource, name) = (&argument.resource, &argument.name);
        let (message, words) = match &argument.wrong {
            Wrong::Unknown => (format!("`{resource}` takes no `{name}`"), "Unsupported argument"),
            Wrong::UnknownBlock => (
                format!("`{resource}` takes no block `{name}`"),
                "Unsupported block type",
            ),
            Wrong::Block => (
                format!("`{name}` of `{resource}` is a block, and not an argument"),
                "Unsupported argument",
            ),
            Wrong::NoBlock => (
                format!("`{name}` of `{resource}` is an argument, and not a block"),
                "Unsupported block type",
            ),
            Wrong::ReadOnly { is_id } => (
                format!("`{name}` of `{resource}` is set by the provider"),
                if *is_id {
                    "Invalid or unknown key"
                } else {
                    "Value for unconfigurable attribute"
                },
            ),
            _ => continue,
        };
        let mut d = Diagnostic::new(&RULE, argument.place, message).unit(resource.clone());
        let is_unknown = matches!(argument.wrong, Wrong::Unknown);
        if let Some(near) = &argument.near {
            d = d.label(format!("did you mean `{near}`?"));
            if is_unknown {
                let steps = vec![FixStep::Replace(argument.place, near.clone())];
                d = d.fix(format!("replace with `{near}`"), Safety::Unsafe, steps);
            }
        }
        if &**name == "trigger_always" {
            d = d.note("it belongs to a `spacelift_stack_dependency_reference`");
        }
        if is_unknown || matches!(argument.wrong, Wrong::ReadOnly { .. }) {
            let steps = vec![FixStep::RemoveKey(argument.place)];
            d = d.fix("remove it", Safety::Unsafe, steps);
        }
        let d = match argument.is_own {
            true => d,
            false => known(project, d, argument.is_likely),
        };
        found.push(project.of_argument("unsupported-argument", argument, d, words));
    }
    for fault in project.faults(FaultKind::UnsupportedAttribute) {
        let message = format!("there is no attribute `{}`", fault.subject);
        let d = project.of_fault(fault, Diagnostic::new(&RULE, fault.place, message));
        let finding = project.fault_finding(fault, d);
        found.push(project.rejected(finding, stage::CONFIG, fault.heuristic, "Unsupported attribute"));
    }
}

/// Says of which version the schema is.
fn known(project: &InProject<'_>, d: Diagnostic, is_likely: bool) -> Diagnostic {
    let d = if is_likely { d.heuristic() } else { d };
    if project.model.is_blueprint {
        return d.note(SCHEMA);
    }
    d.note(format!("by version {VERSION} of the provider"))
}

#[cfg(test)]
mod tests {
    use applyorder_core::diagnostic::{Certainty, Severity};
    use applyorder_core::engine::RunOptions;

    use super::RULE;
    use crate::tests::{dependency, module, speaks, stacks};

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let wrong = "resource \"spacelift_stack_dependency\" \"w\" {\n  stack_id            = spacelift_stack.a.id\n  \
                     depends_on_stack_id = spacelift_stack.b.idd\n  trigger_always      = true\n}\n";
        let text = [
            stacks(&["a", "b"]),
            wrong.to_owned(),
            dependency("x", "spacelift_stack.a.id", "spacelift_stack.b.id"),
        ];
        speaks(
            &RULE,
            &text.concat(),
            &["spacelift_stack.b.idd", "trigger_always"],
        );
    }

    /// What `terraform validate` 1.11 says with the provider at 8565261.
    #[test]
    fn blocks_nested_arguments_and_what_the_provider_sets() {
        let text = r#"
resource "spacelift_stack" "a" {
  name       = "a"
  repository = "r"
  branch     = "main"
  context_id = "x"
  pulumi     = []
  id         = "x"
  aws_assume_role_policy_statement = null
  after_apply {}
  foo {}
  github_enterprise {
    namespace = "n"
    bogus     = 1
  }
  dynamic "nope" {
    for_each = []
    content {}
  }
  dynamic "ansible" {
    for_each = []
    content {
      x = 1
    }
  }
  lifecycle {
    ignore_changes = [name]
  }
}
data "spacelift_stack" "d" {
  stack_id = "x"
  bogus    = 1
}
resource "spacelift_newer" "n" {
  anything = 1
}
resource "spacelift_context" "c" {
  nme = "c"
}
"#;
        speaks(
            &RULE,
            text,
            &[
                "context_id",
                "pulumi",
                "id",
                "after_apply",
                "foo",
                "bogus",
                "dynamic \"nope\"",
                "bogus",
                "nme",
            ],
        );
    }

    #[test]
    fn another_version_makes_it_likely() {
        let text = |terraform: &str| {
            format!(
                "{}  context_id = 1\n}}\n{terraform}",
                stacks(&["a"]).trim_end_matches("}\n")
            )
        };
        let required = |version: &str| {
            format!(
                "terraform {{\n  required_providers {{\n    spacelift = {{\n      source = \
                 \"spacelift-io/spacelift\"\n      version = \"{version}\"\n    }}\n  }}\n}}\n"
            )
        };
        let lock = |version: &str| {
            format!(
                "//- /w/.terraform.lock.hcl\nprovider \"registry.terraform.io/spacelift-io/spacelift\" {{\n  version = \
                 \"{version}\"\n}}\n"
            )
        };
        for (terraform, is_error) in [
            (String::new(), true),
            (required("~> 1.0"), true),
            (required("~> 0.1"), false),
            (lock("1.53.5"), true),
            (lock("1.30.0"), false),
        ] {
            let fixture = module(&text(&terraform), RunOptions::default());
            let found = crate::tests::found(&fixture, &RULE);
            let [found] = found.as_slice() else {
                panic!("{terraform}: {found:#?}")
            };
            let certain = (Certainty::Certain, Severity::Error);
            assert_eq!(
                (found.certainty, found.severity) == certain,
                is_error,
                "{terraform}"
            );
        }
    }
}
