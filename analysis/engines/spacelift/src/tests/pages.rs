//! The example on the page of each of Spacelift's own rules: the rule speaks in it, and not in what the page puts in
//! its place.

use applyorder_analysis::fixture::Fixture;
use applyorder_core::engine::RunOptions;

use crate::{ALONE, Found, META};

/// The HCL of a section of a page.
fn example<'a>(page: &'a str, section: &str) -> Option<&'a str> {
    let (_, behind) = page.split_once(&format!("## {section}\n"))?;
    let own = behind.split("\n## ").next()?;
    let (_, fenced) = own.split_once("```hcl\n")?;
    Some(fenced.split_once("```")?.0)
}

/// A tree of files: `# m/main.tf` alone on a line begins one, the first is `main.tf`.
fn tree(text: &str) -> String {
    let mut tree = String::new();
    for line in text.lines() {
        match line.strip_prefix("# ").filter(|name| name.ends_with(".tf")) {
            Some("main.tf") => {}
            Some(name) => tree.push_str(&format!("//- /w/{name}\n")),
            None => tree.push_str(&format!("{line}\n")),
        }
    }
    format!("//- /w/main.tf\n{tree}")
}

/// Which rules speak in a text, those in preview as well.
fn speaking(text: &str) -> Vec<&'static str> {
    let fixture = Fixture::with_options(ALONE, &tree(text), RunOptions::default());
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
        let Some(text) = example(rule.docs, "Example") else {
            wrong.push(format!("{} has no example", rule.id));
            continue;
        };
        if !speaking(text).contains(&rule.id) {
            wrong.push(format!("{} is silent in its example\n{text}", rule.id));
        }
        // A single argument is not a module.
        if let Some(text) = example(rule.docs, "Use instead").filter(|text| text.contains("resource"))
            && speaking(text).contains(&rule.id)
        {
            wrong.push(format!("{} speaks in what is better\n{text}", rule.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
