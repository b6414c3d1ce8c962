//! `missing-field` of resources: an argument without which Terraform rejects the block.

use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::missing_field::RULE;

use super::{InProject, said};
use crate::judge::stage;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for argument in project.model.arguments.iter().filter(|a| a.is_missing) {
        let message = format!("`{}` needs `{}`", argument.resource, argument.name);
        let d = Diagnostic::new(&RULE, argument.place, message).unit(argument.resource.clone());
        let finding = said("missing-argument", &argument.resource, d)
            .detail("at", format!("{}.{}", argument.resource, argument.name));
        found.push(project.rejected(finding, stage::CONFIG, false, "Missing required argument"));
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
}
