//! The example of each rule's page shows what the rule finds.

#[path = "../../../../../tests/support/page.rs"]
mod page;

use std::sync::Arc;

use applyorder_analysis::fixture::printed;
use applyorder_analysis::workspace::Workspace;
use applyorder_core::config::Configs;
use applyorder_core::engine::{Offer, RunOptions};
use applyorder_core::files::MemoryFiles;
use applyorder_core::rules::Rule;

use self::page::page_shows;

/// What the examples refer to.
const AROUND: [(&str, &str); 7] = [
    (
        "/w/root.tm",
        "terramate {\n  config {\n    experiments = [\"outputs-sharing\"]\n  }\n}\n",
    ),
    ("/w/other/stack.tm.hcl", "stack {\n}\n"),
    (
        "/w/net/s.tm",
        "stack {\n  id   = \"vpc\"\n  tags = [\"network\"]\n}\n",
    ),
    ("/w/net/below/s.tm", "stack {\n}\n"),
    ("/w/shared/s.tm", "stack {\n}\n"),
    ("/shared/file.txt", ""),
    ("/w/stacks/child/s.tm", "stack {\n}\n"),
];

/// Rules whose example is not HCL: it describes a hundred stacks.
const NOT_SHOWN: [&str; 1] = ["terramate/exponential-run"];

/// The first block of code under a heading, and the path in its first line.
fn example(rule: &Rule) -> Option<(String, &str)> {
    let (_, rest) = rule.docs.split_once("\n## Example\n")?;
    let (_, rest) = rest.split_once("```hcl\n")?;
    let (text, _) = rest.split_once("```")?;
    let told = text.strip_prefix("# in ").and_then(|rest| rest.lines().next());
    let path = match told {
        Some("/") => "/w/example.tm".to_owned(),
        Some(path) if path.contains(".tm") => format!("/w{path}"),
        Some(dir) => format!("/w{dir}/example.tm"),
        None => "/w/example/example.tm".to_owned(),
    };
    Some((path, text))
}

fn finds(rule: &'static Rule) -> bool {
    let (path, text) = example(rule).unwrap();
    let mut files = MemoryFiles::new();
    if rule.id != "terramate/root-missing" {
        for (path, text) in AROUND {
            files.insert(path, text);
        }
        files.set_vcs_root("/w");
    }
    files.insert(&path, text);
    let paths: Vec<_> = files.paths().map(camino::Utf8Path::to_owned).collect();
    let mut workspace = Workspace::new(crate::ALONE, Arc::new(files), RunOptions::default());
    workspace.set_configs(Configs::new());
    workspace.offer(&paths, Offer::Found);
    workspace.refresh();
    let analysis = workspace.analysis();
    let found = analysis
        .projects()
        .any(|(_, project)| project.findings().iter().any(|d| d.rule == rule));
    if let Some(wrong) = page_shows(rule, &printed(&analysis, rule)) {
        panic!("{wrong}");
    }
    found
}

#[test]
fn the_example_of_each_page_is_found() {
    let shown = crate::rules::OWN
        .iter()
        .filter(|rule| !NOT_SHOWN.contains(&rule.id));
    let silent: Vec<&str> = shown.filter(|rule| !finds(rule)).map(|rule| rule.id).collect();
    assert_eq!(silent, [""; 0]);
}
