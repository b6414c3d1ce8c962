//! `spacelift/bad-override`: an override of something that cannot be overridden so.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};
use crate::judge::stage;
use crate::model::Misdeclaration;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/bad-override",
    severity: Severity::Error,
    summary: "An invalid override",
    docs: include_str!("../../../../../docs/rules/spacelift/bad-override.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for wrong in &project.model.misdeclared {
        let (message, words) = match wrong.why {
            Misdeclaration::Again(_) => continue,
            Misdeclaration::NoBase => (
                format!("`{}` overrides what no other file declares", wrong.subject),
                match wrong.word {
                    "provider" => "Missing base provider configuration for override".to_owned(),
                    _ => "Missing base declaration to override".to_owned(),
                },
            ),
            Misdeclaration::DependsOn => (
                format!("`depends_on` of `{}` cannot be overridden", wrong.subject),
                "Unsupported override".to_owned(),
            ),
            Misdeclaration::NoOverride => (
                format!(
                    "`{}` is not allowed in a file that overrides others",
                    wrong.subject
                ),
                match wrong.word {
                    "moved" | "import" => format!("Cannot override '{}' blocks", wrong.word),
                    "removed" => "Cannot override 'Removed' blocks".to_owned(),
                    word => format!("Can't override {word} blocks"),
                },
            ),
        };
        let d = Diagnostic::new(&RULE, wrong.place, message).unit(wrong.subject.clone());
        let finding = said("bad-override", &wrong.subject, d);
        found.push(project.rejected(finding, stage::LOAD, false, &words));
    }
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
        //- /w/x_override.tf
        resource "spacelift_stack" "a" {
          branch = "next"
        }
        resource "spacelift_stack" "b" {
          branch = "next"
        }
        "#;
        speaks(&RULE, text, &["resource \"spacelift_stack\" \"b\""]);
    }
}
