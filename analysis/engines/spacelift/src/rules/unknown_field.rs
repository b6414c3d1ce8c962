//! `unknown-field` of resources: an argument or a block that a block does not accept, an attribute that it does not
//! have.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::unknown_field::RULE;

use super::{InProject, SCHEMA};
use crate::inputs::ValuesFaultKind;
use crate::model::{Argument, FaultKind, Reference, Wrong};
use crate::schema::VERSION;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for fault in &project.model.values_faults {
        if let ValuesFaultKind::Block(kind) = &fault.what {
            let message = format!("a file of values takes no block `{kind}`");
            let d = Diagnostic::new(&RULE, fault.place, message);
            found.push(project.of_values(fault, d));
        }
    }
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
                d = d.replace_with(near, FixStep::Replace(argument.place, near.clone()));
            }
        }
        if &**name == "trigger_always" {
            d = d.note("it belongs to a `spacelift_stack_dependency_reference`");
            if is_unknown && let Some((reference, steps)) = moved(project, argument) {
                d = d.fix(format!("move it to `{reference}`"), Safety::Unsafe, steps);
            }
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
        let message = format!("attribute `{}` does not exist", fault.subject);
        let d = project.of_fault(fault, Diagnostic::new(&RULE, fault.place, message));
        let finding = project.fault_finding(fault, d);
        found.push(project.rejected(finding, fault.stage(), fault.heuristic, "Unsupported attribute"));
    }
}

/// The first reference of a dependency without its own `trigger_always`, and the steps that move the dependency's
/// setting to it: one reference is enough for all of them.
fn moved(project: &InProject<'_>, argument: &Argument) -> Option<(String, Vec<FixStep>)> {
    let name = "trigger_always";
    let (span, text) = project.text_from(argument.place)?;
    // Names of the module mean the same in another of its blocks; other names and whole expressions may not.
    let value = text
        .get(span.end as usize..)?
        .lines()
        .next()?
        .trim_start()
        .strip_prefix('=')?
        .trim();
    let is_plain = value == "true" || value.starts_with("var.") || value.starts_with("local.");
    let is_name = value.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
    if !is_plain || !is_name || !project.is_native(argument.place) {
        return None;
    }
    let says = |reference: &Reference| {
        let whole = project.text_from(reference.whole);
        whole.is_none_or(|(span, text)| span.slice(&text).contains(name))
    };
    let own = project.references().filter(|(reference, dependency)| {
        dependency.resource == argument.resource && project.is_native(reference.header) && !says(reference)
    });
    let (reference, _) = own.min_by_key(|(reference, _)| reference.header)?;
    let steps = vec![
        FixStep::RemoveKey(argument.place),
        FixStep::InsertKeyAfter(reference.header, name.to_owned(), value.to_owned()),
    ];
    Some((reference.resource.to_string(), steps))
}

/// Adds a note about the version of the schema.
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
    use crate::tests::{dependency, fixed, found, module, reference, speaks, stacks};

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

    #[test]
    fn trigger_always_moves_to_the_first_reference_that_does_not_say_it() {
        let own = |value: &str| {
            dependency("x", "spacelift_stack.a.id", "spacelift_stack.b.id")
                .replace("\n}\n", &format!("\n  trigger_always = {value}\n}}\n"))
        };
        let of = |name: &str| {
            reference(
                name,
                "spacelift_stack_dependency.x.id",
                "o",
                &format!("TF_VAR_{name}"),
            )
        };
        let says = |name: &str| of(name).replace("\n}\n", "\n  trigger_always = false\n}\n");
        let other = dependency("y", "spacelift_stack.a.id", "spacelift_stack.c.id");
        let of_other = reference("z", "spacelift_stack_dependency.y.id", "o", "TF_VAR_z");
        for (value, references, moved) in [
            ("true", of("p") + &of("q"), Some("p")),
            ("local.on", says("p") + &of("q"), Some("q")),
            ("true", says("p"), None),
            ("true", String::new(), None),
            ("false", of("p"), None),
            ("!local.on", of("p"), None),
            ("each.value", of("p"), None),
        ] {
            let text = [
                stacks(&["a", "b", "c"]),
                own(value),
                references,
                other.clone(),
                of_other.clone(),
            ];
            let fixture = module(
                &(text.concat() + "locals {\n  on = true\n}\n"),
                RunOptions::default(),
            );
            let found = found(&fixture, &RULE);
            let found = found
                .iter()
                .find(|d| d.message.contains("trigger_always"))
                .unwrap();
            let titles: Vec<&str> = found.fixes.iter().map(|fix| fix.title.as_str()).collect();
            match moved {
                Some(name) => {
                    let to = format!("move it to `spacelift_stack_dependency_reference.{name}`");
                    assert_eq!(titles, [&to, "remove it"]);
                    let fixed = fixed(&fixture, found, 0);
                    let block = fixed
                        .split("resource ")
                        .find(|b| b.contains(&format!("reference\" \"{name}\"")));
                    let line = format!("trigger_always = {value}\n");
                    assert!(block.is_some_and(|block| block.contains(&line)), "{fixed}");
                    assert_eq!(
                        fixed.matches(&format!("= {value}\n")).count(),
                        1 + usize::from(value == "true")
                    );
                }
                None => assert_eq!(titles, ["remove it"], "{value}"),
            }
        }
    }

    /// The result of `terraform validate` 1.11 with the provider at 8565261.
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
