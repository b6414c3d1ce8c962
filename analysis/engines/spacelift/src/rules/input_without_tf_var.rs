//! `spacelift/input-without-tf-var`: an input that is not a variable of Terraform.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};
use applyorder_core::diagnostic::{FixStep, Safety};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/input-without-tf-var",
    severity: Severity::Hint,
    summary: "An input that is not a Terraform variable",
    docs: include_str!("../../../../../docs/rules/spacelift/input-without-tf-var.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for (reference, dependency) in project.references() {
        let stack = dependency.stack.stack().and_then(|s| project.stack(s));
        let vendor = stack.and_then(|s| s.settings.as_ref()).map(|s| s.vendor);
        let (Some(vendor), Some(input)) = (vendor, &reference.input) else {
            continue;
        };
        if !vendor.reads_tf_vars() || input.value.starts_with("TF_VAR_") || is_tool(&input.value) {
            continue;
        }
        let message = format!("{} reads variables from `TF_VAR_...` only", vendor.word());
        let steps = vec![FixStep::SetValue(input.place, format!("TF_VAR_{}", input.value))];
        let d = Diagnostic::new(&RULE, input.place, message)
            .unit(reference.address.clone())
            .note("as a plain environment variable it may be meant all the same")
            .fix("give it the prefix `TF_VAR_`", Safety::Unsafe, steps);
        let d = project.likely(d, true);
        found.push(
            said("input-without-tf-var", &reference.address, d)
                .detail("at", format!("{}.input_name", reference.address)),
        );
    }
}

/// Whether a name looks like a variable that tools and providers read.
fn is_tool(name: &str) -> bool {
    const PREFIXES: &[&str] = &[
        "AWS_",
        "ARM_",
        "AZURE_",
        "CLOUDFLARE_",
        "DATADOG_",
        "DD_",
        "DIGITALOCEAN_",
        "GITHUB_",
        "GITLAB_",
        "GOOGLE_",
        "HCLOUD_",
        "HELM_",
        "INFRACOST_",
        "KUBE",
        "NOMAD_",
        "CONSUL_",
        "OCI_",
        "PG",
        "SNOWFLAKE_",
        "SPACELIFT_",
        "TERRAGRUNT_",
        "TF_",
        "TG_",
        "VAULT_",
    ];
    let is_upper = name
        .chars()
        .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    is_upper && PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let text = r#"resource "spacelift_stack" "a" {
          name       = "A"
          repository = "r"
          branch     = "main"
        }
        resource "spacelift_stack" "b" {
          name       = "B"
          repository = "r"
          branch     = "main"
        }
        resource "spacelift_stack_dependency" "d" {
          stack_id            = spacelift_stack.a.id
          depends_on_stack_id = spacelift_stack.b.id
        }
        resource "spacelift_stack_dependency_reference" "x" {
          stack_dependency_id = spacelift_stack_dependency.d.id
          output_name         = "o"
          input_name          = "vpc"
        }
        resource "spacelift_stack_dependency_reference" "y" {
          stack_dependency_id = spacelift_stack_dependency.d.id
          output_name         = "o"
          input_name          = "TF_VAR_y"
        }
        resource "spacelift_stack_dependency_reference" "z" {
          stack_dependency_id = spacelift_stack_dependency.d.id
          output_name         = "o"
          input_name          = "AWS_REGION"
        }
        "#;
        speaks(&RULE, text, &["\"vpc\""]);
    }
}
