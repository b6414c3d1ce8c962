//! `missing-file` of modules: a call of a directory that does not exist.
//!
//! Source: Terraform 1.11, `terraform init` (`Unreadable module directory`).

use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::missing_file::RULE;

use super::InProject;
use crate::model::Wrong;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for argument in &project.model.arguments {
        let Wrong::NoDirectory(written) = &argument.wrong else {
            continue;
        };
        let message = format!("the directory `{written}` does not exist");
        let d = Diagnostic::new(&RULE, argument.place, message).unit(argument.resource.clone());
        found.push(project.of_argument("invalid-argument", argument, d, "Unreadable module directory"));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::{speaks, stacks};

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let call = |source: &str| format!("{}module \"m\" {{\n  source = \"{source}\"\n}}\n", stacks(&["a"]));
        speaks(&RULE, &call("./gone"), &["\"./gone\""]);
        speaks(&RULE, &call("../gone//sub"), &["\"../gone//sub\""]);
        let there = |source: &str| call(source) + "//- /w/there/main.tf\nlocals {\n  a = 1\n}\n";
        speaks(&RULE, &there("./there"), &[]);
        speaks(&RULE, &call("git::ssh://git@example.com/gone.git"), &[]);
        // Terragrunt may make it.
        let generated = call("./gone") + "//- /w/terragrunt.hcl\n";
        speaks(&RULE, &generated, &[]);
    }
}
