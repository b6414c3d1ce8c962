//! `missing-file` of modules: a call of a directory that does not exist, a function that reads a file that does not.
//!
//! Source: Terraform 1.11, `terraform init` (`Unreadable module directory`), `terraform validate` (`Invalid function
//! argument`). A file may be made before Terraform runs.

use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::missing_file::RULE;

use super::{InProject, said};
use crate::judge::stage;
use crate::model::{FaultKind, Wrong};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for argument in &project.model.arguments {
        let Wrong::NoDirectory(written) = &argument.wrong else {
            continue;
        };
        let message = format!("the directory `{written}` does not exist");
        let d = Diagnostic::new(&RULE, argument.place, message).unit(argument.resource.clone());
        found.push(project.of_argument("invalid-argument", argument, d, "Unreadable module directory"));
    }
    for fault in project.faults(FaultKind::MissingFile) {
        let d = Diagnostic::new(&RULE, fault.place, fault.subject.clone())
            .unit(fault.static_at.clone())
            .severity(Severity::Warning)
            .note("Terraform rejects the configuration unless the file is made before")
            .heuristic();
        let finding = said(fault.kind.word(), &fault.subject, d).detail("at", &*fault.static_at);
        found.push(project.rejected(finding, stage::CONFIG, true, ""));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_core::engine::RunOptions;

    use crate::tests::{module, speaks, stacks};

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

    #[test]
    fn a_file_that_a_function_reads_is_looked_for() {
        let local = |value: &str| format!("{}locals {{\n  a = {value}\n}}\n", stacks(&["a"]));
        for call in [
            "file(\"gone.txt\")",
            "templatefile(\"${path.module}/gone.tpl\", {})",
        ] {
            speaks(&RULE, &local(call), &[call]);
            // Terragrunt may make it, and what makes a directory makes the files in it.
            speaks(&RULE, &(local(call) + "//- /w/terragrunt.hcl\n"), &[]);
            speaks(&RULE, &local(&call.replace("gone", "made/gone")), &[]);
            for guarded in [
                format!("try({call}, \"default\")"),
                format!("can({call})"),
                format!("fileexists(\"gone\") ? {call} : \"default\""),
            ] {
                speaks(&RULE, &local(&guarded), &[]);
            }
        }
        speaks(&RULE, &local("file(\"../../../gone.txt\")"), &[]);
        let either = "fileexists(\"a.yaml\") ? file(\"a.yaml\") : file(\"a.json\")";
        speaks(&RULE, &local(either), &[]);
        // What is hashed or encoded is often built.
        speaks(&RULE, &local("filebase64(\"gone.zip\")"), &[]);
        speaks(&RULE, &local("filesha256(\"gone.zip\")"), &[]);
        speaks(
            &RULE,
            &(local("file(\"here.txt\")") + "//- /w/here.txt\nx\n"),
            &[],
        );
    }

    #[test]
    fn what_is_given_in_place_of_a_file_is_likely() {
        let stack = |name: &str| {
            format!(
                "{}resource \"spacelift_stack_dependency\" \"d\" {{\n  stack_id = spacelift_stack.a.id\n  \
                 depends_on_stack_id = {name}\n}}\n",
                stacks(&["a"])
            )
        };
        for (value, ok) in [
            ("try(file(\"gone.txt\"), \"default\")", Some(true)),
            ("can(file(\"gone.txt\")) ? \"x\" : \"y\"", Some(true)),
            ("file(\"gone.txt\")", None),
            ("try(file(\"gone.txt\"), \"\")", None),
            // Only with the file it would be something else.
            ("try(jsondecode(file(\"gone.txt\")), [])", None),
        ] {
            let fixture = module(&stack(value), RunOptions::default());
            let (_, project) = fixture.analysis.projects().next().unwrap();
            for command in ["validate", "plan"] {
                let verdict = project.resolution.verdicts.iter().find(|v| v.command == command);
                assert_eq!(verdict.unwrap().ok, ok, "{command} {value}");
            }
        }
    }
}
