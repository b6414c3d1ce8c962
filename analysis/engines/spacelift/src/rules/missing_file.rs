//! `missing-file` of modules: a call of a directory that does not exist, a function that reads a file that does not.
//!
//! Source: Terraform 1.11, `terraform init` (`Unreadable module directory`), `terraform validate` (`Invalid function
//! argument`). A file may be created before Terraform runs.

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
    use super::{RULE, Severity};
    use applyorder_core::engine::RunOptions;

    use crate::tests::{module, speaks, stacks, verdict};

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let call = |source: &str| format!("{}module \"m\" {{\n  source = \"{source}\"\n}}\n", stacks(&["a"]));
        speaks(&RULE, &call("./gone"), &["\"./gone\""]);
        speaks(&RULE, &call("../gone//sub"), &["\"../gone//sub\""]);
        let there = |source: &str| call(source) + "//- /w/there/main.tf\nlocals {\n  a = 1\n}\n";
        speaks(&RULE, &there("./there"), &[]);
        speaks(&RULE, &call("git::ssh://git@example.com/gone.git"), &[]);
        // Terragrunt may generate it.
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
            // Terragrunt may generate it, and what creates a directory also creates the files in it.
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
        // Files that are hashed or encoded are often built.
        speaks(&RULE, &local("filebase64(\"gone.zip\")"), &[]);
        speaks(&RULE, &local("filesha256(\"gone.zip\")"), &[]);
        speaks(
            &RULE,
            &(local("file(\"here.txt\")") + "//- /w/here.txt\nx\n"),
            &[],
        );
    }

    #[test]
    fn each_file_is_told_by_what_the_function_that_reads_it_makes_of_it() {
        let locals = |lines: &str| format!("{}locals {{\n{lines}\n}}\n", stacks(&["a"]));
        let both = "  a = \"${file(\"one.txt\")} ${file(\"two.txt\")} ${filemd5(\"three.txt\")}\"";
        let found = ["file(\"one.txt\")", "file(\"two.txt\")"];
        speaks(&RULE, &locals(both), &found);
        // The same file, read and hashed.
        let hashed = "  a = filemd5(\"x\")\n  b = file(\"x\")\n  c = filesha256(\"x\")";
        speaks(&RULE, &locals(hashed), &["file(\"x\")"]);
        speaks(&RULE, &locals("  a = core::file(\"x\")"), &["core::file(\"x\")"]);
        speaks(&RULE, &locals("  a = file  (\"x\")"), &["file  (\"x\")"]);
        // It is reported where it is called, once.
        let passed = "  a = file(\"x\")\n  b = local.a\n  c = \"${local.a}!\"";
        speaks(&RULE, &locals(passed), &["file(\"x\")"]);
        // In a template that exists.
        let template =
            |text: &str| locals("  a = templatefile(\"t.tpl\", {})") + "//- /w/t.tpl\n" + text + "\n";
        let call = ["templatefile(\"t.tpl\", {})"];
        speaks(&RULE, &template("${file(\"x\")}"), &call);
        speaks(&RULE, &template("${filemd5(\"x\")}"), &[]);
    }

    #[test]
    fn what_is_asked_for_before_it_is_read_is_not_told() {
        let locals = |lines: &str| format!("{}locals {{\n{lines}\n}}\n", stacks(&["a"]));
        for (lines, found) in [
            (
                "  a = fileexists(\"x\")\n  b = local.a ? file(\"x\") : \"\"",
                &[][..],
            ),
            ("  a = [for f in [\"x\", \"y\"] : file(f) if fileexists(f)]", &[]),
            ("  a = fileexists(\"x\") ? \"x\" : file(\"y\")", &[]),
            // The words of a call inside a string are ignored.
            ("  a = [file(\"x\"), \"fileexists(\"]", &["file(\"x\")"]),
            ("  a = [fileexists(\"x\") ? 1 : 2, file(\"y\")]", &["file(\"y\")"]),
        ] {
            speaks(&RULE, &locals(lines), found);
        }
    }

    fn verdicts(text: &str, options: RunOptions) -> [Option<bool>; 2] {
        let fixture = module(text, options);
        ["validate", "plan"].map(|command| verdict(&fixture, command))
    }

    #[test]
    fn a_file_that_is_asked_for_may_be_made_before() {
        let count = |value: &str| {
            let meta = format!("count = {value}\n  name");
            stacks(&["a"]).replace("name", &meta) + "output \"o\" {\n  value = spacelift_stack.a[0].id\n}\n"
        };
        let asked = "fileexists(\"gone\") ? 1 : 0";
        let found = |options| {
            let fixture = module(&count(asked), options);
            let found = crate::tests::found(&fixture, &applyorder_core::rules::unknown_dependency::RULE);
            found
                .iter()
                .map(|d| (d.severity, d.notes.clone()))
                .collect::<Vec<_>>()
        };
        // That the stack exists is only likely.
        let likely = found(RunOptions::default());
        assert_eq!(likely.len(), 1);
        assert_eq!(likely[0].0, Severity::Warning);
        assert!(
            format!("{likely:?}").contains("the absence of `gone`"),
            "{likely:?}"
        );
        let both = |value: &str| verdicts(&count(value), RunOptions::default());
        assert_eq!(both(asked), [Some(true), None]);
        assert_eq!(both("0"), [Some(true), Some(false)]);
        // That of `validate` too, if the value is wrong without the file. Whether it is wrong with the file is
        // ignored, as for values other than a variable's default.
        assert_eq!(both("fileexists(\"gone\") ? 1 : -1"), [None, None]);
        assert_eq!(both("fileexists(\"gone\") ? 1.5 : 1"), [Some(true), Some(true)]);
        let here = format!("{}//- /w/gone\nx\n", count(asked));
        assert_eq!(verdicts(&here, RunOptions::default()), [Some(true), Some(true)]);
        // The same for all files of a set. If some exist, the set is complete.
        let set = "length(fileset(\"made\", \"*.yaml\"))";
        let of_set = |files: &str| {
            let fixture = module(&format!("{}{files}", count(set)), RunOptions::default());
            let found = crate::tests::found(&fixture, &applyorder_core::rules::unknown_dependency::RULE);
            let text = format!("{found:?}");
            let verdicts = verdicts(&format!("{}{files}", count(set)), RunOptions::default());
            (verdicts, text.contains("the absence of `made/*.yaml`"))
        };
        assert_eq!(of_set(""), ([Some(true), None], true));
        let other = "//- /w/made/x.json\nx\n";
        assert_eq!(of_set(other), ([Some(true), None], true));
        let here = "//- /w/made/x.yaml\nx\n";
        assert_eq!(of_set(here), ([Some(true), Some(true)], false));
        let each = stacks(&["a"]).replace("name", "for_each = fileset(\"made\", \"*.yaml\")\n  name");
        assert_eq!(verdicts(&each, RunOptions::default()), [Some(true), Some(true)]);
    }

    #[test]
    fn what_reads_the_file_that_it_asks_for_does_not_fail() {
        let local = |value: &str| {
            let text = format!("{}locals {{\n  a = {value}\n}}\n", stacks(&["a"]));
            verdicts(&text, RunOptions::default())[0]
        };
        for (value, ok) in [
            ("fileexists(\"x\") ? file(\"x\") : \"d\"", Some(true)),
            ("(!fileexists(\"x\")) ? \"d\" : file(\"x\")", Some(true)),
            ("fileexists(\"x\") && local.b ? file(\"x\") : \"d\"", Some(true)),
            ("!fileexists(\"x\") || local.b ? \"d\" : file(\"x\")", Some(true)),
            (
                "fileexists(\"${path.module}/x\") ? file(\"${path.module}/x\") : \"d\"",
                Some(true),
            ),
            ("fileexists(\"x\") || local.b ? file(\"x\") : \"d\"", None),
            ("fileexists(\"x\") ? \"d\" : file(\"x\")", None),
            // Without the file the other arm is used.
            ("fileexists(\"x\") ? file(\"y\") : \"d\"", Some(true)),
            ("fileexists(\"x\") ? tolist([])[3] : \"d\"", Some(true)),
            ("fileexists(\"x\") ? \"d\" : tolist([])[3]", None),
            ("fileexists(\"x\") ? file(\"x\") : \"\"", Some(true)),
        ] {
            let own = match value.contains("local.b") {
                true => "\n  b = true",
                false => "",
            };
            assert_eq!(local(&format!("{value}{own}")), ok, "{value}");
        }
    }

    /// A text that is one of two is decoded from the file that exists.
    #[test]
    fn what_is_decoded_from_one_of_two_files_is_known() {
        let of = |value: &str, files: &str| {
            let text = format!(
                "{}locals {{\n  all = {value}\n}}\nresource \"terraform_data\" \"d\" {{\n  for_each = local.all.x\n}}\n{files}",
                stacks(&["a"])
            );
            verdicts(&text, RunOptions::default())
        };
        let a = "//- /w/a.yaml\nx:\n  k: 1\n";
        let b = "//- /w/b.yaml\nx:\n  k: 1\n";
        let either = "yamldecode(fileexists(\"a.yaml\") ? file(\"a.yaml\") : file(\"b.yaml\"))";
        for files in [a, b, &format!("{a}{b}")] {
            assert_eq!(of(either, files), [Some(true); 2], "{files}");
        }
        assert_eq!(of(either, ""), [None; 2]);
        // The contents are not valid for `for_each`, or not YAML.
        assert_eq!(of(either, &b.replace("k: 1", "- 1")), [None; 2]);
        assert_eq!(of(either, &a.replace("k: 1", "- 1")), [Some(false); 2]);
        assert_eq!(of(either, &b.replace("k: 1", "\"")), [None; 2]);
        for (value, files) in [
            ("try(yamldecode(file(\"a.yaml\")), { x = {} })", ""),
            ("try(yamldecode(file(\"a.yaml\")), { x = {} })", a),
            (
                "{ x = lookup(yamldecode(try(file(\"a.yaml\"), \"{}\")), \"x\", {}) }",
                "",
            ),
            (
                "merge({ x = {} }, [for f in fileset(\".\", \"?.yaml\") : yamldecode(file(f))]...)",
                "",
            ),
            (
                "merge({ x = {} }, [for f in fileset(\".\", \"?.yaml\") : yamldecode(file(f))]...)",
                a,
            ),
            (
                "jsondecode(coalesce(try(file(\"a.json\"), \"\"), \"{\\\"x\\\": {}}\"))",
                "",
            ),
        ] {
            assert_eq!(of(value, files), [Some(true); 2], "{value} {files}");
        }
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
            ("try(file(\"gone.txt\"), \"\")", Some(true)),
            // Without the file it is not a string.
            ("try(jsondecode(file(\"gone.txt\")), [])", None),
        ] {
            assert_eq!(verdicts(&stack(value), RunOptions::default()), [ok; 2], "{value}");
        }
    }
}
