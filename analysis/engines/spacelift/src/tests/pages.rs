//! The example on the page of each of Spacelift's own rules: the rule reports it, and does not report the page's
//! replacement.

use applyorder_analysis::fixture::{Fixture, block, terraform_tree};
use applyorder_core::engine::RunOptions;

use crate::{ALONE, Found, META};

/// Which rules speak in a text, those in preview as well.
fn speaking(text: &str) -> Vec<&'static str> {
    let fixture = Fixture::with_options(ALONE, &terraform_tree(text), RunOptions::default());
    let projects = fixture.analysis.projects();
    let states = projects.filter_map(|(_, project)| project.resolution.state.clone());
    let mut found = Vec::new();
    for state in states {
        let state: &Found = state.downcast_ref().unwrap();
        for block in &state.blocks {
            found.extend(block.findings().iter().map(|f| f.diagnostic.rule.id));
        }
    }
    found
}

#[test]
fn a_rule_speaks_in_the_example_of_its_page_and_not_in_what_is_better() {
    let mut wrong = Vec::new();
    for rule in META.rules {
        let Some((_, text)) = block(rule.docs, "Example") else {
            wrong.push(format!("{} has no example", rule.id));
            continue;
        };
        if !speaking(text).contains(&rule.id) {
            wrong.push(format!("{} is silent in its example\n{text}", rule.id));
        }
        // A single argument is not a module.
        if let Some((_, text)) = block(rule.docs, "Use instead").filter(|(_, text)| text.contains("resource"))
            && speaking(text).contains(&rule.id)
        {
            wrong.push(format!("{} speaks in what is better\n{text}", rule.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
