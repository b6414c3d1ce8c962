//! The examples on the pages of kapp's rules: a rule has a finding in its example, and not in the recommended
//! alternative on its page.

#[path = "../../../../../tests/support/page.rs"]
mod page;

use self::page::page_shows;
use super::{app, of_rule};
use crate::META;
use applyorder_analysis::fixture::printed;
use applyorder_core::engine::RunOptions;

/// Pages whose example is not a manifest.
const NOT_MANIFESTS: [(&str, &str); 2] = [
    ("kapp/skipped-file", "the name of a file"),
    ("kapp/unmapped-namespace", "a configuration"),
];

/// The YAML of a section of a page.
fn example<'a>(page: &'a str, section: &str) -> Option<&'a str> {
    let (_, behind) = page.split_once(&format!("## {section}\n"))?;
    let own = behind.split("\n## ").next()?;
    let (_, fenced) = own.split_once("```yaml\n")?;
    Some(fenced.split_once("```")?.0)
}

#[test]
fn a_rule_speaks_in_the_example_of_its_page_and_not_in_what_is_better() {
    let mut wrong = Vec::new();
    let own = META.rules.iter();
    for rule in own.filter(|rule| NOT_MANIFESTS.iter().all(|(id, _)| *id != rule.id)) {
        let Some(text) = example(rule.docs, "Example") else {
            wrong.push(format!("{} has no example", rule.id));
            continue;
        };
        let analysis = app(text, RunOptions::default());
        if of_rule(&analysis, rule.id).is_empty() {
            wrong.push(format!("{} is silent in its example\n{text}", rule.id));
        }
        wrong.extend(page_shows(rule, &printed(&analysis, rule)));
        if let Some(text) = example(rule.docs, "Use instead")
            && !of_rule(&app(text, RunOptions::default()), rule.id).is_empty()
        {
            wrong.push(format!("{} speaks in what is better\n{text}", rule.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
