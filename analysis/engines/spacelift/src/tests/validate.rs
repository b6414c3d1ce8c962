//! Verdicts of `terraform validate` 1.11.4 and `tofu validate` 1.10.10 compared with ours: modules written for a rule each,
//! and random ones, with all for which the verdicts ever differed.

use std::collections::BTreeMap;

use applyorder_core::engine::RunOptions;

use super::{module, stacks};
use crate::config::FLAVOR;

/// `=== VERDICT`, and the module after it: `ok` or `rejected`, with `open` if it cannot be known here.
const RECORDED: &str = include_str!("validate.txt");

/// The same of OpenTofu: those of the modules in the other list that differ, or that we leave open, and others.
const OF_OPENTOFU: &str = include_str!("validate-opentofu.txt");

/// The verdicts and the modules of a list.
fn cases(list: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let cases = list.split("=== ").skip(1);
    cases.map(|case| case.split_once('\n').unwrap())
}

#[test]
fn verdicts_are_those_of_terraform_validate() {
    compare(cases(RECORDED), &RunOptions::default());
}

#[test]
fn verdicts_are_those_of_tofu_validate() {
    let options = RunOptions::default().with(&FLAVOR, ["tofu"]);
    let own: BTreeMap<&str, &str> = cases(OF_OPENTOFU)
        .map(|(verdict, text)| (text, verdict))
        .collect();
    let as_terraform = cases(RECORDED).filter(|(_, text)| !own.contains_key(text));
    compare(as_terraform.chain(cases(OF_OPENTOFU)), &options);
}

fn compare<'t>(cases: impl Iterator<Item = (&'t str, &'t str)>, options: &RunOptions) {
    let own = format!("//- /w/zz.tf\n{}", stacks(&["zz"]));
    let mut wrong = Vec::new();
    let mut count = [0, 0];
    for (verdict, text) in cases {
        let theirs = match verdict {
            "ok" => Some(true),
            "rejected" => Some(false),
            "ok open" | "rejected open" => None,
            other => panic!("{other}"),
        };
        count[usize::from(theirs == Some(true))] += 1;
        let fixture = module(&format!("{text}{own}"), options.clone());
        let (_, project) = fixture.analysis.projects().next().expect("a project");
        let ours = project
            .resolution
            .verdicts
            .iter()
            .find(|v| v.command == "validate");
        let ours = ours.expect("a verdict");
        if ours.ok != theirs {
            wrong.push(format!("--- {verdict}, ours {ours:?}\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.concat());
    assert!(count[0] > 100 && count[1] > 40, "{count:?}");
}

#[test]
fn what_is_in_a_dynamic_block_counts_where_it_surely_gives_blocks() {
    let own = format!("//- /w/zz.tf\n{}", stacks(&["zz"]));
    let errors = |for_each: &str| {
        let text = format!(
            "variable \"all\" {{\n  type = list(string)\n}}\nresource \"other_thing\" \"a\" {{\n  dynamic \"part\" {{\n    \
             for_each = {for_each}\n    content {{\n      a = var.nowhere\n      b = each.value\n      c = part.nothing\n    \
             }}\n  }}\n}}\n"
        );
        let fixture = module(&format!("{text}{own}"), RunOptions::default());
        let (_, project) = fixture.analysis.projects().next().expect("a project");
        let found = project.resolution.diagnostics.iter();
        found.filter(|d| !d.enforced.is_empty()).count()
    };
    // Terraform gives a block of unknown entries unknown values, regardless of its contents.
    assert_eq!(errors("var.all"), 0);
    assert_eq!(errors("var.all == null ? [] : [\"\"]"), 0);
    assert_eq!(errors("[]"), 0);
    assert_eq!(errors("[\"x\"]"), 3);
}

#[test]
fn a_given_value_hides_nothing_that_validate_rejects() {
    let text = "variable \"on\" {\n  type = bool\n}\nresource \"spacelift_policy_attachment\" \"o0\" {\n  policy_id = var.on\n}\n";
    let given = RunOptions::default().with(&crate::config::VAR, ["on=true"]);
    for options in [RunOptions::default(), given] {
        let fixture = module(text, options.clone());
        let file = fixture.analysis.files_with_findings()[0];
        let found = fixture.analysis.findings_of(file).into_iter();
        let mut missing = found.filter(|f| f.diagnostic.rule.id == "missing-field");
        let first = missing.next().expect("a missing argument");
        let mut enforced = first.diagnostic.enforced.iter();
        assert!(enforced.any(|e| e.command == "validate"), "{options:?}");
        assert!(missing.next().is_none(), "{options:?}");
    }
}
