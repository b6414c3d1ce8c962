//! The pages of the rules: each exists, begins like its rule, and every page belongs to a rule.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used
)]

#[path = "../../../tests/support/page.rs"]
mod page;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use applyorder_analysis::fixture::{Fixture, block, printed, terraform_tree};

use self::page::page_shows;

#[test]
fn a_page_begins_with_the_id_and_the_summary_of_its_rule() {
    for rule in applyorder_engines::all().rules() {
        let head = format!("# {}\n\n{}.", rule.id, rule.summary.trim_end_matches('.'));
        assert_eq!(rule.page_parts().0, head, "docs/rules/{}.md", rule.id);
        assert!(
            rule.page_parts().1.starts_with("## "),
            "docs/rules/{}.md",
            rule.id
        );
    }
}

#[test]
fn every_page_is_of_a_rule() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules");
    let known: BTreeSet<PathBuf> = applyorder_engines::all()
        .rules()
        .iter()
        .map(|rule| root.join(format!("{}.md", rule.id)))
        .collect();
    let mut open = vec![root.clone()];
    let mut found = BTreeSet::new();
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path);
            }
        }
    }
    assert_eq!(found, known);
}

/// Pages whose example is not a part of one file in which the rule has a finding, with the reason.
const NO_EXAMPLE: [(&str, &str); 5] = [
    ("invalid-config", "the example is a configuration"),
    ("limit-reached", "the example is too large to be written"),
    ("unmet-expectation", "the example is a configuration"),
    ("unsupported-version", "the configured version is part of it"),
    ("unreadable-file", "a directory beside the example is part of it"),
];

/// A tree of files around an example, by what contains it.
fn tree(language: &str, text: &str) -> String {
    let indented = |by: &str| {
        text.lines()
            .map(|line| format!("{by}{line}\n"))
            .collect::<String>()
    };
    match language {
        "hcl" => {
            format!(
                "//- /w/terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n}}\n//- /w/a/stack.tm\n{text}"
            )
        }
        _ if text.starts_with("apiVersion:") => format!("//- /w/a.yaml\n{text}"),
        _ if text.starts_with("spec:") => format!("//- /w/tazuna.yaml\n{text}"),
        _ if text.starts_with("- ") => {
            format!("//- /w/tazuna.yaml\nspec:\n  manifests:\n{}", indented("    "))
        }
        _ => format!(
            "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - name: cni\n    - name: db\n    - name: app\n{}",
            indented("      ")
        ),
    }
}

#[test]
fn the_example_of_a_shared_page_is_found_by_its_rule() {
    let engines = applyorder_engines::all();
    let rules = engines.rules();
    let mut wrong = Vec::new();
    for rule in rules.iter().filter(|rule| rule.engine().is_none()) {
        let found = block(rule.docs, "Example").map_or_else(String::new, |(language, text)| {
            let fixture = Fixture::new(engines, &tree(language, text));
            printed(&fixture.analysis, rule)
        });
        let excepted = NO_EXAMPLE.iter().any(|(id, _)| *id == rule.id);
        if found.is_empty() != excepted {
            wrong.push(rule.id.to_owned());
        }
        if !excepted {
            wrong.extend(page_shows(rule, &found));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The configuration that enables rules in preview.
const PREVIEW: &str = "//- /w/applyorder.toml\npreview = true\n";

#[test]
fn a_page_of_spacelift_shows_what_is_printed_of_its_example() {
    let engines = applyorder_engines::all();
    let mut wrong = Vec::new();
    for rule in engines
        .rules()
        .iter()
        .filter(|rule| rule.engine() == Some("spacelift"))
    {
        let text = block(rule.docs, "Example").map_or("", |(_, text)| text);
        let fixture = Fixture::new(engines, &format!("{PREVIEW}{}", terraform_tree(text)));
        wrong.extend(page_shows(rule, &printed(&fixture.analysis, rule)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rules whose messages end with the engine's own text.
const VERBATIM: [&str; 3] = [
    "kapp/labels-shape",
    "kapp/versioned-reference",
    "terramate/run-environment",
];

/// The messages in the reports on a page, as editors show them.
fn messages(page: &str) -> impl Iterator<Item = String> + '_ {
    let reports = page
        .split("```text\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    reports.flat_map(str::lines).filter_map(|line| {
        let (severity, rest) = line.split_once('[')?;
        let is_finding = ["error", "warning", "info", "hint"].contains(&severity);
        let (_, message) = rest.split_once("]: ").filter(|_| is_finding)?;
        Some(message.replace('`', ""))
    })
}

#[test]
fn a_message_is_one_short_line() {
    let engines = applyorder_engines::all();
    let mut seen = 0;
    for rule in engines.rules().iter().filter(|rule| !VERBATIM.contains(&rule.id)) {
        for message in messages(rule.docs) {
            seen += 1;
            assert!(message.chars().count() <= 80, "{}: {message}", rule.id);
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn the_output_is_at_the_end_of_the_example() {
    let page = "# x\n\n## Example\n```yaml\na: 1\n```\n\n## Use instead\ny\n";
    let shown = page::with(page, "error[x]: y\n").unwrap();
    assert_eq!(
        shown,
        "# x\n\n## Example\n```yaml\na: 1\n```\n\nThis is reported:\n```text\nerror[x]: y\n```\n\n## Use instead\ny\n"
    );
    assert_eq!(page::with(&shown, "error[x]: y\n").as_deref(), Some(&*shown));
    assert!(
        page::with(&shown, "error[x]: z\n")
            .unwrap()
            .contains("```text\nerror[x]: z\n```\n\n## U")
    );
    assert_eq!(page::with(page, ""), None);
    assert_eq!(page::with("# x\n", "y\n"), None);
}
